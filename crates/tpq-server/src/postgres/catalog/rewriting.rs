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

/// The query with parts replaced that DataFusion cannot plan.
pub(super) fn rewritten(sql: &str) -> String {
    let (Some(tokens), Some(part)) = (tokens(sql), tokens(SEARCH_PATH)) else {
        return sql.to_owned();
    };
    let begins = |rest: &[Token]| {
        rest.get(..part.len()).is_some_and(|begin| begin.iter().zip(&part).all(are_same))
    };
    let mut text = String::with_capacity(sql.len());
    let mut rest = tokens.as_slice();
    let mut is_changed = false;
    while let Some((first, others)) = rest.split_first() {
        if begins(rest) {
            text.push_str(SEARCH_PATH_SCHEMAS);
            rest = rest.get(part.len()..).unwrap_or_default();
            is_changed = true;
        } else {
            text.push_str(&first.to_string());
            rest = others;
        }
        text.push(' ');
    }
    if is_changed { text } else { sql.to_owned() }
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
    fn the_search_path_of_grafana_becomes_the_schema_of_the_trace() {
        let sql = format!("SELECT a FROM b WHERE c IN (\n {SEARCH_PATH} ) AND d = 'x'");
        assert_eq!(rewritten(&sql), "SELECT a FROM b WHERE c IN ( 'public' ) AND d = 'x' ");
        for same in ["SELECT  1", "SELECT 'open", ""] {
            assert_eq!(rewritten(same), same);
        }
    }
}
