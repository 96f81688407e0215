//! The prompt.
//!
//! ```text
//! keys ──rustyline (helper: lex, highlight, completion)──▶ input ──▶ dot command, or statements
//! ──▶ results ──▶ pager, screen or file
//! ```

mod completion;
mod dot;
mod helper;
mod highlight;
mod history;
mod keywords;
mod lex;
mod listing;
mod pager;
mod sink;

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor};
use tpq::Trace;
use tpq_output::{Format, OutputOptions, Sink, writer};

use self::dot::Next;
use self::helper::SqlHelper;
use self::sink::Shared;
use crate::terminal::Style;
use crate::{exit, results};

/// What the shell remembers between inputs.
pub struct Shell {
    trace: Arc<Trace>,
    format: Format,
    /// Where results go; the screen when not given.
    output: Option<Shared>,
    timer: bool,
    /// The last statement, for `.explain`.
    last: String,
}

/// Reads and runs statements until the user leaves.
pub async fn run(trace: Trace) -> anyhow::Result<()> {
    // From here on Ctrl-C is ours, so that it ends a query, or a pager, and not the shell.
    tokio::spawn(async { while tokio::signal::ctrl_c().await.is_ok() {} });
    let trace = Arc::new(trace);
    let mut editor = editor(&trace)?;
    let history = history::path();
    if let Some(path) = &history {
        // There is none the first time.
        let _ = editor.load_history(path);
    }
    let mut shell =
        Shell { trace, format: Format::Table, output: None, timer: true, last: String::new() };
    shell.greet();
    let mut failed = false;
    loop {
        // Waiting for keys blocks this thread, which the runtime should know.
        let input = tokio::task::block_in_place(|| editor.readline("tpq> "));
        let input = match input {
            Ok(input) => input,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(error.into()),
        };
        if input.trim().is_empty() {
            continue;
        }
        let _ = editor.add_history_entry(input.trim());
        match shell.run(&input).await {
            Ok(Next::Prompt) => {}
            Ok(Next::Leave) => break,
            Err(error) if exit::is_closed_pipe(&error) => return Err(error),
            Err(error) => {
                exit::report(&error);
                failed = true;
            }
        }
    }
    if let Some(path) = &history {
        // Not worth an error on the way out.
        let _ = editor.save_history(path);
    }
    // A script on stdin must be able to tell; at a prompt the person has seen it.
    anyhow::ensure!(!failed || std::io::stdin().is_terminal(), exit::Told);
    Ok(())
}

fn editor(trace: &Arc<Trace>) -> anyhow::Result<Editor<SqlHelper, FileHistory>> {
    let config = Config::builder()
        .max_history_size(10_000)?
        .history_ignore_dups(true)?
        .history_ignore_space(true)
        .completion_type(rustyline::CompletionType::List)
        .build();
    let mut editor = Editor::with_config(config)?;
    editor.set_helper(Some(SqlHelper { trace: Arc::clone(trace), style: Style::of_stdout() }));
    Ok(editor)
}

impl Shell {
    fn greet(&self) {
        if std::io::stdin().is_terminal() {
            let version = env!("CARGO_PKG_VERSION");
            say(&format!("tpq {version}. Statements end with ;  .help lists commands."));
        }
    }

    async fn run(&mut self, input: &str) -> anyhow::Result<Next> {
        if input.trim_start().starts_with('.') {
            return dot::run(self, input).await;
        }
        self.run_script(input).await?;
        Ok(Next::Prompt)
    }

    /// Runs statements up to the first that fails or is cancelled.
    async fn run_script(&mut self, sql: &str) -> anyhow::Result<()> {
        for statement in self.trace.session().statements(sql)? {
            self.last = statement.text().to_owned();
            let started = Instant::now();
            let page = Shared::default();
            let rows = tokio::select! {
                rows = self.run_statement(&statement, &page) => rows?,
                _ = tokio::signal::ctrl_c() => {
                    say("cancelled");
                    return Ok(());
                }
            };
            let taken = started.elapsed();
            pager::print(&page.take())?;
            std::io::stdout().flush()?;
            self.tell(rows, taken);
        }
        Ok(())
    }

    /// Runs a statement. A table for the screen goes to `page`, all else straight to its place.
    async fn run_statement(
        &self,
        statement: &tpq::Statement,
        page: &Shared,
    ) -> anyhow::Result<usize> {
        let sink: Sink = match &self.output {
            Some(file) => Box::new(file.clone()),
            None if self.format == Format::Table => Box::new(page.clone()),
            None => results::sink(None)?,
        };
        let mut writer = writer(self.format, sink, OutputOptions::default());
        results::run(&self.trace, statement, writer.as_mut()).await
    }

    fn tell(&self, rows: usize, taken: Duration) {
        let mut text = format!("{rows} {}", if rows == 1 { "row" } else { "rows" });
        if self.timer {
            text.push_str(&format!(" in {:.3} s", taken.as_secs_f64()));
        }
        say(&text);
    }

    fn print(&self, text: &str) -> anyhow::Result<()> {
        pager::print(text.as_bytes())?;
        Ok(std::io::stdout().flush()?)
    }
}

/// Says something that is not data.
fn say(text: &str) {
    let text = Style::of_stderr().dim(text);
    // A remark that cannot be printed is no reason to stop.
    let _ = writeln!(std::io::stderr(), "{text}");
}
