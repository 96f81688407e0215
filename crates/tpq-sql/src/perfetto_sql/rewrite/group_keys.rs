//! Groups of a subquery by several columns, one of which is the key of a table.
//!
//! `thread` has one row for each `utid`. DataFusion concludes that a subquery grouped by `utid` and
//! `cpu` has one as well, and an outer GROUP BY then groups by too many columns. It knows the key
//! by its name, so the columns that such a subquery gives are expressions.

use datafusion::sql::sqlparser::ast::{
    Expr, GroupByExpr, Ident, OrderByKind, Query, Select, SelectItem, SetExpr, TableFactor,
};

use super::grouping::{is_same, parts};
use super::{call, take};
use crate::functions::SAME;

/// Rewrites the subqueries in FROM and the CTEs of a query.
pub(super) fn hide(query: &mut Query, is_aggregate: &dyn Fn(&str) -> bool) {
    for cte in query.with.iter_mut().flat_map(|with| &mut with.cte_tables) {
        subquery(&mut cte.query, is_aggregate);
    }
    if let SetExpr::Select(select) = query.body.as_mut() {
        for from in &mut select.from {
            let joined = from.joins.iter_mut().map(|join| &mut join.relation);
            for factor in std::iter::once(&mut from.relation).chain(joined) {
                if let TableFactor::Derived { subquery: query, .. } = factor {
                    subquery(query, is_aggregate);
                }
            }
        }
    }
}

fn subquery(query: &mut Query, is_aggregate: &dyn Fn(&str) -> bool) {
    let SetExpr::Select(select) = query.body.as_mut() else { return };
    let keys = hide_keys(select);
    match query.order_by.as_mut().map(|order| &mut order.kind) {
        Some(OrderByKind::Expressions(by)) => {
            by.iter_mut().for_each(|by| name_keys(&mut by.expr, &keys, is_aggregate));
        }
        // `ORDER BY ALL` is by what is selected.
        Some(OrderByKind::All(_)) | None => {}
    }
}

/// A column that is hidden in an expression, and the name that the expression has.
struct Key {
    column: Expr,
    name: Ident,
}

fn hide_keys(select: &mut Select) -> Vec<Key> {
    let groups_by_several =
        matches!(&select.group_by, GroupByExpr::Expressions(by, _) if by.len() > 1);
    let mut keys = Vec::new();
    for item in select.projection.iter_mut().filter(|_| groups_by_several) {
        let (column, name) = match item {
            SelectItem::UnnamedExpr(column) => match name_of(column) {
                Some(name) => (take(column), name),
                None => continue,
            },
            SelectItem::ExprWithAlias { expr, alias } if name_of(expr).is_some() => {
                (take(expr), alias.clone())
            }
            _ => continue,
        };
        keys.push(Key { column: column.clone(), name: name.clone() });
        *item = SelectItem::ExprWithAlias { expr: call(SAME, vec![column]), alias: name };
    }
    keys
}

/// Names hidden columns in ORDER BY by the names of the expressions that they are in: beside these
/// the engine cannot have the columns too. In an aggregate it can.
fn name_keys(expr: &mut Expr, keys: &[Key], is_aggregate: &dyn Fn(&str) -> bool) {
    if let Some(key) = keys.iter().find(|key| is_same(&key.column, expr)) {
        *expr = Expr::Identifier(Ident::with_quote('"', key.name.value.clone()));
        return;
    }
    if let Expr::Function(function) = &*expr
        && function.over.is_none()
        && is_aggregate(&function.name.to_string().to_lowercase())
    {
        return;
    }
    parts(expr).into_iter().for_each(|part| name_keys(part, keys, is_aggregate));
}

/// The name of a plain column.
fn name_of(expr: &Expr) -> Option<Ident> {
    match expr {
        Expr::Identifier(name) => Some(name.clone()),
        Expr::CompoundIdentifier(names) => names.last().cloned(),
        _ => None,
    }
}
