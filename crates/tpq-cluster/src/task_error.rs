//! Errors of tasks, on their way from a stage to the client.
//!
//! Ballista tries a task again after an error of I/O only. It sends an error as text for debugging,
//! in which quotes are escaped once or twice. So an error leaves a stage as one of two kinds, with
//! its message between marks and without what is escaped.

use std::error::Error;
use std::io;

use ballista_core::error::BallistaError;
use datafusion::error::DataFusionError;
use tpq_lake::is_of_storage;

/// What a message stands between.
const BEGIN: &str = "<tpq-error ";
const END: &str = ">";

/// The error of a stage as one that Ballista treats and sends as it should. Those of Ballista
/// itself, such as lost rows of an earlier stage, stay as they are.
pub(crate) fn of_stage(error: DataFusionError) -> DataFusionError {
    if is_of_ballista(&error) {
        return error;
    }
    let text = format!("{BEGIN}{}{END}", encoded(&message(&error)));
    match has_failed_storage(&error) {
        true => DataFusionError::IoError(io::Error::other(text)),
        false => DataFusionError::Execution(text),
    }
}

/// The last message of a stage in what Ballista says of a query that failed.
pub(crate) fn message_in(text: &str) -> Option<String> {
    let (_, rest) = text.rsplit_once(BEGIN)?;
    let (message, _) = rest.split_once(END)?;
    decoded(message)
}

/// The error that the writer of a stage's rows wraps in one of Ballista.
fn wrapped(error: &BallistaError) -> Option<&DataFusionError> {
    match error {
        BallistaError::DataFusionError(error) => Some(error.as_ref()),
        _ => None,
    }
}

/// Whether an error is caused by one of Ballista itself.
fn is_of_ballista(error: &DataFusionError) -> bool {
    let error = ballista_cause(error);
    error.is_some_and(|error| wrapped(error).is_none_or(is_of_ballista))
}

/// Whether storage failed.
fn has_failed_storage(error: &DataFusionError) -> bool {
    let inner = ballista_cause(error).and_then(wrapped);
    is_of_storage(error) || inner.is_some_and(has_failed_storage)
}

/// The first error of Ballista among the causes of an error.
fn ballista_cause(error: &DataFusionError) -> Option<&BallistaError> {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<BallistaError>() {
            return Some(error);
        }
        cause = error.source();
    }
    None
}

/// The message of an error without the names of the layers that it came through.
pub(crate) fn message(error: &DataFusionError) -> String {
    match error {
        DataFusionError::Context(what, cause) => format!("{what}: {}", message(cause)),
        DataFusionError::Shared(cause) => message(cause),
        DataFusionError::IoError(cause) => cause.to_string(),
        DataFusionError::External(cause) => {
            let inner = cause.downcast_ref::<BallistaError>().and_then(wrapped);
            inner.map_or_else(|| cause.to_string(), message)
        }
        error => error.strip_backtrace(),
    }
}

/// The text in letters that are not escaped, and without the marks.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'%' | b'<' | b'>' => encoded.push_str(&format!("%{byte:02X}")),
            b' '..=b'~' => encoded.push(char::from(byte)),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// The text that was encoded.
fn decoded(text: &str) -> Option<String> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let digits = [bytes.next()?, bytes.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::parquet::errors::ParquetError;

    use super::*;

    /// The error as the writer of a stage's rows gives it.
    fn written(error: DataFusionError) -> DataFusionError {
        let error = BallistaError::DataFusionError(Box::new(error));
        DataFusionError::Shared(Arc::new(DataFusionError::External(Box::new(error))))
    }

    #[test]
    fn only_errors_of_storage_are_tried_again() {
        let down = object_store::Error::Generic { store: "S3", source: "no network".into() };
        let scan = DataFusionError::from(ParquetError::External(Box::new(down)));
        let io = || DataFusionError::IoError(io::Error::other("no network"));
        for error in [scan, io(), io().context("trace a"), DataFusionError::External(io().into())] {
            let error = of_stage(written(error));
            assert!(matches!(error, DataFusionError::IoError(_)), "{error:?}");
            let told = message_in(&format!("{error:?}")).unwrap();
            assert!(told.contains("no network"), "{told}");
        }
        let gone = object_store::Error::NotFound { path: "a".to_owned(), source: "gone".into() };
        for error in [
            DataFusionError::Execution("division by zero".to_owned()),
            DataFusionError::ObjectStore(Box::new(gone)),
        ] {
            let error = of_stage(written(error));
            assert!(matches!(error, DataFusionError::Execution(_)), "{error:?}");
        }
    }

    #[test]
    fn errors_of_ballista_stay() {
        let lost = || DataFusionError::External(Box::new(BallistaError::Cancelled));
        for error in [lost(), written(lost())] {
            let before = format!("{error:?}");
            assert_eq!(format!("{:?}", of_stage(error)), before);
        }
    }

    #[test]
    fn a_message_survives_being_escaped() {
        let text = "\"a\\b\": <no> 100% of\nthe änd's";
        let error = DataFusionError::External(text.into()).context("trace x");
        let once = format!("{:?}", of_stage(written(error)));
        let twice = format!("stage 1 failed: {once:?}\n");
        for sent in [once, twice] {
            assert_eq!(message_in(&sent).unwrap(), format!("trace x: {text}"));
        }
        for damaged in ["", "<tpq-error a", "<tpq-error %4>", "<tpq-error %FF>"] {
            assert_eq!(message_in(damaged), None, "{damaged}");
        }
    }
}
