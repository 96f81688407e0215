//! `__intrinsic_dominator_tree(source, dest, root)`: for each node the last one that every path
//! from the root to it goes through.
//!
//! By Lengauer and Tarjan: nodes are numbered in the order of a depth-first search; a node's
//! semidominator is the smallest number from which it can be reached over larger ones; from
//! these follow the dominators. Paths in the forest of nodes done are shortened as they are
//! walked, which keeps the time near linear in the edges. Nothing recurses.

use datafusion::arrow::array::ArrayRef;
use datafusion::common::{Result, exec_err};

use super::graph::Graph;
use crate::functions::pointers::table::{integers, to_column, to_nullable_column};

const NONE: u32 = u32::MAX;

/// The nodes in the order of the search, each with its dominator.
pub(super) fn dominator_tree(columns: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
    let (sources, dests) = (integers(columns, 0)?, integers(columns, 1)?);
    let root = integers(columns, 2)?.first().copied().unwrap_or_default();
    let graph = Graph::of(&sources, &dests);
    let Some(root) = graph.node(root) else {
        return exec_err!("dominator_tree: root node is not in the graph");
    };
    let tree = Numbered::of(&graph, root);
    if tree.nodes.len() <= 1 {
        return exec_err!("dominator_tree: non empty graph must contain root and another node");
    }
    let ids: Vec<i64> = tree.nodes.iter().map(|&node| graph.id(node)).collect();
    let dominators = Dominators::of(&graph, &tree);
    let id = |&number: &u32| ids.get(number as usize).copied();
    let dominators = dominators.iter().map(id).collect();
    Ok(vec![to_column(ids.clone()), to_nullable_column(dominators)])
}

/// The nodes that can be reached, numbered in the order of a depth-first search.
struct Numbered {
    /// The node of each number.
    nodes: Vec<u32>,
    /// The number of each node.
    numbers: Vec<u32>,
    /// The number that each number was reached from.
    parents: Vec<u32>,
}

impl Numbered {
    fn of(graph: &Graph, root: u32) -> Self {
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

/// The forest of the numbers done, from the largest down.
struct Dominators {
    semi: Vec<u32>,
    /// Where the path towards the root goes on; `NONE` for the root of a tree of the forest.
    ancestor: Vec<u32>,
    /// The number of the smallest semidominator on the path so far.
    best: Vec<u32>,
    path: Vec<u32>,
}

impl Dominators {
    /// The dominator of each number; `NONE` for the root's.
    fn of(graph: &Graph, tree: &Numbered) -> Vec<u32> {
        let count = tree.nodes.len();
        let all: Vec<u32> = (0u32..).take(count).collect();
        let predecessors = predecessors(graph, tree);
        let mut forest =
            Self { semi: all.clone(), ancestor: vec![NONE; count], best: all, path: Vec::new() };
        let mut dominators = vec![NONE; count];
        // The numbers that wait for their dominator, linked, by their semidominator.
        let (mut first_waiting, mut next_waiting) = (vec![NONE; count], vec![NONE; count]);
        for number in (1..count as u32).rev() {
            let at = number as usize;
            for &before in predecessors.successors_of(number) {
                let reached = forest.smallest(before);
                forest.semi[at] = forest.semi[at].min(forest.semi[reached as usize]);
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
    fn smallest(&mut self, number: u32) -> u32 {
        let mut at = number;
        while self.ancestor[at as usize] != NONE {
            self.path.push(at);
            at = self.ancestor[at as usize];
        }
        // The one below the root is as short as can be; from it downwards the others are cut.
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

/// The numbers that lead to each number.
struct Predecessors {
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

impl Predecessors {
    fn successors_of(&self, number: u32) -> &[u32] {
        let number = number as usize;
        &self.numbers[self.starts[number] as usize..self.starts[number + 1] as usize]
    }
}

fn predecessors(graph: &Graph, tree: &Numbered) -> Predecessors {
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
    Predecessors { starts, numbers }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dominators(edges: &[(i64, i64)], root: i64) -> Vec<(i64, i64)> {
        let (from, to): (Vec<i64>, Vec<i64>) = edges.iter().copied().unzip();
        let graph = Graph::of(&from, &to);
        let tree = Numbered::of(&graph, graph.node(root).unwrap());
        let found = Dominators::of(&graph, &tree);
        let id = |number: u32| tree.nodes.get(number as usize).map_or(-1, |&node| graph.id(node));
        (0u32..).zip(found).map(|(number, of)| (id(number), id(of))).collect()
    }

    #[test]
    fn both_ways_round_meet_below_what_they_left() {
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
        assert!(found[1..].iter().all(|&(node, of)| of == node - 1));
    }

    /// A node dominates another if that cannot be reached without it.
    #[test]
    fn dominators_are_what_cannot_be_avoided() {
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
                let avoids = |by: i64| reached(by).contains(&node);
                let strict: Vec<i64> =
                    all.iter().copied().filter(|&by| by != node && !avoids(by)).collect();
                assert!(strict.contains(&dominator), "{edges:?}: {dominator} of {node}");
                // The last: every other one dominates it too.
                for by in strict {
                    assert!(by == dominator || !reached(by).contains(&dominator), "{edges:?}");
                }
            }
        }
    }
}
