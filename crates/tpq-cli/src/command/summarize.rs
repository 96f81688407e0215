//! `tpq summarize`: computes metrics that a specification describes.

use std::io::{IsTerminal, Write, stdout};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use tpq::{SummaryFormat, SummaryOptions, SummarySpecs};

use crate::args::ImportArgs;
use crate::exit::Usage;
use crate::output::Destination;
use crate::{metatrace, open};

const EXAMPLES: &str = "\
Examples:
  tpq summarize trace.pftrace --spec metrics.textproto
  tpq summarize trace.pftrace --spec metrics.textproto --metrics-v2 startup,memory_rss
  tpq summarize trace.pftrace --spec a.textproto --spec b.pb --format json -o summary.json

A specification is a TraceSummarySpec of Perfetto, as text or in bytes; docs/summaries.md explains
it. The output is a TraceSummary.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct SummarizeArgs {
    #[command(flatten)]
    pub import: ImportArgs,

    /// File with metrics and queries, as text or bytes; can be repeated
    #[arg(long, value_name = "FILE", required = true)]
    pub spec: Vec<PathBuf>,

    /// Compute only the metrics with these ids, separated by commas, or all
    #[arg(long, value_name = "IDS", value_delimiter = ',', default_value = "all")]
    pub metrics_v2: Vec<String>,

    /// Id of a query of a specification with the columns key and value; its rows become the
    /// metadata of the summary
    #[arg(long, value_name = "ID")]
    pub metadata_query: Option<String>,

    /// Output format: text, proto (bytes) or json [default: json for -o with the extension .json,
    /// proto for .pb and .binpb, otherwise text]
    #[arg(long, value_name = "FORMAT", value_enum, hide_possible_values = true)]
    pub format: Option<SummaryFormatArg>,

    /// Write to this file instead of stdout (-). The file is created or replaced once it is complete
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// The output format of a summary.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SummaryFormatArg {
    /// The text format of protobuf
    Text,
    /// Bytes of a `TraceSummary`
    Proto,
    /// One JSON object
    Json,
}

impl From<SummaryFormatArg> for SummaryFormat {
    fn from(format: SummaryFormatArg) -> Self {
        match format {
            SummaryFormatArg::Text => Self::Text,
            SummaryFormatArg::Proto => Self::Proto,
            SummaryFormatArg::Json => Self::Json,
        }
    }
}

impl SummarizeArgs {
    /// The files that are read in addition to the traces.
    fn files(&self) -> impl Iterator<Item = &Path> {
        self.import.files().chain(self.spec.iter().map(PathBuf::as_path))
    }

    fn options(&self) -> SummaryOptions {
        let is_all = self.metrics_v2.iter().any(|id| id == "all");
        SummaryOptions {
            metrics: (!is_all).then(|| self.metrics_v2.clone()),
            metadata_query: self.metadata_query.clone(),
            memory_limit: self.import.flags.memory_limit,
            ..SummaryOptions::default()
        }
    }

    /// The format to write to a destination.
    fn format(&self, destination: &Destination) -> anyhow::Result<SummaryFormat> {
        let extension = self.output.as_deref().and_then(Path::extension);
        let format = match (self.format, extension.and_then(|extension| extension.to_str())) {
            (Some(format), _) => format,
            (None, Some("json")) => SummaryFormatArg::Json,
            (None, Some("pb" | "binpb")) => SummaryFormatArg::Proto,
            (None, _) => SummaryFormatArg::Text,
        };
        let is_terminal = matches!(destination, Destination::Stdout) && stdout().is_terminal();
        if format == SummaryFormatArg::Proto && is_terminal {
            let message = "proto is not text; name a file with -o, or pipe it".to_owned();
            return Err(Usage(message).into());
        }
        Ok(format.into())
    }
}

pub async fn run(args: SummarizeArgs) -> anyhow::Result<()> {
    let destination = Destination::of(args.output.as_deref())?;
    destination.ensure_not_any_of(args.files())?;
    let specs = args.spec.iter().map(PathBuf::as_path);
    metatrace::ensure_not_any_of(args.import.flags.metatrace.as_deref(), specs)?;
    let format = args.format(&destination)?;
    let options = args.options();
    // Before the import: a mistake in a specification should not cost its time.
    let specs = read(&args.spec)?;
    specs.check(&options)?;
    let (mut sink, unfinished) = destination.open()?;
    open::with_trace(&args.import, async |trace| {
        let summary = tpq::summarize(trace.session(), &specs, &options).await?;
        let cannot_write = || format!("cannot write {destination}");
        sink.write_all(&format.write(&summary)).with_context(cannot_write)?;
        sink.flush().with_context(cannot_write)?;
        match unfinished {
            Some(file) => file.publish().with_context(cannot_write),
            None => Ok(()),
        }
    })
    .await
}

/// Reads the specifications.
fn read(paths: &[PathBuf]) -> anyhow::Result<SummarySpecs> {
    let mut specs = SummarySpecs::default();
    for path in paths {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
        specs.add(&name, &bytes)?;
    }
    Ok(specs)
}
