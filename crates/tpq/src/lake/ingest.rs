//! Imports traces into a lake.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt, Stream, StreamExt};
use tokio::sync::mpsc::{Sender, channel};
use tokio::time::{Instant, timeout_at};
use tpq_lake::{Committed, Lake, LakeCatalog, LakeError, LakeTrace};
use tpq_sql::{AbortOnDrop, SqlError};

use super::facts::facts_of;
use crate::traces::{Stamps, Traces};
use crate::{EachOptions, ImportOptions, OpenError, Trace};

/// Traces that are committed at a time.
const BATCH: usize = 32;
/// The longest time that a trace waits for others to be committed with it.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// Outcomes that wait for their reader.
const AHEAD: usize = 64;

/// How to import traces into a lake.
#[derive(Clone)]
pub struct IngestOptions {
    /// How to import a trace. The memory limit and the threads are those of all jobs together.
    pub import: ImportOptions,
    /// The number of traces that are imported at a time; at least 1.
    pub jobs: usize,
    /// Whether to import traces that the lake has once more, in place of those.
    pub replace: bool,
}

/// Why a trace was not imported into a lake.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IngestError {
    /// The trace could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The file could not be read.
    #[error("cannot read it: {0}")]
    Read(#[from] std::io::Error),
    /// The trace is no regular file.
    #[error("it is not a file")]
    NoFile,
    /// The file changed, so that its rows may not be those of its digest.
    #[error("it changed while it was imported; ingest it again once it is complete")]
    Changed,
    /// The facts of the trace could not be queried.
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// The lake could not be written.
    #[error(transparent)]
    Lake(#[from] LakeError),
    /// The trace was ready, but the commit of several traces failed.
    #[error("{0}")]
    Commit(String),
    /// The job ended without a result: a bug in tpq.
    #[error("the import stopped unexpectedly, which is a bug in tpq: {0}")]
    Stopped(#[from] tokio::task::JoinError),
}

impl IngestError {
    /// Whether the lake failed, so that other traces fail as well.
    pub fn is_of_lake(&self) -> bool {
        matches!(self, Self::Lake(_) | Self::Commit(_))
    }
}

/// What became of a trace.
#[derive(Clone, Debug)]
pub struct IngestOutcome {
    /// Whether the lake has it now for the first time, in place of an earlier import, or had it.
    pub committed: Committed,
    /// The number of kinds of data that the trace lost; 0 if it was not imported.
    pub losses: u64,
}

/// A trace that was imported, or could not be.
#[derive(Debug)]
pub struct Ingested {
    /// The trace.
    pub path: PathBuf,
    /// What became of it.
    pub outcome: Result<IngestOutcome, IngestError>,
}

/// Imports traces into a lake and gives each of them once it is committed, or has failed. Dropping
/// the stream stops the imports; what is committed stays.
pub fn ingest(
    lake: Lake,
    paths: Vec<PathBuf>,
    options: IngestOptions,
) -> impl Stream<Item = Ingested> + use<> {
    let (sender, receiver) = channel(AHEAD);
    let work = AbortOnDrop(tokio::spawn(run(lake, paths, options, sender)));
    futures::stream::unfold((receiver, work), |(mut receiver, work)| async move {
        let ingested = receiver.recv().await?;
        Some((ingested, (receiver, work)))
    })
}

/// A trace that a job is done with.
enum Prepared {
    /// The lake has it.
    Existing,
    /// Its files are written.
    Staged(Box<LakeTrace>),
}

type Outcome = (PathBuf, Result<Prepared, IngestError>);

async fn run(lake: Lake, paths: Vec<PathBuf>, options: IngestOptions, sender: Sender<Ingested>) {
    // What follows a commit of replaced traces takes as much memory as a job.
    let lake = lake.for_ingest().with_memory_limit(of_job(&options).memory_limit);
    let catalog = match lake.catalog().await {
        Ok(catalog) => Arc::new(catalog),
        Err(error) => {
            let why = error.to_string();
            return fail(paths, &why, &sender).await;
        }
    };
    let job =
        Job { import: of_job(&options), lake: lake.clone(), catalog, options: options.clone() };
    // A job is made, and starts, when the stream comes to it.
    let made =
        move |path: PathBuf| -> BoxFuture<'static, Outcome> { job.clone().started(path).boxed() };
    let mut jobs = futures::stream::iter(paths).map(made).buffer_unordered(options.jobs.max(1));
    let mut batch = Batch { lake, replace: options.replace, staged: Vec::new(), since: None };
    loop {
        let next = match batch.since {
            None => Ok(jobs.next().await),
            Some(since) => timeout_at(since + LONGEST_WAIT, jobs.next()).await,
        };
        let (is_due, is_last) = match next {
            Ok(Some((path, prepared))) => {
                if !take(&mut batch, path, prepared, &sender).await {
                    return;
                }
                (batch.staged.len() >= BATCH, false)
            }
            Ok(None) => (true, true),
            Err(_) => (true, false),
        };
        if is_due && !batch.commit(&sender).await || is_last {
            return;
        }
    }
}

/// Keeps a staged trace for its commit, and gives others to the reader. Returns whether there is
/// one.
async fn take(
    batch: &mut Batch,
    path: PathBuf,
    prepared: Result<Prepared, IngestError>,
    sender: &Sender<Ingested>,
) -> bool {
    let outcome = match prepared {
        Ok(Prepared::Staged(trace)) => {
            batch.since.get_or_insert_with(Instant::now);
            batch.staged.push((path, *trace));
            return true;
        }
        Ok(Prepared::Existing) => Ok(IngestOutcome { committed: Committed::Existing, losses: 0 }),
        Err(error) => Err(error),
    };
    sender.send(Ingested { path, outcome }).await.is_ok()
}

/// Traces that are committed together.
struct Batch {
    lake: Lake,
    replace: bool,
    staged: Vec<(PathBuf, LakeTrace)>,
    /// When the first of them was staged.
    since: Option<Instant>,
}

impl Batch {
    /// Commits the traces. Returns whether there is a reader for what became of them.
    async fn commit(&mut self, sender: &Sender<Ingested>) -> bool {
        self.since = None;
        if self.staged.is_empty() {
            return true;
        }
        let (paths, traces): (Vec<_>, Vec<_>) = self.staged.drain(..).unzip();
        let losses: Vec<u64> = traces.iter().map(|trace| trace.facts.losses).collect();
        let committed = match self.lake.commit(traces, self.replace).await {
            Ok(committed) => committed,
            Err(error) => {
                let why = error.to_string();
                fail(paths, &why, sender).await;
                return !sender.is_closed();
            }
        };
        for ((path, losses), committed) in paths.into_iter().zip(losses).zip(committed) {
            let outcome = Ok(IngestOutcome { committed, losses });
            if sender.send(Ingested { path, outcome }).await.is_err() {
                return false;
            }
        }
        true
    }
}

/// Gives traces that failed together to the reader.
async fn fail(paths: Vec<PathBuf>, why: &str, sender: &Sender<Ingested>) {
    for path in paths {
        let ingested = Ingested { path, outcome: Err(IngestError::Commit(why.to_owned())) };
        if sender.send(ingested).await.is_err() {
            return;
        }
    }
}

/// The import options of one job. Tables go to the lake and not to the cache.
fn of_job(options: &IngestOptions) -> ImportOptions {
    // Statements that leave tables out do not apply: the lake gets all tables.
    let import = ImportOptions { cache: None, statements: None, ..options.import.clone() };
    let each =
        EachOptions { import, jobs: options.jobs, metadata: Vec::new(), parameters: Vec::new() };
    each.of_job()
}

/// The work on one trace.
#[derive(Clone)]
struct Job {
    lake: Lake,
    /// The catalogue when the ingest began.
    catalog: Arc<LakeCatalog>,
    import: ImportOptions,
    options: IngestOptions,
}

impl Job {
    /// Runs the job on the threads of the runtime.
    async fn started(self, path: PathBuf) -> Outcome {
        let task = AbortOnDrop(tokio::spawn(self.run(path.clone())));
        let prepared = task.await.unwrap_or_else(|stopped| Err(stopped.into()));
        (path, prepared)
    }

    async fn run(self, path: PathBuf) -> Result<Prepared, IngestError> {
        let file = Traces::Files(vec![path.clone()]);
        let stamps = Stamps::of(&file);
        let (digest, size) = self.digest(&path).await?;
        if self.catalog.find(&digest).is_some() && !self.options.replace {
            return Ok(Prepared::Existing);
        }
        let trace = Trace::open(std::slice::from_ref(&path), self.import.clone()).await?;
        if Stamps::of(&file) != stamps {
            return Err(IngestError::Changed);
        }
        let facts = facts_of(&trace, &path, digest, size).await?;
        let (layout, memory) = (self.catalog.layout(), self.import.memory_limit);
        let staged = self.lake.stage(layout, facts, trace.tables(), memory).await?;
        Ok(Prepared::Staged(Box::new(staged)))
    }

    /// The digest of the bytes of a file, in hexadecimal digits, and their number.
    async fn digest(&self, path: &Path) -> Result<(String, u64), IngestError> {
        let (path, threads) = (path.to_owned(), self.import.threads);
        let digest = tokio::task::spawn_blocking(move || {
            let size = path.metadata()?.len();
            let digest = tpq_source::digest(&[path], threads)?;
            digest.map(|digest| (format!("{digest:032x}"), size)).ok_or(IngestError::NoFile)
        });
        digest.await?
    }
}
