//! The graph of clocks: nodes are clocks, edges the snapshots that read two of them together.

use std::collections::VecDeque;

use petgraph::graph::{DiGraph, EdgeIndex, NodeIndex};
use petgraph::visit::EdgeRef;
use rustc_hash::FxHashMap;

use crate::{Clock, Converter, Edge};

/// What one clock read in a snapshot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The clock.
    pub clock: Clock,
    /// What it read, in ns.
    pub ns: i64,
}

/// Why a snapshot cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The same clock was read twice in one snapshot.
    #[error("clock {} occurs twice in one snapshot", .0.id)]
    Duplicate(Clock),
}

/// Why a clock cannot be converted to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PathError {
    /// No snapshot ever read the source clock.
    #[error("clock {} was never read in a snapshot", .0.id)]
    UnknownSource(Clock),
    /// No snapshot ever read the target clock.
    #[error("clock {} was never read in a snapshot", .0.id)]
    UnknownTarget(Clock),
    /// No chain of snapshots leads from the one to the other.
    #[error("no chain of clock snapshots leads from clock {} to clock {}", .0.id, .1.id)]
    NoPath(Clock, Clock),
}

#[derive(Default)]
struct Node {
    went_backwards: bool,
}

/// All clocks of an import and what ties them.
#[derive(Default)]
pub struct ClockGraph {
    nodes: FxHashMap<Clock, NodeIndex>,
    graph: DiGraph<Node, Edge>,
    edges: FxHashMap<(NodeIndex, NodeIndex), EdgeIndex>,
}

impl ClockGraph {
    /// Adds what was read at one moment. Snapshots of the same clocks must come in the order they
    /// were taken.
    ///
    /// # Errors
    /// When a clock occurs twice; nothing is added then.
    pub fn add_snapshot(&mut self, readings: &[Reading]) -> Result<(), SnapshotError> {
        for (index, reading) in readings.iter().enumerate() {
            if readings[..index].iter().any(|other| other.clock == reading.clock) {
                return Err(SnapshotError::Duplicate(reading.clock));
            }
        }
        let nodes: Vec<NodeIndex> = readings.iter().map(|reading| self.node(reading)).collect();
        for (&from, from_reading) in nodes.iter().zip(readings) {
            for (&to, to_reading) in nodes.iter().zip(readings) {
                if from == to || self.graph[from].went_backwards {
                    continue;
                }
                let graph = &mut self.graph;
                let edge = *self
                    .edges
                    .entry((from, to))
                    .or_insert_with(|| graph.add_edge(from, to, Edge::default()));
                if !graph[edge].push(from_reading.ns, to_reading.ns) {
                    graph[from].went_backwards = true;
                }
            }
        }
        Ok(())
    }

    fn node(&mut self, reading: &Reading) -> NodeIndex {
        let graph = &mut self.graph;
        *self.nodes.entry(reading.clock).or_insert_with(|| graph.add_node(Node::default()))
    }

    /// Whether a clock occurs in a snapshot.
    pub fn contains(&self, clock: Clock) -> bool {
        self.nodes.contains_key(&clock)
    }

    /// Whether a clock was seen to go backwards, so that its readings are ambiguous.
    pub fn went_backwards(&self, clock: Clock) -> bool {
        self.nodes.get(&clock).is_some_and(|&node| self.graph[node].went_backwards)
    }

    /// The way from one clock to another over the fewest snapshots, by breadth-first search.
    ///
    /// # Errors
    /// When either clock is unknown or nothing leads from one to the other.
    pub fn converter(&self, from: Clock, to: Clock) -> Result<Converter, PathError> {
        if from == to {
            return Ok(Converter::default());
        }
        let source = *self.nodes.get(&from).ok_or(PathError::UnknownSource(from))?;
        let target = *self.nodes.get(&to).ok_or(PathError::UnknownTarget(to))?;
        let mut reached_by: FxHashMap<NodeIndex, (NodeIndex, EdgeIndex)> = FxHashMap::default();
        let mut queue = VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            if node == target {
                break;
            }
            if self.graph[node].went_backwards {
                continue;
            }
            for edge in self.graph.edges(node) {
                let next = edge.target();
                if next != source && !reached_by.contains_key(&next) {
                    reached_by.insert(next, (node, edge.id()));
                    queue.push_back(next);
                }
            }
        }
        let mut hops = Vec::new();
        let mut node = target;
        while node != source {
            let &(previous, edge) = reached_by.get(&node).ok_or(PathError::NoPath(from, to))?;
            hops.push(self.graph[edge].clone());
            node = previous;
        }
        hops.reverse();
        Ok(Converter::new(hops))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BOOTTIME, MONOTONIC, REALTIME};

    const CUSTOM: u32 = 200;

    fn clock(id: u32) -> Clock {
        Clock::new(0, 1, id)
    }

    fn graph(snapshots: &[&[(u32, i64)]]) -> ClockGraph {
        let mut graph = ClockGraph::default();
        for snapshot in snapshots {
            let readings: Vec<Reading> =
                snapshot.iter().map(|&(id, ns)| Reading { clock: clock(id), ns }).collect();
            graph.add_snapshot(&readings).unwrap();
        }
        graph
    }

    fn convert(graph: &ClockGraph, from: u32, to: u32, t: i64) -> i64 {
        graph.converter(clock(from), clock(to)).unwrap().convert_one(t)
    }

    #[test]
    fn the_latest_snapshot_not_after_applies() {
        let pairs = [(1000, 2000), (1100, 2100), (1200, 2200), (1900, 2900), (2000, 3500)];
        let snapshots: Vec<[(u32, i64); 2]> =
            pairs.iter().map(|&(mono, boot)| [(MONOTONIC, mono), (BOOTTIME, boot)]).collect();
        let graph = graph(&snapshots.iter().map(|s| &s[..]).collect::<Vec<_>>());
        assert_eq!(convert(&graph, MONOTONIC, BOOTTIME, 1104), 2104);
        assert_eq!(convert(&graph, MONOTONIC, BOOTTIME, 900), 1900, "before the first snapshot");
        assert_eq!(convert(&graph, MONOTONIC, BOOTTIME, 1999), 2999, "just before the suspend");
        assert_eq!(convert(&graph, MONOTONIC, BOOTTIME, 2050), 3550);
        assert_eq!(convert(&graph, BOOTTIME, MONOTONIC, 3550), 2050);
    }

    #[test]
    fn a_path_over_two_kinds_of_snapshots() {
        let graph = graph(&[
            &[(CUSTOM, 1000), (MONOTONIC, 1100)],
            &[(MONOTONIC, 1200), (BOOTTIME, 5200)],
            &[(CUSTOM, 3000), (MONOTONIC, 3200)],
            &[(MONOTONIC, 4000), (BOOTTIME, 9000)],
        ]);
        assert_eq!(convert(&graph, CUSTOM, MONOTONIC, 3503), 3703);
        assert_eq!(convert(&graph, CUSTOM, BOOTTIME, 3503), 7703);
    }

    #[test]
    fn a_clock_that_went_backwards_is_a_target_only() {
        let graph = graph(&[
            &[(BOOTTIME, 100), (REALTIME, 10_000)],
            &[(BOOTTIME, 200), (REALTIME, 10_100)],
            &[(BOOTTIME, 300), (REALTIME, 9_200)],
        ]);
        assert_eq!(convert(&graph, BOOTTIME, REALTIME, 310), 9_210);
        let back = graph.converter(clock(REALTIME), clock(BOOTTIME));
        assert_eq!(back.unwrap_err(), PathError::NoPath(clock(REALTIME), clock(BOOTTIME)));
    }

    #[test]
    fn sequence_clocks_of_two_sequences_are_two_clocks() {
        assert_ne!(Clock::new(0, 1, 64), Clock::new(0, 2, 64));
        assert_eq!(Clock::new(0, 1, 128), Clock::new(0, 2, 128));
        assert_ne!(Clock::new(0, 1, BOOTTIME), Clock::new(1, 1, BOOTTIME));
    }

    #[test]
    fn unknown_clocks_and_duplicates_are_told() {
        let mut graph = graph(&[&[(MONOTONIC, 1), (BOOTTIME, 2)]]);
        let unknown = graph.converter(clock(CUSTOM), clock(BOOTTIME)).unwrap_err();
        assert_eq!(unknown, PathError::UnknownSource(clock(CUSTOM)));
        let twice = Reading { clock: clock(BOOTTIME), ns: 5 };
        assert_eq!(graph.add_snapshot(&[twice, twice]), Err(SnapshotError::Duplicate(twice.clock)));
    }
}
