//! Errors of storage, after which a task is tried again.

use std::io;

use datafusion::error::DataFusionError;
use tpq_lake::is_of_storage;

/// The error as one that Ballista tries a task again for, if it is of storage: of all errors of
/// DataFusion, these are the ones of I/O.
pub(crate) fn retryable(error: DataFusionError) -> DataFusionError {
    match error {
        DataFusionError::IoError(_) => error,
        error if is_of_storage(&error) => {
            DataFusionError::IoError(io::Error::other(error.strip_backtrace()))
        }
        error => error,
    }
}

#[cfg(test)]
mod tests {
    use datafusion::parquet::errors::ParquetError;

    use super::*;

    #[test]
    fn only_errors_of_storage_are_tried_again() {
        let down = object_store::Error::Generic { store: "S3", source: "no network".into() };
        let scan = DataFusionError::from(ParquetError::External(Box::new(down)));
        let io = || DataFusionError::IoError(io::Error::other("no network"));
        for error in [scan, io(), io().context("trace a"), DataFusionError::External(io().into())] {
            let retried = retryable(error);
            assert!(matches!(retried, DataFusionError::IoError(_)), "{retried:?}");
            assert!(retried.to_string().contains("no network"), "{retried}");
        }
        let gone = object_store::Error::NotFound { path: "a".to_owned(), source: "gone".into() };
        for error in [
            DataFusionError::Execution("division by zero".to_owned()),
            DataFusionError::ObjectStore(Box::new(gone)),
        ] {
            assert!(!matches!(retryable(error), DataFusionError::IoError(_)));
        }
    }
}
