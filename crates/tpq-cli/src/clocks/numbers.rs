//! Rates and drifts of clocks, formatted as text.

use tpq::Measured;

use crate::layout::{duration, grouped};

/// The numbers of one clock, or of several clocks with the same conversion.
pub struct Numbers {
    /// How often each clock was read.
    pub snapshots: Option<String>,
    /// How much faster each clock runs: in ppm, or its ticks per ns.
    pub drift: Option<String>,
    /// The largest uncertainty of the drift.
    pub uncertainty: Option<String>,
    /// The largest deviation of a reading.
    pub residual: Option<String>,
}

impl Numbers {
    pub fn of(measured: &[&Measured], ticks: bool) -> Self {
        let all = || measured.iter();
        let known = || all().filter(|it| it.rate.is_some());
        let uncertainty = known().map(|it| it.ppm_uncertainty).max_by(f64::total_cmp);
        let residual = known().map(|it| it.max_residual_ns.unsigned_abs()).max();
        Self {
            snapshots: range(all().map(|it| it.snapshots), |it| grouped(it as u64)),
            drift: match ticks {
                true => range(all().filter_map(|it| it.rate), |rate| format!("{rate:.6}"))
                    .map(|rate| format!("{rate} ticks/ns")),
                false => range(all().filter_map(|it| it.ppm), |ppm| format!("{ppm:+.3}")),
            },
            uncertainty: uncertainty.map(|ppm| format!("{ppm:.3}")),
            residual: residual.map(duration),
        }
    }
}

/// One number, or the least and the greatest if their texts differ.
fn range<T: PartialOrd + Copy>(
    numbers: impl Iterator<Item = T>,
    show: impl Fn(T) -> String,
) -> Option<String> {
    let mut ends: Option<(T, T)> = None;
    for number in numbers {
        let (least, greatest) = ends.get_or_insert((number, number));
        *least = if number < *least { number } else { *least };
        *greatest = if number > *greatest { number } else { *greatest };
    }
    let (least, greatest) = ends.map(|(least, greatest)| (show(least), show(greatest)))?;
    Some(if least == greatest { least } else { format!("{least} to {greatest}") })
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn numbers_with_equal_texts_are_one() {
        let show = |number: f64| format!("{number:.1}");
        assert_eq!(range([].into_iter(), show), None);
        assert_eq!(range([1.01, 1.02].into_iter(), show), Some("1.0".to_owned()));
        assert_eq!(range([2.0, -1.0, 1.0].into_iter(), show), Some("-1.0 to 2.0".to_owned()));
    }
}
