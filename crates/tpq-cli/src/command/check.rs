//! `tpq check`: what a recording lost, and what to change.

use std::io::Write;

use clap::{Args, ValueEnum};

use crate::args::ImportArgs;
use crate::check::{Verdict, json, text};
use crate::exit::Told;
use crate::names::Names;
use crate::open;
use crate::terminal::Style;

const EXAMPLES: &str = "\
Examples:
  tpq check trace.pftrace
  tpq check trace.pftrace --format json | jq '.losses[].remedy'
  tpq check phone.pftrace watch.pftrace                each file's losses

Each loss: what was lost, when in the trace, and after → what to change for the next recording, with
the numbers that this one would have needed. The same rows are in the table data_loss; the table
trace_buffer has the state of the recorder's buffers.

Exit status: 0 when nothing was lost, 1 when data was lost or the trace cannot be read.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct CheckArgs {
    #[command(flatten)]
    pub import: ImportArgs,

    /// How to tell it
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = CheckFormat::Text)]
    pub format: CheckFormat,
}

/// How to tell the verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum CheckFormat {
    /// For people
    Text,
    /// One JSON object, for programs
    Json,
}

pub async fn run(args: CheckArgs) -> anyhow::Result<()> {
    // What would be an error elsewhere is what is told here.
    let import = ImportArgs { strict: false, ..args.import };
    open::with_import(&import, async |trace| {
        let verdict = Verdict::of(&trace).await?;
        let told = match args.format {
            CheckFormat::Text => text(&verdict, &Names::of(&trace).await?, Style::of_stdout()),
            CheckFormat::Json => format!("{:#}\n", json(&verdict)),
        };
        std::io::stdout().write_all(told.as_bytes())?;
        if verdict.is_lost() { Err(Told.into()) } else { Ok(()) }
    })
    .await
}
