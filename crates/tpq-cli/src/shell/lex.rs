//! The pieces of a line of SQL while it is being typed: unlike the parser's tokens, they exist
//! for text that is not finished.

use std::ops::Range;

/// What a piece of text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Word,
    Number,
    /// In single quotes.
    Text,
    /// A name in double quotes, backticks or brackets.
    Quoted,
    Comment,
    Symbol,
}

/// A piece and where it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    pub kind: Kind,
    pub range: Range<usize>,
    /// Whether it goes on to the end because what ends it is missing.
    pub open: bool,
}

/// The pieces of a text, blanks left out.
pub fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (kind, len, open) = piece(rest, first);
        pieces.push(Piece { kind, range: at..at + len, open });
        at += len;
    }
    pieces
}

fn piece(rest: &str, first: char) -> (Kind, usize, bool) {
    let until = |end: fn(char) -> bool| rest.find(end).unwrap_or(rest.len());
    match first {
        '\'' => quoted(rest, '\'', Kind::Text),
        '"' | '`' => quoted(rest, first, Kind::Quoted),
        '[' => quoted(rest, ']', Kind::Quoted),
        '-' if rest.starts_with("--") => (Kind::Comment, until(|c| c == '\n'), false),
        '/' if rest.starts_with("/*") => match rest.find("*/") {
            Some(end) => (Kind::Comment, end + 2, false),
            None => (Kind::Comment, rest.len(), true),
        },
        c if c.is_ascii_digit() => {
            (Kind::Number, until(|c| !c.is_ascii_alphanumeric() && c != '.'), false)
        }
        c if c.is_alphabetic() || c == '_' || c == '$' => {
            (Kind::Word, until(|c| !c.is_alphanumeric() && c != '_' && c != '$'), false)
        }
        c => (Kind::Symbol, c.len_utf8(), false),
    }
}

/// From a quote to the next one; two in a row stand for one inside.
fn quoted(rest: &str, end: char, kind: Kind) -> (Kind, usize, bool) {
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((offset, c)) = chars.next() {
        if c != end {
            continue;
        }
        if chars.peek().is_some_and(|&(_, next)| next == end) {
            chars.next();
        } else {
            return (kind, offset + c.len_utf8(), false);
        }
    }
    (kind, rest.len(), true)
}

/// Whether the text ends with a statement's semicolon (or has no statement at all).
pub fn is_finished(text: &str) -> bool {
    let pieces = pieces(text);
    if pieces.iter().any(|piece| piece.open) {
        return false;
    }
    let last = pieces.iter().rev().find(|piece| piece.kind != Kind::Comment);
    last.is_none_or(|last| &text[last.range.clone()] == ";")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_semicolon_ends_a_statement_only_outside_quotes() {
        assert!(is_finished("SELECT 1;"));
        assert!(is_finished("SELECT ';'; -- done"));
        assert!(is_finished("  "));
        assert!(!is_finished("SELECT 1"));
        assert!(!is_finished("SELECT ';"));
        assert!(!is_finished("SELECT 1 -- ;"));
        assert!(!is_finished("SELECT 1; /* more"));
    }

    #[test]
    fn pieces_cover_what_is_typed() {
        let text = "SELECT s.ts, 'it''s' FROM \"a b\" WHERE x >= 1.5e3";
        let texts: Vec<&str> = pieces(text).into_iter().map(|piece| &text[piece.range]).collect();
        assert_eq!(
            texts,
            [
                "SELECT", "s", ".", "ts", ",", "'it''s'", "FROM", "\"a b\"", "WHERE", "x", ">",
                "=", "1.5e3"
            ]
        );
    }
}
