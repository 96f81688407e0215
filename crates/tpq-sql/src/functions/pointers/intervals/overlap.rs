//! `__intrinsic_interval_overlap_count_agg(ts, dur)`: how many intervals there are at a time, from
//! each start or end on.

use datafusion::arrow::array::{ArrayRef, Int64Array};
use datafusion::arrow::datatypes::Fields;
use datafusion::common::Result;

use super::checked_time;
use crate::functions::pointers::table::{integer, integer_column, to_column, to_nullable_column};

/// The duration of an interval without an end.
const NO_END: i64 = -1;

/// The columns of the result.
pub(super) fn columns() -> Fields {
    ["ts", "value"].into_iter().map(integer).collect()
}

/// A row for each time at which an interval starts or ends, in their order.
pub(super) fn counted(collected: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
    let (starts, durs) = (integer_column(collected, 0)?, integer_column(collected, 1)?);
    let bounds = Bounds::of(starts, durs)?;
    let mut counts = Counts { value: bounds.unknown.unwrap_or(0), ..Counts::default() };
    counts.add(&bounds.starts, &bounds.ends);
    Ok(match bounds.unknown {
        None => vec![to_column(counts.times), to_column(counts.values)],
        Some(count) => {
            let times = std::iter::once(None).chain(counts.times.into_iter().map(Some));
            let values = std::iter::once(count).chain(counts.values);
            vec![to_nullable_column(times.collect()), to_column(values.collect())]
        }
    })
}

/// The starts and ends of intervals, each in order.
struct Bounds {
    starts: Vec<i64>,
    ends: Vec<i64>,
    /// The number of intervals without a known start that do not end; `None` if all starts are
    /// known. NULL is before all times.
    unknown: Option<i64>,
}

impl Bounds {
    /// # Errors
    /// When an interval ends after the greatest integer.
    fn of(starts: &Int64Array, durs: &Int64Array) -> Result<Self> {
        let room = starts.len();
        let (all_starts, ends) = (Vec::with_capacity(room), Vec::with_capacity(room));
        let mut bounds = Self { starts: all_starts, ends, unknown: None };
        for (start, dur) in starts.iter().zip(durs) {
            let dur = dur.filter(|&dur| dur != NO_END);
            let Some(start) = start else {
                *bounds.unknown.get_or_insert(0) += i64::from(dur.is_none());
                continue;
            };
            bounds.starts.push(start);
            if let Some(dur) = dur {
                bounds.ends.push(checked_time(start.checked_add(dur))?);
            }
        }
        for times in [&mut bounds.starts, &mut bounds.ends] {
            if !times.is_sorted() {
                times.sort_unstable();
            }
        }
        Ok(bounds)
    }
}

/// The number of intervals from each time on.
#[derive(Default)]
struct Counts {
    times: Vec<i64>,
    values: Vec<i64>,
    /// The number of intervals after the last time.
    value: i64,
}

impl Counts {
    /// Counts intervals up and down at their starts and ends.
    fn add(&mut self, starts: &[i64], ends: &[i64]) {
        let (mut starts, mut ends) = (starts.iter().peekable(), ends.iter().peekable());
        loop {
            let next = match (starts.peek(), ends.peek()) {
                (Some(&&start), Some(&&end)) => start.min(end),
                (Some(&&only), None) | (None, Some(&&only)) => only,
                (None, None) => return,
            };
            while starts.next_if(|&&start| start == next).is_some() {
                self.value += 1;
            }
            while ends.next_if(|&&end| end == next).is_some() {
                self.value -= 1;
            }
            self.times.push(next);
            self.values.push(self.value);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::AsArray;
    use datafusion::arrow::datatypes::Int64Type;

    use super::*;

    /// The times with the number of intervals from then on.
    fn counts(intervals: &[(Option<i64>, Option<i64>)]) -> Vec<(Option<i64>, i64)> {
        let (starts, durs): (Vec<_>, Vec<_>) = intervals.iter().copied().unzip();
        let columns: [ArrayRef; 2] =
            [Arc::new(Int64Array::from(starts)), Arc::new(Int64Array::from(durs))];
        let result = counted(&columns).expect("columns");
        let [times, values] = &result[..] else { panic!("two columns") };
        let values = values.as_primitive::<Int64Type>().values().iter().copied();
        times.as_primitive::<Int64Type>().iter().zip(values).collect()
    }

    fn known(start: i64, dur: i64) -> (Option<i64>, Option<i64>) {
        (Some(start), Some(dur))
    }

    #[test]
    fn starts_and_ends_are_counted() {
        let found = counts(&[known(15, 2), known(0, 10), known(5, 10), known(30, NO_END)]);
        // At 15 one ends and another begins. The last one never ends.
        let expected = [(0, 1), (5, 2), (10, 1), (15, 1), (17, 0), (30, 1)];
        assert_eq!(found, expected.map(|(at, value)| (Some(at), value)));
        // An interval without length is a time of its own.
        assert_eq!(counts(&[known(7, 0)]), [(Some(7), 0)]);
        assert_eq!(counts(&[]), []);
    }

    #[test]
    fn an_end_after_all_integers_is_an_error() {
        let last = i64::MAX - 5;
        assert_eq!(counts(&[known(last, 5)]), [(Some(last), 1), (Some(i64::MAX), 0)]);
        let columns = [last, 6].map(|value| Arc::new(Int64Array::from(vec![value])) as ArrayRef);
        let error = counted(&columns).unwrap_err();
        assert!(error.to_string().contains("integer overflow"), "{error}");
    }

    #[test]
    fn what_is_not_known_is_before_all_times() {
        // The first and the second have an unknown start, the second ends; the third has no end.
        let intervals = [(None, Some(NO_END)), (None, Some(5)), (Some(3), None)];
        assert_eq!(counts(&intervals), [(None, 1), (Some(3), 2)]);
    }
}
