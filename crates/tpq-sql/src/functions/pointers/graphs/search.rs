//! `__intrinsic_dfs(graph, starts)` and `__intrinsic_bfs(graph, starts)`: the reachable nodes in
//! the order of a depth-first or breadth-first search, each with its parent in the search.

use std::collections::VecDeque;

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::{DataType, Fields};
use datafusion::common::Result;
use rustc_hash::FxHashSet;

use super::graph::Graph;
use crate::functions::pointers::operator::{Operand, OperandType, TableOperator, wrong_operands};
use crate::functions::pointers::table::{integer, integers, to_column, to_nullable_column};

/// A search function, by the order in which it visits nodes.
#[derive(Debug)]
pub(super) enum Search {
    DepthFirst,
    BreadthFirst,
}

/// The visited nodes, and the parent of each in the search.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Visited {
    pub nodes: Vec<i64>,
    pub parents: Vec<Option<i64>>,
}

impl Visited {
    fn visit(&mut self, node: i64, parent: Option<i64>) {
        self.nodes.push(node);
        self.parents.push(parent);
    }
}

impl TableOperator for Search {
    fn name(&self) -> &'static str {
        match self {
            Self::DepthFirst => "__intrinsic_dfs",
            Self::BreadthFirst => "__intrinsic_bfs",
        }
    }

    fn columns(&self, operands: &[OperandType]) -> Result<Fields> {
        match operands {
            [graph, starts] if graph.is_table() && starts.is_table() => {
                Ok(Fields::from(vec![integer("node_id"), integer("parent_node_id")]))
            }
            _ => wrong_operands(self.name(), "a graph and an array of nodes to start from"),
        }
    }

    fn run(&self, operands: &[Operand]) -> Result<Option<Vec<ArrayRef>>> {
        let [graph, starts] = operands else { return Ok(None) };
        let (Some(graph), Some(starts)) = (graph.table(), starts.table()) else { return Ok(None) };
        // Starts that are not integers give no rows.
        if starts.first().is_none_or(|starts| starts.data_type() != &DataType::Int64) {
            return Ok(None);
        }
        let graph = Graph::from_edges(&integers(graph, 0)?, &integers(graph, 1)?);
        let starts = integers(starts, 0)?;
        let visited = match self {
            Self::DepthFirst => depth_first(&graph, &starts),
            Self::BreadthFirst => breadth_first(&graph, &starts),
        };
        Ok(Some(vec![to_column(visited.nodes), to_nullable_column(visited.parents)]))
    }
}

/// The node, if it is in the graph, and its id. A start that is not in the graph has no edges.
type NodeAndId = (Option<u32>, i64);

/// Searches from the last start to the first. Of several nodes with an edge to a node, the parent
/// is the one that the search follows first.
pub(super) fn depth_first(graph: &Graph, starts: &[i64]) -> Visited {
    let mut visited = Visited::default();
    let mut seen = vec![false; graph.len()];
    let mut outside = FxHashSet::default();
    let starts = starts.iter().map(|&id| ((graph.node(id), id), None));
    let mut stack: Vec<(NodeAndId, Option<i64>)> = starts.collect();
    while let Some(((node, id), parent)) = stack.pop() {
        let new = match node {
            Some(node) => !std::mem::replace(&mut seen[node as usize], true),
            None => outside.insert(id),
        };
        if !new {
            continue;
        }
        visited.visit(id, parent);
        let Some(node) = node else { continue };
        for &next in graph.successors(node).iter().rev() {
            if !seen[next as usize] {
                stack.push(((Some(next), graph.id(next)), Some(id)));
            }
        }
    }
    visited
}

/// Searches the nearest nodes first. The parent of a node is the first node with an edge to it.
pub(super) fn breadth_first(graph: &Graph, starts: &[i64]) -> Visited {
    let mut visited = Visited::default();
    let mut seen = vec![false; graph.len()];
    let mut outside = FxHashSet::default();
    let mut queue: VecDeque<(NodeAndId, Option<i64>)> = VecDeque::new();
    for &id in starts {
        let node = graph.node(id);
        let new = match node {
            Some(node) => !std::mem::replace(&mut seen[node as usize], true),
            None => outside.insert(id),
        };
        if new {
            queue.push_back(((node, id), None));
        }
    }
    while let Some(((node, id), parent)) = queue.pop_front() {
        visited.visit(id, parent);
        let Some(node) = node else { continue };
        for &next in graph.successors(node) {
            if !std::mem::replace(&mut seen[next as usize], true) {
                queue.push_back(((Some(next), graph.id(next)), Some(id)));
            }
        }
    }
    visited
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 → 2, 3; 2 → 4; 3 → 4; 4 → 1.
    fn graph() -> Graph {
        Graph::from_edges(&[1, 1, 2, 3, 4], &[2, 3, 4, 4, 1])
    }

    fn pairs(visited: Visited) -> Vec<(i64, Option<i64>)> {
        visited.nodes.into_iter().zip(visited.parents).collect()
    }

    #[test]
    fn depth_first_search_finishes_one_branch_before_the_next() {
        let found = pairs(depth_first(&graph(), &[1]));
        assert_eq!(found, [(1, None), (2, Some(1)), (4, Some(2)), (3, Some(1))]);
        // The last start is visited first; a start that is not in the graph has no edges.
        let found = pairs(depth_first(&graph(), &[9, 3, 9, 4]));
        let expected = [(4, None), (1, Some(4)), (2, Some(1)), (3, Some(1)), (9, None)];
        assert_eq!(found, expected);
    }

    #[test]
    fn breadth_first_search_visits_the_nearest_first() {
        let found = pairs(breadth_first(&graph(), &[1]));
        assert_eq!(found, [(1, None), (2, Some(1)), (3, Some(1)), (4, Some(2))]);
        let found = pairs(breadth_first(&graph(), &[3, 9, 3]));
        let expected = [(3, None), (9, None), (4, Some(3)), (1, Some(4)), (2, Some(1))];
        assert_eq!(found, expected);
    }
}
