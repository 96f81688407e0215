//! What the server asks of the program around it: to import traces.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::{Buf, Bytes};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tpq_sql::{CancelToken, Session};

/// The reason why a trace could not be imported.
pub type LoadError = Box<dyn std::error::Error + Send + Sync>;

/// Chunks that may wait to be read by the import.
const MAX_WAITING_CHUNKS: usize = 4;
/// The largest chunk in bytes; longer ones are cut.
pub(crate) const MAX_CHUNK: usize = 1 << 20;

/// Imports traces.
pub trait TraceLoader: Send + Sync + 'static {
    /// A trace without events, for queries before a trace is loaded.
    ///
    /// # Errors
    /// When a session cannot be started.
    fn empty(&self) -> Result<Arc<dyn LoadedTrace>, LoadError>;

    /// Imports a trace on this thread, from bytes that arrive while it reads them.
    ///
    /// # Errors
    /// When the bytes are no trace, end early, or the import is cancelled.
    fn load(
        &self,
        stream: &mut TraceStream,
        choices: ImportChoices,
        cancel: &CancelToken,
    ) -> Result<Arc<dyn LoadedTrace>, LoadError>;

    /// Starts a recording of imports and queries from now on. A recording that runs ends.
    fn start_metatrace(&self) -> Arc<dyn Metatrace>;

    /// Ends the recording.
    fn stop_metatrace(&self);
}

/// A recording of what the server does, as a trace.
pub trait Metatrace: Send + Sync + 'static {
    /// Begins a span, which ends when it is dropped.
    fn span(&self, name: &'static str) -> Box<dyn MetatraceSpan + '_>;
    /// The trace of all spans that have ended.
    fn to_bytes(&self) -> Vec<u8>;
}

/// A span in progress. It ends when dropped.
pub trait MetatraceSpan: Send {}

impl<T: Send> MetatraceSpan for T {}

/// An imported trace.
pub trait LoadedTrace: Send + Sync + 'static {
    /// The session of all clients.
    fn session(&self) -> &Session;
    /// The names of the tables with rows.
    fn table_names(&self) -> Vec<String>;
    /// The name of the trace for people; empty if there is none.
    fn name(&self) -> &str;
}

/// The choices of a client for the next import.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImportChoices {
    /// Whether kernel events get rows in `ftrace_event`; the server's choice if not given.
    pub ftrace_raw: Option<bool>,
    /// Whether to drop track events before the range of interest that the recording names.
    pub crop: Option<bool>,
    /// Whether to sort all events before decoding any.
    pub full_sort: Option<bool>,
}

impl ImportChoices {
    /// The choices of the server.
    pub const DEFAULT: Self = Self { ftrace_raw: None, crop: None, full_sort: None };
}

/// The bytes of a trace that a client sends. Reading waits for them.
pub struct TraceStream {
    chunks: Receiver<Bytes>,
    current: Bytes,
    is_complete: Arc<AtomicBool>,
}

/// The other end of a [`TraceStream`].
pub(crate) struct TraceSender {
    chunks: Sender<Bytes>,
    is_complete: Arc<AtomicBool>,
}

/// The import does not read any more.
#[derive(Debug)]
pub(crate) struct NotRead;

impl TraceStream {
    pub(crate) fn new() -> (TraceSender, Self) {
        let (sender, chunks) = channel(MAX_WAITING_CHUNKS);
        let is_complete = Arc::new(AtomicBool::new(false));
        let sender = TraceSender { chunks: sender, is_complete: Arc::clone(&is_complete) };
        (sender, Self { chunks, current: Bytes::new(), is_complete })
    }
}

impl TraceSender {
    /// Hands bytes to the import. Waits while it has enough to read.
    pub(crate) async fn send(&self, mut bytes: Bytes) -> Result<(), NotRead> {
        while !bytes.is_empty() {
            let chunk = bytes.split_to(bytes.len().min(MAX_CHUNK));
            self.chunks.send(chunk).await.map_err(|_| NotRead)?;
        }
        Ok(())
    }

    /// Ends the trace.
    pub(crate) fn complete(self) {
        self.is_complete.store(true, Ordering::Release);
    }
}

impl Read for TraceStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.current.is_empty() {
            match self.chunks.blocking_recv() {
                Some(chunk) => self.current = chunk,
                None if self.is_complete.load(Ordering::Acquire) => return Ok(0),
                None => return Err(io::Error::other("the client stopped sending it")),
            }
        }
        let length = buffer.len().min(self.current.len());
        self.current.copy_to_slice(buffer.get_mut(..length).unwrap_or_default());
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(chunks: Vec<Bytes>, complete: bool) -> io::Result<Vec<u8>> {
        let (sender, mut stream) = TraceStream::new();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().build();
            runtime.expect("a runtime").block_on(async {
                for chunk in chunks {
                    sender.send(chunk).await.expect("it is read");
                }
                if complete {
                    sender.complete();
                }
            });
        });
        let mut all = Vec::new();
        stream.read_to_end(&mut all).map(|_| all)
    }

    #[test]
    fn chunks_of_any_size_are_read_in_order() {
        let large: Vec<u8> = (0..3 * MAX_CHUNK + 5).map(|at| (at / 7) as u8).collect();
        let chunks = vec![Bytes::from_static(b"ab"), Bytes::new(), large.clone().into()];
        let read = read_all(chunks, true).expect("complete");
        assert!(read == [b"ab", large.as_slice()].concat());
    }

    #[test]
    fn a_trace_that_is_not_complete_is_an_error() {
        assert!(read_all(vec![Bytes::from_static(b"ab")], false).is_err());
    }
}
