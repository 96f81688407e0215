//! `SPAN_JOIN(a PARTITIONED p, b PARTITIONED p)` as it is written.

use datafusion::sql::sqlparser::tokenizer::Token;

use super::cursor::{Cursor, Name};
use crate::errors::SqlError;
use crate::operators::SpanJoinKind;

/// One of the two tables.
#[derive(Clone, Debug)]
pub(crate) struct SpanJoinSide {
    pub table: Name,
    /// The column that partitions the join.
    pub partition: Option<Name>,
}

/// The whole call.
#[derive(Clone, Debug)]
pub(crate) struct SpanJoinCall {
    pub kind: SpanJoinKind,
    pub left: SpanJoinSide,
    pub right: SpanJoinSide,
}

/// Reads the call, from its name on.
pub(super) fn span_join(cursor: &mut Cursor) -> Result<SpanJoinCall, SqlError> {
    let kinds = [
        ("SPAN_JOIN", SpanJoinKind::Inner),
        ("SPAN_LEFT_JOIN", SpanJoinKind::Left),
        ("SPAN_OUTER_JOIN", SpanJoinKind::Outer),
    ];
    let Some((_, kind)) = kinds.into_iter().find(|(word, _)| cursor.take_word(word)) else {
        return Err(cursor.expected_one_of(&["SPAN_JOIN", "SPAN_LEFT_JOIN", "SPAN_OUTER_JOIN"]));
    };
    cursor.expect(&Token::LParen)?;
    let left = side(cursor)?;
    cursor.expect(&Token::Comma)?;
    let right = side(cursor)?;
    cursor.expect(&Token::RParen)?;
    Ok(SpanJoinCall { kind, left, right })
}

fn side(cursor: &mut Cursor) -> Result<SpanJoinSide, SqlError> {
    let table = cursor.name("the name of a table")?;
    let partition = match cursor.take_word("PARTITIONED") {
        true => Some(cursor.name("the column to partition by")?),
        false => None,
    };
    Ok(SpanJoinSide { table, partition })
}
