//! The sweep over both sides of an intersection, in the order of partition and start.
//!
//! Between two starts on one side, the intervals of the other side that start there are handled
//! together: if one interval is open, those that it reaches are one run of pairs.

use std::ops::Range;

use datafusion::common::Result;

use super::runs::{Along, Run, Runs};
use super::side::{Side, search};
use crate::cancel;

/// A place in the sweep: how many intervals of each side come before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cut {
    left: usize,
    right: usize,
}

/// The places that cut a sweep into `parts` parts, with its start and its end.
pub(super) fn cuts(left: Side, right: Side, parts: usize) -> Vec<Cut> {
    let parts = parts.clamp(1, left.len().max(right.len()).max(1));
    // A left interval comes before a right one with the same start.
    let inner = (1..parts).map(|part| match left.len() >= right.len() {
        true => {
            let at = left.len() / parts * part;
            let order = left.order(at);
            Cut { left: at, right: search(0..right.len(), |other| right.order(other) < order) }
        }
        false => {
            let at = right.len() / parts * part;
            let order = right.order(at);
            Cut { left: search(0..left.len(), |other| left.order(other) <= order), right: at }
        }
    });
    let start = Cut { left: 0, right: 0 };
    let end = Cut { left: left.len(), right: right.len() };
    [start].into_iter().chain(inner).chain([end]).collect()
}

/// Finds the pairs of overlapping intervals of which the later one starts from one place of the
/// sweep up to another, in the order of the later start. If all intervals overlap, the number of
/// pairs is the product of both lengths.
///
/// # Errors
/// When the statement is cancelled, or there is not enough memory.
pub(super) fn sweep(left: Side, right: Side, from: Cut, to: Cut, found: &mut Runs) -> Result<()> {
    let mut at = from;
    loop {
        let next_left = (at.left < to.left).then(|| left.key(at.left));
        let next_right = (at.right < to.right).then(|| right.key(at.right));
        let Some(key) = next_left.into_iter().chain(next_right).min() else { return Ok(()) };
        let first = Cut { left: left.first_of(key, at.left), right: right.first_of(key, at.right) };
        let end = Cut {
            left: left.end_of(key, at.left..to.left),
            right: right.end_of(key, at.right..to.right),
        };
        sweep_partition(left, right, first, at..end, found)?;
        at = end;
    }
}

/// The same within a partition, of which the first interval of each side is known.
fn sweep_partition(
    left: Side,
    right: Side,
    first: Cut,
    cuts: Range<Cut>,
    found: &mut Runs,
) -> Result<()> {
    let Range { start: mut at, end } = cuts;
    let (mut open_left, mut open_right) = (Open::since(first.left), Open::since(first.right));
    while at != end {
        cancel::check()?;
        let (is_left, is_right) = (at.left < end.left, at.right < end.right);
        if is_left && !(is_right && right.start(at.right) < left.start(at.left)) {
            let next = match is_right {
                true => {
                    let until = right.start(at.right);
                    search(at.left..end.left, |other| left.start(other) <= until)
                }
                false => end.left,
            };
            let coming = Coming { side: left, along: Along::Left };
            open_right.meet(right, at.right, coming, at.left..next, found)?;
            at.left = next;
        } else {
            let next = match is_left {
                true => {
                    let until = left.start(at.left);
                    search(at.right..end.right, |other| right.start(other) < until)
                }
                false => end.right,
            };
            let coming = Coming { side: right, along: Along::Right };
            open_left.meet(left, at.left, coming, at.right..next, found)?;
            at.right = next;
        }
    }
    Ok(())
}

/// The side of which intervals start next.
#[derive(Clone, Copy)]
struct Coming<'a> {
    side: Side<'a>,
    along: Along,
}

impl Coming<'_> {
    /// The pairs of some of its intervals with one of the other side.
    fn run(&self, coming: Range<usize>, open: usize) -> Run {
        let count = coming.len();
        match self.along {
            Along::Left => Run::new(coming.start, open, count, Along::Left),
            Along::Right => Run::new(open, coming.start, count, Along::Right),
        }
    }
}

/// The intervals of a side that have started and may not have ended.
struct Open {
    /// Those that had not ended when the other side was last looked at, in the order of starts.
    kept: Vec<u32>,
    /// The first interval that started after that.
    since: usize,
}

impl Open {
    fn since(since: usize) -> Self {
        Self { kept: Vec::new(), since }
    }

    /// Finds the pairs of open intervals with those in a range of the other side, before which the
    /// first `started` of this side have started, and none starts within.
    fn meet(
        &mut self,
        side: Side,
        started: usize,
        coming: Coming,
        range: Range<usize>,
        found: &mut Runs,
    ) -> Result<()> {
        let Range { start: mut at, end } = range;
        if at < end {
            self.look(side, started, coming.side.start(at));
        }
        while at < end {
            match &self.kept[..] {
                [] => break,
                &[only] => {
                    let only = only as usize;
                    let reached = |other| side.reaches(only, coming.side.start(other));
                    let next = search(at..end, reached);
                    found.push(coming.run(at..next, only));
                    if next < end {
                        self.kept.clear();
                    }
                    at = next;
                }
                _ => {
                    let start = coming.side.start(at);
                    self.kept.retain(|&open| {
                        let reaches = side.reaches(open as usize, start);
                        if reaches {
                            found.push(coming.run(at..at + 1, open as usize));
                        }
                        reaches
                    });
                    at += 1;
                    cancel::check()?;
                }
            }
            found.check()?;
        }
        Ok(())
    }

    /// Keeps the intervals that an interval with this start overlaps. Later ones overlap no other.
    fn look(&mut self, side: Side, started: usize, start: i64) {
        self.kept.retain(|&open| side.reaches(open as usize, start));
        let new = self.since..started;
        self.kept.extend(new.filter(|&open| side.reaches(open, start)).map(|open| open as u32));
        self.since = started;
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::super::runs::Pairs;
    use super::super::side::Intervals;
    use super::*;

    /// The key, start and end of an interval.
    type Interval = (u32, i64, i64);

    fn sorted(mut intervals: Vec<Interval>) -> Vec<Interval> {
        intervals.sort_by_key(|&(key, start, _)| (key, start));
        intervals
    }

    fn side_of(intervals: &[Interval], has_keys: bool) -> Intervals<'static> {
        let starts = intervals.iter().map(|&(_, start, _)| start).collect();
        let durs = intervals.iter().map(|&(_, start, end)| end - start).collect();
        let keys = has_keys.then(|| intervals.iter().map(|&(key, ..)| key).collect());
        Intervals::new(Cow::Owned(starts), Cow::Owned(durs), keys).expect("few intervals")
    }

    /// The pairs that a sweep in some parts finds.
    fn pairs(left: &[Interval], right: &[Interval], parts: usize) -> Vec<(usize, usize)> {
        let has_keys = left.iter().chain(right).any(|&(key, ..)| key != 0);
        let (left, right) = (side_of(left, has_keys), side_of(right, has_keys));
        let (left, right) = (left.side(), right.side());
        let pairs = Pairs::of(left, right, parts, None).expect("is not cancelled");
        pairs.fill(|left, right| (left, right)).expect("is not cancelled")
    }

    /// The same, one start after the other.
    fn simple(left: &[Interval], right: &[Interval]) -> Vec<(usize, usize)> {
        let lefts = left.iter().enumerate().map(|(at, interval)| (interval, 0, at));
        let rights = right.iter().enumerate().map(|(at, interval)| (interval, 1, at));
        let mut starts: Vec<(&Interval, u8, usize)> = lefts.chain(rights).collect();
        starts.sort_by_key(|&(interval, side, _)| (interval.0, interval.1, side));
        let mut pairs = Vec::new();
        for (number, &(later, side, at)) in starts.iter().enumerate() {
            for &(earlier, other, before) in &starts[..number] {
                let overlaps = later.1 < earlier.2 || later.1 == earlier.1;
                if other != side && earlier.0 == later.0 && overlaps {
                    pairs.push(if side == 0 { (at, before) } else { (before, at) });
                }
            }
        }
        pairs
    }

    #[test]
    fn touching_is_not_overlapping() {
        let left = [(0, 0, 10), (0, 10, 20)];
        assert_eq!(pairs(&left, &[(0, 10, 11)], 1), [(1, 0)]);
        // An empty interval overlaps an interval that starts at the same time, not one that ends.
        assert_eq!(pairs(&left, &[(0, 10, 10)], 1), [(1, 0)]);
        assert_eq!(pairs(&[(0, 10, 10)], &left, 1), [(0, 1)]);
        assert_eq!(pairs(&[(0, 5, 5)], &[(0, 5, 5)], 1), [(0, 0)]);
        assert_eq!(pairs(&left, &[(1, 0, 20)], 1), []);
        assert_eq!(pairs(&[], &left, 3), []);
    }

    #[test]
    fn a_bucket_takes_all_that_start_within_it() {
        let left = [(0, 0, 4), (0, 4, 11), (0, 12, 13), (0, 19, 25)];
        let buckets = [(0, 0, 10), (0, 10, 20), (0, 20, 30)];
        let expected = [(0, 0), (1, 0), (1, 1), (2, 1), (3, 1), (3, 2)];
        for parts in 1..6 {
            assert_eq!(pairs(&left, &buckets, parts), expected);
        }
    }

    #[test]
    fn parts_of_the_sweep_find_the_pairs_of_a_nested_loop_in_order() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut below = |end: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            i64::try_from(state % end).unwrap()
        };
        for round in 0..2000 {
            let (keys, longest) = (1 + below(3) as u64, 1 + below(12) as u64);
            let mut any = || {
                let count = below([4, 40][round % 2]);
                let some = |_| {
                    let start = below(20);
                    (u32::try_from(below(keys)).unwrap(), start, start + below(longest))
                };
                sorted((0..count).map(some).collect())
            };
            let (left, right) = (any(), any());
            let expected = simple(&left, &right);
            for parts in [1, 2, 3, 7] {
                assert_eq!(pairs(&left, &right, parts), expected, "{left:?} {right:?} {parts}");
            }
        }
    }

    #[test]
    fn cuts_are_places_of_the_sweep() {
        let left: Vec<Interval> = (0..10).map(|at| (0, at * 10, at * 10 + 10)).collect();
        let left = side_of(&left, false);
        let right = side_of(&[(0, 20, 30), (0, 51, 60)], false);
        let (left, right) = (left.side(), right.side());
        let cut = |left, right| Cut { left, right };
        // At 20, the left interval starts first.
        let expected = [cut(0, 0), cut(2, 0), cut(4, 1), cut(6, 2), cut(8, 2), cut(10, 2)];
        assert_eq!(cuts(left, right, 5), expected);
        let expected = [cut(0, 0), cut(1, 2), cut(1, 4), cut(2, 6), cut(2, 8), cut(2, 10)];
        assert_eq!(cuts(right, left, 5), expected);
    }
}
