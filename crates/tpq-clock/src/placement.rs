//! Placing a clock on the timeline when no chain of snapshots does.
//!
//! Files recorded apart share no snapshot, so something must be assumed. What is assumed, in this
//! order: that one machine has one clock of each domain, which holds within one boot; that wall
//! time is the same on two machines; that clocks of one domain are the same clock; that a file
//! without any clock begins where the timeline does. Two different domains are never taken for the
//! same.

use petgraph::Direction;

use crate::graph::{Reached, Ways};
use crate::{Clock, ClockGraph, Converter, PathError, REALTIME, TRACE_FILE};

/// What placed a clock, from what was recorded to what had to be assumed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    /// A chain of snapshots, or it is the timeline's own clock.
    Snapshots,
    /// Wall time is taken to be the same on both machines.
    Realtime,
    /// Clocks of one domain are taken to be the same, on one machine or for want of wall time.
    SameDomain,
    /// The private timeline of a file is taken to be the timeline.
    PrivateTimeline,
}

impl Rule {
    /// Its name in the `origin` column of `clock_snapshot`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Snapshots => "snapshot",
            Self::Realtime => "realtime",
            Self::SameDomain => "same_domain",
            Self::PrivateTimeline => "private_timeline",
        }
    }
}

/// Two clocks taken to read the same at every moment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Assumed {
    /// The rule that takes them so.
    pub rule: Rule,
    /// The clock nearer to the one that is placed.
    pub from: Clock,
    /// The clock nearer to the timeline.
    pub to: Clock,
}

/// How a clock is placed.
#[derive(Clone, Debug)]
pub struct Placement {
    /// Converts it to the timeline.
    pub converter: Converter,
    /// By which rule.
    pub rule: Rule,
    /// What was assumed, if anything, from the clock to the timeline.
    pub assumed: Vec<Assumed>,
    /// The clocks on the way, from the one that is placed to the timeline's: each is read together
    /// with the next, or taken to read the same.
    pub clocks: Vec<Clock>,
}

/// Why a clock cannot be placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlaceError {
    /// Within one machine and file, snapshots are missing.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Between files or machines, no domain is shared.
    #[error("clock {} shares no clock domain with the timeline, which is in clock {}", .0.id, .1.id)]
    Unrelatable(Clock, Clock),
}

impl ClockGraph {
    /// Places a clock on the timeline of clock `to`.
    ///
    /// # Errors
    /// When no rule applies.
    pub fn place(&self, from: Clock, to: Clock) -> Result<Placement, PlaceError> {
        self.place_by(from, &self.ways_to(to))
    }

    /// Places a clock on the timeline that the ways lead to.
    ///
    /// # Errors
    /// When no rule applies.
    pub fn place_by(&self, from: Clock, ways: &Ways) -> Result<Placement, PlaceError> {
        if let Some(way) = ways.get(from) {
            return Ok(self.placement(Rule::Snapshots, End::plain(way.clone())));
        }
        let to = ways.to();
        let near: Vec<End> = self.reachable_from(from).into_iter().map(End::plain).collect();
        let far = ways.far();
        let one_machine = |a: Clock, b: Clock| a.source.machine == b.source.machine;
        // Of machines that snapshots tie to the one that is placed, and to that of the timeline.
        let wall = |a: Clock, b: Clock| a.id == REALTIME && !one_machine(a, b);
        self.join(Rule::SameDomain, &near, far, &one_machine)
            .or_else(|| self.join(Rule::Realtime, &near, far, &wall))
            .or_else(|| {
                let near = ways.near_walls(&near, self);
                let far = if near.is_empty() { &[] } else { ways.walls(self) };
                self.join(Rule::Realtime, &near, far, &wall)
            })
            .or_else(|| self.join(Rule::SameDomain, &near, far, &|_, _| true))
            .or_else(|| self.begin(&near, to))
            // What is of one sequence alone has no domain to share; its own snapshots are missing.
            .ok_or(match from.source == to.source || !from.is_domain() {
                true => PlaceError::Path(self.no_way(from, to)),
                false => PlaceError::Unrelatable(from, to),
            })
    }

    fn placement(&self, rule: Rule, end: End) -> Placement {
        let End { way: Reached { hops, clocks, .. }, assumed } = end;
        let converter = Converter::new(hops, self.interpolation());
        Placement { converter, rule, assumed, clocks }
    }

    /// Takes a private timeline to begin with the timeline. Of several that hang together it is the
    /// same one for all: one that was not itself said to begin so far from another.
    fn begin(&self, near: &[End], to: Clock) -> Option<Placement> {
        let private = near.iter().filter(|end| end.clock().id == TRACE_FILE);
        let end = private.min_by_key(|end| (self.is_pinned(end.clock()), end.clock()))?;
        let way = Reached { clock: to, hops: Vec::new(), clocks: vec![to] };
        let whole = end.joined(Rule::PrivateTimeline, &End::plain(way));
        Some(self.placement(Rule::PrivateTimeline, whole))
    }

    /// Joins two sets of clocks where two are of one domain and `may` be joined, in the domain of
    /// the timeline if they can be, and else over the fewest edges.
    fn join(
        &self,
        rule: Rule,
        near: &[End],
        far: &[End],
        may: &dyn Fn(Clock, Clock) -> bool,
    ) -> Option<Placement> {
        if !near.iter().any(|end| end.clock().is_domain()) {
            return None;
        }
        let timeline = far.first()?.clock().id;
        let far: Vec<&End> = far.iter().filter(|end| end.clock().is_domain()).collect();
        let near = near.iter().filter(|end| end.clock().is_domain());
        let pairs = near.flat_map(|a| far.iter().map(move |&b| (a, b)));
        let allowed = pairs.filter(|(a, b)| {
            let (a, b) = (a.clock(), b.clock());
            a.id == b.id && may(a, b)
        });
        let (a, b) = allowed
            .min_by_key(|(a, b)| (b.clock().id != timeline, a.len() + b.len(), b.clock().id))?;
        Some(self.placement(rule, a.joined(rule, b)))
    }
}

/// A clock that a search came to, and what had to be assumed on the way.
#[derive(Clone)]
pub(crate) struct End {
    way: Reached,
    assumed: Vec<Assumed>,
}

impl End {
    pub(crate) fn plain(way: Reached) -> Self {
        Self { way, assumed: Vec::new() }
    }

    pub(crate) fn clock(&self) -> Clock {
        self.way.clock
    }

    /// Over how many edges it leads.
    pub(crate) fn len(&self) -> usize {
        self.way.hops.len()
    }

    /// The clocks on the way.
    #[cfg(test)]
    pub(crate) fn clocks(&self) -> &[Clock] {
        &self.way.clocks
    }

    /// This way, and on from where it ends to the beginning of another.
    fn joined(&self, rule: Rule, next: &Self) -> Self {
        let (Some(&from), Some(&to)) = (self.way.clocks.last(), next.way.clocks.first()) else {
            return self.clone();
        };
        let hops = self.way.hops.iter().chain(&next.way.hops).cloned().collect();
        let clocks = self.way.clocks.iter().chain(&next.way.clocks).copied().collect();
        let mut assumed = self.assumed.clone();
        assumed.push(Assumed { rule, from, to });
        assumed.extend(&next.assumed);
        Self { way: Reached { clock: next.clock(), hops, clocks }, assumed }
    }

    /// This way and on along a way that a search in the same direction found from `other`, which
    /// is this clock in another file.
    pub(crate) fn by_way_of(&self, other: Clock, way: Reached, direction: Direction) -> Self {
        debug_assert!(way.clocks.contains(&other));
        let (reached, beyond) = (way.clock, Self::plain(way));
        let mut whole = match direction {
            Direction::Outgoing => self.joined(Rule::SameDomain, &beyond),
            Direction::Incoming => beyond.joined(Rule::SameDomain, self),
        };
        whole.way.clock = reached;
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

    /// Each snapshot reads the clocks (machine, file, id).
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
        // At wall time 1,000,100 the one machine had been up for 100, at 1,000,400 the other for
        // 50: its 60 is wall time 1,000,410, which is 410 on the first.
        let graph = graph(&[
            &[(0, 0, REALTIME, 1_000_100), (0, 0, BOOTTIME, 100)],
            &[(1, 1, REALTIME, 1_000_400), (1, 1, BOOTTIME, 50)],
        ]);
        let (from, to) = (clock(1, 1, BOOTTIME), clock(0, 0, BOOTTIME));
        assert_eq!(placed(&graph, from, to, 60), (Rule::Realtime, 410));
    }

    #[test]
    fn wall_time_of_a_third_machine_joins_nothing() {
        // Machine 7 compared its clocks with the host's: its wall time is 5 ahead. Another file of
        // the host reads wall time too.
        let graph = graph(&[
            &[(0, 0, REALTIME, 1_000_100), (0, 0, BOOTTIME, 100)],
            &[(7, 0, REALTIME, 1_000_055), (7, 0, BOOTTIME, 50)],
            &[(7, 0, BOOTTIME, 50), (0, 0, BOOTTIME, 150)],
            &[(0, 1, REALTIME, 1_000_101), (0, 1, BOOTTIME, 101)],
        ]);
        let (one, other) = (clock(0, 0, BOOTTIME), clock(0, 1, BOOTTIME));
        assert_eq!(placed(&graph, other, one, 102), (Rule::SameDomain, 102));
        assert_eq!(placed(&graph, one, other, 101), (Rule::SameDomain, 101));
        // In a file of its own, machine 7 is known by what it found of the host.
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
        // By way of boot time, which the timeline is in, not of wall time.
        assert_eq!(placed(&graph, clock(0, 1, MONOTONIC), to, 145), (Rule::SameDomain, 155));
        let assumed = graph.place(clock(0, 1, MONOTONIC), to).unwrap().assumed;
        let from = clock(0, 1, BOOTTIME);
        assert_eq!(assumed, [Assumed { rule: Rule::SameDomain, from, to }]);
    }

    #[test]
    fn the_clocks_on_the_way_are_told() {
        let graph = graph(&[
            &[(0, 0, REALTIME, 1_000_100), (0, 0, MONOTONIC, 90)],
            &[(0, 0, MONOTONIC, 91), (0, 0, BOOTTIME, 101)],
            &[(1, 1, REALTIME, 1_000_400), (1, 1, BOOTTIME, 50)],
            &[(1, 1, BOOTTIME, 60), (1, 1, 200, 7)],
        ]);
        let to = clock(0, 0, BOOTTIME);
        let way = |from: Clock| -> Vec<(u32, u32)> {
            let placement = graph.place(from, to).unwrap();
            placement.clocks.iter().map(|clock| (clock.source.machine, clock.id)).collect()
        };
        assert_eq!(way(to), [(0, BOOTTIME)]);
        assert_eq!(way(clock(0, 0, REALTIME)), [(0, REALTIME), (0, MONOTONIC), (0, BOOTTIME)]);
        assert_eq!(
            way(clock(1, 1, 200)),
            [(1, 200), (1, BOOTTIME), (1, REALTIME), (0, REALTIME), (0, MONOTONIC), (0, BOOTTIME)]
        );
        assert_eq!(graph.between(clock(0, 0, REALTIME), clock(0, 0, MONOTONIC)).unwrap().len(), 1);
        assert!(graph.between(clock(0, 0, REALTIME), to).is_none());
        assert!(graph.between(to, clock(1, 1, BOOTTIME)).is_none());
    }

    #[test]
    fn what_one_file_knows_of_a_machine_places_its_others() {
        // The phone was started at wall time 900, the watch at 985; of the phone's two files one
        // reads wall time.
        let graph = graph(&[
            &[(0, 0, REALTIME, 1_005), (0, 0, BOOTTIME, 20)],
            &[(1, 1, REALTIME, 1_000), (1, 1, BOOTTIME, 100)],
        ]);
        let (from, to) = (clock(1, 2, BOOTTIME), clock(0, 0, BOOTTIME));
        assert_eq!(placed(&graph, from, to, 120), (Rule::Realtime, 35));
        // And the other way round, where the timeline is in the file that does not.
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
        assert_eq!(placed(&graph, clock(1, 1, MONOTONIC), to, 91), (Rule::SameDomain, 101));
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
        // File 1 begins 10 after file 2, and that 100 after file 3.
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
