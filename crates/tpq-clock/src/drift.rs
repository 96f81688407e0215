//! How well two clocks keep together: how fast they drift apart, and where one of them was set or
//! stood still.

use std::ops::Range;

use crate::Edge;
use crate::rate::{MOST_DRIFT, Step, longer_half, rate};

/// A jump of clocks that may be coarse where there are too few steps to tell the noise, in ns. The
/// coarsest clocks of the kernel stand still for 10 ms at a time: a step can be off by that, and
/// the rate by as much again.
const LEAST_OF_COARSE_NS: f64 = 25e6;
/// From so many steps on, what they are mostly off by shows how coarse a clock is.
const MANY: usize = 20;
/// The least jump then, and of clocks known to be fine, in ns.
const LEAST_NS: f64 = 1e6;
/// A jump then is so many times what steps are mostly off by.
const TIMES_NOISE: f64 = 20.0;
/// Between ticks of unknown length and ns, fewer steps do not tell a jump from a rate.
const LEAST_STEPS_OF_TICKS: usize = 3;

/// How finely two clocks tell time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grain {
    /// Both to the microsecond or better.
    Fine,
    /// One of them stands still for milliseconds at a time, or may.
    Coarse,
}

/// How two clocks run by each other, where one says `from` and the other `to`.
#[derive(Clone, PartialEq, Debug)]
pub struct Drift {
    /// Snapshots that read both.
    pub snapshots: usize,
    /// How far `to` goes while `from` goes by 1: the median from snapshot to snapshot. 1 for clocks
    /// in ns that were not read together a second apart.
    pub rate: f64,
    /// The same as parts per million more than 1.
    pub ppm: f64,
    /// How far a reading of `to` is off at most from what the rate says, in ns, or in ticks if
    /// `to` counts ticks. Counted anew after each jump.
    pub max_residual_ns: i64,
    /// Where the clocks jumped against each other, in the order of `from`.
    pub jumps: Vec<Jump>,
}

/// A change of two clocks against each other that is no drift: one was set, or stood still.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Jump {
    /// What `from` read in the first snapshot after it.
    pub from: i64,
    /// What `to` read there.
    pub to: i64,
    /// How far `to` went beyond what the rate says, in ns, or in ticks if `to` counts ticks.
    pub size_ns: i64,
}

/// Measures how two clocks run by each other.
pub fn drift(edge: &Edge, grain: Grain) -> Drift {
    let pairs: Vec<(i64, i64)> = edge.pairs().collect();
    let steps = edge.steps();
    let rate = rate(&steps, edge.ticks());
    let mut jumps = Vec::new();
    let mut residual = 0.0_f64;
    let mut stretch = 0;
    for index in jumps_among(&steps, rate, edge.ticks(), grain) {
        let (from, to) = pairs[index + 1];
        jumps.push(Jump { from, to, size_ns: excess(steps[index], rate).round() as i64 });
        residual = residual.max(max_residual(&steps, stretch..index, rate));
        stretch = index + 1;
    }
    residual = residual.max(max_residual(&steps, stretch..steps.len(), rate));
    Drift {
        snapshots: pairs.len(),
        rate: rate.rate(),
        ppm: rate.drift() * 1e6,
        max_residual_ns: residual.round() as i64,
        jumps,
    }
}

/// How far `to` went in a step beyond what the rate says.
fn excess(step: Step, rate: Step) -> f64 {
    (step.to - step.from) as f64 - rate.drift() * step.from as f64
}

/// The steps in which the clocks jumped.
fn jumps_among(steps: &[Step], rate: Step, ticks: bool, grain: Grain) -> Vec<usize> {
    if ticks && steps.len() < LEAST_STEPS_OF_TICKS {
        return Vec::new();
    }
    let off = |step: Step| excess(step, rate).abs();
    let (least, noise) = match (steps.len() >= MANY, grain) {
        (true, _) => (LEAST_NS, TIMES_NOISE * mostly_off(steps, off)),
        (false, Grain::Fine) => (LEAST_NS, 0.0),
        (false, Grain::Coarse) => (LEAST_OF_COARSE_NS, 0.0),
    };
    // Either clock may be the one in ns, so with ticks a jump is long in the unit of both.
    let least = least * if ticks { rate.rate().abs().max(1.0) } else { 1.0 };
    let is_jump = |step: Step| {
        let slewed = MOST_DRIFT * rate.rate().abs() * step.from as f64;
        off(step) > least.max(noise) + slewed
    };
    (0..steps.len()).filter(|&index| is_jump(steps[index])).collect()
}

/// What steps are mostly off by: the median of the longer half.
fn mostly_off(steps: &[Step], off: impl Fn(Step) -> f64) -> f64 {
    let mut offs: Vec<f64> = longer_half(steps).into_iter().map(off).collect();
    offs.sort_unstable_by(f64::total_cmp);
    offs.get(offs.len() / 2).copied().unwrap_or(0.0)
}

/// How far a reading is off at most in a stretch without jumps. The line lies where half of the
/// readings are above it: its first reading may be as far off as any.
fn max_residual(steps: &[Step], stretch: Range<usize>, rate: Step) -> f64 {
    // Added up as integers, so that the last reading is as exact as the first.
    let mut since = Step { from: 0, to: 0 };
    let mut off = vec![0.0];
    for step in &steps[stretch] {
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
        // By half an hour after four minutes, while it drifts by 20 ppm.
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
                // At times that fall anywhere within a tick.
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
        // Of one moment; each reading is off by half of what they disagree.
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
        // Two ticks to the ns; then a minute in which they stood still.
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
