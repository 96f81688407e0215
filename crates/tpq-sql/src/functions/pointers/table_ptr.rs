//! `__intrinsic_table_ptr(table)`: makes a table value available in FROM.
//!
//! The columns keep their names. If WHERE has calls of `__intrinsic_table_ptr_bind`, the result has
//! only the bound columns, with the names `c0`, `c1`…; the planner moves the bindings from WHERE
//! into a second argument, `c0=ts,c1=dur`.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, RecordBatch, RecordBatchOptions, UInt32Array, new_null_array,
};
use datafusion::arrow::compute::take;
use datafusion::arrow::datatypes::{DataType, Field, Fields, Schema, SchemaRef};
use datafusion::common::{Result, internal_err, plan_err};

use super::collect::as_tables;
use super::table::columns_of;
use crate::functions::{CallArgument, CalledRows, TableFunction};

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

    fn call(&self, args: &[ArrayRef], _: usize, wanted: &[usize]) -> Result<CalledRows> {
        let [tables, names] = args else {
            return internal_err!("a table without the names of its columns");
        };
        let Some(tables) = as_tables(tables) else {
            return internal_err!("a table is expected, this is {}", tables.data_type());
        };
        let names = datafusion::common::ScalarValue::try_from_array(names, 0)?;
        let names = names.try_as_str().flatten().unwrap_or_default();
        let (mut calls, mut rows) = (Vec::new(), Vec::new());
        for (call, range) in (0u32..).zip(tables.offsets().windows(2)) {
            if tables.is_valid(call as usize) {
                rows.extend((range[0]..range[1]).filter_map(|row| u32::try_from(row).ok()));
                calls.resize(rows.len(), call);
            }
        }
        let Some(all) = tables.values().as_struct_opt() else {
            return internal_err!("a table is expected, this is {}", tables.data_type());
        };
        let names = bindings(names, all.fields());
        // All rows of one table after the other are not copied.
        let is_gapless = rows.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        let first = rows.first().map_or(0, |&first| first as usize);
        let rows = UInt32Array::from(rows);
        let of_calls = |column: &ArrayRef| match is_gapless {
            true => Ok(column.slice(first, rows.len())),
            false => take(column, &rows, None),
        };
        let (mut fields, mut columns) = (Vec::new(), Vec::new());
        for (_, name) in wanted.iter().filter_map(|&index| names.get(index)) {
            let Some(column) = all.column_by_name(name) else {
                if is_unused_id(name) {
                    fields.push(Field::new(name, DataType::Int64, true));
                    columns.push(new_null_array(&DataType::Int64, rows.len()));
                    continue;
                }
                return internal_err!("a table without column {name}");
            };
            fields.push(Field::new(name, column.data_type().clone(), true));
            columns.push(of_calls(column)?);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(calls.len()));
        let schema = Arc::new(Schema::new(fields));
        let rows = RecordBatch::try_new_with_options(schema, columns, &options)?;
        Ok(CalledRows { calls: calls.into(), rows })
    }
}
