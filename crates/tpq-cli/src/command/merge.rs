//! `tpq merge`: packs traces into one file, and reports how an import places them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use tpq::{ImportOptions, MetaTrace, Progress};

use crate::args::ImportFlags;
use crate::exit::Usage;
use crate::merge::{Member, headline, members, pack, report};
use crate::metatrace::Recording;
use crate::open;
use crate::output::Destination;
use crate::progress::bar;
use crate::terminal::Style;

const EXAMPLES: &str = "\
Examples:
  tpq merge -o both.tar phone.pftrace watch.pftrace
  tpq merge -o both.tar phone.pftrace watch.pftrace --manifest devices.json
  tpq merge -o ci.tar run/*.pftrace --strict           fails unless every event has a place

The output is a plain TAR archive, which tpq and Perfetto open as one trace. Its members have the
names of the files, without folders. A manifest (perfetto_manifest) states what the files do not:
the machine of each file, and how their clocks relate. The report lists the files, the rule by which
each one was placed, what is missing, and what to write into a manifest where a rule is only a
guess.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct MergeArgs {
    /// Traces to pack: files (plain, gzip or zstd) or archives of one trace; one of the files may
    /// be a manifest
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// TAR archive to write; an existing file is replaced
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,

    /// A perfetto_manifest to pack with the traces, which describes how they relate
    #[arg(long, value_name = "FILE")]
    pub manifest: Option<PathBuf>,

    /// Fail and write nothing when anything would be dropped or cannot be placed on the timeline
    #[arg(long)]
    pub strict: bool,

    #[command(flatten)]
    pub flags: ImportFlags,
}

pub async fn run(args: MergeArgs) -> anyhow::Result<()> {
    let destination = Destination::of(Some(&args.output))?;
    if matches!(destination, Destination::Stdout) {
        let message = "merge reads its output back before it publishes it, so -o must be a file";
        return Err(Usage(message.into()).into());
    }
    let members = Arc::new(members(&args.files, args.manifest.as_deref())?);
    destination.ensure_not_any_of(members.iter().map(|member| member.path.as_path()))?;
    let mut others: Vec<PathBuf> = members.iter().map(|member| member.path.clone()).collect();
    others.push(args.output.clone());
    let recording = Recording::start(args.flags.metatrace.as_deref(), &others)?;
    let outcome = merge(&args, &destination, members, recording.metatrace()).await;
    recording.finish(outcome)
}

/// Packs the files, imports the result, and reports.
async fn merge(
    args: &MergeArgs,
    destination: &Destination,
    members: Arc<Vec<Member>>,
    metatrace: Option<Arc<MetaTrace>>,
) -> anyhow::Result<()> {
    let unfinished = destination.create_file()?;
    let file = unfinished.file().try_clone()?;
    let packing = metatrace.as_ref().map(|metatrace| metatrace.span("pack"));
    pack_with_progress(Arc::clone(&members), file, args.flags.quiet).await?;
    drop(packing);
    let packed = [unfinished.path()];
    let options = ImportOptions { metatrace, ..open::options(&args.flags) };
    let trace = open::open(&packed, &args.flags, options)
        .await
        .map_err(|error| name_inputs_in_error(&error, &packed[0], args, &members))?;
    let report = report(&trace, &members, Style::of_stdout()).await?;
    let mut text = headline(&args.output, trace.summary().file_bytes, members.len());
    text.push_str(&report.text);
    let is_refused = args.strict && report.problems > 0;
    if !is_refused {
        let cannot_write = || format!("cannot write {destination}");
        unfinished.publish().with_context(cannot_write)?;
    }
    std::io::stdout().write_all(text.as_bytes())?;
    anyhow::ensure!(
        !is_refused,
        "with --strict, not everything has its place; {} is not written",
        args.output.display()
    );
    Ok(())
}

async fn pack_with_progress(
    members: Arc<Vec<Member>>,
    file: std::fs::File,
    quiet: bool,
) -> anyhow::Result<()> {
    let bar = bar(quiet);
    let total = members.iter().map(|member| member.bytes).sum();
    let shown = bar.clone();
    let packed = tokio::task::spawn_blocking(move || {
        if let Some(bar) = &shown {
            bar.stage("packing");
        }
        pack(&members, file, |done| {
            if let Some(bar) = &shown {
                bar.advance(done, total);
            }
        })
    });
    let packed = packed.await.context("packing stopped unexpectedly, which is a bug in tpq");
    if let Some(bar) = bar {
        bar.clear();
    }
    packed?
}

/// Rewrites an error about the unfinished file, or about a file in it, to name the files that the
/// user gave.
fn name_inputs_in_error(
    error: &anyhow::Error,
    unfinished: &Path,
    args: &MergeArgs,
    members: &[Member],
) -> anyhow::Error {
    let unfinished = unfinished.display().to_string();
    let mut text = format!("{error:#}");
    // If one name is a prefix of another, the longer one comes first.
    let mut members: Vec<&Member> = members.iter().collect();
    members.sort_by_key(|member| std::cmp::Reverse(member.name.len()));
    for member in members {
        let packed = format!("{unfinished}/{}", member.name);
        text = text.replace(&packed, &member.path.display().to_string());
    }
    let text = text.replace(&unfinished, &args.output.display().to_string());
    anyhow::anyhow!("{text}; nothing is written")
}
