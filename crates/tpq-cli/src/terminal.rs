//! What a terminal adds: colour and a width.

use std::io::IsTerminal;

/// How a piece of text looks on a terminal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Look {
    Plain,
    Dim,
    /// Worth a look.
    Warning,
    /// Wrong.
    Error,
}

/// Colours text, or leaves it alone where colour is not wanted.
#[derive(Clone, Copy)]
pub struct Style {
    colour: bool,
}

impl Style {
    /// For what is printed to stderr.
    pub fn of_stderr() -> Self {
        Self { colour: std::io::stderr().is_terminal() && wanted() }
    }

    /// For what is printed to stdout.
    pub fn of_stdout() -> Self {
        Self { colour: std::io::stdout().is_terminal() && wanted() }
    }

    /// Without any colour.
    #[cfg(test)]
    pub fn plain() -> Self {
        Self { colour: false }
    }

    /// Whether this colours at all.
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

    pub fn look(self, look: Look, text: &str) -> String {
        match look {
            Look::Plain => text.to_owned(),
            Look::Dim => self.dim(text),
            Look::Warning => self.yellow(text),
            Look::Error => self.red(text),
        }
    }

    pub fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }
}

/// See no-color.org: any value but the empty one says no.
fn wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// The width of the terminal that stdout is, if it is one.
pub fn width() -> Option<u16> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    let (_, columns) = console::Term::stdout().size_checked()?;
    Some(columns)
}

/// The height of the terminal that stdout is, if it is one.
pub fn height() -> Option<u16> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    let (rows, _) = console::Term::stdout().size_checked()?;
    Some(rows)
}
