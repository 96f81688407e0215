//! Groups of a subquery by several columns, one of which is the key of a table.
//!
//! `thread` has one row for each `utid`. DataFusion concludes that a subquery grouped by `utid` and
//! `cpu` has one as well, and an outer GROUP BY then groups by too many columns. It knows the key
//! by its name, so the columns that such a subquery gives are expressions.

use datafusion::sql::sqlparser::ast::{
    Expr, GroupByExpr, Ident, Query, Select, SelectItem, SetExpr, TableFactor,
};

use super::{call, take};
use crate::functions::SAME;

/// Rewrites the subqueries in FROM and the CTEs of a query.
pub(super) fn hide(query: &mut Query) {
    for cte in query.with.iter_mut().flat_map(|with| &mut with.cte_tables) {
        subquery(&mut cte.query);
    }
    if let SetExpr::Select(select) = query.body.as_mut() {
        for from in &mut select.from {
            factor(&mut from.relation);
            from.joins.iter_mut().for_each(|join| factor(&mut join.relation));
        }
    }
}

fn factor(factor: &mut TableFactor) {
    if let TableFactor::Derived { subquery: query, .. } = factor {
        subquery(query);
    }
}

fn subquery(query: &mut Query) {
    // ORDER BY names the columns themselves.
    if query.order_by.is_some() {
        return;
    }
    if let SetExpr::Select(select) = query.body.as_mut() {
        hide_keys(select);
    }
}

fn hide_keys(select: &mut Select) {
    let groups_by_several =
        matches!(&select.group_by, GroupByExpr::Expressions(by, _) if by.len() > 1);
    if !groups_by_several {
        return;
    }
    for item in &mut select.projection {
        match item {
            SelectItem::UnnamedExpr(column) => {
                let Some(name) = name_of(column) else { continue };
                let expr = call(SAME, vec![take(column)]);
                *item = SelectItem::ExprWithAlias { expr, alias: name };
            }
            SelectItem::ExprWithAlias { expr, .. } if name_of(expr).is_some() => {
                *expr = call(SAME, vec![take(expr)]);
            }
            _ => {}
        }
    }
}

/// The name of a plain column.
fn name_of(expr: &Expr) -> Option<Ident> {
    match expr {
        Expr::Identifier(name) => Some(name.clone()),
        Expr::CompoundIdentifier(names) => names.last().cloned(),
        _ => None,
    }
}
