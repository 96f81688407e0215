//! Errors of the library as exceptions of `tpq/_errors.py`.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tpq::{OpenError, SqlError, SqlErrorKind};

/// The module of the exception classes.
const MODULE: &str = "tpq._errors";

/// An exception of a class of `tpq/_errors.py`.
fn exception<'py>(
    py: Python<'py>,
    class: &str,
    arguments: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyErr {
    let made = || {
        let arguments = arguments.into_pyobject(py)?;
        py.import(MODULE)?.getattr(class)?.call1(arguments)
    };
    match made() {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// A `tpq.Error`.
pub fn error(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "Error", (message,))
}

/// The exception of work that ended without a result.
pub fn lost(py: Python<'_>) -> PyErr {
    error(py, "the work stopped unexpectedly, which is a bug in tpq")
}

/// A `tpq.OpenError`.
pub fn open_error(py: Python<'_>, error: &OpenError) -> PyErr {
    exception(py, "OpenError", (error.to_string(),))
}

/// A `tpq.SqlError`.
pub fn sql_error(py: Python<'_>, error: &SqlError) -> PyErr {
    let (report, kind) = (error.report(), kind_name(error.kind()));
    let Some(location) = error.location() else {
        return exception(py, "SqlError", (error.to_string(), report, kind));
    };
    let (line, column, width) = (location.line, location.column, location.width);
    let module = location.module.as_deref();
    exception(py, "SqlError", (error.to_string(), report, kind, line, column, width, module))
}

/// A `tpq.SqlError` about a text as a whole.
pub fn invalid(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "SqlError", (message, message, kind_name(SqlErrorKind::Invalid)))
}

/// The value of `tpq.SqlError.kind`.
fn kind_name(kind: SqlErrorKind) -> &'static str {
    match kind {
        SqlErrorKind::Syntax => "syntax",
        SqlErrorKind::UnknownTable => "unknown_table",
        SqlErrorKind::UnknownColumn => "unknown_column",
        SqlErrorKind::UnknownFunction => "unknown_function",
        SqlErrorKind::Invalid => "invalid",
        SqlErrorKind::Unsupported => "unsupported",
        SqlErrorKind::TooLarge => "too_large",
        SqlErrorKind::Execution => "execution",
        SqlErrorKind::OutOfMemory => "out_of_memory",
        SqlErrorKind::Cancelled => "cancelled",
        // A kind without a name here is reported as a bug.
        _ => "internal",
    }
}
