//! The shell on a lake: a statement runs on each trace, or, with names such as `lake.slice`, once
//! over all traces.

use std::io::{IsTerminal, Write};
use std::sync::Arc;

use futures::StreamExt;
use tpq::{
    EachError, EachOptions, EachTrace, LAKE_SCHEMA, Lake, LakeTrace, Session, SharedColumns,
    Statement, Trace, each_in_lake,
};
use tpq_output::{Format, OutputOptions, ResultWriter, writer};

use super::input::{Entry, Input};
use super::pager::Pager;
use super::sink::SharedBuffer;
use super::{LineRead, add_to_history, editor, print_note, read};
use crate::layout::grouped;
use crate::row_limit::{LimitedWriter, RowLimit};
use crate::{exit, results, signals};

const HELP: &str = "\
A statement runs on each trace of the lake, and the rows of all traces are one result. A statement
with names such as lake.slice or lake.traces runs once over all traces. What CREATE and INCLUDE make
stays for later statements on each trace.

.mode FORMAT   Set the format: table, csv, tsv, json, ndjson, markdown
.traces        List the traces
.help          Show this help
.quit          Leave the shell (also Ctrl-D)
";

/// The shell on a lake.
pub struct LakeShell {
    /// The lake.
    pub lake: Lake,
    /// The traces that statements run on.
    pub traces: Vec<Arc<LakeTrace>>,
    /// A session on the relations over these traces.
    pub all: Session,
    /// How statements run on each trace.
    pub options: EachOptions,
}

/// What the shell remembers.
struct State {
    shell: LakeShell,
    /// A trace without events, which has the names of every trace.
    names: Arc<Trace>,
    /// Statements without rows, which run again on each trace before a later statement.
    definitions: String,
    format: Format,
}

/// Reads and runs statements until the user leaves.
///
/// # Errors
/// When the line editor fails; for a script, when a statement fails.
pub async fn run_on_lake(shell: LakeShell) -> anyhow::Result<()> {
    let at_prompt = std::io::stdin().is_terminal();
    if at_prompt {
        signals::handle_interrupts();
        let count = grouped(shell.traces.len() as u64);
        print_note(&format!("{count} traces. Statements end with ;  .help says how they run."));
    }
    let names = Arc::new(Trace::without_events(&shell.options.import)?);
    let mut editor = editor(&names)?;
    let mut state = State { shell, names, definitions: String::new(), format: Format::Table };
    let mut input = Input::default();
    let (mut quit, mut failed) = (false, false);
    while !quit {
        if let Some(helper) = editor.helper_mut() {
            helper.pending = input.pending().to_owned();
        }
        let entry = match read(&mut editor, &mut input)? {
            LineRead::Entry(entry) => entry,
            LineRead::Incomplete => continue,
            LineRead::End if at_prompt => break,
            LineRead::End => {
                quit = true;
                let Some(entry) = input.finish() else { break };
                entry
            }
        };
        let (Entry::Command(text) | Entry::Sql(text)) = &entry;
        add_to_history(&mut editor, text);
        match state.run(&entry).await {
            Ok(is_last) => quit |= is_last,
            Err(error) if exit::is_closed_pipe(&error) => return Err(error),
            Err(error) => {
                exit::report(&error);
                failed = true;
            }
        }
    }
    anyhow::ensure!(!failed || at_prompt, exit::AlreadyReported);
    Ok(())
}

impl State {
    /// Runs an input. Returns whether it is the last.
    async fn run(&mut self, entry: &Entry) -> anyhow::Result<bool> {
        let sql = match entry {
            Entry::Command(line) => match self.command(line)? {
                Command::Quit => return Ok(true),
                Command::Done => return Ok(false),
                Command::Statement(sql) => sql,
            },
            Entry::Sql(sql) => sql.clone(),
        };
        for statement in self.names.session().statements(&sql)? {
            let mut interrupts = signals::interrupts();
            tokio::select! {
                biased;
                () = interrupts.next() => {
                    print_note("cancelled");
                    return Ok(false);
                }
                ran = self.run_statement(&statement) => ran?,
            }
        }
        Ok(false)
    }

    fn command(&mut self, line: &str) -> anyhow::Result<Command> {
        let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match name {
            ".quit" | ".exit" => Ok(Command::Quit),
            ".help" => {
                std::io::stdout().write_all(HELP.as_bytes())?;
                Ok(Command::Done)
            }
            ".mode" => {
                self.format = argument.trim().parse().map_err(anyhow::Error::msg)?;
                Ok(Command::Done)
            }
            ".traces" => Ok(Command::Statement(format!("SELECT * FROM {LAKE_SCHEMA}.traces"))),
            _ => anyhow::bail!("the shell on a lake has no command {name}; .help lists them"),
        }
    }

    /// Runs a statement and prints its rows.
    async fn run_statement(&mut self, statement: &Statement) -> anyhow::Result<()> {
        let page = SharedBuffer::default();
        let mut writer = writer(self.format, Box::new(page.clone()), OutputOptions::default());
        let mut shown = LimitedWriter::new(writer.as_mut(), RowLimit::default().on_terminal());
        let has_rows = match statement.names_schema(LAKE_SCHEMA) {
            true => self.run_on_all(statement, &mut shown).await?,
            false => self.run_on_each(statement, &mut shown).await?,
        };
        let shown = shown.shown();
        Pager::default().print(&page.take())?;
        std::io::stdout().flush()?;
        if has_rows {
            let more = if shown.is_truncated { "; a file or a pipe gets all" } else { "" };
            print_note(&format!("{}{more}", shown.describe(None)));
        }
        Ok(())
    }

    /// Runs a statement once over all traces. Returns whether it has rows.
    async fn run_on_all(
        &self,
        statement: &Statement,
        writer: &mut dyn ResultWriter,
    ) -> anyhow::Result<bool> {
        let Some(result) = self.shell.all.run(statement).await? else { return Ok(false) };
        results::write(result, writer).await?;
        Ok(true)
    }

    /// Runs a statement on each trace. Returns whether it has rows.
    async fn run_on_each(
        &mut self,
        statement: &Statement,
        writer: &mut dyn ResultWriter,
    ) -> anyhow::Result<bool> {
        let sql = format!("{}{}", self.definitions, statement.text());
        let traces = self.shell.traces.clone();
        let options = self.shell.options.clone();
        let mut traces = std::pin::pin!(each_in_lake(&self.shell.lake, traces, &sql, options));
        let mut columns: Option<SharedColumns> = None;
        while let Some(EachTrace { path, rows, .. }) = traces.next().await {
            let rows = match rows {
                Ok(rows) => rows,
                Err(EachError::NoResult) => {
                    self.definitions = format!("{sql};\n");
                    return Ok(false);
                }
                Err(EachError::Sql(error)) => return Err(error.into()),
                Err(error) => {
                    print_note(&format!("failed: {}: {error}", path.display()));
                    continue;
                }
            };
            if columns.is_none() {
                let shared = SharedColumns::of(&path, &rows);
                writer.begin(shared.schema())?;
                columns = Some(shared);
            }
            let Some(columns) = &columns else { continue };
            if let Err(error) = columns.check(&rows) {
                print_note(&format!("failed: {}: {error}", path.display()));
                continue;
            }
            for batch in rows.into_batches()? {
                writer.write(&columns.convert(&batch?)?)?;
            }
        }
        if columns.is_some() {
            writer.end()?;
        }
        Ok(columns.is_some())
    }
}

/// What a command asks for.
enum Command {
    Quit,
    Done,
    Statement(String),
}
