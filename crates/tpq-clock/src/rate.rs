//! How fast one clock runs by another, as their snapshots tell.

/// The shortest time between snapshots that tells a rate, in ns. The clocks of a snapshot are read
/// one after the other, at times a tenth of a millisecond apart; over less than a second that
/// would be taken for a drift that no clock has.
const LEAST: i128 = 1_000_000_000;

/// How far clocks in ns drift from each other at most: a thousandth. Crystals are within 100 ppm
/// and the kernel slews by up to 500; what differs more was set, or was asleep.
pub(crate) const MOST_DRIFT: f64 = 1e-3;

/// How far two clocks went between two moments, or what a rate is: so much `to` for so much `from`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    pub(crate) from: i128,
    pub(crate) to: i128,
}

impl Step {
    /// The rate of clocks that run alike.
    const ALIKE: Self = Self { from: 1, to: 1 };

    pub(crate) fn rate(self) -> f64 {
        self.to as f64 / self.from as f64
    }

    /// The rate less 1, of which `f64` has more digits than of the rate.
    pub(crate) fn drift(self) -> f64 {
        (self.to - self.from) as f64 / self.from as f64
    }

    fn tells_a_rate(self) -> bool {
        self.from >= LEAST && self.drift().abs() <= MOST_DRIFT
    }
}

/// The rate of two clocks: the median over the steps that tell it.
///
/// Clocks that both count ns run alike unless steps long enough tell otherwise. Ticks may have any
/// length, so there the longer half of the steps tells.
pub(crate) fn rate(steps: &[Step], ticks: bool) -> Step {
    let mut telling = match ticks {
        true => longer_half(steps),
        false => steps.iter().copied().filter(|step| step.tells_a_rate()).collect(),
    };
    telling.sort_unstable_by(|a, b| a.drift().total_cmp(&b.drift()));
    // Between two in the middle the longer decides, of which reading disturbed less.
    let middle = telling.len().saturating_sub(1) / 2..=telling.len() / 2;
    let middle = telling.get(middle).into_iter().flatten();
    middle.copied().max_by_key(|step| step.from).unwrap_or(Step::ALIKE)
}

/// The longer half of the steps. What reading took is the same in all of them, and a coarse clock
/// mostly stands still in the shortest.
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
        // Two short steps that reading disturbed, two long ones that drifted by 20 and 30 ppm.
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
    fn clocks_in_ns_run_alike_where_nothing_tells_otherwise() {
        assert_eq!(rate(&[], false), Step::ALIKE);
        // Snapshots of one moment, as at the start of a recording.
        assert_eq!(rate(&steps(&[(369_200, 705_900)]), false), Step::ALIKE);
        // Asleep for half of the time.
        assert_eq!(rate(&steps(&[(10 * S, 20 * S)]), false), Step::ALIKE);
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
