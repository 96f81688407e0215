//! Colour for SQL while it is typed.

use super::keywords::is_keyword;
use super::lex::{Kind, pieces};
use crate::terminal::Style;

/// The text from the byte `from` on in colour; what comes before decides whether that is within a
/// quote or a comment.
pub fn highlight(text: &str, from: usize, style: Style) -> String {
    let mut out = String::with_capacity((text.len() - from) * 2);
    let mut at = from;
    for piece in pieces(text) {
        if piece.range.end <= from {
            continue;
        }
        let start = piece.range.start.max(from);
        out.push_str(&text[at..start]);
        at = piece.range.end;
        let part = &text[start..at];
        out.push_str(&match piece.kind {
            Kind::Word if is_keyword(part) => style.bold(part),
            Kind::Text => style.green(part),
            Kind::Number => style.cyan(part),
            Kind::Quoted => style.yellow(part),
            Kind::Comment => style.dim(part),
            Kind::Word | Kind::Symbol => part.to_owned(),
        });
    }
    out.push_str(&text[at..]);
    out
}
