//! Errors as clients of PostgreSQL receive them: with a code, and a position in the text.

use pgwire::error::PgWireError;
use pgwire::messages::PgWireBackendMessage;
use pgwire::messages::response::ErrorResponse;
use tpq_sql::{SqlError, SqlErrorKind};

use super::requests::ProtocolError;
use crate::engine::{EngineError, RowsError};

/// An error of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Failure {
    /// Whether the connection ends.
    is_fatal: bool,
    code: &'static str,
    message: String,
    detail: Option<String>,
    hint: Option<String>,
    /// The position in the text of the request: a number of characters, from 1.
    position: Option<usize>,
}

/// Codes of errors, as PostgreSQL has them.
pub(super) mod code {
    pub(in super::super) const PROTOCOL_VIOLATION: &str = "08P01";
    pub(in super::super) const UNSUPPORTED: &str = "0A000";
    pub(in super::super) const INVALID_VALUE: &str = "22P02";
    pub(in super::super) const INVALID_SETTING: &str = "22023";
    pub(in super::super) const NOT_IN_TRANSACTION: &str = "25P01";
    pub(in super::super) const IN_FAILED_TRANSACTION: &str = "25P02";
    pub(in super::super) const UNKNOWN_STATEMENT: &str = "26000";
    pub(in super::super) const WRONG_PASSWORD: &str = "28P01";
    pub(in super::super) const UNKNOWN_PORTAL: &str = "34000";
    pub(in super::super) const SYNTAX: &str = "42601";
    pub(in super::super) const UNKNOWN_SETTING: &str = "42704";
    pub(in super::super) const DUPLICATE_STATEMENT: &str = "42P05";
    pub(in super::super) const DUPLICATE_PORTAL: &str = "42P03";
    pub(in super::super) const TOO_MANY_CONNECTIONS: &str = "53300";
    pub(in super::super) const TOO_MANY_COLUMNS: &str = "54011";
    pub(in super::super) const TOO_MANY_PARAMETERS: &str = "54023";
    pub(in super::super) const LIMIT_EXCEEDED: &str = "54000";
    pub(super) const CANCELLED: &str = "57014";
    pub(super) const NO_TRACE: &str = "55000";
    pub(super) const INTERNAL: &str = "XX000";
}

impl Failure {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            is_fatal: false,
            code,
            message: message.into(),
            detail: None,
            hint: None,
            position: None,
        }
    }

    /// The error ends the connection.
    pub(super) fn fatal(self) -> Self {
        Self { is_fatal: true, ..self }
    }

    pub(super) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    pub(super) fn message(&self) -> &str {
        &self.message
    }

    pub(super) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(code::UNSUPPORTED, message)
    }

    /// The error of running a statement that is a part of `sql`.
    pub(super) fn of_rows(error: &RowsError, sql: &str) -> Self {
        match error {
            RowsError::Engine(error) => Self::new(code_of_engine(error), error.to_string()),
            RowsError::Sql(error) => Self::of_sql(error, sql),
            RowsError::Catalog(message) => {
                let message = format!("this query of catalogs is not supported: {message}");
                Self::unsupported(message)
            }
            RowsError::Unsupported(message) => Self::unsupported(message),
            RowsError::Cancelled => Self::new(code::CANCELLED, error.to_string()),
        }
    }

    fn of_sql(error: &SqlError, sql: &str) -> Self {
        let mut failure = Self::new(code_of_kind(error.kind()), error.to_string());
        failure.hint = error.suggestion().map(str::to_owned);
        if let Some(at) = error.location() {
            let is_in_text = at.module.is_none() && at.trail.is_empty();
            match is_in_text.then(|| position(sql, at.line, at.column)).flatten() {
                Some(position) => failure.position = Some(position),
                None => failure.detail = Some(at.to_string()),
            }
        }
        failure
    }

    /// The message of the protocol. A zero would end a text.
    pub(super) fn to_message(&self) -> PgWireBackendMessage {
        let severity = if self.is_fatal { "FATAL" } else { "ERROR" };
        let mut fields = vec![
            (b'S', severity.to_owned()),
            (b'V', severity.to_owned()),
            (b'C', self.code.to_owned()),
            (b'M', self.message.replace('\0', "\u{fffd}")),
        ];
        let texts = [(b'D', &self.detail), (b'H', &self.hint)];
        for (kind, text) in texts {
            fields.extend(text.as_ref().map(|text| (kind, text.replace('\0', "\u{fffd}"))));
        }
        fields.extend(self.position.map(|position| (b'P', position.to_string())));
        PgWireBackendMessage::ErrorResponse(ErrorResponse::new(fields))
    }
}

impl From<ProtocolError> for Failure {
    fn from(error: ProtocolError) -> Self {
        Self::new(code::PROTOCOL_VIOLATION, error.to_string()).fatal()
    }
}

impl From<PgWireError> for Failure {
    /// A message that could not be written.
    fn from(error: PgWireError) -> Self {
        Self::new(code::INTERNAL, format!("the result cannot be sent: {error}"))
    }
}

fn code_of_engine(error: &EngineError) -> &'static str {
    match error {
        EngineError::Import(_) | EngineError::Abandoned | EngineError::Incomplete { .. } => {
            code::NO_TRACE
        }
        EngineError::TooLong { .. } | EngineError::Stalled { .. } => code::CANCELLED,
        EngineError::Panicked(_) => code::INTERNAL,
    }
}

fn code_of_kind(kind: SqlErrorKind) -> &'static str {
    match kind {
        SqlErrorKind::Syntax => code::SYNTAX,
        SqlErrorKind::UnknownTable => "42P01",
        SqlErrorKind::UnknownColumn => "42703",
        SqlErrorKind::UnknownFunction => "42883",
        SqlErrorKind::Invalid => "42000",
        SqlErrorKind::Unsupported => code::UNSUPPORTED,
        SqlErrorKind::ReadOnly => "25006",
        SqlErrorKind::TooLarge => "54001",
        SqlErrorKind::Execution => "22000",
        SqlErrorKind::OutOfMemory => "53200",
        SqlErrorKind::Cancelled => code::CANCELLED,
        _ => code::INTERNAL,
    }
}

/// The position of a location, counted in characters from 1; `None` where the text has no such line.
fn position(sql: &str, line: usize, column: usize) -> Option<usize> {
    let before = line.checked_sub(1).filter(|_| !sql.is_empty())?;
    let mut lines = sql.split_inclusive('\n');
    let skipped: usize = lines.by_ref().take(before).map(|line| line.chars().count()).sum();
    // An error at the end of the text is behind its last line.
    let fits = before == 0 || sql.lines().count() >= line;
    fits.then_some(skipped + column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters() {
        assert_eq!(position("SELECT x", 1, 8), Some(8));
        assert_eq!(position("SELECT 'ä',\n  x", 2, 3), Some(15));
        assert_eq!(position("SELECT x", 2, 1), None);
        assert_eq!(position("", 1, 1), None);
    }

    #[test]
    fn a_message_has_severity_code_and_text() {
        let failure = Failure::new(code::SYNTAX, "a\0b").fatal().with_hint("c");
        let PgWireBackendMessage::ErrorResponse(response) = failure.to_message() else {
            panic!("an error");
        };
        let text: Vec<String> =
            response.fields.iter().map(|(kind, text)| format!("{}{text}", *kind as char)).collect();
        assert_eq!(text, ["SFATAL", "VFATAL", "C42601", "Ma\u{fffd}b", "Hc"]);
    }
}
