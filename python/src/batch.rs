//! Batches of rows that were read.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList, PyTuple};

use crate::{capsules, values};

/// Rows of a result, as columns of Arrow.
#[pyclass(frozen, module = "tpq._native")]
pub struct Batch(RecordBatch);

impl Batch {
    /// Rows of the engine.
    pub fn new(batch: RecordBatch) -> Self {
        Self(batch)
    }
}

#[pymethods]
impl Batch {
    /// The number of rows.
    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    /// The first rows, at most `rows`, without copying.
    fn head(&self, rows: usize) -> Self {
        Self(self.0.slice(0, rows.min(self.0.num_rows())))
    }

    /// The rows as tuples.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let columns = self.0.columns().iter().map(|column| values::of_column(py, column));
        let columns = columns.collect::<PyResult<Vec<_>>>()?;
        let row = |row: usize| PyTuple::new(py, columns.iter().map(|values| &values[row]));
        let rows = (0..self.0.num_rows()).map(row).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, rows)
    }

    /// The schema, for Arrow's C data interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsules::schema(py, self.0.schema_ref())
    }

    /// The rows as a struct array, for Arrow's C data interface. `requested_schema` is ignored, as
    /// the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        drop(requested_schema);
        capsules::array(py, &self.0)
    }
}

/// Batches of one result, collected in memory.
#[pyclass(frozen, module = "tpq._native")]
pub struct Batches {
    schema: SchemaRef,
    batches: Mutex<Vec<RecordBatch>>,
}

impl Batches {
    fn lock(&self) -> MutexGuard<'_, Vec<RecordBatch>> {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Batches {
    /// No batches yet, of a result with the schema of `rows`; without columns if it is `None`.
    #[new]
    #[pyo3(signature = (rows=None))]
    fn new(rows: Option<&crate::rows::Rows>) -> Self {
        let schema = rows.map_or_else(|| Arc::new(Schema::empty()), crate::rows::Rows::schema);
        Self { schema, batches: Mutex::default() }
    }

    /// Adds a batch.
    fn append(&self, batch: &Batch) {
        self.lock().push(batch.0.clone());
    }

    /// The batches.
    fn batches(&self) -> Vec<Batch> {
        self.lock().iter().cloned().map(Batch).collect()
    }

    /// The schema, for Arrow's C data interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsules::schema(py, &self.schema)
    }

    /// The batches, for Arrow's C stream interface. `requested_schema` is ignored, as the interface
    /// allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = self.lock().clone();
        capsules::stream(py, &self.schema, batches.into_iter().map(Ok))
    }
}
