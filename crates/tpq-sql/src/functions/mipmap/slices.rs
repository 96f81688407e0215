//! `__intrinsic_slice_mipmap((query))`: the longest slice of each depth in each window.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Int64Array, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, Int64Type, Schema, SchemaRef};
use datafusion::common::{Result, internal_err, plan_err};
use datafusion::logical_expr::{LogicalPlan, Projection};

use super::range_tree::RangeTree;
use super::{ARGUMENTS, ROWS_PER_CALL, viewports, windows};
use crate::functions::index_kind::{Index, IndexKind, called_rows, count_rows, integers, numeric};
use crate::functions::reserved::Reserved;
use crate::functions::steps::Steps;
use crate::functions::{CallArgument, CalledRows};
use crate::threads::on_threads;

const NAME: &str = "__intrinsic_slice_mipmap";

/// The columns of the query, by position.
const SOURCE: [&str; 4] = ["id", "ts", "dur", "depth"];
const ID: usize = 0;
const TS: usize = 1;
const DUR: usize = 2;
const DEPTH: usize = 3;

/// Bytes of a slice while the index is built: the columns, their sorted copies, the order of the
/// rows, and the tree.
const BUILDING: usize = 4 * 8 + 3 * 8 + 4 + 4;
/// Bytes of a slice in the index.
const BUILT: usize = 3 * 8 + 4;
/// Bytes of a row of a result.
const RESULT: usize = 6 * 8 + 4 * 8;

/// The columns of calls.
static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let names = ["ts", "id", "count", "dur", "depth"];
    let fields = names.map(|name| Field::new(name, DataType::Int64, false));
    Arc::new(Schema::new(fields.to_vec()))
});

/// The kind of index of `__intrinsic_slice_mipmap`.
#[derive(Debug)]
pub(in crate::functions) struct SliceMipmapKind;

impl IndexKind for SliceMipmapKind {
    fn name(&self) -> &'static str {
        NAME
    }

    fn arguments(&self) -> &'static [(&'static str, DataType)] {
        ARGUMENTS
    }

    fn source(&self, query: LogicalPlan) -> Result<LogicalPlan> {
        let schema = Arc::clone(query.schema());
        let columns = schema.columns();
        if columns.len() != SOURCE.len() {
            let (wanted, found) = (SOURCE.join(", "), columns.len());
            return plan_err!("{NAME}: the query must give {wanted}, it gives {found} columns");
        }
        let exprs = columns.into_iter().zip(SOURCE);
        let exprs =
            exprs.map(|(column, name)| numeric(NAME, column, name, &DataType::Int64, &schema));
        let exprs = exprs.collect::<Result<Vec<_>>>()?;
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
        threads: usize,
    ) -> Result<Box<dyn Index>> {
        Ok(Box::new(SliceMipmap::build(rows, memory, threads)?))
    }
}

/// The slices of a track by depth and time.
#[derive(Debug)]
struct SliceMipmap {
    ids: Vec<i64>,
    ts: Vec<i64>,
    durs: Vec<i64>,
    /// The depths, in order, and the slices of each.
    depths: Vec<(i64, Range<usize>)>,
    /// The longest slices of ranges.
    longest: RangeTree<u32>,
    memory: Reserved,
}

impl SliceMipmap {
    fn build(rows: &[RecordBatch], memory: Reserved, threads: usize) -> Result<Self> {
        let count = count_rows(NAME, rows)?;
        memory.resize(count.saturating_mul(BUILDING))?;
        match only_depth(rows, threads) {
            Some(depth) => Self::of_depth(depth, rows, count, memory, threads),
            None => Self::of_any_order(rows, count, memory, threads),
        }
    }

    /// The index over slices of one depth that are in order of time.
    fn of_depth(
        depth: i64,
        rows: &[RecordBatch],
        count: usize,
        memory: Reserved,
        threads: usize,
    ) -> Result<Self> {
        /// A column, and the tree over it if it has the durations.
        type Part = (Vec<i64>, Option<RangeTree<u32>>);
        // The tree takes about as long as a column, so two threads have the same work.
        let parts = on_threads(threads, vec![DUR, TS, ID], |column| -> Result<Part> {
            let values = integers(rows, column)?;
            let longest = (column == DUR).then(|| tree(count, &values));
            Ok((values, longest))
        });
        let parts = parts.into_iter().collect::<Result<Vec<_>>>()?;
        let Ok([(durs, Some(longest)), (ts, _), (ids, _)]) = <[Part; 3]>::try_from(parts) else {
            return internal_err!("a mipmap has a tree over durations");
        };
        let depths = vec![(depth, 0..count)];
        memory.resize(count.saturating_mul(BUILT) + size_of_val(&depths[..]))?;
        Ok(Self { ids, ts, durs, depths, longest, memory })
    }

    /// The index over slices of any depth, in any order.
    fn of_any_order(
        rows: &[RecordBatch],
        count: usize,
        memory: Reserved,
        threads: usize,
    ) -> Result<Self> {
        let positions = (0..SOURCE.len()).collect();
        let columns = on_threads(threads, positions, |column| integers(rows, column));
        let columns = columns.into_iter().collect::<Result<Vec<_>>>()?;
        let Ok([ids, ts, durs, depths]) = <[Vec<i64>; 4]>::try_from(columns) else {
            return internal_err!("a mipmap takes four columns");
        };
        let order = order(&ts, &depths);
        let sorted = |values: Vec<i64>| -> Vec<i64> {
            match &order {
                Some(order) => order.iter().map(|&row| values[row as usize]).collect(),
                None => values,
            }
        };
        let (ids, ts, durs) = (sorted(ids), sorted(ts), sorted(durs));
        let mut groups: Vec<(i64, Range<usize>)> = Vec::new();
        for (at, depth) in sorted(depths).into_iter().enumerate() {
            match groups.last_mut().filter(|(last, _)| *last == depth) {
                Some((_, rows)) => rows.end = at + 1,
                None => groups.push((depth, at..at + 1)),
            }
        }
        let longest = tree(count, &durs);
        memory.resize(count.saturating_mul(BUILT) + size_of_val(&groups[..]))?;
        Ok(Self { ids, ts, durs, depths: groups, longest, memory })
    }

    /// Whether a slice covers a time after its start.
    fn covers(&self, slice: usize, ts: i64) -> bool {
        let (start, dur) = (self.ts[slice], self.durs[slice]);
        dur < 0 || start.saturating_add(dur) > ts
    }

    /// The longest of some slices; of equally long ones, the first.
    fn longest(&self, slices: Range<usize>) -> Option<usize> {
        let combine = |a, b| longer(&self.durs, a, b);
        self.longest.summary(slices, |row| row as u32, combine).map(|row| row as usize)
    }
}

/// The longest slices of ranges of slices with these durations.
fn tree(count: usize, durs: &[i64]) -> RangeTree<u32> {
    RangeTree::build(count, |row| row as u32, |a, b| longer(durs, a, b))
}

/// The depth of all slices; `None` if there are several, or if the slices are not in order of time.
fn only_depth(rows: &[RecordBatch], threads: usize) -> Option<i64> {
    let parts = on_threads(threads, rows.iter().collect(), depth_and_times);
    let parts = parts.into_iter().collect::<Option<Vec<_>>>()?;
    let (depth, _) = parts.first()?;
    let follows = |pair: &[(i64, (i64, i64))]| pair[0].1.1 <= pair[1].1.0;
    (parts.iter().all(|(other, _)| other == depth) && parts.windows(2).all(follows))
        .then_some(*depth)
}

/// The depth of all slices of a batch, with the first and the last time; `None` as above.
fn depth_and_times(batch: &RecordBatch) -> Option<(i64, (i64, i64))> {
    let values = |column: usize| {
        let column = batch.columns().get(column)?.as_primitive_opt::<Int64Type>()?;
        (column.null_count() == 0).then(|| &column.values()[..])
    };
    let (ts, depths) = (values(TS)?, values(DEPTH)?);
    let (depth, times) = (*depths.first()?, (*ts.first()?, *ts.last()?));
    (ts.is_sorted() && depths.iter().all(|other| *other == depth)).then_some((depth, times))
}

/// The rows by depth and time; `None` if they are in this order.
fn order(ts: &[i64], depths: &[i64]) -> Option<Vec<u32>> {
    if depths.iter().zip(ts).is_sorted() {
        return None;
    }
    let mut rows: Vec<u32> = (0u32..).take(ts.len()).collect();
    rows.sort_by_key(|&row| (depths[row as usize], ts[row as usize]));
    Some(rows)
}

/// The longer of two slices, or the first if they are equally long. A slice without end is longer
/// than any other.
fn longer(durs: &[i64], one: u32, other: u32) -> u32 {
    let length = |slice: u32| match durs[slice as usize] {
        ..0 => i64::MAX,
        dur => dur,
    };
    let (first, second) = (one.min(other), one.max(other));
    if length(second) > length(first) { second } else { first }
}

/// The rows of calls, by column.
#[derive(Default)]
struct ResultColumns {
    calls: Vec<u32>,
    longest: Vec<usize>,
    counts: Vec<i64>,
    depths: Vec<i64>,
}

impl Index for SliceMipmap {
    fn call(&self, args: &[ArrayRef], _: usize, columns: &[usize]) -> Result<CalledRows> {
        let memory = self.memory.another();
        let mut steps = Steps::default();
        let mut result = ResultColumns::default();
        for (call, viewport) in (0u32..).zip(viewports(args)?) {
            let Some(viewport) = viewport else { continue };
            for (depth, slices) in &self.depths {
                steps.take(1)?;
                let first = slices.start;
                let joins = |slice: usize| self.covers(first + slice, viewport.start);
                for window in windows(&self.ts[slices.clone()], viewport, joins) {
                    steps.take(1)?;
                    let window = first + window.start..first + window.end;
                    let count = window.len() as i64;
                    let Some(longest) = self.longest(window) else { continue };
                    result.calls.push(call);
                    result.longest.push(longest);
                    result.counts.push(count);
                    result.depths.push(*depth);
                }
                memory.at_least(result.calls.len().saturating_mul(RESULT))?;
            }
        }
        let of_longest = |values: &[i64]| -> ArrayRef {
            let values = result.longest.iter().map(|&slice| values[slice]);
            Arc::new(Int64Array::from_iter_values(values))
        };
        let all: [ArrayRef; 5] = [
            of_longest(&self.ts),
            of_longest(&self.ids),
            Arc::new(Int64Array::from(result.counts)),
            of_longest(&self.durs),
            Arc::new(Int64Array::from(result.depths)),
        ];
        called_rows(result.calls, &SCHEMA, &all, columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of id, ts, dur and depth.
    fn batch(rows: &[[i64; 4]]) -> RecordBatch {
        let column = |at: usize| -> ArrayRef {
            Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row[at])))
        };
        let columns = SOURCE.iter().enumerate().map(|(at, name)| (*name, column(at)));
        RecordBatch::try_from_iter(columns).expect("the columns are equally long")
    }

    /// The index over rows of id, ts, dur and depth.
    fn mipmap(rows: &[[i64; 4]]) -> SliceMipmap {
        let built = SliceMipmap::build(&[batch(rows)], Reserved::default(), 2);
        built.expect("memory is not limited")
    }

    /// The rows of a viewport: ts, id, count, dur, depth.
    fn shown(mipmap: &SliceMipmap, viewport: [i64; 3]) -> Vec<[i64; 5]> {
        let args = viewport.map(|arg| Arc::new(Int64Array::from(vec![arg])) as ArrayRef);
        let rows = mipmap.call(&args, 1, &[0, 1, 2, 3, 4]).expect("is not cancelled").rows;
        let value = |row: usize, at: usize| rows.column(at).as_primitive::<Int64Type>().value(row);
        let row = |row| [0, 1, 2, 3, 4].map(|at| value(row, at));
        (0..rows.num_rows()).map(row).collect()
    }

    #[test]
    fn windows_show_their_longest_slice() {
        // Depth 0: [0, 30), [30, 32), [40, 45). Depth 1: [5, 9), [10, 14), [31, 32).
        let mipmap = mipmap(&[
            [10, 0, 30, 0],
            [13, 5, 4, 1],
            [14, 10, 4, 1],
            [11, 30, 2, 0],
            [15, 31, 1, 1],
            [12, 40, 5, 0],
        ]);
        // Windows [0, 20), [20, 40), [40, 60). Two slices of 4 ns: the first is shown.
        assert_eq!(
            shown(&mipmap, [0, 60, 20]),
            [
                [0, 10, 1, 30, 0],
                [30, 11, 1, 2, 0],
                [40, 12, 1, 5, 0],
                [5, 13, 2, 4, 1],
                [31, 15, 1, 1, 1],
            ]
        );
        // Slice 10 covers 20 and joins [20, 52), in which it is the longest.
        assert_eq!(shown(&mipmap, [20, 50, 32]), [[0, 10, 3, 30, 0], [31, 15, 1, 1, 1]]);
        // It ends at 30, so nothing joins [30, 46).
        assert_eq!(shown(&mipmap, [30, 40, 16]), [[40, 12, 2, 5, 0], [31, 15, 1, 1, 1]]);
        assert!(shown(&mipmap, [100, 200, 10]).is_empty());
    }

    #[test]
    fn rows_in_any_order_and_without_end() {
        let mipmap = mipmap(&[[1, 20, -1, -1], [2, 0, 7, -1], [3, 10, 5, -1]]);
        assert_eq!(shown(&mipmap, [-64, 64, 128]), [[20, 1, 3, -1, -1]]);
        // Slice 1 covers all later times.
        assert_eq!(shown(&mipmap, [1_000, 1_001, 1]), [[20, 1, 1, -1, -1]]);
    }

    #[test]
    fn slices_of_one_depth_in_order_need_no_sorting() {
        let first = batch(&[[1, 0, 7, 4], [2, 10, 5, 4]]);
        let second = batch(&[[3, 10, 9, 4], [4, 30, 2, 4]]);
        assert_eq!(only_depth(&[first.clone(), second.clone()], 2), Some(4));
        // Times that decrease within a batch or from one to the next, two depths, and no rows.
        assert_eq!(only_depth(&[second.clone(), first.clone()], 2), None);
        assert_eq!(only_depth(&[batch(&[[1, 5, 1, 4], [2, 4, 1, 4]])], 2), None);
        assert_eq!(only_depth(&[first.clone(), batch(&[[3, 20, 9, 5]])], 2), None);
        assert_eq!(only_depth(&[batch(&[[1, 5, 1, 4], [2, 6, 1, 5]])], 2), None);
        assert_eq!(only_depth(&[], 2), None);
        let built = |threads: usize, rows: &[RecordBatch]| {
            SliceMipmap::build(rows, Reserved::default(), threads).expect("memory is not limited")
        };
        let expected = [[10, 3, 3, 9, 4], [30, 4, 1, 2, 4]];
        for threads in [1, 2, 8] {
            let in_order = built(threads, &[first.clone(), second.clone()]);
            assert_eq!(shown(&in_order, [0, 40, 20]), expected);
            let sorted = built(threads, &[second.clone(), first.clone()]);
            assert_eq!(shown(&sorted, [0, 40, 20]), expected);
        }
    }

    #[test]
    fn without_slices_nothing_is_shown() {
        assert!(shown(&mipmap(&[]), [-100, 100, 1]).is_empty());
    }
}
