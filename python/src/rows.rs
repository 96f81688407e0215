//! The rows of a statement, computed as they are read.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use futures::StreamExt;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tpq::{CancelToken, ResultSet, Statement};

use crate::batch::Batch;
use crate::parameters::Parameters;
use crate::trace::Opened;
use crate::wait::{wait, wait_anywhere};
use crate::{capsules, errors, save};

/// The rows of a statement, which can be read once.
#[pyclass(frozen, module = "tpq._native")]
pub struct Rows {
    opened: Arc<Opened>,
    statement: Arc<Statement>,
    parameters: Parameters,
    cancel: CancelToken,
    schema: SchemaRef,
    suppressed: bool,
    state: Mutex<State>,
}

/// How far the rows were read.
enum State {
    Unread(ResultSet),
    /// A thread reads them, or a consumer took them.
    Taken,
    /// All were read.
    Ended,
    /// Reading them failed, or was interrupted.
    Failed,
}

impl Rows {
    /// The rows of a statement that was started.
    pub fn new(
        opened: Arc<Opened>,
        statement: Arc<Statement>,
        parameters: Parameters,
        cancel: CancelToken,
        result: ResultSet,
    ) -> Self {
        let (schema, suppressed) = (Arc::clone(result.schema()), result.is_suppressed());
        let state = Mutex::new(State::Unread(result));
        Self { opened, statement, parameters, cancel, schema, suppressed, state }
    }

    /// Whether the statement asks that its rows are not shown.
    pub fn is_suppressed(&self) -> bool {
        self.suppressed
    }

    /// The columns.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn set(&self, state: State) -> State {
        let mut current = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut current, state)
    }

    /// Takes the rows that are not read yet; `None` after the last.
    fn take(&self, py: Python<'_>) -> PyResult<Option<ResultSet>> {
        match self.set(State::Taken) {
            State::Unread(result) => Ok(Some(result)),
            State::Ended => {
                self.set(State::Ended);
                Ok(None)
            }
            State::Taken => Err(errors::error(py, "the rows are being read elsewhere")),
            State::Failed => {
                self.set(State::Failed);
                Err(errors::error(py, "reading the rows failed before"))
            }
        }
    }
}

#[pymethods]
impl Rows {
    /// The next rows; `None` after the last.
    fn next_batch(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        let Some(mut result) = self.take(py)? else { return Ok(None) };
        let next = async move { (result.next().await, result) };
        let (next, result) = wait(py, &self.opened.threads, &self.cancel, next, |_| Ok(()))
            .inspect_err(|_| drop(self.set(State::Failed)))?;
        let (batch, state) = match next {
            Some(Ok(batch)) => (Ok(Some(Batch::new(batch))), State::Unread(result)),
            Some(Err(error)) => (Err(errors::sql_error(py, &error)), State::Failed),
            None => (Ok(None), State::Ended),
        };
        self.set(state);
        batch
    }

    /// Runs the statement again.
    fn again(&self, py: Python<'_>) -> PyResult<Option<Self>> {
        self.opened.run(py, &self.statement, &self.parameters)
    }

    /// Writes the rows that are not read yet to a file, and returns their number. The file gets its
    /// name once it is complete.
    #[pyo3(signature = (path, format=None))]
    fn save(&self, py: Python<'_>, path: PathBuf, format: Option<&str>) -> PyResult<usize> {
        let file = save::ResultFile::create(&path, format)?;
        let Some(result) = self.take(py)? else {
            return Err(errors::error(py, "the rows were read before"));
        };
        let saved = wait(py, &self.opened.threads, &self.cancel, file.write(result), |_| Ok(()))
            .inspect_err(|_| drop(self.set(State::Failed)))?;
        self.set(if saved.is_ok() { State::Ended } else { State::Failed });
        saved.map_err(|error| error.into_exception(py))
    }

    /// The names of the columns, in order. Several columns may have the same name.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The Arrow types of the columns, as text.
    #[getter]
    fn types(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.data_type().to_string()).collect()
    }

    /// The statement, as it was written.
    #[getter]
    fn sql(&self) -> &str {
        self.statement.text()
    }

    /// The schema, for Arrow's C data interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsules::schema(py, &self.schema)
    }

    /// The rows that are not read yet, for Arrow's C stream interface. `requested_schema` is
    /// ignored, as the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let result = self.take(py)?;
        let batches =
            Batches { opened: Arc::clone(&self.opened), cancel: self.cancel.clone(), result };
        capsules::stream(py, &self.schema, batches)
    }
}

/// Rows on their way to a consumer of Arrow's C stream interface.
struct Batches {
    opened: Arc<Opened>,
    cancel: CancelToken,
    /// `None` after the last batch, or an error.
    result: Option<ResultSet>,
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut result = self.result.take()?;
        let next = async move { (result.next().await, result) };
        match wait_anywhere(&self.opened.threads, &self.cancel, next) {
            Ok((Some(Ok(batch)), result)) => {
                self.result = Some(result);
                Some(Ok(batch))
            }
            Ok((Some(Err(error)), _)) => {
                Some(Err(ArrowError::ExternalError(error.report().into())))
            }
            Ok((None, _)) => None,
            Err(error) => Some(Err(ArrowError::ExternalError(Box::new(error)))),
        }
    }
}
