//! `generate_series(start, stop[, step])` and `range([start,] stop[, step])`: integers as the rows
//! of a table, in the column `value`.
//!
//! `generate_series` ends with `stop`, `range` before it. Rows are made part after part, so that a
//! LIMIT ends a series of any length.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Int64Array, RecordBatch, RecordBatchOptions,
};
use datafusion::arrow::datatypes::{DataType, Field, Int64Type, Schema, SchemaRef};
use datafusion::common::{Result, exec_err, internal_err};

use super::{CallArgument, CalledRows, PendingCalls, RowParts, TableFunction};

/// The number of rows of a part.
const ROWS: usize = 8192;

const ARGUMENTS: &[(&str, DataType)] =
    &[("start", DataType::Int64), ("stop", DataType::Int64), ("step", DataType::Int64)];

/// The table functions of this family.
pub(super) fn table() -> Vec<Arc<dyn TableFunction>> {
    vec![Arc::new(Series { has_stop: true }), Arc::new(Series { has_stop: false })]
}

/// `generate_series` or `range`.
#[derive(Clone, Copy, Debug)]
struct Series {
    /// Whether the series may end with the value `stop`.
    has_stop: bool,
}

fn columns() -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new("value", DataType::Int64, false)]))
}

impl TableFunction for Series {
    fn name(&self) -> &str {
        if self.has_stop { "generate_series" } else { "range" }
    }

    fn arguments(&self) -> &[(&'static str, DataType)] {
        ARGUMENTS
    }

    fn least_arguments(&self) -> usize {
        if self.has_stop { 2 } else { 1 }
    }

    fn schema(&self, _: &[CallArgument]) -> Result<SchemaRef> {
        Ok(columns())
    }

    fn begin(self: Arc<Self>, args: &[ArrayRef]) -> Result<Option<Box<dyn RowParts>>> {
        Ok(Some(Box::new(Parts { series: *self, args: args.to_vec(), current: None })))
    }
}

/// The rows of many calls.
struct Parts {
    series: Series,
    args: Vec<ArrayRef>,
    /// The rest of the call that the next row belongs to, if it has begun.
    current: Option<Steps>,
}

impl RowParts for Parts {
    fn next_part(&mut self, calls: &mut PendingCalls) -> Result<CalledRows> {
        let (mut calls_of_rows, mut values) = (Vec::new(), Vec::new());
        while !calls.are_complete() && values.len() < ROWS {
            let mut steps = match self.current.take() {
                Some(steps) => steps,
                None => self.steps(calls.call)?,
            };
            values.extend(steps.by_ref().take(ROWS - values.len()));
            calls_of_rows.resize(values.len(), u32::try_from(calls.call).unwrap_or(u32::MAX));
            match steps.next {
                Some(_) => self.current = Some(steps),
                None => calls.call += 1,
            }
        }
        let options = RecordBatchOptions::new().with_row_count(Some(values.len()));
        let schema = Arc::new(columns().project(&calls.columns)?);
        let values: ArrayRef = Arc::new(Int64Array::from(values));
        // There is only one column to ask for.
        let values = calls.columns.iter().map(|_| Arc::clone(&values)).collect();
        let rows = RecordBatch::try_new_with_options(schema, values, &options)?;
        Ok(CalledRows { calls: calls_of_rows.into(), rows })
    }
}

impl Parts {
    /// The values of a call; none if an argument is NULL.
    fn steps(&self, call: usize) -> Result<Steps> {
        let mut given = Vec::with_capacity(self.args.len());
        for arg in &self.args {
            let Some(arg) = arg.as_primitive_opt::<Int64Type>() else {
                return internal_err!("{}() of {}", self.series.name(), arg.data_type());
            };
            if arg.is_null(call) {
                return Ok(Steps::default());
            }
            given.push(arg.value(call));
        }
        let (start, stop, step) = match given[..] {
            [stop] => (0, stop, 1),
            [start, stop] => (start, stop, 1),
            [start, stop, step] => (start, stop, step),
            _ => return internal_err!("{}() of {} values", self.series.name(), given.len()),
        };
        if step == 0 {
            return exec_err!("{}(): step must not be 0", self.series.name());
        }
        Ok(Steps::new(start, stop, step, self.series.has_stop))
    }
}

/// The values from `next` on.
#[derive(Default)]
struct Steps {
    next: Option<i64>,
    stop: i64,
    step: i64,
    has_stop: bool,
}

impl Steps {
    fn new(start: i64, stop: i64, step: i64, has_stop: bool) -> Self {
        let steps = Self { next: None, stop, step, has_stop };
        Self { next: Some(start).filter(|&first| steps.has(first)), ..steps }
    }

    /// Whether a value is not behind the end.
    fn has(&self, value: i64) -> bool {
        let is_before = if self.step > 0 { value < self.stop } else { value > self.stop };
        is_before || self.has_stop && value == self.stop
    }
}

impl Iterator for Steps {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        let value = self.next?;
        self.next = value.checked_add(self.step).filter(|&next| self.has(next));
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::super::CallPart;
    use super::*;

    fn series(start: i64, stop: i64, step: i64) -> Vec<i64> {
        Steps::new(start, stop, step, true).collect()
    }

    fn range(start: i64, stop: i64, step: i64) -> Vec<i64> {
        Steps::new(start, stop, step, false).collect()
    }

    #[test]
    fn a_series_ends_with_its_stop_and_a_range_before_it() {
        assert_eq!(series(1, 5, 2), [1, 3, 5]);
        assert_eq!(range(1, 5, 2), [1, 3]);
        assert_eq!(series(5, 1, -2), [5, 3, 1]);
        assert_eq!(range(5, 1, -2), [5, 3]);
        assert_eq!(series(1, 4, 2), [1, 3]);
        assert_eq!(series(3, 3, 1), [3]);
        assert_eq!(range(3, 3, 1), [0; 0]);
        assert_eq!(series(2, 1, 1), [0; 0]);
    }

    #[test]
    fn a_series_ends_at_the_bounds_of_integers() {
        assert_eq!(series(i64::MAX - 1, i64::MAX, 1), [i64::MAX - 1, i64::MAX]);
        assert_eq!(series(i64::MIN + 1, i64::MIN, -1), [i64::MIN + 1, i64::MIN]);
        assert_eq!(series(i64::MAX - 1, i64::MAX, 5), [i64::MAX - 1]);
        assert_eq!(series(0, 1, i64::MIN), [0; 0]);
    }

    /// The calls and values of every part.
    fn parts(stops: Vec<Option<i64>>) -> Vec<(Vec<u32>, Vec<i64>, usize)> {
        let calls = stops.len();
        let args: Vec<ArrayRef> =
            vec![Arc::new(Int64Array::from(vec![1; calls])), Arc::new(Int64Array::from(stops))];
        let parts = Arc::new(Series { has_stop: true }).call_in_parts(args, calls, vec![0]);
        let rows = |part: Result<CallPart>| {
            let CallPart { called, complete } = part.unwrap();
            let values = called.rows.column(0).as_primitive::<Int64Type>().values().to_vec();
            (called.calls.values().to_vec(), values, complete)
        };
        parts.unwrap().map(rows).collect()
    }

    #[test]
    fn calls_share_a_part_and_a_long_one_takes_several() {
        let short = parts(vec![Some(2), None, Some(0), Some(1)]);
        assert_eq!(short, [(vec![0, 0, 3], vec![1, 2, 1], 4)]);
        let long = parts(vec![Some(ROWS as i64 + 1), Some(1)]);
        let lengths: Vec<_> = long.iter().map(|(_, values, done)| (values.len(), *done)).collect();
        assert_eq!(lengths, [(ROWS, 0), (2, 2)]);
        assert_eq!(parts(vec![]), [(vec![], vec![], 0)]);
    }
}
