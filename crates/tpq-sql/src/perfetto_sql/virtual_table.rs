//! `CREATE VIRTUAL TABLE x USING kind(…)`: the kinds, and the arguments of those that take a query.

use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::cursor::Cursor;
use super::span_join::{SpanJoinCall, span_join};
use super::time_windows::time_windows;
use crate::errors::SqlError;
use crate::functions::{IndexKind, index_kinds};
use crate::operators::TimeWindows;

/// A virtual table, not yet planned.
#[derive(Clone, Debug)]
pub(crate) enum VirtualTable {
    /// `SPAN_JOIN(a, b)` and its variants: a table.
    SpanJoin(Box<SpanJoinCall>),
    /// `__intrinsic_window(start, dur, quantum)`: a table.
    TimeWindows(TimeWindows),
    /// An index over the rows of a query: a table function.
    Index(&'static dyn IndexKind, Vec<TokenWithSpan>),
}

/// Reads what follows USING.
pub(super) fn virtual_table(cursor: &mut Cursor) -> Result<VirtualTable, SqlError> {
    if cursor.take_word("__intrinsic_window") {
        return time_windows(cursor).map(VirtualTable::TimeWindows);
    }
    match index_kinds().find(|kind| cursor.take_word(kind.name())) {
        Some(kind) => Ok(VirtualTable::Index(kind, query(cursor)?)),
        None => Ok(VirtualTable::SpanJoin(Box::new(span_join(cursor)?))),
    }
}

/// Reads `((query))`. The inner parentheses are optional.
fn query(cursor: &mut Cursor) -> Result<Vec<TokenWithSpan>, SqlError> {
    cursor.expect(&Token::LParen)?;
    if cursor.peek().is_none_or(|token| token.token == Token::RParen) {
        return Err(cursor.expected("a query"));
    }
    Ok(without_parentheses(cursor.balanced()?).to_vec())
}

/// The tokens within the parentheses around all of `tokens`; `tokens` where there are none. The
/// parentheses in `tokens` are in pairs.
fn without_parentheses(tokens: &[TokenWithSpan]) -> &[TokenWithSpan] {
    let is_solid = |token: &TokenWithSpan| !matches!(token.token, Token::Whitespace(_));
    let (first, last) = (tokens.iter().position(is_solid), tokens.iter().rposition(is_solid));
    let (Some(first), Some(last)) = (first, last) else { return tokens };
    if tokens[first].token != Token::LParen {
        return tokens;
    }
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(first) {
        match token.token {
            Token::LParen => depth += 1,
            Token::RParen => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return if at == last { &tokens[first + 1..last] } else { tokens };
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::super::split;
    use super::*;

    /// The tokens of the query in `USING kind(…)`, without blanks between them.
    fn query_of(text: &str) -> Option<String> {
        let statements = split(text).ok()?;
        let text = statements.first()?.text_as_written();
        let mut cursor = Cursor::new(&text);
        match virtual_table(&mut cursor).ok()? {
            VirtualTable::Index(kind, query) => {
                cursor.end().ok()?;
                let words = query.iter().map(|token| token.token.to_string());
                let words = words.map(|word| word.trim().to_owned()).collect::<String>();
                Some(format!("{}: {words}", kind.name()))
            }
            _ => None,
        }
    }

    #[test]
    fn the_parentheses_of_a_query_are_taken_off() {
        let slices = Some("__intrinsic_slice_mipmap: SELECT(1)".to_owned());
        assert_eq!(query_of("__intrinsic_slice_mipmap((\n SELECT (1) ))"), slices);
        assert_eq!(query_of("__INTRINSIC_SLICE_MIPMAP(SELECT (1))"), slices);
        // These are no pair.
        let both = Some("__intrinsic_counter_mipmap: (SELECT1)UNION(SELECT2)".to_owned());
        let text = "__intrinsic_counter_mipmap((SELECT 1) UNION (SELECT 2))";
        assert_eq!(query_of(text), both);
        assert_eq!(query_of("__intrinsic_slice_mipmap()"), None);
        assert_eq!(query_of("__intrinsic_slice_mipmap((SELECT 1)"), None);
        assert_eq!(query_of("__intrinsic_slice_mipmap((SELECT 1)) x"), None);
    }
}
