//! COLLATE where whole rows are compared: `SELECT DISTINCT name COLLATE NOCASE`.
//!
//! DataFusion compares values alone. Such a SELECT becomes one with `GROUP BY name COLLATE NOCASE`.
//! Where that is not possible, and in UNION and the like, COLLATE is refused.

use std::ops::ControlFlow;

use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{
    Cte, Distinct, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArguments, GroupByExpr, Query, Select, SelectItem, SetExpr, SetOperator, SetQuantifier,
    Visitor,
};

use super::carried_collations;
use super::collation::{decides, is_folded};
use super::known_texts::may_be_equal;
use super::orders::has;
use super::retry::is_query;
use crate::errors::{SqlError, SqlErrorKind};
use crate::perfetto_sql::walk::walk;

/// Whether there is an aggregate function of a name.
type IsAggregate<'a> = &'a dyn Fn(&str) -> bool;

/// Groups by the selected columns of `SELECT DISTINCT`, if one of them has a collation.
pub(super) fn group_distinct(select: &mut Select, is_aggregate: IsAggregate) {
    if !is_distinct(select, is_folded) {
        return;
    }
    if let Some(keys) = keys(select, is_aggregate) {
        select.distinct = None;
        select.group_by = GroupByExpr::Expressions(keys, vec![]);
    }
}

fn item(item: &SelectItem) -> Option<&Expr> {
    match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
        _ => None,
    }
}

/// Whether a SELECT gives distinct rows, with such a column.
fn is_distinct(select: &Select, is_it: fn(&Expr) -> bool) -> bool {
    matches!(select.distinct, Some(Distinct::Distinct))
        && select.projection.iter().filter_map(item).any(is_it)
}

/// Whether distinct values of an expression are others by the collation that it states.
fn is_distinct_otherwise(expr: &Expr) -> bool {
    is_folded(expr) && may_be_equal(&[expr])
}

/// What a SELECT is grouped by in place of DISTINCT; `None` where groups would be others.
fn keys(select: &Select, is_aggregate: IsAggregate) -> Option<Vec<Expr>> {
    let is_grouped = !matches!(&select.group_by, GroupByExpr::Expressions(by, _) if by.is_empty());
    if is_grouped || select.having.is_some() {
        return None;
    }
    let is_other = |expr: &Expr| match expr {
        Expr::Function(function) => {
            function.over.is_some() || is_aggregate(&function.name.to_string().to_lowercase())
        }
        other => is_query(other),
    };
    let mut keys = Vec::new();
    for selected in &select.projection {
        let expr = item(selected)?;
        if has(expr, is_other) {
            return None;
        }
        // A number would be the position of a column.
        if !is_literal(expr) {
            keys.push(expr.clone());
        }
    }
    Some(keys)
}

fn is_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(inner) => is_literal(inner),
        other => matches!(other, Expr::Value(_)),
    }
}

/// Refuses a statement in which rows are compared with a collation, which may be one that a
/// subquery or CTE gives to a column.
pub(in super::super) fn refuse_collations(
    tree: &Tree,
    is_aggregate: IsAggregate,
) -> Result<(), SqlError> {
    match tree {
        Tree::Statement(statement) => {
            let Some(ctes) = carried_collations::ctes(statement) else { return Ok(()) };
            let written = carried_collations::written_out(statement, &ctes);
            match walk(&written, &mut Refusal { is_aggregate, ctes: &ctes }) {
                ControlFlow::Break(error) => Err(error),
                ControlFlow::Continue(()) => Ok(()),
            }
        }
        Tree::Explain(explain) => refuse_collations(&explain.statement, is_aggregate),
        _ => Ok(()),
    }
}

struct Refusal<'a> {
    is_aggregate: IsAggregate<'a>,
    ctes: &'a [Cte],
}

fn refused(what: &str, instead: &str) -> ControlFlow<SqlError> {
    let message = format!("{what} with COLLATE is not supported here");
    let error = SqlError::new(SqlErrorKind::Unsupported, message);
    ControlFlow::Break(error.hint(Some(instead.to_owned())))
}

impl Visitor for Refusal<'_> {
    type Break = SqlError;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<SqlError> {
        match compared_operands(&query.body, self.ctes) {
            Some(op) => refused(
                &op.to_string(),
                "select from UNION ALL in a subquery, with GROUP BY and COLLATE around it",
            ),
            None => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<SqlError> {
        let is_refused = is_distinct(select, is_distinct_otherwise)
            && keys(select, self.is_aggregate).is_none()
            || matches!(select.distinct, Some(Distinct::Distinct))
                && carried_collations::is_in_star(select, self.ctes);
        if is_refused {
            return refused(
                "DISTINCT",
                "write GROUP BY with COLLATE, as in GROUP BY x COLLATE NOCASE",
            );
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<SqlError> {
        match expr {
            Expr::Function(function) if takes_distinct_texts(function) => refused(
                &format!("DISTINCT in {}()", function.name),
                "take the values from a subquery with GROUP BY x COLLATE NOCASE",
            ),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Whether a call gives distinct values as a collation compares them. `count` gives their number,
/// and `min` and `max` are the same with DISTINCT.
fn takes_distinct_texts(function: &Function) -> bool {
    let FunctionArguments::List(list) = &function.args else { return false };
    let name = function.name.to_string().to_ascii_lowercase();
    list.duplicate_treatment == Some(DuplicateTreatment::Distinct)
        && !matches!(name.as_str(), "count" | "min" | "max")
        && list.args.iter().any(|arg| match arg {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => is_distinct_otherwise(expr),
            _ => false,
        })
}

/// The operator that compares rows with a collation, if there is one.
fn compared_operands(body: &SetExpr, ctes: &[Cte]) -> Option<SetOperator> {
    let SetExpr::SetOperation { op, set_quantifier, left, right } = body else { return None };
    let within = compared_operands(left, ctes).or_else(|| compared_operands(right, ctes));
    if within.is_some() {
        return within;
    }
    if matches!(set_quantifier, SetQuantifier::All) {
        return None;
    }
    let mut operands = Vec::new();
    selects(body, &mut operands);
    // A column, or a collation, decides for those in its place in later operands.
    let is_collated = |at: usize| {
        let items = operands.iter().filter_map(|select| select.projection.get(at).and_then(item));
        let items: Vec<&Expr> = items.collect();
        let deciding = items.iter().find(|expr| decides(expr));
        deciding.is_some_and(|expr| is_folded(expr))
            && (items.len() < operands.len() || !has_selects_alone(body) || may_be_equal(&items))
    };
    if operands.iter().any(|select| carried_collations::is_in_star(select, ctes)) {
        return Some(*op);
    }
    let width = operands.first().map_or(0, |select| select.projection.len());
    (0..width).any(is_collated).then_some(*op)
}

/// Whether each operand of a set operation is a SELECT.
fn has_selects_alone(body: &SetExpr) -> bool {
    match body {
        SetExpr::Select(_) => true,
        SetExpr::Query(query) => has_selects_alone(&query.body),
        SetExpr::SetOperation { left, right, .. } => {
            has_selects_alone(left) && has_selects_alone(right)
        }
        _ => false,
    }
}

/// The operands of a set operation, in the order of the text.
pub(super) fn selects<'a>(body: &'a SetExpr, operands: &mut Vec<&'a Select>) {
    match body {
        SetExpr::Select(select) => operands.push(select),
        SetExpr::Query(query) => selects(&query.body, operands),
        SetExpr::SetOperation { left, right, .. } => {
            selects(left, operands);
            selects(right, operands);
        }
        _ => {}
    }
}
