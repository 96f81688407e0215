//! `__intrinsic_window(start, dur, quantum)` as it is written.

use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::cursor::Cursor;
use crate::errors::{SqlError, SqlErrorKind};
use crate::operators::TimeWindows;

/// Reads the arguments, with their parentheses.
pub(super) fn time_windows(cursor: &mut Cursor) -> Result<TimeWindows, SqlError> {
    cursor.expect(&Token::LParen)?;
    let start = integer(cursor)?;
    cursor.expect(&Token::Comma)?;
    let dur = integer(cursor)?;
    cursor.expect(&Token::Comma)?;
    let quantum = integer(cursor)?;
    cursor.expect(&Token::RParen)?;
    TimeWindows::new(start, dur, quantum).ok_or_else(|| {
        let message = "__intrinsic_window(): dur and quantum must not be negative, and the last \
                       window must end before 2^63";
        SqlError::new(SqlErrorKind::Invalid, message)
    })
}

/// A number with or without a sign.
fn integer(cursor: &mut Cursor) -> Result<i64, SqlError> {
    let sign = if cursor.take(&Token::Minus) { "-" } else { "" };
    if let Some(TokenWithSpan { token: Token::Number(digits, _), .. }) = cursor.peek()
        && let Ok(value) = format!("{sign}{digits}").parse()
    {
        cursor.next();
        return Ok(value);
    }
    Err(cursor.expected("an integer"))
}
