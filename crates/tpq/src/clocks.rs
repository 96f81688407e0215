//! The clocks of an import: what ties them, and how each comes to trace time.
//!
//! Tables tell of clocks by id, which is enough to ask about drift. Which way a clock takes to the
//! timeline, and why one takes none, is told here; it is worked out when it is asked for.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, OnceLock};

use tpq_clock::{
    BOOTTIME, Clock, ClockGraph, ClockPaths, Drift, Edge, Grain, Jump, PlaceError, Placement,
    Reading, Rule, Source, drift,
};
use tpq_decode::Tie;

/// The clocks of an import.
#[derive(Clone)]
pub struct Clocks {
    graph: Arc<ClockGraph>,
    trace_clock: Clock,
    /// The ways to trace time, once they were asked for.
    ways: Arc<OnceLock<ClockPaths>>,
    ties: Vec<ClockTie>,
    /// How often a manifest relates two clocks, the lesser one first.
    stated: HashMap<(Clock, Clock), usize>,
    used: BTreeSet<Clock>,
    ticks: BTreeSet<Clock>,
}

/// Clocks that were read together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClockTie {
    /// What says so: `snapshot`, `remote_clock_sync`, `ftrace` or `manifest`.
    pub origin: &'static str,
    /// What they read the first time.
    pub first: Vec<Reading>,
    /// How often these clocks were read together.
    pub times: usize,
}

/// A clock, and its way to trace time.
#[derive(Clone, Debug)]
pub struct ClockPath {
    /// The clock.
    pub clock: Clock,
    /// Whether events were timed by it.
    pub used: bool,
    /// Whether it counts ticks of unknown length instead of ns.
    pub ticks: bool,
    /// Whether it was seen to go backwards, so that nothing converts from it.
    pub went_backwards: bool,
    /// Its way to trace time, or why it has none.
    pub way: Result<ClockWay, PlaceError>,
    /// How it runs by trace time, over all steps of its way; none where nothing was measured.
    pub measured: Option<Measured>,
}

/// The way of a clock to trace time.
#[derive(Clone, Debug)]
pub struct ClockWay {
    /// By which rule it leads there.
    pub rule: Rule,
    /// From clock to clock; none for trace time itself.
    pub hops: Vec<ClockHop>,
}

/// A step from one clock to the next.
#[derive(Clone, Debug)]
pub struct ClockHop {
    /// The next clock.
    pub to: Clock,
    /// What relates the two.
    pub by: Basis,
}

/// What relates two clocks.
#[derive(Clone, PartialEq, Debug)]
pub enum Basis {
    /// They were read together.
    Measured(Measured),
    /// A manifest says how far one is ahead of the other.
    Stated,
    /// They are taken to read the same.
    Assumed,
}

/// How one clock runs by another.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// The other.
    pub by: Clock,
    /// How often they were read together.
    pub snapshots: usize,
    /// How far the clock goes while the other goes 1; not known from a single snapshot.
    pub rate: Option<f64>,
    /// That rate as what it is above 1, in millionths.
    pub ppm: Option<f64>,
    /// By how much that may be wrong, as far as readings scatter.
    pub ppm_uncertainty: f64,
    /// How far the worst reading lies from that rate, in ns, between jumps.
    pub max_residual_ns: i64,
    /// Where the clock jumped, in the order of time.
    pub jumps: Vec<ClockJump>,
}

/// A jump of one clock against another: one was set, or stood still.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockJump {
    /// The first snapshot after it, in trace time.
    pub ts: i64,
    /// How far the clock moved beyond its rate; negative when it went back.
    pub size_ns: i64,
}

impl Default for Clocks {
    fn default() -> Self {
        let trace_clock = Clock::of_source(Source::default(), BOOTTIME);
        Self::new(Arc::default(), trace_clock, &[], BTreeSet::new())
    }
}

impl fmt::Debug for Clocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clocks").field("trace_clock", &self.trace_clock).finish_non_exhaustive()
    }
}

impl Clocks {
    pub(crate) fn new(
        graph: Arc<ClockGraph>,
        trace_clock: Clock,
        ties: &[Tie],
        used: BTreeSet<Clock>,
    ) -> Self {
        let ties = counted(ties);
        let readings = ties.iter().flat_map(|tie| &tie.first);
        let ticks = readings.filter(|reading| reading.ticks).map(|reading| reading.clock).collect();
        let stated = stated(&ties);
        Self { graph, trace_clock, ways: Arc::default(), ties, stated, used, ticks }
    }

    /// The clock that is trace time.
    pub fn trace_clock(&self) -> Clock {
        self.trace_clock
    }

    /// Which clocks were read together, those of each file in the order in which they first were.
    pub fn ties(&self) -> &[ClockTie] {
        &self.ties
    }

    /// Every clock that was read or that events name, by file and machine, with its way.
    pub fn paths(&self) -> Vec<ClockPath> {
        let mut clocks = self.used.clone();
        clocks.insert(self.trace_clock);
        clocks.extend(self.graph.clocks());
        clocks.into_iter().map(|clock| self.path(clock)).collect()
    }

    /// A clock and its way.
    pub fn path(&self, clock: Clock) -> ClockPath {
        let way = self.place(clock).map(|placement| self.way(&placement));
        let measured = match &way {
            Ok(way) => way.measured(),
            Err(_) => self.measure_without_way(clock),
        };
        ClockPath {
            clock,
            used: self.used.contains(&clock),
            ticks: self.ticks.contains(&clock),
            went_backwards: self.graph.went_backwards(clock),
            way,
            measured,
        }
    }

    fn place(&self, clock: Clock) -> Result<Placement, PlaceError> {
        let ways = self.ways.get_or_init(|| self.graph.paths_to(self.trace_clock));
        self.graph.place_by(clock, ways)
    }

    /// Measures a clock that nothing converts from, as it went backwards, by one that it was read
    /// with: trace time if it can be.
    fn measure_without_way(&self, clock: Clock) -> Option<Measured> {
        let mut others = [self.trace_clock].into_iter().chain(self.graph.clocks().iter().copied());
        let by = others.find(|&other| {
            self.graph.between(other, clock).is_some_and(Edge::can_convert)
                && self.place(other).is_ok()
        });
        self.measure(clock, by?)
    }

    fn way(&self, placement: &Placement) -> ClockWay {
        let Placement { rule, assumed, clocks, .. } = placement;
        let hop = |ends: &[Clock]| {
            let (from, to) = (ends[0], ends[1]);
            let is_assumed = assumed.iter().any(|it| (it.from, it.to) == (from, to));
            let by = match self.measure(from, to).filter(|_| !is_assumed) {
                Some(it) if it.snapshots > self.stated(from, to) => Basis::Measured(it),
                Some(_) => Basis::Stated,
                None => Basis::Assumed,
            };
            ClockHop { to, by }
        };
        ClockWay { rule: *rule, hops: clocks.windows(2).map(hop).collect() }
    }

    /// How often a manifest relates two clocks.
    fn stated(&self, a: Clock, b: Clock) -> usize {
        self.stated.get(&(a.min(b), a.max(b))).copied().unwrap_or_default()
    }

    /// Measures a clock by the next on its way.
    fn measure(&self, clock: Clock, by: Clock) -> Option<Measured> {
        let there = self.graph.between(clock, by)?;
        // The edge back is the one that the tables show. It ends where the other clock goes
        // backwards, as the last of a way may; then the edge there, turned round, tells more.
        let back = self.graph.between(by, clock).filter(|back| back.len() >= there.len());
        let grain = match clock.is_fine() && by.is_fine() {
            true => Grain::Fine,
            false => Grain::Coarse,
        };
        let (drift, span) = match back {
            Some(back) => (drift(back, grain), span_ns(back, self.ticks.contains(&by))),
            None => (turned(drift(there, grain)), span_ns(there, self.ticks.contains(&clock))),
        };
        // What is told in the unit of the clock that is measured becomes ns.
        let unit = if self.ticks.contains(&clock) { drift.rate } else { 1.0 };
        let to_ns = |size: i64| (size as f64 / unit).round() as i64;
        let to_trace_time = self.place(by).ok()?.converter;
        let jump = |jump: &Jump| ClockJump {
            ts: to_trace_time.convert_one(jump.from),
            size_ns: to_ns(jump.size_ns),
        };
        let known = drift.snapshots > 1;
        Some(Measured {
            by,
            snapshots: drift.snapshots,
            rate: known.then_some(drift.rate),
            ppm: known.then_some(drift.ppm),
            // A line through readings that are off at both ends, the one way and the other.
            ppm_uncertainty: 2e6 * to_ns(drift.max_residual_ns) as f64 / span.max(1.0),
            max_residual_ns: to_ns(drift.max_residual_ns),
            jumps: drift.jumps.iter().map(jump).collect(),
        })
    }
}

impl ClockHop {
    /// How the clock runs by the next, where that was measured.
    pub fn measured(&self) -> Option<&Measured> {
        match &self.by {
            Basis::Measured(measured) => Some(measured),
            Basis::Stated | Basis::Assumed => None,
        }
    }
}

impl ClockWay {
    /// How the clock runs by trace time, over all steps.
    fn measured(&self) -> Option<Measured> {
        let mut steps = self.hops.iter().filter_map(ClockHop::measured);
        let first = steps.next()?.clone();
        let mut all = steps.fold(first, |all, step| Measured {
            by: step.by,
            snapshots: all.snapshots.min(step.snapshots),
            rate: all.rate.zip(step.rate).map(|(all, step)| all * step),
            // Of drifts this small, the product is the sum.
            ppm: all.ppm.zip(step.ppm).map(|(all, step)| all + step),
            ppm_uncertainty: all.ppm_uncertainty + step.ppm_uncertainty,
            max_residual_ns: all.max_residual_ns.saturating_add(step.max_residual_ns),
            jumps: [all.jumps, step.jumps.clone()].concat(),
        });
        all.jumps.sort_by_key(|jump| jump.ts);
        Some(all)
    }
}

/// What ties clocks, each of what was read together once.
fn counted(ties: &[Tie]) -> Vec<ClockTie> {
    let mut counted: Vec<ClockTie> = Vec::new();
    let mut known: HashMap<(&'static str, Vec<Clock>), usize> = HashMap::new();
    for Tie { origin, readings } in ties {
        let clocks = readings.iter().map(|reading| reading.clock).collect();
        let index = *known.entry((*origin, clocks)).or_insert_with(|| {
            counted.push(ClockTie { origin, first: readings.clone(), times: 0 });
            counted.len() - 1
        });
        counted[index].times += 1;
    }
    counted
}

/// How often a manifest relates each two clocks, the lesser one first.
fn stated(ties: &[ClockTie]) -> HashMap<(Clock, Clock), usize> {
    let mut stated = HashMap::new();
    for tie in ties.iter().filter(|tie| tie.origin == "manifest") {
        if let [a, b] = tie.first.as_slice() {
            let (a, b) = (a.clock, b.clock);
            *stated.entry((a.min(b), a.max(b))).or_default() += tie.times;
        }
    }
    stated
}

/// The time from the first reading to the last, in ns of whichever clock counts these.
fn span_ns(edge: &Edge, from_counts_ticks: bool) -> f64 {
    let ends = edge.pairs().next().zip(edge.pairs().last());
    let ((from, to), (last_from, last_to)) = ends.unwrap_or_default();
    match from_counts_ticks {
        true => last_to as f64 - to as f64,
        false => last_from as f64 - from as f64,
    }
}

/// How the first of two clocks runs by the second, from how the second runs by the first.
fn turned(drift: Drift) -> Drift {
    let Drift { snapshots, rate, ppm, max_residual_ns, jumps } = drift;
    let scaled = |size: i64| (size as f64 / rate).round() as i64;
    let jump = |jump: Jump| Jump { from: jump.to, to: jump.from, size_ns: -scaled(jump.size_ns) };
    Drift {
        snapshots,
        rate: 1.0 / rate,
        ppm: -ppm / rate,
        max_residual_ns: scaled(max_residual_ns),
        jumps: jumps.into_iter().map(jump).collect(),
    }
}

#[cfg(test)]
mod tests {
    use tpq_clock::{Interpolation, MONOTONIC, REALTIME, TSC};

    use super::*;

    const S: i64 = 1_000_000_000;

    fn clock(file: u32, id: u32) -> Clock {
        Clock::of_source(Source { file, machine: file }, id)
    }

    /// Each snapshot reads the clocks (file, id); time is in the clock of file 0.
    fn clocks(trace_clock: u32, snapshots: &[&[(u32, u32, i64)]]) -> Clocks {
        let mut graph = ClockGraph::new(Interpolation::Nearest);
        let reading = |&(file, id, value): &(u32, u32, i64)| Reading {
            clock: clock(file, id),
            value,
            ticks: id == TSC,
        };
        let mut ties = Vec::new();
        for snapshot in snapshots {
            let readings: Vec<Reading> = snapshot.iter().map(reading).collect();
            graph.add_snapshot(&readings).unwrap();
            ties.push(Tie { origin: "snapshot", readings });
        }
        Clocks::new(graph.into(), clock(0, trace_clock), &ties, BTreeSet::new())
    }

    fn measured(clocks: &Clocks, of: Clock) -> Measured {
        clocks.path(of).measured.unwrap()
    }

    #[test]
    fn clocks_read_together_are_counted() {
        let clocks = clocks(
            BOOTTIME,
            &[
                &[(0, BOOTTIME, 1), (0, REALTIME, 11)],
                &[(0, BOOTTIME, 2), (0, REALTIME, 12)],
                &[(0, BOOTTIME, 3), (0, MONOTONIC, 3)],
            ],
        );
        let ties: Vec<(usize, i64, usize)> = clocks
            .ties()
            .iter()
            .map(|tie| (tie.first.len(), tie.first[1].value, tie.times))
            .collect();
        assert_eq!(ties, [(2, 11, 2), (2, 3, 1)]);
    }

    #[test]
    fn a_way_over_an_assumption_is_measured_where_it_can_be() {
        // The other machine's boot time gains 20 µs in 10 s on its own wall time.
        let clocks = clocks(
            BOOTTIME,
            &[
                &[(0, BOOTTIME, 0), (0, REALTIME, 100 * S)],
                &[(0, BOOTTIME, 10 * S), (0, REALTIME, 110 * S)],
                &[(1, REALTIME, 100 * S), (1, BOOTTIME, 5 * S)],
                &[(1, REALTIME, 110 * S), (1, BOOTTIME, 15 * S + 20_000)],
            ],
        );
        let way = clocks.path(clock(1, BOOTTIME)).way.unwrap();
        assert_eq!(way.rule, Rule::Realtime);
        let hops: Vec<(u32, u32, bool)> = way
            .hops
            .iter()
            .map(|hop| (hop.to.source.file, hop.to.id, hop.measured().is_some()))
            .collect();
        assert_eq!(hops, [(1, REALTIME, true), (0, REALTIME, false), (0, BOOTTIME, true)]);
        let all = way.measured().unwrap();
        assert!((all.ppm.unwrap() - 2.0).abs() < 1e-9, "{all:?}");
        assert_eq!((all.snapshots, all.max_residual_ns, all.jumps.len()), (2, 0, 0));
    }

    #[test]
    fn what_a_manifest_says_is_not_measured() {
        let mut graph = ClockGraph::new(Interpolation::Nearest);
        let readings =
            vec![Reading::ns(clock(1, BOOTTIME), 0), Reading::ns(clock(0, BOOTTIME), 250)];
        graph.add_snapshot(&readings).unwrap();
        let ties = [Tie { origin: "manifest", readings }];
        let clocks = Clocks::new(graph.into(), clock(0, BOOTTIME), &ties, BTreeSet::new());
        let path = clocks.path(clock(1, BOOTTIME));
        let hops: Vec<Basis> = path.way.unwrap().hops.into_iter().map(|hop| hop.by).collect();
        assert_eq!(hops, [Basis::Stated]);
        assert_eq!(path.measured, None);
    }

    #[test]
    fn trace_time_has_no_way_to_go() {
        let clocks = clocks(BOOTTIME, &[&[(0, BOOTTIME, 1), (0, MONOTONIC, 1)]]);
        let path = clocks.path(clock(0, BOOTTIME));
        assert!(path.way.as_ref().unwrap().hops.is_empty());
        assert_eq!(path.measured, None);
        let one = measured(&clocks, clock(0, MONOTONIC));
        assert_eq!((one.snapshots, one.rate, one.ppm), (1, None, None));
    }

    #[test]
    fn a_jump_is_told_in_trace_time() {
        let set_back = |i: i64| if i > 4 { 1800 * S } else { 0 };
        let snapshot =
            |i: i64| [(0, BOOTTIME, i * S), (0, REALTIME, 5000 * S + i * S - set_back(i))];
        let snapshots: Vec<_> = (0..10).map(snapshot).collect();
        let snapshots: Vec<&[_]> = snapshots.iter().map(|snapshot| &snapshot[..]).collect();
        // Wall time is trace time and went backwards, so boot time jumped forwards by it.
        let by_wall_time = clocks(REALTIME, &snapshots);
        let jump = ClockJump { ts: 3205 * S, size_ns: 1800 * S };
        assert_eq!(measured(&by_wall_time, clock(0, BOOTTIME)).jumps, [jump]);
        let by_boot_time = clocks(BOOTTIME, &snapshots);
        let path = by_boot_time.path(clock(0, REALTIME));
        assert!(path.went_backwards && path.way.is_err());
        let jump = ClockJump { ts: 5 * S, size_ns: -1800 * S };
        assert_eq!(path.measured.unwrap().jumps, [jump]);
    }

    #[test]
    fn ticks_are_told_in_ns() {
        // Two ticks to the ns; the middle reading is 400 ticks late.
        let snapshots = [(0, 0), (S, 2 * S + 400), (2 * S, 4 * S)];
        let snapshots = snapshots.map(|(ns, ticks)| [(0, BOOTTIME, ns), (0, TSC, ticks)]);
        let snapshots: Vec<&[_]> = snapshots.iter().map(|snapshot| &snapshot[..]).collect();
        let ticks = measured(&clocks(BOOTTIME, &snapshots), clock(0, TSC));
        assert!((ticks.rate.unwrap() - 2.0).abs() < 1e-6, "{ticks:?}");
        assert!((100..=400).contains(&ticks.max_residual_ns), "{ticks:?}");
        assert!((0.1..0.5).contains(&ticks.ppm_uncertainty), "{ticks:?}");
    }
}
