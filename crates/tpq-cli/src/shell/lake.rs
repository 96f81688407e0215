//! The shell on a lake: a statement runs on each trace, or, with names such as `lake.slice`, once
//! over all traces.

use std::io::BufWriter;
use std::sync::Arc;
use std::time::Instant;

use futures::{Stream, StreamExt};
use tpq::{
    EachError, EachOptions, EachTrace, LAKE_SCHEMA, Lake, LakeTrace, Session, Statement, Trace,
    each_in_lake,
};
use tpq_output::{Format, OutputOptions, ResultWriter, Sink, writer};

use super::detached_query::WorkResult;
use super::dot::{self, DotCommand, Flow, command};
use super::input::Entry;
use super::prompt::{InputRunner, run_inputs, starts_at_prompt};
use super::run_statement::{Target, run_statement};
use super::screen::{Screen, cancelled_message};
use super::sink::SharedBuffer;
use super::vocabulary::{LakeRelations, Vocabulary};
use super::{listing, print_note};
use crate::config::Config;
use crate::each::{EachProgress, Rows, as_error, describe};
use crate::exit;
use crate::layout::{counted, grouped};
use crate::peak_memory::PeakMemory;
use crate::row_limit::{LimitedWriter, ShownRows};
use crate::signals;
use crate::terminal::Style;

const ABOUT: &str = "\
A statement runs on each trace of the lake, and the rows of all traces are one result. A statement
with names such as lake.slice or lake.traces runs once over all traces. What CREATE and INCLUDE make
stays for later statements on each trace.

";

/// Every command, in alphabetical order.
const COMMANDS: &[DotCommand] = &[
    dot::FUNCTIONS,
    dot::HELP,
    dot::LIMIT,
    command(".mode", "FORMAT", "Set the format: table, csv, tsv, json, ndjson, markdown…"),
    dot::MODULES,
    dot::PAGER,
    dot::PARAM,
    dot::QUIT,
    command(".schema", "TABLE", "Show the columns of a table such as slice or lake.slice"),
    command(".tables", "[PATTERN]", "List tables and views; lake.* are those over all traces"),
    dot::TIMER,
    command(".traces", "", "List the traces"),
];

/// The statement of `.traces`.
const TRACES: &str = "SELECT trace_path, recorded_at, device, dur, size, losses, trace_digest \
                      FROM lake.traces ORDER BY trace_path, trace_digest";

/// The shell on a lake.
pub struct LakeShell {
    /// The lake.
    pub lake: Lake,
    /// The traces that statements run on.
    pub traces: Vec<Arc<LakeTrace>>,
    /// A session on the relations over these traces.
    pub all: Arc<Session>,
    /// These relations.
    pub relations: Arc<LakeRelations>,
    /// How statements run on each trace.
    pub options: EachOptions,
    /// Settings of the user.
    pub config: Config,
    /// Whether to leave out the progress.
    pub quiet: bool,
}

/// What the shell remembers.
struct State {
    shell: LakeShell,
    /// A trace without events, which has the names of every trace.
    names: Arc<Trace>,
    /// Statements without rows, which run again on each trace before a later statement.
    definitions: String,
    screen: Screen,
}

/// Reads and runs statements until the user leaves.
///
/// # Errors
/// When the line editor fails; for a script, when a statement fails.
pub async fn run_on_lake(shell: LakeShell) -> anyhow::Result<()> {
    let at_prompt = starts_at_prompt();
    if at_prompt {
        let count = counted(shell.traces.len() as u64, "trace", "traces");
        print_note(&format!("{count}. Statements end with ;  .help says how they run."));
    }
    let names = Arc::new(Trace::without_events(&shell.options.import)?);
    let screen = Screen::of(&shell.config);
    let mut state = State { shell, names, definitions: String::new(), screen };
    let succeeded = run_inputs(&mut state).await?;
    anyhow::ensure!(succeeded || at_prompt, exit::AlreadyReported);
    Ok(())
}

impl InputRunner for State {
    fn vocabulary(&self) -> Vocabulary {
        let (trace, lake) = (Arc::clone(&self.names), Arc::clone(&self.shell.relations));
        Vocabulary { trace, commands: COMMANDS, lake }
    }

    async fn run(&mut self, entry: &Entry) -> anyhow::Result<Flow> {
        match entry {
            Entry::Command(line) => self.command(line).await,
            Entry::Sql(sql) => self.run_script(sql).await,
        }
    }
}

impl State {
    async fn command(&mut self, line: &str) -> anyhow::Result<Flow> {
        let line = line.trim().trim_end_matches(';').trim_end();
        let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let argument = argument.trim();
        let text = match name {
            ".quit" | ".exit" => return Ok(Flow::Quit),
            ".traces" => return self.run_script(TRACES).await,
            ".mode" | ".limit" | ".pager" | ".timer" => {
                self.screen.set(name, argument)?;
                return Ok(Flow::Continue);
            }
            ".help" => format!("{ABOUT}{}", dot::help(COMMANDS)),
            ".tables" => self.tables(argument),
            ".schema" => self.schema(argument)?,
            ".functions" | ".modules" | ".param" | ".parameter" => {
                dot::list(self.names.session(), name, argument)?
            }
            _ => anyhow::bail!("the shell on a lake has no command {name}; .help lists them"),
        };
        self.screen.print(text.as_bytes())?;
        Ok(Flow::Continue)
    }

    /// The tables of each trace, and then those over all traces.
    fn tables(&self, pattern: &str) -> String {
        let of_each = self.names.session().table_names();
        let of_all = self.shell.relations.keys().map(|name| format!("{LAKE_SCHEMA}.{name}"));
        listing::names(of_each.into_iter().chain(of_all).collect(), pattern)
    }

    /// The columns of a table.
    fn schema(&self, name: &str) -> anyhow::Result<String> {
        let relation = name.split_once('.').filter(|(schema, _)| *schema == LAKE_SCHEMA);
        let Some((_, table)) = relation else {
            return listing::schema(self.names.session(), name, Style::of_stdout());
        };
        let Some(schema) = self.shell.relations.get(table) else {
            anyhow::bail!("there is no table {name}; .tables lake.* lists those over all traces");
        };
        let own = self.names.session().describe(table);
        Ok(listing::lake_schema(name, schema, own.as_ref(), Style::of_stdout()))
    }

    /// Runs statements up to the first one that fails or is cancelled.
    async fn run_script(&mut self, sql: &str) -> anyhow::Result<Flow> {
        for statement in self.names.session().statements(sql)? {
            let page = SharedBuffer::default();
            let sink: Sink = match self.screen.format {
                Format::Table => Box::new(page.clone()),
                _ => Box::new(BufWriter::new(std::io::stdout())),
            };
            let mut writer = writer(self.screen.format, sink, OutputOptions::default());
            let memory = PeakMemory::watch();
            let started = Instant::now();
            let outcome = match statement.names_schema(LAKE_SCHEMA) {
                true => self.run_on_all(&statement, writer.as_mut()).await?,
                false => self.run_on_each(&statement, writer.as_mut()).await?,
            };
            let measured = (started.elapsed(), memory.bytes());
            drop(writer);
            match outcome {
                Outcome::Cancelled { shown, still_running } => {
                    print_note(&cancelled_message(shown, measured.0, still_running));
                    return Ok(Flow::Interrupted);
                }
                Outcome::Done(shown) => {
                    self.screen.print(&page.take())?;
                    self.screen.print_summary(shown, None, measured);
                }
            }
        }
        Ok(Flow::Continue)
    }

    /// Runs a statement once over all traces.
    async fn run_on_all(
        &self,
        statement: &Statement,
        writer: &mut dyn ResultWriter,
    ) -> anyhow::Result<Outcome> {
        for (name, value) in self.names.session().parameters() {
            self.shell.all.set_parameter(&name, value);
        }
        let target = Target::Lake(Arc::clone(&self.shell.all));
        let interrupts = signals::interrupts();
        let max_rows = self.screen.limit.rows();
        let ran = run_statement(interrupts, &target, statement.clone(), writer, max_rows).await?;
        Ok(match ran.ended {
            WorkResult::Done(()) => Outcome::Done(ran.shown),
            WorkResult::Cancelled { still_running } => {
                Outcome::Cancelled { shown: ran.shown.unwrap_or(ShownRows::NONE), still_running }
            }
        })
    }

    /// Runs a statement on each trace.
    async fn run_on_each(
        &mut self,
        statement: &Statement,
        writer: &mut dyn ResultWriter,
    ) -> anyhow::Result<Outcome> {
        let sql = format!("{}{}", self.definitions, statement.text());
        let traces = self.shell.traces.clone();
        let parameters = self.names.session().parameters();
        let options = EachOptions { parameters, ..self.shell.options.clone() };
        let traces = each_in_lake(&self.shell.lake, traces, &sql, options);
        let mut writer = LimitedWriter::new(writer, self.screen.limit.rows());
        let mut rows = Rows::new(&mut writer);
        let progress = EachProgress::start(self.shell.traces.len(), self.shell.quiet);
        let ended = collect(traces, &mut rows, &progress).await?;
        drop(progress);
        let shown = rows.writer().shown();
        match ended {
            Ended::Interrupted => return Ok(Outcome::Cancelled { shown, still_running: false }),
            Ended::NoRows => {
                self.definitions = format!("{sql};\n");
                return Ok(Outcome::Done(None));
            }
            Ended::Read => {}
        }
        let has_rows = rows.end()?;
        anyhow::ensure!(has_rows, "all {} traces failed", grouped(self.shell.traces.len() as u64));
        Ok(Outcome::Done(Some(shown)))
    }
}

/// How a statement ended.
enum Outcome {
    /// By itself. `None` for one without rows.
    Done(Option<ShownRows>),
    /// By Ctrl-C.
    Cancelled {
        /// The rows so far.
        shown: ShownRows,
        /// Whether the work still runs because it did not stop in time.
        still_running: bool,
    },
}

/// How reading the rows of each trace ended.
enum Ended {
    /// All rows that are shown were read.
    Read,
    /// The statement has no rows on any trace.
    NoRows,
    /// By Ctrl-C.
    Interrupted,
}

/// Writes the rows of each trace, and reports what failed.
async fn collect(
    traces: impl Stream<Item = EachTrace>,
    rows: &mut Rows<'_, LimitedWriter<'_>>,
    progress: &EachProgress,
) -> anyhow::Result<Ended> {
    let mut interrupts = signals::interrupts();
    let mut failed = 0;
    let mut traces = std::pin::pin!(traces);
    loop {
        let next = tokio::select! {
            biased;
            () = interrupts.next() => return Ok(Ended::Interrupted),
            next = traces.next() => next,
        };
        let Some(EachTrace { path, rows: kept, .. }) = next else { return Ok(Ended::Read) };
        let written = match kept {
            Ok(kept) => rows.write(&path, kept)?,
            Err(error) => Err(error),
        };
        match written {
            Ok(()) => {}
            Err(EachError::NoResult) => return Ok(Ended::NoRows),
            Err(error) if error.is_of_statements() => return Err(as_error(&path, error)),
            Err(error) => {
                failed += 1;
                let text = describe(&path, &error.to_string());
                progress.above(|| print_note(&format!("failed: {text}")));
            }
        }
        progress.advance(failed);
        // Further rows are not shown.
        if rows.writer().shown().is_truncated {
            return Ok(Ended::Read);
        }
    }
}
