//! What is rewritten in queries of catalogs before `datafusion-pg-catalog` sees them.

use datafusion::sql::sqlparser::dialect::PostgreSqlDialect;
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer};

/// A subquery of Grafana for the schemas of the search path: DataFusion cannot plan it. The schema
/// of the trace is the only one there.
const SEARCH_PATH: &str = "\
    SELECT CASE WHEN trim(s[i]) = '\"$user\"' THEN user ELSE trim(s[i]) END \
    FROM generate_series(\
      array_lower(string_to_array(current_setting('search_path'),','),1),\
      array_upper(string_to_array(current_setting('search_path'),','),1)) as i, \
      string_to_array(current_setting('search_path'),',') s";
const SEARCH_PATH_SCHEMAS: &str = "'public'";

/// A subquery of psql for whether a type is the type of rows of a relation, and not of a table: no
/// type here is.
const IS_COMPOSITE: &str =
    "(SELECT c.relkind = 'c' FROM pg_catalog.pg_class c WHERE c.oid = t.typrelid)";
const NOT_COMPOSITE: &str = "false";

/// An expression of psql for the options of a relation, of which there are none.
const OPTIONS: &str = "pg_catalog.array_to_string(c.reloptions || \
    array(select 'toast.' || x from pg_catalog.unnest(tc.reloptions) x), ', ')";
const NO_OPTIONS: &str = "''";

/// Parts that DataFusion cannot plan, and what they stand for here.
const PARTS: [(&str, &str); 3] =
    [(SEARCH_PATH, SEARCH_PATH_SCHEMAS), (IS_COMPOSITE, NOT_COMPOSITE), (OPTIONS, NO_OPTIONS)];

/// In place of `ARRAY(SELECT …)`, which DataFusion cannot plan: tools ask so for the members of a
/// role and for privileges, and there are none.
const EMPTY_ARRAY: &str = "'{}'";

/// In place of the elements of such an array, or of privileges, joined to a text.
const NO_TEXT: &str = "NULL";

/// The query with parts replaced that DataFusion cannot plan.
pub(super) fn rewritten(sql: &str) -> String {
    let Some(all) = tokens(sql) else { return sql.to_owned() };
    let parts: Vec<(Vec<Token>, &str)> =
        PARTS.iter().filter_map(|(part, with)| Some((tokens(part)?, *with))).collect();
    let mut text = String::with_capacity(sql.len());
    let mut rest = all.as_slice();
    let mut is_changed = false;
    while let Some((first, others)) = rest.split_first() {
        if let Some((part, with)) = parts.iter().find(|(part, _)| begins(rest, part)) {
            text.push_str(with);
            rest = rest.get(part.len()..).unwrap_or_default();
            is_changed = true;
        } else if let Some(after) = after_joined_array(rest) {
            text.push_str(NO_TEXT);
            rest = after;
            is_changed = true;
        } else if let Some(after) = after_array_of_rows(rest) {
            text.push_str(EMPTY_ARRAY);
            rest = after;
            is_changed = true;
        } else {
            text.push_str(&first.to_string());
            rest = others;
        }
        text.push(' ');
    }
    if is_changed { text } else { sql.to_owned() }
}

fn is_word(token: &Token, text: &str) -> bool {
    matches!(token, Token::Word(word) if word.value.eq_ignore_ascii_case(text))
}

/// What follows `pg_catalog.array_to_string(x, 'text')` with privileges (`c.relacl`) or
/// `ARRAY(SELECT …)` for `x`; `None` if the tokens do not begin so.
fn after_joined_array(tokens: &[Token]) -> Option<&[Token]> {
    let [catalog, Token::Period, function, Token::LParen, array @ ..] = tokens else { return None };
    if !is_word(catalog, "pg_catalog") || !is_word(function, "array_to_string") {
        return None;
    }
    let rest = match array {
        [Token::Word(_), Token::Period, Token::Word(column), rest @ ..]
            if column.value.ends_with("acl") =>
        {
            rest
        }
        array => after_array_of_rows(array)?,
    };
    match rest {
        [
            Token::Comma,
            Token::EscapedStringLiteral(_) | Token::SingleQuotedString(_),
            Token::RParen,
            after @ ..,
        ] => Some(after),
        _ => None,
    }
}

/// What follows `ARRAY(SELECT …)`; `None` if the tokens do not begin so.
fn after_array_of_rows(tokens: &[Token]) -> Option<&[Token]> {
    let [array, Token::LParen, select, ..] = tokens else { return None };
    if !is_word(array, "array") || !is_word(select, "select") {
        return None;
    }
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::LParen => depth += 1,
            Token::RParen if depth == 1 => return tokens.get(at + 1..),
            Token::RParen => depth -= 1,
            _ => {}
        }
    }
    None
}

fn begins(tokens: &[Token], part: &[Token]) -> bool {
    tokens.get(..part.len()).is_some_and(|begin| begin.iter().zip(part).all(are_same))
}

/// Whether two tokens mean the same. Upper and lower case of words do.
fn are_same((one, other): (&Token, &Token)) -> bool {
    match (one, other) {
        (Token::Word(one), Token::Word(other)) => one.value.eq_ignore_ascii_case(&other.value),
        _ => one == other,
    }
}

/// The tokens of a query, without blanks and comments.
fn tokens(sql: &str) -> Option<Vec<Token>> {
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, sql).tokenize().ok()?;
    Some(tokens.into_iter().filter(|token| !matches!(token, Token::Whitespace(_))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_rows_are_empty() {
        let sql = "SELECT a, ARRAY(SELECT b FROM c WHERE (d = 1)) AS e FROM f";
        assert_eq!(rewritten(sql), "SELECT a , '{}' AS e FROM f ");
    }

    #[test]
    fn privileges_and_arrays_of_rows_are_no_text() {
        let sql = "SELECT pg_catalog.array_to_string(p.proacl, E'\\n') AS a, \
                   pg_catalog.array_to_string(ARRAY(SELECT b FROM c), ', ') FROM f";
        assert_eq!(rewritten(sql), "SELECT NULL AS a , NULL FROM f ");
        let same = "SELECT pg_catalog.array_to_string(s.setconfig, ', ')";
        assert_eq!(rewritten(same), same);
    }

    #[test]
    fn the_search_path_of_grafana_becomes_the_schema_of_the_trace() {
        let sql = format!("SELECT a FROM b WHERE c IN (\n {SEARCH_PATH} ) AND d = 'x'");
        assert_eq!(rewritten(&sql), "SELECT a FROM b WHERE c IN ( 'public' ) AND d = 'x' ");
        for same in ["SELECT  1", "SELECT ARRAY[1], array(SELECT 1", "SELECT 'open", ""] {
            assert_eq!(rewritten(same), same);
        }
    }
}
