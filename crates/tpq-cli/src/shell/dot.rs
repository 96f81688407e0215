//! Dot commands.

use std::path::PathBuf;
use std::sync::Arc;

use tpq::Session;

use super::Shell;
use super::detached_query::until_interrupted;
use super::file::ResultFile;
use super::listing;
use super::param;
use super::paths;
use crate::command::info;
use crate::terminal::Style;

/// A command as `.help` shows it.
pub struct DotCommand {
    pub name: &'static str,
    arguments: &'static str,
    about: &'static str,
}

pub const fn command(
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
) -> DotCommand {
    DotCommand { name, arguments, about }
}

// The commands that the shell on a trace and the shell on a lake share.
pub const FUNCTIONS: DotCommand =
    command(".functions", "[PATTERN]", "List functions, with their kinds and arguments");
pub const HELP: DotCommand = command(".help", "", "Show this help (also help, \\?)");
pub const LIMIT: DotCommand =
    command(".limit", "N|screen|off", "Show the first N rows, as many as fit the screen, or all");
pub const MODULES: DotCommand =
    command(".modules", "[NAME]", "List SQL modules, or what one of them creates");
pub const PAGER: DotCommand =
    command(".pager", "on|off|COMMAND", "Use a pager for results that do not fit the screen");
pub const PARAM: DotCommand = command(
    ".param",
    "[set NAME VALUE]",
    "Let $NAME stand for a value in statements; also unset NAME, list, clear",
);
pub const QUIT: DotCommand = command(".quit", "", "Leave the shell (also exit, quit, \\q, Ctrl-D)");
pub const TIMER: DotCommand =
    command(".timer", "on|off", "Show the time and the peak memory of each statement");

/// Every command of the shell on a trace, in alphabetical order.
pub const COMMANDS: &[DotCommand] = &[
    command(".explain", "[STATEMENT]", "Show the plan of a statement, or of the last one"),
    FUNCTIONS,
    HELP,
    command(".info", "", "Show what is in the trace"),
    LIMIT,
    command(
        ".mode",
        "FORMAT",
        "Set the format on the screen: table, csv, tsv, json, ndjson, markdown…",
    ),
    MODULES,
    command(".open", "TRACE…", "Open other traces instead of the current ones"),
    command(
        ".output",
        "[FILE [FORMAT]]",
        "Write results to FILE, which is complete after the next .output; without FILE, to the screen",
    ),
    PAGER,
    PARAM,
    QUIT,
    command(".read", "FILE", "Run the statements and commands in a file"),
    command(".schema", "TABLE", "Show the columns of a table and their meaning (also \\d TABLE)"),
    command(".tables", "[PATTERN]", "List tables and views; * matches any text (also \\d)"),
    TIMER,
];

/// How the shell continues after an input.
#[derive(PartialEq, Eq)]
pub enum Flow {
    /// With the next input.
    Continue,
    /// With the next input from the user: Ctrl-C stopped this one, and the rest of its file or line
    /// is skipped.
    Interrupted,
    /// The shell ends.
    Quit,
}

/// Runs a line that begins with a dot.
pub async fn run(shell: &mut Shell, line: &str) -> anyhow::Result<Flow> {
    let line = line.trim().trim_end_matches(';').trim_end();
    let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let argument = argument.trim();
    match name {
        ".quit" | ".exit" => Ok(Flow::Quit),
        ".help" | ".tables" | ".functions" | ".modules" | ".schema" | ".param" | ".parameter" => {
            let text = match name {
                ".help" => help(COMMANDS),
                _ => list(shell.trace.session(), name, argument)?,
            };
            shell.print(&text)?;
            Ok(Flow::Continue)
        }
        ".info" => info(shell).await,
        ".explain" => explain(shell, argument).await,
        ".read" => {
            anyhow::ensure!(!argument.is_empty(), "which file? .read FILE");
            shell.read(&paths::parse_one(argument)).await
        }
        ".open" => shell.open(&paths::parse_all(argument)?).await,
        ".mode" | ".output" | ".limit" | ".pager" | ".timer" => {
            set(shell, name, argument)?;
            Ok(Flow::Continue)
        }
        _ => anyhow::bail!("no command is called {name}; .help lists them"),
    }
}

/// The text of a command that lists something, or only changes parameters: `.tables`,
/// `.functions`, `.modules`, `.schema` or `.param`.
///
/// # Errors
/// When the argument is wrong.
pub fn list(session: &Session, name: &str, argument: &str) -> anyhow::Result<String> {
    match name {
        ".tables" => Ok(listing::names(session.table_names(), argument)),
        ".functions" => Ok(listing::functions(session, argument, Style::of_stdout())),
        ".modules" => listing::modules(session, argument, Style::of_stdout()),
        ".schema" => listing::schema(session, argument, Style::of_stdout()),
        _ => param::run(session, argument),
    }
}

async fn info(shell: &mut Shell) -> anyhow::Result<Flow> {
    let trace = Arc::clone(&shell.trace);
    let work = async move || {
        let imported = trace.import_again().await?;
        info::describe(imported.as_ref().unwrap_or(&trace), Style::of_stdout()).await
    };
    show(shell, work).await
}

async fn explain(shell: &mut Shell, argument: &str) -> anyhow::Result<Flow> {
    let sql = if argument.is_empty() { shell.last.clone() } else { argument.to_owned() };
    anyhow::ensure!(!sql.is_empty(), "there is no statement to explain");
    let trace = Arc::clone(&shell.trace);
    show(shell, async move || listing::plan(&trace, &sql).await).await
}

/// Prints the text that `work` returns, unless Ctrl-C stops it.
async fn show<W>(
    shell: &mut Shell,
    work: impl FnOnce() -> W + Send + 'static,
) -> anyhow::Result<Flow>
where
    W: Future<Output = anyhow::Result<String>>,
{
    let text = until_interrupted(shell.interrupts.clone(), work).await?;
    let Some(text) = text else { return Ok(Flow::Interrupted) };
    shell.print(&text)?;
    Ok(Flow::Continue)
}

/// Changes where or how results are shown.
fn set(shell: &mut Shell, name: &str, argument: &str) -> anyhow::Result<()> {
    match name {
        ".output" => {
            let others = shell.trace.paths().iter().chain(&shell.settings.flags.metatrace);
            let next = ResultFile::open(argument, others.map(PathBuf::as_path))?;
            let last = std::mem::replace(&mut shell.output, next);
            last.map_or(Ok(()), ResultFile::finish)?;
        }
        _ => shell.screen.set(name, argument)?,
    }
    Ok(())
}

/// The text of `.help`.
pub fn help(commands: &[DotCommand]) -> String {
    let line = |command: &DotCommand| {
        let usage = format!("{} {}", command.name, command.arguments);
        format!("{usage:<24}{}\n", command.about)
    };
    let commands: String = commands.iter().map(line).collect();
    format!("Statements end with a semicolon and may take several lines.\n\n{commands}")
}
