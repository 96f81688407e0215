//! Results too long for the screen go through a pager.

use std::io::{ErrorKind, Write, stdout};
use std::process::{Command, Stdio};

use crate::terminal;

/// Prints text, through `$PAGER` where it does not fit the terminal that stdout is.
pub fn print(text: &[u8]) -> std::io::Result<()> {
    if fits(text) {
        return stdout().write_all(text);
    }
    let pager = std::env::var("PAGER").unwrap_or_else(|_| "less".to_owned());
    if pager.trim().is_empty() || pager.trim() == "cat" {
        return stdout().write_all(text);
    }
    let mut command = if cfg!(windows) { Command::new("cmd") } else { Command::new("sh") };
    command.args([if cfg!(windows) { "/C" } else { "-c" }, &pager]).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        // Wide tables scroll sideways rather than wrap.
        command.env("LESS", "-SRFX");
    }
    let Ok(mut child) = command.spawn() else { return stdout().write_all(text) };
    if let Some(mut input) = child.stdin.take() {
        match input.write_all(text) {
            // Left before the end, as one does.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
            other => other?,
        }
    }
    child.wait()?;
    Ok(())
}

/// Whether the text fits the screen, with room for the prompt; always where there is no screen.
fn fits(text: &[u8]) -> bool {
    let (Some(height), Some(width)) = (terminal::height(), terminal::width()) else { return true };
    let text = String::from_utf8_lossy(text);
    let lines = text.lines().count() + 3;
    lines <= usize::from(height)
        && text.lines().all(|line| line.chars().count() <= usize::from(width))
}
