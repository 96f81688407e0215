//! A directed graph in memory that is linear in its edges, however large the nodes' ids are.

use rustc_hash::FxHashMap;

/// The edges of each node, in the order they were added.
pub(super) struct Graph {
    ids: Vec<i64>,
    nodes: FxHashMap<i64, u32>,
    /// Where in `targets` the edges of each node start; one more than there are nodes.
    starts: Vec<u32>,
    targets: Vec<u32>,
    /// Which of the edges, as they were given, each of `targets` is.
    edges: Vec<u32>,
}

impl Graph {
    /// The graph of edges from `sources` to `dests`.
    pub(super) fn of(sources: &[i64], dests: &[i64]) -> Self {
        let mut graph = Self {
            ids: Vec::new(),
            nodes: FxHashMap::default(),
            starts: Vec::new(),
            targets: Vec::new(),
            edges: Vec::new(),
        };
        let ends = sources.iter().zip(dests);
        let ends: Vec<(u32, u32)> =
            ends.map(|(&from, &to)| (graph.intern(from), graph.intern(to))).collect();
        graph.starts = vec![0; graph.ids.len() + 1];
        for &(from, _) in &ends {
            graph.starts[from as usize + 1] += 1;
        }
        for node in 1..graph.starts.len() {
            graph.starts[node] += graph.starts[node - 1];
        }
        let mut next = graph.starts.clone();
        graph.targets = vec![0; ends.len()];
        graph.edges = vec![0; ends.len()];
        for (edge, (from, to)) in (0u32..).zip(ends) {
            let place = &mut next[from as usize];
            graph.targets[*place as usize] = to;
            graph.edges[*place as usize] = edge;
            *place += 1;
        }
        graph
    }

    fn intern(&mut self, id: i64) -> u32 {
        let ids = &mut self.ids;
        *self.nodes.entry(id).or_insert_with(|| {
            ids.push(id);
            u32::try_from(ids.len() - 1).unwrap_or(u32::MAX)
        })
    }

    /// How many nodes there are; they are numbered from 0.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The node with an id.
    pub(super) fn node(&self, id: i64) -> Option<u32> {
        self.nodes.get(&id).copied()
    }

    /// The id of a node.
    pub(super) fn id(&self, node: u32) -> i64 {
        self.ids[node as usize]
    }

    /// Where a node's edges lead.
    pub(super) fn successors(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.targets[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// A node's edges, as they were numbered when given, and where each leads.
    pub(super) fn edges(&self, node: u32) -> impl DoubleEndedIterator<Item = (u32, u32)> {
        let range = self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize;
        self.edges[range.clone()].iter().copied().zip(self.targets[range].iter().copied())
    }
}
