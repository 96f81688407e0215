//! Colour for SQL while it is typed.

use super::keywords::is_keyword;
use super::lex::{Kind, pieces};
use crate::terminal::Style;

/// The text in colour.
pub fn highlight(text: &str, style: Style) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut at = 0;
    for piece in pieces(text) {
        out.push_str(&text[at..piece.range.start]);
        at = piece.range.end;
        let part = &text[piece.range];
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
