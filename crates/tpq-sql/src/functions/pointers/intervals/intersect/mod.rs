//! `__intrinsic_interval_intersect(a, b, …, '(key, …)')`: the intersections of intervals of all
//! tables.
//!
//! Each table is intersected with the result of the tables before. A sweep goes over both in the
//! order of the starts and holds only the intervals that have not ended. After sorting, the time is
//! linear in the input and the output. Intervals of one table may overlap.
//!
//! Large tables are cut into parts by partition and time, and each thread sweeps over a part. The
//! pairs that it finds are runs, from which columns of known length are made.

mod runs;
mod side;
mod sweep;

use std::borrow::Cow;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, UInt32Array};
use datafusion::arrow::compute::take;
use datafusion::arrow::datatypes::{DataType, Field, Fields, Int64Type};
use datafusion::common::{Result, exec_err, plan_err};

use super::keys::{Keys, names_in};
use crate::functions::pointers::operator::{
    Operand, OperandType, Resources, TableOperator, wrong_operands,
};
use crate::functions::pointers::table::{integer, to_column};
use runs::Pairs;
use side::{Intervals, Side};

/// The number of tables that macros name the ids of.
const MAX_TABLES: usize = 15;
/// The number of columns of a collected table before those of its key: id, ts, dur.
const COLUMNS_BEFORE_KEY: usize = 3;
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
        self.run_within(operands, Resources::default())
    }

    fn run_within(
        &self,
        operands: &[Operand],
        resources: Resources,
    ) -> Result<Option<Vec<ArrayRef>>> {
        let tables = operands.len().saturating_sub(1);
        let tables = operands.iter().take(tables).map(Operand::table);
        let Some(tables) = tables.collect::<Option<Vec<_>>>() else { return Ok(None) };
        let Some((first, others)) = tables.split_first() else { return Ok(None) };
        let types: Vec<DataType> = first
            .iter()
            .skip(COLUMNS_BEFORE_KEY)
            .map(|column| column.data_type().clone())
            .collect();
        let mut keys = Keys::new(types.iter().cloned())?;
        let (intervals, rows) = Intervals::of_table(first, &types, &mut keys)?;
        let mut intersection = Intersection { intervals, rows: vec![rows] };
        let Some((last, between)) = others.split_last() else {
            return intersection.columns(first).map(Some);
        };
        for columns in between {
            let (table, rows) = Intervals::of_table(columns, &types, &mut keys)?;
            intersection = intersection.and(table.side(), rows.as_deref(), resources)?;
        }
        let (table, rows) = Intervals::of_table(last, &types, &mut keys)?;
        intersection.columns_with(table.side(), rows.as_deref(), &tables, resources).map(Some)
    }
}

/// The intersection of some tables.
struct Intersection<'a> {
    intervals: Intervals<'a>,
    /// For each table, the row of each interval; `None` if that is the number of the interval.
    rows: Vec<Option<Vec<u32>>>,
}

impl Intersection<'_> {
    /// Intersects with one more table, of which the row of each interval is given.
    ///
    /// # Errors
    /// When the statement is cancelled, or there is not enough memory.
    fn and(
        &self,
        table: Side,
        rows: Option<&[u32]>,
        resources: Resources,
    ) -> Result<Intersection<'static>> {
        let side = self.intervals.side();
        let pairs = Pairs::find(side, table, resources)?;
        // The rows of each table, and a key, have half of 8 bytes.
        pairs.reserve(3 + self.rows.len() / 2, resources)?;
        let starts = pairs.fill(|left, right| start(side, left, table, right))?;
        let durs = pairs.fill(|left, right| dur(side, left, table, right))?;
        let keys = side.has_keys().then(|| pairs.fill(|left, _| side.key(left))).transpose()?;
        let intervals = Intervals::new(Cow::Owned(starts), Cow::Owned(durs), keys)?;
        let mut all_rows = Vec::with_capacity(self.rows.len() + 1);
        for rows in &self.rows {
            let rows = rows.as_deref();
            all_rows.push(Some(pairs.fill(|left, _| row_of(rows, left))?));
        }
        all_rows.push(Some(pairs.fill(|_, right| row_of(rows, right))?));
        Ok(Intersection { intervals, rows: all_rows })
    }

    /// The columns of the result of one more table, which is the last of `tables`.
    ///
    /// # Errors
    /// As [`Intersection::and`].
    fn columns_with(
        &self,
        table: Side,
        rows: Option<&[u32]>,
        tables: &[&[ArrayRef]],
        resources: Resources,
    ) -> Result<Vec<ArrayRef>> {
        let side = self.intervals.side();
        let pairs = Pairs::find(side, table, resources)?;
        pairs.reserve(2 + tables.len(), resources)?;
        let starts = pairs.fill(|left, right| start(side, left, table, right))?;
        let durs = pairs.fill(|left, right| dur(side, left, table, right))?;
        let mut columns = vec![to_column(starts), to_column(durs)];
        for (at, table) in tables.iter().enumerate() {
            columns.push(match self.rows.get(at) {
                Some(before) => {
                    let before = before.as_deref();
                    values_of(ids(table)?, &pairs, |left, _| row_of(before, left))?
                }
                None => values_of(ids(table)?, &pairs, |_, right| row_of(rows, right))?,
            });
        }
        if let (Some(first), Some(rows)) = (tables.first(), self.rows.first()) {
            let rows = rows.as_deref();
            for key in first.iter().skip(COLUMNS_BEFORE_KEY) {
                columns.push(values_of(key, &pairs, |left, _| row_of(rows, left))?);
            }
        }
        Ok(columns)
    }

    /// The columns of the result of a single table.
    fn columns(&self, table: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
        let side = self.intervals.side();
        let starts = (0..side.len()).map(|at| side.start(at)).collect();
        let durs = (0..side.len()).map(|at| side.end(at) - side.start(at)).collect();
        let mut columns = vec![to_column(starts), to_column(durs)];
        let rows = self.rows.first().cloned().flatten().map(UInt32Array::from);
        for column in [ids(table)?].into_iter().chain(table.iter().skip(COLUMNS_BEFORE_KEY)) {
            columns.push(match &rows {
                Some(rows) => take(column, rows, None)?,
                None => Arc::clone(column),
            });
        }
        Ok(columns)
    }
}

/// The start of the intersection of two intervals.
fn start(a: Side, left: usize, b: Side, right: usize) -> i64 {
    a.start(left).max(b.start(right))
}

/// Its duration.
fn dur(a: Side, left: usize, b: Side, right: usize) -> i64 {
    a.end(left).min(b.end(right)) - start(a, left, b, right)
}

/// The row of an interval.
fn row_of(rows: Option<&[u32]>, at: usize) -> u32 {
    rows.map_or(at as u32, |rows| rows[at])
}

fn ids(table: &[ArrayRef]) -> Result<&ArrayRef> {
    match table.first() {
        Some(ids) => Ok(ids),
        None => exec_err!("interval intersect: a table without ids"),
    }
}

/// The values of a column in one row for each pair.
fn values_of(
    column: &ArrayRef,
    pairs: &Pairs,
    row: impl Fn(usize, usize) -> u32 + Sync,
) -> Result<ArrayRef> {
    // Integers are copied without making an array of rows.
    if let Some(integers) = column.as_primitive_opt::<Int64Type>()
        && integers.null_count() == 0
    {
        let values = &integers.values()[..];
        return Ok(to_column(pairs.fill(|left, right| values[row(left, right) as usize])?));
    }
    Ok(take(column, &UInt32Array::from(pairs.fill(row)?), None)?)
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{Int64Array, StringViewArray};

    use super::*;

    /// Rows of id, start and duration, and their texts as keys, if they have any.
    type Rows<'a> = (&'a [[i64; 3]], &'a [Option<&'a str>]);

    /// Runs the operator on tables.
    fn intersected(tables: &[Rows<'_>], threads: usize) -> Vec<Vec<String>> {
        let operand = |&(rows, keys): &Rows<'_>| {
            let column = |at: usize| -> ArrayRef {
                Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row[at])))
            };
            let mut columns = vec![column(0), column(1), column(2)];
            if !keys.is_empty() {
                columns.push(Arc::new(StringViewArray::from(keys.to_vec())));
            }
            Operand::Table { fields: Fields::empty(), columns: Some(columns) }
        };
        let list = Operand::Value(datafusion::common::ScalarValue::Null);
        let operands: Vec<Operand> = tables.iter().map(operand).chain([list]).collect();
        let resources = Resources { memory: None, threads };
        let columns = Intersect.run_within(&operands, resources).expect("columns");
        let columns = columns.expect("all tables have rows");
        let shown = |column: &ArrayRef| -> Vec<String> {
            let texts = datafusion::arrow::compute::cast(column, &DataType::Utf8).expect("texts");
            texts.as_string::<i32>().iter().map(|text| text.unwrap_or("-").to_owned()).collect()
        };
        columns.iter().map(shown).collect()
    }

    #[test]
    fn three_tables_are_intersected() {
        let tables: [Rows<'_>; 3] = [
            (&[[7, 0, 100]], &[]),
            // Not in the order of time.
            (&[[9, 20, 30], [8, 10, 20]], &[]),
            (&[[5, 25, 15]], &[]),
        ];
        let found = intersected(&tables, 1);
        assert_eq!(found, [["25", "25"], ["5", "15"], ["7", "7"], ["8", "9"], ["5", "5"]]);
    }

    #[test]
    fn keys_are_those_of_the_first_table() {
        let tables: [Rows<'_>; 2] = [
            (&[[1, 0, 10], [2, 5, 10], [3, 6, 0]], &[Some("a"), None, Some("a")]),
            (&[[4, 0, 7], [5, 0, 7]], &[None, Some("a")]),
        ];
        let found = intersected(&tables, 1);
        let expected =
            [["0", "6", "5"], ["7", "0", "2"], ["1", "3", "2"], ["5", "5", "4"], ["a", "a", "-"]];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_single_table_is_its_own_intersection() {
        let tables: [Rows<'_>; 1] = [(&[[1, 5, 10], [2, 0, i64::MAX], [3, 9, i64::MAX]], &[])];
        let rest = (i64::MAX - 9).to_string();
        let most = i64::MAX.to_string();
        assert_eq!(
            intersected(&tables, 1),
            [["0", "5", "9"], [most.as_str(), "10", rest.as_str()], ["2", "1", "3"]]
        );
    }

    #[test]
    fn threads_give_the_same_rows() {
        let slices: Vec<[i64; 3]> = (0..100_000).map(|at| [at, at * 10, at % 25]).collect();
        let buckets: Vec<[i64; 3]> =
            (0..200).map(|at| [at + 1000, at * 5000, 5000 + at % 3 * 5000]).collect();
        let more: Vec<[i64; 3]> = (0..70_000).map(|at| [at, at * 13, at % 20]).collect();
        let none: &[Option<&str>] = &[];
        for tables in [
            &[(&slices[..], none), (&buckets[..], none)][..],
            &[(&buckets[..], none), (&slices[..], none)][..],
            &[(&slices[..], none), (&more[..], none), (&buckets[..], none)][..],
        ] {
            let expected = intersected(tables, 1);
            assert!(expected.iter().all(|column| column.len() > 50_000));
            for threads in [2, 3] {
                assert!(intersected(tables, threads) == expected);
            }
        }
    }
}
