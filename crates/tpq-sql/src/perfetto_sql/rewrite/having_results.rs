//! Aliases of aggregates in the subqueries of HAVING: `SELECT count(*) AS n … HAVING EXISTS (SELECT …
//! WHERE x > n)`.
//!
//! DataFusion does not see them there. The condition is one on the rows of the result, so it becomes
//! a condition on the SELECT as a table.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Ident, OrderByKind, Query, Select, SelectItem, SetExpr, Statement,
    TableFactor, Value,
};
use datafusion::sql::sqlparser::parser::Parser;

use super::super::dialect::TraceDialect;
use super::grouping::last_name;
use super::orders::has;
use super::retry::is_query;
use super::row_parts;
use crate::perfetto_sql::planner::Planner;
use crate::perfetto_sql::scope::{Scope, Source, is_same};
use crate::perfetto_sql::walk::walk_nested_expressions;

/// Moves such conditions out of a query, where they have names of the result alone.
pub(super) fn move_out(query: &mut Query, planner: &Planner, scope: &Scope) {
    let SetExpr::Select(select) = query.body.as_ref() else { return };
    if !has(&select.having, is_query) {
        return;
    }
    let mut select = select.clone();
    let columns = columns(&select);
    let has_more = row_parts::select_parts(&mut select, planner, scope);
    let Some(having) = select.having.take().filter(|having| has(having, is_query)) else {
        return;
    };
    let Some(rows) = GroupRows::of(&select, planner, scope) else { return };
    let by_result = query.order_by.iter().all(|order| match &order.kind {
        OrderByKind::Expressions(keys) => keys.iter().all(|by| rows.is_key(&by.expr)),
        OrderByKind::All(_) => false,
    });
    let (moved, kept): (Vec<Expr>, Vec<Expr>) =
        terms(&having).into_iter().cloned().partition(|term| rows.is_needed_by(term));
    let Some(condition) = all_of(moved).filter(|moved| by_result && rows.has_names_of(moved))
    else {
        return;
    };
    let Some(mut around) = rows_that(condition, columns.filter(|_| has_more)) else { return };
    let Some(subquery) = subquery_of(&mut around) else { return };
    select.having = all_of(kept);
    *subquery.body = SetExpr::Select(select);
    query.body = around;
}

/// The columns of a SELECT; `None` with `*`.
fn columns(select: &Select) -> Option<Vec<SelectItem>> {
    let column = |item: &SelectItem| {
        let name = match item {
            SelectItem::ExprWithAlias { alias, .. } => alias.clone(),
            SelectItem::UnnamedExpr(expr) => {
                Ident::with_quote('"', last_name(expr)?.to_lowercase())
            }
            _ => return None,
        };
        Some(SelectItem::UnnamedExpr(Expr::Identifier(name)))
    };
    select.projection.iter().map(column).collect()
}

/// The terms of AND, from the first to the last.
fn terms(condition: &Expr) -> Vec<&Expr> {
    let (mut pending, mut terms) = (vec![condition], Vec::new());
    while let Some(part) = pending.pop() {
        match part {
            Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
                pending.extend([&**right, &**left]);
            }
            term => terms.push(term),
        }
    }
    terms
}

fn all_of(terms: Vec<Expr>) -> Option<Expr> {
    terms.into_iter().reduce(|all, term| Expr::BinaryOp {
        left: Box::new(all),
        op: BinaryOperator::And,
        right: Box::new(term),
    })
}

/// `SELECT columns FROM (SELECT 1) AS __grouped WHERE condition`; all columns if none are given.
fn rows_that(condition: Expr, columns: Option<Vec<SelectItem>>) -> Option<Box<SetExpr>> {
    let text = "SELECT * FROM (SELECT 1) AS __grouped";
    let dialect = TraceDialect::default();
    let parsed = Parser::new(&dialect).try_with_sql(text).ok()?.parse_statement().ok()?;
    let Statement::Query(mut around) = parsed else { return None };
    let SetExpr::Select(select) = &mut *around.body else { return None };
    // Not at the place of a SELECT in the statement.
    select.select_token = AttachedToken::empty();
    select.selection = Some(condition);
    if let Some(columns) = columns {
        select.projection = columns;
    }
    Some(around.body)
}

fn subquery_of(body: &mut SetExpr) -> Option<&mut Query> {
    let SetExpr::Select(select) = body else { return None };
    match &mut select.from.first_mut()?.relation {
        TableFactor::Derived { subquery, .. } => Some(&mut **subquery),
        _ => None,
    }
}

/// The rows of a SELECT with groups, by their names.
struct GroupRows<'a, 'p> {
    planner: &'a Planner<'p>,
    /// The tables in FROM, with all of their columns.
    sources: Vec<Source>,
    /// The names of all columns, and whether a table in FROM has another column of the name: in
    /// HAVING that one is meant.
    names: Vec<(String, bool)>,
    /// The aliases of aggregates.
    aggregates: Vec<String>,
}

impl<'a, 'p> GroupRows<'a, 'p> {
    fn of(select: &Select, planner: &'a Planner<'p>, scope: &Scope) -> Option<Self> {
        let sources = scope.sources(select);
        if sources.iter().any(|source| source.columns.is_none()) {
            return None;
        }
        let mut rows = Self { planner, sources, names: Vec::new(), aggregates: Vec::new() };
        for item in &select.projection {
            let (expr, name) = match item {
                SelectItem::ExprWithAlias { expr, alias } => (expr, alias.value.clone()),
                SelectItem::UnnamedExpr(expr) => (expr, last_name(expr)?.to_owned()),
                _ => return None,
            };
            // HAVING is decided before windows.
            if has(expr, is_window) {
                return None;
            }
            let is_of_table = rows.sources.iter().any(|source| source.has(&name));
            let is_column = last_name(expr).is_some_and(|of| of.eq_ignore_ascii_case(&name));
            if !is_of_table && has(expr, |part| rows.is_aggregate(part)) {
                rows.aggregates.push(name.clone());
            }
            rows.names.push((name, is_of_table && !is_column));
        }
        Some(rows)
    }

    fn is_aggregate(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Function(function) => {
                let name = function.name.to_string().to_lowercase();
                function.over.is_none() && self.planner.is_aggregate(&name)
            }
            _ => false,
        }
    }

    /// Whether an expression of ORDER BY is a position, or a name of the rows.
    fn is_key(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Value(value) => matches!(value.value, Value::Number(..)),
            Expr::Identifier(name) => self.names.iter().any(|(own, _)| is_same(name, own)),
            _ => false,
        }
    }

    /// Whether a subquery in a condition names an aggregate.
    fn is_needed_by(&self, condition: &Expr) -> bool {
        let is_aggregate = |part: &Expr| match part {
            Expr::Identifier(name) => self.aggregates.iter().any(|own| is_same(name, own)),
            _ => false,
        };
        has(condition, |part| match part {
            Expr::Exists { subquery, .. } | Expr::InSubquery { subquery, .. } => {
                has(&**subquery, is_aggregate)
            }
            Expr::Subquery(query) => has(&**query, is_aggregate),
            _ => false,
        })
    }

    /// Whether all names in a condition mean the same for the rows.
    fn has_names_of(&self, condition: &Expr) -> bool {
        walk_nested_expressions(condition, |expr, queries| match self.is_other(expr, queries > 0) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })
        .is_continue()
    }

    /// Whether an expression is a name that means something else, or nothing, for the rows of the
    /// result. `within` states that it is in a subquery.
    fn is_other(&self, expr: &Expr, within: bool) -> bool {
        match expr {
            Expr::Identifier(name) => {
                let known = self.names.iter().find(|(own, _)| is_same(name, own));
                known.map_or(!within, |(_, is_ambiguous)| *is_ambiguous)
            }
            Expr::CompoundIdentifier(names) => {
                let [.., table, _] = &names[..] else { return true };
                let mut tables = self.sources.iter().filter_map(|it| it.name.as_ref());
                !within || tables.any(|name| is_same(name, &table.value))
            }
            other => !within && self.is_aggregate(other),
        }
    }
}

fn is_window(expr: &Expr) -> bool {
    matches!(expr, Expr::Function(function) if function.over.is_some())
}
