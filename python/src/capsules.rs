//! Arrow's C data interface in Python: capsules with structs that share the buffers of batches.
//!
//! The names of the capsules are those of the specification, by which consumers check them. Each
//! struct is released by its consumer, or by the capsule if no consumer took it.

use datafusion::arrow::array::{RecordBatch, RecordBatchReader};
use datafusion::arrow::datatypes::Schema;
use datafusion::arrow::error::ArrowError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::c_data::{CArray, CSchema, CStream};

/// A capsule with the schema of rows.
///
/// # Errors
/// When the C data interface cannot describe a type.
pub fn schema<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let refused = |error: ArrowError| PyValueError::new_err(error.to_string());
    PyCapsule::new_with_value(py, CSchema::of(schema).map_err(refused)?, c"arrow_schema")
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
    Ok((columns, PyCapsule::new_with_value(py, CArray::of(batch), c"arrow_array")?))
}

/// A capsule with a stream of batches.
///
/// # Errors
/// When Python has no memory for it.
pub fn stream<'py>(
    py: Python<'py>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, CStream::new(reader), c"arrow_array_stream")
}
