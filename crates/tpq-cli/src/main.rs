//! The command line: what was typed becomes calls of the library, and its answers become text.
//!
//! ```text
//! arguments ──args──▶ command/<name>.rs ──▶ tpq::Trace ──▶ tpq_output ──▶ stdout
//! ```
//!
//! Data goes to stdout and everything else to stderr; only this crate prints.

mod args;
mod command;
mod exit;
mod open;
mod progress;
mod results;
mod shell;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let threads = cli.threads();
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if let Some(threads) = threads {
        builder.worker_threads(threads);
    }
    let outcome = builder
        .enable_all()
        .build()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| runtime.block_on(run(cli)));
    exit::code(outcome)
}

async fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        Some(Command::Shell(args)) => command::shell::run(args).await,
        Some(Command::Query(args)) => command::query::run(args).await,
        Some(Command::Export(args)) => command::export::run(args).await,
        Some(Command::Info(args)) => command::info::run(args).await,
        Some(Command::Completions(args)) => command::completions::run(&args),
        None => command::shell::run(cli.shell).await,
    }
}
