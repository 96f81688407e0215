//! Errors for the user: the message, the location in the statement, and a suggestion.

mod location;
mod suggest;
mod translate;
mod wording;

use datafusion::error::DataFusionError;

use crate::perfetto_sql::Script;

pub use location::ErrorLocation;
pub(crate) use suggest::nearest;
pub(crate) use translate::{Names, NoSuchTable, reported_error, translate, unknown_table};

/// The kind of an error. All except the last three are errors in the statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SqlErrorKind {
    /// The text is not SQL.
    Syntax,
    /// No table or view has the name.
    UnknownTable,
    /// No column in scope has the name, or several columns have it.
    UnknownColumn,
    /// No function has the name.
    UnknownFunction,
    /// The statement asks for an impossible operation: adding text to a number, a wrong number of
    /// arguments…
    Invalid,
    /// tpq does not support this SQL.
    Unsupported,
    /// The statement would create, change or drop something where statements only read.
    ReadOnly,
    /// The statement exceeds the limits on length, depth or size.
    TooLarge,
    /// The statement failed while it ran, because of the data.
    Execution,
    /// The statement needs more memory than the limit allows.
    OutOfMemory,
    /// A [`CancelToken`](crate::CancelToken) stopped the statement.
    Cancelled,
    /// A bug in tpq.
    Internal,
}

/// The error of a statement that could not be run.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct SqlError {
    kind: SqlErrorKind,
    message: String,
    // Boxed, because the location is larger than all other fields together.
    location: Option<Box<ErrorLocation>>,
    hint: Option<String>,
    #[source]
    source: Option<Box<DataFusionError>>,
}

impl SqlError {
    pub(crate) fn new(kind: SqlErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), location: None, hint: None, source: None }
    }

    /// Sets the location; keeps the current one if `location` is `None`.
    pub(crate) fn at(mut self, location: Option<ErrorLocation>) -> Self {
        self.location = location.map(Box::new).or(self.location);
        self
    }

    pub(crate) fn hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }

    /// Adds the module of `script`, if it has one, to the location.
    pub(crate) fn in_module(mut self, script: &Script) -> Self {
        let module = script.module.as_deref();
        self.location = self.location.map(|location| Box::new(location.within(module, Vec::new())));
        self
    }

    /// Copies the error without its source.
    pub(crate) fn without_source(&self) -> Self {
        let Self { kind, message, location, hint, .. } = self;
        Self {
            kind: *kind,
            message: message.clone(),
            location: location.clone(),
            hint: hint.clone(),
            source: None,
        }
    }

    /// Adds the location where the statement uses the object that the error is in.
    pub(crate) fn used_at(mut self, location: Option<ErrorLocation>) -> Self {
        let Some(used) = location else { return self };
        match &mut self.location {
            Some(location) => {
                let name: String =
                    used.text.chars().skip(used.column - 1).take(used.width).collect();
                let label = used.label(used.module.as_deref());
                location.trail.push(format!("in `{name}`, used{label}"));
                location.trail.extend(used.trail);
            }
            None => self.location = Some(Box::new(used)),
        }
        self
    }

    pub(crate) fn caused_by(mut self, source: DataFusionError) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    /// The kind of the error.
    pub fn kind(&self) -> SqlErrorKind {
        self.kind
    }

    /// The location in the text, if it is known.
    pub fn location(&self) -> Option<&ErrorLocation> {
        self.location.as_deref()
    }

    /// The hint: a suggestion, such as the name that was probably meant.
    pub fn suggestion(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The full report: the message, the line with carets under the location, and the hint.
    pub fn report(&self) -> String {
        let mut report = self.message.clone();
        if let Some(location) = &self.location {
            report.push('\n');
            report.push_str(&location.to_string());
        }
        if let Some(hint) = &self.hint {
            report.push('\n');
            report.push_str(hint);
        }
        report
    }
}
