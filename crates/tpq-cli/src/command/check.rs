//! `tpq check`: reports lost data and how to avoid it.

use std::io::Write;

use clap::{Args, ValueEnum};
use tpq_health::{Health, LossReport, SourceNames};

use crate::args::ImportArgs;
use crate::check::{json, text};
use crate::exit::AlreadyReported;
use crate::open;
use crate::terminal::Style;

const EXAMPLES: &str = "\
Examples:
  tpq check trace.pftrace
  tpq check trace.pftrace --format json | jq '.losses[].remedy'
  tpq check phone.pftrace watch.pftrace                each file's losses

Each loss shows what was lost, when in the trace, and after the arrow (→) what to change for the
next recording, with the numbers that this recording would have needed. The same rows are in the
table data_loss; the table trace_buffer has the state of the recorder's buffers. After the losses
comes what the configuration could do better, and what it asked for and did not get: the rows of
trace_diagnostics, and those of trace_request where is_recorded is 0.

Exit status: 0 when nothing was lost, 1 when data was lost or the trace cannot be read.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct CheckArgs {
    #[command(flatten)]
    pub import: ImportArgs,

    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = CheckFormat::Text)]
    pub format: CheckFormat,
}

/// The output format of the report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum CheckFormat {
    /// Human-readable text
    Text,
    /// One JSON object, for programs
    Json,
}

pub async fn run(args: CheckArgs) -> anyhow::Result<()> {
    // `--strict` is off: losses that would fail other commands are the result here.
    let import = ImportArgs { strict: false, ..args.import };
    open::with_losses(&import, async |trace| {
        let names = SourceNames::of(trace.session()).await?;
        let report = LossReport::of(trace.session(), &names).await?;
        let text = match args.format {
            CheckFormat::Text => text(&Health::new(&report, &names), Style::of_stdout()),
            CheckFormat::Json => format!("{:#}\n", json(&report)),
        };
        std::io::stdout().write_all(text.as_bytes())?;
        if report.is_lost() { Err(AlreadyReported.into()) } else { Ok(()) }
    })
    .await
}
