//! `SUMMARIZE t` and `SUMMARIZE SELECT …`.

use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::cursor::Cursor;
use super::duckdb::select_all;
use crate::errors::SqlError;

/// The query of the statement at the cursor, if it is SUMMARIZE: all rows of a table, or a query.
pub(super) fn summarize(cursor: &mut Cursor) -> Result<Option<Vec<TokenWithSpan>>, SqlError> {
    if !cursor.take_word("SUMMARIZE") {
        return Ok(None);
    }
    cursor.take_word("TABLE");
    query(cursor).map(Some)
}

/// The query at the cursor, or the query for all rows of the table at the cursor.
pub(super) fn query(cursor: &mut Cursor) -> Result<Vec<TokenWithSpan>, SqlError> {
    let Some(first) = cursor.peek() else { return Err(cursor.expected("a table or a query")) };
    let span = first.span;
    let is_parenthesis = first.token == Token::LParen;
    let begins_query = ["SELECT", "WITH", "VALUES", "FROM"].iter().any(|word| cursor.is_word(word));
    let rest = cursor.rest();
    while cursor.next().is_some() {}
    match begins_query || is_parenthesis {
        true => Ok(rest),
        false => Ok(select_all(span, Some(Token::make_keyword("FROM")), rest)),
    }
}
