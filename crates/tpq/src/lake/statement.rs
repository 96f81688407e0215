//! Statements on one trace of a lake, with their rows as a stream.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use futures::{Stream, StreamExt};
use tpq_lake::{Lake, LakeTrace};
use tpq_sql::ResultSet;

use crate::each::TraceColumns;
use crate::{CancelToken, EachError, EachOptions, Trace};

/// The rows of the last statement, with the columns of the trace in front.
pub struct LakeRows {
    /// Keeps the tables that the statement reads.
    trace: Trace,
    front: TraceColumns,
    schema: SchemaRef,
    result: ResultSet,
}

impl LakeRows {
    /// The columns: those of the trace, and then those of the statement.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The trace that the statement runs on.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The next rows.
    pub async fn next(&mut self) -> Option<Result<RecordBatch, EachError>> {
        let batch = self.result.next().await?;
        Some(batch.map_err(EachError::from).and_then(|batch| self.front.in_front_of(&batch)))
    }

    /// The rows as a stream.
    pub fn into_stream(self) -> impl Stream<Item = Result<RecordBatch, EachError>> + Send {
        futures::stream::unfold(self, |mut rows| async move {
            let batch = rows.next().await?;
            Some((batch, rows))
        })
    }
}

/// Runs statements on one trace of a lake. The last one has rows, which come as they are computed;
/// the others have none. The columns `trace_path` and `trace_uuid` and those of
/// `options.metadata` are in front. The memory limit and the threads are those of this call.
///
/// # Errors
/// When the trace cannot be opened, or a statement is wrong or fails.
pub async fn run_in_lake(
    lake: &Lake,
    trace: &Arc<LakeTrace>,
    sql: &str,
    options: &EachOptions,
    cancel: &CancelToken,
) -> Result<LakeRows, EachError> {
    let opened = Trace::in_lake(lake, trace, &options.import)?;
    for (name, value) in &options.parameters {
        opened.session().set_parameter(name, value.clone());
    }
    let front = TraceColumns::in_lake(&opened, trace, &options.metadata).await?;
    let mut statements = opened.session().statements(sql)?;
    let last = statements.pop().ok_or(EachError::NoResult)?;
    for statement in &statements {
        if let Some(mut result) = opened.session().run_cancellable(statement, cancel).await? {
            if !result.is_suppressed() {
                return Err(EachError::SeveralResults);
            }
            while let Some(batch) = result.next().await {
                batch?;
            }
        }
    }
    let result = opened.session().run_cancellable(&last, cancel).await?;
    let result = result.filter(|result| !result.is_suppressed()).ok_or(EachError::NoResult)?;
    let schema = front.schema_with(result.schema());
    Ok(LakeRows { trace: opened, front, schema, result })
}
