//! The clocks of an import: which clocks were read together, and how each converts to trace time.
//!
//! The tables identify clocks by id, which is enough for queries about drift. The conversion of a
//! clock to trace time, or the reason why it has none, is only available here. It is computed on
//! request.

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
    /// The paths to trace time, computed on first use.
    paths_to_trace_time: Arc<OnceLock<ClockPaths>>,
    ties: Vec<ClockTie>,
    /// How often a manifest relates two clocks. The key has the lesser clock first.
    stated: HashMap<(Clock, Clock), usize>,
    used: BTreeSet<Clock>,
    ticks: BTreeSet<Clock>,
}

/// Clocks that were read together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClockTie {
    /// The source of the readings: `snapshot`, `remote_clock_sync`, `ftrace` or `manifest`.
    pub origin: &'static str,
    /// The first readings.
    pub first: Vec<Reading>,
    /// How often these clocks were read together.
    pub times: usize,
}

/// A clock and its conversion to trace time.
#[derive(Clone, Debug)]
pub struct ClockPath {
    /// The clock.
    pub clock: Clock,
    /// Whether events have timestamps of this clock.
    pub used: bool,
    /// Whether it counts ticks of unknown length instead of ns.
    pub ticks: bool,
    /// Whether the clock was seen to go backwards. Nothing converts from such a clock.
    pub went_backwards: bool,
    /// The conversion to trace time, or why there is none.
    pub conversion: Result<ClockConversion, PlaceError>,
    /// Rate and drift relative to trace time, over all hops. `None` if nothing was measured.
    pub measured: Option<Measured>,
}

/// The conversion of a clock to trace time.
#[derive(Clone, Debug)]
pub struct ClockConversion {
    /// The rule that placed the clock.
    pub rule: Rule,
    /// The hops from clock to clock. Empty for trace time itself.
    pub hops: Vec<ClockHop>,
}

/// One step of a conversion.
#[derive(Clone, Debug)]
pub struct ClockHop {
    /// The next clock.
    pub to: Clock,
    /// The relation of the two clocks.
    pub by: Basis,
}

/// The relation of two clocks.
#[derive(Clone, PartialEq, Debug)]
pub enum Basis {
    /// They were read together.
    Measured(Measured),
    /// A manifest states the offset between them.
    Stated,
    /// They are assumed to read the same.
    Assumed,
}

/// Rate and drift of one clock relative to another.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// The other clock.
    pub by: Clock,
    /// How often the two were read together.
    pub snapshots: usize,
    /// How far the clock advances while the other advances by 1. `None` after a single snapshot.
    pub rate: Option<f64>,
    /// The difference of the rate from 1, in parts per million.
    pub ppm: Option<f64>,
    /// The uncertainty of `ppm`, from the scatter of the readings.
    pub ppm_uncertainty: f64,
    /// The largest deviation of a reading from the rate, in ns, between jumps.
    pub max_residual_ns: i64,
    /// The jumps of the clock, in the order of time.
    pub jumps: Vec<ClockJump>,
}

/// A jump of one clock against another: one of them was set, or stood still.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockJump {
    /// The first snapshot after the jump, in ns of trace time.
    pub ts: i64,
    /// How far the clock moved beyond its rate, in ns. Negative if it went back.
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
        let ties = count_ties(ties);
        let readings = ties.iter().flat_map(|tie| &tie.first);
        let ticks = readings.filter(|reading| reading.ticks).map(|reading| reading.clock).collect();
        let stated = count_stated(&ties);
        Self { graph, trace_clock, paths_to_trace_time: Arc::default(), ties, stated, used, ticks }
    }

    /// The clock that defines trace time.
    pub fn trace_clock(&self) -> Clock {
        self.trace_clock
    }

    /// Which clocks were read together, in the order of the first reading in each file.
    pub fn ties(&self) -> &[ClockTie] {
        &self.ties
    }

    /// Every clock that was read or that events name, by file and machine, with its conversion.
    pub fn paths(&self) -> Vec<ClockPath> {
        let mut clocks = self.used.clone();
        clocks.insert(self.trace_clock);
        clocks.extend(self.graph.clocks());
        clocks.into_iter().map(|clock| self.path(clock)).collect()
    }

    /// A clock and its conversion.
    pub fn path(&self, clock: Clock) -> ClockPath {
        let conversion = self.place(clock).map(|placement| self.conversion(&placement));
        let measured = match &conversion {
            Ok(conversion) => conversion.measured(),
            Err(_) => self.measure_without_conversion(clock),
        };
        ClockPath {
            clock,
            used: self.used.contains(&clock),
            ticks: self.ticks.contains(&clock),
            went_backwards: self.graph.went_backwards(clock),
            conversion,
            measured,
        }
    }

    fn place(&self, clock: Clock) -> Result<Placement, PlaceError> {
        let paths = self.paths_to_trace_time.get_or_init(|| self.graph.paths_to(self.trace_clock));
        self.graph.place_by(clock, paths)
    }

    /// Measures a clock that went backwards, so that nothing converts from it. It is measured by a
    /// clock that it was read with, preferably trace time.
    fn measure_without_conversion(&self, clock: Clock) -> Option<Measured> {
        let mut others = [self.trace_clock].into_iter().chain(self.graph.clocks().iter().copied());
        let by = others.find(|&other| {
            self.graph.between(other, clock).is_some_and(Edge::can_convert)
                && self.place(other).is_ok()
        });
        self.measure(clock, by?)
    }

    fn conversion(&self, placement: &Placement) -> ClockConversion {
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
        ClockConversion { rule: *rule, hops: clocks.windows(2).map(hop).collect() }
    }

    /// How often a manifest relates two clocks.
    fn stated(&self, a: Clock, b: Clock) -> usize {
        self.stated.get(&(a.min(b), a.max(b))).copied().unwrap_or_default()
    }

    /// Measures a clock by the next clock on its path.
    fn measure(&self, clock: Clock, by: Clock) -> Option<Measured> {
        let forward = self.graph.between(clock, by)?;
        // The tables show the reverse edge. That edge ends where the other clock goes backwards,
        // which the last clock of a path may do. Then the inverted forward edge has more readings.
        let reverse =
            self.graph.between(by, clock).filter(|reverse| reverse.len() >= forward.len());
        let grain = match clock.is_fine() && by.is_fine() {
            true => Grain::Fine,
            false => Grain::Coarse,
        };
        let (drift, span) = match reverse {
            Some(reverse) => (drift(reverse, grain), span_ns(reverse, self.ticks.contains(&by))),
            None => {
                (inverted(drift(forward, grain)), span_ns(forward, self.ticks.contains(&clock)))
            }
        };
        // Sizes in the unit of the measured clock become ns.
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
            // The slope of a line with both ends off by the largest residual, in opposite
            // directions.
            ppm_uncertainty: 2e6 * to_ns(drift.max_residual_ns) as f64 / span.max(1.0),
            max_residual_ns: to_ns(drift.max_residual_ns),
            jumps: drift.jumps.iter().map(jump).collect(),
        })
    }
}

impl ClockHop {
    /// Rate and drift relative to the next clock, if measured.
    pub fn measured(&self) -> Option<&Measured> {
        match &self.by {
            Basis::Measured(measured) => Some(measured),
            Basis::Stated | Basis::Assumed => None,
        }
    }
}

impl ClockConversion {
    /// Rate and drift relative to trace time, over all hops.
    fn measured(&self) -> Option<Measured> {
        let mut steps = self.hops.iter().filter_map(ClockHop::measured);
        let first = steps.next()?.clone();
        let mut all = steps.fold(first, |all, step| Measured {
            by: step.by,
            snapshots: all.snapshots.min(step.snapshots),
            rate: all.rate.zip(step.rate).map(|(all, step)| all * step),
            // For drifts this small, the product is the sum.
            ppm: all.ppm.zip(step.ppm).map(|(all, step)| all + step),
            ppm_uncertainty: all.ppm_uncertainty + step.ppm_uncertainty,
            max_residual_ns: all.max_residual_ns.saturating_add(step.max_residual_ns),
            jumps: [all.jumps, step.jumps.clone()].concat(),
        });
        all.jumps.sort_by_key(|jump| jump.ts);
        Some(all)
    }
}

/// Counts how often the same clocks were read together.
fn count_ties(ties: &[Tie]) -> Vec<ClockTie> {
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

/// How often a manifest relates each two clocks. The key has the lesser clock first.
fn count_stated(ties: &[ClockTie]) -> HashMap<(Clock, Clock), usize> {
    let mut stated = HashMap::new();
    for tie in ties.iter().filter(|tie| tie.origin == "manifest") {
        if let [a, b] = tie.first.as_slice() {
            let (a, b) = (a.clock, b.clock);
            *stated.entry((a.min(b), a.max(b))).or_default() += tie.times;
        }
    }
    stated
}

/// The time from the first reading to the last, in ns of the clock that counts ns.
fn span_ns(edge: &Edge, from_counts_ticks: bool) -> f64 {
    let ends = edge.pairs().next().zip(edge.pairs().last());
    let ((from, to), (last_from, last_to)) = ends.unwrap_or_default();
    match from_counts_ticks {
        true => last_to as f64 - to as f64,
        false => last_from as f64 - from as f64,
    }
}

/// The drift of the first clock relative to the second, from the drift of the second relative to
/// the first.
fn inverted(drift: Drift) -> Drift {
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
    fn a_conversion_with_an_assumption_is_measured_where_possible() {
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
        let conversion = clocks.path(clock(1, BOOTTIME)).conversion.unwrap();
        assert_eq!(conversion.rule, Rule::Realtime);
        let hops: Vec<(u32, u32, bool)> = conversion
            .hops
            .iter()
            .map(|hop| (hop.to.source.file, hop.to.id, hop.measured().is_some()))
            .collect();
        assert_eq!(hops, [(1, REALTIME, true), (0, REALTIME, false), (0, BOOTTIME, true)]);
        let all = conversion.measured().unwrap();
        assert!((all.ppm.unwrap() - 2.0).abs() < 1e-9, "{all:?}");
        assert_eq!((all.snapshots, all.max_residual_ns, all.jumps.len()), (2, 0, 0));
    }

    #[test]
    fn a_statement_of_a_manifest_is_not_measured() {
        let mut graph = ClockGraph::new(Interpolation::Nearest);
        let readings =
            vec![Reading::ns(clock(1, BOOTTIME), 0), Reading::ns(clock(0, BOOTTIME), 250)];
        graph.add_snapshot(&readings).unwrap();
        let ties = [Tie { origin: "manifest", readings }];
        let clocks = Clocks::new(graph.into(), clock(0, BOOTTIME), &ties, BTreeSet::new());
        let path = clocks.path(clock(1, BOOTTIME));
        let hops: Vec<Basis> =
            path.conversion.unwrap().hops.into_iter().map(|hop| hop.by).collect();
        assert_eq!(hops, [Basis::Stated]);
        assert_eq!(path.measured, None);
    }

    #[test]
    fn the_conversion_of_trace_time_has_no_hops() {
        let clocks = clocks(BOOTTIME, &[&[(0, BOOTTIME, 1), (0, MONOTONIC, 1)]]);
        let path = clocks.path(clock(0, BOOTTIME));
        assert!(path.conversion.as_ref().unwrap().hops.is_empty());
        assert_eq!(path.measured, None);
        let one = measured(&clocks, clock(0, MONOTONIC));
        assert_eq!((one.snapshots, one.rate, one.ppm), (1, None, None));
    }

    #[test]
    fn jumps_are_in_trace_time() {
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
        assert!(path.went_backwards && path.conversion.is_err());
        let jump = ClockJump { ts: 5 * S, size_ns: -1800 * S };
        assert_eq!(path.measured.unwrap().jumps, [jump]);
    }

    #[test]
    fn ticks_are_converted_to_ns() {
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
