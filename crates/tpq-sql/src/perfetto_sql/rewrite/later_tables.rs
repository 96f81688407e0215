//! `a JOIN b ON b.x = c.x JOIN c ON …`: a condition of an inner join that names a table after it.
//! SQLite takes all conditions of inner joins for conditions of WHERE, so such a one is moved there.

use std::ops::ControlFlow;

use crate::perfetto_sql::walk::walk_expressions;
use datafusion::common::Column;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Join, JoinConstraint, JoinOperator, Select, SetExpr, Statement,
};

use super::take;
use crate::perfetto_sql::scope::{Scope, Source, is_same, visit_queries};

/// Moves the conditions that name a column too early, which the engine did not find; returns
/// whether there was one.
pub(super) fn move_conditions(tree: &mut Statement, unknown: &Column, scope: &Scope) -> bool {
    let mut found = false;
    visit_queries(tree, scope, &mut |query, scope| {
        found |= in_body(&mut query.body, unknown, scope);
    });
    found
}

fn in_body(body: &mut SetExpr, unknown: &Column, scope: &Scope) -> bool {
    match body {
        SetExpr::Select(select) => in_select(select, unknown, scope),
        SetExpr::SetOperation { left, right, .. } => {
            let found = in_body(left, unknown, scope);
            in_body(right, unknown, scope) || found
        }
        _ => false,
    }
}

fn in_select(select: &mut Select, unknown: &Column, scope: &Scope) -> bool {
    // What commas separate is one chain of joins by now.
    let [from] = &mut select.from[..] else { return false };
    let mut moved = Vec::new();
    for index in 0..from.joins.len() {
        let Some((join, later)) = from.joins[index..].split_first_mut() else { continue };
        let mut tables = later.iter().flat_map(|join| scope.of_factor(&join.relation));
        if names_column(join, unknown)
            && later.iter().all(keeps_rows)
            && tables.any(|table| has_column(&table, unknown))
        {
            moved.extend(take_conditions(join, unknown));
        }
    }
    let found = !moved.is_empty();
    select.selection = select.selection.take().into_iter().chain(moved).reduce(and);
    found
}

/// Whether the condition of an inner join names the column.
fn names_column(join: &Join, unknown: &Column) -> bool {
    use JoinOperator::{Inner, Join as Plain};
    match &join.join_operator {
        Plain(JoinConstraint::On(condition)) | Inner(JoinConstraint::On(condition)) => {
            names(condition, unknown)
        }
        _ => false,
    }
}

/// Whether the rows before a join stay as they are in its result, so that they can be left out
/// after it as well.
fn keeps_rows(join: &Join) -> bool {
    use JoinOperator::{CrossJoin, Inner, Join as Plain, Left, LeftOuter};
    matches!(join.join_operator, Plain(_) | Inner(_) | CrossJoin(_) | Left(_) | LeftOuter(_))
}

fn has_column(table: &Source, unknown: &Column) -> bool {
    match &unknown.relation {
        Some(wanted) => table.name.as_ref().is_some_and(|name| is_same(name, wanted.table())),
        None => table.has(&unknown.name),
    }
}

/// Takes out of the condition of an inner join those parts that name the column.
fn take_conditions(join: &mut Join, unknown: &Column) -> Vec<Expr> {
    use JoinOperator::{Inner, Join as Plain};
    let (Plain(constraint) | Inner(constraint)) = &mut join.join_operator else {
        return Vec::new();
    };
    let JoinConstraint::On(condition) = constraint else { return Vec::new() };
    let mut parts = Vec::new();
    split(take(condition), &mut parts);
    let (moved, kept): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| names(part, unknown));
    *constraint = match kept.into_iter().reduce(and) {
        Some(condition) => JoinConstraint::On(condition),
        None => JoinConstraint::None,
    };
    moved
}

/// The parts of a condition that all have to be true.
fn split(condition: Expr, parts: &mut Vec<Expr>) {
    match condition {
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            split(*left, parts);
            split(*right, parts);
        }
        Expr::Nested(inner) => split(*inner, parts),
        part => parts.push(part),
    }
}

fn and(left: Expr, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op: BinaryOperator::And, right: Box::new(right) }
}

/// Whether an expression names the column, or another one of the same table.
fn names(expr: &Expr, unknown: &Column) -> bool {
    let names = walk_expressions(expr, |part| {
        let is_it = match (part, &unknown.relation) {
            (Expr::CompoundIdentifier(names), Some(table)) => {
                names.len() > 1 && is_same(&names[names.len() - 2], table.table())
            }
            (Expr::Identifier(name), None) => is_same(name, &unknown.name),
            _ => false,
        };
        if is_it { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    names.is_break()
}
