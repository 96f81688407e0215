//! The interactive shell.
//!
//! ```text
//! keys ──rustyline (helper: lex, highlight, completion)──▶ lines ──input──▶ dot command, or
//! statements ──▶ results ──▶ pager, screen or file
//!
//! prompt: the loop, for the shell on a trace (here) and the shell on a lake (lake)
//! ```

mod completion;
mod detached_query;
mod detached_runtime;
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
mod prompt;
mod run_statement;
mod screen;
mod script;
mod sink;
mod vocabulary;

use std::io::{BufWriter, IsTerminal, Write};
use std::sync::Arc;
use std::time::Instant;

use tpq::{ImportOptions, Trace};
use tpq_output::{Format, OutputOptions, Sink, writer};

use self::detached_query::WorkResult;
use self::dot::Flow;
use self::file::ResultFile;
use self::input::Entry;
pub use self::lake::{LakeShell, run_on_lake};
pub use self::pager::Pager;
use self::prompt::InputRunner;
use self::run_statement::{Outcome, Target, run_statement};
use self::screen::{Screen, cancelled_message};
use self::sink::SharedBuffer;
pub use self::vocabulary::LakeRelations;
use self::vocabulary::Vocabulary;
use crate::args::ImportFlags;
use crate::config::Config;
use crate::exit;
use crate::peak_memory::PeakMemory;
use crate::query_progress::QueryProgress;
use crate::row_limit::{self, ShownRows};
use crate::signals::{self, Interrupts};
use crate::terminal::Style;

/// The state of the shell.
pub struct Shell {
    trace: Arc<Trace>,
    screen: Screen,
    /// The destination of results; the screen if `None`.
    output: Option<ResultFile>,
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
///
/// # Errors
/// When the line editor or a file for results fails; for a script, when a statement fails.
pub async fn run(trace: Trace, settings: OpenSettings) -> anyhow::Result<()> {
    let at_prompt = prompt::starts_at_prompt();
    let mut shell = Shell::new(Arc::new(trace), settings);
    shell.print_banner();
    let mut succeeded = true;
    if shell.run_startup_file().await != Flow::Quit {
        succeeded = prompt::run_inputs(&mut shell).await?;
    }
    shell.output.take().map_or(Ok(()), ResultFile::finish)?;
    // A cancelled query that still runs may hold the trace until the process ends.
    shell.trace.wait_until_cached();
    // The process ends now and frees all memory at once. Freeing each chunk of the tables first
    // takes as long as a query.
    std::mem::forget(Arc::clone(shell.trace.tables()));
    // A script on stdin needs the exit status; a user at the prompt has seen the error.
    anyhow::ensure!(succeeded || at_prompt, exit::AlreadyReported);
    Ok(())
}

impl InputRunner for Shell {
    fn vocabulary(&self) -> Vocabulary {
        let trace = Arc::clone(&self.trace);
        Vocabulary { trace, commands: dot::COMMANDS, lake: Arc::default() }
    }

    async fn run(&mut self, entry: &Entry) -> anyhow::Result<Flow> {
        self.interrupts = signals::interrupts();
        self.run_entry(entry).await
    }
}

impl Shell {
    fn new(trace: Arc<Trace>, settings: OpenSettings) -> Self {
        Self {
            trace,
            screen: Screen::of(&settings.config),
            output: None,
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

    async fn run_entry(&mut self, entry: &Entry) -> anyhow::Result<Flow> {
        match entry {
            Entry::Command(line) => dot::run(self, line).await,
            Entry::Sql(sql) => self.run_script(sql).await,
        }
    }

    /// Runs statements up to the first one that fails or is cancelled.
    async fn run_script(&mut self, sql: &str) -> anyhow::Result<Flow> {
        for statement in self.trace.session().statements(sql)? {
            self.last = statement.text().to_owned();
            let page = SharedBuffer::default();
            let memory = PeakMemory::watch();
            let started = Instant::now();
            let Outcome { shown, ended } = self.run_statement(statement.clone(), &page).await?;
            let measured = (started.elapsed(), memory.bytes());
            if let WorkResult::Cancelled { still_running } = ended {
                let shown = shown.unwrap_or(ShownRows::NONE);
                print_note(&cancelled_message(shown, measured.0, still_running));
                return Ok(Flow::Interrupted);
            }
            if self.screen.print(&page.take())? {
                self.interrupts = signals::interrupts();
            }
            let all = match shown.is_some_and(|shown| shown.is_truncated) {
                true => row_limit::count(&self.trace, &statement).await,
                false => None,
            };
            self.screen.print_summary(shown, all, measured);
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
            None if self.screen.format == Format::Table => Box::new(page.clone()),
            None => Box::new(BufWriter::new(std::io::stdout())),
        };
        let format = self.output.as_ref().map_or(self.screen.format, |file| file.format().format);
        let mut writer = writer(format, sink, OutputOptions::default());
        let max_rows = if self.output.is_some() { None } else { self.screen.limit.rows() };
        let prints = self.output.is_none() && self.screen.format != Format::Table;
        let mut progress = QueryProgress::start(self.settings.flags.quiet);
        let mut writer = progress.counted(writer.as_mut(), prints);
        let outcome = {
            let interrupts = self.interrupts.clone();
            let target = Target::Trace(Arc::clone(&self.trace));
            run_statement(interrupts, &target, statement, &mut writer, max_rows).await?
        };
        if let Some(part) = part
            && matches!(outcome.ended, WorkResult::Done(()))
        {
            part.commit();
        }
        Ok(outcome)
    }

    fn print(&mut self, text: &str) -> anyhow::Result<()> {
        if self.screen.print(text.as_bytes())? {
            self.interrupts = signals::interrupts();
        }
        Ok(())
    }
}

/// Prints a message on stderr.
fn print_note(text: &str) {
    let text = Style::of_stderr().dim(text);
    // A message that cannot be printed is not an error.
    let _ = writeln!(std::io::stderr(), "{text}");
}
