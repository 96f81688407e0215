//! Row values with aggregates in HAVING: `HAVING (depth, count(*)) IN (SELECT …)`.
//!
//! `IN` has become a subquery that compares its rows with the parts of the row value. There an
//! aggregate would be one of the rows of the subquery, so each part becomes a column of the SELECT
//! that is grouped.

use datafusion::sql::sqlparser::ast::{Expr, Ident, Select, SelectItem};

use super::collation::is_comparison;
use super::orders::has;
use super::retry::is_query;
use super::row_values::COLUMN;
use crate::perfetto_sql::planner::Planner;
use crate::perfetto_sql::scope::{Scope, Source, is_same};
use crate::perfetto_sql::walk::walk_nested_expressions_mut;

/// The columns that are added to a SELECT are called this, with a number.
const ADDED: &str = "__having_";

/// Adds columns for the values in HAVING to a SELECT, if it has a row value with aggregates there;
/// whether it has.
pub(super) fn select_parts(select: &mut Select, planner: &Planner, scope: &Scope) -> bool {
    let has_aggregate = |expr: &Expr| has(expr, |part| is_aggregate(part, planner));
    let is_named = |part: &Expr| match part {
        Expr::Identifier(name) => select.projection.iter().any(|item| match item {
            SelectItem::ExprWithAlias { expr, alias } => {
                is_same(alias, &name.value) && has_aggregate(expr)
            }
            _ => false,
        }),
        _ => false,
    };
    let has_aggregates =
        |expr: &Expr| row_part(expr).is_some_and(|part| has_aggregate(part) || has(part, is_named));
    if select.distinct.is_some() || !has(&select.having, has_aggregates) {
        return false;
    }
    let sources = scope.sources(select);
    if sources.iter().any(|source| source.columns.is_none()) {
        return false;
    }
    let mut having = select.having.take();
    let mut parts = Parts { planner, sources, added: Vec::new() };
    walk_nested_expressions_mut(&mut having, |expr, queries| parts.take(expr, queries));
    select.having = having;
    select.projection.extend(parts.added);
    true
}

fn is_aggregate(expr: &Expr, planner: &Planner) -> bool {
    match expr {
        Expr::Function(function) => {
            let name = function.name.to_string().to_lowercase();
            function.over.is_none() && planner.is_aggregate(&name)
        }
        _ => false,
    }
}

fn is_row_column(expr: &Expr) -> bool {
    matches!(expr, Expr::Identifier(name) if name.value.starts_with(COLUMN))
}

/// The part of a row value that a column of the rows is compared with.
fn row_part(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::BinaryOp { left, op, right } if is_comparison(op) && is_row_column(left) => {
            Some(&**right)
        }
        _ => None,
    }
}

struct Parts<'a, 'p> {
    planner: &'a Planner<'p>,
    /// The tables in FROM, with all of their columns.
    sources: Vec<Source>,
    /// The columns that are to be added.
    added: Vec<SelectItem>,
}

impl Parts<'_, '_> {
    /// Makes a column of a value in HAVING, and of a part of a row value that a subquery in HAVING
    /// compares with.
    fn take(&mut self, expr: &mut Expr, queries: usize) {
        let is_value = match &*expr {
            Expr::Identifier(name) => self.is_column(name),
            Expr::CompoundIdentifier(_) => true,
            other => is_aggregate(other, self.planner),
        };
        if queries == 0 && is_value {
            self.add(expr);
        } else if queries == 1
            && row_part(expr).is_some_and(|part| self.is_selectable(part))
            && let Expr::BinaryOp { right, .. } = expr
        {
            self.add(right);
        }
    }

    fn add(&mut self, expr: &mut Expr) {
        let alias = Ident::with_quote('"', format!("{ADDED}{}", self.added.len()));
        let column = Expr::Identifier(alias.clone());
        let expr = std::mem::replace(expr, column);
        self.added.push(SelectItem::ExprWithAlias { expr, alias });
    }

    fn is_column(&self, name: &Ident) -> bool {
        self.sources.iter().any(|source| source.has(&name.value))
    }

    /// Whether an expression means the same as a column of the SELECT.
    fn is_selectable(&self, expr: &Expr) -> bool {
        let is_other = |part: &Expr| match part {
            Expr::Identifier(name) => !self.is_column(name),
            other => is_query(other),
        };
        !matches!(expr, Expr::Value(_)) && !has(expr, is_other)
    }
}
