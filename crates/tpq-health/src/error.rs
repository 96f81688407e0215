//! Errors of reading the health of a trace.

use datafusion::arrow::error::ArrowError;
use tpq_sql::SqlError;

/// The health of a trace could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HealthError {
    /// A query of the tables failed.
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// A value could not be formatted.
    #[error("cannot format a value: {0}")]
    Format(#[from] ArrowError),
}
