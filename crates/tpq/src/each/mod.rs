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

use std::path::PathBuf;
use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use futures::{Stream, StreamExt};
use tpq_lake::{Lake, LakeTrace};
use tpq_sql::{AbortOnDrop, ParameterValue, ResultSet, SqlError};

use self::rows::MOST_IN_MEMORY;
use crate::{CancelToken, ImportOptions, Trace};

pub(crate) use self::columns::TraceColumns;
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
    pub(crate) fn of_job(&self) -> ImportOptions {
        let jobs = self.jobs.max(1);
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.import.threads.unwrap_or_else(all);
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
    each_of(paths.into_iter().map(Opening::File).collect(), sql, options)
}

/// The same on traces of a lake.
pub fn each_in_lake(
    lake: &Lake,
    traces: Vec<Arc<LakeTrace>>,
    sql: &str,
    options: EachOptions,
) -> impl Stream<Item = EachTrace> + use<> {
    let opening = |trace| Opening::Lake(lake.clone(), trace);
    each_of(traces.into_iter().map(opening).collect(), sql, options)
}

fn each_of(
    traces: Vec<Opening>,
    sql: &str,
    options: EachOptions,
) -> impl Stream<Item = EachTrace> + use<> {
    let jobs = options.jobs.max(1);
    let job = Job { sql: sql.into(), import: options.of_job(), options: Arc::new(options) };
    let started = futures::stream::iter(traces).map(move |trace| {
        let path = trace.path();
        let task = AbortOnDrop(tokio::spawn(job.clone().run(trace)));
        async move {
            task.await.unwrap_or_else(|stopped| {
                let rows = Err(EachError::Open(stopped.into()));
                EachTrace { path, losses: 0, rows }
            })
        }
    });
    started.buffered(jobs)
}

/// A trace that is to be opened.
pub(crate) enum Opening {
    /// By an import, or from the cache.
    File(PathBuf),
    /// From its files in a lake.
    Lake(Lake, Arc<LakeTrace>),
}

impl Opening {
    fn path(&self) -> PathBuf {
        match self {
            Self::File(path) => path.clone(),
            Self::Lake(_, trace) => PathBuf::from(&trace.facts.path),
        }
    }

    /// Opens the trace. Returns it with its columns and the number of kinds of data that it lost.
    pub(crate) async fn open(
        &self,
        import: &ImportOptions,
        metadata: &[String],
        losses: &mut u64,
    ) -> Result<(Trace, TraceColumns), EachError> {
        match self {
            Self::File(path) => {
                let with_losses = |sql: &Arc<str>| format!("{sql}\n;{LOSSES}").into();
                let statements = import.statements.as_ref().map(with_losses);
                let import = ImportOptions { statements, ..import.clone() };
                let trace = Trace::open(&[path], import).await?;
                *losses = losses_of(&trace).await?;
                let front = TraceColumns::of(&trace, path, metadata).await?;
                Ok((trace, front))
            }
            Self::Lake(lake, entry) => {
                let trace = Trace::in_lake(lake, entry, import)?;
                *losses = entry.facts.losses;
                let front = TraceColumns::in_lake(&trace, entry, metadata).await?;
                Ok((trace, front))
            }
        }
    }
}

/// The work on one trace.
#[derive(Clone)]
struct Job {
    sql: Arc<str>,
    import: ImportOptions,
    options: Arc<EachOptions>,
}

impl Job {
    async fn run(self, opening: Opening) -> EachTrace {
        let mut losses = 0;
        let rows = self.rows(&opening, &mut losses).await;
        EachTrace { path: opening.path(), losses, rows }
    }

    async fn rows(&self, opening: &Opening, losses: &mut u64) -> Result<KeptRows, EachError> {
        let (trace, front) = opening.open(&self.import, &self.options.metadata, losses).await?;
        for (name, value) in &self.options.parameters {
            trace.session().set_parameter(name, value.clone());
        }
        let kept = rows_of(&trace, &front, &self.sql, &CancelToken::default()).await;
        trace.wait_until_cached();
        kept
    }
}

/// Runs statements on a trace, of which one has rows. Keeps these rows, with the columns of the
/// trace in front.
pub(crate) async fn rows_of(
    trace: &Trace,
    front: &TraceColumns,
    sql: &str,
    cancel: &CancelToken,
) -> Result<KeptRows, EachError> {
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
        kept = Some(keep(result, front).await?);
    }
    kept.ok_or(EachError::NoResult)
}

/// The columns of the rows that [`rows_of`] keeps. The statement that has rows is planned and not
/// run to its end.
pub(crate) async fn columns_of(
    trace: &Trace,
    front: &TraceColumns,
    sql: &str,
) -> Result<SchemaRef, EachError> {
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

const LOSSES: &str = "SELECT DISTINCT name FROM stats WHERE severity = 'data_loss' AND value != 0";

/// The number of kinds of data that a trace lost.
pub(crate) async fn losses_of(trace: &Trace) -> Result<u64, SqlError> {
    let batches = trace.sql(LOSSES).await?;
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
    let mut kept = KeptRows::new(front.schema_with(result.schema()), MOST_IN_MEMORY);
    while let Some(batch) = result.next().await {
        kept.push(front.in_front_of(&batch?)?)?;
    }
    Ok(kept)
}
