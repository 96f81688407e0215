//! `__intrinsic_counter_mipmap((query))`: the range of the values in each window, and the last one.

use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::Result;
use datafusion::logical_expr::{LogicalPlan, Projection};

use super::range_tree::RangeTree;
use super::{ARGUMENTS, ROWS_PER_CALL, viewports, windows};
use crate::functions::index_kind::{
    Index, IndexKind, called_rows, count_rows, integers, named_column, numeric, reals,
};
use crate::functions::reserved::Reserved;
use crate::functions::steps::Steps;
use crate::functions::{CallArgument, CalledRows};

const NAME: &str = "__intrinsic_counter_mipmap";

/// Bytes of a value while the index is built: the columns, their sorted copies, the order of the
/// rows, and the tree.
const BUILDING: usize = 2 * 16 + 4 + 16;
/// Bytes of a value in the index.
const BUILT: usize = 16 + 16;
/// Bytes of a row of a result.
const RESULT: usize = 2 * (4 * 8 + 4);

/// The columns of calls.
static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let columns = [
        ("min_value", DataType::Float64),
        ("max_value", DataType::Float64),
        ("last_ts", DataType::Int64),
        ("last_value", DataType::Float64),
    ];
    let fields = columns.map(|(name, data_type)| Field::new(name, data_type, false));
    Arc::new(Schema::new(fields.to_vec()))
});

/// The kind of index of `__intrinsic_counter_mipmap`.
#[derive(Debug)]
pub(in crate::functions) struct CounterMipmapKind;

impl IndexKind for CounterMipmapKind {
    fn name(&self) -> &'static str {
        NAME
    }

    fn arguments(&self) -> &'static [(&'static str, DataType)] {
        ARGUMENTS
    }

    fn source(&self, query: LogicalPlan) -> Result<LogicalPlan> {
        let schema = Arc::clone(query.schema());
        let exprs = [("ts", DataType::Int64), ("value", DataType::Float64)].map(|(name, kind)| {
            let column = named_column(NAME, name, &schema)?;
            numeric(NAME, column, name, &kind, &schema)
        });
        let exprs = exprs.into_iter().collect::<Result<Vec<_>>>()?;
        Ok(LogicalPlan::Projection(Projection::try_new(exprs, Arc::new(query))?))
    }

    fn schema(&self, _: &SchemaRef, _: &[CallArgument]) -> Result<SchemaRef> {
        Ok(Arc::clone(&SCHEMA))
    }

    fn rows_per_call(&self) -> Option<usize> {
        Some(ROWS_PER_CALL)
    }

    fn build(
        &self,
        _: &SchemaRef,
        rows: &[RecordBatch],
        memory: Reserved,
        _: usize,
    ) -> Result<Box<dyn Index>> {
        Ok(Box::new(CounterMipmap::build(rows, memory)?))
    }
}

/// The values of a track by time.
#[derive(Debug)]
struct CounterMipmap {
    ts: Vec<i64>,
    values: Vec<f64>,
    /// The least and the greatest values of ranges.
    bounds: RangeTree<(f64, f64)>,
    memory: Reserved,
}

impl CounterMipmap {
    fn build(rows: &[RecordBatch], memory: Reserved) -> Result<Self> {
        let count = count_rows(NAME, rows)?;
        memory.resize(count.saturating_mul(BUILDING))?;
        let (mut ts, mut values) = (integers(rows, 0)?, reals(rows, 1)?);
        if !ts.is_sorted() {
            let mut order: Vec<u32> = (0u32..).take(count).collect();
            order.sort_by_key(|&row| ts[row as usize]);
            ts = order.iter().map(|&row| ts[row as usize]).collect();
            values = order.iter().map(|&row| values[row as usize]).collect();
        }
        // A track without values is 0 from the start. Perfetto's page asks for the range of all
        // values and expects a row.
        if ts.is_empty() {
            ts.push(0);
            values.push(0.0);
        }
        let bounds = RangeTree::build(ts.len(), |row| (values[row], values[row]), widened);
        memory.resize(ts.len().saturating_mul(BUILT))?;
        Ok(Self { ts, values, bounds, memory })
    }
}

fn widened(one: (f64, f64), other: (f64, f64)) -> (f64, f64) {
    (one.0.min(other.0), one.1.max(other.1))
}

/// The rows of calls, by column.
#[derive(Default)]
struct ResultColumns {
    calls: Vec<u32>,
    least: Vec<f64>,
    greatest: Vec<f64>,
    /// The last row of each window.
    last: Vec<usize>,
}

impl Index for CounterMipmap {
    fn call(&self, args: &[ArrayRef], _: usize, columns: &[usize]) -> Result<CalledRows> {
        let memory = self.memory.another();
        let mut steps = Steps::default();
        let mut result = ResultColumns::default();
        for (call, viewport) in (0u32..).zip(viewports(args)?) {
            let Some(viewport) = viewport else { continue };
            // The value before the first window lasts into it, unless the window begins with
            // another one.
            let lasts = |row: usize| self.ts.get(row + 1) != Some(&viewport.start);
            for window in windows(&self.ts, viewport, lasts) {
                steps.take(1)?;
                let last = window.end.saturating_sub(1);
                let value = |row: usize| (self.values[row], self.values[row]);
                let Some((least, greatest)) = self.bounds.summary(window, value, widened) else {
                    continue;
                };
                result.calls.push(call);
                result.least.push(least);
                result.greatest.push(greatest);
                result.last.push(last);
                memory.at_least(result.calls.len().saturating_mul(RESULT))?;
            }
        }
        let last_ts = result.last.iter().map(|&row| self.ts[row]);
        let last_value = result.last.iter().map(|&row| self.values[row]);
        let all: [ArrayRef; 4] = [
            Arc::new(Float64Array::from(result.least)),
            Arc::new(Float64Array::from(result.greatest)),
            Arc::new(Int64Array::from_iter_values(last_ts)),
            Arc::new(Float64Array::from_iter_values(last_value)),
        ];
        called_rows(result.calls, &SCHEMA, &all, columns)
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::AsArray;
    use datafusion::arrow::datatypes::{Float64Type, Int64Type};

    use super::*;

    fn mipmap(ts: &[i64], values: &[f64]) -> CounterMipmap {
        let ts: ArrayRef = Arc::new(Int64Array::from(ts.to_vec()));
        let values: ArrayRef = Arc::new(Float64Array::from(values.to_vec()));
        let batch = RecordBatch::try_from_iter([("ts", ts), ("value", values)]);
        let batch = batch.expect("the columns are equally long");
        CounterMipmap::build(&[batch], Reserved::default()).expect("memory is not limited")
    }

    /// The rows of a viewport: the least, greatest and last value, and the time of the last.
    fn shown(mipmap: &CounterMipmap, viewport: [i64; 3]) -> Vec<(f64, f64, f64, i64)> {
        let args = viewport.map(|arg| Arc::new(Int64Array::from(vec![arg])) as ArrayRef);
        let rows = mipmap.call(&args, 1, &[0, 1, 3, 2]).expect("is not cancelled").rows;
        let real = |row: usize, at: usize| rows.column(at).as_primitive::<Float64Type>().value(row);
        let time = |row: usize| rows.column(3).as_primitive::<Int64Type>().value(row);
        let row = |row| (real(row, 0), real(row, 1), real(row, 2), time(row));
        (0..rows.num_rows()).map(row).collect()
    }

    #[test]
    fn windows_show_the_range_of_their_values() {
        let mipmap = mipmap(&[10, 12, 14, 30], &[5.0, -1.0, 2.0, 7.0]);
        // Windows [0, 16), [16, 32).
        assert_eq!(shown(&mipmap, [0, 32, 16]), [(-1.0, 5.0, 2.0, 14), (7.0, 7.0, 7.0, 30)]);
        // The value 5 from 10 on lasts into the window [11, 13).
        assert_eq!(shown(&mipmap, [11, 13, 2]), [(-1.0, 5.0, -1.0, 12)]);
        // The window [12, 14) begins with a value of its own.
        assert_eq!(shown(&mipmap, [12, 14, 2]), [(-1.0, -1.0, -1.0, 12)]);
        // Nothing changes in [20, 30): the value of 14 is shown in the first window only.
        assert_eq!(shown(&mipmap, [20, 30, 5]), [(2.0, 2.0, 2.0, 14)]);
        assert_eq!(shown(&mipmap, [40, 50, 2]), [(7.0, 7.0, 7.0, 30)]);
    }

    #[test]
    fn values_in_any_order() {
        let mipmap = mipmap(&[3, 1, 2], &[30.0, 10.0, 20.0]);
        assert_eq!(shown(&mipmap, [-8, 8, 16]), [(10.0, 30.0, 30.0, 3)]);
    }

    #[test]
    fn a_track_without_values_is_zero() {
        let mipmap = mipmap(&[], &[]);
        assert_eq!(shown(&mipmap, [1_000, 2_000, 1_000]), [(0.0, 0.0, 0.0, 0)]);
        assert_eq!(shown(&mipmap, [-10, 10, 5]), [(0.0, 0.0, 0.0, 0)]);
    }
}
