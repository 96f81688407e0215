//! Errors of storage itself, in contrast to those of the files in it: another try may go well.

use std::error::Error;
use std::io::{self, ErrorKind};

use datafusion::error::DataFusionError;

/// Whether storage failed, so that another try may not. A file that storage does not have is missing
/// the next time as well.
pub fn is_of_storage(error: &DataFusionError) -> bool {
    matches!(error.find_root(), DataFusionError::IoError(_)) || has_failed_storage(error)
}

/// Whether an error was caused by one of storage.
pub(crate) fn has_failed_storage(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<object_store::Error>() {
            return !matches!(error, object_store::Error::NotFound { .. });
        }
        if error.downcast_ref::<io::Error>().is_some_and(is_of_network) || is_of_io(error) {
            return true;
        }
        cause = error.source();
    }
    false
}

/// Whether an error is the engine's one of I/O, which a scan returns where storage failed.
fn is_of_io(error: &(dyn Error + 'static)) -> bool {
    let boxed = error.downcast_ref::<Box<DataFusionError>>().map(Box::as_ref);
    let error = boxed.or_else(|| error.downcast_ref());
    error.is_some_and(|error| matches!(error.find_root(), DataFusionError::IoError(_)))
}

/// Whether an error of the system is one of a network, and not of the file.
fn is_of_network(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::TimedOut
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkUnreachable
            | ErrorKind::NetworkDown
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::NotConnected
            | ErrorKind::StaleNetworkFileHandle
    )
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

    /// An error of a trace that cannot be opened.
    #[derive(Debug, thiserror::Error)]
    #[error("cannot open the trace")]
    struct OfTrace(#[source] io::Error);

    fn of_trace(error: io::Error) -> DataFusionError {
        DataFusionError::External(Box::new(OfTrace(error)))
    }

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
            DataFusionError::IoError(io::Error::other("x")).context("trace a"),
            of_statement(Box::new(DataFusionError::IoError(io::Error::other("x")))),
            of_trace(ErrorKind::TimedOut.into()),
        ] {
            assert!(is_of_storage(&error), "{error:?}");
        }
        let gone = object_store::Error::NotFound { path: "a".to_owned(), source: "gone".into() };
        for error in [
            DataFusionError::Execution("division by zero".to_owned()),
            DataFusionError::from(ParquetError::General("damaged".to_owned())),
            of_statement(Box::new(scan(gone))),
            of_trace(ErrorKind::NotFound.into()),
            of_trace(ErrorKind::UnexpectedEof.into()),
        ] {
            assert!(!is_of_storage(&error), "{error:?}");
        }
    }
}
