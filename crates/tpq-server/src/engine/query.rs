//! Queries: the last result of their statements becomes a stream of messages.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use datafusion::arrow::error::ArrowError;
use futures::{FutureExt, Stream, StreamExt};
use prost::Message;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tpq_sql::{CancelToken, ResultSet, Session, SqlError, SqlErrorKind};

use super::deadline::Deadline;
use super::slot::{NotSent, SharedSlot, Slot};
use super::statement_cut::StatementCut;
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
    Disconnected,
}

impl QueryError {
    fn is_cancelled(&self) -> bool {
        matches!(self, Self::Sql(error) if error.kind() == SqlErrorKind::Cancelled)
    }
}

impl From<NotSent> for QueryError {
    fn from(not_sent: NotSent) -> Self {
        match not_sent {
            NotSent::Disconnected => Self::Disconnected,
            NotSent::Stalled(limit) => EngineError::Stalled { limit }.into(),
        }
    }
}

impl Engine {
    /// Waits for a slot for a query.
    pub(super) async fn slot(&self, timers: Handle) -> Slot {
        self.slot_of(SharedSlot::default(), timers).await
    }

    /// The same for a query of a connection, which has one already if another of its queries does.
    pub(super) async fn slot_of(&self, shared: SharedSlot, timers: Handle) -> Slot {
        Slot::take(&self.query_slots, shared, self.limits.read_timeout, timers).await
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
        sql: String,
        start: usize,
    ) -> (StatementEnd, QueryStream) {
        // An offset behind the end, or within a letter, has no statement behind it.
        let start = if sql.is_char_boundary(start) { start } else { sql.len() };
        let (engine, length) = (Arc::clone(self), sql.len());
        // A text may be long, so it is cut on the threads of queries.
        let cut = self.detached("the query", async move { engine.first_end(sql, start).await });
        let (text, end) = match cut.await {
            Ok((text, end)) => (text, end),
            Err(_) => (String::new(), Some(length)),
        };
        let offset = end.unwrap_or(length);
        (StatementEnd { offset, was_executed: end.is_some() }, self.query(text))
    }

    /// The text of the first statement from a byte on, and its end; `None` if there is none.
    async fn first_end(&self, sql: String, start: usize) -> (String, Option<usize>) {
        let text = |sql: &str, end: Option<usize>| {
            sql.get(start..end.unwrap_or(sql.len())).unwrap_or_default().to_owned()
        };
        let known = self.statement_cut.lock().unwrap_or_else(PoisonError::into_inner).take();
        let cut = match (known, self.trace().await) {
            (Some(cut), Ok(_)) if cut.has(&sql, start) => Some(cut),
            (_, Ok(trace)) => StatementCut::new(trace.session(), sql.clone(), start),
            (_, Err(_)) => None,
        };
        // An error of the engine or of the text is found again when the text is run.
        let Some(cut) = cut else { return (text(&sql, None), Some(sql.len())) };
        let end = cut.end_after(start);
        if end.is_some_and(|end| end < sql.len()) {
            *self.statement_cut.lock().unwrap_or_else(PoisonError::into_inner) = Some(cut);
        }
        (text(&sql, end), end)
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
        // The error of a statement that was stopped does not say why.
        outcome.map_err(|error| match deadline.passed() {
            Some(limit) if error.is_cancelled() => EngineError::TooLong { limit }.into(),
            _ => error,
        })
    }

    /// Runs the statements and sends the result of the last one.
    async fn answer_from(&self, session: &Session, slot: &mut Slot) -> Result<(), QueryError> {
        let started = Instant::now();
        let statements = session.statements(&self.sql)?;
        let mut counts = StatementCounts::default();
        let mut last: Option<ResultSet> = None;
        for statement in &statements {
            // A statement that is not the last may fail while it runs.
            if let Some(rows) = last.take() {
                rows.run_to_end().await?;
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

/// Sends the messages of a result. The first one, without cells, goes with the next.
struct Output<'a> {
    sender: &'a Sender<Bytes>,
    slot: &'a mut Slot,
    unsent: BytesMut,
}

impl Output<'_> {
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
