//! Why rows cannot be read.

use std::error::Error;
use std::io;
use std::sync::Arc;

use arrow_schema::ArrowError;

use crate::later::LoadError;

/// A batch could not be read; never the trace's fault.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A bug in tpq.
    #[error("table {table}: cannot assemble a batch: {source}")]
    Assemble {
        /// The table.
        table: &'static str,
        /// The mismatch.
        source: ArrowError,
    },
    /// The file that holds the rows is damaged, and the rows cannot be had elsewhere.
    #[error("table {table}: the file in which it was kept is damaged, and {reason}")]
    Damaged {
        /// The table.
        table: &'static str,
        /// Why the rows cannot be made anew.
        reason: String,
    },
    /// The rows are kept elsewhere and could not be loaded.
    #[error("table {table}: cannot load its rows: {source}")]
    NotLoaded {
        /// The table.
        table: &'static str,
        /// Why.
        source: Arc<dyn Error + Send + Sync>,
    },
    /// The reader was asked to stop while it waited for rows that are made when they are first read.
    #[error("the statement was cancelled")]
    Cancelled,
    /// The temporary file could not be read that took what memory had no room for.
    #[error("table {table}: cannot read the temporary file that holds its rows: {source}")]
    Spilled {
        /// The table.
        table: &'static str,
        /// The error of the system.
        source: io::Error,
    },
}

impl ReadError {
    /// The error of rows that are kept elsewhere and could not be loaded.
    pub(crate) fn not_loaded(table: &'static str, reason: &str) -> Self {
        Self::NotLoaded { table, source: Arc::from(LoadError::from(reason)) }
    }
}
