//! Colours and size of the terminal.

use std::io::IsTerminal;

/// The visual emphasis of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Emphasis {
    Plain,
    Dim,
    /// Needs attention.
    Warning,
    /// An error.
    Error,
}

/// Applies colours to text, or returns it unchanged if colours are off.
#[derive(Clone, Copy)]
pub struct Style {
    colour: bool,
}

impl Style {
    /// The style for stderr.
    pub fn of_stderr() -> Self {
        Self { colour: std::io::stderr().is_terminal() && colours_enabled() }
    }

    /// The style for stdout.
    pub fn of_stdout() -> Self {
        Self { colour: std::io::stdout().is_terminal() && colours_enabled() }
    }

    /// A style without colours.
    #[cfg(test)]
    pub fn plain() -> Self {
        Self { colour: false }
    }

    /// Whether colours are on.
    pub fn is_on(self) -> bool {
        self.colour
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub fn red(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    pub fn yellow(self, text: &str) -> String {
        self.paint("33", text)
    }

    pub fn green(self, text: &str) -> String {
        self.paint("32", text)
    }

    pub fn cyan(self, text: &str) -> String {
        self.paint("36", text)
    }

    pub fn emphasize(self, emphasis: Emphasis, text: &str) -> String {
        match emphasis {
            Emphasis::Plain => text.to_owned(),
            Emphasis::Dim => self.dim(text),
            Emphasis::Warning => self.yellow(text),
            Emphasis::Error => self.red(text),
        }
    }

    pub fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }
}

/// See no-color.org: any value except the empty one turns colours off.
fn colours_enabled() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// The width of the terminal in columns, if stdout is one.
pub fn width() -> Option<u16> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    let (_, columns) = console::Term::stdout().size_checked()?;
    Some(columns)
}

/// The height of the terminal in rows, if stdout is one.
pub fn height() -> Option<u16> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    let (rows, _) = console::Term::stdout().size_checked()?;
    Some(rows)
}
