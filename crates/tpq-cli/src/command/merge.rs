//! `tpq merge`: packs traces into one file, and says how an import of it places them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use tpq::{ImportOptions, MetaTrace, Progress};

use crate::args::HowArgs;
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
  tpq merge -o ci.tar run/*.pftrace --strict           an error unless every event has a place

The file that comes out is a plain TAR archive, which tpq and Perfetto open as one trace. Its
members are called as the files are, without folders. A manifest (perfetto_manifest) says what the
files do not: which machine each is of, and how their clocks relate. What is printed are the files,
by which rule each was placed, what is missing, and what to write into a manifest where a rule is
only a guess.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct MergeArgs {
    /// The traces: files, plain or in gzip or zstd, or archives of one trace; a manifest may be
    /// among them
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// The TAR archive to write; one that exists is replaced
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,

    /// A perfetto_manifest to pack with the traces, which says how they relate
    #[arg(long, value_name = "FILE")]
    pub manifest: Option<PathBuf>,

    /// Fail, and write nothing, when anything would be dropped or has no place on the timeline
    #[arg(long)]
    pub strict: bool,

    #[command(flatten)]
    pub how: HowArgs,
}

pub async fn run(args: MergeArgs) -> anyhow::Result<()> {
    let destination = Destination::of(Some(&args.output))?;
    if matches!(destination, Destination::Stdout) {
        let message = "a merge is read back before it is kept, so -o needs a file";
        return Err(Usage(message.into()).into());
    }
    let members = Arc::new(members(&args.files, args.manifest.as_deref())?);
    destination.refuse(members.iter().map(|member| member.path.as_path()))?;
    let mut others: Vec<PathBuf> = members.iter().map(|member| member.path.clone()).collect();
    others.push(args.output.clone());
    let recording = Recording::start(args.how.metatrace.as_deref(), &others)?;
    let outcome = merge(&args, &destination, members, recording.metatrace()).await;
    recording.finish(outcome)
}

/// Packs the files, imports what was packed, and reports.
async fn merge(
    args: &MergeArgs,
    destination: &Destination,
    members: Arc<Vec<Member>>,
    metatrace: Option<Arc<MetaTrace>>,
) -> anyhow::Result<()> {
    let unfinished = destination.create_file()?;
    let file = unfinished.file().try_clone()?;
    let packing = metatrace.as_ref().map(|metatrace| metatrace.span("pack"));
    pack_visibly(Arc::clone(&members), file, args.how.quiet).await?;
    drop(packing);
    let packed = [unfinished.path()];
    let options = ImportOptions { metatrace, ..open::options(&args.how) };
    let trace = open::open(&packed, &args.how, options)
        .await
        .map_err(|error| rename(&error, &packed[0], args, &members))?;
    let report = report(&trace, &members, Style::of_stdout()).await?;
    let mut text = headline(&args.output, trace.summary().file_bytes, members.len());
    text.push_str(&report.text);
    let is_refused = args.strict && report.complaints > 0;
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

async fn pack_visibly(
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

/// An error about the unfinished file, or what is in it, as one about the files that were named.
fn rename(
    error: &anyhow::Error,
    unfinished: &Path,
    args: &MergeArgs,
    members: &[Member],
) -> anyhow::Error {
    let unfinished = unfinished.display().to_string();
    let mut text = format!("{error:#}");
    // Of names that begin alike, the longer ones first.
    let mut members: Vec<&Member> = members.iter().collect();
    members.sort_by_key(|member| std::cmp::Reverse(member.name.len()));
    for member in members {
        let packed = format!("{unfinished}/{}", member.name);
        text = text.replace(&packed, &member.path.display().to_string());
    }
    let text = text.replace(&unfinished, &args.output.display().to_string());
    anyhow::anyhow!("{text}; nothing is written")
}
