//! The conversion kernel: applies a formula to whole columns of readings. The formula changes at
//! every snapshot.

/// Number of readings in a block: enough for a formula to be vectorised, and few enough to still be
/// in the cache when they are converted. Measured: 64 is about as fast, 1,024 takes a third longer.
const BLOCK: usize = 128;

/// The conversion of readings between two snapshots.
pub(crate) trait Formula: Copy {
    /// The largest distance from its snapshot at which [`Self::convert_near`] is exact.
    fn near_range(self) -> i64;

    /// Converts a reading within [`Self::near_range`], without a branch.
    fn convert_near(self, t: i64) -> i64;

    /// Converts any reading.
    fn convert_far(self, t: i64) -> i64;
}

/// Adds a constant offset.
#[derive(Clone, Copy)]
pub(crate) struct ConstantOffset(pub(crate) i64);

impl Formula for ConstantOffset {
    /// 146 years, in ns.
    fn near_range(self) -> i64 {
        i64::MAX / 2
    }

    fn convert_near(self, t: i64) -> i64 {
        t.wrapping_add(self.0)
    }

    fn convert_far(self, t: i64) -> i64 {
        self.convert_near(t)
    }
}

/// Converts a column in place.
///
/// The readings of the snapshots are ascending and at least one. They divide time into segments:
/// segment 0 is before the first snapshot, segment `i` begins with snapshot `i - 1`. `formula`
/// returns the formula of a segment.
pub(crate) fn convert<F: Formula>(
    snapshots: &[i64],
    formula: impl Fn(usize) -> F,
    column: &mut [i64],
) {
    let Some(&first) = column.first() else { return };
    let mut cursor = Cursor::new(snapshots, formula, first);
    for block in column.chunks_mut(BLOCK) {
        let &mut [first, .., last] = block else {
            cursor.one_by_one(block);
            continue;
        };
        if !cursor.window.contains(first) {
            cursor.seek(first);
        }
        // Columns are mostly ascending, so the ends of a block usually decide whether it is inside.
        if cursor.window.contains(last) && cursor.window.contains_all(block) {
            let formula = cursor.formula;
            for t in block {
                *t = formula.convert_near(*t);
            }
        } else {
            cursor.one_by_one(block);
        }
    }
}

/// The range of readings in one segment that are near its snapshot.
#[derive(Clone, Copy)]
struct Window {
    first: i64,
    /// The distance from the first to the last reading: at most half of the range of `u64`.
    width: u64,
}

impl Window {
    fn contains(self, t: i64) -> bool {
        t.wrapping_sub(self.first) as u64 <= self.width
    }

    /// Whether all readings are in the range. This uses no comparison, because older processors
    /// cannot compare such numbers in vectors. For a reading before the first or after the last,
    /// one of the two distances has its highest bit set, because the width has not.
    fn contains_all(self, block: &[i64]) -> bool {
        let outside = block.iter().fold(0, |outside, t| {
            let distance = t.wrapping_sub(self.first) as u64;
            outside | distance | self.width.wrapping_sub(distance)
        });
        outside.cast_signed() >= 0
    }
}

/// The position of a conversion within the snapshots.
struct Cursor<'a, F, G> {
    snapshots: &'a [i64],
    formula_of: G,
    segment: usize,
    formula: F,
    window: Window,
}

impl<'a, F: Formula, G: Fn(usize) -> F> Cursor<'a, F, G> {
    fn new(snapshots: &'a [i64], formula_of: G, t: i64) -> Self {
        let segment = snapshots.partition_point(|&from| from <= t);
        let formula = formula_of(segment);
        let window = window(snapshots, segment, formula.near_range());
        Self { snapshots, formula_of, segment, formula, window }
    }

    /// Moves to the segment that contains `t`, which is usually the next one.
    fn seek(&mut self, t: i64) {
        let starts = self.snapshots.get(self.segment).is_some_and(|&from| from <= t);
        let ends = self.snapshots.get(self.segment + 1).is_some_and(|&from| from <= t);
        self.segment = match starts && !ends {
            true => self.segment + 1,
            false => self.snapshots.partition_point(|&from| from <= t),
        };
        self.formula = (self.formula_of)(self.segment);
        self.window = window(self.snapshots, self.segment, self.formula.near_range());
    }

    fn one_by_one(&mut self, block: &mut [i64]) {
        for t in block {
            if !self.window.contains(*t) {
                self.seek(*t);
                if !self.window.contains(*t) {
                    *t = self.formula.convert_far(*t);
                    continue;
                }
            }
            *t = self.formula.convert_near(*t);
        }
    }
}

/// The readings of a segment that are no further than `near_range` from its snapshot.
fn window(snapshots: &[i64], segment: usize, near_range: i64) -> Window {
    let snapshot = snapshots[segment.saturating_sub(1)];
    let first = match segment {
        0 => snapshot.saturating_sub(near_range),
        _ => snapshot,
    };
    let last = snapshots.get(segment).map_or(i64::MAX, |&next| next.saturating_sub(1));
    // If no reading before the first snapshot is near, the range holds the reading of the snapshot
    // itself. All formulas of a snapshot give the same result for it.
    let last = last.min(snapshot.saturating_add(near_range)).max(first);
    Window { first, width: last.abs_diff(first) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_ends_at_the_next_snapshot_or_out_of_reach() {
        let bounds = |segment, near_range| {
            let Window { first, width } = window(&[10, 20], segment, near_range);
            (first, first + width as i64)
        };
        assert_eq!(bounds(0, 3), (7, 9));
        assert_eq!(bounds(1, 3), (10, 13));
        assert_eq!(bounds(1, 100), (10, 19));
        assert_eq!(bounds(2, 100), (20, 120));
        assert_eq!(bounds(0, 0), (10, 10));
    }

    #[test]
    fn contains_all_checks_every_reading_of_a_block() {
        for (first, last) in [(10, 19), (i64::MIN, -1), (0, i64::MAX), (i64::MIN / 2, 100)] {
            let window = Window { first, width: last.wrapping_sub(first) as u64 };
            for t in [first, last, i64::midpoint(first, last)] {
                assert!(
                    window.contains(t) && window.contains_all(&[first, t]),
                    "{t} in {first}..={last}"
                );
            }
            for t in [first.wrapping_sub(1), last.wrapping_add(1), i64::MIN, i64::MAX, 0] {
                assert_eq!(window.contains_all(&[first, t]), (first..=last).contains(&t));
                assert_eq!(window.contains(t), (first..=last).contains(&t));
            }
        }
    }
}
