//! The prompt.
//!
//! ```text
//! keys ──rustyline (helper: lex, highlight, completion)──▶ lines ──input──▶ dot command, or
//! statements ──▶ results ──▶ pager, screen or file
//! ```

mod completion;
mod dot;
mod file;
mod helper;
mod highlight;
mod history;
mod input;
mod keywords;
mod lex;
mod listing;
mod open;
mod pager;
mod paths;
mod run_apart;
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

use self::dot::Next;
use self::file::ResultFile;
use self::helper::SqlHelper;
use self::input::{Entry, Input};
pub use self::pager::Pager;
use self::run_apart::Ended;
use self::run_statement::{Outcome, run_statement};
use self::sink::Shared;
use crate::args::HowArgs;
use crate::config::Config;
use crate::exit;
use crate::layout::bytes;
use crate::peak_memory::PeakMemory;
use crate::query_progress::QueryProgress;
use crate::row_limit::{self, RowLimit, Shown};
use crate::signals::{self, Interrupts};
use crate::terminal::Style;

/// What the shell remembers between inputs.
pub struct Shell {
    trace: Arc<Trace>,
    format: Format,
    /// Where results go; the screen when not given.
    output: Option<ResultFile>,
    timer: bool,
    /// How many rows of a result are shown on the screen.
    limit: RowLimit,
    pager: Pager,
    /// The last statement, for `.explain`.
    last: String,
    opening: Opening,
    /// How many files are being read that each was named by the one before.
    reading: usize,
    /// Every Ctrl-C since what runs now was typed.
    interrupts: Interrupts,
}

/// How the traces were opened, for others to be opened in the same way.
pub struct Opening {
    pub how: HowArgs,
    pub options: ImportOptions,
    pub config: Config,
}

/// Reads and runs statements until the user leaves.
pub async fn run(trace: Trace, opening: Opening) -> anyhow::Result<()> {
    // From here on Ctrl-C ends a query, or a pager, and not the shell. A script that is piped in
    // ends with it.
    let at_prompt = std::io::stdin().is_terminal();
    if at_prompt {
        signals::handle_interrupts();
    }
    let trace = Arc::new(trace);
    let mut editor = editor(&trace)?;
    let mut shell = Shell::new(trace, opening);
    shell.greet();
    let mut failed = false;
    let mut input = Input::default();
    let mut leave = shell.run_startup_file().await == Next::Leave;
    while !leave {
        if let Some(helper) = editor.helper_mut() {
            helper.trace = Arc::clone(&shell.trace);
            helper.pending = input.pending().to_owned();
        }
        let entry = match read(&mut editor, &mut input)? {
            Read::Entry(entry) => entry,
            Read::More => continue,
            Read::End if at_prompt => break,
            Read::End => {
                leave = true;
                let Some(entry) = input.finish() else { break };
                entry
            }
        };
        let (Entry::Command(text) | Entry::Sql(text)) = &entry;
        remember(&mut editor, text);
        shell.interrupts = signals::interrupts();
        match shell.run(&entry).await {
            Ok(Next::Prompt | Next::Stopped) => {}
            Ok(Next::Leave) => leave = true,
            Err(error) if exit::is_closed_pipe(&error) => return Err(error),
            Err(error) => {
                exit::report(&error);
                failed = true;
            }
        }
    }
    shell.output.take().map_or(Ok(()), ResultFile::finish)?;
    // A query that was left behind may hold the trace for longer than the process lives.
    shell.trace.wait_until_kept();
    // The process ends now and gives all memory back at once: to give back each chunk of the tables
    // first takes as long as a query.
    std::mem::forget(Arc::clone(shell.trace.tables()));
    // A script on stdin must be able to tell; at a prompt the person has seen it.
    anyhow::ensure!(!failed || at_prompt, exit::Told);
    Ok(())
}

/// What a line of input gives.
enum Read {
    /// Something to run.
    Entry(Entry),
    /// Nothing yet: a statement has more lines, or the line was dropped.
    More,
    /// There are no more lines.
    End,
}

/// Reads a line.
fn read(editor: &mut Editor<SqlHelper, FileHistory>, input: &mut Input) -> anyhow::Result<Read> {
    // Waiting for keys blocks this thread, which the runtime should know.
    match tokio::task::block_in_place(|| editor.readline(input.prompt())) {
        Ok(line) => Ok(input.push(&line).map_or(Read::More, Read::Entry)),
        Err(ReadlineError::Interrupted) => {
            // Kept, so that it can be called back and mended.
            let _ = editor.add_history_entry(input.take().trim());
            Ok(Read::More)
        }
        Err(ReadlineError::Eof) => Ok(Read::End),
        Err(error) => Err(error.into()),
    }
}

/// Adds what was typed to the history.
fn remember(editor: &mut Editor<SqlHelper, FileHistory>, text: &str) {
    let _ = editor.add_history_entry(text);
    if let Some(path) = history::path() {
        // At once: a signal may end the shell. A file that takes no more is not worth an error.
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
        // There is none the first time.
        let _ = editor.load_history(&path);
    }
    Ok(editor)
}

impl Shell {
    fn new(trace: Arc<Trace>, opening: Opening) -> Self {
        let config = &opening.config;
        // What is piped is whole, unless a command in it says otherwise.
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
            opening,
            reading: 0,
            interrupts: signals::interrupts(),
        }
    }

    fn greet(&self) {
        if std::io::stdin().is_terminal() {
            let version = env!("CARGO_PKG_VERSION");
            say(&format!("tpq {version}. Statements end with ;  .help lists commands."));
        }
    }

    async fn run(&mut self, entry: &Entry) -> anyhow::Result<Next> {
        match entry {
            Entry::Command(line) => dot::run(self, line).await,
            Entry::Sql(sql) => self.run_script(sql).await,
        }
    }

    /// Runs statements up to the first that fails or is cancelled.
    async fn run_script(&mut self, sql: &str) -> anyhow::Result<Next> {
        for statement in self.trace.session().statements(sql)? {
            self.last = statement.text().to_owned();
            let started = Instant::now();
            let page = Shared::default();
            let memory = PeakMemory::watch();
            let Outcome { shown, ended } = self.run_statement(statement.clone(), &page).await?;
            let figures = (started.elapsed(), memory.bytes());
            if let Ended::Cancelled { runs_on } = ended {
                say(&cancelled(shown, figures.0, runs_on));
                return Ok(Next::Stopped);
            }
            if self.pager.print(&page.take())? {
                self.interrupts = signals::interrupts();
            }
            std::io::stdout().flush()?;
            let all = match shown.is_cut {
                true => row_limit::count(&self.trace, &statement).await,
                false => None,
            };
            self.tell(shown, all, figures);
        }
        Ok(Next::Prompt)
    }

    /// Runs a statement. A table for the screen goes to `page`, all else straight to its place.
    async fn run_statement(
        &self,
        statement: tpq::Statement,
        page: &Shared,
    ) -> anyhow::Result<Outcome> {
        let part = self.output.as_ref().map(ResultFile::begin).transpose()?;
        let sink: Sink = match &part {
            Some(part) => part.sink(),
            None if self.format == Format::Table => Box::new(page.clone()),
            None => Box::new(BufWriter::new(std::io::stdout())),
        };
        let format = self.output.as_ref().map_or(self.format, |file| file.format().format);
        let mut writer = writer(format, sink, OutputOptions::default());
        let most = if self.output.is_some() { None } else { self.limit.rows() };
        let prints = self.output.is_none() && self.format != Format::Table;
        let mut progress = QueryProgress::start(self.opening.how.quiet);
        let mut writer = progress.counted(writer.as_mut(), prints);
        let outcome = {
            let interrupts = self.interrupts.clone();
            run_statement(interrupts, &self.trace, statement, &mut writer, most).await?
        };
        if let Some(part) = part
            && matches!(outcome.ended, Ended::Done(()))
        {
            part.keep();
        }
        Ok(outcome)
    }

    /// Says how many rows were shown, how long that took and the most memory meanwhile.
    fn tell(&self, shown: Shown, all: Option<u64>, (taken, peak): (Duration, Option<u64>)) {
        let mut text = shown.words(all);
        if self.timer {
            text.push_str(&format!(" in {:.3} s", taken.as_secs_f64()));
            if let Some(peak) = peak {
                text.push_str(&format!(", memory at most {}", bytes(peak)));
            }
        }
        if shown.is_cut {
            text.push_str("; .limit off shows all");
        }
        say(&text);
    }

    fn print(&mut self, text: &str) -> anyhow::Result<()> {
        if self.pager.print(text.as_bytes())? {
            self.interrupts = signals::interrupts();
        }
        Ok(std::io::stdout().flush()?)
    }
}

/// What to say of a statement that Ctrl-C stopped.
fn cancelled(shown: Shown, taken: Duration, runs_on: bool) -> String {
    let rows = Shown { is_cut: false, ..shown }.words(None);
    let still = if runs_on { "; its last step ends in the background" } else { "" };
    format!("cancelled after {:.3} s, with {rows} so far{still}", taken.as_secs_f64())
}

/// Says something that is not data.
fn say(text: &str) {
    let text = Style::of_stderr().dim(text);
    // A remark that cannot be printed is no reason to stop.
    let _ = writeln!(std::io::stderr(), "{text}");
}
