//! Errors as the person who wrote the statement should read them: what is wrong, where, and what
//! was probably meant.

mod place;
mod suggest;
mod translate;
mod wording;

use datafusion::error::DataFusionError;

use crate::perfetto_sql::Script;

pub use place::Place;
pub(crate) use suggest::nearest;
pub(crate) use translate::{Names, NoSuchTable, already_said, translate, unknown_table};

/// What sort of error it is. All but the last three are about the statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SqlErrorKind {
    /// The text is not SQL.
    Syntax,
    /// No table or view has that name.
    UnknownTable,
    /// No column in reach has that name, or several do.
    UnknownColumn,
    /// No function has that name.
    UnknownFunction,
    /// The statement asks for something that cannot be: adding text to a number, a wrong number
    /// of arguments…
    Invalid,
    /// SQL that is not supported.
    Unsupported,
    /// The statement is longer, deeper or larger than statements may be.
    TooLarge,
    /// The statement failed while it ran, on the data it met.
    Execution,
    /// It needs more memory than it may use.
    OutOfMemory,
    /// It was asked to stop, by a [`CancelToken`](crate::CancelToken).
    Cancelled,
    /// A bug in tpq.
    Internal,
}

/// A statement could not be run.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct SqlError {
    kind: SqlErrorKind,
    message: String,
    // A place takes more room than all else of an error that is usually not there.
    place: Option<Box<Place>>,
    hint: Option<String>,
    #[source]
    source: Option<Box<DataFusionError>>,
}

impl SqlError {
    pub(crate) fn new(kind: SqlErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), place: None, hint: None, source: None }
    }

    pub(crate) fn at(mut self, place: Option<Place>) -> Self {
        self.place = place.map(Box::new).or(self.place);
        self
    }

    pub(crate) fn hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }

    /// The same error, in a text that may be a module's.
    pub(crate) fn of_module(mut self, script: &Script) -> Self {
        let module = script.module.as_deref();
        self.place = self.place.map(|place| Box::new(place.within(module, Vec::new())));
        self
    }

    /// The same error once more, for whoever used what it is about.
    pub(crate) fn repeated(&self) -> Self {
        let Self { kind, message, place, hint, .. } = self;
        Self {
            kind: *kind,
            message: message.clone(),
            place: place.clone(),
            hint: hint.clone(),
            source: None,
        }
    }

    /// The same error of something that is used at `place`.
    pub(crate) fn used_at(mut self, place: Option<Place>) -> Self {
        let Some(used) = place else { return self };
        match &mut self.place {
            Some(place) => {
                let name: String =
                    used.text.chars().skip(used.column - 1).take(used.width).collect();
                let label = used.label(used.module.as_deref());
                place.trail.push(format!("in `{name}`, used{label}"));
                place.trail.extend(used.trail);
            }
            None => self.place = Some(Box::new(used)),
        }
        self
    }

    pub(crate) fn caused_by(mut self, source: DataFusionError) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    /// What sort of error it is.
    pub fn kind(&self) -> SqlErrorKind {
        self.kind
    }

    /// Where in the text it is, if that is known.
    pub fn place(&self) -> Option<&Place> {
        self.place.as_deref()
    }

    /// The whole report: the message, the line with a caret under the place, and the hint.
    pub fn report(&self) -> String {
        let mut report = self.message.clone();
        if let Some(place) = &self.place {
            report.push('\n');
            report.push_str(&place.to_string());
        }
        if let Some(hint) = &self.hint {
            report.push('\n');
            report.push_str(hint);
        }
        report
    }
}
