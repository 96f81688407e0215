//! The graph of a memory snapshot: parts of the memory of processes, by path, and their sizes.
//!
//! The nodes of a process are a tree. A node can own memory of another one, mostly one of another
//! process or of shared memory. Sizes count such memory for each owner. Effective sizes count it
//! once: the owners share it by their importance, and what none of them claims stays with the owned
//! node.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::memory_dump::{DumpedNode, MemoryValue, ProcessDump};

/// Nodes with this path are of no process.
const GLOBAL: &str = "global/";
/// The child that stands for the part of a node which its other children do not explain.
const UNSPECIFIED: &str = "<unspecified>";
const SIZE: &str = "size";
const EFFECTIVE_SIZE: &str = "effective_size";

/// Levels of a path. A hostile path would make a node of every few bytes.
const MAX_LEVELS: usize = 32;
/// Bytes of a path.
const MAX_PATH: usize = 512;
/// Nodes of a snapshot; a browser has a few ten thousand.
const MAX_NODES: usize = 1 << 20;

/// A part of memory.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) parent: Option<usize>,
    pub(super) children: BTreeMap<String, usize>,
    /// Values by name, without sizes.
    pub(super) values: BTreeMap<String, MemoryValue>,
    /// Size, bytes; `None` if nothing is known.
    pub(super) size: Option<u64>,
    /// Size without what others own, bytes.
    pub(super) effective_size: Option<u64>,
    /// The node that it owns memory of.
    owns: Option<usize>,
    /// The nodes that own memory of it, with their importance.
    owners: Vec<(usize, i32)>,
    /// Part of its size that its children do not own elsewhere.
    not_owning: u64,
    /// Part of its size that has no owners.
    not_owned: u64,
    /// Part of `not_owning` that counts for it.
    owning_share: f64,
    /// Part of `not_owned` that counts for it.
    owned_share: f64,
    /// The shares with those of all nodes above.
    total_owning_share: f64,
    total_owned_share: f64,
}

impl Node {
    fn new(parent: Option<usize>) -> Self {
        Self {
            parent,
            children: BTreeMap::new(),
            values: BTreeMap::new(),
            size: None,
            effective_size: None,
            owns: None,
            owners: Vec::new(),
            not_owning: 0,
            not_owned: 0,
            owning_share: 1.0,
            owned_share: 1.0,
            total_owning_share: 1.0,
            total_owned_share: 1.0,
        }
    }

    /// Adds values under names that it does not have.
    fn add(&mut self, dumped: &DumpedNode) {
        for (name, value) in &dumped.values {
            match (&**name, value.number()) {
                (SIZE, size) => self.size = self.size.or(size),
                (EFFECTIVE_SIZE, size) => self.effective_size = self.effective_size.or(size),
                _ => {
                    self.values.entry(name.clone()).or_insert_with(|| value.clone());
                }
            }
        }
    }
}

/// An ownership: the owner, the owned node and the importance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ownership {
    pub(super) source: usize,
    pub(super) target: usize,
    pub(super) importance: i32,
}

/// A graph with its sizes.
#[derive(Debug)]
pub(super) struct MemoryGraph {
    pub(super) nodes: Vec<Node>,
    /// In the order of the dumps.
    pub(super) ownerships: Vec<Ownership>,
    /// The roots of processes, by pid.
    pub(super) processes: Vec<(u32, usize)>,
    /// Number of nodes and ownerships that were left out.
    pub(super) left_out: u64,
}

/// The root of nodes of no process.
pub(super) const GLOBAL_ROOT: usize = 0;

impl MemoryGraph {
    /// The graph of the dumps of processes, by pid.
    pub(super) fn new(dumps: &BTreeMap<u32, ProcessDump>) -> Self {
        let mut graph = Self {
            nodes: vec![Node::new(None)],
            ownerships: Vec::new(),
            processes: Vec::new(),
            left_out: 0,
        };
        let mut by_id: FxHashMap<u64, usize> = FxHashMap::default();
        for (&pid, dump) in dumps {
            let root = graph.push(None);
            graph.processes.push((pid, root));
            for (path, node) in &dump.nodes {
                graph.add(root, path, node, &mut by_id);
            }
        }
        for dump in dumps.values() {
            for (source, edge) in &dump.edges {
                // The owned memory counts for its node if the owner is unknown, and the reverse.
                let ends = by_id.get(source).zip(by_id.get(&edge.target));
                let Some((&source, &target)) = ends else { continue };
                let importance = edge.importance;
                graph.ownerships.push(Ownership { source, target, importance });
            }
        }
        graph.calculate();
        graph
    }

    fn push(&mut self, parent: Option<usize>) -> usize {
        self.nodes.push(Node::new(parent));
        self.nodes.len() - 1
    }

    /// Adds a node of a process. Global nodes that several processes dump are one.
    fn add(
        &mut self,
        root: usize,
        path: &str,
        dumped: &DumpedNode,
        by_id: &mut FxHashMap<u64, usize>,
    ) {
        let root = if path.starts_with(GLOBAL) { GLOBAL_ROOT } else { root };
        let shared = by_id.get(&dumped.id).copied().filter(|_| root == GLOBAL_ROOT);
        let Some(node) = shared.or_else(|| self.node_at(root, path)) else {
            self.left_out += 1;
            return;
        };
        self.nodes[node].add(dumped);
        if dumped.id != 0 {
            by_id.entry(dumped.id).or_insert(node);
        }
    }

    /// The node at a path, with all nodes above it.
    fn node_at(&mut self, root: usize, path: &str) -> Option<usize> {
        let names = || path.split('/').filter(|name| !name.is_empty());
        let levels = names().take(MAX_LEVELS + 1).count();
        let is_valid = path.len() <= MAX_PATH && (1..=MAX_LEVELS).contains(&levels);
        if !is_valid || self.nodes.len() + levels > MAX_NODES {
            return None;
        }
        Some(names().fold(root, |above, name| match self.nodes[above].children.get(name) {
            Some(&known) => known,
            None => {
                let node = self.push(Some(above));
                self.nodes[above].children.insert(name.to_owned(), node);
                node
            }
        }))
    }

    fn calculate(&mut self) {
        let order = self.order();
        let mut complete = Vec::with_capacity(order.len());
        for node in order {
            complete.extend(self.set_size(node));
            complete.push(node);
        }
        complete.iter().for_each(|&node| self.set_parts(node));
        complete.iter().for_each(|&node| self.set_shares(node));
        complete.iter().rev().for_each(|&node| self.set_total_shares(node));
        complete.iter().for_each(|&node| self.set_effective_size(node));
    }

    /// The nodes, each behind its children and its owners. Ownerships that contradict any such
    /// order are left out.
    fn order(&mut self) -> Vec<usize> {
        self.link();
        let mut targets: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for Ownership { source, target, .. } in &self.ownerships {
            targets[*source].push(*target);
        }
        let mut waits_for: Vec<usize> =
            self.nodes.iter().map(|node| node.children.len() + node.owners.len()).collect();
        let mut order: Vec<usize> =
            (0..self.nodes.len()).filter(|&node| waits_for[node] == 0).collect();
        let mut next = 0;
        loop {
            while let Some(&node) = order.get(next) {
                next += 1;
                for &above in self.nodes[node].parent.iter().chain(&targets[node]) {
                    waits_for[above] -= 1;
                    if waits_for[above] == 0 {
                        order.push(above);
                    }
                }
            }
            if order.len() == self.nodes.len() {
                return order;
            }
            // The rest has ownerships in a circle: without those, it is a forest.
            let waits = |node: usize| waits_for[node] > 0;
            let before = self.ownerships.len();
            self.ownerships.retain(|it| !(waits(it.source) && waits(it.target)));
            self.left_out += (before - self.ownerships.len()) as u64;
            self.link();
            targets.iter_mut().for_each(Vec::clear);
            let mut open = vec![0; self.nodes.len()];
            for (node, parent) in self.nodes.iter().enumerate().map(|(at, it)| (at, it.parent)) {
                if let Some(parent) = parent.filter(|_| waits(node)) {
                    open[parent] += 1;
                }
            }
            let free = (0..self.nodes.len()).filter(|&node| waits(node) && open[node] == 0);
            order.extend(free);
            waits_for = open;
        }
    }

    /// Notes at each node what it owns, and its owners.
    fn link(&mut self) {
        for node in &mut self.nodes {
            (node.owns, node.owners) = (None, Vec::new());
        }
        for &Ownership { source, target, importance } in &self.ownerships {
            self.nodes[source].owns = Some(target);
            self.nodes[target].owners.push((source, importance));
        }
    }

    /// Sets the size of a node to the greatest of what was recorded, the sizes of its children
    /// together, and the size of its largest owner. Returns the child that stands for the part which
    /// the others do not explain.
    fn set_size(&mut self, at: usize) -> Option<usize> {
        let node = &self.nodes[at];
        let children = node.children.values();
        let of_children =
            children.map(|&child| self.size_within(at, child)).reduce(u64::saturating_add);
        let of_owners = node.owners.iter().filter_map(|&(owner, _)| self.nodes[owner].size).max();
        let size = node.size.into_iter().chain(of_children).chain(of_owners).max();
        let unexplained = size.unwrap_or_default() - of_children.unwrap_or_default();
        let has_rest = unexplained > 0
            && !node.children.is_empty()
            && !node.children.contains_key(UNSPECIFIED);
        self.nodes[at].size = size;
        has_rest.then(|| {
            let rest = self.push(Some(at));
            self.nodes[rest].size = Some(unexplained);
            self.nodes[at].children.insert(UNSPECIFIED.to_owned(), rest);
            rest
        })
    }

    /// The size of a node below `top`, without what is owned by nodes there: that counts already.
    fn size_within(&self, top: usize, node: usize) -> u64 {
        let mut size: u64 = 0;
        let mut open = vec![node];
        while let Some(at) = open.pop() {
            let node = &self.nodes[at];
            if node.owns.is_some_and(|owned| self.is_within(owned, top)) {
                continue;
            }
            if node.children.is_empty() {
                size = size.saturating_add(node.size.unwrap_or_default());
            }
            open.extend(node.children.values());
        }
        size
    }

    /// Whether a node is `top` or lies below it.
    fn is_within(&self, node: usize, top: usize) -> bool {
        let mut above = Some(node);
        while let Some(at) = above {
            if at == top {
                return true;
            }
            above = self.nodes[at].parent;
        }
        false
    }

    /// Sets the parts of a size that are not owned, and that do not own.
    fn set_parts(&mut self, at: usize) {
        let node = &self.nodes[at];
        let Some(size) = node.size else { return };
        let (mut not_owning, mut not_owned): (u64, u64) = (0, 0);
        for child in node.children.values().map(|&child| &self.nodes[child]) {
            if child.owns.is_none() {
                not_owning = not_owning.saturating_add(child.not_owning);
            }
            let owners = child.owners.iter().map(|&(owner, _)| self.nodes[owner].size);
            let part = match owners.map(Option::unwrap_or_default).max() {
                None => child.not_owned,
                Some(largest) => child.size.unwrap_or_default().saturating_sub(largest),
            };
            not_owned = not_owned.saturating_add(part);
        }
        let is_leaf = node.children.is_empty();
        let node = &mut self.nodes[at];
        (node.not_owning, node.not_owned) =
            if is_leaf { (size, size) } else { (not_owning, not_owned) };
    }

    /// Divides the memory of a node among its owners: those of the greatest importance take theirs
    /// first, and owners of one importance share what they have in common.
    fn set_shares(&mut self, at: usize) {
        let node = &self.nodes[at];
        if node.size.is_none() || node.owners.is_empty() {
            return;
        }
        let mut owners: Vec<(i32, u64, usize)> = node
            .owners
            .iter()
            .map(|&(owner, importance)| (importance, self.nodes[owner].not_owning, owner))
            .collect();
        owners.sort_by_key(|&(importance, size, _)| (std::cmp::Reverse(importance), size));
        let mut taken: u64 = 0;
        for equals in owners.chunk_by(|one, other| one.0 == other.0) {
            let mut of_each = 0.0;
            for (index, &(_, size, owner)) in equals.iter().enumerate() {
                if size > taken {
                    of_each += (size - taken) as f64 / (equals.len() - index) as f64;
                    taken = size;
                }
                if size != 0 {
                    self.nodes[owner].owning_share = of_each / size as f64;
                }
            }
        }
        let node = &mut self.nodes[at];
        if node.not_owned != 0 {
            let rest = node.not_owned.saturating_sub(taken);
            node.owned_share = rest as f64 / node.not_owned as f64;
        }
    }

    /// Sets the shares of a node from those of its parent and of what it owns.
    fn set_total_shares(&mut self, at: usize) {
        let node = &self.nodes[at];
        if node.size.is_none() {
            return;
        }
        let parent = node.parent.map(|parent| &self.nodes[parent]);
        let owned = node.owned_share * parent.map_or(1.0, |parent| parent.total_owned_share);
        let owning = match node.owns {
            Some(target) => node.owning_share * self.nodes[target].total_owning_share,
            None => parent.map_or(1.0, |parent| parent.total_owning_share),
        };
        let node = &mut self.nodes[at];
        (node.total_owned_share, node.total_owning_share) = (owned, owning);
    }

    /// Sets the effective size of a node, unless it was recorded.
    fn set_effective_size(&mut self, at: usize) {
        let node = &self.nodes[at];
        let effective = match node.size {
            None => None,
            Some(size) if node.children.is_empty() => {
                Some((size as f64 * node.total_owning_share * node.total_owned_share) as u64)
            }
            Some(_) => {
                let children = node.children.values().map(|&child| &self.nodes[child]);
                let sizes = children.filter_map(|child| child.effective_size);
                Some(sizes.fold(0, u64::saturating_add))
            }
        };
        let node = &mut self.nodes[at];
        node.effective_size = effective.map(|effective| node.effective_size.unwrap_or(effective));
    }
}

#[cfg(test)]
mod tests;
