//! Exit codes and error messages of the process, decided in one place.
//!
//! 0 is success, 1 a failed query or import, 2 bad usage: either reported by clap, or by [`Usage`]
//! for what clap cannot check. A signal ends the process with 128 plus its number; see
//! `signals.rs`.
//!
//! A command that succeeded ends the process without what libraries do at the end of one: the
//! allocator would return its memory to the system, which the end of the process does at once.

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use tpq::SqlError;
use tpq_output::OutputError;

use crate::terminal;

/// Bad usage that clap cannot detect: each argument is well-formed, but they cannot be executed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// A failure that was already reported when it happened.
#[derive(Debug, thiserror::Error)]
#[error("an error was already reported")]
pub struct AlreadyReported;

/// The user pressed Ctrl-C, or asked the process to end, and what ran elsewhere was cancelled.
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

// `_exit` is declared as in the C library, and any thread may call it at any time.
unsafe extern "C" {
    #[link_name = "_exit"]
    safe fn end_process(status: i32) -> !;
}

/// Ends the process after a command that succeeded, whatever its other threads do.
///
/// # Errors
/// When the last of its output cannot be written.
pub fn succeed() -> std::io::Result<()> {
    std::io::stdout().flush()?;
    tpq::remove_partial_files();
    end_process(0)
}

/// Reports the outcome of a command and returns the exit code.
pub fn code(outcome: anyhow::Result<()>) -> ExitCode {
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    if error.is::<AlreadyReported>() {
        return ExitCode::FAILURE;
    }
    if error.is::<Interrupted>() {
        return ExitCode::from(130);
    }
    // The reader has closed the pipe, as `head` does: this is not an error.
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
    // If stderr is closed, the error cannot be reported.
    let _ = writeln!(std::io::stderr(), "{} {text}", style.red("error:"));
}

/// An error and its causes in one line, without causes that a message already contains.
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

/// Whether the error is a closed pipe on our output.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause
            .downcast_ref::<std::io::Error>()
            .or_else(|| cause.downcast_ref::<OutputError>()?.io());
        io.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
    })
}
