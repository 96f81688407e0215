//! Syntax highlighting for SQL.

use super::keywords::is_keyword;
use super::lex::{TokenKind, tokenize};
use crate::terminal::Style;

/// Highlights the text from byte `from` on. The text before it decides whether that position is
/// inside a quote or a comment.
pub fn highlight(text: &str, from: usize, style: Style) -> String {
    let mut out = String::with_capacity((text.len() - from) * 2);
    let mut at = from;
    for token in tokenize(text) {
        if token.range.end <= from {
            continue;
        }
        let start = token.range.start.max(from);
        out.push_str(&text[at..start]);
        at = token.range.end;
        let part = &text[start..at];
        out.push_str(&match token.kind {
            TokenKind::Word if is_keyword(part) => style.bold(part),
            TokenKind::Text => style.green(part),
            TokenKind::Number => style.cyan(part),
            TokenKind::Quoted => style.yellow(part),
            TokenKind::Comment => style.dim(part),
            TokenKind::Word | TokenKind::Symbol => part.to_owned(),
        });
    }
    out.push_str(&text[at..]);
    out
}
