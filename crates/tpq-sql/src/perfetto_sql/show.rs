//! `SHOW TABLES`, `SHOW COLUMNS FROM t`, `SHOW FUNCTIONS`, `SHOW MODULES` and `DESCRIBE t`.

use datafusion::sql::sqlparser::tokenizer::Token;

use super::cursor::{Cursor, Name};
use crate::errors::SqlError;

/// The list that a statement requests.
#[derive(Debug)]
pub(crate) struct Show {
    pub what: Shown,
    /// The pattern of `LIKE`, for names.
    pub like: Option<String>,
}

/// The kind of list.
#[derive(Debug)]
pub(crate) enum Shown {
    Tables,
    /// The columns of a table or view.
    Columns(Name),
    Functions,
    Modules,
}

/// The statement at the cursor, if it is one of these.
pub(super) fn show(cursor: &mut Cursor) -> Result<Option<Show>, SqlError> {
    let what = if cursor.take_word("DESCRIBE") || cursor.take_word("DESC") {
        cursor.take_word("TABLE");
        Shown::Columns(cursor.name("the name of a table")?)
    } else if cursor.take_word("SHOW") {
        shown(cursor)?
    } else {
        return Ok(None);
    };
    let like = if cursor.take_word("LIKE") { Some(pattern(cursor)?) } else { None };
    cursor.end()?;
    Ok(Some(Show { what, like }))
}

fn shown(cursor: &mut Cursor) -> Result<Shown, SqlError> {
    if cursor.take_word("TABLES") {
        return Ok(Shown::Tables);
    }
    if cursor.take_word("FUNCTIONS") {
        return Ok(Shown::Functions);
    }
    if cursor.take_word("MODULES") {
        return Ok(Shown::Modules);
    }
    if !cursor.take_word("COLUMNS") {
        return Err(cursor.expected_one_of(&["TABLES", "COLUMNS", "FUNCTIONS", "MODULES"]));
    }
    if !cursor.take_word("FROM") {
        cursor.expect_word("IN")?;
    }
    Ok(Shown::Columns(cursor.name("the name of a table")?))
}

fn pattern(cursor: &mut Cursor) -> Result<String, SqlError> {
    if let Some(token) = cursor.peek()
        && let Token::SingleQuotedString(pattern) = &token.token
    {
        cursor.next();
        return Ok(pattern.clone());
    }
    Err(cursor.expected("a pattern in single quotes"))
}
