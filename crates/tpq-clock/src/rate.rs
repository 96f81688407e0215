//! The rate of one clock relative to another, measured from their snapshots.

/// The shortest time between snapshots that a rate is measured over, in ns. The clocks of a
/// snapshot are read one after the other, sometimes a tenth of a millisecond apart. Over less than
/// a second this would look like a drift that no clock has.
const MIN_INTERVAL_NS: i128 = 1_000_000_000;

/// The largest drift between clocks in ns: a thousandth. Crystals are within 100 ppm, and the
/// kernel slews by up to 500 ppm. A clock that deviates more was set, or was asleep.
pub(crate) const MAX_DRIFT: f64 = 1e-3;

/// The advance of two clocks between two moments, or a rate: `to` units per `from` units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    pub(crate) from: i128,
    pub(crate) to: i128,
}

impl Step {
    /// The rate of clocks that run at the same speed.
    const SAME_RATE: Self = Self { from: 1, to: 1 };

    pub(crate) fn rate(self) -> f64 {
        self.to as f64 / self.from as f64
    }

    /// The rate minus 1. An `f64` holds more digits of this than of the rate itself.
    pub(crate) fn drift(self) -> f64 {
        (self.to - self.from) as f64 / self.from as f64
    }

    fn is_usable(self) -> bool {
        self.from >= MIN_INTERVAL_NS && self.drift().abs() <= MAX_DRIFT
    }
}

/// The rate between two clocks: the median over the usable steps.
///
/// Clocks that both count ns have the rate 1 unless steps that are long enough show another. Ticks
/// may have any length, so the longer half of the steps is used for them.
pub(crate) fn rate(steps: &[Step], ticks: bool) -> Step {
    let mut usable = match ticks {
        true => longer_half(steps),
        false => steps.iter().copied().filter(|step| step.is_usable()).collect(),
    };
    usable.sort_unstable_by(|a, b| a.drift().total_cmp(&b.drift()));
    // Of two steps in the middle the longer one is used: the time that the reads took disturbs it
    // less.
    let middle = usable.len().saturating_sub(1) / 2..=usable.len() / 2;
    let middle = usable.get(middle).into_iter().flatten();
    middle.copied().max_by_key(|step| step.from).unwrap_or(Step::SAME_RATE)
}

/// The longer half of the steps. The error from reading the clocks has the same size in all of
/// them, and a coarse clock often stands still in the shortest.
pub(crate) fn longer_half(steps: &[Step]) -> Vec<Step> {
    let mut steps = steps.to_vec();
    steps.sort_unstable_by_key(|step| std::cmp::Reverse(step.from));
    steps.truncate(steps.len().div_ceil(2));
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: i128 = 1_000_000_000;

    fn steps(steps: &[(i128, i128)]) -> Vec<Step> {
        steps.iter().map(|&(from, to)| Step { from, to }).collect()
    }

    #[test]
    fn the_median_of_long_steps() {
        // Two short steps that the reads disturbed, and two long ones that drifted by 20 and 30
        // ppm.
        let mut steps = steps(&[(5_000, 5_900), (S / 2, S / 2 + 400_000)]);
        steps.push(Step { from: 20 * S, to: 20 * S + 400_000 });
        steps.push(Step { from: 10 * S, to: 10 * S + 300_000 });
        assert!((rate(&steps, false).drift() - 20e-6).abs() < 1e-12, "the longer of the two");
        assert!((rate(&steps, true).drift() - 20e-6).abs() < 1e-12);
        steps.push(Step { from: 15 * S, to: 15 * S + 375_000 });
        assert!((rate(&steps, false).drift() - 25e-6).abs() < 1e-12);
        assert!((rate(&steps, true).drift() - 25e-6).abs() < 1e-12);
    }

    #[test]
    fn clocks_in_ns_have_the_same_rate_by_default() {
        assert_eq!(rate(&[], false), Step::SAME_RATE);
        // Snapshots of one moment, like those at the start of a recording.
        assert_eq!(rate(&steps(&[(369_200, 705_900)]), false), Step::SAME_RATE);
        // Asleep for half of the time.
        assert_eq!(rate(&steps(&[(10 * S, 20 * S)]), false), Step::SAME_RATE);
    }

    #[test]
    fn ticks_have_any_length() {
        let mut steps = steps(&[(90, 40), (100, 0), (2_000, 1_000), (2_000, 1_001)]);
        assert!((0.5..0.501).contains(&rate(&steps, true).rate()));
        // An hour in which the ticks stopped is one step among many.
        steps.push(Step { from: 2_000, to: 1_000 });
        steps.push(Step { from: 20_000_000, to: 3_600 * S });
        assert!((0.5..0.501).contains(&rate(&steps, true).rate()));
    }
}
