//! `tpq ingest`: imports traces into a lake.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use futures::StreamExt;
use tpq::{Committed, EachOptions, IngestFailure, IngestOptions, Ingested, Lake, ingest};

use crate::args::ImportFlags;
use crate::each::{self, EachProgress, describe, say};
use crate::exit::Usage;
use crate::lake::warn_of_unfinished;
use crate::layout::grouped;
use crate::open;
use crate::remote::{self, ClusterAddress};
use crate::terminal::Style;

const EXAMPLES: &str = "\
Examples:
  tpq ingest 'runs/**/*.pftrace' --lake lake/
  tpq ingest runs/ --lake s3://traces/lake --partition day,device --jobs 8
  tpq ingest run.pftrace --lake lake/ --metadata android_build_fingerprint

A trace that the lake has, by the digest of its bytes, is left as it is. Credentials of object stores
come from the environment, such as AWS_ACCESS_KEY_ID; docs/lake.md lists them.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct IngestArgs {
    /// Traces: files, patterns such as 'runs/**/*.pftrace', and folders with all files in them. Each
    /// is a trace of its own
    #[arg(required = true, value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,

    /// Lake to import into: a folder, or an address such as s3://bucket/lake, gs://bucket/lake or
    /// az://container/lake. It is made if there is none
    #[arg(long, value_name = "LAKE")]
    pub lake: String,

    /// Partition the files of a new lake by these columns of lake.traces: day, device, or names of
    /// metadata; an empty text for none [default: day,device]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub partition: Option<Vec<String>>,

    /// Metadata to add as columns of lake.traces, such as android_build_fingerprint
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub metadata: Vec<String>,

    /// Number of traces that are imported at a time [default: the number of threads]
    #[arg(long, value_name = "N")]
    pub jobs: Option<std::num::NonZeroUsize>,

    /// Import traces that the lake has once more, as after an update of tpq
    #[arg(long)]
    pub replace: bool,

    /// Import on the executors of this scheduler, which must reach the files by the same paths and
    /// the lake by the same address
    #[arg(long, value_name = "HOST:PORT", conflicts_with_all = ["jobs", "strict"])]
    pub cluster: Option<String>,

    /// Seconds to wait where the cluster has no executor [default: 60]
    #[arg(long, value_name = "S", requires = "cluster")]
    pub executor_wait: Option<u64>,

    /// Stop at the first trace that fails
    #[arg(long, help_heading = "Import options")]
    pub strict: bool,

    #[command(flatten)]
    pub flags: ImportFlags,
}

/// What became of the traces.
#[derive(Default)]
struct Summary {
    added: u64,
    replaced: u64,
    existing: u64,
    /// The number of traces that lost data.
    damaged: u64,
    failures: Vec<IngestFailure>,
}

pub async fn run(args: IngestArgs) -> anyhow::Result<()> {
    if args.flags.metatrace.is_some() {
        return Err(Usage("--metatrace records one import, not those of a lake".into()).into());
    }
    let paths = expand(&args.sources)?;
    let partition = args
        .partition
        .as_ref()
        .map(|names| names.iter().filter(|name| !name.is_empty()).cloned().collect::<Vec<_>>());
    let lake = Lake::open_or_create(&args.lake, partition.as_deref(), &args.metadata).await?;
    let mut summary = Summary::default();
    let outcome = match &args.cluster {
        Some(address) => {
            let cluster = ClusterAddress { address, executor_wait: args.executor_wait };
            import_there(&args, cluster, &lake, &paths, &mut summary).await
        }
        None => import(&args, &lake, paths, &mut summary).await,
    };
    // Also if the run ends early. What ended it comes first: the list may fail for the same reason.
    let recorded = lake.record_failures(&summary.failures).await;
    outcome?;
    recorded?;
    warn_of_unfinished(&lake);
    summary.report(args.flags.quiet)
}

/// Imports the traces and reports those that fail.
async fn import(
    args: &IngestArgs,
    lake: &Lake,
    paths: Vec<PathBuf>,
    summary: &mut Summary,
) -> anyhow::Result<()> {
    let flags = &args.flags;
    let jobs = EachOptions::jobs_for(paths.len(), flags.threads(), flags.memory_limit);
    let options = IngestOptions {
        import: open::options(&args.flags),
        jobs: args.jobs.map_or(jobs, usize::from),
        replace: args.replace,
    };
    let progress = EachProgress::start(paths.len(), args.flags.quiet);
    let mut traces = std::pin::pin!(ingest(lake.clone(), paths, options));
    while let Some(Ingested { path, outcome }) = traces.next().await {
        match outcome {
            Ok(outcome) => {
                summary.count(outcome.committed);
                summary.damaged += u64::from(outcome.losses > 0);
            }
            Err(error) => {
                let text = describe(&path, &error.to_string());
                let failure = IngestFailure { path: path_text(&path), error: error.to_string() };
                summary.failures.push(failure);
                if args.strict {
                    anyhow::bail!(text);
                }
                let style = Style::of_stderr();
                // If stderr is closed, the failure is still in the list.
                progress.above(|| {
                    let _ = writeln!(std::io::stderr(), "{} {text}", style.yellow("failed:"));
                });
            }
        }
        progress.advance(summary.failures.len());
    }
    Ok(())
}

/// The same on the executors of a cluster.
async fn import_there(
    args: &IngestArgs,
    cluster: ClusterAddress<'_>,
    lake: &Lake,
    paths: &[PathBuf],
    summary: &mut Summary,
) -> anyhow::Result<()> {
    let (import, quiet) = (open::options(&args.flags), args.flags.quiet);
    let place = (cluster, lake);
    for outcome in remote::ingest(place, paths, args.replace, import, quiet).await? {
        summary.damaged += u64::from(outcome.losses > 0);
        match outcome.outcome.as_deref() {
            Ok("added") => summary.added += 1,
            Ok("replaced") => summary.replaced += 1,
            Ok(_) => summary.existing += 1,
            Err(error) => {
                let text = describe(Path::new(&outcome.path), error);
                let style = Style::of_stderr();
                // If stderr is closed, the failure is still in the list.
                let _ = writeln!(std::io::stderr(), "{} {text}", style.yellow("failed:"));
                let failure = IngestFailure { path: outcome.path, error: error.clone() };
                summary.failures.push(failure);
            }
        }
    }
    Ok(())
}

impl Summary {
    fn count(&mut self, committed: Committed) {
        match committed {
            Committed::Added => self.added += 1,
            Committed::Replaced => self.replaced += 1,
            Committed::Existing => self.existing += 1,
        }
    }

    /// Prints how many traces the lake has now.
    ///
    /// # Errors
    /// When all traces failed.
    fn report(&self, quiet: bool) -> anyhow::Result<()> {
        let failed = self.failures.len() as u64;
        let all = self.added + self.replaced + self.existing + failed;
        anyhow::ensure!(failed < all || failed == 0, "all {} traces failed", grouped(all));
        if quiet {
            return Ok(());
        }
        let mut parts = vec![format!("{} traces ingested", grouped(self.added))];
        for (count, what) in [
            (self.replaced, "replaced"),
            (self.existing, "in the lake already"),
            (failed, "failed; the table lake.failures has them"),
        ] {
            if count > 0 {
                parts.push(format!("{} {what}", grouped(count)));
            }
        }
        say(&parts.join(", "));
        if self.damaged > 0 {
            let (damaged, all) = (grouped(self.damaged), grouped(all));
            say(&format!("lost data: {damaged} of {all} traces; tpq check TRACE says what"));
        }
        Ok(())
    }
}

/// The files of arguments: patterns and folders are replaced by what they match.
fn expand(sources: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for source in each::expand(sources)? {
        match source.is_dir() {
            true => add_folder(&source, &mut paths)?,
            false => paths.push(source),
        }
    }
    if paths.is_empty() {
        return Err(Usage("there are no files in the folders".into()).into());
    }
    Ok(paths)
}

/// Adds the files of a folder and of the folders in it, in the order of their names, without hidden
/// ones.
fn add_folder(folder: &Path, paths: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let cannot = || format!("cannot read the folder {}", folder.display());
    let mut entries = std::fs::read_dir(folder)
        .and_then(|entries| entries.collect::<Result<Vec<_>, _>>())
        .with_context(cannot)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let kind = entry.file_type().with_context(cannot)?;
        if kind.is_dir() && !is_hidden {
            add_folder(&entry.path(), paths)?;
        } else if !is_hidden && entry.path().is_file() {
            paths.push(entry.path());
        }
    }
    Ok(())
}

fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
