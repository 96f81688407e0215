//! Runs a statement so that Ctrl-C stops it.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use futures::StreamExt;
use tpq::{CancelToken, Statement, Trace};
use tpq_output::ResultWriter;

use super::run_apart::{Ended, Events, run_apart};
use crate::row_limit::{self, FirstRows, Shown};
use crate::signals::Interrupts;

/// What a statement gives.
enum Event {
    /// The columns, and whether only the first rows follow.
    Columns(SchemaRef, bool),
    Rows(RecordBatch),
}

/// What came of a statement.
pub struct Outcome {
    /// What was written.
    pub shown: Shown,
    /// Whether it ran to its end.
    pub ended: Ended<()>,
}

/// Runs a statement and writes the first `most` rows of its result, all if not given, up to where
/// one of the `interrupts` stops it.
pub async fn run_statement(
    interrupts: Interrupts,
    trace: &Arc<Trace>,
    statement: Statement,
    writer: &mut dyn ResultWriter,
    most: Option<usize>,
) -> anyhow::Result<Outcome> {
    let cancel = CancelToken::default();
    let mut writer = FirstRows::new(writer, most);
    let mut has_columns = false;
    let work = {
        let (trace, cancel) = (Arc::clone(trace), cancel.clone());
        async move |events| execute(&trace, &statement, most, &cancel, &events).await
    };
    let handle = |event| {
        match event {
            Event::Columns(schema, limited) => {
                has_columns = true;
                if !limited {
                    writer.lift();
                }
                writer.begin(&schema)?;
            }
            Event::Rows(batch) => writer.write(&batch)?,
        }
        Ok(())
    };
    let ended = run_apart(interrupts, cancel, work, handle).await?;
    if has_columns && matches!(ended, Ended::Done(())) {
        writer.end()?;
    }
    Ok(Outcome { shown: writer.shown(), ended })
}

async fn execute(
    trace: &Trace,
    statement: &Statement,
    most: Option<usize>,
    cancel: &CancelToken,
    events: &Events<Event, ()>,
) -> anyhow::Result<()> {
    let planning = trace.span("plan");
    let result = row_limit::start(trace, statement, most, cancel).await?;
    drop(planning);
    let Some(mut result) = result else { return Ok(()) };
    let mut executing = trace.span("execute");
    let mut rows = 0;
    let limited = result.limit().is_some();
    events.send(Event::Columns(Arc::clone(result.schema()), limited)).await;
    while let Some(batch) = result.next().await {
        let batch = batch?;
        rows += batch.num_rows() as u64;
        events.send(Event::Rows(batch)).await;
    }
    if let Some(span) = &mut executing {
        span.add("rows", rows);
    }
    Ok(())
}
