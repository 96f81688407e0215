//! `tpq shell`: questions at a prompt.

use clap::Args;

use crate::args::ImportArgs;
use crate::shell::Opening;
use crate::{open, shell};

const EXAMPLES: &str = "\
Examples:
  tpq trace.pftrace
  tpq shell trace.pftrace --threads 4
  tpq trace.pftrace < script.sql";

const STARTUP: &str = "\
~/.tpqrc has commands and statements to run first, and ~/.config/tpq/config.toml (or the same in
XDG_CONFIG_HOME) settings: memory_limit, threads, cache_dir, cache_size, pager, timer, mode, limit.";

#[derive(Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{STARTUP}"))]
pub struct ShellArgs {
    #[command(flatten)]
    pub import: ImportArgs,
}

pub async fn run(import: ImportArgs) -> anyhow::Result<()> {
    let (how, config) = (import.how.clone(), import.config.clone());
    open::with_shell(&import, async |trace, options| {
        shell::run(trace, Opening { how, options, config }).await
    })
    .await
}
