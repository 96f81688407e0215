//! `tpq shell`: runs SQL at an interactive prompt.

use clap::Args;

use crate::args::ImportArgs;
use crate::each::ShellLakeArgs;
use crate::shell::OpenSettings;
use crate::{lake, open, shell};

const EXAMPLES: &str = "\
Examples:
  tpq trace.pftrace
  tpq shell trace.pftrace --threads 4
  tpq trace.pftrace < script.sql
  tpq shell --lake lake/";

const STARTUP: &str = "\
~/.tpqrc contains commands and statements that run when the shell starts. Settings are in
~/.config/tpq/config.toml (or tpq/config.toml in XDG_CONFIG_HOME): memory_limit, threads, cache_dir,
cache_size, pager, timer, mode, limit.";

#[derive(Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{STARTUP}"))]
pub struct ShellArgs {
    #[command(flatten)]
    pub import: ImportArgs,

    #[command(flatten)]
    pub lake: ShellLakeArgs,
}

pub async fn run(import: ImportArgs, lake: ShellLakeArgs) -> anyhow::Result<()> {
    if let Some(address) = &lake.lake {
        return lake::shell(&import, address, lake.filter.as_deref()).await;
    }
    let (flags, config) = (import.flags.clone(), import.config.clone());
    open::with_shell(&import, async |trace, options| {
        shell::run(trace, OpenSettings { flags, options, config }).await
    })
    .await
}
