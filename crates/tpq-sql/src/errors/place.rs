//! A place in the text of a statement.

use std::fmt;

use datafusion::sql::sqlparser::tokenizer::{Location, Span};

/// Of more calls than this only the innermost and the outermost are shown.
const LONGEST_TRAIL: usize = 8;

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
    /// The module whose text it is; `None` for what the user gave.
    pub module: Option<String>,
    /// The calls of macros that led there, the innermost first.
    pub trail: Vec<String>,
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
        Some(Self {
            line,
            column,
            width: width.clamp(1, rest),
            text,
            module: None,
            trail: Vec::new(),
        })
    }

    /// The same place, in the text of a module and reached by these calls.
    pub(crate) fn within(self, module: Option<&str>, trail: Vec<String>) -> Self {
        Self { module: module.map(str::to_owned), trail, ..self }
    }

    /// The place in words, to follow a verb.
    pub(crate) fn label(&self, module: Option<&str>) -> String {
        let of = module.map(|module| format!(" of module {module}")).unwrap_or_default();
        format!(" at line {}, column {}{of}", self.line, self.column)
    }

    /// Just after the last character that is not blank: where something is missing.
    pub(crate) fn after(last: Span) -> Span {
        // A span's end is the column after it, or where the token ends on its line.
        let start = if last.end.line == 0 { last.start } else { last.end };
        Span::new(start, start)
    }
}

/// Line 0 stands for a place that is not known.
fn as_usize(location: Location) -> Option<(usize, usize)> {
    let line = usize::try_from(location.line).ok().filter(|&line| line > 0)?;
    Some((line, usize::try_from(location.column).ok()?.max(1)))
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, width, text, module, trail } = self;
        let number = line.to_string();
        // Tabs before the place are kept, so that the caret lines up however wide they are shown.
        let before = text.chars().take(column - 1);
        let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let missing = (column - 1).saturating_sub(text.chars().count());
        let of = module.as_ref().map(|module| format!(" of module {module}"));
        writeln!(f, "line {number}, column {column}{}:", of.unwrap_or_default())?;
        writeln!(f, "  {text}")?;
        write!(f, "  {indent}{}{}", " ".repeat(missing), "^".repeat(*width))?;
        let shown = if trail.len() > LONGEST_TRAIL { LONGEST_TRAIL / 2 } else { trail.len() };
        let (inner, rest) = trail.split_at(shown);
        let (between, outer) = rest.split_at(rest.len() - shown.min(rest.len()));
        inner.iter().try_for_each(|call| write!(f, "\n{call}"))?;
        if !between.is_empty() {
            write!(f, "\n… {} calls more …", between.len())?;
        }
        outer.iter().try_for_each(|call| write!(f, "\n{call}"))
    }
}
