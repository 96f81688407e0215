//! Declarations in a statement: typed arguments and columns, `(name TYPE, …)`.

use datafusion::arrow::datatypes::DataType;
use datafusion::sql::sqlparser::tokenizer::Token;

use super::Text;
use super::cursor::{Cursor, Name};
use crate::errors::{SqlError, SqlErrorKind, nearest};

/// Every type there is, with what it is stored as.
const TYPES: &[(&str, DataType)] = &[
    ("LONG", DataType::Int64),
    ("INT", DataType::Int64),
    ("UINT", DataType::Int64),
    ("DOUBLE", DataType::Float64),
    ("FLOAT", DataType::Float64),
    ("BOOL", DataType::Int64),
    ("BOOLEAN", DataType::Int64),
    ("STRING", DataType::Utf8View),
    ("BYTES", DataType::BinaryView),
    ("PROTO", DataType::BinaryView),
    ("TIMESTAMP", DataType::Int64),
    ("DURATION", DataType::Int64),
    ("ARGSETID", DataType::Int64),
    ("ID", DataType::Int64),
    ("JOINID", DataType::Int64),
    ("ANY", DataType::Null),
];

/// An argument or column with its type.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub name: Name,
    /// As it is written: `TIMESTAMP`, `JOINID(slice.id)`.
    pub kind: String,
    /// The type it is stored as.
    pub data_type: DataType,
    /// The comment before it.
    pub doc: String,
}

/// The type `name TYPE` names.
fn data_type(kind: &Name, text: &Text) -> Result<DataType, SqlError> {
    let names = TYPES.iter().map(|(name, _)| *name);
    let found = TYPES.iter().find(|(name, _)| name.eq_ignore_ascii_case(&kind.written));
    let unknown = || {
        let near = nearest(&kind.written, names.clone());
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("types are {}", names.collect::<Vec<_>>().join(", ")),
        };
        SqlError::new(SqlErrorKind::Invalid, format!("no type is called `{}`", kind.written))
            .at(text.sources.location(kind.span))
            .hint(Some(hint))
    };
    found.map(|(_, data_type)| data_type.clone()).ok_or_else(unknown)
}

/// `TYPE` or `JOINID(table.column)`, as written and as stored.
pub(super) fn kind(cursor: &mut Cursor, text: &Text) -> Result<(String, DataType), SqlError> {
    let name = cursor.name("a type")?;
    let data_type = data_type(&name, text)?;
    let mut kind = name.written;
    if cursor.take(&Token::LParen) {
        let refers: String =
            cursor.balanced()?.iter().map(|token| token.token.to_string()).collect();
        kind = format!("{kind}({})", refers.trim());
    }
    Ok((kind, data_type))
}

/// The text between parentheses, after the first was read.
pub(super) fn list(cursor: &mut Cursor, text: &Text) -> Result<Vec<Declared>, SqlError> {
    let mut all: Vec<Declared> = Vec::new();
    if cursor.take(&Token::RParen) {
        return Ok(all);
    }
    loop {
        let doc = cursor.comment();
        let name = cursor.name("a name")?;
        if all.iter().any(|other| other.name.text == name.text) {
            let message = format!("`{}` is declared twice", name.written);
            return Err(
                SqlError::new(SqlErrorKind::Invalid, message).at(text.sources.location(name.span))
            );
        }
        let (kind, data_type) = kind(cursor, text)?;
        all.push(Declared { name, kind, data_type, doc });
        if cursor.take(&Token::RParen) {
            return Ok(all);
        }
        if !cursor.take(&Token::Comma) {
            return Err(cursor.expected("`,` or `)`"));
        }
    }
}
