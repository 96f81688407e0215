//! Parameters of statements, from values of Python.

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyString};
use tpq::{ParameterValue, Session};

/// The parameters of one statement, by name.
#[derive(Clone, Default)]
pub struct Parameters(Vec<(String, ParameterValue)>);

impl Parameters {
    /// The parameters in a dict.
    ///
    /// # Errors
    /// When SQL has no type for a value.
    pub fn of(values: &Bound<'_, PyDict>) -> PyResult<Self> {
        let entry = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            let name: String = name.extract()?;
            let value = parameter(&name, &value)?;
            Ok((name, value))
        };
        values.iter().map(entry).collect::<PyResult<_>>().map(Self)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sets them for statements of a session, until [`Parameters::remove_from`].
    pub fn set_in(&self, session: &Session) {
        for (name, value) in &self.0 {
            session.set_parameter(name, value.clone());
        }
    }

    /// Removes them from a session.
    pub fn remove_from(&self, session: &Session) {
        for (name, _) in &self.0 {
            session.remove_parameter(name);
        }
    }
}

/// The value of a parameter. A bool is 1 or 0, as in SQLite.
fn parameter(name: &str, value: &Bound<'_, PyAny>) -> PyResult<ParameterValue> {
    if value.is_none() {
        return Ok(ParameterValue::Null);
    }
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(ParameterValue::Integer(i64::from(value.is_true())));
    }
    if value.is_instance_of::<PyString>() {
        return value.extract().map(ParameterValue::Text);
    }
    if value.is_instance_of::<PyFloat>() {
        return value.extract().map(ParameterValue::Real);
    }
    // Integers of other libraries as well, such as numpy.int64.
    match value.extract::<i64>() {
        Ok(integer) => Ok(ParameterValue::Integer(integer)),
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => {
            let message = format!("parameter {name} has more than 64 bits");
            Err(PyOverflowError::new_err(message))
        }
        Err(_) => match value.extract::<f64>() {
            Ok(real) => Ok(ParameterValue::Real(real)),
            Err(_) => {
                let kind = value.get_type().name()?;
                let message =
                    format!("parameter {name} is None, an int, a float or a str, not {kind}");
                Err(PyTypeError::new_err(message))
            }
        },
    }
}
