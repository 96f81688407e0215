//! How two clocks run relative to each other: how fast they drift apart, and where one of them was
//! set or stood still.

use std::ops::Range;

use crate::Edge;
use crate::rate::{MAX_DRIFT, Step, longer_half, rate};

/// The least jump, in ns, of clocks that may be coarse, when there are too few steps to measure the
/// noise. The coarsest clocks of the kernel advance only every 10 ms: a step can be off by that
/// much, and the rate by as much again.
const MIN_COARSE_JUMP_NS: f64 = 25e6;
/// From this number of steps on, the typical error of a step shows how coarse a clock is.
const MANY_STEPS: usize = 20;
/// The least jump, in ns, when there are many steps, or when both clocks are known to be fine.
const MIN_JUMP_NS: f64 = 1e6;
/// When there are many steps, a jump is at least this many times the typical error of a step.
const NOISE_FACTOR: f64 = 20.0;
/// The least number of steps between ticks of unknown length and ns: with fewer, a jump cannot be
/// distinguished from a rate.
const MIN_TICK_STEPS: usize = 3;

/// The resolution of a pair of clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grain {
    /// Both clocks have a resolution of a microsecond or better.
    Fine,
    /// One of them advances only every few milliseconds, or may do so.
    Coarse,
}

/// The drift of a clock `to` relative to a clock `from`.
#[derive(Clone, PartialEq, Debug)]
pub struct Drift {
    /// The number of snapshots that read both clocks.
    pub snapshots: usize,
    /// The rate: how far `to` advances while `from` advances by 1. This is the median over the
    /// steps between snapshots. 1 for clocks in ns if no two neighbouring snapshots are at least a
    /// second apart.
    pub rate: f64,
    /// The rate as its difference from 1, in parts per million.
    pub ppm: f64,
    /// The largest deviation of a reading of `to` from the rate, in ns, or in ticks if `to` counts
    /// ticks. Measured separately for each segment between jumps.
    pub max_residual_ns: i64,
    /// The jumps between the clocks, in the order of `from`.
    pub jumps: Vec<Jump>,
}

/// A change of the offset between two clocks that is not drift: one was set, or stood still.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Jump {
    /// The reading of `from` in the first snapshot after the jump.
    pub from: i64,
    /// The reading of `to` in that snapshot.
    pub to: i64,
    /// How far `to` advanced beyond the rate, in ns, or in ticks if `to` counts ticks.
    pub size_ns: i64,
}

/// Measures the drift between two clocks.
pub fn drift(edge: &Edge, grain: Grain) -> Drift {
    let pairs: Vec<(i64, i64)> = edge.pairs().collect();
    let steps = edge.steps();
    let rate = rate(&steps, edge.ticks());
    let mut jumps = Vec::new();
    let mut residual = 0.0_f64;
    let mut segment = 0;
    for index in find_jumps(&steps, rate, edge.ticks(), grain) {
        let (from, to) = pairs[index + 1];
        jumps.push(Jump { from, to, size_ns: excess(steps[index], rate).round() as i64 });
        residual = residual.max(max_residual(&steps, segment..index, rate));
        segment = index + 1;
    }
    residual = residual.max(max_residual(&steps, segment..steps.len(), rate));
    Drift {
        snapshots: pairs.len(),
        rate: rate.rate(),
        ppm: rate.drift() * 1e6,
        max_residual_ns: residual.round() as i64,
        jumps,
    }
}

/// How far `to` advanced beyond the rate in a step.
fn excess(step: Step, rate: Step) -> f64 {
    (step.to - step.from) as f64 - rate.drift() * step.from as f64
}

/// The indices of the steps in which the clocks jumped.
fn find_jumps(steps: &[Step], rate: Step, ticks: bool, grain: Grain) -> Vec<usize> {
    if ticks && steps.len() < MIN_TICK_STEPS {
        return Vec::new();
    }
    let off = |step: Step| excess(step, rate).abs();
    let (least, noise) = match (steps.len() >= MANY_STEPS, grain) {
        (true, _) => (MIN_JUMP_NS, NOISE_FACTOR * typical_deviation(steps, off)),
        (false, Grain::Fine) => (MIN_JUMP_NS, 0.0),
        (false, Grain::Coarse) => (MIN_COARSE_JUMP_NS, 0.0),
    };
    // Either clock may be the one in ns, so with ticks a jump must reach the minimum in both units.
    let least = least * if ticks { rate.rate().abs().max(1.0) } else { 1.0 };
    let is_jump = |step: Step| {
        let slewed = MAX_DRIFT * rate.rate().abs() * step.from as f64;
        off(step) > least.max(noise) + slewed
    };
    (0..steps.len()).filter(|&index| is_jump(steps[index])).collect()
}

/// The typical deviation of steps: the median over the longer half of the steps.
fn typical_deviation(steps: &[Step], off: impl Fn(Step) -> f64) -> f64 {
    let mut offs: Vec<f64> = longer_half(steps).into_iter().map(off).collect();
    offs.sort_unstable_by(f64::total_cmp);
    offs.get(offs.len() / 2).copied().unwrap_or(0.0)
}

/// The largest deviation of a reading in a segment without jumps. The line is placed at the median
/// of the readings, because the first reading may deviate as much as any other.
fn max_residual(steps: &[Step], segment: Range<usize>, rate: Step) -> f64 {
    // Sums are integers, so that the last reading is as exact as the first.
    let mut since = Step { from: 0, to: 0 };
    let mut off = vec![0.0];
    for step in &steps[segment] {
        since = Step { from: since.from + step.from, to: since.to + step.to };
        off.push(excess(since, rate));
    }
    off.sort_unstable_by(f64::total_cmp);
    let level = f64::midpoint(off[(off.len() - 1) / 2], off[off.len() / 2]);
    (off[off.len() - 1] - level).max(level - off[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;
    const S: i64 = 1000 * MS;

    fn drift(edge: &Edge) -> Drift {
        super::drift(edge, Grain::Coarse)
    }

    #[test]
    fn a_small_jump_shows_among_few_snapshots_of_clocks_known_to_be_fine() {
        let set = |i: i64| if i > 2 { 5 * MS } else { 0 };
        let edge = edge((0..6).map(|i| (i * S, i * S + set(i))));
        assert_eq!(sizes(&super::drift(&edge, Grain::Fine)), [5 * MS]);
        assert_eq!(sizes(&super::drift(&edge, Grain::Coarse)), []);
    }

    fn edge(pairs: impl IntoIterator<Item = (i64, i64)>) -> Edge {
        let mut edge = Edge::default();
        for (from, to) in pairs {
            assert!(edge.push(from, to));
        }
        edge
    }

    fn sizes(drift: &Drift) -> Vec<i64> {
        drift.jumps.iter().map(|jump| jump.size_ns).collect()
    }

    #[test]
    fn a_suspend_is_a_jump() {
        let monotonic = [1000, 1100, 1200, 1900, 2000, 2100];
        let boottime = [2000, 2100, 2200, 2900, 3500, 3600];
        let pairs = monotonic.into_iter().zip(boottime).map(|(from, to)| (from * MS, to * MS));
        let jump = Jump { from: 2000 * MS, to: 3500 * MS, size_ns: 500 * MS };
        let expected =
            Drift { snapshots: 6, rate: 1.0, ppm: 0.0, max_residual_ns: 0, jumps: vec![jump] };
        assert_eq!(drift(&edge(pairs.clone())), expected);
        let back = drift(&edge(pairs.map(|(from, to)| (to, from))));
        let jump = Jump { from: 3500 * MS, to: 2000 * MS, size_ns: -500 * MS };
        assert_eq!(back.jumps, [jump]);
    }

    #[test]
    fn wall_time_that_is_set_back_is_a_jump() {
        // Set back by half an hour after four minutes, while it drifts by 20 ppm.
        let set_back = |minute| if minute > 4 { 1800 * S } else { 0 };
        let pairs = (0..10).map(|minute| {
            (minute * 60 * S, 1_700_000_000 * S + minute * (60 * S + 1_200_000) - set_back(minute))
        });
        let drift = drift(&edge(pairs));
        assert!((drift.ppm - 20.0).abs() < 1e-9, "{}", drift.ppm);
        assert_eq!(sizes(&drift), [-1800 * S]);
        assert_eq!(drift.jumps[0].from, 300 * S);
        assert_eq!(drift.max_residual_ns, 0);
    }

    #[test]
    fn a_drift_is_no_jump() {
        let drift = drift(&edge((0..100).map(|i| (i * 10 * S, i * (10 * S + 500_000)))));
        assert!((drift.ppm - 50.0).abs() < 1e-9, "{}", drift.ppm);
        assert!((drift.rate - 1.000_05).abs() < 1e-12);
        assert_eq!((drift.max_residual_ns, sizes(&drift)), (0, vec![]));
    }

    #[test]
    fn a_clock_that_is_slewed_does_not_jump() {
        // 500 ppm for five of twenty steps of 10 s: 5 ms each, from a clock without any noise.
        let mut at = 0;
        let pairs = (0..21).map(|i| {
            at += 10 * S + if (8..13).contains(&i) { 5 * MS } else { 0 };
            (i * 10 * S, at)
        });
        let drift = drift(&edge(pairs));
        assert_eq!((drift.rate, sizes(&drift)), (1.0, vec![]));
        // Eight readings are 25 ms ahead of the first eight, the middle one 15.
        assert_eq!(drift.max_residual_ns, 15 * MS);
    }

    #[test]
    fn a_coarse_clock_does_not_jump() {
        for tick in [MS, 4 * MS, 10 * MS] {
            for snapshots in 2..60 {
                // Snapshots at arbitrary times within a tick.
                let time = |i: i64| i * 977 * MS + i * i * 7_654_321 % (13 * MS);
                let coarse = |i: i64| (time(i), time(i) / tick * tick);
                let there = drift(&edge((0..snapshots).map(coarse)));
                let back = drift(&edge((0..snapshots).map(coarse).map(|(from, to)| (to, from))));
                for drift in [there, back] {
                    assert_eq!(sizes(&drift), [], "{snapshots} snapshots, {tick} ns a tick");
                    assert!(drift.ppm.abs() <= 1000.0);
                }
            }
        }
    }

    #[test]
    fn a_small_jump_shows_among_many_snapshots_of_a_fine_clock() {
        let noise = |i: i64| i * i * 137 % 1000;
        let set = |i: i64| if i > 20 { 5 * MS } else { 0 };
        let drift = drift(&edge((0..60).map(|i| (i * S, i * S + noise(i) + set(i)))));
        assert_eq!(drift.jumps.len(), 1);
        assert_eq!(drift.jumps[0].from, 21 * S);
        assert!((drift.jumps[0].size_ns - 5 * MS).abs() < 2000);
        assert!((1..2000).contains(&drift.max_residual_ns), "{}", drift.max_residual_ns);
    }

    #[test]
    fn few_snapshots() {
        let none = drift(&Edge::default());
        assert_eq!((none.snapshots, none.rate, none.ppm), (0, 1.0, 0.0));
        let single = drift(&edge([(5, 7)]));
        assert_eq!((single.snapshots, single.rate, single.max_residual_ns), (1, 1.0, 0));
        // Two snapshots of one moment: each reading deviates by half of the difference.
        let moment = drift(&edge([(0, 0), (369_200, 705_900)]));
        assert_eq!((moment.ppm, moment.max_residual_ns, sizes(&moment)), (0.0, 168_350, vec![]));
        let drifting = drift(&edge([(0, 0), (10 * S, 10 * S + 200_000)]));
        assert!((drifting.ppm - 20.0).abs() < 1e-9);
        assert_eq!((drifting.max_residual_ns, sizes(&drifting)), (0, vec![]));
        // At the start of a recording and after a sleep of 3 s.
        let slept = drift(&edge([(0, 0), (5_000, 5_100), (10 * S, 13 * S)]));
        assert_eq!((slept.rate, slept.jumps.len()), (1.0, 1));
        assert_eq!(slept.jumps[0].size_ns, 3 * S - 100);
    }

    #[test]
    fn ticks_have_a_rate_of_their_own() {
        // Two ticks per ns. Then a minute in which the ticks stood still.
        let mut ticks = edge([(0, 50), (20_000, 9_750), (2 * S, S + 50), (4 * S, 2 * S + 50)]);
        assert!(ticks.push(6 * S, 3 * S + 50));
        ticks.set_ticks();
        let whole = drift(&ticks);
        assert_eq!((whole.rate, sizes(&whole)), (0.5, vec![]));
        assert_eq!(whole.max_residual_ns, 300);
        assert!(ticks.push(8 * S, 64 * S + 50), "a second and a minute");
        let slept = drift(&ticks);
        assert_eq!((slept.rate, sizes(&slept)), (0.5, vec![60 * S]));
    }

    #[test]
    fn the_ends_of_the_range_do_not_panic() {
        let drift = drift(&edge([(i64::MIN, i64::MAX), (i64::MAX, i64::MIN)]));
        assert_eq!(drift.snapshots, 2);
        assert_eq!(sizes(&drift), [i64::MIN]);
    }
}
