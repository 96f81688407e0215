//! `tpq clocks`: the clocks and how each one converts to trace time.

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

For each clock: its path to trace time (→ measured by snapshots that read both clocks, = stated by a
manifest, ≈ assumed), the basis of its placement, the number of snapshots on that path, how much
faster it runs than trace time, the uncertainty of that, and the error of the worst reading. The
same numbers for any two clocks are in the tables clock_snapshot, clock_drift and clock_jump.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ClocksArgs {
    #[command(flatten)]
    pub import: ImportArgs,

    /// Print the clock graph in the DOT language of Graphviz
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
