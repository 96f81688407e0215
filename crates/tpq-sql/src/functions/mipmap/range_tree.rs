//! Summaries of ranges of rows, in levels of powers of two.

use std::ops::Range;

/// A summary of every two rows, of every four, of every eight, and so on. Rows themselves are not
/// stored. Together the levels have as many summaries as there are rows, at most.
#[derive(Debug)]
pub(super) struct RangeTree<T> {
    levels: Vec<Vec<T>>,
}

impl<T: Copy> RangeTree<T> {
    /// Builds the tree of `rows` rows. `row` gives the summary of one row, `combine` that of two
    /// ranges; the order of its arguments must not matter.
    pub(super) fn build(
        rows: usize,
        row: impl Fn(usize) -> T,
        combine: impl Fn(T, T) -> T,
    ) -> Self {
        let pairs = (0..rows / 2).map(|pair| combine(row(2 * pair), row(2 * pair + 1)));
        let mut levels: Vec<Vec<T>> = vec![pairs.collect()];
        while let Some(below) = levels.last().filter(|below| below.len() > 1) {
            let pairs = below.chunks_exact(2).map(|pair| combine(pair[0], pair[1]));
            let level = pairs.collect();
            levels.push(level);
        }
        Self { levels }
    }

    /// The summary of a range of rows; `None` if it is empty. `row` and `combine` are those that
    /// the tree was built with.
    pub(super) fn summary(
        &self,
        rows: Range<usize>,
        row: impl Fn(usize) -> T,
        combine: impl Fn(T, T) -> T,
    ) -> Option<T> {
        let Range { mut start, mut end } = rows;
        let mut found: Option<T> = None;
        let mut level = 0;
        while start < end {
            let at = |index: usize| match level {
                0 => Some(row(index)),
                level => self.levels.get(level - 1)?.get(index).copied(),
            };
            // An odd start is no first of a pair, an odd end is after the first of one.
            if start % 2 == 1 {
                found = join(found, at(start), &combine);
                start += 1;
            }
            if end % 2 == 1 {
                end -= 1;
                found = join(found, at(end), &combine);
            }
            (start, end, level) = (start / 2, end / 2, level + 1);
        }
        found
    }
}

fn join<T>(one: Option<T>, other: Option<T>, combine: impl Fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(combine(one, other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_range_has_its_summary() {
        let values = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5];
        for length in 0..=values.len() {
            let tree = RangeTree::build(length, |row| values[row], i32::max);
            for start in 0..=length {
                for end in start..=length {
                    let expected = values[start..end].iter().copied().max();
                    let found = tree.summary(start..end, |row| values[row], i32::max);
                    assert_eq!(found, expected, "{start}..{end} of {length}");
                }
            }
        }
    }
}
