//! An open trace.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tokio::sync::RwLock;
use tpq::{CancelToken, Relation, RelationColumn, ResultSet, SqlError, Statement};

use crate::errors;
use crate::parameters::Parameters;
use crate::rows::Rows;
use crate::threads::Threads;
use crate::wait::wait;

/// A trace and its threads. Unread results keep it alive.
pub struct Opened {
    pub threads: Threads,
    session: Arc<SharedSession>,
    /// The parent of the tokens of all statements that run.
    cancel: Mutex<CancelToken>,
}

/// The session of a trace, used by several statements at once.
struct SharedSession {
    trace: tpq::Trace,
    /// Parameters belong to the session, so a statement with parameters is planned alone.
    parameters: RwLock<()>,
}

impl SharedSession {
    async fn run(
        &self,
        statement: &Statement,
        parameters: &Parameters,
        cancel: &CancelToken,
    ) -> Result<Option<ResultSet>, SqlError> {
        let session = self.trace.session();
        if parameters.is_empty() {
            let _shared = self.parameters.read().await;
            return session.run_cancellable(statement, cancel).await;
        }
        let _alone = self.parameters.write().await;
        let _set = SetParameters::new(session, parameters);
        session.run_cancellable(statement, cancel).await
    }
}

/// Parameters that are set in a session; dropping this removes them, also when a statement is
/// stopped.
struct SetParameters<'a> {
    session: &'a tpq::Session,
    parameters: &'a Parameters,
}

impl<'a> SetParameters<'a> {
    fn new(session: &'a tpq::Session, parameters: &'a Parameters) -> Self {
        parameters.set_in(session);
        Self { session, parameters }
    }
}

impl Drop for SetParameters<'_> {
    fn drop(&mut self) {
        self.parameters.remove_from(self.session);
    }
}

impl Opened {
    /// Runs a statement; returns its rows, if it is one that gives rows.
    ///
    /// # Errors
    /// The exception of the statement, or of Ctrl-C.
    pub fn run(
        self: &Arc<Self>,
        py: Python<'_>,
        statement: &Arc<Statement>,
        parameters: &Parameters,
    ) -> PyResult<Option<Rows>> {
        let cancel = self.cancel().child();
        let work = {
            let (session, statement) = (Arc::clone(&self.session), Arc::clone(statement));
            let (parameters, cancel) = (parameters.clone(), cancel.clone());
            async move { session.run(&statement, &parameters, &cancel).await }
        };
        let result = wait(py, &self.threads, &cancel, work, |_| Ok(()))?;
        let result = result.map_err(|error| errors::sql_error(py, &error))?;
        let rows = |result| {
            let (opened, statement) = (Arc::clone(self), Arc::clone(statement));
            Rows::new(opened, statement, parameters.clone(), cancel, result)
        };
        Ok(result.map(rows))
    }

    fn cancel(&self) -> MutexGuard<'_, CancelToken> {
        self.cancel.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops all statements that run now.
    fn interrupt(&self) {
        std::mem::take(&mut *self.cancel()).cancel();
    }
}

/// The name, type and meaning of each column.
type Columns = Vec<(String, String, String)>;

/// An open trace.
#[pyclass(frozen, module = "tpq._native")]
pub struct Trace {
    /// `None` once it is closed.
    opened: Mutex<Option<Arc<Opened>>>,
}

impl Trace {
    /// A trace that was imported on `threads`.
    pub fn new(threads: Threads, trace: tpq::Trace) -> Self {
        let session = Arc::new(SharedSession { trace, parameters: RwLock::new(()) });
        let opened = Opened { threads, session, cancel: Mutex::default() };
        Self { opened: Mutex::new(Some(Arc::new(opened))) }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Opened>>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn opened(&self, py: Python<'_>) -> PyResult<Arc<Opened>> {
        self.lock().clone().ok_or_else(|| errors::error(py, "the trace is closed"))
    }
}

#[pymethods]
impl Trace {
    /// Runs the statements of a text, of which only the last may give rows. Returns these, or
    /// `None` if the last statement gives none.
    fn run(
        &self,
        py: Python<'_>,
        sql: &str,
        parameters: &Bound<'_, PyDict>,
    ) -> PyResult<Option<Rows>> {
        let (opened, parameters) = (self.opened(py)?, Parameters::of(parameters)?);
        let statements = opened.session.trace.session().statements(sql);
        let mut statements = statements.map_err(|error| errors::sql_error(py, &error))?;
        let Some(last) = statements.pop() else {
            return Err(errors::invalid(py, "expected a statement, found none"));
        };
        for statement in statements {
            let rows = opened.run(py, &Arc::new(statement), &parameters)?;
            if rows.is_some_and(|rows| !rows.is_suppressed()) {
                let message = "expected one statement that gives rows, found several";
                return Err(errors::invalid(py, message));
            }
        }
        opened.run(py, &Arc::new(last), &parameters)
    }

    /// The files, as the caller named them.
    fn paths(&self, py: Python<'_>) -> PyResult<Vec<PathBuf>> {
        Ok(self.opened(py)?.session.trace.paths().to_vec())
    }

    /// The names of all tables and views, in alphabetical order.
    fn table_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let opened = self.opened(py)?;
        Ok(py.detach(|| opened.session.trace.session().table_names()))
    }

    /// The names of all modules, in alphabetical order.
    fn module_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let opened = self.opened(py)?;
        Ok(py.detach(|| opened.session.trace.session().module_names()))
    }

    /// The name, description and columns of a table or view; of each column the name, type and
    /// meaning. `None` when there is none of that name.
    fn describe(&self, py: Python<'_>, name: &str) -> PyResult<Option<(String, String, Columns)>> {
        let opened = self.opened(py)?;
        let relation = py.detach(|| opened.session.trace.session().describe(name));
        let column = |RelationColumn { name, kind, doc }| (name, kind, doc);
        let parts = |Relation { name, doc, columns }| {
            (name, doc, columns.into_iter().map(column).collect())
        };
        Ok(relation.map(parts))
    }

    /// Facts of the import: the format, and sizes in bytes.
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let opened = self.opened(py)?;
        let summary = opened.session.trace.summary();
        let facts = PyDict::new(py);
        facts.set_item("format", &summary.format)?;
        facts.set_item("file_bytes", summary.file_bytes)?;
        facts.set_item("trace_bytes", summary.trace_bytes)?;
        facts.set_item("packets", summary.packets)?;
        Ok(facts)
    }

    /// Stops all statements that run now, of any thread.
    fn interrupt(&self, py: Python<'_>) -> PyResult<()> {
        self.opened(py)?.interrupt();
        Ok(())
    }

    /// Stops all statements and releases the tables. Batches that were read stay valid.
    fn close(&self, py: Python<'_>) {
        let opened = self.lock().take();
        if let Some(opened) = opened {
            opened.interrupt();
            // It waits until the cache has the tables.
            py.detach(move || drop(opened));
        }
    }

    /// Whether the trace was closed.
    #[getter]
    fn closed(&self) -> bool {
        self.lock().is_none()
    }
}
