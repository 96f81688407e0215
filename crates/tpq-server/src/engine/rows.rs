//! Statements of the database protocols: their rows as record batches, and questions about them.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use futures::stream::BoxStream;
use futures::{FutureExt, Stream, TryStreamExt};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tpq_sql::{CancelOnDrop, CancelToken, SqlError, SqlErrorKind};

use super::deadline::Deadline;
use super::slot::{NotSent, SharedSlot, Slot};
use super::{Engine, EngineError};
use crate::loader::LoadedTrace;

/// Batches that may wait to be sent. The statement waits when a client reads slowly.
const MAX_WAITING: usize = 2;

/// Why a statement has no rows, or no more of them.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RowsError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// A query of catalogs failed.
    #[error("{0}")]
    Catalog(String),
    /// The statement asks for what this connection does not do.
    #[error("{0}")]
    Unsupported(String),
    /// A client asked to stop the statement.
    #[error("the statement was cancelled, as its client asked")]
    Cancelled,
}

impl RowsError {
    fn is_cancelled(&self) -> bool {
        matches!(self, Self::Sql(error) if error.kind() == SqlErrorKind::Cancelled)
    }
}

/// The rows of a statement that has begun.
pub(crate) struct Answer {
    pub(crate) schema: SchemaRef,
    pub(crate) batches: BoxStream<'static, Result<RecordBatch, RowsError>>,
}

/// The rows of a running statement. Dropping it stops the statement.
pub(crate) struct RowStream {
    schema: SchemaRef,
    parts: Receiver<Result<Part, RowsError>>,
    _cancel: CancelOnDrop,
}

enum Part {
    /// The columns, if the statement gives rows.
    Begin(Option<SchemaRef>),
    Batch(RecordBatch),
}

impl RowStream {
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }
}

impl Stream for RowStream {
    type Item = Result<RecordBatch, RowsError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.parts.poll_recv(context).map(|part| match part? {
            Ok(Part::Batch(batch)) => Some(Ok(batch)),
            Ok(Part::Begin(_)) => None,
            Err(error) => Some(Err(error)),
        })
    }
}

impl Engine {
    /// Starts the statement that `work` runs on the current trace; `None` if it gives no rows.
    /// Waits for a slot. Dropping the future stops it.
    ///
    /// # Errors
    /// When there is no trace, or the statement fails before its first rows.
    pub(crate) async fn rows<W, F>(
        self: &Arc<Self>,
        slot: &SharedSlot,
        work: W,
    ) -> Result<Option<RowStream>, RowsError>
    where
        W: FnOnce(Arc<dyn LoadedTrace>, CancelToken) -> F + Send + 'static,
        F: Future<Output = Result<Option<Answer>, RowsError>> + Send + 'static,
    {
        let (sender, mut parts) = channel(MAX_WAITING);
        let cancel = CancelToken::default();
        let stop = CancelOnDrop(cancel.clone());
        let running = Running {
            engine: Arc::clone(self),
            slot: slot.clone(),
            cancel,
            timers: Handle::current(),
        };
        self.workers.spawn(async move {
            let outcome = tokio::select! {
                biased;
                () = sender.closed() => return,
                outcome = AssertUnwindSafe(running.send(work, &sender)).catch_unwind() => outcome,
            };
            if let Some(error) = failure(outcome) {
                // Without a receiver, the error has no use.
                let _ = sender.send(Err(error)).await;
            }
        });
        match parts.recv().await {
            Some(Ok(Part::Begin(Some(schema)))) => {
                Ok(Some(RowStream { schema, parts, _cancel: stop }))
            }
            Some(Ok(Part::Begin(None))) => Ok(None),
            Some(Err(error)) => Err(error),
            Some(Ok(Part::Batch(_))) | None => Err(EngineError::Panicked("the query").into()),
        }
    }

    /// Answers a question about the current trace, within the limits of a query.
    ///
    /// # Errors
    /// When there is no trace, or `work` fails.
    pub(crate) async fn ask<T, W, F>(
        self: &Arc<Self>,
        slot: &SharedSlot,
        work: W,
    ) -> Result<T, RowsError>
    where
        T: Send + 'static,
        W: FnOnce(Arc<dyn LoadedTrace>, CancelToken) -> F + Send + 'static,
        F: Future<Output = Result<T, RowsError>> + Send + 'static,
    {
        let cancel = CancelToken::default();
        let _stop = CancelOnDrop(cancel.clone());
        let running = Running {
            engine: Arc::clone(self),
            slot: slot.clone(),
            cancel,
            timers: Handle::current(),
        };
        self.detached("the query", async move { running.finish(work).await }).await?
    }
}

/// The error of a task that may have panicked.
fn failure(outcome: std::thread::Result<Result<(), RowsError>>) -> Option<RowsError> {
    match outcome {
        Ok(outcome) => outcome.err(),
        Err(_) => Some(EngineError::Panicked("the query").into()),
    }
}

/// A statement that is about to run.
struct Running {
    engine: Arc<Engine>,
    slot: SharedSlot,
    cancel: CancelToken,
    /// The runtime for timers. No query runs on its threads.
    timers: Handle,
}

/// What a statement has while it runs: a trace, a slot, and time.
struct Begun {
    trace: Arc<dyn LoadedTrace>,
    slot: Slot,
    deadline: Deadline,
}

impl Running {
    /// Waits for a slot. The time of the statement begins then.
    async fn begin(&self) -> Result<Begun, RowsError> {
        let trace = self.engine.trace().await?;
        let slot = self.engine.slot_of(self.slot.clone(), self.timers.clone()).await;
        let limit = self.engine.limits.query_time;
        let deadline = Deadline::start(limit, &self.cancel, &self.timers);
        Ok(Begun { trace, slot, deadline })
    }

    /// Runs work with a slot, for as long as there is time.
    async fn finish<T, W, F>(&self, work: W) -> Result<T, RowsError>
    where
        W: FnOnce(Arc<dyn LoadedTrace>, CancelToken) -> F,
        F: Future<Output = Result<T, RowsError>>,
    {
        let begun = self.begin().await?;
        in_time(&begun.deadline, work(Arc::clone(&begun.trace), self.cancel.clone())).await
    }

    /// Sends the columns and rows of a statement.
    async fn send<W, F>(
        &self,
        work: W,
        sender: &Sender<Result<Part, RowsError>>,
    ) -> Result<(), RowsError>
    where
        W: FnOnce(Arc<dyn LoadedTrace>, CancelToken) -> F,
        F: Future<Output = Result<Option<Answer>, RowsError>>,
    {
        let mut begun = self.begin().await?;
        let metatrace = self.engine.metatrace();
        let _span = metatrace.as_ref().map(|metatrace| metatrace.span("query"));
        let work = work(Arc::clone(&begun.trace), self.cancel.clone());
        let answer = in_time(&begun.deadline, work).await?;
        let schema = answer.as_ref().map(|answer| Arc::clone(&answer.schema));
        begun.send(sender, Part::Begin(schema)).await?;
        let Some(mut answer) = answer else { return Ok(()) };
        while let Some(batch) = in_time(&begun.deadline, answer.batches.try_next()).await? {
            begun.send(sender, Part::Batch(batch)).await?;
        }
        Ok(())
    }
}

impl Begun {
    /// Sends a part of the result while there is time. A receiver that has gone ends this task.
    async fn send(
        &mut self,
        sender: &Sender<Result<Part, RowsError>>,
        part: Part,
    ) -> Result<(), RowsError> {
        let sent = self.slot.send(sender, Ok(part)).map(|sent| match sent {
            Ok(()) | Err(NotSent::Disconnected) => Ok(()),
            Err(NotSent::Stalled(limit)) => Err(EngineError::Stalled { limit }.into()),
        });
        in_time(&self.deadline, sent).await
    }
}

/// Awaits work while there is time. Most statements end by themselves when it is over, as their
/// token is cancelled then; those of catalogs know no token.
async fn in_time<T>(
    deadline: &Deadline,
    work: impl Future<Output = Result<T, RowsError>>,
) -> Result<T, RowsError> {
    let over = |error: RowsError| match deadline.passed() {
        Some(limit) if error.is_cancelled() => EngineError::TooLong { limit }.into(),
        _ => error,
    };
    tokio::select! {
        biased;
        outcome = work => outcome.map_err(over),
        () = deadline.wait() => Err(match deadline.passed() {
            Some(limit) => EngineError::TooLong { limit }.into(),
            None => RowsError::Cancelled,
        }),
    }
}
