//! Collects lines into inputs: a command, or statements of one or more lines.

use super::lex::is_finished;

/// An input to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// A command that begins with a dot.
    Command(String),
    /// Statements.
    Sql(String),
}

/// The lines of an incomplete statement.
#[derive(Default)]
pub struct Input {
    pending: String,
}

impl Input {
    /// The prompt for the next line.
    pub fn prompt(&self) -> &'static str {
        if self.pending.is_empty() { "tpq> " } else { "...> " }
    }

    /// The lines so far, each with its line break.
    pub fn pending(&self) -> &str {
        &self.pending
    }

    /// Adds one or more lines; returns the input that they complete.
    pub fn push(&mut self, line: &str) -> Option<Entry> {
        if self.pending.is_empty() {
            if let Some(command) = command(line) {
                return Some(Entry::Command(command));
            }
            if line.trim().is_empty() {
                return None;
            }
        }
        let is_first_line = self.pending.is_empty();
        self.pending.push_str(line);
        self.pending.push('\n');
        // A line without a semicolon completes nothing, unless the input is only a comment. This
        // check avoids scanning a long statement again for each of its lines.
        if (line.contains(';') || is_first_line) && is_finished(&self.pending) {
            return self.finish();
        }
        None
    }

    /// The rest at the end of a script, where the last statement needs no semicolon.
    pub fn finish(&mut self) -> Option<Entry> {
        let text = self.take();
        (!text.trim().is_empty()).then(|| Entry::Sql(text.trim_end().to_owned()))
    }

    /// Removes and returns the lines so far.
    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.pending)
    }
}

/// The commands and statements of a script.
pub fn entries(script: &str) -> Vec<Entry> {
    let mut input = Input::default();
    let mut entries: Vec<Entry> = script.lines().filter_map(|line| input.push(line)).collect();
    entries.extend(input.finish());
    entries
}

/// The dot command of a line, if it is a command. Aliases from other shells, such as `exit` and
/// `\d`, are translated.
fn command(line: &str) -> Option<String> {
    let line = line.trim();
    if line.starts_with('.') {
        return Some(line.to_owned());
    }
    let bare = line.trim_end_matches(';').trim_end();
    match bare.to_ascii_lowercase().as_str() {
        "exit" | "quit" => return Some(".quit".to_owned()),
        "help" => return Some(".help".to_owned()),
        _ => {}
    }
    let psql = bare.strip_prefix('\\')?;
    let (name, argument) = psql.split_once(char::is_whitespace).unwrap_or((psql, ""));
    let argument = argument.trim();
    let name = match name.trim_end_matches('+') {
        "d" if !argument.is_empty() => ".schema",
        "d" | "dt" | "dv" => ".tables",
        "df" => ".functions",
        "q" => ".quit",
        "?" | "h" => ".help",
        "i" => ".read",
        "o" => ".output",
        "timing" => ".timer",
        // The error about the unknown command uses the name that was typed.
        _ => return Some(bare.to_owned()),
    };
    Some(format!("{name} {argument}").trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sql(text: &str) -> Entry {
        Entry::Sql(text.to_owned())
    }

    fn dot(text: &str) -> Entry {
        Entry::Command(text.to_owned())
    }

    #[test]
    fn words_and_backslashes_are_commands() {
        let script =
            "exit\nQUIT;\n help ;\n\\d\n\\d+ sched\n\\dt\n\\dt *track\n\\q\n\\?\n\\zz 1;\n";
        let expected = [
            ".quit",
            ".quit",
            ".help",
            ".tables",
            ".schema sched",
            ".tables",
            ".tables *track",
            ".quit",
            ".help",
            "\\zz 1",
        ];
        assert_eq!(entries(script), expected.map(dot));
    }

    #[test]
    fn statements_take_lines_up_to_their_semicolon() {
        let script = "SELECT 1,\n  2;\n.timer off\n\nSELECT ';\nexit\n';\n-- a remark\nSELECT 3";
        let expected = [
            sql("SELECT 1,\n  2;"),
            dot(".timer off"),
            sql("SELECT ';\nexit\n';"),
            sql("-- a remark"),
            sql("SELECT 3"),
        ];
        assert_eq!(entries(script), expected);
    }

    #[test]
    fn the_prompt_shows_whether_a_statement_continues() {
        let mut input = Input::default();
        assert_eq!(input.prompt(), "tpq> ");
        assert_eq!(input.push("SELECT"), None);
        assert_eq!((input.prompt(), input.pending()), ("...> ", "SELECT\n"));
        assert_eq!(input.push("1;"), Some(sql("SELECT\n1;")));
        assert_eq!(input.prompt(), "tpq> ");
    }
}
