//! A connection: requests are read while others are answered, and answered in order.

use std::future::pending;
use std::sync::Arc;

use bytes::Bytes;
use futures::{Stream, StreamExt};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tpq_proto::message::TraceProcessorRpc;

use super::framing::{FramingError, MessageDecoder};
use super::methods::answer;
use super::replies::{Disconnected, Replies};
use crate::engine::{Engine, UploadClient};

/// What the end of the input means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EndOfInput {
    /// The client waits for the replies to its requests: the body of a request has an end.
    Answer,
    /// The client has gone.
    Stop,
}

/// Why a connection ends with an error.
#[derive(Debug, thiserror::Error)]
enum ConnectionError {
    #[error(transparent)]
    Framing(#[from] FramingError),
    #[error("expected the message of number {expected} or 0, found {found}")]
    Sequence { expected: i64, found: i64 },
    #[error("the stream ends within a message, after {0} of its bytes")]
    Cut(usize),
}

/// A message that waits for its turn.
struct Pending {
    message: Result<TraceProcessorRpc, ConnectionError>,
    /// The part of the memory for waiting messages that it has.
    _memory: Option<OwnedSemaphorePermit>,
}

/// Replies that may wait to be sent.
const MAX_WAITING: usize = 4;

/// A connection that reads `input`: its work, and the replies that are to be sent.
pub(crate) fn connect(
    engine: Arc<Engine>,
    input: impl Stream<Item = Bytes> + Send + Unpin,
    end: EndOfInput,
) -> (impl Future<Output = ()> + Send, Receiver<Bytes>) {
    let (sender, replies) = channel(MAX_WAITING);
    (serve(engine, input, sender, end), replies)
}

/// Serves a connection: reads requests from `input` and sends replies to `output`. Queries stop
/// when the client has gone.
async fn serve(
    engine: Arc<Engine>,
    input: impl Stream<Item = Bytes> + Send + Unpin,
    output: Sender<Bytes>,
    end: EndOfInput,
) {
    let (sender, pending_requests) = channel(engine.limits().pending_requests.max(1));
    let reading = async {
        read(input, sender, engine.limits().message, end).await;
        if end == EndOfInput::Answer {
            pending::<()>().await;
        }
    };
    let replies = Replies::new(output.clone());
    tokio::select! {
        biased;
        () = output.closed() => {}
        () = reading => {}
        // A client that has gone reads no replies.
        _ = answer_all(&engine, pending_requests, replies, end) => {}
    }
}

/// Reads messages until the input ends or is no stream of messages.
async fn read(
    mut input: impl Stream<Item = Bytes> + Send + Unpin,
    sender: Sender<Pending>,
    limit: usize,
    end: EndOfInput,
) {
    /// Waiting messages have memory in units of this size, as a semaphore counts to 2^29 at most.
    const UNIT: usize = 1 << 10;
    let units = (limit / UNIT).clamp(1, u32::MAX as usize >> 4);
    let memory = Arc::new(Semaphore::new(units));
    let mut decoder = MessageDecoder::new(limit);
    let mut sequence = Sequence::default();
    while let Some(bytes) = input.next().await {
        decoder.push(&bytes);
        loop {
            let next = match decoder.next_bytes() {
                Ok(Some(bytes)) => bytes,
                Ok(None) => break,
                Err(error) => return fail(&sender, error.into(), end).await,
            };
            let wanted = (next.len() / UNIT).clamp(1, units) as u32;
            let permit = Arc::clone(&memory).acquire_many_owned(wanted).await.ok();
            let message = match sequence.check(next) {
                Ok(message) => message,
                Err(error) => return fail(&sender, error, end).await,
            };
            let pending = Pending { message: Ok(message), _memory: permit };
            if sender.send(pending).await.is_err() {
                return;
            }
        }
    }
    if end == EndOfInput::Answer && decoder.pending() > 0 {
        fail(&sender, ConnectionError::Cut(decoder.pending()), end).await;
    }
}

/// Ends the connection with an error, once the requests before it are answered.
async fn fail(sender: &Sender<Pending>, error: ConnectionError, end: EndOfInput) {
    let _ = sender.send(Pending { message: Err(error), _memory: None }).await;
    if end == EndOfInput::Stop {
        // Nothing more is read. The connection ends when the error is sent.
        sender.closed().await;
    }
}

/// The order of the messages of a client.
#[derive(Default)]
struct Sequence {
    /// The number of the next message. A client that connects again goes on with its numbers.
    next: Option<i64>,
}

impl Sequence {
    fn check(&mut self, bytes: Bytes) -> Result<TraceProcessorRpc, ConnectionError> {
        let message =
            <TraceProcessorRpc as prost::Message>::decode(bytes).map_err(FramingError::from)?;
        let found = message.seq();
        match self.next {
            Some(expected) if found != expected && found != 0 => {
                Err(ConnectionError::Sequence { expected, found })
            }
            _ => {
                self.next = Some(found.saturating_add(1));
                Ok(message)
            }
        }
    }
}

async fn answer_all(
    engine: &Arc<Engine>,
    mut requests: Receiver<Pending>,
    mut replies: Replies,
    end: EndOfInput,
) -> Result<(), Disconnected> {
    // A trace that the client has not ended when it goes away is abandoned.
    let mut upload = UploadClient::new(Arc::clone(engine));
    while let Some(pending) = requests.recv().await {
        match pending.message {
            Ok(message) => answer(engine, &mut upload, message, &mut replies).await?,
            Err(error) => {
                engine.log().refused(&error.to_string());
                return replies.fail(error.to_string()).await;
            }
        }
    }
    if end == EndOfInput::Answer {
        // Another request sends the next part, or ends the trace.
        upload.release();
    }
    Ok(())
}
