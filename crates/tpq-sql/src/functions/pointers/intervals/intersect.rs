//! `__intrinsic_interval_intersect(a, b, …, '(key, …)')`: the intersections of intervals of all
//! tables.
//!
//! Each table is intersected with the result of the tables before. A sweep goes over both in the
//! order of the starts and holds only the intervals that have not ended. After sorting, the time is
//! linear in the input and the output. Intervals of one table may overlap.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, UInt32Array, new_null_array};
use datafusion::arrow::buffer::BooleanBuffer;
use datafusion::arrow::compute::kernels::cmp::not_distinct;
use datafusion::arrow::compute::{cast, take};
use datafusion::arrow::datatypes::{DataType, Field, Fields};
use datafusion::common::{Result, exec_err, plan_err};

use super::keys::{Keys, names_in};
use crate::cancel;
use crate::functions::pointers::operator::{Operand, OperandType, TableOperator, wrong_operands};
use crate::functions::pointers::table::{integer, integers, to_column};

/// The number of tables that macros name the ids of.
const MAX_TABLES: usize = 15;
/// The number of columns of a collected table before those of its key: id, ts, dur.
const COLUMNS_BEFORE_KEY: usize = 3;
/// The number of keys that no row of the first table has.
const OTHER_KEY: u32 = u32::MAX;
const NAME: &str = "__intrinsic_interval_intersect";

/// The operator `__intrinsic_interval_intersect`.
#[derive(Debug)]
pub(super) struct Intersect;

impl TableOperator for Intersect {
    fn name(&self) -> &'static str {
        NAME
    }

    fn columns(&self, operands: &[OperandType]) -> Result<Fields> {
        let Some((keys, tables)) = operands.split_last() else {
            return wrong_operands(NAME, "tables of intervals and the list of their keys");
        };
        let Some(keys) = keys.text.map(names_in) else {
            return plan_err!("interval intersect: column list cannot be null");
        };
        if tables.is_empty() || !tables.iter().all(OperandType::is_table) {
            return wrong_operands(NAME, "tables of intervals and the list of their keys");
        }
        if tables.len() > MAX_TABLES {
            return plan_err!("interval intersect: Can intersect at most {MAX_TABLES} tables");
        }
        let mut fields = vec![integer("ts"), integer("dur")];
        // The caller takes further ids for NULL, which need no column.
        fields.extend((0..tables.len()).map(|table| integer(&format!("id_{table}"))));
        let first = tables.iter().find_map(OperandType::columns);
        for (at, name) in keys.iter().enumerate() {
            let kind = first.and_then(|columns| columns.get(COLUMNS_BEFORE_KEY + at));
            let kind = kind.map_or(DataType::Int64, |field| field.data_type().clone());
            fields.push(Arc::new(Field::new(*name, kind, true)));
        }
        Ok(fields.into())
    }

    fn run(&self, operands: &[Operand]) -> Result<Option<Vec<ArrayRef>>> {
        let tables = operands.len().saturating_sub(1);
        let tables = operands.iter().take(tables).map(Operand::table);
        let Some(tables) = tables.collect::<Option<Vec<_>>>() else { return Ok(None) };
        let Some(first) = tables.first() else { return Ok(None) };
        let types: Vec<DataType> = first
            .iter()
            .skip(COLUMNS_BEFORE_KEY)
            .map(|column| column.data_type().clone())
            .collect();
        let mut keys = Keys::new(types.iter().cloned())?;
        let mut intersection: Option<Intersection> = None;
        for columns in &tables {
            let table = Intervals::from_columns(columns, &types, &mut keys)?;
            intersection = Some(match intersection {
                None => Intersection::new(table),
                Some(intersection) => intersection.and(&table)?,
            });
        }
        let Some(intersection) = intersection else { return Ok(None) };
        intersection.columns(&tables).map(Some)
    }
}

/// An interval of a partition; `end` is equal to `start` if it is empty.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval {
    key: u32,
    start: i64,
    end: i64,
}

impl Interval {
    /// Whether `self` overlaps an interval of the same partition that does not start earlier.
    fn reaches(&self, later: &Self) -> bool {
        later.start < self.end || later.start == self.start
    }
}

/// The intervals of a table, sorted by partition and start, and the row of each.
struct Intervals {
    intervals: Vec<Interval>,
    rows: Vec<u32>,
}

impl Intervals {
    fn from_columns(columns: &[ArrayRef], types: &[DataType], keys: &mut Keys) -> Result<Self> {
        let (starts, durs) = (integers(columns, 1)?, integers(columns, 2)?);
        let key_columns = columns.iter().skip(COLUMNS_BEFORE_KEY);
        if key_columns.len() != types.len() {
            return exec_err!("interval intersect: tables with different keys");
        }
        let key_columns = key_columns.zip(types).map(|(column, kind)| KeyColumn::of(column, kind));
        let key_columns = key_columns.collect::<Result<Vec<_>>>()?;
        let values: Vec<ArrayRef> =
            key_columns.iter().map(|column| Arc::clone(&column.values)).collect();
        let mut keys = keys.numbers(&values, starts.len())?;
        for known in key_columns.iter().filter_map(|column| column.known.as_ref()) {
            for (key, is_known) in keys.iter_mut().zip(known) {
                *key = if is_known { *key } else { OTHER_KEY };
            }
        }
        let mut intervals = Vec::with_capacity(starts.len());
        for ((start, dur), key) in starts.into_iter().zip(durs).zip(keys) {
            if start < 0 {
                return exec_err!("Interval intersect only accepts positive `ts` values.");
            }
            if dur < 0 {
                return exec_err!("Interval intersect only works on intervals with dur >= 0");
            }
            intervals.push(Interval { key, start, end: start.saturating_add(dur) });
        }
        let mut rows: Vec<u32> = (0u32..).take(intervals.len()).collect();
        let order = |row: &u32| (intervals[*row as usize].key, intervals[*row as usize].start);
        if rows.is_sorted_by_key(order) {
            return Ok(Self { intervals, rows });
        }
        let is_by_time = intervals.is_sorted_by_key(|interval| interval.start);
        match is_by_time.then(|| rows_by_key(&intervals)).flatten() {
            Some(by_key) => rows = by_key,
            None => rows.sort_by_key(order),
        }
        let intervals = rows.iter().map(|&row| intervals[row as usize]).collect();
        Ok(Self { intervals, rows })
    }
}

/// A column of a key with the type that it has in the first table.
struct KeyColumn {
    values: ArrayRef,
    /// Whether each row has a value that this type can hold; `None` if all have. A number is no
    /// text, and 1.5 no integer, so other rows have no partner in the first table.
    known: Option<BooleanBuffer>,
}

impl KeyColumn {
    fn of(column: &ArrayRef, kind: &DataType) -> Result<Self> {
        let given = column.data_type();
        if given == kind {
            return Ok(Self { values: Arc::clone(column), known: None });
        }
        if !(given.is_numeric() && kind.is_numeric()) {
            let nulls = column.logical_nulls();
            let known =
                nulls.map_or(BooleanBuffer::new_unset(column.len()), |nulls| !nulls.inner());
            return Ok(Self { values: new_null_array(kind, column.len()), known: Some(known) });
        }
        let values = cast(column, kind)?;
        let known = not_distinct(column, &cast(&values, given)?)?;
        Ok(Self { values, known: Some(known.values().clone()) })
    }
}

/// The rows by their keys, and those of a key in the order they have. As keys are numbers from 0 on,
/// the rows before each key are counted. `None` if there are far more keys than rows.
fn rows_by_key(intervals: &[Interval]) -> Option<Vec<u32>> {
    let greatest = intervals.iter().map(|interval| interval.key).max()?;
    let keys = (greatest as usize).checked_add(1).filter(|&keys| keys <= intervals.len())?;
    let mut next = vec![0_u32; keys];
    for interval in intervals {
        next[interval.key as usize] += 1;
    }
    let mut before = 0;
    for next in &mut next {
        let count = std::mem::replace(next, before);
        before += count;
    }
    let mut rows = vec![0; intervals.len()];
    for (row, interval) in (0..).zip(intervals) {
        let place = &mut next[interval.key as usize];
        rows[*place as usize] = row;
        *place += 1;
    }
    Some(rows)
}

/// The intersection of some tables, sorted by partition and start.
struct Intersection {
    intervals: Vec<Interval>,
    /// For each table, the row of each interval.
    rows: Vec<Vec<u32>>,
}

impl Intersection {
    fn new(table: Intervals) -> Self {
        Self { intervals: table.intervals, rows: vec![table.rows] }
    }

    /// Intersects with one more table.
    ///
    /// # Errors
    /// When the statement is cancelled.
    fn and(&self, table: &Intervals) -> Result<Self> {
        let about = self.intervals.len().max(table.intervals.len());
        let mut found = Vec::with_capacity(about);
        let mut rows: Vec<Vec<u32>> =
            (0..=self.rows.len()).map(|_| Vec::with_capacity(about)).collect();
        sweep(&self.intervals, &table.intervals, |left, right| {
            let (a, b) = (self.intervals[left as usize], table.intervals[right as usize]);
            let (start, end) = (a.start.max(b.start), a.end.min(b.end));
            found.push(Interval { key: a.key, start, end });
            let before = self.rows.iter().map(|rows| rows[left as usize]);
            let row = table.rows[right as usize];
            rows.iter_mut().zip(before.chain([row])).for_each(|(rows, row)| rows.push(row));
        })?;
        Ok(Self { intervals: found, rows })
    }

    /// The columns of the result.
    fn columns(self, tables: &[&[ArrayRef]]) -> Result<Vec<ArrayRef>> {
        let starts = self.intervals.iter().map(|interval| interval.start).collect();
        let durs = self.intervals.iter().map(|interval| interval.end - interval.start).collect();
        let mut columns = vec![to_column(starts), to_column(durs)];
        let rows: Vec<UInt32Array> = self.rows.into_iter().map(UInt32Array::from).collect();
        for (table, rows) in tables.iter().zip(&rows) {
            let Some(ids) = table.first() else {
                return exec_err!("interval intersect: a table without ids");
            };
            columns.push(take(ids, rows, None)?);
        }
        if let (Some(first), Some(rows)) = (tables.first(), rows.first()) {
            for key in first.iter().skip(COLUMNS_BEFORE_KEY) {
                columns.push(take(key, rows, None)?);
            }
        }
        Ok(columns)
    }
}

/// Calls `found` for each pair of overlapping intervals, in the order of the later start. If all
/// intervals overlap, the number of calls is the product of both lengths.
///
/// # Errors
/// When the statement is cancelled.
fn sweep(left: &[Interval], right: &[Interval], mut found: impl FnMut(u32, u32)) -> Result<()> {
    let (mut l, mut r) = (0, 0);
    let (mut open_left, mut open_right) = (Vec::new(), Vec::new());
    let mut key = None;
    loop {
        let order = |interval: &Interval| (interval.key, interval.start);
        let (next, is_left) = match (left.get(l), right.get(r)) {
            (Some(a), Some(b)) if order(a) <= order(b) => (a, true),
            (_, Some(b)) => (b, false),
            (Some(a), None) => (a, true),
            (None, None) => return Ok(()),
        };
        cancel::check()?;
        if key.replace(next.key) != Some(next.key) {
            open_left.clear();
            open_right.clear();
        }
        if is_left {
            find_overlaps(next, right, &mut open_right, |other| found(l as u32, other));
            open_left.push(l as u32);
            l += 1;
        } else {
            find_overlaps(next, left, &mut open_left, |other| found(other, r as u32));
            open_right.push(r as u32);
            r += 1;
        }
    }
}

/// Calls `found` for each open interval that overlaps `next`; removes the others from `open`,
/// because they have ended.
fn find_overlaps(
    next: &Interval,
    all: &[Interval],
    open: &mut Vec<u32>,
    mut found: impl FnMut(u32),
) {
    open.retain(|&other| {
        let reaches = all[other as usize].reaches(next);
        if reaches {
            found(other);
        }
        reaches
    });
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{Float64Array, StringViewArray};

    use super::*;

    fn intervals(values: &[(u32, i64, i64)]) -> Vec<Interval> {
        let mut all: Vec<Interval> =
            values.iter().map(|&(key, start, end)| Interval { key, start, end }).collect();
        all.sort_by_key(|interval| (interval.key, interval.start));
        all
    }

    fn pairs(left: &[Interval], right: &[Interval]) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        sweep(left, right, |a, b| pairs.push((a, b))).expect("is not cancelled");
        pairs
    }

    #[test]
    fn touching_is_not_overlapping() {
        let left = intervals(&[(0, 0, 10), (0, 10, 20)]);
        assert_eq!(pairs(&left, &intervals(&[(0, 10, 11)])), [(1, 0)]);
        // An empty interval overlaps an interval that starts at the same time, not one that ends.
        assert_eq!(pairs(&left, &intervals(&[(0, 10, 10)])), [(1, 0)]);
        assert_eq!(pairs(&intervals(&[(0, 10, 10)]), &left), [(0, 1)]);
        let empty = intervals(&[(0, 5, 5)]);
        assert_eq!(pairs(&empty, &empty), [(0, 0)]);
        assert_eq!(pairs(&left, &intervals(&[(1, 0, 20)])), []);
    }

    #[test]
    fn keys_of_other_types_are_compared_as_values() {
        let keys = |column: ArrayRef, kind: DataType| {
            let found = KeyColumn::of(&column, &kind).expect("a column");
            (0..column.len())
                .map(|row| {
                    let is_known = found.known.as_ref().is_none_or(|known| known.value(row));
                    is_known.then(|| found.values.is_valid(row))
                })
                .collect::<Vec<_>>()
        };
        let numbers: ArrayRef = Arc::new(Float64Array::from(vec![Some(5.5), Some(7.0), None]));
        // 7.0 is the integer 7, NULL is NULL, and 5.5 is no integer.
        assert_eq!(keys(Arc::clone(&numbers), DataType::Int64), [None, Some(true), Some(false)]);
        assert_eq!(keys(Arc::clone(&numbers), DataType::Utf8View), [None, None, Some(false)]);
        let texts: ArrayRef = Arc::new(StringViewArray::from(vec![Some("7"), None]));
        assert_eq!(keys(texts, DataType::Int64), [None, Some(false)]);
        assert_eq!(keys(numbers, DataType::Float64), [Some(true), Some(true), Some(false)]);
    }

    #[test]
    fn rows_in_order_of_time_are_sorted_by_counting() {
        let intervals = [(2, 0), (0, 1), (2, 1), (1, 5), (0, 7)].map(|(key, start)| Interval {
            key,
            start,
            end: start,
        });
        assert_eq!(rows_by_key(&intervals), Some(vec![1, 4, 3, 0, 2]));
        // Two rows, of which one has the sixth key of all tables.
        let few = [(5, 0), (0, 1)].map(|(key, start)| Interval { key, start, end: start });
        assert_eq!(rows_by_key(&few), None);
        assert_eq!(rows_by_key(&[]), None);
    }

    #[test]
    fn three_tables_are_intersected() {
        let table = |values: &[(u32, i64, i64)]| {
            let intervals = intervals(values);
            Intervals { rows: (0..intervals.len() as u32).collect(), intervals }
        };
        let first = Intersection::new(table(&[(0, 0, 100)]));
        let two = first.and(&table(&[(0, 10, 30), (0, 20, 50)])).unwrap();
        let three = two.and(&table(&[(0, 25, 40)])).unwrap();
        let found: Vec<(i64, i64)> =
            three.intervals.iter().map(|interval| (interval.start, interval.end)).collect();
        assert_eq!(found, [(25, 30), (25, 40)]);
        assert_eq!(three.rows, [vec![0, 0], vec![0, 1], vec![0, 0]]);
    }

    #[test]
    fn the_sweep_finds_the_same_pairs_as_a_nested_loop() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut below = |end: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            i64::try_from(state % end).unwrap()
        };
        for _ in 0..500 {
            let mut any = || {
                let values: Vec<_> = (0..below(12))
                    .map(|_| {
                        let start = below(20);
                        (u32::try_from(below(2)).unwrap(), start, start + below(6))
                    })
                    .collect();
                intervals(&values)
            };
            let (left, right) = (any(), any());
            let mut expected = Vec::new();
            for (a, left_interval) in (0u32..).zip(&left) {
                for (b, right_interval) in (0u32..).zip(&right) {
                    let (a_end, b_end) = (left_interval.end, right_interval.end);
                    let within = |at: i64, other: &Interval| other.start <= at && at < other.end;
                    let overlap = left_interval.start == right_interval.start
                        || within(left_interval.start, right_interval)
                        || within(right_interval.start, left_interval);
                    if left_interval.key == right_interval.key && overlap {
                        assert!(left_interval.start.max(right_interval.start) <= a_end.min(b_end));
                        expected.push((a, b));
                    }
                }
            }
            let mut found = pairs(&left, &right);
            found.sort_unstable();
            assert_eq!(found, expected, "{left:?} {right:?}");
        }
    }
}
