//! How the process ends: the one place that decides exit codes and prints errors.
//!
//! 0 is success, 1 a failed query or import; 2, bad usage, is given by clap while parsing, and
//! here for what clap cannot know. A signal ends the process with 128 and its number, in
//! `signals.rs`.

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use tpq::SqlError;
use tpq_output::OutputError;

use crate::terminal;

/// What was typed cannot be done, though every part of it is well formed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// Something failed that was told of when it did.
#[derive(Debug, thiserror::Error)]
#[error("something failed")]
pub struct Told;

/// Ends the process with what came out of a command.
pub fn code(outcome: anyhow::Result<()>) -> ExitCode {
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    if error.is::<Told>() {
        return ExitCode::FAILURE;
    }
    // Whoever reads has seen enough, as `head` has: nothing went wrong.
    if is_closed_pipe(&error) {
        return ExitCode::SUCCESS;
    }
    report(&error);
    ExitCode::from(if error.is::<Usage>() { 2 } else { 1 })
}

/// Prints an error to stderr.
pub fn report(error: &anyhow::Error) {
    let style = terminal::Style::of_stderr();
    let text = match error.downcast_ref::<SqlError>() {
        Some(sql) => sql.report(),
        None => chain(error),
    };
    // Nobody is left to tell when stderr is closed.
    let _ = writeln!(std::io::stderr(), "{} {text}", style.red("error:"));
}

/// An error and its causes in one line, without repeating what a message already says.
fn chain(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

/// Whether the reader of our output went away.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause
            .downcast_ref::<std::io::Error>()
            .or_else(|| cause.downcast_ref::<OutputError>()?.io());
        io.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
    })
}
