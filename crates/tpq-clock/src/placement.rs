//! Placement of a clock on the timeline when no chain of snapshots leads there.
//!
//! Files that were recorded separately share no snapshot, so something must be assumed. The
//! assumptions, in this order: clocks of one domain on one machine are the same clock, which is
//! true within one boot; wall time is the same on two machines; a clock of the domain of the
//! timeline is the timeline; a file without any clock begins where the timeline begins. Two
//! different domains are never assumed to be the same, and no clock is assumed to be that of
//! another machine which then leads to another domain.

use petgraph::Direction;

use crate::graph::{ClockPaths, GraphPath};
use crate::{Clock, ClockGraph, Converter, PathError, REALTIME, TRACE_FILE};

/// The rule that placed a clock, ordered from recorded data to assumptions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    /// A chain of snapshots leads to the timeline, or the clock is the timeline.
    Snapshots,
    /// Wall time is assumed to be the same on both machines.
    Realtime,
    /// Clocks of one domain are assumed to be the same, on one machine or because there is no wall
    /// time.
    SameDomain,
    /// The private timeline of a file is assumed to be the timeline.
    PrivateTimeline,
}

impl Rule {
    /// The name of the rule in the `origin` column of `clock_snapshot`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Snapshots => "snapshot",
            Self::Realtime => "realtime",
            Self::SameDomain => "same_domain",
            Self::PrivateTimeline => "private_timeline",
        }
    }
}

/// Two clocks that are assumed to read the same at every moment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Assumed {
    /// The rule that makes this assumption.
    pub rule: Rule,
    /// The clock that is nearer to the placed clock.
    pub from: Clock,
    /// The clock that is nearer to the timeline.
    pub to: Clock,
}

/// The placement of a clock on the timeline.
#[derive(Clone, Debug)]
pub struct Placement {
    /// Converts readings of the clock to the timeline.
    pub converter: Converter,
    /// The rule that placed the clock.
    pub rule: Rule,
    /// The assumptions, if any, in the order from the clock to the timeline.
    pub assumed: Vec<Assumed>,
    /// The clocks of the path, from the placed clock to the clock of the timeline. Each is read
    /// together with the next one, or assumed to read the same.
    pub clocks: Vec<Clock>,
}

/// The reason why a clock cannot be placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlaceError {
    /// Snapshots are missing within one machine and file.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The clock and the timeline share no domain across files or machines.
    #[error("clock {} shares no clock domain with the timeline, which is in clock {}", .0.id, .1.id)]
    Unrelatable(Clock, Clock),
}

impl ClockGraph {
    /// Places a clock on the timeline of clock `to`.
    ///
    /// # Errors
    /// When no rule applies.
    pub fn place(&self, from: Clock, to: Clock) -> Result<Placement, PlaceError> {
        self.place_by(from, &self.paths_to(to))
    }

    /// Places a clock on the timeline that `paths` lead to.
    ///
    /// # Errors
    /// When no rule applies.
    pub fn place_by(&self, from: Clock, paths: &ClockPaths) -> Result<Placement, PlaceError> {
        if let Some(path) = paths.get(from) {
            return Ok(self.placement(Rule::Snapshots, Route::from_path(path.clone())));
        }
        let to = paths.to();
        let outgoing: Vec<Route> =
            self.paths_from(from).into_iter().map(Route::from_path).collect();
        let incoming = paths.incoming();
        let same_machine = |a: Clock, b: Clock| a.source.machine == b.source.machine;
        let same_boot =
            |a: Clock, b: Clock| same_machine(a, b) && (b == to || self.follows_other_files(a));
        let is_timeline = |a: Clock, b: Clock| b == to && self.may_be_same_machine(a, b);
        // The machines of the two clocks may differ from those of `from` and the timeline:
        // snapshots can relate machines.
        let realtime_of_two_machines = |a: Clock, b: Clock| a.id == REALTIME && !same_machine(a, b);
        self.join(Rule::SameDomain, &outgoing, incoming, &same_boot)
            .or_else(|| self.join(Rule::Realtime, &outgoing, incoming, &realtime_of_two_machines))
            .or_else(|| {
                let outgoing = paths.outgoing_realtime(&outgoing, self);
                let incoming =
                    if outgoing.is_empty() { &[] } else { paths.incoming_realtime(self) };
                self.join(Rule::Realtime, &outgoing, incoming, &realtime_of_two_machines)
            })
            .or_else(|| self.join(Rule::SameDomain, &outgoing, incoming, &is_timeline))
            .or_else(|| self.place_private_timeline(&outgoing, to))
            // A clock scoped to a sequence has no domain to share: its own snapshots are missing.
            .ok_or(match from.source == to.source || !from.is_domain() {
                true => PlaceError::Path(self.no_path_error(from, to)),
                false => PlaceError::Unrelatable(from, to),
            })
    }

    fn placement(&self, rule: Rule, route: Route) -> Placement {
        let Route { path: GraphPath { hops, clocks, .. }, assumed } = route;
        let converter = Converter::new(hops, self.interpolation());
        Placement { converter, rule, assumed, clocks }
    }

    /// Assumes that a private timeline begins with the timeline. All private timelines that are
    /// related to each other use the same one: one without a stated offset to another clock.
    fn place_private_timeline(&self, outgoing: &[Route], to: Clock) -> Option<Placement> {
        let private = outgoing.iter().filter(|route| route.clock().id == TRACE_FILE);
        let route = private.min_by_key(|route| (self.is_pinned(route.clock()), route.clock()))?;
        let path = GraphPath { clock: to, hops: Vec::new(), clocks: vec![to] };
        let whole = route.concat(Rule::PrivateTimeline, &Route::from_path(path));
        Some(self.placement(Rule::PrivateTimeline, whole))
    }

    /// Joins two sets of routes at two clocks of one domain for which `allowed` returns `true`.
    /// Prefers the domain of the timeline, then the fewest edges.
    fn join(
        &self,
        rule: Rule,
        outgoing: &[Route],
        incoming: &[Route],
        allowed: &dyn Fn(Clock, Clock) -> bool,
    ) -> Option<Placement> {
        if !outgoing.iter().any(|route| route.clock().is_domain()) {
            return None;
        }
        let timeline = incoming.first()?.clock().id;
        let incoming: Vec<&Route> =
            incoming.iter().filter(|route| route.clock().is_domain()).collect();
        let outgoing = outgoing.iter().filter(|route| route.clock().is_domain());
        let pairs = outgoing.flat_map(|a| incoming.iter().map(move |&b| (a, b)));
        let candidates = pairs.filter(|(a, b)| {
            let (a, b) = (a.clock(), b.clock());
            a.id == b.id && allowed(a, b)
        });
        let (a, b) = candidates
            .min_by_key(|(a, b)| (b.clock().id != timeline, a.len() + b.len(), b.clock().id))?;
        Some(self.placement(rule, a.concat(rule, b)))
    }
}

/// A path, and the assumptions that it depends on.
#[derive(Clone)]
pub(crate) struct Route {
    path: GraphPath,
    assumed: Vec<Assumed>,
}

impl Route {
    pub(crate) fn from_path(path: GraphPath) -> Self {
        Self { path, assumed: Vec::new() }
    }

    pub(crate) fn clock(&self) -> Clock {
        self.path.clock
    }

    /// The number of edges.
    pub(crate) fn len(&self) -> usize {
        self.path.hops.len()
    }

    /// The clocks of the path.
    #[cfg(test)]
    pub(crate) fn clocks(&self) -> &[Clock] {
        &self.path.clocks
    }

    /// Returns the route that follows this one, assumes that its last clock is the first clock of
    /// `next`, and then follows `next`.
    fn concat(&self, rule: Rule, next: &Self) -> Self {
        let (Some(&from), Some(&to)) = (self.path.clocks.last(), next.path.clocks.first()) else {
            return self.clone();
        };
        let hops = self.path.hops.iter().chain(&next.path.hops).cloned().collect();
        let clocks = self.path.clocks.iter().chain(&next.path.clocks).copied().collect();
        let mut assumed = self.assumed.clone();
        assumed.push(Assumed { rule, from, to });
        assumed.extend(&next.assumed);
        Self { path: GraphPath { clock: next.clock(), hops, clocks }, assumed }
    }

    /// Extends this route along a path that a search in the same direction found from `other`,
    /// which is the clock of this route in another file.
    pub(crate) fn extend(&self, other: Clock, path: GraphPath, direction: Direction) -> Self {
        debug_assert!(path.clocks.contains(&other));
        let (reached, beyond) = (path.clock, Self::from_path(path));
        let mut whole = match direction {
            Direction::Outgoing => self.concat(Rule::SameDomain, &beyond),
            Direction::Incoming => beyond.concat(Rule::SameDomain, self),
        };
        whole.path.clock = reached;
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BOOTTIME, MONOTONIC, Reading, Source};

    fn clock(machine: u32, file: u32, id: u32) -> Clock {
        Clock::of_source(Source { machine, file }, id)
    }

    /// Each snapshot is a list of (machine, file, id, value).
    fn graph(snapshots: &[&[(u32, u32, u32, i64)]]) -> ClockGraph {
        let mut graph = ClockGraph::default();
        for snapshot in snapshots {
            let readings: Vec<Reading> = snapshot
                .iter()
                .map(|&(machine, file, id, ns)| Reading::ns(clock(machine, file, id), ns))
                .collect();
            graph.add_snapshot(&readings).unwrap();
        }
        graph
    }

    fn placed(graph: &ClockGraph, from: Clock, to: Clock, t: i64) -> (Rule, i64) {
        let placement = graph.place(from, to).unwrap();
        (placement.rule, placement.converter.convert_one(t))
    }

    #[test]
    fn wall_time_joins_two_machines() {
        // At wall time 1,000,100 the first machine had been up for 100, at 1,000,400 the other one
        // for 50. 60 on the other machine is wall time 1,000,410, which is 410 on the first.
        let graph = graph(&[
            &[(0, 0, REALTIME, 1_000_100), (0, 0, BOOTTIME, 100)],
            &[(1, 1, REALTIME, 1_000_400), (1, 1, BOOTTIME, 50)],
        ]);
        let (from, to) = (clock(1, 1, BOOTTIME), clock(0, 0, BOOTTIME));
        assert_eq!(placed(&graph, from, to, 60), (Rule::Realtime, 410));
    }

    #[test]
    fn wall_time_of_a_third_machine_joins_nothing() {
        // Machine 7 compared its clocks with those of the host; its wall time is 5 ahead. Another
        // file of the host also reads wall time.
        let graph = graph(&[
            &[(0, 0, REALTIME, 1_000_100), (0, 0, BOOTTIME, 100)],
            &[(7, 0, REALTIME, 1_000_055), (7, 0, BOOTTIME, 50)],
            &[(7, 0, BOOTTIME, 50), (0, 0, BOOTTIME, 150)],
            &[(0, 1, REALTIME, 1_000_101), (0, 1, BOOTTIME, 101)],
        ]);
        let (one, other) = (clock(0, 0, BOOTTIME), clock(0, 1, BOOTTIME));
        assert_eq!(placed(&graph, other, one, 102), (Rule::SameDomain, 102));
        assert_eq!(placed(&graph, one, other, 101), (Rule::SameDomain, 101));
        // Another file of machine 7 is placed by this comparison with the host.
        assert_eq!(placed(&graph, clock(7, 1, BOOTTIME), one, 60), (Rule::SameDomain, 160));
    }

    #[test]
    fn one_machine_has_one_boot() {
        let graph = graph(&[
            &[(0, 0, REALTIME, 1_000_100), (0, 0, BOOTTIME, 100)],
            &[(0, 1, REALTIME, 1_000_151), (0, 1, BOOTTIME, 150), (0, 1, MONOTONIC, 140)],
        ]);
        let to = clock(0, 0, BOOTTIME);
        assert_eq!(placed(&graph, clock(0, 1, BOOTTIME), to, 160), (Rule::SameDomain, 160));
        // Through boot time, which is the domain of the timeline, not through wall time.
        assert_eq!(placed(&graph, clock(0, 1, MONOTONIC), to, 145), (Rule::SameDomain, 155));
        let assumed = graph.place(clock(0, 1, MONOTONIC), to).unwrap().assumed;
        let from = clock(0, 1, BOOTTIME);
        assert_eq!(assumed, [Assumed { rule: Rule::SameDomain, from, to }]);
    }

    #[test]
    fn a_placement_lists_the_clocks_of_its_path() {
        let graph = graph(&[
            &[(0, 0, REALTIME, 1_000_100), (0, 0, MONOTONIC, 90)],
            &[(0, 0, MONOTONIC, 91), (0, 0, BOOTTIME, 101)],
            &[(1, 1, REALTIME, 1_000_400), (1, 1, BOOTTIME, 50)],
            &[(1, 1, BOOTTIME, 60), (1, 1, 200, 7)],
        ]);
        let to = clock(0, 0, BOOTTIME);
        let path = |from: Clock| -> Vec<(u32, u32)> {
            let placement = graph.place(from, to).unwrap();
            placement.clocks.iter().map(|clock| (clock.source.machine, clock.id)).collect()
        };
        assert_eq!(path(to), [(0, BOOTTIME)]);
        assert_eq!(path(clock(0, 0, REALTIME)), [(0, REALTIME), (0, MONOTONIC), (0, BOOTTIME)]);
        assert_eq!(
            path(clock(1, 1, 200)),
            [(1, 200), (1, BOOTTIME), (1, REALTIME), (0, REALTIME), (0, MONOTONIC), (0, BOOTTIME)]
        );
        assert_eq!(graph.between(clock(0, 0, REALTIME), clock(0, 0, MONOTONIC)).unwrap().len(), 1);
        assert!(graph.between(clock(0, 0, REALTIME), to).is_none());
        assert!(graph.between(to, clock(1, 1, BOOTTIME)).is_none());
    }

    #[test]
    fn one_file_of_a_machine_places_its_other_files() {
        // The phone was started at wall time 900, the watch at 985. One of the two files of the
        // phone reads wall time.
        let graph = graph(&[
            &[(0, 0, REALTIME, 1_005), (0, 0, BOOTTIME, 20)],
            &[(1, 1, REALTIME, 1_000), (1, 1, BOOTTIME, 100)],
        ]);
        let (from, to) = (clock(1, 2, BOOTTIME), clock(0, 0, BOOTTIME));
        assert_eq!(placed(&graph, from, to, 120), (Rule::Realtime, 35));
        // In the opposite direction the timeline is in the file without wall time.
        assert_eq!(placed(&graph, to, from, 35), (Rule::Realtime, 120));
        let assumed = graph.place(from, to).unwrap().assumed;
        assert_eq!(
            assumed.iter().map(|it| it.rule).collect::<Vec<_>>(),
            [Rule::SameDomain, Rule::Realtime]
        );
    }

    #[test]
    fn without_wall_time_machines_share_a_domain() {
        let graph = graph(&[&[(0, 0, MONOTONIC, 90), (0, 0, BOOTTIME, 100)]]);
        let to = clock(0, 0, BOOTTIME);
        assert_eq!(placed(&graph, clock(1, 1, BOOTTIME), to, 7), (Rule::SameDomain, 7));
        // The other machine's MONOTONIC may be behind its BOOTTIME by any time.
        let from = clock(1, 1, MONOTONIC);
        assert_eq!(graph.place(from, to).unwrap_err(), PlaceError::Unrelatable(from, to));
    }

    #[test]
    fn machines_that_are_known_to_be_different_share_no_domain() {
        let mut graph = graph(&[&[(0, 0, MONOTONIC, 90), (0, 0, BOOTTIME, 100)]]);
        graph.set_distinct([0, 1]);
        let (from, to) = (clock(1, 1, BOOTTIME), clock(0, 0, BOOTTIME));
        assert_eq!(graph.place(from, to).unwrap_err(), PlaceError::Unrelatable(from, to));
        // Nothing is known of the third.
        assert_eq!(placed(&graph, clock(2, 2, BOOTTIME), to, 7), (Rule::SameDomain, 7));
    }

    #[test]
    fn a_file_that_reads_clocks_follows_others_with_the_clock_it_is_in_alone() {
        let mut graph = graph(&[
            &[(0, 0, REALTIME, 1_100), (0, 0, MONOTONIC, 90), (0, 0, BOOTTIME, 100)],
            &[(0, 1, BOOTTIME, 100), (0, 1, 200, 5)],
        ]);
        graph.set_reader(Source { machine: 0, file: 0 }, BOOTTIME);
        graph.set_reader(Source { machine: 0, file: 1 }, BOOTTIME);
        let to = clock(0, 0, BOOTTIME);
        assert_eq!(placed(&graph, clock(0, 1, 200), to, 6), (Rule::SameDomain, 101));
        let from = clock(0, 1, MONOTONIC);
        assert_eq!(graph.place(from, to).unwrap_err(), PlaceError::Unrelatable(from, to));
        // A file that reads none has the clocks of its machine.
        assert_eq!(placed(&graph, clock(0, 2, MONOTONIC), to, 91), (Rule::SameDomain, 101));
        // The clock that the file is in leads to any timeline of its machine.
        let wall = clock(0, 0, REALTIME);
        assert_eq!(placed(&graph, clock(0, 1, 200), wall, 6), (Rule::SameDomain, 1_101));
    }

    #[test]
    fn different_domains_are_never_taken_for_the_same() {
        let graph = ClockGraph::default();
        let (from, to) = (clock(0, 1, REALTIME), clock(0, 0, BOOTTIME));
        assert_eq!(graph.place(from, to).unwrap_err(), PlaceError::Unrelatable(from, to));
        let missing = graph.place(clock(0, 0, REALTIME), to).unwrap_err();
        assert!(matches!(missing, PlaceError::Path(PathError::UnknownSource(_))));
    }

    #[test]
    fn a_private_timeline_is_pinned_where_the_timeline_begins() {
        let graph = ClockGraph::default();
        let (from, to) = (clock(0, 1, TRACE_FILE), clock(0, 0, BOOTTIME));
        assert_eq!(placed(&graph, from, to, 7), (Rule::PrivateTimeline, 7));
    }

    #[test]
    fn private_timelines_that_hang_together_begin_where_the_last_of_them_does() {
        // File 1 begins 10 after file 2, and file 2 begins 100 after file 3.
        let mut graph = graph(&[
            &[(0, 1, TRACE_FILE, 0), (0, 2, TRACE_FILE, 10)],
            &[(0, 2, TRACE_FILE, 0), (0, 3, TRACE_FILE, 100)],
        ]);
        graph.set_pinned(clock(0, 1, TRACE_FILE));
        graph.set_pinned(clock(0, 2, TRACE_FILE));
        let to = clock(0, 0, BOOTTIME);
        for (file, expected) in [(1, 117), (2, 107), (3, 7)] {
            let placed = placed(&graph, clock(0, file, TRACE_FILE), to, 7);
            assert_eq!(placed, (Rule::PrivateTimeline, expected), "file {file}");
        }
    }

    #[test]
    fn wall_time_that_went_backwards_joins_nothing() {
        let graph = graph(&[
            &[(0, 0, REALTIME, 1_000), (0, 0, BOOTTIME, 100)],
            &[(0, 0, REALTIME, 900), (0, 0, BOOTTIME, 200)],
            &[(1, 1, REALTIME, 1_000), (1, 1, BOOTTIME, 50)],
        ]);
        let (from, to) = (clock(1, 1, BOOTTIME), clock(0, 0, BOOTTIME));
        assert_eq!(placed(&graph, from, to, 60), (Rule::SameDomain, 60));
    }
}
