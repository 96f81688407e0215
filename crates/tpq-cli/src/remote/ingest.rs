//! Imports into a lake.

use std::path::PathBuf;
use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::Int64Type;
use tpq::{ImportOptions, Lake};
use tpq_cluster::{Task, TraceWork, TraceWorkExec, TraceWorker, plain_settings};

use super::each::name_of;
use super::{ClusterAddress, Remote};

/// The outcome of the import of a file.
pub struct Outcome {
    /// The file.
    pub path: String,
    /// What became of it, as `added`, `replaced` or `existing`; otherwise the error.
    pub outcome: Result<String, String>,
    /// The number of kinds of data that the trace lost.
    pub losses: u64,
}

/// Imports files on the executors. They have names that all machines know.
///
/// # Errors
/// When the cluster cannot be reached, or the lake fails.
pub async fn run(
    (cluster, lake): (ClusterAddress<'_>, &Lake),
    paths: &[PathBuf],
    replace: bool,
    import: ImportOptions,
    quiet: bool,
) -> anyhow::Result<Vec<Outcome>> {
    let remote = Remote::new(cluster, import, quiet)?;
    let names = paths.iter().map(|path| name_of(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let task = Task::Ingest { replace };
    let lake = Some(lake.url().to_owned());
    let work = TraceWork { lake, version: 0, task, keeps_failures: false };
    let columns = remote.worker.columns(&work, "").await?;
    let worker = Arc::clone(&remote.worker);
    let step = TraceWorkExec::on(&names, work, columns, worker)?;
    let query = remote.cluster.query(Arc::new(step), &plain_settings())?;
    let mut outcomes = Vec::with_capacity(names.len());
    for batch in remote.rows(&query).await?.into_batches()? {
        let batch = batch?;
        let text = |column: usize, row: usize| {
            let column = batch.column(column).as_string::<i32>();
            column.is_valid(row).then(|| column.value(row).to_owned())
        };
        for row in 0..batch.num_rows() {
            let losses = batch.column(2).as_primitive::<Int64Type>().value(row);
            let outcome = text(1, row).ok_or_else(|| text(3, row).unwrap_or_default());
            let path = text(0, row).unwrap_or_default();
            outcomes.push(Outcome { path, outcome, losses: losses.unsigned_abs() });
        }
    }
    Ok(outcomes)
}
