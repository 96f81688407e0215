//! `tpq clocks`: which clocks there are, and how each comes to trace time.

use std::io::Write;

use clap::Args;

use crate::args::ImportArgs;
use crate::terminal::Style;
use crate::{clocks, open};

const EXAMPLES: &str = "\
Examples:
  tpq clocks trace.pftrace
  tpq clocks phone.pftrace watch.pftrace               what relates the two
  tpq clocks merged.tar --dot | dot -Tsvg > clocks.svg

For each clock: its way to trace time (→ by snapshots that read both clocks, = as a manifest says,
≈ by an assumption), what places it there, how often it was read on that way, how much faster it
runs than trace time, by how much that may be wrong, and how far the worst reading is off. The same
numbers for any two clocks are in the tables clock_snapshot, clock_drift and clock_jump.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ClocksArgs {
    #[command(flatten)]
    pub import: ImportArgs,

    /// Print the graph of clocks in the language of Graphviz
    #[arg(long)]
    pub dot: bool,
}

pub async fn run(args: ClocksArgs) -> anyhow::Result<()> {
    open::with_import(&args.import, async |trace| {
        let text = match args.dot {
            true => clocks::graph(&trace).await?,
            false => clocks::describe(&trace, Style::of_stdout()).await?,
        };
        std::io::stdout().write_all(text.as_bytes())?;
        Ok(())
    })
    .await
}
