//! Errors of the storage of a lake, after which a task is tried again.

use std::error::Error;
use std::io;

use datafusion::error::DataFusionError;

/// Whether storage failed, so that another try may not. A file that storage does not have is missing
/// the next time as well.
pub(crate) fn is_of_storage(error: &DataFusionError) -> bool {
    if matches!(error.find_root(), DataFusionError::IoError(_)) {
        return true;
    }
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<object_store::Error>() {
            return !matches!(error, object_store::Error::NotFound { .. });
        }
        cause = error.source();
    }
    false
}

/// The error as one that Ballista tries a task again for, if it is of the storage: of all errors of
/// DataFusion, these are the ones of I/O.
pub(crate) fn retryable(error: DataFusionError) -> DataFusionError {
    let is_retried = matches!(error.find_root(), DataFusionError::IoError(_));
    match !is_retried && is_of_storage(&error) {
        true => DataFusionError::IoError(io::Error::other(error.strip_backtrace())),
        false => error,
    }
}

#[cfg(test)]
mod tests {
    use datafusion::parquet::errors::ParquetError;

    use super::*;

    fn down() -> object_store::Error {
        object_store::Error::Generic { store: "S3", source: "the network is down".into() }
    }

    /// An error of a scan, as it passes through a session.
    #[derive(Debug, thiserror::Error)]
    #[error("the statement failed")]
    struct OfStatement(#[source] Box<DataFusionError>);

    #[test]
    fn errors_of_storage_are_found_below_others() {
        let scan = |error: object_store::Error| {
            DataFusionError::from(ParquetError::External(Box::new(error)))
        };
        let of_statement = |error| DataFusionError::External(Box::new(OfStatement(error)));
        for error in [
            scan(down()),
            scan(down()).context("trace a"),
            of_statement(Box::new(scan(down()))),
            DataFusionError::External(Box::new(down())),
            DataFusionError::ObjectStore(Box::new(down())),
        ] {
            assert!(is_of_storage(&error), "{error:?}");
            let retried = retryable(error);
            assert!(matches!(retried, DataFusionError::IoError(_)), "{retried:?}");
        }
        let io = DataFusionError::IoError(io::Error::other("x")).context("trace a");
        assert!(is_of_storage(&io));
        let gone = object_store::Error::NotFound { path: "a".to_owned(), source: "gone".into() };
        for error in [
            DataFusionError::Execution("division by zero".to_owned()),
            DataFusionError::from(ParquetError::General("damaged".to_owned())),
            of_statement(Box::new(scan(gone))),
        ] {
            assert!(!is_of_storage(&error), "{error:?}");
            assert!(!matches!(retryable(error), DataFusionError::IoError(_)));
        }
    }
}
