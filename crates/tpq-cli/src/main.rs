//! The command line: what was typed becomes calls of the library, and its answers become text.
//!
//! ```text
//! arguments ──args──▶ command/<name>.rs ──▶ tpq::Trace ──▶ tpq_output ──▶ stdout
//! ```
//!
//! Data goes to stdout and everything else to stderr; only this crate prints.

mod allocator;
mod args;
mod check;
mod clocks;
mod command;
mod exit;
mod files;
mod layout;
mod merge;
mod metatrace;
mod names;
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
    let outcome = builder.enable_all().build().map_err(anyhow::Error::from).and_then(|runtime| {
        let outcome = runtime.block_on(run(cli));
        // An import that nobody waits for any more is not worth waiting for.
        runtime.shutdown_background();
        outcome
    });
    exit::code(outcome)
}

async fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        Some(Command::Shell(args)) => command::shell::run(args).await,
        Some(Command::Query(args)) => command::query::run(args).await,
        Some(Command::Export(args)) => command::export::run(args).await,
        Some(Command::Info(args)) => command::info::run(args).await,
        Some(Command::Check(args)) => command::check::run(args).await,
        Some(Command::Clocks(args)) => command::clocks::run(args).await,
        Some(Command::Merge(args)) => command::merge::run(args).await,
        Some(Command::Completions(args)) => command::completions::run(&args),
        None => command::shell::run(cli.shell).await,
    }
}
