//! `tpq report`: writes the health and charts of a trace as one HTML file.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use serde_json::Value;

use crate::args::ImportArgs;
use crate::output::Destination;
use crate::report::{html, of_trace};
use crate::{metatrace, open};

const EXAMPLES: &str = "\
Examples:
  tpq report trace.pftrace -o report.html
  tpq report after.pftrace --against before.pftrace -o report.html

The report shows lost data, threads by CPU time, waits for a CPU, the longest slices, a flame graph,
and counters over time. It is one file without scripts or styles from elsewhere.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ReportArgs {
    #[command(flatten)]
    pub import: ImportArgs,

    /// Write to this file instead of stdout (-). The file is created or replaced once it is complete
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Compare with this trace, which is shown on the left
    #[arg(long, value_name = "TRACE")]
    pub against: Option<PathBuf>,
}

impl ReportArgs {
    /// The files that are read in addition to the output.
    fn files(&self) -> impl Iterator<Item = &Path> {
        self.import.files().chain(self.against.as_deref())
    }

    /// How to open the trace to compare with.
    fn baseline(&self) -> Option<ImportArgs> {
        let baseline = self.against.clone()?;
        let mut import = ImportArgs { traces: vec![baseline], ..self.import.clone() };
        // A metatrace records one import.
        import.flags.metatrace = None;
        Some(import)
    }
}

pub async fn run(args: ReportArgs) -> anyhow::Result<()> {
    let destination = Destination::of(args.output.as_deref())?;
    destination.ensure_not_any_of(args.files())?;
    metatrace::ensure_not_any_of(args.import.flags.metatrace.as_deref(), args.against.as_deref())?;
    let (mut sink, unfinished) = destination.open()?;
    // The baseline is on the left.
    let mut traces = Vec::new();
    if let Some(baseline) = args.baseline() {
        traces.push(data(&baseline).await?);
    }
    traces.push(data(&args.import).await?);
    let cannot_write = || format!("cannot write {destination}");
    sink.write_all(html(&traces)?.as_bytes()).with_context(cannot_write)?;
    sink.flush().with_context(cannot_write)?;
    match unfinished {
        Some(file) => file.publish().with_context(cannot_write),
        None => Ok(()),
    }
}

/// The data of a trace, under the names of its files.
async fn data(import: &ImportArgs) -> anyhow::Result<Value> {
    let name = |path: &PathBuf| {
        let name = path.file_name().unwrap_or(path.as_os_str());
        name.to_string_lossy().into_owned()
    };
    let name = import.traces.iter().map(name).collect::<Vec<_>>().join(", ");
    open::with_trace(import, async |trace| of_trace(&trace, &name).await).await
}
