//! Locations of errors in the text of a statement.

use std::fmt;

use datafusion::sql::sqlparser::tokenizer::{Location, Span};

/// The largest number of calls to show. Of a longer trail, only the innermost and the outermost
/// calls are shown.
const MAX_SHOWN_CALLS: usize = 8;

/// The location of an error in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ErrorLocation {
    /// Line number, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// Width in characters of the line; at least 1.
    pub width: usize,
    /// The text of the line.
    pub text: String,
    /// The module that contains the text; `None` for the user's own text.
    pub module: Option<String>,
    /// The uses of views, functions and macros that led to the location, innermost first.
    pub trail: Vec<String>,
}

impl ErrorLocation {
    /// The location of a span. A span of several lines is cut at the end of its first line.
    pub(crate) fn from_span(sql: &str, span: Span) -> Option<Self> {
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

    /// Sets the module and the trail of calls.
    pub(crate) fn within(self, module: Option<&str>, trail: Vec<String>) -> Self {
        Self { module: module.map(str::to_owned), trail, ..self }
    }

    /// The location as text that follows a verb.
    pub(crate) fn label(&self, module: Option<&str>) -> String {
        let suffix = module.map(|module| format!(" of module {module}")).unwrap_or_default();
        format!(" at line {}, column {}{suffix}", self.line, self.column)
    }

    /// The empty span after `last`, for an error about missing text.
    pub(crate) fn after(last: Span) -> Span {
        // The end of a span is the column after it. Line 0 means that the end is unknown.
        let start = if last.end.line == 0 { last.start } else { last.end };
        Span::new(start, start)
    }
}

/// Line and column, both from 1. `None` for line 0, which means an unknown location.
fn as_usize(location: Location) -> Option<(usize, usize)> {
    let line = usize::try_from(location.line).ok().filter(|&line| line > 0)?;
    Some((line, usize::try_from(location.column).ok()?.max(1)))
}

impl fmt::Display for ErrorLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, width, text, module, trail } = self;
        let number = line.to_string();
        // Tabs before the location stay tabs, so that the carets line up for any tab width.
        let before = text.chars().take(column - 1);
        let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let missing = (column - 1).saturating_sub(text.chars().count());
        let suffix = module.as_ref().map(|module| format!(" of module {module}"));
        writeln!(f, "line {number}, column {column}{}:", suffix.unwrap_or_default())?;
        writeln!(f, "  {text}")?;
        write!(f, "  {indent}{}{}", " ".repeat(missing), "^".repeat(*width))?;
        let shown = if trail.len() > MAX_SHOWN_CALLS { MAX_SHOWN_CALLS / 2 } else { trail.len() };
        let (inner, rest) = trail.split_at(shown);
        let (between, outer) = rest.split_at(rest.len() - shown.min(rest.len()));
        inner.iter().try_for_each(|call| write!(f, "\n{call}"))?;
        if !between.is_empty() {
            write!(f, "\n… {} more calls …", between.len())?;
        }
        outer.iter().try_for_each(|call| write!(f, "\n{call}"))
    }
}
