//! Tables as values: lists of rows.

use std::borrow::Cow;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Float64Array, Int64Array, LargeListArray, StructArray,
};
use datafusion::arrow::buffer::OffsetBuffer;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Fields, Float64Type, Int64Type};
use datafusion::common::{Result, ScalarValue, internal_err};

/// The type of a table with these columns.
pub(super) fn table_type(columns: Fields) -> DataType {
    DataType::LargeList(row_field(columns))
}

fn row_field(columns: Fields) -> Arc<Field> {
    Arc::new(Field::new("row", DataType::Struct(columns), false))
}

/// The columns of a table type; `None` for other types.
pub(super) fn columns_of(kind: &DataType) -> Option<&Fields> {
    match kind {
        DataType::LargeList(row) => match row.data_type() {
            DataType::Struct(columns) => Some(columns),
            _ => None,
        },
        _ => None,
    }
}

/// The type of a table's column for values of a type: integer, real, text, blob, or a table.
pub(super) fn column_type(kind: &DataType) -> DataType {
    match kind {
        kind if kind.is_floating() || matches!(kind, DataType::Decimal128(..)) => DataType::Float64,
        kind if kind.is_string() => DataType::Utf8View,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => DataType::BinaryView,
        kind if columns_of(kind).is_some() => kind.clone(),
        _ => DataType::Int64,
    }
}

/// A nullable column of integers.
pub(super) fn integer(name: &str) -> Arc<Field> {
    Arc::new(Field::new(name, DataType::Int64, true))
}

/// A nullable column of reals.
pub(super) fn number(name: &str) -> Arc<Field> {
    Arc::new(Field::new(name, DataType::Float64, true))
}

/// Makes a table value of columns; `None` makes NULL.
pub(super) fn to_value(fields: &Fields, columns: Option<Vec<ArrayRef>>) -> Result<ScalarValue> {
    let row = row_field(fields.clone());
    let Some(columns) = columns else {
        return Ok(ScalarValue::LargeList(Arc::new(LargeListArray::new_null(row, 1))));
    };
    let columns = columns.iter().zip(fields).map(|(column, field)| cast(column, field.data_type()));
    let columns = columns.collect::<std::result::Result<Vec<_>, _>>()?;
    let rows = StructArray::try_new(fields.clone(), columns, None)?;
    let offsets = OffsetBuffer::from_lengths([rows.len()]);
    let list = LargeListArray::try_new(row, offsets, Arc::new(rows), None)?;
    Ok(ScalarValue::LargeList(Arc::new(list)))
}

/// The columns of the table in a row of `values`; `None` for NULL or a table without rows.
pub(super) fn from_value(values: &ArrayRef, row: usize) -> Result<Option<Vec<ArrayRef>>> {
    if values.is_null(row) {
        return Ok(None);
    }
    let Some(list) = values.as_list_opt::<i64>() else {
        return internal_err!("a table is expected, this is {}", values.data_type());
    };
    let rows = list.value(row);
    if rows.is_empty() {
        return Ok(None);
    }
    match rows.as_struct_opt() {
        Some(rows) => Ok(Some(rows.columns().to_vec())),
        None => internal_err!("a table is expected, this is a list of {}", rows.data_type()),
    }
}

/// The integers of a column; NULL counts as 0, as it does in SQLite's C interface.
pub(super) fn integers(columns: &[ArrayRef], index: usize) -> Result<Vec<i64>> {
    Ok(integer_column(columns, index)?.iter().map(Option::unwrap_or_default).collect())
}

/// The same without a copy if no value is NULL.
pub(super) fn integer_values(columns: &[ArrayRef], index: usize) -> Result<Cow<'_, [i64]>> {
    let column = integer_column(columns, index)?;
    Ok(match column.null_count() {
        0 => Cow::Borrowed(&column.values()[..]),
        _ => Cow::Owned(integers(columns, index)?),
    })
}

pub(super) fn integer_column(columns: &[ArrayRef], index: usize) -> Result<&Int64Array> {
    match columns.get(index).and_then(|column| column.as_primitive_opt::<Int64Type>()) {
        Some(column) => Ok(column),
        None => internal_err!("a table without integers in column {index}"),
    }
}

pub(super) fn number_column(columns: &[ArrayRef], index: usize) -> Result<&Float64Array> {
    match columns.get(index).and_then(|column| column.as_primitive_opt::<Float64Type>()) {
        Some(column) => Ok(column),
        None => internal_err!("a table without numbers in column {index}"),
    }
}

pub(super) fn to_column(values: Vec<i64>) -> ArrayRef {
    Arc::new(Int64Array::from(values))
}

pub(super) fn to_nullable_column(values: Vec<Option<i64>>) -> ArrayRef {
    Arc::new(Int64Array::from(values))
}
