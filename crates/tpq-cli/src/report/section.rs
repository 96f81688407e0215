//! Sections of a report: rows, or the reason why there are none.

use futures::TryStreamExt;
use serde_json::{Value, json};
use tpq::Trace;
use tpq_output::JsonRows;

/// A section without data, which states what the trace lacks.
pub fn missing(reason: &str) -> Value {
    json!({ "missing": reason })
}

/// The rows of a query as `columns` and `rows`; `reason` if there are none.
pub async fn section(trace: &Trace, sql: &str, reason: &str) -> anyhow::Result<Value> {
    let mut result = trace.session().query(sql).await?;
    let mut rows = JsonRows::new(result.schema());
    while let Some(batch) = result.try_next().await? {
        rows.push(&batch, usize::MAX)?;
    }
    match rows.count() {
        0 => Ok(missing(reason)),
        _ => Ok(serde_json::from_str(&format!("{{{}}}", rows.members()))?),
    }
}

/// Whether a trace has scheduling events.
pub async fn has_scheduling(trace: &Trace) -> anyhow::Result<bool> {
    let found = crate::layout::rows(trace, "SELECT 1 FROM sched LIMIT 1").await?;
    Ok(!found.is_empty())
}

/// The reason why sections about scheduling are empty.
pub const NO_SCHEDULING: &str = "The trace has no scheduling events. On Linux and Android, the \
    data source linux.ftrace records them with sched/sched_switch.";
