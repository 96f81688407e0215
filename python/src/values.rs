//! Values of columns as objects of Python.

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::{
    ArrowPrimitiveType, DataType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A value, or `None` for NULL.
type Value<'py> = Bound<'py, PyAny>;

/// The values of a column: `int`, `float`, `str`, `bytes`, `bool`, `None`, and `list` of these. The
/// value of any other type is its text.
///
/// # Errors
/// When an object cannot be made.
pub fn of_column<'py>(py: Python<'py>, column: &ArrayRef) -> PyResult<Vec<Value<'py>>> {
    match column.data_type() {
        DataType::Null => Ok(vec![py.None().into_bound(py); column.len()]),
        DataType::Boolean => objects(py, column.as_boolean().iter()),
        DataType::Int8 => primitives::<Int8Type>(py, column),
        DataType::Int16 => primitives::<Int16Type>(py, column),
        DataType::Int32 => primitives::<Int32Type>(py, column),
        DataType::Int64 => primitives::<Int64Type>(py, column),
        DataType::UInt8 => primitives::<UInt8Type>(py, column),
        DataType::UInt16 => primitives::<UInt16Type>(py, column),
        DataType::UInt32 => primitives::<UInt32Type>(py, column),
        DataType::UInt64 => primitives::<UInt64Type>(py, column),
        DataType::Float32 => primitives::<Float32Type>(py, column),
        DataType::Float64 => primitives::<Float64Type>(py, column),
        DataType::Utf8View => objects(py, column.as_string_view().iter()),
        DataType::Utf8 => objects(py, column.as_string::<i32>().iter()),
        DataType::LargeUtf8 => objects(py, column.as_string::<i64>().iter()),
        DataType::BinaryView => bytes(py, column.as_binary_view().iter()),
        DataType::Binary => bytes(py, column.as_binary::<i32>().iter()),
        DataType::LargeBinary => bytes(py, column.as_binary::<i64>().iter()),
        DataType::List(_) => lists(py, column.as_list::<i32>().iter()),
        DataType::LargeList(_) => lists(py, column.as_list::<i64>().iter()),
        _ => texts(py, column),
    }
}

fn objects<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    values: impl Iterator<Item = Option<T>>,
) -> PyResult<Vec<Value<'py>>> {
    values.map(|value| value.into_bound_py_any(py)).collect()
}

fn primitives<'py, T>(py: Python<'py>, column: &ArrayRef) -> PyResult<Vec<Value<'py>>>
where
    T: ArrowPrimitiveType<Native: IntoPyObject<'py>>,
{
    objects(py, column.as_primitive::<T>().iter())
}

fn bytes<'py, 'a>(
    py: Python<'py>,
    values: impl Iterator<Item = Option<&'a [u8]>>,
) -> PyResult<Vec<Value<'py>>> {
    objects(py, values.map(|value| value.map(|value| PyBytes::new(py, value))))
}

fn lists<'py>(
    py: Python<'py>,
    values: impl Iterator<Item = Option<ArrayRef>>,
) -> PyResult<Vec<Value<'py>>> {
    let list = |items: Option<ArrayRef>| match items {
        Some(items) => of_column(py, &items)?.into_bound_py_any(py),
        None => Ok(py.None().into_bound(py)),
    };
    values.map(list).collect()
}

fn texts<'py>(py: Python<'py>, column: &ArrayRef) -> PyResult<Vec<Value<'py>>> {
    let refused = |error: ArrowError| PyValueError::new_err(error.to_string());
    let formatter = ArrayFormatter::try_new(column, &FormatOptions::new()).map_err(refused)?;
    let text = |row| match column.is_null(row) {
        true => Ok(py.None().into_bound(py)),
        false => formatter.value(row).try_to_string().map_err(refused)?.into_bound_py_any(py),
    };
    (0..column.len()).map(text).collect()
}
