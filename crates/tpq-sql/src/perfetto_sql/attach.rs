//! `ATTACH 'file' [AS name]` and `DETACH name`: a file under a name, until the session ends.

use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::command::{Command, Creation, RelationDeclaration};
use super::cursor::{Cursor, Name};
use super::duckdb::select_all;
use crate::errors::{SqlError, SqlErrorKind};
use crate::files::Reader;

/// The statement after ATTACH: a view of all columns of the file.
pub(super) fn attach(cursor: &mut Cursor, doc: String) -> Result<Command, SqlError> {
    cursor.take_word("DATABASE");
    let if_not_exists = cursor.take_words(&["IF", "NOT", "EXISTS"]);
    let Some(file) = cursor.peek().cloned() else {
        return Err(cursor.expected("the name of a file in single quotes"));
    };
    let Token::SingleQuotedString(path) = &file.token else {
        return Err(cursor.expected("the name of a file in single quotes"));
    };
    if Reader::of_file(path).is_none() {
        let error = SqlError::new(SqlErrorKind::Invalid, format!("`{path}` has no known format"));
        let extensions = Reader::extensions();
        let hint = format!(
            "files end in {extensions}; for others, write CREATE VIEW x AS SELECT * FROM \
             read_csv('{path}')"
        );
        return Err(cursor.located(error).hint(Some(hint)));
    }
    cursor.next();
    let name = match cursor.take_word("AS") {
        true => cursor.name("a name")?,
        false => name_of(path, &file),
    };
    cursor.end()?;
    let creation = Creation { name, or_replace: false, if_not_exists, doc };
    let span = file.span;
    let query = select_all(span, Some(Token::make_keyword("FROM")), vec![file]);
    let (is_table, columns) = (false, None);
    Ok(Command::Attach(RelationDeclaration { creation, is_table, columns, query }))
}

/// The statement after DETACH.
pub(super) fn detach(cursor: &mut Cursor) -> Result<Command, SqlError> {
    cursor.take_word("DATABASE");
    let if_exists = cursor.take_words(&["IF", "EXISTS"]);
    let name = cursor.name("the name of an attached file")?;
    cursor.end()?;
    Ok(Command::Detach { if_exists, name })
}

/// The name of a file without folder and extension.
fn name_of(path: &str, token: &TokenWithSpan) -> Name {
    let stem = std::path::Path::new(path).file_stem().and_then(|stem| stem.to_str());
    let written = stem.unwrap_or(path).to_owned();
    Name { text: written.to_lowercase(), written, span: token.span }
}
