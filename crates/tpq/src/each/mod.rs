//! Statements that run on each of many traces, with their rows as one relation.
//!
//! ```text
//! paths ──▶ jobs, several at a time: open, run the statements, keep the rows
//!       ──▶ the columns of the trace in front of its rows
//!       ──▶ the traces in the order of their paths
//! ```
//!
//! A trace is dropped once its rows are kept, so memory does not grow with the number of traces.

mod columns;
mod error;
mod rows;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use futures::{Stream, StreamExt};
use tpq_sql::{ParameterValue, ResultSet};

use crate::{CancelToken, ImportOptions, Trace};

use self::columns::TraceColumns;
pub use self::columns::{TRACE_PATH, TRACE_UUID};
pub use self::error::EachError;
pub use self::rows::{KeptRows, SharedColumns};

/// How to run statements on each of many traces.
#[derive(Clone)]
pub struct EachOptions {
    /// How to import a trace. The memory limit and the threads are those of all jobs together.
    pub import: ImportOptions,
    /// The number of traces that may be open at a time; at least 1.
    pub jobs: usize,
    /// Names of `metadata` that become columns, in this order.
    pub metadata: Vec<String>,
    /// Parameters of the statements.
    pub parameters: Vec<(String, ParameterValue)>,
}

impl EachOptions {
    /// The number of jobs for `traces` traces: one for each thread, fewer if the memory limit does
    /// not allow as many imports.
    pub fn jobs_for(traces: usize, threads: usize, memory_limit: Option<u64>) -> usize {
        let allowed = memory_limit.map_or(u64::MAX, |limit| limit / ImportOptions::LEAST_MEMORY);
        let allowed = usize::try_from(allowed).unwrap_or(usize::MAX);
        traces.min(threads).min(allowed).max(1)
    }

    /// The import options of one job.
    fn of_job(&self, threads: usize) -> ImportOptions {
        let jobs = self.jobs.max(1);
        ImportOptions {
            memory_limit: self.import.memory_limit.map(|limit| limit / jobs as u64),
            threads: Some((threads / jobs).max(1)),
            ..self.import.clone()
        }
    }
}

/// What the statements gave on one trace.
pub struct EachTrace {
    /// The trace.
    pub path: PathBuf,
    /// The number of kinds of data that the trace lost.
    pub losses: u64,
    /// The rows of the statement that has rows, with the columns of the trace in front.
    pub rows: Result<KeptRows, EachError>,
}

/// Runs statements on each trace and gives their rows in the order of `paths`. A trace that fails
/// is an item with its error. Dropping the stream cancels the jobs.
pub fn each(
    paths: Vec<PathBuf>,
    sql: &str,
    options: EachOptions,
) -> impl Stream<Item = EachTrace> + use<> {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = options.import.threads.unwrap_or(all);
    let jobs = options.jobs.max(1);
    let job = Job { sql: sql.into(), import: options.of_job(threads), options: Arc::new(options) };
    let started = futures::stream::iter(paths).map(move |path| {
        let task = AbortOnDrop(tokio::spawn(job.clone().run(path.clone())));
        async move { task.outcome(path).await }
    });
    started.buffered(jobs)
}

/// The work on one trace.
#[derive(Clone)]
struct Job {
    sql: Arc<str>,
    import: ImportOptions,
    options: Arc<EachOptions>,
}

impl Job {
    async fn run(self, path: PathBuf) -> EachTrace {
        let mut losses = 0;
        let rows = self.rows(&path, &mut losses).await;
        EachTrace { path, losses, rows }
    }

    async fn rows(&self, path: &Path, losses: &mut u64) -> Result<KeptRows, EachError> {
        let trace = Trace::open(&[path], self.import.clone()).await?;
        *losses = losses_of(&trace).await?;
        for (name, value) in &self.options.parameters {
            trace.session().set_parameter(name, value.clone());
        }
        let cancel = CancelToken::default();
        let kept = rows_of(&trace, path, &self.sql, &self.options.metadata, &cancel).await;
        trace.wait_until_cached();
        kept
    }
}

/// Runs statements on a trace, of which one has rows. Keeps these rows, with the columns of the
/// trace in front.
pub(crate) async fn rows_of(
    trace: &Trace,
    path: &Path,
    sql: &str,
    metadata: &[String],
    cancel: &CancelToken,
) -> Result<KeptRows, EachError> {
    let front = TraceColumns::of(trace, path, metadata).await?;
    let mut kept = None;
    for statement in trace.session().statements(sql)? {
        let result = trace.session().run_cancellable(&statement, cancel).await?;
        let Some(result) = result else { continue };
        if result.is_suppressed() {
            drain(result).await?;
            continue;
        }
        if kept.is_some() {
            return Err(EachError::SeveralResults);
        }
        kept = Some(keep(result, &front).await?);
    }
    kept.ok_or(EachError::NoResult)
}

/// The columns of the rows that [`rows_of`] keeps. The statement that has rows is planned and not
/// run to its end.
pub(crate) async fn columns_of(
    trace: &Trace,
    path: &Path,
    sql: &str,
    metadata: &[String],
) -> Result<SchemaRef, EachError> {
    let front = TraceColumns::of(trace, path, metadata).await?;
    for statement in trace.session().statements(sql)? {
        let Some(result) = trace.session().run(&statement).await? else { continue };
        if result.is_suppressed() {
            drain(result).await?;
            continue;
        }
        return Ok(front.schema_with(result.schema()));
    }
    Err(EachError::NoResult)
}

/// A task that is stopped when its result is no longer wanted.
struct AbortOnDrop(tokio::task::JoinHandle<EachTrace>);

impl AbortOnDrop {
    async fn outcome(mut self, path: PathBuf) -> EachTrace {
        let ended = (&mut self.0).await;
        ended.unwrap_or_else(|stopped| {
            let rows = Err(EachError::Open(stopped.into()));
            EachTrace { path, losses: 0, rows }
        })
    }
}

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The number of kinds of data that a trace lost.
async fn losses_of(trace: &Trace) -> Result<u64, EachError> {
    let sql = "SELECT DISTINCT name FROM stats WHERE severity = 'data_loss' AND value != 0";
    let batches = trace.sql(sql).await?;
    Ok(batches.iter().map(|batch| batch.num_rows() as u64).sum())
}

/// Runs a statement to its end without its rows.
async fn drain(mut result: ResultSet) -> Result<(), EachError> {
    while let Some(batch) = result.next().await {
        batch?;
    }
    Ok(())
}

/// Keeps the rows of a statement, with the columns of the trace in front.
async fn keep(mut result: ResultSet, front: &TraceColumns) -> Result<KeptRows, EachError> {
    let mut kept = KeptRows::new(front.schema_with(result.schema()));
    while let Some(batch) = result.next().await {
        kept.push(&front.in_front_of(&batch?)?)?;
    }
    Ok(kept)
}
