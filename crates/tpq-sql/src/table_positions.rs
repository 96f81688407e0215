//! The places in a statement where it may name a table, found from its tokens alone.
//!
//! Most words of a statement are names of columns, and some columns have the name of a table, as
//! `cpu` does. A place is reported too often rather than too seldom.

use datafusion::sql::sqlparser::tokenizer::Token;

/// Of each token, whether it may be the name of a table. `tokens` have no whitespace.
pub(crate) fn table_positions(tokens: &[Token]) -> Vec<bool> {
    if has_macros(tokens) {
        return vec![true; tokens.len()];
    }
    let mut walk = Walk::default();
    tokens.iter().map(|token| walk.is_table(token)).collect()
}

/// Whether macros are called or declared. Their arguments may be names of tables.
fn has_macros(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| match token {
        Token::ExclamationMark => true,
        Token::Word(word) => word.value.eq_ignore_ascii_case("macro"),
        _ => false,
    })
}

/// What is known within a pair of parentheses, or outside of all.
#[derive(Clone, Copy, Default)]
struct Level {
    /// Whether commas separate tables, as after FROM.
    lists_tables: bool,
    /// Whether a table may come next.
    expects_table: bool,
    /// Whether any token may name a table: these are the arguments of a function that is in the
    /// place of a table.
    is_call: bool,
}

/// Goes through the tokens of statements.
#[derive(Default)]
struct Walk {
    level: Level,
    /// The levels around this one.
    outer: Vec<Level>,
    /// Whether the token before may be the name of a table.
    was_table: bool,
    /// Whether the token before was a period. A word after it is no keyword.
    was_period: bool,
    /// Whether the token before was USING: columns, or a kind of virtual table, come next.
    was_using: bool,
}

impl Walk {
    /// Takes the next token. Returns whether it may be the name of a table.
    fn is_table(&mut self, token: &Token) -> bool {
        let was_table = std::mem::take(&mut self.was_table);
        let was_period = std::mem::take(&mut self.was_period);
        let was_using = std::mem::take(&mut self.was_using);
        match token {
            Token::Word(word)
                if word.quote_style.is_none() && !was_period && self.keyword(&word.value) => {}
            Token::Word(_) | Token::SingleQuotedString(_) => {
                let is_expected = std::mem::take(&mut self.level.expects_table);
                self.was_table = is_expected || self.level.is_call;
            }
            Token::Period => {
                self.was_period = true;
                self.level.expects_table |= was_table;
            }
            Token::Comma => self.level.expects_table = self.level.lists_tables,
            Token::LParen => {
                let is_call = was_table || self.level.is_call;
                let expects = std::mem::take(&mut self.level.expects_table) && !was_using;
                let lists_tables = expects && self.level.lists_tables;
                let inner = Level { lists_tables, expects_table: lists_tables, is_call };
                self.outer.push(std::mem::replace(&mut self.level, inner));
            }
            Token::RParen => self.level = self.outer.pop().unwrap_or_default(),
            Token::SemiColon => *self = Self::default(),
            _ => self.level.expects_table = false,
        }
        self.was_table
    }

    /// Takes a keyword. Returns whether it is one that matters here.
    fn keyword(&mut self, word: &str) -> bool {
        match word.to_ascii_lowercase().as_str() {
            "from" | "join" => {
                self.level.lists_tables = true;
                self.level.expects_table = true;
            }
            "into" | "update" | "table" | "in" | "describe" | "summarize" => {
                self.level.expects_table = true;
            }
            "using" => {
                self.level.expects_table = true;
                self.was_using = true;
            }
            // The table comes after it.
            "lateral" => {}
            "select" | "where" | "group" | "having" | "window" | "order" | "limit" | "offset"
            | "union" | "except" | "intersect" | "values" | "set" | "returning" | "qualify" => {
                self.level.lists_tables = false;
                self.level.expects_table = false;
            }
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perfetto_sql::tokenize;

    /// The words and texts in the places of tables.
    fn tables(sql: &str) -> String {
        let tokens = tokenize(sql).unwrap().into_iter().map(|token| token.token);
        let tokens: Vec<Token> =
            tokens.filter(|token| !matches!(token, Token::Whitespace(_))).collect();
        let found = tokens.iter().zip(table_positions(&tokens));
        let names = found.filter(|(_, is_table)| *is_table).map(|(token, _)| token.to_string());
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tables_are_where_statements_name_them() {
        for (sql, expected) in [
            ("SELECT a, b.c FROM d", "d"),
            ("SELECT a FROM b AS c, d e, f WHERE g IN (h, i) ORDER BY j, k", "b d f"),
            ("SELECT a FROM b JOIN c USING (d, e), f LEFT JOIN g ON h = i, j", "b c f g j"),
            ("SELECT a FROM b JOIN c ON b.offset = c.d, e", "b c e"),
            ("SELECT a FROM (b JOIN (c)) JOIN (SELECT d, e FROM f) AS g", "b c f"),
            ("SELECT a FROM b UNION ALL SELECT c, d FROM e LIMIT f", "b e"),
            ("WITH a AS (SELECT b FROM c), d AS (SELECT e, f FROM a) SELECT g, h FROM d", "c a d"),
            ("SELECT (SELECT a FROM b LIMIT 1), c, count(d) FROM e", "b e"),
            ("SELECT a FROM b.c, \"from\"", "b c \"from\""),
            ("SELECT a FROM 'b' WHERE c IN d", "'b' d"),
            ("FROM a SELECT b, c; SELECT d FROM e; SELECT f, g", "a e"),
            ("INSERT INTO a SELECT b, c FROM d", "a d"),
            ("SUMMARIZE a; TABLE b", "a b"),
        ] {
            assert_eq!(tables(sql), expected, "{sql}");
        }
    }

    /// The arguments of functions in the places of tables, and of macros, may be tables.
    #[test]
    fn what_may_be_a_table_is_one() {
        for (sql, expected) in [
            ("SELECT a FROM f(b, 'c') WHERE d", "f b 'c'"),
            (
                "CREATE VIRTUAL TABLE a USING span_join(b PARTITIONED c, d)",
                "a span_join b PARTITIONED c d",
            ),
            ("SELECT a!(b)", "SELECT a ! ( b )"),
            (
                "CREATE PERFETTO MACRO a() RETURNS b AS c",
                "CREATE PERFETTO MACRO a ( ) RETURNS b AS c",
            ),
        ] {
            let found = tables(sql);
            let found = found.strip_suffix(" EOF").unwrap_or(&found);
            assert_eq!(found, expected, "{sql}");
        }
    }
}
