//! A script: statements separated by semicolons.

use std::ops::Range;
use std::sync::Arc;

use datafusion::sql::sqlparser::tokenizer::{
    Location, Span, Token, TokenWithSpan, Tokenizer, TokenizerError,
};

use super::dialect::TraceDialect;
use super::parameters::parameter_names;
use super::{Script, Sources, Text};
use crate::errors::{ErrorLocation, SqlError, SqlErrorKind};

/// One statement of a script, not yet parsed, so that what is wrong with a later statement does
/// not keep the earlier ones from running.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The whole script: places count from its beginning.
    pub(crate) script: Arc<Script>,
    pub(crate) tokens: Vec<TokenWithSpan>,
    /// The bytes of the script from its first to its last word, without the semicolon.
    text: Range<usize>,
    /// The offset in the script behind its semicolon, or of the end.
    end: usize,
}

impl Statement {
    /// The statement with its macros not yet expanded.
    pub(crate) fn text_as_written(&self) -> Text {
        Text { sources: Sources::new(&self.script), tokens: self.tokens.clone() }
    }

    /// The offset in the script at which the text after this statement begins: behind its
    /// semicolon, or at the end.
    pub fn end(&self) -> usize {
        self.end
    }

    /// The bytes of memory that its words and signs take. The script comes on top of them, once
    /// for all of its statements.
    pub fn memory_size(&self) -> usize {
        self.text.len() + self.tokens.len() * size_of::<TokenWithSpan>()
    }

    /// The names of its parameters, in lower case, in the order of their first use: `$1` has the
    /// name `1`.
    pub fn parameters(&self) -> Vec<String> {
        parameter_names(&self.tokens)
    }

    /// Whether a name after a schema occurs, as in `schema.table`.
    pub fn names_schema(&self, schema: &str) -> bool {
        let mut tokens = self.tokens.iter().map(|token| &token.token).peekable();
        let mut before: Option<&Token> = None;
        while let Some(token) = tokens.next() {
            let is_name =
                matches!(token, Token::Word(word) if word.value.eq_ignore_ascii_case(schema));
            if is_name && before != Some(&Token::Period) && tokens.peek() == Some(&&Token::Period) {
                return true;
            }
            before = Some(token);
        }
        false
    }

    /// The text of the statement, without its semicolon.
    pub fn text(&self) -> &str {
        self.script.text.get(self.text.clone()).unwrap_or_default()
    }
}

/// Cuts a text into statements; those with nothing but blanks and comments are left out.
///
/// # Errors
/// When the text has a quote or comment that is never closed, or a character SQL does not use.
pub(crate) fn split(sql: &str) -> Result<Vec<Statement>, SqlError> {
    split_script(&Arc::new(Script { module: None, text: sql.into() }))
}

/// The same for a text that knows where it is from.
pub(crate) fn split_script(script: &Arc<Script>) -> Result<Vec<Statement>, SqlError> {
    let tokens = tokenize(&script.text).map_err(|error| error.in_module(script))?;
    let solid = |token: &&TokenWithSpan| !matches!(token.token, Token::Whitespace(_) | Token::EOF);
    let mut offsets = Offsets::new(&script.text);
    let mut statements = Vec::new();
    for tokens in tokens.split(|token| token.token == Token::SemiColon) {
        let (first, last) = (tokens.iter().find(solid), tokens.iter().rev().find(solid));
        let (Some(first), Some(last), Some(after)) = (first, last, tokens.last()) else { continue };
        // In the order of the text, which is read once.
        let text = offsets.of(first.span.start)..offsets.of(last.span.end);
        let end = offsets.of(after.span.end);
        let has_semicolon = script.text.get(end..).is_some_and(|rest| rest.starts_with(';'));
        statements.push(Statement {
            script: Arc::clone(script),
            tokens: tokens.to_vec(),
            text,
            end: end + usize::from(has_semicolon),
        });
    }
    Ok(statements)
}

/// The byte offsets of locations, which are asked for in the order of the text.
struct Offsets<'a> {
    rest: std::str::Chars<'a>,
    length: usize,
    line: u64,
    column: u64,
}

impl<'a> Offsets<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text.chars(), length: text.len(), line: 1, column: 1 }
    }

    /// The offset of a location that is not before the last one; the end of the text for one that
    /// the text does not have.
    fn of(&mut self, location: Location) -> usize {
        while (self.line, self.column) < (location.line, location.column) {
            match self.rest.next() {
                Some('\n') => (self.line, self.column) = (self.line + 1, 1),
                Some(_) => self.column += 1,
                None => break,
            }
        }
        self.length - self.rest.as_str().len()
    }
}

/// The tokens of a text, blanks and comments among them.
pub(crate) fn tokenize(sql: &str) -> Result<Vec<TokenWithSpan>, SqlError> {
    Tokenizer::new(&TraceDialect::default(), sql).tokenize_with_location().map_err(
        |TokenizerError { message, location }| {
            let location_in_text = ErrorLocation::from_span(sql, Span::new(location, location));
            SqlError::new(SqlErrorKind::Syntax, format!("syntax error: {message}"))
                .at(location_in_text)
        },
    )
}

/// The text from one location to another.
pub(super) fn text_between(sql: &str, start: Location, end: Location) -> &str {
    let start = byte_offset(sql, start);
    let end = byte_offset(sql, end);
    sql.get(start..end.max(start)).unwrap_or_default()
}

fn byte_offset(sql: &str, location: Location) -> usize {
    let line = usize::try_from(location.line).unwrap_or(usize::MAX).saturating_sub(1);
    let column = usize::try_from(location.column).unwrap_or(usize::MAX).saturating_sub(1);
    let before: usize = sql.split_inclusive('\n').take(line).map(str::len).sum();
    let rest = sql.get(before..).unwrap_or_default();
    before + rest.char_indices().nth(column).map_or(rest.len(), |(offset, _)| offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_cut_at_semicolons_outside_quotes() {
        let script = "-- first\nSELECT ';' ; ;\n\n SELECT 2 -- done\n";
        let statements = split(script).unwrap_or_default();
        let texts: Vec<&str> = statements.iter().map(Statement::text).collect();
        assert_eq!(texts, ["SELECT ';'", "SELECT 2"]);
    }

    #[test]
    fn a_statement_ends_behind_its_semicolon() {
        let script = "SELECT 'ä;' ; -- one\nSELECT 2 -- two\n;SELECT 3";
        let ends = |script: &str| -> Vec<usize> {
            split(script).unwrap_or_default().iter().map(Statement::end).collect()
        };
        assert_eq!(ends(script), [14, 39, 47]);
        assert_eq!(script.len(), 47);
    }

    #[test]
    fn long_scripts_are_cut_in_one_pass() {
        let script = "SELECT 'ä';".repeat(100_000);
        let start = std::time::Instant::now();
        let statements = split(&script).unwrap_or_default();
        assert_eq!(statements.len(), 100_000);
        assert!(statements.iter().all(|statement| statement.text() == "SELECT 'ä'"));
        assert_eq!(statements.last().map(Statement::end), Some(script.len()));
        // With a pass for each statement, minutes.
        assert!(start.elapsed() < std::time::Duration::from_secs(30));
    }

    #[test]
    fn parameters_are_named_once() {
        let statements = split("SELECT $2, :Name, '$3', $1, $2").unwrap_or_default();
        let names: Vec<Vec<String>> = statements.iter().map(Statement::parameters).collect();
        assert_eq!(names, [["2", "name", "1"]]);
    }

    #[test]
    fn schemas_are_found_outside_of_texts() {
        let named = |sql: &str| split(sql).unwrap_or_default()[0].names_schema("lake");
        assert!(named("SELECT * FROM Lake.slice") && named("SELECT 1, \"lake\".slice.id FROM x"));
        assert!(!named("SELECT 'lake.slice', x.lake.y -- lake.slice\nFROM lake"));
    }

    #[test]
    fn an_open_quote_is_pointed_at() {
        let error = split("SELECT 1;\nSELECT 'abc").err();
        let found = error.as_ref().and_then(SqlError::location);
        assert_eq!(found.map(|found| (found.line, found.column)), Some((2, 8)));
    }
}
