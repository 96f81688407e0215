//! The loop of a shell: reads inputs and runs them until the user leaves.

use std::io::IsTerminal;

use rustyline::Editor;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;

use super::dot::Flow;
use super::helper::SqlHelper;
use super::history;
use super::input::{Entry, Input};
use super::vocabulary::Vocabulary;
use crate::terminal::Style;
use crate::{exit, signals};

/// What runs the inputs of a shell.
pub(super) trait InputRunner {
    /// The names that complete words at present.
    fn vocabulary(&self) -> Vocabulary;

    /// Runs an input.
    async fn run(&mut self, entry: &Entry) -> anyhow::Result<Flow>;
}

/// Whether a user types the inputs. From here on, Ctrl-C then ends a query or a pager and not the
/// shell; a script from a pipe is still ended by it.
pub(super) fn starts_at_prompt() -> bool {
    let at_prompt = std::io::stdin().is_terminal();
    if at_prompt {
        signals::handle_interrupts();
    }
    at_prompt
}

/// Reads and runs inputs until the user leaves. Returns whether all of them succeeded.
///
/// # Errors
/// When the line editor fails, or stdout was closed.
pub(super) async fn run_inputs(runner: &mut impl InputRunner) -> anyhow::Result<bool> {
    let at_prompt = std::io::stdin().is_terminal();
    let mut editor = editor(runner.vocabulary())?;
    let mut input = Input::default();
    let (mut quit, mut succeeded) = (false, true);
    while !quit {
        if let Some(helper) = editor.helper_mut() {
            helper.vocabulary = runner.vocabulary();
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
        match runner.run(&entry).await {
            Ok(Flow::Continue | Flow::Interrupted) => {}
            Ok(Flow::Quit) => quit = true,
            Err(error) if exit::is_closed_pipe(&error) => return Err(error),
            Err(error) => {
                exit::report(&error);
                succeeded = false;
            }
        }
    }
    Ok(succeeded)
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

fn editor(vocabulary: Vocabulary) -> anyhow::Result<Editor<SqlHelper, FileHistory>> {
    let config = rustyline::Config::builder()
        .max_history_size(10_000)?
        .history_ignore_dups(true)?
        .history_ignore_space(true)
        .completion_type(rustyline::CompletionType::List)
        .build();
    let mut editor = Editor::with_config(config)?;
    let style = Style::of_stdout();
    editor.set_helper(Some(SqlHelper { vocabulary, style, pending: String::new() }));
    if let Some(path) = history::path() {
        // The file does not exist the first time.
        let _ = editor.load_history(&path);
    }
    Ok(editor)
}
