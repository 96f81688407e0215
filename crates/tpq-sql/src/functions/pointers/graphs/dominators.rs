//! `__intrinsic_dominator_tree(source, dest, root)`: the immediate dominator of each node, which is
//! the last node that all paths from the root to the node have in common.
//!
//! The algorithm is that of Lengauer and Tarjan. Nodes are numbered in the order of a depth-first
//! search. The semidominator of a node is the smallest number with a path to the node over larger
//! numbers; the dominators follow from the semidominators. Path compression in the forest of
//! processed nodes keeps the time nearly linear in the edges. There is no recursion.

use datafusion::arrow::array::ArrayRef;
use datafusion::common::{Result, exec_err};

use super::graph::Graph;
use crate::functions::pointers::table::{integers, to_column, to_nullable_column};

const NONE: u32 = u32::MAX;

/// Computes the reachable nodes in the order of the search, each with its dominator.
pub(super) fn dominator_tree(columns: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
    let (sources, dests) = (integers(columns, 0)?, integers(columns, 1)?);
    let root = integers(columns, 2)?.first().copied().unwrap_or_default();
    let graph = Graph::from_edges(&sources, &dests);
    let Some(root) = graph.node(root) else {
        return exec_err!("dominator_tree: root node is not in the graph");
    };
    let tree = SearchTree::new(&graph, root);
    if tree.nodes.len() <= 1 {
        return exec_err!("dominator_tree: non empty graph must contain root and another node");
    }
    let ids: Vec<i64> = tree.nodes.iter().map(|&node| graph.id(node)).collect();
    let dominators = Forest::dominators(&graph, &tree);
    let id = |&number: &u32| ids.get(number as usize).copied();
    let dominators = dominators.iter().map(id).collect();
    Ok(vec![to_column(ids.clone()), to_nullable_column(dominators)])
}

/// The reachable nodes, numbered in the order of a depth-first search.
struct SearchTree {
    /// The node with each number.
    nodes: Vec<u32>,
    /// The number of each node; `NONE` for nodes that are not reachable.
    numbers: Vec<u32>,
    /// The number of the parent in the search, by number; `NONE` for the root.
    parents: Vec<u32>,
}

impl SearchTree {
    fn new(graph: &Graph, root: u32) -> Self {
        let mut nodes = Vec::new();
        let mut parents = Vec::new();
        let mut numbers = vec![NONE; graph.len()];
        let mut stack = vec![(root, NONE)];
        while let Some((node, parent)) = stack.pop() {
            if numbers[node as usize] != NONE {
                continue;
            }
            let number = nodes.len() as u32;
            numbers[node as usize] = number;
            nodes.push(node);
            parents.push(parent);
            let next = graph.successors(node).iter().rev();
            let next = next.filter(|&&next| numbers[next as usize] == NONE);
            stack.extend(next.map(|&next| (next, number)));
        }
        Self { nodes, numbers, parents }
    }
}

/// The forest of the processed numbers; numbers are processed in descending order.
struct Forest {
    /// The semidominator of each number.
    semi: Vec<u32>,
    /// The next number on the compressed path to the root; `NONE` for the root of a tree.
    ancestor: Vec<u32>,
    /// The number with the smallest semidominator on the compressed part of the path.
    best: Vec<u32>,
    /// Buffer for the path that is compressed.
    path: Vec<u32>,
}

impl Forest {
    /// Computes the dominator of each number; `NONE` for the root.
    fn dominators(graph: &Graph, tree: &SearchTree) -> Vec<u32> {
        let count = tree.nodes.len();
        let all: Vec<u32> = (0u32..).take(count).collect();
        let predecessors = Predecessors::new(graph, tree);
        let mut forest =
            Self { semi: all.clone(), ancestor: vec![NONE; count], best: all, path: Vec::new() };
        let mut dominators = vec![NONE; count];
        // Linked lists of the numbers without a dominator yet, by their semidominator.
        let (mut first_waiting, mut next_waiting) = (vec![NONE; count], vec![NONE; count]);
        for number in (1..count as u32).rev() {
            let at = number as usize;
            for &predecessor in predecessors.get(number) {
                let smallest = forest.smallest(predecessor);
                forest.semi[at] = forest.semi[at].min(forest.semi[smallest as usize]);
            }
            let semi = forest.semi[at] as usize;
            next_waiting[at] = std::mem::replace(&mut first_waiting[semi], number);
            let parent = tree.parents[at];
            forest.ancestor[at] = parent;
            let mut waiting = std::mem::replace(&mut first_waiting[parent as usize], NONE);
            while waiting != NONE {
                let smallest = forest.smallest(waiting);
                let smaller = forest.semi[smallest as usize] < forest.semi[waiting as usize];
                dominators[waiting as usize] = if smaller { smallest } else { parent };
                waiting = next_waiting[waiting as usize];
            }
        }
        for number in 1..count {
            if dominators[number] != forest.semi[number] {
                dominators[number] = dominators[dominators[number] as usize];
            }
        }
        dominators
    }

    /// The number with the smallest semidominator between `number` and the root of its tree.
    /// Compresses the path between them.
    fn smallest(&mut self, number: u32) -> u32 {
        let mut at = number;
        while self.ancestor[at as usize] != NONE {
            self.path.push(at);
            at = self.ancestor[at as usize];
        }
        // The last number on the path is a child of the root, so its path is already compressed.
        self.path.pop();
        while let Some(at) = self.path.pop() {
            let at = at as usize;
            let above = self.ancestor[at] as usize;
            if self.semi[self.best[above] as usize] < self.semi[self.best[at] as usize] {
                self.best[at] = self.best[above];
            }
            self.ancestor[at] = self.ancestor[above];
        }
        self.best[number as usize]
    }
}

/// The predecessors of each number.
struct Predecessors {
    /// The index in `numbers` of the first predecessor of each number, and the end of the last.
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

impl Predecessors {
    fn new(graph: &Graph, tree: &SearchTree) -> Self {
        let mut starts = vec![0u32; tree.nodes.len() + 1];
        let edges = || {
            let from = (0u32..).zip(&tree.nodes);
            from.flat_map(|(number, &node)| {
                let targets = graph.successors(node).iter();
                targets.map(move |&target| (number, tree.numbers[target as usize] as usize))
            })
        };
        for (_, to) in edges() {
            starts[to + 1] += 1;
        }
        for number in 1..starts.len() {
            starts[number] += starts[number - 1];
        }
        let mut next = starts.clone();
        let mut numbers = vec![0; starts.last().copied().unwrap_or_default() as usize];
        for (from, to) in edges() {
            numbers[next[to] as usize] = from;
            next[to] += 1;
        }
        Self { starts, numbers }
    }

    /// The predecessors of a number.
    fn get(&self, number: u32) -> &[u32] {
        let number = number as usize;
        &self.numbers[self.starts[number] as usize..self.starts[number + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dominators(edges: &[(i64, i64)], root: i64) -> Vec<(i64, i64)> {
        let (from, to): (Vec<i64>, Vec<i64>) = edges.iter().copied().unzip();
        let graph = Graph::from_edges(&from, &to);
        let tree = SearchTree::new(&graph, graph.node(root).unwrap());
        let found = Forest::dominators(&graph, &tree);
        let id = |number: u32| tree.nodes.get(number as usize).map_or(-1, |&node| graph.id(node));
        (0u32..).zip(found).map(|(number, dominator)| (id(number), id(dominator))).collect()
    }

    #[test]
    fn a_node_on_two_paths_is_dominated_by_their_last_common_node() {
        // 1 → 2 → 4 → 5, 1 → 3 → 4
        let found = dominators(&[(1, 2), (1, 3), (2, 4), (3, 4), (4, 5)], 1);
        assert_eq!(found, [(1, -1), (2, 1), (4, 1), (5, 4), (3, 1)]);
    }

    #[test]
    fn the_example_of_the_paper() {
        // R=0, A=1 … L=12, as in figure 1 of Lengauer and Tarjan.
        let edges = [
            (0, 1),
            (0, 2),
            (0, 3),
            (1, 4),
            (2, 1),
            (2, 4),
            (2, 5),
            (3, 6),
            (3, 7),
            (4, 12),
            (5, 8),
            (6, 9),
            (7, 9),
            (7, 10),
            (8, 5),
            (8, 11),
            (9, 11),
            (10, 9),
            (11, 9),
            (11, 0),
            (12, 8),
        ];
        let mut found = dominators(&edges, 0);
        found.sort_unstable();
        let expected = [
            (0, -1),
            (1, 0),
            (2, 0),
            (3, 0),
            (4, 0),
            (5, 0),
            (6, 3),
            (7, 3),
            (8, 0),
            (9, 0),
            (10, 7),
            (11, 0),
            (12, 4),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let edges: Vec<_> = (0..100_000).map(|node| (node, node + 1)).collect();
        let found = dominators(&edges, 0);
        assert!(found[1..].iter().all(|&(node, dominator)| dominator == node - 1));
    }

    /// Compares with the definition: a node dominates another if all paths to that one contain it.
    #[test]
    fn dominators_match_their_definition() {
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut below = |end: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            i64::try_from(state % end).unwrap()
        };
        for _ in 0..200 {
            let nodes = 2 + below(8) as u64;
            let mut edges = vec![(0, 1)];
            edges.extend((0..below(20)).map(|_| (below(nodes), below(nodes))));
            let reached = |without: i64| {
                let mut seen = vec![0];
                let mut at = 0;
                while at < seen.len() && without != 0 {
                    let from = seen[at];
                    let next = edges.iter().filter(|edge| edge.0 == from && edge.1 != without);
                    let next: Vec<i64> = next.map(|edge| edge.1).collect();
                    next.into_iter().for_each(|to| {
                        if !seen.contains(&to) {
                            seen.push(to)
                        }
                    });
                    at += 1;
                }
                if without == 0 { Vec::new() } else { seen }
            };
            let all = reached(-1);
            for (node, dominator) in dominators(&edges, 0) {
                if node == 0 {
                    continue;
                }
                let is_avoidable = |other: i64| reached(other).contains(&node);
                let strict: Vec<i64> = all
                    .iter()
                    .copied()
                    .filter(|&other| other != node && !is_avoidable(other))
                    .collect();
                assert!(strict.contains(&dominator), "{edges:?}: {dominator} of {node}");
                // The immediate dominator is dominated by all other dominators.
                for other in strict {
                    let dominates = !reached(other).contains(&dominator);
                    assert!(other == dominator || dominates, "{edges:?}");
                }
            }
        }
    }
}
