//! Splits SQL into tokens while it is being typed. Unlike the parser, it accepts incomplete text.

use std::ops::Range;

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    Word,
    Number,
    /// In single quotes.
    Text,
    /// A name in double quotes, backticks or brackets.
    Quoted,
    Comment,
    Symbol,
}

/// A token and its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub range: Range<usize>,
    /// Whether the token extends to the end of the text because its end is missing.
    pub unterminated: bool,
}

/// The tokens of a text, without blanks.
pub fn tokenize(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (kind, len, unterminated) = token(rest, first);
        tokens.push(Token { kind, range: at..at + len, unterminated });
        at += len;
    }
    tokens
}

fn token(rest: &str, first: char) -> (TokenKind, usize, bool) {
    let until = |end: fn(char) -> bool| rest.find(end).unwrap_or(rest.len());
    match first {
        '\'' => quoted(rest, '\'', TokenKind::Text),
        '"' | '`' => quoted(rest, first, TokenKind::Quoted),
        '[' => quoted(rest, ']', TokenKind::Quoted),
        '-' if rest.starts_with("--") => (TokenKind::Comment, until(|c| c == '\n'), false),
        '/' if rest.starts_with("/*") => match rest.find("*/") {
            Some(end) => (TokenKind::Comment, end + 2, false),
            None => (TokenKind::Comment, rest.len(), true),
        },
        c if c.is_ascii_digit() => {
            (TokenKind::Number, until(|c| !c.is_ascii_alphanumeric() && c != '.'), false)
        }
        c if c.is_alphabetic() || c == '_' || c == '$' => {
            (TokenKind::Word, until(|c| !c.is_alphanumeric() && c != '_' && c != '$'), false)
        }
        c => (TokenKind::Symbol, c.len_utf8(), false),
    }
}

/// A quoted token up to the next quote; a doubled quote stands for one inside.
fn quoted(rest: &str, end: char, kind: TokenKind) -> (TokenKind, usize, bool) {
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

/// Whether the text ends with a statement's semicolon, or has no statement at all.
pub fn is_finished(text: &str) -> bool {
    let tokens = tokenize(text);
    if tokens.iter().any(|token| token.unterminated) {
        return false;
    }
    let last = tokens.iter().rev().find(|token| token.kind != TokenKind::Comment);
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
    fn tokens_cover_the_text() {
        let text = "SELECT s.ts, 'it''s' FROM \"a b\" WHERE x >= 1.5e3";
        let texts: Vec<&str> = tokenize(text).into_iter().map(|token| &text[token.range]).collect();
        assert_eq!(
            texts,
            [
                "SELECT", "s", ".", "ts", ",", "'it''s'", "FROM", "\"a b\"", "WHERE", "x", ">",
                "=", "1.5e3"
            ]
        );
    }
}
