//! Errors as gRPC has them.

use tonic::{Code, Status};
use tpq_sql::{SqlError, SqlErrorKind};

use crate::engine::{EngineError, RowsError};

/// The longest message in characters: it is sent in a header, which clients limit.
const MAX_MESSAGE: usize = 2_000;

/// The error of a statement.
pub(super) fn of_rows(error: &RowsError) -> Status {
    match error {
        RowsError::Engine(error) => status(code_of_engine(error), &error.to_string()),
        RowsError::Sql(error) => of_sql(error),
        RowsError::Catalog(message) => status(Code::Internal, message),
        RowsError::Unsupported(message) => status(Code::Unimplemented, message),
        RowsError::Cancelled => status(Code::Cancelled, &error.to_string()),
    }
}

/// The error of a statement, with the place in its text.
pub(super) fn of_sql(error: &SqlError) -> Status {
    status(code_of_kind(error.kind()), &error.report())
}

fn status(code: Code, message: &str) -> Status {
    let message = match message.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}…", message.get(..end).unwrap_or_default()),
        None => message.to_owned(),
    };
    Status::new(code, message)
}

fn code_of_engine(error: &EngineError) -> Code {
    match error {
        EngineError::Import(_) | EngineError::Abandoned | EngineError::Incomplete { .. } => {
            Code::FailedPrecondition
        }
        EngineError::TooLong { .. } | EngineError::Stalled { .. } => Code::DeadlineExceeded,
        EngineError::Panicked(_) => Code::Internal,
    }
}

fn code_of_kind(kind: SqlErrorKind) -> Code {
    match kind {
        SqlErrorKind::Syntax
        | SqlErrorKind::UnknownColumn
        | SqlErrorKind::UnknownFunction
        | SqlErrorKind::Invalid
        | SqlErrorKind::TooLarge => Code::InvalidArgument,
        SqlErrorKind::UnknownTable => Code::NotFound,
        SqlErrorKind::Unsupported => Code::Unimplemented,
        SqlErrorKind::ReadOnly => Code::PermissionDenied,
        SqlErrorKind::Execution => Code::InvalidArgument,
        SqlErrorKind::OutOfMemory => Code::ResourceExhausted,
        SqlErrorKind::Cancelled => Code::Cancelled,
        _ => Code::Internal,
    }
}
