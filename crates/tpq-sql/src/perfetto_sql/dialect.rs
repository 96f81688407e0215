//! The SQL people write on traces: SQLite's, with PerfettoSQL to come.

use std::any::{Any, TypeId};

use datafusion::sql::sqlparser::ast::{Expr, UnaryOperator};
use datafusion::sql::sqlparser::dialect::{Dialect, Precedence, SQLiteDialect};
use datafusion::sql::sqlparser::parser::{Parser, ParserError};
use datafusion::sql::sqlparser::tokenizer::Token;

use super::rewrite::call;

/// SQLite's dialect with what sqlparser's own version of it leaves out.
#[derive(Debug, Default)]
pub(super) struct TraceDialect {
    base: SQLiteDialect,
}

fn is_word(token: &Token, text: &str) -> bool {
    matches!(token, Token::Word(word)
        if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(text))
}

impl Dialect for TraceDialect {
    // What the parser asks of SQLite by its name, as columns without a type.
    fn dialect(&self) -> TypeId {
        self.base.type_id()
    }

    fn is_delimited_identifier_start(&self, start: char) -> bool {
        self.base.is_delimited_identifier_start(start)
    }

    fn is_identifier_start(&self, start: char) -> bool {
        self.base.is_identifier_start(start)
    }

    fn is_identifier_part(&self, part: char) -> bool {
        self.base.is_identifier_part(part)
    }

    fn supports_filter_during_aggregation(&self) -> bool {
        true
    }

    fn supports_in_empty_list(&self) -> bool {
        true
    }

    fn supports_limit_comma(&self) -> bool {
        true
    }

    fn supports_dollar_placeholder(&self) -> bool {
        true
    }

    fn supports_bitwise_shift_operators(&self) -> bool {
        true
    }

    fn supports_cross_join_constraint(&self) -> bool {
        true
    }

    fn supports_window_clause_named_window_reference(&self) -> bool {
        true
    }

    fn supports_group_by_expr(&self) -> bool {
        true
    }

    fn supports_comma_separated_trim(&self) -> bool {
        true
    }

    fn supports_left_associative_joins_without_parens(&self) -> bool {
        true
    }

    fn get_next_precedence(&self, parser: &Parser) -> Option<Result<u8, ParserError>> {
        let token = &parser.peek_token_ref().token;
        let equals = self.prec_value(Precedence::Eq);
        let not_glob =
            is_word(token, "NOT") && is_word(&parser.peek_nth_token_ref(1).token, "GLOB");
        if not_glob || ["GLOB", "ISNULL", "NOTNULL"].iter().any(|word| is_word(token, word)) {
            return Some(Ok(equals));
        }
        match token {
            // `||` binds tighter than arithmetic, and `<` tighter than `=`.
            Token::StringConcat => Some(Ok(self.prec_value(Precedence::DoubleColon) - 1)),
            Token::Lt | Token::LtEq | Token::Gt | Token::GtEq => Some(Ok(equals + 1)),
            _ => None,
        }
    }

    fn parse_infix(
        &self,
        parser: &mut Parser,
        left: &Expr,
        precedence: u8,
    ) -> Option<Result<Expr, ParserError>> {
        let token = parser.peek_token_ref().token.clone();
        let next = parser.peek_nth_token_ref(1).token.clone();
        let left = || Box::new(left.clone());
        if is_word(&token, "ISNULL") {
            parser.advance_token();
            return Some(Ok(Expr::IsNull(left())));
        }
        if is_word(&token, "NOTNULL") {
            parser.advance_token();
            return Some(Ok(Expr::IsNotNull(left())));
        }
        let negated = is_word(&token, "NOT");
        if is_word(if negated { &next } else { &token }, "GLOB") {
            parser.advance_token();
            if negated {
                parser.advance_token();
            }
            return Some(parser.parse_subexpr(precedence).map(|pattern| {
                let glob = call("glob", vec![pattern, *left()]);
                if !negated {
                    return glob;
                }
                Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(glob) }
            }));
        }
        if is_word(&token, "IS") {
            return parse_is(parser, left(), precedence);
        }
        None
    }
}

/// `a IS b` and `a IS NOT b`: equality that holds between NULLs.
fn parse_is(
    parser: &mut Parser,
    left: Box<Expr>,
    precedence: u8,
) -> Option<Result<Expr, ParserError>> {
    let negated = is_word(&parser.peek_nth_token_ref(1).token, "NOT");
    let right = &parser.peek_nth_token_ref(if negated { 2 } else { 1 }).token;
    if ["NULL", "TRUE", "FALSE", "DISTINCT", "UNKNOWN"].iter().any(|word| is_word(right, word)) {
        return None;
    }
    parser.advance_token();
    if negated {
        parser.advance_token();
    }
    let build = if negated { Expr::IsDistinctFrom } else { Expr::IsNotDistinctFrom };
    Some(parser.parse_subexpr(precedence).map(|right| build(left, Box::new(right))))
}
