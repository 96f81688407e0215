//! The kernel: a formula over whole columns of readings, which changes at every snapshot.

/// Readings looked at together: enough for a formula to be vectorised, few enough to be at hand
/// still when they are converted. Measured: 64 is about as fast, 1,024 takes a third longer.
const BLOCK: usize = 128;

/// How readings convert between two snapshots.
pub(crate) trait Formula: Copy {
    /// How far from its snapshot a reading is near.
    fn reach(self) -> i64;

    /// Converts a reading that is near, without a branch.
    fn near(self, t: i64) -> i64;

    /// Converts any reading.
    fn far(self, t: i64) -> i64;
}

/// Adds an offset.
#[derive(Clone, Copy)]
pub(crate) struct Shift(pub(crate) i64);

impl Formula for Shift {
    /// 146 years.
    fn reach(self) -> i64 {
        i64::MAX / 2
    }

    fn near(self, t: i64) -> i64 {
        t.wrapping_add(self.0)
    }

    fn far(self, t: i64) -> i64 {
        self.near(t)
    }
}

/// Converts a column in place.
///
/// The readings of the snapshots, ascending and at least one, cut time into pieces: piece 0 lies
/// before the first, piece `i` begins with snapshot `i - 1`. `formula` is asked for that of a piece.
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
        if !cursor.window.holds(first) {
            cursor.seek(first);
        }
        // Columns mostly go forward, so the ends of a block tell most of it.
        if cursor.window.holds(last) && cursor.window.holds_all(block) {
            let formula = cursor.formula;
            for t in block {
                *t = formula.near(*t);
            }
        } else {
            cursor.one_by_one(block);
        }
    }
}

/// Readings of one piece that are near.
#[derive(Clone, Copy)]
struct Window {
    first: i64,
    /// From the first to the last; half of the range of `u64` at most.
    width: u64,
}

impl Window {
    fn holds(self, t: i64) -> bool {
        t.wrapping_sub(self.first) as u64 <= self.width
    }

    /// The same of all readings, without the comparison, which older processors do not have in
    /// vectors: of a reading that is before the first or after the last, one of the two distances
    /// has its highest bit set, since the width has not.
    fn holds_all(self, block: &[i64]) -> bool {
        let outside = block.iter().fold(0, |outside, t| {
            let distance = t.wrapping_sub(self.first) as u64;
            outside | distance | self.width.wrapping_sub(distance)
        });
        outside.cast_signed() >= 0
    }
}

/// Where in the snapshots a conversion is.
struct Cursor<'a, F, G> {
    snapshots: &'a [i64],
    formula_of: G,
    piece: usize,
    formula: F,
    window: Window,
}

impl<'a, F: Formula, G: Fn(usize) -> F> Cursor<'a, F, G> {
    fn new(snapshots: &'a [i64], formula_of: G, t: i64) -> Self {
        let piece = snapshots.partition_point(|&from| from <= t);
        let formula = formula_of(piece);
        let window = window(snapshots, piece, formula.reach());
        Self { snapshots, formula_of, piece, formula, window }
    }

    /// Goes to the piece in which `t` lies, which mostly is the next.
    fn seek(&mut self, t: i64) {
        let starts = self.snapshots.get(self.piece).is_some_and(|&from| from <= t);
        let ends = self.snapshots.get(self.piece + 1).is_some_and(|&from| from <= t);
        self.piece = match starts && !ends {
            true => self.piece + 1,
            false => self.snapshots.partition_point(|&from| from <= t),
        };
        self.formula = (self.formula_of)(self.piece);
        self.window = window(self.snapshots, self.piece, self.formula.reach());
    }

    fn one_by_one(&mut self, block: &mut [i64]) {
        for t in block {
            if !self.window.holds(*t) {
                self.seek(*t);
                if !self.window.holds(*t) {
                    *t = self.formula.far(*t);
                    continue;
                }
            }
            *t = self.formula.near(*t);
        }
    }
}

/// The readings of a piece that are no further than `reach` from its snapshot.
fn window(snapshots: &[i64], piece: usize, reach: i64) -> Window {
    let snapshot = snapshots[piece.saturating_sub(1)];
    let first = match piece {
        0 => snapshot.saturating_sub(reach),
        _ => snapshot,
    };
    let last = snapshots.get(piece).map_or(i64::MAX, |&next| next.saturating_sub(1));
    // Where nothing before the first snapshot is near, its own reading is held instead, of which
    // all formulas of a snapshot give the same.
    let last = last.min(snapshot.saturating_add(reach)).max(first);
    Window { first, width: last.abs_diff(first) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_ends_at_the_next_snapshot_or_out_of_reach() {
        let bounds = |piece, reach| {
            let Window { first, width } = window(&[10, 20], piece, reach);
            (first, first + width as i64)
        };
        assert_eq!(bounds(0, 3), (7, 9));
        assert_eq!(bounds(1, 3), (10, 13));
        assert_eq!(bounds(1, 100), (10, 19));
        assert_eq!(bounds(2, 100), (20, 120));
        assert_eq!(bounds(0, 0), (10, 10));
    }

    #[test]
    fn a_window_holds_all_of_a_block_or_not() {
        for (first, last) in [(10, 19), (i64::MIN, -1), (0, i64::MAX), (i64::MIN / 2, 100)] {
            let window = Window { first, width: last.wrapping_sub(first) as u64 };
            for t in [first, last, i64::midpoint(first, last)] {
                assert!(
                    window.holds(t) && window.holds_all(&[first, t]),
                    "{t} in {first}..={last}"
                );
            }
            for t in [first.wrapping_sub(1), last.wrapping_add(1), i64::MIN, i64::MAX, 0] {
                assert_eq!(window.holds_all(&[first, t]), (first..=last).contains(&t));
                assert_eq!(window.holds(t), (first..=last).contains(&t));
            }
        }
    }
}
