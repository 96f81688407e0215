//! A directed graph. Memory is linear in the edges; the values of the node ids do not matter.

use rustc_hash::FxHashMap;

/// A directed graph; the edges of each node keep their order.
pub(crate) struct Graph {
    /// The id of each node.
    ids: Vec<i64>,
    /// The node with each id.
    nodes: FxHashMap<i64, u32>,
    /// The index in `targets` of the first edge of each node, and the end of the last.
    starts: Vec<u32>,
    /// The target node of each edge, grouped by source node.
    targets: Vec<u32>,
    /// The index in the input of each edge in `targets`.
    edges: Vec<u32>,
}

impl Graph {
    /// Makes a graph with an edge from each of `sources` to the one of `dests` with the same index.
    pub(crate) fn from_edges(sources: &[i64], dests: &[i64]) -> Self {
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
            let index = &mut next[from as usize];
            graph.targets[*index as usize] = to;
            graph.edges[*index as usize] = edge;
            *index += 1;
        }
        graph
    }

    /// Returns the node with an id; adds it if needed.
    fn intern(&mut self, id: i64) -> u32 {
        let ids = &mut self.ids;
        *self.nodes.entry(id).or_insert_with(|| {
            ids.push(id);
            u32::try_from(ids.len() - 1).unwrap_or(u32::MAX)
        })
    }

    /// The number of nodes; they are numbered from 0.
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The node with an id; `None` if no edge has it.
    pub(crate) fn node(&self, id: i64) -> Option<u32> {
        self.nodes.get(&id).copied()
    }

    /// The id of a node.
    pub(crate) fn id(&self, node: u32) -> i64 {
        self.ids[node as usize]
    }

    /// The targets of a node's edges.
    pub(crate) fn successors(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.targets[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// A node's edges: the index in the input and the target of each.
    pub(crate) fn edges(&self, node: u32) -> impl DoubleEndedIterator<Item = (u32, u32)> {
        let range = self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize;
        self.edges[range.clone()].iter().copied().zip(self.targets[range].iter().copied())
    }
}
