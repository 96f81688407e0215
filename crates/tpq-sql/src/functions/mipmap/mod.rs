//! `__intrinsic_slice_mipmap` and `__intrinsic_counter_mipmap`: the slices or the values of a track
//! in as much detail as a screen can show.
//!
//! A call has a viewport: a range of time and the length of a window, in ns. It returns one row for
//! each window that is not empty, from a tree of summaries. The cost is a binary search and a walk
//! through the levels of the tree for each such window, whatever the number of rows in it.

mod counters;
mod range_tree;
mod slices;

use std::ops::Range;

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::{Result, exec_err, internal_err};

pub(super) use counters::CounterMipmapKind;
pub(super) use slices::SliceMipmapKind;

/// The arguments of calls.
const ARGUMENTS: &[(&str, DataType)] = &[
    ("in_window_start", DataType::Int64),
    ("in_window_end", DataType::Int64),
    ("in_window_step", DataType::Int64),
];

/// About as many rows as a screen has columns of pixels.
const ROWS_PER_CALL: usize = 2_000;

/// Windows `[start + n * step, start + (n + 1) * step)` that begin before `end`.
#[derive(Clone, Copy)]
struct Viewport {
    start: i64,
    end: i64,
    step: i64,
}

impl Viewport {
    /// The end of the window that has a time; of the first window for times before it. `None`
    /// after the last window.
    fn window_end(&self, ts: i64) -> Option<i128> {
        let (start, step) = (i128::from(self.start), i128::from(self.step));
        let window = start + (i128::from(ts) - start).max(0) / step * step;
        (window < i128::from(self.end)).then_some(window + step)
    }
}

/// The viewport of each call; `None` where an argument is NULL.
fn viewports(args: &[ArrayRef]) -> Result<Vec<Option<Viewport>>> {
    let columns = args.iter().map(|arg| arg.as_primitive_opt::<Int64Type>());
    let columns = columns.collect::<Option<Vec<_>>>().unwrap_or_default();
    let [starts, ends, steps] = &columns[..] else {
        return internal_err!("a mipmap takes three integers");
    };
    let viewport = |call: usize| {
        if [starts, ends, steps].iter().any(|column| column.is_null(call)) {
            return Ok(None);
        }
        let step = steps.value(call);
        if step < 1 {
            return exec_err!("in_window_step must be at least 1, this is {step}");
        }
        Ok(Some(Viewport { start: starts.value(call), end: ends.value(call), step }))
    };
    (0..starts.len()).map(viewport).collect()
}

/// The rows of each window that has rows. `times` never decrease. The last row before the first
/// window is part of that window if `joins` is true for it.
fn windows(
    times: &[i64],
    viewport: Viewport,
    joins: impl FnOnce(usize) -> bool,
) -> impl Iterator<Item = Range<usize>> {
    let mut row = times.partition_point(|&ts| ts < viewport.start);
    if row > 0 && joins(row - 1) {
        row -= 1;
    }
    std::iter::from_fn(move || {
        let end = viewport.window_end(*times.get(row)?)?;
        let found = row..row + times[row..].partition_point(|&ts| i128::from(ts) < end);
        row = found.end;
        Some(found)
    })
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "a list of one range is meant")]
mod tests {
    use super::*;

    fn found(times: &[i64], viewport: (i64, i64, i64), joins: bool) -> Vec<Range<usize>> {
        let (start, end, step) = viewport;
        windows(times, Viewport { start, end, step }, |_| joins).collect()
    }

    #[test]
    fn empty_windows_are_left_out() {
        // Windows from 0, 10, 20 and 30; nothing begins in [10, 20).
        let times = [0, 9, 20, 30, 40];
        assert_eq!(found(&times, (0, 40, 10), false), [0..2, 2..3, 3..4]);
        // The last window begins at 30 and is as long as the others.
        assert_eq!(found(&times, (0, 31, 10), false), [0..2, 2..3, 3..4]);
        assert_eq!(found(&times, (0, 30, 10), false), [0..2, 2..3]);
        // The window [15, 45) begins before 16.
        assert_eq!(found(&times, (15, 16, 30), false), [2..5]);
        assert!(found(&times, (41, 100, 10), false).is_empty());
        assert!(found(&times, (0, 0, 10), false).is_empty());
    }

    #[test]
    fn the_row_before_the_first_window_can_join_it() {
        let times = [0, 9, 20];
        assert_eq!(found(&times, (15, 30, 10), true), [1..3]);
        assert_eq!(found(&times, (12, 30, 4), true), [1..2, 2..3]);
        assert_eq!(found(&times, (50, 60, 5), true), [2..3]);
        assert!(found(&times, (50, 50, 5), true).is_empty());
    }

    #[test]
    fn viewports_can_begin_anywhere() {
        // Windows from -7, -4, -1, 2…
        assert_eq!(found(&[-1, 1, 2], (-7, 3, 3), false), [0..2, 2..3]);
        let far = (i64::MIN, i64::MAX, 1);
        assert_eq!(found(&[i64::MIN, 0, i64::MAX - 1], far, false), [0..1, 1..2, 2..3]);
        assert_eq!(found(&[0, 5], (i64::MIN, i64::MAX, i64::MAX), false), [0..2]);
    }
}
