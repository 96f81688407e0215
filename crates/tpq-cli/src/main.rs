//! The command line: arguments become calls of the library, and results become text.
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
mod compatibility;
mod config;
mod each;
mod exit;
mod export;
mod files;
mod health_line;
mod lake;
mod layout;
mod merge;
mod metatrace;
mod names;
mod open;
mod open_files;
mod output;
mod parameter;
mod peak_memory;
mod progress;
mod query_progress;
mod remote;
mod report;
mod results;
mod row_limit;
mod runtime;
mod serve;
mod shell;
mod signals;
mod terminal;

use std::process::ExitCode;

use clap::FromArgMatches;
use futures::FutureExt;

use crate::args::{Cli, Command};

fn main() -> ExitCode {
    allocator::share_heap_of_c();
    let arguments = compatibility::arguments(std::env::args_os());
    let mut matches = args::command().get_matches_from(arguments);
    let mut cli = match Cli::from_arg_matches_mut(&mut matches) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    open_files::raise_limit();
    if let Err(error) = cli.configure() {
        return exit::code(Err(error));
    }
    let runtime = signals::start().and_then(|()| runtime::build(cli.threads()));
    let outcome = runtime.map_err(anyhow::Error::from).and_then(|runtime| {
        // Behind a pointer: the runtime has three loops for a future, each with a copy of it.
        let outcome = runtime.block_on(run(cli).boxed_local());
        let outcome = outcome.and_then(|()| exit::succeed().map_err(anyhow::Error::from));
        // Do not wait for an import with a result that is no longer needed.
        runtime.shutdown_background();
        outcome
    });
    exit::code(outcome)
}

async fn run(cli: Cli) -> anyhow::Result<()> {
    output::report_file_size_limit();
    match cli.command {
        Some(Command::Shell(args)) => command::shell::run(args.import, args.lake).await,
        Some(Command::Query(args)) => command::query::run(args).await,
        Some(Command::Export(args)) => command::export::run(args).await,
        Some(Command::Serve(args)) => command::serve::run(*args).await,
        Some(Command::Summarize(args)) => command::summarize::run(args).await,
        Some(Command::Report(args)) => command::report::run(args).await,
        Some(Command::Info(args)) => command::info::run(args).await,
        Some(Command::Check(args)) => command::check::run(args).await,
        Some(Command::Clocks(args)) => command::clocks::run(args).await,
        Some(Command::Merge(args)) => command::merge::run(args).await,
        Some(Command::Cluster(args)) => command::cluster::run(args).await,
        Some(Command::Ingest(args)) => command::ingest::run(args).await,
        Some(Command::Lake(args)) => command::lake::run(args).await,
        Some(Command::Completions(args)) => command::completions::run(&args),
        Some(Command::Man(args)) => command::man::run(&args),
        None if cli.query.has_query_options() => command::query::run(cli.query).await,
        None => command::shell::run(cli.query.import, cli.query.each.of_lake()).await,
    }
}
