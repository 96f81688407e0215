//! Queries: the last result of their statements becomes a stream of messages.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use datafusion::arrow::error::ArrowError;
use futures::{FutureExt, Stream, StreamExt};
use prost::Message;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;
use tpq_sql::{CancelToken, ResultSet, Session, SqlError, SqlErrorKind};

use super::slot::{NotSent, Slot};
use super::{Engine, EngineError};
use crate::query_result::{BatchEncoder, StatementCounts, error_message, last_message};

/// Messages that may wait to be sent. The query waits when a client reads slowly.
const MAX_WAITING: usize = 4;

/// The result of a query: messages, of which all together are one `QueryResult`. Dropping it stops
/// the query.
pub(crate) struct QueryStream {
    messages: Receiver<Bytes>,
    cancel: CancelToken,
}

impl Drop for QueryStream {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl Stream for QueryStream {
    type Item = Bytes;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        self.messages.poll_recv(context)
    }
}

/// Where the text after a statement begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StatementEnd {
    /// The offset in the text.
    pub(crate) offset: usize,
    /// Whether there was a statement before it.
    pub(crate) was_executed: bool,
}

/// Why a query ended early.
#[derive(Debug, thiserror::Error)]
enum QueryError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("{}", .0.report())]
    Sql(#[from] SqlError),
    #[error("the result cannot be sent: {0}")]
    Encode(#[from] ArrowError),
    #[error("the client has gone")]
    NoReceiver,
}

impl From<NotSent> for QueryError {
    fn from(not_sent: NotSent) -> Self {
        match not_sent {
            NotSent::NoReceiver => Self::NoReceiver,
            NotSent::Stalled(limit) => EngineError::Stalled { limit }.into(),
        }
    }
}

impl Engine {
    /// Waits for a slot for a query.
    pub(super) async fn slot(&self, timers: Handle) -> Slot<'_> {
        Slot::take(&self.query_slots, self.limits.reading_pause, timers).await
    }

    /// Runs statements. The result is that of the last one; an error is a part of it.
    pub(crate) fn query(self: &Arc<Self>, sql: String) -> QueryStream {
        let (sender, messages) = channel(MAX_WAITING);
        let cancel = CancelToken::default();
        let stream = QueryStream { messages, cancel: cancel.clone() };
        let timers = Handle::current();
        let query = Query { engine: Arc::clone(self), sql, cancel, sender, timers };
        self.workers.spawn(query.run());
        stream
    }

    /// Runs the first statement of `sql` from a byte on.
    pub(crate) async fn statement(
        self: &Arc<Self>,
        sql: &str,
        start: usize,
    ) -> (StatementEnd, QueryStream) {
        let rest = sql.get(start..).unwrap_or_default();
        let first = match self.trace().await {
            Ok(trace) => trace.session().statements(rest).ok(),
            Err(_) => None,
        };
        // An error of the engine or of the text is found again when the text is run.
        let end = match &first {
            Some(statements) => statements.first().map(|statement| statement.end()),
            None => Some(rest.len()),
        };
        let length = end.unwrap_or(rest.len());
        let text = rest.get(..length).unwrap_or_default().to_owned();
        let offset = start.min(sql.len()) + length;
        (StatementEnd { offset, was_executed: end.is_some() }, self.query(text))
    }
}

/// A running query.
struct Query {
    engine: Arc<Engine>,
    sql: String,
    cancel: CancelToken,
    sender: Sender<Bytes>,
    /// The runtime for timers. No query runs on its threads.
    timers: Handle,
}

impl Query {
    async fn run(self) {
        let outcome = tokio::select! {
            biased;
            () = self.sender.closed() => return,
            outcome = AssertUnwindSafe(self.answer()).catch_unwind() => outcome,
        };
        let error = match outcome {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(_) => EngineError::Panicked("the query").to_string(),
        };
        // Without a receiver, the error has no use.
        let _ = self.sender.send(error_message(error).encode_to_vec().into()).await;
    }

    async fn answer(&self) -> Result<(), QueryError> {
        let trace = self.engine.trace().await?;
        let mut slot = self.engine.slot(self.timers.clone()).await;
        let deadline = Deadline::start(self.engine.limits.query_time, &self.cancel, &self.timers);
        let metatrace = self.engine.metatrace();
        let span = metatrace.as_ref().map(|metatrace| metatrace.span("query"));
        let outcome = self.answer_from(trace.session(), &mut slot).await;
        drop(span);
        outcome.map_err(|error| deadline.explain(error))
    }

    /// Runs the statements and sends the result of the last one.
    async fn answer_from(&self, session: &Session, slot: &mut Slot<'_>) -> Result<(), QueryError> {
        let started = Instant::now();
        let statements = session.statements(&self.sql)?;
        let mut counts = StatementCounts::default();
        let mut last = None;
        for statement in &statements {
            if let Some(rows) = last.take() {
                run_to_end(rows).await?;
            }
            last = session.run_cancellable(statement, &self.cancel).await?;
            counts.statements += 1;
            counts.with_output += u32::from(last.is_some());
            counts.last_sql = statement.text().to_owned();
        }
        let first = counts.first_message(last.as_ref().map(ResultSet::schema)).encode_to_vec();
        let unsent = BytesMut::from(first.as_slice());
        let mut output = Output { sender: &self.sender, slot, unsent };
        let mut encoder = BatchEncoder::default();
        if let Some(mut rows) = last {
            while let Some(batch) = rows.next().await {
                for message in encoder.add(&batch?)? {
                    output.send(message).await?;
                }
            }
        }
        output.send(last_message(encoder, started.elapsed())).await
    }
}

/// Reads the rows of a statement that is not the last: it may fail while it runs.
async fn run_to_end(mut rows: ResultSet) -> Result<(), QueryError> {
    while let Some(batch) = rows.next().await {
        batch?;
    }
    Ok(())
}

/// Sends the messages of a result. The first one, without cells, goes with the next.
struct Output<'a, 's> {
    sender: &'a Sender<Bytes>,
    slot: &'a mut Slot<'s>,
    unsent: BytesMut,
}

impl Output<'_, '_> {
    async fn send(&mut self, message: Bytes) -> Result<(), QueryError> {
        let message = match self.unsent.is_empty() {
            true => message,
            false => {
                self.unsent.extend_from_slice(&message);
                std::mem::take(&mut self.unsent).freeze()
            }
        };
        Ok(self.slot.send(self.sender, message).await?)
    }
}

/// The end of the time of a query.
pub(super) struct Deadline {
    limit: Option<Duration>,
    has_passed: Arc<AtomicBool>,
    passing: Arc<Notify>,
    timer: Option<JoinHandle<()>>,
}

impl Deadline {
    /// Cancels the query when its time is over.
    pub(super) fn start(limit: Option<Duration>, cancel: &CancelToken, timers: &Handle) -> Self {
        let has_passed = Arc::new(AtomicBool::new(false));
        let passing = Arc::new(Notify::new());
        let timer = limit.map(|limit| {
            let (cancel, has_passed) = (cancel.clone(), Arc::clone(&has_passed));
            let passing = Arc::clone(&passing);
            timers.spawn(async move {
                tokio::time::sleep(limit).await;
                has_passed.store(true, Ordering::Release);
                cancel.cancel();
                passing.notify_one();
            })
        });
        Self { limit, has_passed, passing, timer }
    }

    /// Waits until the time is over, for ever without a limit. For one waiter.
    pub(super) async fn wait(&self) {
        self.passing.notified().await;
    }

    /// The limit, if its time is over.
    pub(super) fn passed(&self) -> Option<Duration> {
        self.limit.filter(|_| self.has_passed.load(Ordering::Acquire))
    }

    /// The error for people, if the query was stopped by this deadline.
    fn explain(&self, error: QueryError) -> QueryError {
        let is_stopped =
            matches!(&error, QueryError::Sql(error) if error.kind() == SqlErrorKind::Cancelled);
        match self.passed() {
            Some(limit) if is_stopped => EngineError::TooLong { limit }.into(),
            _ => error,
        }
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        if let Some(timer) = &self.timer {
            timer.abort();
        }
    }
}
