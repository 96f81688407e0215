//! Commands that begin with a dot.

use std::path::Path;

use tpq_output::Format;

use super::Shell;
use super::listing;
use super::sink::Shared;
use crate::command::info;
use crate::results;
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
    command(".help", "", "Show this"),
    command(".info", "", "Show what is in the trace"),
    command(".mode", "FORMAT", "Print results as table, csv, tsv, json, ndjson, markdown…"),
    command(".modules", "[NAME]", "List the modules to include, or what one of them creates"),
    command(".output", "[FILE]", "Write results to a file, or to the screen again"),
    command(".quit", "", "Leave (also Ctrl-D)"),
    command(".read", "FILE", "Run the statements of a file"),
    command(".schema", "TABLE", "Show the columns of a table and what they mean"),
    command(".tables", "[PATTERN]", "List tables and views; * stands for anything"),
    command(".timer", "on|off", "Show how long statements take"),
];

/// Whether to go on.
#[derive(PartialEq, Eq)]
pub enum Next {
    Prompt,
    Leave,
}

/// Runs a line that begins with a dot.
pub async fn run(shell: &mut Shell, line: &str) -> anyhow::Result<Next> {
    let line = line.trim().trim_end_matches(';');
    let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let argument = argument.trim();
    let session = shell.trace.session();
    match name {
        ".quit" | ".exit" => return Ok(Next::Leave),
        ".help" => shell.print(&help())?,
        ".tables" => shell.print(&listing::names(session.table_names(), argument))?,
        ".functions" => shell.print(&listing::names(session.function_names(), argument))?,
        ".modules" => {
            let text = listing::modules(session, argument, Style::of_stdout())?;
            shell.print(&text)?;
        }
        ".schema" => shell.print(&listing::schema(session, argument, Style::of_stdout())?)?,
        ".info" => {
            let imported = shell.trace.import_again().await?;
            let trace = imported.as_ref().unwrap_or(&shell.trace);
            let text = info::describe(trace, Style::of_stdout()).await?;
            shell.print(&text)?;
        }
        ".mode" => {
            let format: Format = argument.parse().map_err(anyhow::Error::msg)?;
            anyhow::ensure!(
                !format.is_binary(),
                "{format} is not text; use tpq query or tpq export with -o"
            );
            shell.format = format;
        }
        ".output" => {
            shell.output = match argument {
                "" => None,
                path => Some(Shared::file(results::sink(Some(Path::new(path)))?)),
            };
        }
        ".read" => {
            let sql = std::fs::read_to_string(argument)
                .map_err(|error| anyhow::anyhow!("cannot read {argument}: {error}"))?;
            shell.run_script(&sql).await?;
        }
        ".timer" => {
            shell.timer = match argument {
                "on" => true,
                "off" => false,
                _ => anyhow::bail!("say .timer on or .timer off"),
            };
        }
        ".explain" => {
            let sql = if argument.is_empty() { shell.last.clone() } else { argument.to_owned() };
            anyhow::ensure!(!sql.is_empty(), "there is no statement to explain");
            let plan = listing::plan(&shell.trace, &sql).await?;
            shell.print(&plan)?;
        }
        _ => anyhow::bail!("no command is called {name}; .help lists them"),
    }
    Ok(Next::Prompt)
}

fn help() -> String {
    let line = |command: &DotCommand| {
        let usage = format!("{} {}", command.name, command.arguments);
        format!("{usage:<24}{}\n", command.about)
    };
    let commands: String = COMMANDS.iter().map(line).collect();
    format!("Statements end with a semicolon and may take several lines.\n\n{commands}")
}
