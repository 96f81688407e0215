//! `SELECT DISTINCT … ORDER BY x` with an `x` that is not selected: SQLite orders each row of the
//! result by the `x` of the first row that gave it, which is the least one in a table in order.

use datafusion::sql::sqlparser::ast::{
    Distinct, Expr, GroupByExpr, Ident, OrderByKind, Query, Select, SelectItem, SetExpr, Statement,
    Value,
};

use super::{call, take};
use crate::perfetto_sql::scope::{Scope, visit_queries, written_out};

/// Whether an error of planning is about this.
pub(super) fn is_ordered_otherwise(message: &str) -> bool {
    message.contains("For SELECT DISTINCT, ORDER BY expressions")
}

/// Groups by the selected columns, so that the order can be by others; returns whether there was
/// such a query.
pub(super) fn order_by_others(tree: &mut Statement, scope: &Scope) -> bool {
    let mut found = false;
    visit_queries(tree, scope, &mut |query, scope| found |= rewrite(query, scope));
    found
}

fn rewrite(query: &mut Query, scope: &Scope) -> bool {
    let Some(order) = &mut query.order_by else { return false };
    let OrderByKind::Expressions(by) = &mut order.kind else { return false };
    let SetExpr::Select(select) = query.body.as_mut() else { return false };
    if !matches!(select.distinct, Some(Distinct::Distinct)) || has_groups(select) {
        return false;
    }
    let Some(items) = items(select, scope) else { return false };
    let selected = |expr: &Expr| {
        let is_position =
            matches!(expr, Expr::Value(value) if matches!(value.value, Value::Number(..)));
        is_position || items.iter().any(|item| names(item, expr))
    };
    if by.iter().all(|by| selected(&by.expr)) {
        return false;
    }
    for by in by.iter_mut().filter(|by| !selected(&by.expr)) {
        by.expr = call("min", vec![take(&mut by.expr)]);
    }
    let groups = items.iter().filter_map(grouped).collect();
    select.group_by = GroupByExpr::Expressions(groups, vec![]);
    select.projection = items;
    select.distinct = None;
    true
}

fn has_groups(select: &Select) -> bool {
    !matches!(&select.group_by, GroupByExpr::Expressions(by, _) if by.is_empty())
}

/// The selected columns, `*` written out.
fn items(select: &Select, scope: &Scope) -> Option<Vec<SelectItem>> {
    let items = written_out(select, scope)?;
    let is_column = |item: &SelectItem| grouped(item).is_some();
    items.iter().all(is_column).then_some(items)
}

/// Whether an expression in ORDER BY is the item.
fn names(item: &SelectItem, expr: &Expr) -> bool {
    let is_alias = |alias: &Ident| matches!(expr, Expr::Identifier(name) if name.value.eq_ignore_ascii_case(&alias.value));
    let last = |expr: &Expr| match expr {
        Expr::Identifier(name) => Some(name.value.to_lowercase()),
        Expr::CompoundIdentifier(names) => names.last().map(|name| name.value.to_lowercase()),
        _ => None,
    };
    match item {
        SelectItem::ExprWithAlias { expr: aliased, alias } => is_alias(alias) || aliased == expr,
        SelectItem::UnnamedExpr(column) => {
            column == expr || last(column).is_some() && last(column) == last(expr)
        }
        _ => false,
    }
}

fn grouped(item: &SelectItem) -> Option<Expr> {
    match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
            Some(expr.clone())
        }
        _ => None,
    }
}
