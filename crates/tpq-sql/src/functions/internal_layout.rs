//! `internal_layout(ts, dur)`: a window function that stacks slices, so that no two in a row
//! overlap.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Int64Type};
use datafusion::common::{Result, exec_err, internal_err};
use datafusion::logical_expr::function::{PartitionEvaluatorArgs, WindowUDFFieldArgs};
use datafusion::logical_expr::{PartitionEvaluator, Signature, Volatility, WindowUDFImpl};

const NAME: &str = "internal_layout";

/// The window function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct InternalLayout {
    signature: Signature,
}

impl Default for InternalLayout {
    fn default() -> Self {
        Self { signature: Signature::any(2, Volatility::Immutable) }
    }
}

impl WindowUDFImpl for InternalLayout {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn partition_evaluator(
        &self,
        _: PartitionEvaluatorArgs,
    ) -> Result<Box<dyn PartitionEvaluator>> {
        Ok(Box::new(LayoutEvaluator))
    }

    fn field(&self, field_args: WindowUDFFieldArgs) -> Result<FieldRef> {
        Ok(Arc::new(Field::new(field_args.name(), DataType::Int64, true)))
    }
}

/// Computes the rows of a partition. The frame does not matter: the row of a slice depends on the
/// slices before it.
#[derive(Debug)]
struct LayoutEvaluator;

impl PartitionEvaluator for LayoutEvaluator {
    fn evaluate_all(&mut self, values: &[ArrayRef], _: usize) -> Result<ArrayRef> {
        let [ts, dur, ..] = values else { return internal_err!("{NAME}() without ts and dur") };
        let (ts, dur) = (cast(ts, &DataType::Int64)?, cast(dur, &DataType::Int64)?);
        let slices = ts.as_primitive::<Int64Type>().iter().zip(dur.as_primitive::<Int64Type>());
        let mut stack = SliceStack::default();
        let rows = slices.map(|slice| match slice {
            (Some(ts), Some(dur)) => stack.place(ts, dur).map(Some),
            _ => Ok(None),
        });
        Ok(Arc::new(rows.collect::<Result<Int64Array>>()?))
    }
}

/// Rows of slices that are placed in the order of time.
#[derive(Default)]
struct SliceStack {
    /// The number of rows.
    rows: i64,
    /// The rows that are free at the last time, the lowest first.
    free: BinaryHeap<Reverse<i64>>,
    /// The ends of the slices that last, with their rows, the earliest first. Slices without end
    /// are left out.
    busy: BinaryHeap<Reverse<(i64, i64)>>,
    last: Option<i64>,
}

impl SliceStack {
    /// Puts a slice into the lowest free row, which is returned. A slice with a negative `dur`
    /// never ends.
    fn place(&mut self, ts: i64, dur: i64) -> Result<i64> {
        if self.last.replace(ts).is_some_and(|last| last > ts) {
            return exec_err!("{NAME}() takes slices in the order of time: write ORDER BY ts");
        }
        while let Some(&Reverse((end, row))) = self.busy.peek() {
            if end > ts {
                break;
            }
            self.busy.pop();
            self.free.push(Reverse(row));
        }
        let row = match self.free.pop() {
            Some(Reverse(row)) => row,
            None => {
                self.rows += 1;
                self.rows - 1
            }
        };
        if dur >= 0 {
            self.busy.push(Reverse((ts.saturating_add(dur), row)));
        }
        Ok(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(slices: &[(i64, i64)]) -> Vec<i64> {
        let mut stack = SliceStack::default();
        let placed = slices.iter().map(|&(ts, dur)| stack.place(ts, dur));
        placed.collect::<Result<_>>().expect("the slices are in order")
    }

    #[test]
    fn slices_take_the_lowest_free_row() {
        // [0, 10), [2, 4), [3, 20), [4, 6), [10, 11), [12, 13)
        let slices = [(0, 10), (2, 2), (3, 17), (4, 2), (10, 1), (12, 1)];
        assert_eq!(rows(&slices), [0, 1, 2, 1, 0, 0]);
    }

    #[test]
    fn slices_without_end_keep_their_row() {
        assert_eq!(rows(&[(0, -1), (5, 1), (1_000, 1), (2_000, -1), (2_000, 1)]), [0, 1, 1, 1, 2]);
    }

    #[test]
    fn moments_cover_no_time() {
        assert_eq!(rows(&[(5, 0), (5, 0), (5, 3), (5, 0)]), [0, 0, 0, 1]);
    }

    #[test]
    fn another_order_is_an_error() {
        let mut stack = SliceStack::default();
        assert!(stack.place(5, 1).is_ok() && stack.place(4, 1).is_err());
    }
}
