//! The SQL people write on traces: SQLite's, with PerfettoSQL to come.

use std::any::{Any, TypeId};
use std::cell::Cell;

use datafusion::sql::sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, SqliteOnConflict, Statement,
    UnaryOperator,
};
use datafusion::sql::sqlparser::dialect::{Dialect, Precedence, SQLiteDialect};
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::parser::{Parser, ParserError};
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::rewrite::call;

/// SQLite's dialect with what sqlparser's own version of it leaves out.
#[derive(Debug, Default)]
pub(super) struct TraceDialect {
    base: SQLiteDialect,
    /// How many more expressions may be begun, if there is a limit: the parser tries several ways
    /// to read a bracket, and in each of them several ways to read the brackets within it.
    expressions_left: Option<Cell<usize>>,
}

impl TraceDialect {
    /// To parse a statement of a number of tokens.
    pub(super) fn for_tokens(count: usize) -> Self {
        const TRIES: usize = 32;
        let expressions = count.saturating_mul(TRIES).saturating_add(10_000);
        Self { base: SQLiteDialect {}, expressions_left: Some(Cell::new(expressions)) }
    }

    /// How tightly `||` binds: signs bind tighter, and only `::` binds tighter than those.
    fn concatenation(&self) -> u8 {
        self.prec_value(Precedence::DoubleColon) - 1
    }
}

/// How many operators that are parsed here may follow one another: each copies what is before it.
const MOST_IN_A_ROW: usize = 200;

/// How deep an expression is on its left side, as far as operators that are parsed here go.
fn left_depth(expr: &Expr) -> usize {
    let (mut at, mut depth) = (expr, 0);
    loop {
        at = match at {
            Expr::IsNull(inner) | Expr::IsNotNull(inner) => inner,
            Expr::IsDistinctFrom(left, _) | Expr::IsNotDistinctFrom(left, _) => left,
            Expr::UnaryOp { expr, .. } | Expr::InSubquery { expr, .. } => expr,
            Expr::BinaryOp { left, .. } => left,
            Expr::Function(call) => match &call.args {
                FunctionArguments::List(list) => match list.args.last() {
                    Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(last))) => last,
                    _ => return depth,
                },
                _ => return depth,
            },
            _ => return depth,
        };
        depth += 1;
    }
}

fn is_word(token: &Token, text: &str) -> bool {
    matches!(token, Token::Word(word)
        if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(text))
}

/// The tokens without hints to SQLite's planner and without parentheses around the name of a
/// table, with hexadecimal integers as decimal ones and `top` as a name like any other.
pub(super) fn sqlite_tokens(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut kept: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut index_name = false;
    for mut token in tokens {
        if matches!(token.token, Token::Whitespace(_)) {
            kept.push(token);
            continue;
        }
        let before = kept.iter().rposition(|token| !matches!(token.token, Token::Whitespace(_)));
        let word_before = |word: &str| before.is_some_and(|at| is_word(&kept[at].token, word));
        if std::mem::take(&mut index_name) {
            continue;
        }
        // `AS MATERIALIZED (`, `AS NOT MATERIALIZED (`, `NOT INDEXED`, `INDEXED BY name`.
        let hint = is_word(&token.token, "MATERIALIZED")
            && (word_before("AS") || word_before("NOT"))
            || is_word(&token.token, "INDEXED") && word_before("NOT");
        if hint || is_word(&token.token, "BY") && word_before("INDEXED") {
            index_name = !hint;
            if let Some(at) = before.filter(|_| !word_before("AS")) {
                kept.truncate(at);
            }
            continue;
        }
        if let Token::HexStringLiteral(digits) = &token.token
            && token.span.end.column.saturating_sub(token.span.start.column)
                == digits.len() as u64 + 2
            && let Ok(value) = u64::from_str_radix(&digits.replace('_', ""), 16)
        {
            token.token = Token::Number(value.cast_signed().to_string(), false);
        }
        // `SELECT TOP 5` is not of this language, and many a slice that is on top is called that.
        if is_word(&token.token, "TOP")
            && let Token::Word(word) = &mut token.token
        {
            word.keyword = Keyword::NoKeyword;
        }
        if token.token == Token::RParen
            && let Some(open) = around_a_name(&kept)
        {
            kept.remove(open);
            continue;
        }
        kept.push(token);
    }
    kept
}

/// Where the parenthesis stands in `FROM (name` and `JOIN (name`: macros put them around whatever
/// they are given.
fn around_a_name(tokens: &[TokenWithSpan]) -> Option<usize> {
    let mut solid = tokens.iter().enumerate().rev();
    let mut next = || solid.find(|(_, token)| !matches!(token.token, Token::Whitespace(_)));
    let (_, name) = next()?;
    let (open, parenthesis) = next()?;
    let (_, before) = next()?;
    let is_name = matches!(name.token, Token::Word(_));
    let opens = parenthesis.token == Token::LParen;
    let reads = is_word(&before.token, "FROM") || is_word(&before.token, "JOIN");
    (is_name && opens && reads).then_some(open)
}

impl Dialect for TraceDialect {
    // Features that the parser enables for SQLite by its name, such as columns without a type.
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

    fn supports_numeric_literal_underscores(&self) -> bool {
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

    // DuckDB's `SELECT * EXCLUDE (a)`, `SELECT * EXCEPT (a)` and `SELECT * REPLACE (1 AS a)`.
    fn supports_select_wildcard_exclude(&self) -> bool {
        true
    }

    fn supports_select_wildcard_except(&self) -> bool {
        true
    }

    fn supports_select_wildcard_replace(&self) -> bool {
        true
    }

    // `REPLACE INTO t …` is `INSERT OR REPLACE INTO t …`.
    fn parse_statement(&self, parser: &mut Parser) -> Option<Result<Statement, ParserError>> {
        if !is_word(&parser.peek_token_ref().token, "REPLACE") {
            return None;
        }
        let replace = parser.next_token();
        Some(parser.parse_insert(replace).map(|mut statement| {
            if let Statement::Insert(insert) = &mut statement {
                insert.or = Some(SqliteOnConflict::Replace);
            }
            statement
        }))
    }

    fn parse_prefix(&self, parser: &mut Parser) -> Option<Result<Expr, ParserError>> {
        if let Some(left) = &self.expressions_left {
            match left.get().checked_sub(1) {
                Some(fewer) => left.set(fewer),
                // The one error after which no other way is tried.
                None => return Some(Err(ParserError::RecursionLimitExceeded)),
            }
        }
        let op = match parser.peek_token_ref().token {
            Token::Minus => UnaryOperator::Minus,
            Token::Plus => UnaryOperator::Plus,
            Token::Tilde => UnaryOperator::BitwiseNot,
            _ => return None,
        };
        parser.advance_token();
        let operand = parser.parse_subexpr(self.concatenation());
        Some(operand.map(|operand| Expr::UnaryOp { op, expr: Box::new(operand) }))
    }

    // `IS` and `LIKE` bind as tightly as `=`.
    fn prec_value(&self, precedence: Precedence) -> u8 {
        match precedence {
            Precedence::Is | Precedence::Like => self.base.prec_value(Precedence::Eq),
            other => self.base.prec_value(other),
        }
    }

    fn get_next_precedence(&self, parser: &Parser) -> Option<Result<u8, ParserError>> {
        let token = &parser.peek_token_ref().token;
        let equals = self.prec_value(Precedence::Eq);
        let next = &parser.peek_nth_token_ref(1).token;
        let not_glob = is_word(token, "NOT")
            && ["GLOB", "REGEXP", "NULL"].iter().any(|word| is_word(next, word));
        if not_glob
            || ["GLOB", "ISNULL", "NOTNULL", "REGEXP"].iter().any(|word| is_word(token, word))
        {
            return Some(Ok(equals));
        }
        match token {
            // `||`, `->` and `->>` bind tighter than arithmetic, all operators on bits tighter than
            // `<`, and that tighter than `=`.
            Token::StringConcat | Token::Arrow | Token::LongArrow => Some(Ok(self.concatenation())),
            Token::Ampersand | Token::Pipe | Token::ShiftLeft | Token::ShiftRight => {
                Some(Ok(equals + 2))
            }
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
        if (is_word(&token, "IS") || is_own(&token, &next)) && left_depth(left) > MOST_IN_A_ROW {
            let message = format!("more than {MOST_IN_A_ROW} operators like {token} in a row");
            return Some(Err(ParserError::ParserError(message)));
        }
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
        let operator = if negated { &next } else { &token };
        if negated && is_word(&next, "NULL") {
            parser.advance_token();
            parser.advance_token();
            return Some(Ok(Expr::IsNotNull(left())));
        }
        for (word, function) in [("GLOB", "glob"), ("REGEXP", "regexp")] {
            if is_word(operator, word) {
                (0..=usize::from(negated)).for_each(|_| parser.advance_token());
                return Some(parser.parse_subexpr(precedence).map(|pattern| {
                    let matched = call(function, vec![pattern, *left()]);
                    if !negated {
                        return matched;
                    }
                    Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(matched) }
                }));
            }
        }
        let after = parser.peek_nth_token_ref(1 + usize::from(negated)).token.clone();
        if is_word(operator, "IN") && matches!(after, Token::Word(_)) {
            (0..=usize::from(negated)).for_each(|_| parser.advance_token());
            return Some(parse_in_table(parser, left(), negated));
        }
        if is_word(operator, "IN") && is_list_of_subquery(parser, 1 + usize::from(negated)) {
            (0..=1 + usize::from(negated)).for_each(|_| parser.advance_token());
            return Some(parse_in_list(parser, left(), negated));
        }
        if is_word(&token, "IS") {
            return parse_is(parser, left(), precedence);
        }
        None
    }
}

/// Whether an operator begins here that only this dialect has.
fn is_own(token: &Token, next: &Token) -> bool {
    let is = |token, words: &[&str]| words.iter().any(|word| is_word(token, word));
    is(token, &["GLOB", "ISNULL", "NOTNULL", "REGEXP", "IN"])
        || is_word(token, "NOT") && is(next, &["GLOB", "NULL", "REGEXP", "IN"])
}

/// `a IN table`: in the only column of the table.
fn parse_in_table(
    parser: &mut Parser,
    expr: Box<Expr>,
    negated: bool,
) -> Result<Expr, ParserError> {
    let name = parser.parse_object_name(false)?;
    let dialect = TraceDialect::default();
    let rows = format!("SELECT * FROM {name}");
    let subquery = Parser::new(&dialect).try_with_sql(&rows)?.parse_query()?;
    Ok(Expr::InSubquery { expr, subquery, negated })
}

/// Whether a list begins with a subquery, as `((SELECT 1), 2)`, `at` tokens from here.
fn is_list_of_subquery(parser: &Parser, at: usize) -> bool {
    let token = |ahead: usize| &parser.peek_nth_token_ref(at + ahead).token;
    let begins_query = ["SELECT", "VALUES", "WITH"].iter().any(|word| is_word(token(2), word));
    if *token(0) != Token::LParen || *token(1) != Token::LParen || !begins_query {
        return false;
    }
    let mut depth = 0_usize;
    for ahead in 1.. {
        match token(ahead) {
            Token::LParen => depth += 1,
            Token::RParen if depth == 1 => return *token(ahead + 1) == Token::Comma,
            Token::RParen => depth -= 1,
            Token::EOF => return false,
            _ => {}
        }
    }
    false
}

/// The rest of `a IN (…)`, after the bracket.
fn parse_in_list(parser: &mut Parser, expr: Box<Expr>, negated: bool) -> Result<Expr, ParserError> {
    let list = parser.parse_comma_separated(Parser::parse_expr)?;
    parser.expect_token(&Token::RParen)?;
    Ok(Expr::InList { expr, list, negated })
}

/// `a IS b`, `a IS NOT b` and `a IS [NOT] DISTINCT FROM b`: equality that holds between NULLs.
fn parse_is(
    parser: &mut Parser,
    left: Box<Expr>,
    precedence: u8,
) -> Option<Result<Expr, ParserError>> {
    let negated = is_word(&parser.peek_nth_token_ref(1).token, "NOT");
    let right = &parser.peek_nth_token_ref(1 + usize::from(negated)).token;
    let after = &parser.peek_nth_token_ref(2 + usize::from(negated)).token;
    if ["NULL", "TRUE", "FALSE", "UNKNOWN"].iter().any(|word| is_word(right, word))
        && !binds_tighter(after)
    {
        return None;
    }
    let distinct = is_word(right, "DISTINCT") && is_word(after, "FROM");
    let words = 1 + usize::from(negated) + if distinct { 2 } else { 0 };
    (0..words).for_each(|_| parser.advance_token());
    let build = if negated == distinct { Expr::IsNotDistinctFrom } else { Expr::IsDistinctFrom };
    Some(parser.parse_subexpr(precedence).map(|right| build(left, Box::new(right))))
}

/// Whether the operands of an operator are its own and not those of `IS`.
fn binds_tighter(operator: &Token) -> bool {
    use Token::{Ampersand, Pipe, ShiftLeft, ShiftRight};
    use Token::{Div, Gt, GtEq, Lt, LtEq, Minus, Mod, Mul, Plus, StringConcat};
    matches!(operator, Div | Gt | GtEq | Lt | LtEq | Minus | Mod | Mul | Plus | StringConcat)
        || matches!(operator, Ampersand | Pipe | ShiftLeft | ShiftRight)
}
