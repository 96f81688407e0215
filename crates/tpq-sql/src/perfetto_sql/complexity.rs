//! How long, deep and large a statement may be: what is beyond would take all stack, all memory
//! or forever to plan, and gets an error that states the limit.
//!
//! Three things are measured, each before the work that it bounds: the tokens before the statement
//! is parsed, the nesting of the syntax tree before it is rewritten, and how much there is to plan
//! once every name stands for its query (`expansion`), before it is planned.

use std::mem::take;
use std::ops::ControlFlow;

use crate::perfetto_sql::walk::walk_mut;
use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{Expr, Query, Select, SetExpr, Statement, VisitorMut};
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::rewrite::{flatten_chain, flatten_set_operations, order_set_operations};
use crate::errors::{SqlError, SqlErrorKind};

/// How deeply the parts of a statement may nest.
pub(super) const DEPTH: usize = 1_000;

/// How many tables one FROM may join.
const TABLES: usize = 200;

/// How many tokens one expression may have, not counting what is in brackets within it. As many
/// as half of them nest, until chains are taken apart.
const TOKENS: usize = 100_000;

/// How many brackets directly in brackets there may be in FROM, one within the other: each doubles
/// the ways in which the parser tries to read what is inside.
const IN_FROM: usize = 10;

/// How many set operations, as UNION, there may be in a row.
const SET_OPERATIONS: usize = 20_000;

pub(crate) fn too_large(message: String, hint: &str) -> SqlError {
    SqlError::new(SqlErrorKind::TooLarge, message).hint(Some(hint.to_owned()))
}

/// An expression between brackets and commas.
#[derive(Default)]
struct Open {
    tokens: usize,
    set_operations: usize,
    /// Where it is a bracket in a bracket of FROM: how many of those are around it.
    in_from: usize,
}

/// Checks that what nests although it is written without brackets is not too long: the parser
/// makes a tree of it that is as deep as it is long.
///
/// # Errors
/// When it is too long.
pub(super) fn check_tokens(tokens: &[TokenWithSpan]) -> Result<(), SqlError> {
    let mut outer: Vec<Open> = Vec::new();
    let mut open = Open::default();
    let (mut last, mut before_brackets) = (&Token::EOF, &Token::EOF);
    for token in tokens {
        match &token.token {
            Token::Whitespace(_) => continue,
            Token::LParen | Token::LBracket | Token::LBrace => {
                let doubled = *last == Token::LParen && begins_from(before_brackets);
                if *last != Token::LParen {
                    before_brackets = last;
                }
                let in_from = open.in_from + usize::from(doubled);
                if in_from > IN_FROM {
                    let message = format!("more than {IN_FROM} brackets in brackets of FROM");
                    return Err(too_large(message, "leave out those that are not needed"));
                }
                open.tokens += 1;
                outer.push(take(&mut open));
                open.in_from = in_from;
            }
            Token::RParen | Token::RBracket | Token::RBrace => {
                open = outer.pop().unwrap_or_default();
            }
            Token::Comma => open.tokens = 0,
            Token::Word(word) if SET_WORDS.contains(&word.keyword) => {
                open.tokens = 0;
                open.set_operations += 1;
            }
            _ => open.tokens += 1,
        }
        last = &token.token;
        if open.tokens > TOKENS {
            let message = format!("an expression of more than {TOKENS} words and signs");
            return Err(too_large(message, "put its values into a table, and join it"));
        }
        if open.set_operations > SET_OPERATIONS {
            let message = format!("a query of more than {SET_OPERATIONS} set operations");
            return Err(too_large(message, "select from VALUES, or insert into a table"));
        }
    }
    Ok(())
}

/// Whether a table follows.
fn begins_from(token: &Token) -> bool {
    match token {
        Token::Comma => true,
        Token::Word(word) => matches!(word.keyword, Keyword::FROM | Keyword::JOIN),
        _ => false,
    }
}

/// The words between queries.
const SET_WORDS: &[Keyword] = &[Keyword::UNION, Keyword::INTERSECT, Keyword::EXCEPT];

/// Makes long chains shallow, and checks that nothing nests too deeply.
///
/// # Errors
/// When something does, or when too many tables are joined.
pub(super) fn flatten(tree: &mut Tree) -> Result<(), SqlError> {
    match tree {
        Tree::Statement(statement) => flatten_statement(statement),
        Tree::Explain(explain) => flatten(&mut explain.statement),
        _ => Ok(()),
    }
}

fn flatten_statement(statement: &mut Statement) -> Result<(), SqlError> {
    match walk_mut(statement, &mut Flatten { depth: 0 }) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

struct Flatten {
    depth: usize,
}

impl Flatten {
    fn enter(&mut self) -> ControlFlow<SqlError> {
        self.depth += 1;
        match self.depth > DEPTH {
            true => ControlFlow::Break(too_deep()),
            false => ControlFlow::Continue(()),
        }
    }
}

/// The error that something nests too deeply.
pub(super) fn too_deep() -> SqlError {
    let message = format!("the statement is nested more than {DEPTH} levels deep");
    too_large(message, "keep a part of it with CREATE TABLE, and select from that")
}

impl VisitorMut for Flatten {
    type Break = SqlError;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<SqlError> {
        order_set_operations(query);
        flatten_set_operations(query);
        let (mut body, mut length) = (&*query.body, 0);
        while let SetExpr::SetOperation { left, .. } = body {
            (body, length) = (left, length + 1);
        }
        if self.depth + length > DEPTH {
            return ControlFlow::Break(too_deep());
        }
        self.enter()
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<SqlError> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<SqlError> {
        let joined = select.from.iter().map(|table| 1 + table.joins.len()).sum::<usize>();
        if joined > TABLES {
            let message = format!("a query that joins {joined} tables, of {TABLES} at most");
            let hint = "join some of them with CREATE TABLE, and select from that";
            return ControlFlow::Break(too_large(message, hint));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<SqlError> {
        flatten_chain(expr);
        self.enter()
    }

    fn post_visit_expr(&mut self, _: &mut Expr) -> ControlFlow<SqlError> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }
}
