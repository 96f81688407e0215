//! The straight line through a snapshot, by which a reading is converted at a rate.

use crate::kernel::Formula;
use crate::rate::Step;

/// Drift up to which a line carries whole ns over and multiplies nothing but the drift.
///
/// A line must not fall where its rate is positive. A drift this small times the largest step
/// between two neighbouring values of `f64` in the range of `i64`, 1,024, is a quarter, which
/// rounding cannot make more than the 1 by which the reading went up.
const SMALL_DRIFT: f64 = 1.0 / 4096.0;

/// Integers below this, added to [`SHIFTER`], change its last bits only.
const EXACT: f64 = (1u64 << 51) as f64;

/// 1.5 · 2^52: here the neighbouring values of `f64` are 1 apart, so its bits plus an integer are
/// the bits of the sum, and a sum with it is rounded to an integer.
const SHIFTER: f64 = 3.0 * EXACT;
const SHIFTER_BITS: i64 = SHIFTER.to_bits() as i64;

/// `t` becomes `to + d + round(d · drift)` with `d = t - from`.
///
/// At `d = 0` that is `to` exactly. `drift` has a relative error of 2^-53 and the product another,
/// so the result is the line's value rounded to the nanosecond for as long as the clocks stay
/// within 26 days of each other. Where they run at very different rates (ticks, or one of them
/// slept) the sum of `d` and a rounded product would not always go up, so there the whole is
/// `to + round(d · rate)`: the nearest nanosecond for 26 days of either clock, and within a
/// nanosecond or two for a year.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    from: i64,
    to: i64,
    /// All bits set if `d` is carried over, none if not: an `and` vectorises, a product does not.
    whole: i64,
    /// The drift if `d` is carried over, else the rate.
    slope: f64,
}

impl Line {
    /// The line through a pair of readings at the rate of `step`.
    pub(crate) fn through((from, to): (i64, i64), step: Step) -> Self {
        let drift = step.drift();
        match drift.abs() <= SMALL_DRIFT {
            true => Self { from, to, whole: -1, slope: drift },
            false => Self { from, to, whole: 0, slope: step.rate() },
        }
    }

    /// The line from a pair of readings to the next, `step` further.
    pub(crate) fn between(pair: (i64, i64), step: Step) -> Self {
        let mut line = Self::through(pair, step);
        let (from, to) = (i128::from(pair.0) + step.from, i128::from(pair.1) + step.to);
        // Over months, rounding may carry a line past its end, from where the next one starts.
        while step.to >= 0 && line.value(from) > to {
            line.slope = line.slope.next_down();
        }
        line
    }

    /// The line's value without any limit to its range.
    fn value(self, t: i128) -> i128 {
        let d = t - i128::from(self.from);
        let product = (d as f64 * self.slope).round_ties_even();
        let whole = d & i128::from(self.whole);
        (i128::from(self.to) + whole).saturating_add(product as i128)
    }
}

impl Formula for Line {
    fn reach(self) -> i64 {
        // 1 less, so that a product that was rounded up is still below.
        (((EXACT - 1.0) / self.slope.abs().max(1.0)) as i64 - 1).max(0)
    }

    /// No instruction that every processor has converts between integers and `f64` in vectors;
    /// adding [`SHIFTER`] does.
    fn near(self, t: i64) -> i64 {
        let d = t.wrapping_sub(self.from);
        let exact = f64::from_bits(d.wrapping_add(SHIFTER_BITS) as u64) - SHIFTER;
        let rounded = (exact * self.slope + SHIFTER).to_bits() as i64;
        self.to.wrapping_add(d & self.whole).wrapping_add(rounded.wrapping_sub(SHIFTER_BITS))
    }

    fn far(self, t: i64) -> i64 {
        self.value(i128::from(t)) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DAY: i64 = 86_400_000_000_000;

    fn line(from: i64, to: i64) -> Line {
        Line::through((1_000, 5_000), Step { from: from.into(), to: to.into() })
    }

    #[test]
    fn lines_worked_by_hand() {
        let fast = line(1_000_000, 1_000_050);
        assert_eq!(fast.near(1_000), 5_000);
        assert_eq!(fast.near(1_001_000), 1_005_050);
        assert_eq!(fast.near(1_000 - 1_000_000), 5_000 - 1_000_050);
        assert_eq!(fast.near(1_000 + DAY), 5_000 + DAY + DAY / 1_000_000 * 50);
        let half = line(2, 1);
        assert_eq!(
            [1_002, 1_003, 1_004, 1_005, 998].map(|t| half.near(t)),
            [5_001, 5_002, 5_002, 5_002, 4_999]
        );
        let still = line(7, 0);
        assert_eq!(still.near(i64::from(u32::MAX)), 5_000);
    }

    #[test]
    fn a_year_away_a_drift_is_still_exact() {
        let fast = line(1_000_000, 1_000_050);
        let year = 365 * DAY;
        assert_eq!(fast.far(1_000 + year), 5_000 + year + year / 1_000_000 * 50);
        assert!(fast.reach() < year && fast.reach() > 26 * DAY);
    }

    #[test]
    fn the_ends_of_the_range_do_not_panic() {
        for line in [line(1, 1), line(2, 1), line(1, i64::MAX), line(i64::MAX, 1), line(1, -1)] {
            for t in [i64::MIN, i64::MAX, 0] {
                line.far(t);
            }
        }
    }

    proptest! {
        /// The two ways to compute give the same wherever both may be used.
        #[test]
        fn near_and_far_agree(
            from in 1i64..1 << 40,
            to in 0i64..1 << 40,
            part in -1.0f64..=1.0,
        ) {
            let line = line(from, to);
            let t = 1_000 + (part * line.reach() as f64) as i64;
            prop_assert_eq!(line.near(t), line.far(t));
        }

        #[test]
        fn a_line_goes_up(
            from in 1i64..1 << 40,
            to in prop_oneof![0i64..1 << 40, Just(0)],
            drift in -2_000i64..2_000,
            near_one in any::<bool>(),
            start in prop_oneof![-1i64 << 62..1 << 62, -1i64 << 50..1 << 50, -100i64..100],
        ) {
            let to = if near_one { from + drift * from / 1_000_000 } else { to };
            let line = Line::through((0, 0), Step { from: from.into(), to: to.into() });
            for d in 0..20 {
                let here = line.value(i128::from(start + d));
                prop_assert!(here <= line.value(i128::from(start + d + 1)));
            }
        }

        #[test]
        fn a_line_ends_where_the_next_begins(
            from in 1i128..1 << 63,
            to in 0i128..1 << 63,
            drift in -2_000i128..2_000,
            near_one in any::<bool>(),
        ) {
            let to = if near_one { from + drift * from / 1_000_000 } else { to };
            let end = Line::between((0, 0), Step { from, to }).value(from);
            prop_assert!(end <= to);
            // The nearest ns, or what an `f64` of this size can say.
            prop_assert!((to - end) as f64 <= 1.0 + to as f64 / EXACT, "{end} instead of {to}");
        }
    }
}
