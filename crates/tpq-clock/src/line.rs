//! The straight line through a snapshot, which converts readings at a constant rate.

use crate::kernel::Formula;
use crate::rate::Step;

/// The largest drift at which a line adds whole ns unchanged and multiplies only by the drift.
///
/// A line must not fall where its rate is positive. The largest step between two neighbouring `f64`
/// values in the range of `i64` is 1,024. Multiplied by a drift this small, that is a quarter, so
/// rounding cannot exceed the 1 by which the reading increased.
const SMALL_DRIFT: f64 = 1.0 / 4096.0;

/// Integers below this limit change only the last bits of [`SHIFTER`] when they are added to it.
const EXACT: f64 = (1u64 << 51) as f64;

/// 1.5 · 2^52. Neighbouring `f64` values are 1 apart here, so the bits of this number plus an
/// integer are the bits of the sum, and adding it to a number rounds that number to an integer.
const SHIFTER: f64 = 3.0 * EXACT;
const SHIFTER_BITS: i64 = SHIFTER.to_bits() as i64;

/// Converts `t` to `to + d + round(d · drift)` with `d = t - from`.
///
/// At `d = 0` the result is exactly `to`. `drift` has a relative error of 2^-53 and the product
/// another, so the result is the value of the line rounded to the nanosecond for as long as the
/// clocks stay within 26 days of each other. Where they run at very different rates (ticks, or one
/// of them slept), the sum of `d` and a rounded product would not always increase. There the result
/// is `to + round(d · rate)`: the nearest nanosecond for 26 days of either clock, and within a
/// nanosecond or two for a year.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    from: i64,
    to: i64,
    /// A mask for `d`: all bits set if `d` is added unchanged, none if not. An `and` vectorises, a
    /// product does not.
    whole_mask: i64,
    /// The drift if `d` is added unchanged, else the rate.
    slope: f64,
}

impl Line {
    /// Returns the line through a pair of readings at the rate of `step`.
    pub(crate) fn through((from, to): (i64, i64), step: Step) -> Self {
        let drift = step.drift();
        match drift.abs() <= SMALL_DRIFT {
            true => Self { from, to, whole_mask: -1, slope: drift },
            false => Self { from, to, whole_mask: 0, slope: step.rate() },
        }
    }

    /// Returns the line from a pair of readings to the next pair, which is `step` further.
    pub(crate) fn between(pair: (i64, i64), step: Step) -> Self {
        let mut line = Self::through(pair, step);
        let (from, to) = (i128::from(pair.0) + step.from, i128::from(pair.1) + step.to);
        // Over months, rounding may move the end of a line beyond the start of the next one.
        while step.to >= 0 && line.value(from) > to {
            line.slope = line.slope.next_down();
        }
        line
    }

    /// The value of the line at `t`, without a limit to its range.
    fn value(self, t: i128) -> i128 {
        let d = t - i128::from(self.from);
        let product = (d as f64 * self.slope).round_ties_even();
        let whole = d & i128::from(self.whole_mask);
        (i128::from(self.to) + whole).saturating_add(product as i128)
    }
}

impl Formula for Line {
    fn near_range(self) -> i64 {
        // One less, so that a product that was rounded up is still below the limit.
        (((EXACT - 1.0) / self.slope.abs().max(1.0)) as i64 - 1).max(0)
    }

    /// No instruction that all processors have converts between integers and `f64` in vectors.
    /// Adding [`SHIFTER`] does.
    fn convert_near(self, t: i64) -> i64 {
        let d = t.wrapping_sub(self.from);
        let exact = f64::from_bits(d.wrapping_add(SHIFTER_BITS) as u64) - SHIFTER;
        let rounded = (exact * self.slope + SHIFTER).to_bits() as i64;
        self.to.wrapping_add(d & self.whole_mask).wrapping_add(rounded.wrapping_sub(SHIFTER_BITS))
    }

    fn convert_far(self, t: i64) -> i64 {
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
        assert_eq!(fast.convert_near(1_000), 5_000);
        assert_eq!(fast.convert_near(1_001_000), 1_005_050);
        assert_eq!(fast.convert_near(1_000 - 1_000_000), 5_000 - 1_000_050);
        assert_eq!(fast.convert_near(1_000 + DAY), 5_000 + DAY + DAY / 1_000_000 * 50);
        let half = line(2, 1);
        assert_eq!(
            [1_002, 1_003, 1_004, 1_005, 998].map(|t| half.convert_near(t)),
            [5_001, 5_002, 5_002, 5_002, 4_999]
        );
        let still = line(7, 0);
        assert_eq!(still.convert_near(i64::from(u32::MAX)), 5_000);
    }

    #[test]
    fn a_year_away_a_drift_is_still_exact() {
        let fast = line(1_000_000, 1_000_050);
        let year = 365 * DAY;
        assert_eq!(fast.convert_far(1_000 + year), 5_000 + year + year / 1_000_000 * 50);
        assert!(fast.near_range() < year && fast.near_range() > 26 * DAY);
    }

    #[test]
    fn the_ends_of_the_range_do_not_panic() {
        for line in [line(1, 1), line(2, 1), line(1, i64::MAX), line(i64::MAX, 1), line(1, -1)] {
            for t in [i64::MIN, i64::MAX, 0] {
                line.convert_far(t);
            }
        }
    }

    proptest! {
        /// Both ways to compute a value give the same result wherever both are valid.
        #[test]
        fn near_and_far_agree(
            from in 1i64..1 << 40,
            to in 0i64..1 << 40,
            part in -1.0f64..=1.0,
        ) {
            let line = line(from, to);
            let t = 1_000 + (part * line.near_range() as f64) as i64;
            prop_assert_eq!(line.convert_near(t), line.convert_far(t));
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
            // The nearest ns, or the precision of an `f64` of this size.
            prop_assert!((to - end) as f64 <= 1.0 + to as f64 / EXACT, "{end} instead of {to}");
        }
    }
}
