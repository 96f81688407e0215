//! Runs a statement that Ctrl-C can stop.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use futures::StreamExt;
use tpq::{CancelToken, Session, Span, Statement, Trace};
use tpq_output::ResultWriter;

use super::detached_query::{Events, WorkResult, run_detached};
use crate::row_limit::{self, LimitedWriter, ShownRows};
use crate::signals::Interrupts;

/// An event of a running statement.
enum Event {
    /// The columns, and whether only the first rows follow.
    Columns(SchemaRef, bool),
    Rows(RecordBatch),
}

/// What a statement runs on.
#[derive(Clone)]
pub enum Target {
    /// A trace.
    Trace(Arc<Trace>),
    /// All traces of a lake.
    Lake(Arc<Session>),
}

impl Target {
    fn session(&self) -> &Session {
        match self {
            Self::Trace(trace) => trace.session(),
            Self::Lake(session) => session,
        }
    }

    fn span(&self, name: &'static str) -> Option<Span<'_>> {
        match self {
            Self::Trace(trace) => trace.span(name),
            Self::Lake(_) => None,
        }
    }
}

/// The outcome of a statement.
pub struct Outcome {
    /// The rows that were written; `None` for a statement without output.
    pub shown: Option<ShownRows>,
    /// Whether it ran to its end.
    pub ended: WorkResult<()>,
}

/// Runs a statement and writes at most `max_rows` rows of its result, until one of `interrupts`
/// stops it.
pub async fn run_statement(
    interrupts: Interrupts,
    target: &Target,
    statement: Statement,
    writer: &mut dyn ResultWriter,
    max_rows: Option<usize>,
) -> anyhow::Result<Outcome> {
    let cancel = CancelToken::default();
    let mut writer = LimitedWriter::new(writer, max_rows);
    let mut has_columns = false;
    let work = {
        let (target, cancel) = (target.clone(), cancel.clone());
        async move |events| execute(&target, &statement, max_rows, &cancel, &events).await
    };
    let handle = |event| {
        match event {
            Event::Columns(schema, limited) => {
                has_columns = true;
                if !limited {
                    writer.remove_limit();
                }
                writer.begin(&schema)?;
            }
            Event::Rows(batch) => writer.write(&batch)?,
        }
        Ok(())
    };
    let ended = run_detached(interrupts, cancel, work, handle).await?;
    if has_columns && matches!(ended, WorkResult::Done(())) {
        writer.end()?;
    }
    Ok(Outcome { shown: has_columns.then(|| writer.shown()), ended })
}

async fn execute(
    target: &Target,
    statement: &Statement,
    max_rows: Option<usize>,
    cancel: &CancelToken,
    events: &Events<Event, ()>,
) -> anyhow::Result<()> {
    let planning = target.span("plan");
    let result = row_limit::start(target.session(), statement, max_rows, cancel).await?;
    drop(planning);
    let Some(mut result) = result else { return Ok(()) };
    let mut executing = target.span("execute");
    let mut rows = 0;
    let limited = result.limit().is_some();
    let is_shown = !result.is_suppressed();
    if is_shown {
        events.send(Event::Columns(Arc::clone(result.schema()), limited)).await;
    }
    while let Some(batch) = result.next().await {
        let batch = batch?;
        rows += batch.num_rows() as u64;
        if is_shown {
            events.send(Event::Rows(batch)).await;
        }
    }
    if let Some(span) = &mut executing {
        span.add("rows", rows);
    }
    Ok(())
}
