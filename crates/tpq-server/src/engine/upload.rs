//! A trace that a client sends.

use std::sync::Arc;

use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tpq_sql::CancelToken;

use super::EngineError;
use crate::loader::{ImportChoices, LoadError, LoadedTrace, TraceLoader, TraceSender, TraceStream};

/// A trace that arrives in chunks, and its import, which reads them meanwhile. Dropping it cancels
/// the import.
pub(super) struct Upload {
    /// `None` after the end of the trace.
    sender: Option<TraceSender>,
    bytes: u64,
    import: JoinHandle<Result<Arc<dyn LoadedTrace>, LoadError>>,
    cancel: CancelToken,
}

impl Upload {
    /// Begins an import on `workers`.
    pub(super) fn begin(
        loader: Arc<dyn TraceLoader>,
        choices: ImportChoices,
        workers: &Handle,
    ) -> Self {
        let (sender, mut stream) = TraceStream::new();
        let cancel = CancelToken::default();
        let token = cancel.clone();
        // The stream lives as long as the import, so that a sender that fails knows its end.
        let import = workers.spawn_blocking(move || loader.load(&mut stream, choices, &token));
        Self { sender: Some(sender), bytes: 0, import, cancel }
    }

    /// Whether more bytes may arrive.
    pub(super) fn is_open(&self) -> bool {
        self.sender.is_some()
    }

    /// The number of bytes that have arrived.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Hands bytes to the import. Returns false if it has ended.
    pub(super) async fn send(&mut self, bytes: Bytes) -> bool {
        self.bytes += bytes.len() as u64;
        match &self.sender {
            Some(sender) => sender.send(bytes).await.is_ok(),
            None => false,
        }
    }

    /// Ends the trace and waits for its import. May be dropped and called again, until it returns.
    pub(super) async fn finish(&mut self) -> Result<Arc<dyn LoadedTrace>, EngineError> {
        if let Some(sender) = self.sender.take() {
            sender.complete();
        }
        match (&mut self.import).await {
            Ok(Ok(trace)) => Ok(trace),
            Ok(Err(error)) => Err(EngineError::Import(error.to_string())),
            Err(_) => Err(EngineError::Panicked("the import")),
        }
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
