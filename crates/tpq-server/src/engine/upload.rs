//! A trace that a client sends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tpq_sql::CancelToken;

use super::{Engine, EngineError};
use crate::loader::{ImportChoices, LoadError, LoadedTrace, TraceLoader, TraceSender, TraceStream};

/// A trace that arrives in chunks, and its import, which reads them meanwhile. Dropping it cancels
/// the import.
pub(super) struct Upload {
    /// `None` after the end of the trace.
    sender: Option<TraceSender>,
    bytes: u64,
    import: JoinHandle<Result<Arc<dyn LoadedTrace>, LoadError>>,
    cancel: CancelToken,
    /// Whether the client that sends it has gone.
    is_abandoned: Arc<AtomicBool>,
    /// When bytes last arrived, and how long the next may take.
    last: Instant,
    wait: Duration,
}

impl Upload {
    /// Begins an import on `workers`. The client may send nothing for as long as `wait`.
    pub(super) fn begin(
        loader: Arc<dyn TraceLoader>,
        choices: ImportChoices,
        wait: Duration,
        workers: &Handle,
    ) -> Self {
        let (sender, mut stream) = TraceStream::new();
        let cancel = CancelToken::default();
        let token = cancel.clone();
        // The stream lives as long as the import, so that a sender that fails knows its end.
        let import = workers.spawn_blocking(move || loader.load(&mut stream, choices, &token));
        Self {
            sender: Some(sender),
            bytes: 0,
            import,
            cancel,
            is_abandoned: Arc::default(),
            last: Instant::now(),
            wait,
        }
    }

    /// Whether more bytes may arrive.
    pub(super) fn is_open(&self) -> bool {
        self.sender.is_some() && !self.is_abandoned()
    }

    /// Whether the client that sent it went away before its end, or says nothing for too long. A
    /// part of what it sent last may be missing, so nothing can follow.
    pub(super) fn is_abandoned(&self) -> bool {
        let has_gone = || self.is_abandoned.load(Ordering::Acquire);
        self.sender.is_some() && (has_gone() || self.last.elapsed() > self.wait)
    }

    /// The number of bytes that have arrived.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Hands bytes to the import. Returns false if it has ended.
    pub(super) async fn send(&mut self, bytes: Bytes) -> bool {
        self.bytes += bytes.len() as u64;
        let is_taken = match &self.sender {
            Some(sender) => sender.send(bytes).await.is_ok(),
            None => false,
        };
        // The import may have needed long to take them.
        self.last = Instant::now();
        is_taken
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

/// A client that sends a trace. If it is dropped while it does, the trace is abandoned, so that the
/// bytes of the next client do not become a part of it.
pub(crate) struct UploadClient {
    engine: Arc<Engine>,
    /// The trace that it began or continued, up to its end.
    sending: Option<Arc<AtomicBool>>,
}

impl UploadClient {
    pub(crate) fn new(engine: Arc<Engine>) -> Self {
        Self { engine, sending: None }
    }

    /// Takes bytes of a trace, as [`Engine::append`].
    ///
    /// # Errors
    /// When the import has failed already.
    pub(crate) async fn append(&mut self, bytes: Bytes) -> Result<u64, EngineError> {
        self.engine.append_of(bytes, &mut self.sending).await
    }

    /// The client may leave the rest of the trace to another.
    pub(crate) fn release(&mut self) {
        self.sending = None;
    }
}

impl Drop for UploadClient {
    fn drop(&mut self) {
        if let Some(sending) = self.sending.take() {
            sending.store(true, Ordering::Release);
            let engine = Arc::clone(&self.engine);
            // Its memory and temporary file are not kept until a client asks for the trace.
            drop(self.engine.workers.spawn(async move { engine.end_abandoned().await }));
        }
    }
}

impl Upload {
    /// The mark by which its client says that it has gone.
    pub(super) fn abandoned(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_abandoned)
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
