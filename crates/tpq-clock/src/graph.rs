//! The graph of clocks: nodes are clocks, edges are relations between two of them.

use std::collections::VecDeque;
use std::sync::Arc;

use petgraph::Direction;
use petgraph::graph::{DiGraph, EdgeIndex, NodeIndex};
use petgraph::visit::EdgeRef;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::route_cache::RouteCache;
use crate::{Clock, Converter, Edge, Interpolation, Source};

/// The reading of one clock in a snapshot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The clock.
    pub clock: Clock,
    /// The value: ns, or ticks of unknown length.
    pub value: i64,
    /// Whether the clock counts ticks of unknown length, so that only a measured rate converts it.
    pub ticks: bool,
}

impl Reading {
    /// Returns a reading in ns.
    pub fn ns(clock: Clock, value: i64) -> Self {
        Self { clock, value, ticks: false }
    }
}

/// The reason why a snapshot cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The same clock was read twice in one snapshot.
    #[error("clock {} occurs twice in one snapshot", .0.id)]
    Duplicate(Clock),
}

/// The reason why no chain of edges leads from one clock to another.
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
    pinned: bool,
}

#[cfg(test)]
thread_local! {
    /// The number of searches, for tests that check how much work an operation takes.
    pub(crate) static SEARCHES: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// All clocks of an import and the relations between them.
#[derive(Default)]
pub struct ClockGraph {
    nodes: FxHashMap<Clock, NodeIndex>,
    clocks: Vec<Clock>,
    graph: DiGraph<Node, Arc<Edge>>,
    edges: FxHashMap<(NodeIndex, NodeIndex), EdgeIndex>,
    /// Edges that were set by [`ClockGraph::set_offset`] rather than read in snapshots.
    stated: FxHashSet<EdgeIndex>,
    /// The sources that read their clocks themselves, with the clock of packets that name none.
    readers: FxHashMap<Source, u32>,
    /// Machines that are known to be different from each other.
    distinct: FxHashSet<u32>,
    interpolation: Interpolation,
}

/// The largest number of edges on a path. No recorder writes longer ones, and following them would
/// take unbounded time and memory.
const MAX_HOPS: usize = 64;

/// The paths from all clocks to one target clock.
pub struct ClockPaths {
    to: Clock,
    /// Nearest first; the first is the target itself.
    found: Vec<GraphPath>,
    index: FxHashMap<Clock, usize>,
    cache: RouteCache,
}

impl ClockPaths {
    /// The target clock.
    pub fn to(&self) -> Clock {
        self.to
    }

    pub(crate) fn get(&self, from: Clock) -> Option<&GraphPath> {
        self.index.get(&from).map(|&at| &self.found[at])
    }

    pub(crate) fn all(&self) -> &[GraphPath] {
        &self.found
    }

    /// The cache of routes to the target that go through other files.
    pub(crate) fn cache(&self) -> &RouteCache {
        &self.cache
    }
}

/// A path that a search found: a clock, and the edges between it and the start of the search.
#[derive(Clone)]
pub(crate) struct GraphPath {
    pub(crate) clock: Clock,
    /// The edges, in the order in which a conversion applies them.
    pub(crate) hops: Vec<Arc<Edge>>,
    /// The clocks that the edges connect, including both ends, in the same order.
    pub(crate) clocks: Vec<Clock>,
}

impl ClockGraph {
    /// Returns an empty graph. Its conversions use this interpolation between snapshots.
    pub fn new(interpolation: Interpolation) -> Self {
        Self { interpolation, ..Self::default() }
    }

    /// The interpolation that conversions use between snapshots.
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// Adds the readings of one moment. Snapshots of the same clocks must be added in the order in
    /// which they were taken.
    ///
    /// # Errors
    /// When a clock occurs twice; nothing is added then.
    pub fn add_snapshot(&mut self, readings: &[Reading]) -> Result<(), SnapshotError> {
        for (index, reading) in readings.iter().enumerate() {
            if readings[..index].iter().any(|other| other.clock == reading.clock) {
                return Err(SnapshotError::Duplicate(reading.clock));
            }
        }
        let nodes: Vec<NodeIndex> =
            readings.iter().map(|reading| self.node(reading.clock)).collect();
        for (&from, from_reading) in nodes.iter().zip(readings) {
            for (&to, to_reading) in nodes.iter().zip(readings) {
                if from == to || self.graph[from].went_backwards {
                    continue;
                }
                let edge = self.edge(from, to);
                if from_reading.ticks || to_reading.ticks {
                    edge.set_ticks();
                }
                if !edge.push(from_reading.value, to_reading.value) {
                    self.graph[from].went_backwards = true;
                }
            }
        }
        Ok(())
    }

    /// Sets the relation between two clocks and discards their common readings: when `from` reads
    /// t, `to` reads t + `offset`.
    pub fn set_offset(&mut self, from: Clock, to: Clock, offset: i64) {
        if from == to {
            return;
        }
        let [from, to] = [from, to].map(|clock| self.node(clock));
        for (from, to, pair) in [(from, to, (0, offset)), (to, from, (offset, 0))] {
            let edge = self.edge(from, to);
            *edge = Edge::default();
            edge.push(pair.0, pair.1);
            self.stated.extend(self.edges.get(&(from, to)));
        }
    }

    fn node(&mut self, clock: Clock) -> NodeIndex {
        let Self { nodes, clocks, graph, .. } = self;
        *nodes.entry(clock).or_insert_with(|| {
            clocks.push(clock);
            graph.add_node(Node::default())
        })
    }

    fn edge(&mut self, from: NodeIndex, to: NodeIndex) -> &mut Edge {
        let graph = &mut self.graph;
        let index = *self
            .edges
            .entry((from, to))
            .or_insert_with(|| graph.add_edge(from, to, Arc::new(Edge::default())));
        Arc::make_mut(&mut graph[index])
    }

    /// Notes that a source reads clocks itself, and the clock of its packets that name none.
    pub fn set_reader(&mut self, source: Source, default_clock: u32) {
        self.readers.insert(source, default_clock);
    }

    /// Notes machines that are different from each other for certain.
    pub fn set_distinct(&mut self, machines: impl IntoIterator<Item = u32>) {
        self.distinct.extend(machines);
    }

    /// Whether two clocks may be on the same machine without anything that says so.
    pub(crate) fn may_be_same_machine(&self, a: Clock, b: Clock) -> bool {
        let [a, b] = [a, b].map(|clock| clock.source.machine);
        a == b || !(self.distinct.contains(&a) && self.distinct.contains(&b))
    }

    /// Whether the readings of other files of a machine hold for a clock: they hold for files that
    /// read no clock themselves, and for the clock that a file is in.
    pub(crate) fn follows_other_files(&self, clock: Clock) -> bool {
        self.readers.get(&clock.source).is_none_or(|&default| clock.id == default)
    }

    /// Marks a clock with a stated offset to another clock, so that it is placed through that
    /// clock.
    pub fn set_pinned(&mut self, clock: Clock) {
        let node = self.node(clock);
        self.graph[node].pinned = true;
    }

    pub(crate) fn is_pinned(&self, clock: Clock) -> bool {
        self.nodes.get(&clock).is_some_and(|&node| self.graph[node].pinned)
    }

    /// Whether the graph has this clock.
    pub fn contains(&self, clock: Clock) -> bool {
        self.nodes.contains_key(&clock)
    }

    /// All clocks of the graph, in the order in which they were first read.
    pub fn clocks(&self) -> &[Clock] {
        &self.clocks
    }

    /// All edges of the graph: source clock, target clock and relation. Each direction is an edge
    /// of its own.
    pub fn edges(&self) -> impl Iterator<Item = (Clock, Clock, &Edge)> {
        self.graph.edge_references().map(|edge| {
            let (from, to) = (edge.source().index(), edge.target().index());
            (self.clocks[from], self.clocks[to], &**edge.weight())
        })
    }

    /// The relation from one clock to another, if they were ever read together.
    pub fn between(&self, from: Clock, to: Clock) -> Option<&Edge> {
        let ends = (*self.nodes.get(&from)?, *self.nodes.get(&to)?);
        self.graph.edge_weight(*self.edges.get(&ends)?).map(|edge| &**edge)
    }

    /// Whether a clock was seen to go backwards, so that its readings are ambiguous.
    pub fn went_backwards(&self, clock: Clock) -> bool {
        self.nodes.get(&clock).is_some_and(|&node| self.graph[node].went_backwards)
    }

    /// Returns the converter along the path with the fewest edges, found by breadth-first search.
    ///
    /// # Errors
    /// When either clock is unknown or no path leads from one to the other.
    pub fn converter(&self, from: Clock, to: Clock) -> Result<Converter, PathError> {
        Ok(Converter::new(self.path(from, to)?.hops, self.interpolation))
    }

    /// Returns the path that [`Self::converter`] uses.
    pub(crate) fn path(&self, from: Clock, to: Clock) -> Result<GraphPath, PathError> {
        let path = self.paths_to(to).get(from).cloned();
        path.ok_or_else(|| self.no_path_error(from, to))
    }

    /// The reason why no path leads from one clock to another.
    pub(crate) fn no_path_error(&self, from: Clock, to: Clock) -> PathError {
        match (self.contains(from), self.contains(to)) {
            (false, _) => PathError::UnknownSource(from),
            (_, false) => PathError::UnknownTarget(to),
            _ => PathError::NoPath(from, to),
        }
    }

    /// Finds the paths from all clocks to one.
    pub fn paths_to(&self, to: Clock) -> ClockPaths {
        let found = self.search(to, Direction::Incoming);
        let index = (0..).zip(&found).map(|(at, path)| (path.clock, at)).collect();
        ClockPaths { to, found, index, cache: RouteCache::default() }
    }

    /// Returns the paths to all clocks that `from` converts to, nearest first; the first is `from`
    /// itself.
    pub(crate) fn paths_from(&self, from: Clock) -> Vec<GraphPath> {
        self.search(from, Direction::Outgoing)
    }

    /// Searches the graph breadth-first from `start`. Returns the paths found, nearest first; the
    /// first is `start` itself.
    pub(crate) fn search(&self, start: Clock, direction: Direction) -> Vec<GraphPath> {
        #[cfg(test)]
        SEARCHES.set(SEARCHES.get() + 1);
        let mut found = vec![GraphPath { clock: start, hops: Vec::new(), clocks: vec![start] }];
        let Some(&node) = self.nodes.get(&start) else { return found };
        let mut seen: FxHashMap<NodeIndex, ()> = FxHashMap::from_iter([(node, ())]);
        let mut queue = VecDeque::from([(node, 0)]);
        while let Some((node, index)) = queue.pop_front() {
            if found[index].hops.len() == MAX_HOPS {
                break;
            }
            for edge in self.usable_edges(node, direction) {
                let next = match direction {
                    Direction::Outgoing => edge.target(),
                    Direction::Incoming => edge.source(),
                };
                if seen.insert(next, ()).is_some() {
                    continue;
                }
                let clock = self.clocks[next.index()];
                let GraphPath { mut hops, mut clocks, .. } = found[index].clone();
                let (hop, clock_at) = match direction {
                    Direction::Outgoing => (hops.len(), clocks.len()),
                    Direction::Incoming => (0, 0),
                };
                hops.insert(hop, Arc::clone(edge.weight()));
                clocks.insert(clock_at, clock);
                queue.push_back((next, found.len()));
                found.push(GraphPath { clock, hops, clocks });
            }
        }
        found
    }

    /// The edges of a node that conversions may use, in the order in which they were added. A clock
    /// that went backwards is a source only of edges that were set.
    fn usable_edges(
        &self,
        node: NodeIndex,
        direction: Direction,
    ) -> Vec<petgraph::graph::EdgeReference<'_, Arc<Edge>>> {
        let mut edges: Vec<_> = self
            .graph
            .edges_directed(node, direction)
            .filter(|edge| {
                let ambiguous = self.graph[edge.source()].went_backwards;
                edge.weight().can_convert() && (!ambiguous || self.stated.contains(&edge.id()))
            })
            .collect();
        edges.sort_by_key(|edge| edge.id());
        edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BOOTTIME, MONOTONIC, REALTIME, Source, TSC};

    const CUSTOM: u32 = 200;

    fn clock(id: u32) -> Clock {
        Clock::new(Source::default(), 1, id)
    }

    fn graph(snapshots: &[&[(u32, i64)]]) -> ClockGraph {
        let mut graph = ClockGraph::default();
        for snapshot in snapshots {
            let readings: Vec<Reading> = snapshot
                .iter()
                .map(|&(id, value)| Reading { clock: clock(id), value, ticks: id == TSC })
                .collect();
            graph.add_snapshot(&readings).unwrap();
        }
        graph
    }

    fn convert(graph: &ClockGraph, from: u32, to: u32, t: i64) -> i64 {
        graph.converter(clock(from), clock(to)).unwrap().convert_one(t)
    }

    #[test]
    fn the_latest_snapshot_that_is_not_later_applies() {
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
    fn a_clock_that_went_backwards_is_no_step_of_a_path() {
        let graph = graph(&[
            &[(CUSTOM, 10), (REALTIME, 10_000)],
            &[(CUSTOM, 20), (REALTIME, 9_000)],
            &[(REALTIME, 9_500), (BOOTTIME, 300)],
        ]);
        let through = graph.converter(clock(CUSTOM), clock(BOOTTIME));
        assert_eq!(through.unwrap_err(), PathError::NoPath(clock(CUSTOM), clock(BOOTTIME)));
    }

    #[test]
    fn ticks_convert_by_their_measured_rate() {
        // 2 ticks per ns. One pair of readings is not enough to measure this.
        let one = graph(&[&[(TSC, 2_000), (BOOTTIME, 100)]]);
        assert!(one.converter(clock(TSC), clock(BOOTTIME)).is_err());
        let two = graph(&[&[(TSC, 2_000), (BOOTTIME, 100)], &[(TSC, 4_000), (BOOTTIME, 1_100)]]);
        assert_eq!(convert(&two, TSC, BOOTTIME, 3_000), 600);
        assert_eq!(convert(&two, TSC, BOOTTIME, 5_000), 1_600);
        assert_eq!(convert(&two, TSC, BOOTTIME, 1_000), -400);
    }

    #[test]
    fn a_set_offset_replaces_readings() {
        let mut graph = graph(&[&[(MONOTONIC, 100), (BOOTTIME, 500)]]);
        graph.set_offset(clock(MONOTONIC), clock(BOOTTIME), -10);
        assert_eq!(convert(&graph, MONOTONIC, BOOTTIME, 100), 90);
        assert_eq!(convert(&graph, BOOTTIME, MONOTONIC, 90), 100);
    }

    #[test]
    fn sequence_clocks_of_two_sequences_are_two_clocks() {
        let [here, there] = [0, 1].map(|machine| Source { machine, file: 0 });
        let elsewhere = Source { machine: 0, file: 1 };
        assert_ne!(Clock::new(here, 1, 64), Clock::new(here, 2, 64));
        assert_ne!(Clock::new(here, 1, 64), Clock::new(elsewhere, 1, 64));
        assert_eq!(Clock::new(here, 1, 128), Clock::new(here, 2, 128));
        assert_ne!(Clock::new(here, 1, BOOTTIME), Clock::new(there, 1, BOOTTIME));
    }

    #[test]
    fn unknown_clocks_and_duplicates_are_errors() {
        let mut graph = graph(&[&[(MONOTONIC, 1), (BOOTTIME, 2)]]);
        let unknown = graph.converter(clock(CUSTOM), clock(BOOTTIME)).unwrap_err();
        assert_eq!(unknown, PathError::UnknownSource(clock(CUSTOM)));
        let twice = Reading::ns(clock(BOOTTIME), 5);
        assert_eq!(graph.add_snapshot(&[twice, twice]), Err(SnapshotError::Duplicate(twice.clock)));
    }
}
