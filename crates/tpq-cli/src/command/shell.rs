//! `tpq shell`: questions at a prompt.

use clap::Args;

use crate::args::ImportArgs;
use crate::{open, shell};

const EXAMPLES: &str = "\
Examples:
  tpq trace.pftrace
  tpq shell trace.pftrace --threads 4";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ShellArgs {
    #[command(flatten)]
    pub import: ImportArgs,
}

pub async fn run(args: ShellArgs) -> anyhow::Result<()> {
    open::with_trace(&args.import, shell::run).await
}
