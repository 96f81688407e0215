//! Arrow's C data interface in Python: capsules with structs that share the buffers of batches.
//!
//! The names of the capsules are those of the specification, by which consumers check them. Each
//! struct is released by its consumer, or by the capsule if no consumer took it.

use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatch, RecordBatchIterator, StructArray};
use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::arrow::error::ArrowError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// A capsule with the schema of rows.
///
/// # Errors
/// When the C data interface cannot describe a type.
pub fn schema<'py>(py: Python<'py>, schema: &SchemaRef) -> PyResult<Bound<'py, PyCapsule>> {
    let refused = |error: ArrowError| PyValueError::new_err(error.to_string());
    let schema = FFI_ArrowSchema::try_from(exported(schema).as_ref()).map_err(refused)?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// Capsules with the schema and the columns of a batch, as those of a struct.
///
/// # Errors
/// As [`schema`].
pub fn array<'py>(
    py: Python<'py>,
    batch: &RecordBatch,
) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let columns = schema(py, batch.schema_ref())?;
    let array = FFI_ArrowArray::new(&StructArray::from(batch.clone()).to_data());
    Ok((columns, PyCapsule::new_with_value(py, array, c"arrow_array")?))
}

/// A capsule with a stream of batches of a schema.
///
/// # Errors
/// When Python has no memory for it.
pub fn stream<'py>(
    py: Python<'py>,
    schema: &SchemaRef,
    batches: impl Iterator<Item = Result<RecordBatch, ArrowError>> + Send + 'static,
) -> PyResult<Bound<'py, PyCapsule>> {
    let reader = RecordBatchIterator::new(batches, exported(schema));
    let stream = FFI_ArrowArrayStream::new(Box::new(reader));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// The schema of a result for C, where a NUL ends the name of a column. Facts of the engine about
/// columns are left out.
fn exported(schema: &SchemaRef) -> SchemaRef {
    let name = |field: &Field| {
        let end = field.name().find('\0').unwrap_or(field.name().len());
        field.name().get(..end).unwrap_or_default().to_owned()
    };
    let fields = schema
        .fields()
        .iter()
        .map(|field| Field::new(name(field), field.data_type().clone(), field.is_nullable()));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}
