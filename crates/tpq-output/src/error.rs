//! Errors of writing results.

use datafusion::arrow::error::ArrowError;
use datafusion::parquet::errors::ParquetError;

/// An error on writing a result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The bytes could not be written.
    #[error("cannot write the result: {0}")]
    Write(#[from] std::io::Error),
    /// The format allows one result set.
    #[error("{format} holds one result set, and the statements give more")]
    OneResultSet {
        /// The format's name.
        format: &'static str,
    },
    /// The format cannot represent a value.
    #[error("cannot encode the result: {0}")]
    Encode(ArrowError),
    /// Parquet could not be written.
    #[error("cannot write Parquet: {0}")]
    Parquet(ParquetError),
}

impl OutputError {
    /// The error of the system that caused this one, if any.
    pub fn io(&self) -> Option<&std::io::Error> {
        match self {
            Self::Write(error) => Some(error),
            Self::Encode(ArrowError::IoError(_, error)) => Some(error),
            Self::Parquet(ParquetError::External(error)) => error.downcast_ref(),
            _ => None,
        }
    }
}

impl From<ArrowError> for OutputError {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::IoError(_, error) => Self::Write(error),
            other => Self::Encode(other),
        }
    }
}

impl From<ParquetError> for OutputError {
    fn from(error: ParquetError) -> Self {
        Self::Parquet(error)
    }
}
