//! A place in the text of a statement.

use std::fmt;

use datafusion::sql::sqlparser::tokenizer::{Location, Span};

/// Where in the text an error is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
    /// How many characters of the line it covers; at least 1.
    pub width: usize,
    /// The text of the line.
    pub text: String,
}

impl Place {
    /// The place of a span; one that goes on over the next lines is cut at the end of its first.
    pub(crate) fn of(sql: &str, span: Span) -> Option<Self> {
        let (line, column) = (as_usize(span.start)?.0, as_usize(span.start)?.1);
        let text = sql.lines().nth(line - 1).unwrap_or_default().to_owned();
        let rest = (text.chars().count() + 1).saturating_sub(column).max(1);
        let width = match as_usize(span.end) {
            Some((end_line, end_column)) if end_line == line => end_column.saturating_sub(column),
            Some(_) => rest,
            None => 1,
        };
        Some(Self { line, column, width: width.clamp(1, rest), text })
    }

    /// Just after the last character that is not blank: where something is missing.
    pub(crate) fn end_of(sql: &str, last: Span) -> Option<Self> {
        let mut start = last.end;
        // A span's end is the column after it, or where the token ends on its line.
        if start.line == 0 {
            start = last.start;
        }
        Self::of(sql, Span::new(start, start))
    }
}

/// Line 0 stands for a place that is not known.
fn as_usize(location: Location) -> Option<(usize, usize)> {
    let line = usize::try_from(location.line).ok().filter(|&line| line > 0)?;
    Some((line, usize::try_from(location.column).ok()?.max(1)))
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, width, text } = self;
        let number = line.to_string();
        // Tabs before the place are kept, so that the caret lines up however wide they are shown.
        let before = text.chars().take(column - 1);
        let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let missing = (column - 1).saturating_sub(text.chars().count());
        writeln!(f, "line {number}, column {column}:")?;
        writeln!(f, "  {text}")?;
        write!(f, "  {indent}{}{}", " ".repeat(missing), "^".repeat(*width))
    }
}
