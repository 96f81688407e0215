//! `SELECT CREATE_FUNCTION('f(x LONG)', 'STRING', 'SELECT …')` and `SELECT CREATE_VIEW_FUNCTION(…)`:
//! how functions were created before `CREATE PERFETTO FUNCTION`; and `SELECT IMPORT('a.b')`: how
//! modules were included before `INCLUDE PERFETTO MODULE`.

use datafusion::sql::sqlparser::tokenizer::Token;

use super::Text;
use super::script::split;
use crate::errors::SqlError;

/// The statement that stands for a call of the old functions; `None` for other statements.
///
/// # Errors
/// When the texts are no SQL.
pub(crate) fn legacy_function(text: &Text) -> Result<Option<Text>, SqlError> {
    let blank = |token: &&Token| !matches!(token, Token::Whitespace(_) | Token::EOF);
    let mut tokens = text.tokens.iter().map(|token| &token.token).filter(blank);
    let mut word = || match tokens.next() {
        Some(Token::Word(word)) => Some(word.value.to_uppercase()),
        _ => None,
    };
    if word().as_deref() != Some("SELECT") {
        return Ok(None);
    }
    let gives_table = match word().as_deref() {
        Some("CREATE_FUNCTION") => false,
        Some("CREATE_VIEW_FUNCTION") => true,
        Some("IMPORT") => return included(tokens),
        _ => return Ok(None),
    };
    let Some([prototype, returns, body]) = texts(tokens) else { return Ok(None) };
    let returns = if gives_table { format!("TABLE({returns})") } else { returns };
    let body = body.trim().trim_end_matches(';');
    statement(&format!(
        "CREATE OR REPLACE PERFETTO FUNCTION {prototype} RETURNS {returns} AS {body}"
    ))
}

fn statement(sql: &str) -> Result<Option<Text>, SqlError> {
    let statement = split(sql)?.into_iter().next();
    Ok(statement.map(|statement| statement.text_as_written()))
}

/// The statement that includes the module in `('a.b')`.
fn included<'a>(mut tokens: impl Iterator<Item = &'a Token>) -> Result<Option<Text>, SqlError> {
    let is_path = |path: &str| {
        let is_name =
            |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        path.split('.').all(|name| !name.is_empty() && is_name(name))
    };
    match (tokens.next(), tokens.next(), tokens.next(), tokens.next()) {
        (Some(Token::LParen), Some(Token::SingleQuotedString(path)), Some(Token::RParen), None)
            if is_path(path) =>
        {
            statement(&format!("INCLUDE PERFETTO MODULE {path}"))
        }
        _ => Ok(None),
    }
}

/// The three texts of `('a', 'b', 'c')`.
fn texts<'a>(mut tokens: impl Iterator<Item = &'a Token>) -> Option<[String; 3]> {
    let mut separators = [Token::LParen, Token::Comma, Token::Comma].iter();
    let mut next = || match (tokens.next(), separators.next(), tokens.next()) {
        (Some(separator), Some(wanted), Some(Token::SingleQuotedString(text)))
            if separator == wanted =>
        {
            Some(text.clone())
        }
        _ => None,
    };
    let texts = [next()?, next()?, next()?];
    matches!((tokens.next(), tokens.next()), (Some(Token::RParen), None)).then_some(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_becomes_a_statement() {
        let of = |sql: &str| {
            let statement = split(sql).unwrap().remove(0);
            let text = legacy_function(&statement.text_as_written()).unwrap()?;
            Some(text.tokens.iter().map(|token| token.token.to_string()).collect::<String>())
        };
        assert_eq!(
            of("select create_function('F(x LONG)', 'STRING', 'SELECT $x;')").as_deref(),
            Some("CREATE OR REPLACE PERFETTO FUNCTION F(x LONG) RETURNS STRING AS SELECT $x")
        );
        assert_eq!(
            of("SELECT CREATE_VIEW_FUNCTION('F()', 'a INT', 'SELECT 1 AS a')").as_deref(),
            Some("CREATE OR REPLACE PERFETTO FUNCTION F() RETURNS TABLE(a INT) AS SELECT 1 AS a")
        );
        assert_eq!(
            of("SELECT IMPORT('slices.with_context')").as_deref(),
            Some("INCLUDE PERFETTO MODULE slices.with_context")
        );
        assert_eq!(of("SELECT IMPORT('a; b')"), None);
        assert_eq!(of("SELECT IMPORT('a'), 1"), None);
        assert_eq!(of("SELECT 1"), None);
        assert_eq!(of("SELECT CREATE_FUNCTION('F()')"), None);
    }
}
