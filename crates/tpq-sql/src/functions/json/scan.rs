//! Reading JSON text without building a tree: a value is the part of the text that it takes.

use datafusion::common::exec_datafusion_err;
use datafusion::error::DataFusionError;

use super::super::steps::Steps;
use super::super::value::Value;
use super::strings::{minified, unescaped};

/// The maximum depth of arrays and objects, as in SQLite.
const MAX_DEPTH: usize = 1_000;

/// The reason why a text was not read.
#[derive(Debug)]
pub(super) enum Fault {
    /// The text is not JSON.
    Malformed,
    /// The statement was cancelled.
    Stopped(DataFusionError),
}

impl From<DataFusionError> for Fault {
    fn from(error: DataFusionError) -> Self {
        Self::Stopped(error)
    }
}

impl From<Fault> for DataFusionError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Malformed => exec_datafusion_err!("malformed JSON"),
            Fault::Stopped(error) => error,
        }
    }
}

pub(super) type Scan<T> = Result<T, Fault>;

/// The type of a JSON value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Null,
    True,
    False,
    Integer,
    Real,
    Text,
    Array,
    Object,
}

impl Kind {
    /// The type of a value, by its text.
    pub(super) fn of(value: &str) -> Self {
        match value.as_bytes().first() {
            Some(b'{') => Self::Object,
            Some(b'[') => Self::Array,
            Some(b'"') => Self::Text,
            Some(b't') => Self::True,
            Some(b'f') => Self::False,
            Some(b'n') | None => Self::Null,
            Some(_) if value.contains(['.', 'e', 'E']) => Self::Real,
            Some(_) => Self::Integer,
        }
    }

    /// The name that `json_type()` returns.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::True => "true",
            Self::False => "false",
            Self::Integer => "integer",
            Self::Real => "real",
            Self::Text => "text",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

/// A place in a JSON text.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Position {
    /// The number of bytes before it.
    at: usize,
    /// The number of values and keys before it; an array or object that it is within is before it.
    nodes: i64,
}

/// Reads a JSON text from a position on.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// The number of values and keys that were begun.
    nodes: i64,
    steps: Steps,
    /// Whether a string has control characters. JSON forbids them, SQLite reads them.
    has_controls: bool,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self::from_position(text, Position::default())
    }

    /// Goes on with `text` at a position.
    pub(super) fn from_position(text: &'a str, position: Position) -> Self {
        let Position { at, nodes } = position;
        Self { text, at, nodes, steps: Steps::default(), has_controls: false }
    }

    pub(super) fn position(&self) -> Position {
        Position { at: self.at, nodes: self.nodes }
    }

    /// The number of values and keys before the position.
    pub(super) fn nodes(&self) -> i64 {
        self.nodes
    }

    /// The text from the position on.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Steps into an array or object, and returns the bracket that closes it; `None` at other
    /// values.
    pub(super) fn enter(&mut self) -> Option<u8> {
        let close = match self.peek()? {
            b'{' => b'}',
            b'[' => b']',
            _ => return None,
        };
        self.at += 1;
        self.nodes += 1;
        self.skip_blanks();
        Some(close)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips a byte if it is the next one.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, byte: u8) -> Scan<()> {
        if self.take(byte) { Ok(()) } else { Err(Fault::Malformed) }
    }

    pub(super) fn skip_blanks(&mut self) {
        while self.peek().is_some_and(is_blank) {
            self.at += 1;
        }
    }

    fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// Skips a value, and returns its text.
    pub(super) fn value(&mut self) -> Scan<&'a str> {
        let start = self.at;
        // The closing brackets of the open arrays and objects.
        let mut open: Vec<u8> = Vec::new();
        loop {
            self.nodes += 1;
            match self.peek() {
                Some(bracket @ (b'{' | b'[')) => {
                    self.at += 1;
                    let close = if bracket == b'{' { b'}' } else { b']' };
                    self.skip_blanks();
                    if !self.take(close) {
                        if open.len() >= MAX_DEPTH {
                            return Err(Fault::Malformed);
                        }
                        open.push(close);
                        self.start_element(close)?;
                        continue;
                    }
                }
                Some(b'"') => _ = self.string()?,
                Some(b'-' | b'0'..=b'9') => self.number()?,
                _ => self.word()?,
            }
            self.steps.take(1)?;
            if !self.next_element(&mut open)? {
                return Ok(self.since(start));
            }
        }
    }

    /// Goes on to the value of the next element. `false` after the outermost value.
    fn next_element(&mut self, open: &mut Vec<u8>) -> Scan<bool> {
        while let Some(&close) = open.last() {
            self.skip_blanks();
            if self.take(b',') {
                self.skip_blanks();
                self.start_element(close)?;
                return Ok(true);
            }
            self.expect(close)?;
            open.pop();
        }
        Ok(false)
    }

    /// Skips the key of a member, if an object is open.
    fn start_element(&mut self, close: u8) -> Scan<()> {
        if close == b'}' {
            self.key()?;
        }
        Ok(())
    }

    /// Skips a key and its colon, and returns the text between its quotes.
    pub(super) fn key(&mut self) -> Scan<&'a str> {
        self.nodes += 1;
        let key = self.string()?;
        self.skip_blanks();
        self.expect(b':')?;
        self.skip_blanks();
        Ok(key)
    }

    /// Skips a string, and returns the text between its quotes.
    fn string(&mut self) -> Scan<&'a str> {
        self.expect(b'"')?;
        let start = self.at;
        loop {
            match self.peek() {
                None => return Err(Fault::Malformed),
                Some(b'"') => break,
                Some(b'\\') => self.escape()?,
                Some(byte) => {
                    self.has_controls |= byte < b' ';
                    self.at += 1;
                }
            }
        }
        let text = self.since(start);
        self.at += 1;
        self.steps.take(text.len())?;
        Ok(text)
    }

    fn escape(&mut self) -> Scan<()> {
        self.at += 1;
        let letter = self.peek();
        self.at += 1;
        match letter {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(()),
            Some(b'u') => {
                for _ in 0..4 {
                    if !self.peek().is_some_and(|digit| digit.is_ascii_hexdigit()) {
                        return Err(Fault::Malformed);
                    }
                    self.at += 1;
                }
                Ok(())
            }
            _ => Err(Fault::Malformed),
        }
    }

    fn number(&mut self) -> Scan<()> {
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Ok(())
    }

    /// Skips one or more digits.
    fn digits(&mut self) -> Scan<()> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(Fault::Malformed) }
    }

    fn word(&mut self) -> Scan<()> {
        let rest = self.rest();
        let word = ["true", "false", "null"].into_iter().find(|word| rest.starts_with(word));
        self.at += word.ok_or(Fault::Malformed)?.len();
        Ok(())
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The value that a text consists of, and whether its strings have control characters.
fn read(text: &str) -> Scan<(&str, bool)> {
    let mut scanner = Scanner::new(text);
    scanner.skip_blanks();
    let value = scanner.value()?;
    scanner.skip_blanks();
    match scanner.peek() {
        None => Ok((value, scanner.has_controls)),
        Some(_) => Err(Fault::Malformed),
    }
}

/// The value that a text consists of.
pub(super) fn document(text: &str) -> Scan<&str> {
    Ok(read(text)?.0)
}

/// Whether a text is a value by the grammar of RFC 8259.
pub(super) fn is_strict(text: &str) -> Scan<bool> {
    match read(text) {
        Ok((_, has_controls)) => Ok(!has_controls),
        Err(Fault::Malformed) => Ok(false),
        Err(stopped) => Err(stopped),
    }
}

/// The SQL value of a JSON value: NULL, a number or a text. Arrays and objects are JSON text.
pub(super) fn sql_value(value: &str) -> Value<'static> {
    let real = || value.parse().map_or(Value::Null, Value::Real);
    match Kind::of(value) {
        Kind::Null => Value::Null,
        Kind::True => Value::Integer(1),
        Kind::False => Value::Integer(0),
        Kind::Integer => value.parse().map_or_else(|_| real(), Value::Integer),
        Kind::Real => real(),
        Kind::Text => {
            let text = value.get(1..value.len().saturating_sub(1)).unwrap_or_default();
            Value::text(unescaped(text).into_owned())
        }
        Kind::Array | Kind::Object => Value::text(minified(value).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_json(text: &str) -> bool {
        document(text).is_ok()
    }

    #[test]
    fn values_are_read_and_what_is_none_is_refused() {
        for text in [
            "1",
            "-0",
            "1.5e+3",
            "\"a\\u00e9\"",
            "[]",
            "[ 1 , [ ] , {} ]",
            "{\"a\" : {\"b\": []}}",
            " true ",
            "null",
            "\"\\\"\"",
        ] {
            assert!(is_json(text), "{text}");
        }
        for text in [
            "",
            "01",
            "1.",
            ".5",
            "+1",
            "[1,]",
            "[1 2]",
            "{\"a\"}",
            "{a: 1}",
            "{\"a\": 1,}",
            "tru",
            "\"a",
            "\"\\x\"",
            "\"\\u12\"",
            "1 2",
            "]",
            "[}",
            "{\"a\": 1]",
        ] {
            assert!(!is_json(text), "{text}");
        }
    }

    #[test]
    fn the_depth_is_limited() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(is_json(&nested(MAX_DEPTH)));
        assert!(!is_json(&nested(MAX_DEPTH + 2)));
        assert!(!is_json(&"[".repeat(1_000_000)));
    }

    #[test]
    fn numbers_become_integers_and_reals() {
        assert_eq!(sql_value("-12"), Value::Integer(-12));
        assert_eq!(sql_value("1.50"), Value::Real(1.5));
        assert_eq!(sql_value("2e3"), Value::Real(2000.0));
        assert_eq!(sql_value("9223372036854775808"), Value::Real(9_223_372_036_854_775_808.0));
        assert_eq!(sql_value("true"), Value::Integer(1));
    }
}
