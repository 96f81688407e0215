//! `SHOW TABLES`, `SHOW COLUMNS FROM t`, `SHOW FUNCTIONS`, `SHOW MODULES`, `DESCRIBE t` and
//! `PRAGMA table_info(t)`.

use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::cursor::{Cursor, Name};
use super::summarize;
use crate::errors::{SqlError, SqlErrorKind};

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
    /// The columns of a query.
    ColumnsOfQuery(Vec<TokenWithSpan>),
    /// The columns of a table or view, as SQLite lists them.
    TableInfo(Name),
    Functions,
    Modules,
}

/// The statement at the cursor, if it is one of these.
pub(super) fn show(cursor: &mut Cursor) -> Result<Option<Show>, SqlError> {
    let what = if cursor.take_word("DESCRIBE") || cursor.take_word("DESC") {
        cursor.take_word("TABLE");
        described(cursor)?
    } else if cursor.take_word("SHOW") {
        shown(cursor)?
    } else if cursor.take_word("PRAGMA") {
        Shown::TableInfo(pragma(cursor)?)
    } else {
        return Ok(None);
    };
    let like = if cursor.take_word("LIKE") { Some(pattern(cursor)?) } else { None };
    // A query takes all tokens.
    cursor.end()?;
    Ok(Some(Show { what, like }))
}

/// The object of DESCRIBE: a table, or a query or file.
fn described(cursor: &mut Cursor) -> Result<Shown, SqlError> {
    let is_query = ["SELECT", "WITH", "VALUES", "FROM"].iter().any(|word| cursor.is_word(word));
    match cursor.peek().map(|token| &token.token) {
        Some(Token::SingleQuotedString(_) | Token::LParen) => {}
        _ if is_query => {}
        _ => return Ok(Shown::Columns(cursor.name("the name of a table")?)),
    }
    Ok(Shown::ColumnsOfQuery(summarize::query(cursor)?))
}

/// The table in `PRAGMA table_info(t)`, in which the name may be a text.
fn pragma(cursor: &mut Cursor) -> Result<Name, SqlError> {
    if !cursor.is_word("table_info") && cursor.peek().is_some() {
        let message = "only PRAGMA table_info(x) is supported";
        return Err(cursor.located(SqlError::new(SqlErrorKind::Unsupported, message)));
    }
    cursor.expect_word("table_info")?;
    let is_in_parentheses = cursor.take(&Token::LParen);
    if !is_in_parentheses {
        cursor.expect(&Token::Eq)?;
    }
    let name = match cursor.peek() {
        Some(TokenWithSpan { token: Token::SingleQuotedString(name), span }) => {
            cursor.next();
            Name { text: name.to_lowercase(), written: name.clone(), span: *span }
        }
        _ => cursor.name("the name of a table")?,
    };
    if is_in_parentheses {
        cursor.expect(&Token::RParen)?;
    }
    Ok(name)
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
