//! Commands that begin with a dot.

use std::path::PathBuf;
use std::sync::Arc;

use tpq_output::Format;

use super::Shell;
use super::file::ResultFile;
use super::listing;
use super::pager::Pager;
use super::paths;
use super::run_apart::until_interrupted;
use crate::command::info;
use crate::row_limit::RowLimit;
use crate::terminal::Style;

/// A command, as `.help` shows it.
pub struct DotCommand {
    pub name: &'static str,
    arguments: &'static str,
    about: &'static str,
}

const fn command(name: &'static str, arguments: &'static str, about: &'static str) -> DotCommand {
    DotCommand { name, arguments, about }
}

/// Every command, in alphabetical order.
pub const COMMANDS: &[DotCommand] = &[
    command(".explain", "[STATEMENT]", "Show the plan of a statement, or of the last one"),
    command(".functions", "[PATTERN]", "List functions"),
    command(".help", "", "Show this (also help, \\?)"),
    command(".info", "", "Show what is in the trace"),
    command(".limit", "N|screen|off", "Show the first N rows, a screenful, or all"),
    command(
        ".mode",
        "FORMAT",
        "Print results on the screen as table, csv, tsv, json, ndjson, markdown…",
    ),
    command(".modules", "[NAME]", "List the modules to include, or what one of them creates"),
    command(".open", "TRACE…", "Open other traces in place of these"),
    command(
        ".output",
        "[FILE [FORMAT]]",
        "Write results to a file, which is there after the next .output; or to the screen again",
    ),
    command(".pager", "on|off|COMMAND", "Show what does not fit the screen in a pager"),
    command(".quit", "", "Leave (also exit, quit, \\q, Ctrl-D)"),
    command(".read", "FILE", "Run the statements and commands of a file"),
    command(".schema", "TABLE", "Show the columns of a table and what they mean (also \\d TABLE)"),
    command(".tables", "[PATTERN]", "List tables and views; * stands for anything (also \\d)"),
    command(".timer", "on|off", "Show how long statements take, and the most memory"),
];

/// Whether to go on.
#[derive(PartialEq, Eq)]
pub enum Next {
    /// With what follows.
    Prompt,
    /// With what is typed next: Ctrl-C stopped this, and what follows it in a file or on a line.
    Stopped,
    /// Not at all.
    Leave,
}

/// Runs a line that begins with a dot.
pub async fn run(shell: &mut Shell, line: &str) -> anyhow::Result<Next> {
    let line = line.trim().trim_end_matches(';').trim_end();
    let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let argument = argument.trim();
    match name {
        ".quit" | ".exit" => Ok(Next::Leave),
        ".help" | ".tables" | ".functions" | ".modules" | ".schema" => {
            let text = list(shell, name, argument)?;
            shell.print(&text)?;
            Ok(Next::Prompt)
        }
        ".info" => info(shell).await,
        ".explain" => explain(shell, argument).await,
        ".read" => {
            anyhow::ensure!(!argument.is_empty(), "which file? .read FILE");
            shell.read(&paths::one(argument)).await
        }
        ".open" => shell.open(&paths::split(argument)?).await,
        ".mode" | ".output" | ".limit" | ".pager" | ".timer" => {
            set(shell, name, argument)?;
            Ok(Next::Prompt)
        }
        _ => anyhow::bail!("no command is called {name}; .help lists them"),
    }
}

/// What a command lists.
fn list(shell: &Shell, name: &str, argument: &str) -> anyhow::Result<String> {
    let session = shell.trace.session();
    match name {
        ".tables" => Ok(listing::names(session.table_names(), argument)),
        ".functions" => Ok(listing::names(session.function_names(), argument)),
        ".modules" => listing::modules(session, argument, Style::of_stdout()),
        ".schema" => listing::schema(session, argument, Style::of_stdout()),
        _ => Ok(help()),
    }
}

async fn info(shell: &mut Shell) -> anyhow::Result<Next> {
    let trace = Arc::clone(&shell.trace);
    let work = async move || {
        let imported = trace.import_again().await?;
        info::describe(imported.as_ref().unwrap_or(&trace), Style::of_stdout()).await
    };
    show(shell, work).await
}

async fn explain(shell: &mut Shell, argument: &str) -> anyhow::Result<Next> {
    let sql = if argument.is_empty() { shell.last.clone() } else { argument.to_owned() };
    anyhow::ensure!(!sql.is_empty(), "there is no statement to explain");
    let trace = Arc::clone(&shell.trace);
    show(shell, async move || listing::plan(&trace, &sql).await).await
}

/// Prints what some work gives, unless Ctrl-C stops it.
async fn show<W>(
    shell: &mut Shell,
    work: impl FnOnce() -> W + Send + 'static,
) -> anyhow::Result<Next>
where
    W: Future<Output = anyhow::Result<String>>,
{
    let text = until_interrupted(shell.interrupts.clone(), work).await?;
    let Some(text) = text else { return Ok(Next::Stopped) };
    shell.print(&text)?;
    Ok(Next::Prompt)
}

/// Changes how statements are run, or their results shown.
fn set(shell: &mut Shell, name: &str, argument: &str) -> anyhow::Result<()> {
    match name {
        ".mode" => {
            let format: Format = argument.parse().map_err(anyhow::Error::msg)?;
            anyhow::ensure!(!format.is_binary(), "{format} is not text; name a file with .output");
            shell.format = format;
        }
        ".output" => {
            let others = shell.trace.paths().iter().chain(&shell.opening.how.metatrace);
            let next = ResultFile::open(argument, others.map(PathBuf::as_path))?;
            let last = std::mem::replace(&mut shell.output, next);
            last.map_or(Ok(()), ResultFile::finish)?;
        }
        ".limit" => {
            anyhow::ensure!(!argument.is_empty(), "say .limit N, .limit screen or .limit off");
            shell.limit = argument.parse::<RowLimit>().map_err(anyhow::Error::msg)?;
        }
        ".pager" => {
            anyhow::ensure!(!argument.is_empty(), "say .pager on, .pager off or .pager COMMAND");
            shell.pager = Pager::of(argument);
        }
        _ => {
            shell.timer = match argument {
                "on" => true,
                "off" => false,
                _ => anyhow::bail!("say .timer on or .timer off"),
            };
        }
    }
    Ok(())
}

fn help() -> String {
    let line = |command: &DotCommand| {
        let usage = format!("{} {}", command.name, command.arguments);
        format!("{usage:<24}{}\n", command.about)
    };
    let commands: String = COMMANDS.iter().map(line).collect();
    format!("Statements end with a semicolon and may take several lines.\n\n{commands}")
}
