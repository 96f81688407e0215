//! Shows long results in a pager.

use std::io::{ErrorKind, Write, stdout};
use std::process::{Command, Stdio};

use crate::terminal;

/// How to show text that does not fit the screen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Pager {
    /// `$PAGER`, else `less`.
    #[default]
    On,
    /// No pager: the text is printed.
    Off,
    /// This command.
    Command(String),
}

impl Pager {
    /// Parses `on`, `off` or a command.
    pub fn of(text: &str) -> Self {
        match text.trim() {
            "on" => Self::On,
            "off" | "" | "cat" => Self::Off,
            command => Self::Command(command.to_owned()),
        }
    }

    /// Prints text, through the pager if it does not fit the terminal. Returns whether a pager ran;
    /// Ctrl-C was then meant for the pager.
    pub fn print(&self, text: &[u8]) -> std::io::Result<bool> {
        let command = self.command().filter(|_| !fits(text));
        let Some(mut child) = command.and_then(|command| start(&command)) else {
            return stdout().write_all(text).map(|()| false);
        };
        if let Some(mut input) = child.stdin.take() {
            match input.write_all(text) {
                // The user left the pager before the end.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
                other => other?,
            }
        }
        match child.wait()?.code() {
            // The system's shell could not find or run the program.
            Some(126 | 127) => stdout().write_all(text).map(|()| false),
            _ => Ok(true),
        }
    }

    fn command(&self) -> Option<String> {
        match self {
            Self::Off => None,
            Self::Command(command) => Some(command.clone()),
            Self::On => {
                let command = std::env::var("PAGER").unwrap_or_else(|_| "less".to_owned());
                match Self::of(&command) {
                    Self::Off => None,
                    _ => Some(command),
                }
            }
        }
    }
}

fn start(command: &str) -> Option<std::process::Child> {
    let mut child = if cfg!(windows) { Command::new("cmd") } else { Command::new("sh") };
    child.args([if cfg!(windows) { "/C" } else { "-c" }, command]).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        // Wide tables scroll sideways instead of wrapping.
        child.env("LESS", "-SRFX");
    }
    child.spawn().ok()
}

/// Whether the text fits the screen, with room for the prompt. Always true without a terminal.
fn fits(text: &[u8]) -> bool {
    let (Some(height), Some(width)) = (terminal::height(), terminal::width()) else { return true };
    let text = String::from_utf8_lossy(text);
    let lines = text.lines().count() + 3;
    lines <= usize::from(height)
        && text.lines().all(|line| console::measure_text_width(line) <= usize::from(width))
}

#[cfg(test)]
mod tests {
    use super::Pager;

    #[test]
    fn a_pager_is_on_off_or_a_command() {
        assert_eq!(Pager::of("on"), Pager::On);
        assert_eq!(Pager::of(" off "), Pager::Off);
        assert_eq!(Pager::of("cat"), Pager::Off);
        assert_eq!(Pager::of("less -S"), Pager::Command("less -S".to_owned()));
        assert_eq!(Pager::Off.command(), None);
    }
}
