//! The interactive shell.
//!
//! ```text
//! keys ──rustyline (helper: lex, highlight, completion)──▶ lines ──input──▶ dot command, or
//! statements ──▶ results ──▶ pager, screen or file
//! ```

mod completion;
mod detached_query;
mod dot;
mod file;
mod helper;
mod highlight;
mod history;
mod input;
mod keywords;
mod lake;
mod lex;
mod listing;
mod open;
mod pager;
mod param;
mod paths;
mod run_statement;
mod script;
mod sink;

use std::io::{BufWriter, IsTerminal, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustyline::Editor;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use tpq::{ImportOptions, Trace};
use tpq_output::{Format, OutputOptions, Sink, writer};

use self::detached_query::WorkResult;
use self::dot::Flow;
use self::file::ResultFile;
use self::helper::SqlHelper;
use self::input::{Entry, Input};
pub use self::lake::{LakeShell, run_on_lake};
pub use self::pager::Pager;
use self::run_statement::{Outcome, run_statement};
use self::sink::SharedBuffer;
use crate::args::ImportFlags;
use crate::config::Config;
use crate::exit;
use crate::layout::bytes;
use crate::peak_memory::PeakMemory;
use crate::query_progress::QueryProgress;
use crate::row_limit::{self, RowLimit, ShownRows};
use crate::signals::{self, Interrupts};
use crate::terminal::Style;

/// The state of the shell.
pub struct Shell {
    trace: Arc<Trace>,
    format: Format,
    /// The destination of results; the screen if `None`.
    output: Option<ResultFile>,
    timer: bool,
    /// How many rows of a result are shown on the screen.
    limit: RowLimit,
    pager: Pager,
    /// The last statement, for `.explain`.
    last: String,
    settings: OpenSettings,
    /// The nesting depth of files that are being read.
    reading: usize,
    /// Ctrl-C presses since the current input was entered.
    interrupts: Interrupts,
}

/// How the traces were opened, so that `.open` opens others in the same way.
pub struct OpenSettings {
    pub flags: ImportFlags,
    pub options: ImportOptions,
    pub config: Config,
}

/// Reads and runs statements until the user leaves.
pub async fn run(trace: Trace, settings: OpenSettings) -> anyhow::Result<()> {
    // From here on Ctrl-C ends a query or a pager, not the shell. A script from a pipe is still
    // ended by it.
    let at_prompt = std::io::stdin().is_terminal();
    if at_prompt {
        signals::handle_interrupts();
    }
    let trace = Arc::new(trace);
    let mut editor = editor(&trace)?;
    let mut shell = Shell::new(trace, settings);
    shell.print_banner();
    let mut failed = false;
    let mut input = Input::default();
    let mut quit = shell.run_startup_file().await == Flow::Quit;
    while !quit {
        if let Some(helper) = editor.helper_mut() {
            helper.trace = Arc::clone(&shell.trace);
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
        shell.interrupts = signals::interrupts();
        match shell.run(&entry).await {
            Ok(Flow::Continue | Flow::Interrupted) => {}
            Ok(Flow::Quit) => quit = true,
            Err(error) if exit::is_closed_pipe(&error) => return Err(error),
            Err(error) => {
                exit::report(&error);
                failed = true;
            }
        }
    }
    shell.output.take().map_or(Ok(()), ResultFile::finish)?;
    // A cancelled query that still runs may hold the trace until the process ends.
    shell.trace.wait_until_cached();
    // The process ends now and frees all memory at once. Freeing each chunk of the tables first
    // takes as long as a query.
    std::mem::forget(Arc::clone(shell.trace.tables()));
    // A script on stdin needs the exit status; a user at the prompt has seen the error.
    anyhow::ensure!(!failed || at_prompt, exit::AlreadyReported);
    Ok(())
}

/// The result of reading a line.
enum LineRead {
    /// An input to run.
    Entry(Entry),
    /// No complete input: a statement has more lines, or the line was dropped.
    Incomplete,
    /// The end of the input.
    End,
}

/// Reads a line.
fn read(
    editor: &mut Editor<SqlHelper, FileHistory>,
    input: &mut Input,
) -> anyhow::Result<LineRead> {
    // Waiting for keys blocks this thread; `block_in_place` informs the runtime.
    match tokio::task::block_in_place(|| editor.readline(input.prompt())) {
        Ok(line) => Ok(input.push(&line).map_or(LineRead::Incomplete, LineRead::Entry)),
        Err(ReadlineError::Interrupted) => {
            // Kept in the history, so that the user can edit it.
            let _ = editor.add_history_entry(input.take().trim());
            Ok(LineRead::Incomplete)
        }
        Err(ReadlineError::Eof) => Ok(LineRead::End),
        Err(error) => Err(error.into()),
    }
}

/// Adds an input to the history.
fn add_to_history(editor: &mut Editor<SqlHelper, FileHistory>, text: &str) {
    let _ = editor.add_history_entry(text);
    if let Some(path) = history::path() {
        // Saved at once, because a signal may end the shell. A failure to write is ignored.
        let _ = editor.append_history(&path);
    }
}

fn editor(trace: &Arc<Trace>) -> anyhow::Result<Editor<SqlHelper, FileHistory>> {
    let config = rustyline::Config::builder()
        .max_history_size(10_000)?
        .history_ignore_dups(true)?
        .history_ignore_space(true)
        .completion_type(rustyline::CompletionType::List)
        .build();
    let mut editor = Editor::with_config(config)?;
    let (trace, style) = (Arc::clone(trace), Style::of_stdout());
    editor.set_helper(Some(SqlHelper { trace, style, pending: String::new() }));
    if let Some(path) = history::path() {
        // The file does not exist the first time.
        let _ = editor.load_history(&path);
    }
    Ok(editor)
}

impl Shell {
    fn new(trace: Arc<Trace>, settings: OpenSettings) -> Self {
        let config = &settings.config;
        // Piped results have all rows, unless a command changes the limit.
        let on_terminal = std::io::stdout().is_terminal();
        let limit = config.limit.filter(|_| on_terminal);
        Self {
            trace,
            format: config.mode.filter(|_| on_terminal).unwrap_or(Format::Table),
            output: None,
            timer: config.timer.unwrap_or(true),
            limit: limit.unwrap_or_default(),
            pager: config.pager.clone().unwrap_or_default(),
            last: String::new(),
            settings,
            reading: 0,
            interrupts: signals::interrupts(),
        }
    }

    fn print_banner(&self) {
        if std::io::stdin().is_terminal() {
            let version = env!("CARGO_PKG_VERSION");
            print_note(&format!("tpq {version}. Statements end with ;  .help lists commands."));
        }
    }

    async fn run(&mut self, entry: &Entry) -> anyhow::Result<Flow> {
        match entry {
            Entry::Command(line) => dot::run(self, line).await,
            Entry::Sql(sql) => self.run_script(sql).await,
        }
    }

    /// Runs statements up to the first one that fails or is cancelled.
    async fn run_script(&mut self, sql: &str) -> anyhow::Result<Flow> {
        for statement in self.trace.session().statements(sql)? {
            self.last = statement.text().to_owned();
            let started = Instant::now();
            let page = SharedBuffer::default();
            let memory = PeakMemory::watch();
            let Outcome { shown, ended } = self.run_statement(statement.clone(), &page).await?;
            let measured = (started.elapsed(), memory.bytes());
            if let WorkResult::Cancelled { still_running } = ended {
                let shown = shown.unwrap_or(ShownRows::NONE);
                print_note(&cancelled_message(shown, measured.0, still_running));
                return Ok(Flow::Interrupted);
            }
            if self.pager.print(&page.take())? {
                self.interrupts = signals::interrupts();
            }
            std::io::stdout().flush()?;
            let all = match shown.is_some_and(|shown| shown.is_truncated) {
                true => row_limit::count(&self.trace, &statement).await,
                false => None,
            };
            self.print_summary(shown, all, measured);
        }
        Ok(Flow::Continue)
    }

    /// Runs a statement. A table for the screen goes to `page`, other results directly to their
    /// destination.
    async fn run_statement(
        &self,
        statement: tpq::Statement,
        page: &SharedBuffer,
    ) -> anyhow::Result<Outcome> {
        let part = self.output.as_ref().map(ResultFile::begin).transpose()?;
        let sink: Sink = match &part {
            Some(part) => part.sink(),
            None if self.format == Format::Table => Box::new(page.clone()),
            None => Box::new(BufWriter::new(std::io::stdout())),
        };
        let format = self.output.as_ref().map_or(self.format, |file| file.format().format);
        let mut writer = writer(format, sink, OutputOptions::default());
        let max_rows = if self.output.is_some() { None } else { self.limit.rows() };
        let prints = self.output.is_none() && self.format != Format::Table;
        let mut progress = QueryProgress::start(self.settings.flags.quiet);
        let mut writer = progress.counted(writer.as_mut(), prints);
        let outcome = {
            let interrupts = self.interrupts.clone();
            run_statement(interrupts, &self.trace, statement, &mut writer, max_rows).await?
        };
        if let Some(part) = part
            && matches!(outcome.ended, WorkResult::Done(()))
        {
            part.commit();
        }
        Ok(outcome)
    }

    /// Prints how many rows were shown, the time, and the peak memory. Without output there is only
    /// the time, if it is to be shown.
    fn print_summary(
        &self,
        shown: Option<ShownRows>,
        all: Option<u64>,
        (elapsed, peak): (Duration, Option<u64>),
    ) {
        let mut text = match shown {
            Some(shown) => shown.describe(all),
            None if self.timer => "done".to_owned(),
            None => return,
        };
        if self.timer {
            text.push_str(&format!(" in {:.3} s", elapsed.as_secs_f64()));
            if let Some(peak) = peak {
                text.push_str(&format!(", memory at most {}", bytes(peak)));
            }
        }
        if shown.is_some_and(|shown| shown.is_truncated) {
            text.push_str("; .limit off shows all");
        }
        print_note(&text);
    }

    fn print(&mut self, text: &str) -> anyhow::Result<()> {
        if self.pager.print(text.as_bytes())? {
            self.interrupts = signals::interrupts();
        }
        Ok(std::io::stdout().flush()?)
    }
}

/// The message about a statement that Ctrl-C stopped.
fn cancelled_message(shown: ShownRows, elapsed: Duration, still_running: bool) -> String {
    let rows = ShownRows { is_truncated: false, ..shown }.describe(None);
    let still = if still_running { "; its last step ends in the background" } else { "" };
    format!("cancelled after {:.3} s, with {rows} so far{still}", elapsed.as_secs_f64())
}

/// Prints a message on stderr.
fn print_note(text: &str) {
    let text = Style::of_stderr().dim(text);
    // A message that cannot be printed is not an error.
    let _ = writeln!(std::io::stderr(), "{text}");
}
