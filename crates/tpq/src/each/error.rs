//! Errors of statements that run on each of many traces.

use std::path::PathBuf;

use datafusion::arrow::error::ArrowError;
use tpq_sql::{SqlError, SqlErrorKind};

use crate::OpenError;

/// Why there are no rows of a trace.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EachError {
    /// The trace could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A statement is wrong or failed.
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// No statement has rows.
    #[error("no statement has rows; end with a SELECT")]
    NoResult,
    /// Several statements have rows.
    #[error(
        "several statements have rows, and the rows of a trace are those of one; combine them with \
         UNION ALL, or run the statements one by one"
    )]
    SeveralResults,
    /// The rows of two traces have different columns.
    #[error(
        "column {number} is `{found}`, but `{expected}` in {of}; name columns with AS and give \
         them a type with CAST"
    )]
    Columns {
        /// The column, counted from 1.
        number: usize,
        /// Name and type of the column in this trace, or a note that there is none.
        found: String,
        /// Name and type of the column in the first trace, or a note that there is none.
        expected: String,
        /// The first trace.
        of: PathBuf,
    },
    /// Rows could not be converted, or not be written to a temporary file.
    #[error("the rows cannot be kept: {0}")]
    Rows(#[from] ArrowError),
    /// A temporary file could not be made.
    #[error("cannot make a temporary file: {0}; TMPDIR may name a folder with more room")]
    TemporaryFile(#[from] std::io::Error),
}

impl EachError {
    /// Whether the error is in the text of the statements, so that all traces have it.
    pub fn is_of_statements(&self) -> bool {
        match self {
            Self::Sql(error) => matches!(
                error.kind(),
                SqlErrorKind::Syntax
                    | SqlErrorKind::UnknownTable
                    | SqlErrorKind::UnknownColumn
                    | SqlErrorKind::UnknownFunction
            ),
            Self::NoResult | Self::SeveralResults => true,
            _ => false,
        }
    }
}
