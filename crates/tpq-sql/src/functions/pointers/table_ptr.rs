//! `__intrinsic_table_ptr(table)`: makes a table value available in FROM.
//!
//! The columns keep their names. If WHERE has calls of `__intrinsic_table_ptr_bind`, the result has
//! only the bound columns, with the names `c0`, `c1`…; the planner moves the bindings from WHERE
//! into a second argument, `c0=ts,c1=dur`.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, RecordBatch, RecordBatchOptions, UInt32Array, UInt64Array,
    new_null_array,
};
use datafusion::arrow::compute::take;
use datafusion::arrow::datatypes::{DataType, Field, Fields, Schema, SchemaRef};
use datafusion::common::{Result, internal_err, plan_err};

use super::collect::as_tables;
use super::table::columns_of;
use crate::functions::{CallArgument, CallPart, CallParts, CalledRows, TableFunction};

/// The most rows of a part: a chunk of a table has as many.
const ROWS_OF_A_PART: usize = tpq_tables::CHUNK_ROWS;

/// The table function `__intrinsic_table_ptr`.
#[derive(Debug)]
pub(super) struct TablePointer;

/// Pairs of a column's name in the statement and its name in the table.
fn bindings(text: &str, columns: &Fields) -> Vec<(String, String)> {
    let unbound = |field: &Arc<Field>| (field.name().clone(), field.name().clone());
    if text.is_empty() {
        return columns.iter().map(unbound).collect();
    }
    let bindings = text.split(',').filter_map(|binding| binding.split_once('='));
    bindings.map(|(alias, name)| (alias.to_owned(), name.to_owned())).collect()
}

/// Whether a column is the id of one more table than there is: macros on intervals name as many
/// ids as there may be tables, whatever their number. Such an id is NULL.
fn is_unused_id(name: &str) -> bool {
    let number = name.strip_prefix("id_").unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

impl TableFunction for TablePointer {
    fn name(&self) -> &str {
        "__intrinsic_table_ptr"
    }

    fn arguments(&self) -> &[(&'static str, DataType)] {
        &[("table", DataType::Null), ("columns", DataType::Null)]
    }

    fn schema(&self, args: &[CallArgument]) -> Result<SchemaRef> {
        let [table, names] = args else {
            return internal_err!("a table without the names of its columns");
        };
        let Some(columns) = columns_of(&table.data_type) else {
            return plan_err!("__intrinsic_table_ptr() takes the result of a table operator");
        };
        let names = names.text.as_deref().unwrap_or_default();
        let mut fields = Vec::new();
        for (column, name) in bindings(names, columns) {
            let Some((_, field)) = columns.find(&name) else {
                if is_unused_id(&name) {
                    fields.push(Field::new(column, DataType::Int64, true));
                    continue;
                }
                return plan_err!(
                    "the table of __intrinsic_table_ptr() has no column called {name}"
                );
            };
            fields.push(Field::new(column, field.data_type().clone(), true));
        }
        Ok(Arc::new(Schema::new(fields)))
    }

    /// The rows in slices, so that what reads them works on few at a time.
    fn call_in_parts(
        self: Arc<Self>,
        args: Vec<ArrayRef>,
        calls: usize,
        columns: Vec<usize>,
    ) -> Result<CallParts> {
        let (ends, rows) = rows_of_calls(&args, &columns)?;
        let (mut at, mut has_begun) = (0, false);
        Ok(Box::new(std::iter::from_fn(move || {
            if has_begun && at == rows.num_rows() {
                return None;
            }
            has_begun = true;
            let part = rows.slice(at, ROWS_OF_A_PART.min(rows.num_rows() - at));
            let numbers = calls_of(&ends, at, part.num_rows());
            at += part.num_rows();
            let complete = match at == rows.num_rows() {
                true => calls,
                false => ends.partition_point(|&end| end <= at),
            };
            let called = CalledRows { calls: numbers, rows: part };
            Some(Ok(CallPart { called, complete }))
        })))
    }
}

/// The call of each of `count` rows from `start` on. `ends` has the end of each call's rows.
fn calls_of(ends: &[usize], start: usize, count: usize) -> UInt32Array {
    let first = ends.partition_point(|&end| end <= start);
    let mut calls = Vec::with_capacity(count);
    for (call, &end) in (0u32..).zip(ends).skip(first) {
        if calls.len() == count {
            break;
        }
        calls.resize(end.saturating_sub(start).min(count), call);
    }
    calls.into()
}

/// Wanted columns of the rows of all calls, and where the rows of each call end.
fn rows_of_calls(args: &[ArrayRef], wanted: &[usize]) -> Result<(Vec<usize>, RecordBatch)> {
    let [tables, names] = args else {
        return internal_err!("a table without the names of its columns");
    };
    let Some(tables) = as_tables(tables) else {
        return internal_err!("a table is expected, this is {}", tables.data_type());
    };
    let names = datafusion::common::ScalarValue::try_from_array(names, 0)?;
    let names = names.try_as_str().flatten().unwrap_or_default();
    let Some(all) = tables.values().as_struct_opt() else {
        return internal_err!("a table is expected, this is {}", tables.data_type());
    };
    let mut ends = Vec::with_capacity(tables.len());
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut count = 0;
    for (call, range) in tables.offsets().windows(2).enumerate() {
        // Offsets are positions in `all`.
        let range = range[0] as usize..range[1] as usize;
        if tables.is_valid(call) && !range.is_empty() {
            count += range.len();
            ranges.push(range);
        }
        ends.push(count);
    }
    let names = bindings(names, all.fields());
    // All rows of one table after the other are not copied.
    let is_gapless = ranges.windows(2).all(|pair| pair[0].end == pair[1].start);
    let first = ranges.first().map_or(0, |first| first.start);
    let rows = (!is_gapless).then(|| UInt64Array::from_iter_values(row_numbers(&ranges)));
    let of_calls = |column: &ArrayRef| match &rows {
        None => Ok(column.slice(first, count)),
        Some(rows) => take(column, rows, None),
    };
    let (mut fields, mut columns) = (Vec::new(), Vec::new());
    for (_, name) in wanted.iter().filter_map(|&index| names.get(index)) {
        let Some(column) = all.column_by_name(name) else {
            if is_unused_id(name) {
                fields.push(Field::new(name, DataType::Int64, true));
                columns.push(new_null_array(&DataType::Int64, count));
                continue;
            }
            return internal_err!("a table without column {name}");
        };
        fields.push(Field::new(name, column.data_type().clone(), true));
        columns.push(of_calls(column)?);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(count));
    let schema = Arc::new(Schema::new(fields));
    Ok((ends, RecordBatch::try_new_with_options(schema, columns, &options)?))
}

/// The numbers in some ranges.
fn row_numbers(ranges: &[Range<usize>]) -> impl Iterator<Item = u64> {
    ranges.iter().cloned().flatten().map(|row| row as u64)
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{Int64Array, LargeListArray, StructArray};
    use datafusion::arrow::buffer::{NullBuffer, OffsetBuffer};
    use datafusion::arrow::datatypes::Int64Type;

    use super::*;

    /// The calls, values and `complete` of each part of a read of tables with some lengths, which
    /// are NULL where `valid` says so; the rows are numbered.
    fn parts(lengths: &[usize], valid: &[bool]) -> Vec<(Vec<u32>, Vec<i64>, usize)> {
        let count = lengths.iter().sum::<usize>() as i64;
        let column: ArrayRef = Arc::new(Int64Array::from_iter_values(0..count));
        let fields = Fields::from(vec![Field::new("c", DataType::Int64, true)]);
        let rows = StructArray::new(fields.clone(), vec![column], None);
        let row = Arc::new(Field::new("row", DataType::Struct(fields), false));
        let offsets = OffsetBuffer::from_lengths(lengths.iter().copied());
        let nulls = Some(NullBuffer::from(valid.to_vec()));
        let tables = LargeListArray::new(row, offsets, Arc::new(rows), nulls);
        let names = new_null_array(&DataType::Utf8View, lengths.len());
        let args: Vec<ArrayRef> = vec![Arc::new(tables), names];
        let parts = Arc::new(TablePointer).call_in_parts(args, lengths.len(), vec![0]);
        let parts = parts.expect("tables").map(|part| {
            let CallPart { called: CalledRows { calls, rows }, complete } = part.expect("a part");
            let values = rows.column(0).as_primitive::<Int64Type>().values().to_vec();
            (calls.values().to_vec(), values, complete)
        });
        parts.collect()
    }

    #[test]
    fn rows_of_several_tables_follow_each_other() {
        let expected = (vec![0, 0, 2], vec![0, 1, 2], 4);
        assert_eq!(parts(&[2, 0, 1, 0], &[true; 4]), [expected]);
        // The third table is NULL, so its row is left out.
        let expected = (vec![0, 0, 3], vec![0, 1, 3], 4);
        assert_eq!(parts(&[2, 0, 1, 1], &[true, true, false, true]), [expected]);
        assert_eq!(parts(&[0, 0], &[true, false]), [(vec![], vec![], 2)]);
    }

    #[test]
    fn many_rows_come_in_parts() {
        let found = parts(&[10, ROWS_OF_A_PART, 5], &[true; 3]);
        let sizes = found.iter().map(|(calls, _, complete)| (calls.len(), *complete));
        let sizes: Vec<_> = sizes.collect();
        assert_eq!(sizes, [(ROWS_OF_A_PART, 1), (15, 3)]);
        let calls: Vec<u32> = found.iter().flat_map(|(calls, ..)| calls.clone()).collect();
        let expected = [vec![0; 10], vec![1; ROWS_OF_A_PART], vec![2; 5]].concat();
        assert!(calls == expected);
        let values = found.iter().flat_map(|(_, values, _)| values.clone());
        assert!(values.eq(0..ROWS_OF_A_PART as i64 + 15));
        // A part ends with the rows of a call.
        let found = parts(&[ROWS_OF_A_PART, 0, 1], &[true; 3]);
        assert_eq!(found.iter().map(|part| part.2).collect::<Vec<_>>(), [2, 3]);
    }
}
