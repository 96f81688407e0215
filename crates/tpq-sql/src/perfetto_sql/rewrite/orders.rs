//! The order of rows that a subquery gives, where something above it shows it.
//!
//! SQL says that it is lost, and DataFusion loses it; SQLite keeps it, and people count on it:
//! `SELECT group_concat(name) FROM (SELECT … ORDER BY ts)`.

use datafusion::sql::sqlparser::ast::{
    Distinct, Expr, FunctionArgumentClause, FunctionArguments, GroupByExpr, Ident, OrderBy,
    OrderByExpr, OrderByKind, Query, Select, SelectItem, SetExpr, TableFactor, With,
};

/// Hands the order of the only table of a SELECT on, where that is a subquery or a CTE.
pub(super) fn rewrite(query: &mut Query) {
    let with = query.with.clone();
    let SetExpr::Select(select) = &mut *query.body else { return };
    let Some(order) = order_of_table(select, with.as_ref()) else { return };
    let mut concatenates = false;
    for item in &mut select.projection {
        if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = item {
            concatenates |= order_concatenation(expr, &order);
        }
    }
    let grouped = concatenates
        || !matches!(&select.group_by, GroupByExpr::Expressions(by, _) if by.is_empty())
        || matches!(select.distinct, Some(Distinct::Distinct | Distinct::On(_)));
    if !grouped && query.order_by.is_none() && shows_rows(select) {
        let kind = OrderByKind::Expressions(order);
        query.order_by = Some(OrderBy { kind, interpolate: None });
    }
}

/// Names selected expressions in ORDER BY by their aliases: in `min(ts) AS ts … ORDER BY min(ts)`
/// the engine would take `ts` for the alias.
pub(super) fn name_selected(query: &mut Query) {
    let SetExpr::Select(select) = &*query.body else { return };
    let Some(OrderBy { kind: OrderByKind::Expressions(by), .. }) = &mut query.order_by else {
        return;
    };
    for by in by {
        let alias = select.projection.iter().find_map(|item| match item {
            SelectItem::ExprWithAlias { expr: expr @ Expr::Function(_), alias }
                if *expr == by.expr =>
            {
                Some(alias.clone())
            }
            _ => None,
        });
        if let Some(alias) = alias {
            by.expr = Expr::Identifier(Ident::with_quote('"', alias.value));
        }
    }
}

/// Whether each row of the table is one of the SELECT, as far as is known here.
fn shows_rows(select: &Select) -> bool {
    select.projection.iter().all(|item| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
            let mut calls = false;
            let _: std::ops::ControlFlow<()> =
                datafusion::sql::sqlparser::ast::visit_expressions(expr, |part| {
                    calls |= matches!(part, Expr::Function(_));
                    std::ops::ControlFlow::Continue(())
                });
            !calls
        }
        _ => true,
    })
}

/// The order of the rows of the only table, by columns that it shows.
fn order_of_table(select: &Select, with: Option<&With>) -> Option<Vec<OrderByExpr>> {
    let [table] = &select.from[..] else { return None };
    if !table.joins.is_empty() {
        return None;
    }
    let query = match &table.relation {
        TableFactor::Derived { subquery, .. } => &**subquery,
        TableFactor::Table { name, args: None, .. } => {
            let name = name.to_string();
            let named = |cte: &&_| {
                let cte: &datafusion::sql::sqlparser::ast::Cte = cte;
                cte.alias.name.value.eq_ignore_ascii_case(&name) && cte.alias.columns.is_empty()
            };
            &*with?.cte_tables.iter().find(named)?.query
        }
        _ => return None,
    };
    let OrderByKind::Expressions(by) = &query.order_by.as_ref()?.kind else { return None };
    let SetExpr::Select(inner) = &*query.body else { return None };
    by.iter().map(|by| shown(by, inner)).collect()
}

/// A key of an order by the name it has outside; `None` when it is not shown.
fn shown(by: &OrderByExpr, inner: &Select) -> Option<OrderByExpr> {
    let plain = |name: &str| Expr::Identifier(Ident::with_quote('"', name.to_lowercase()));
    let text = by.expr.to_string().to_lowercase();
    let position = text.parse::<usize>().ok();
    for (index, item) in inner.projection.iter().enumerate() {
        let (expr, name) = match item {
            SelectItem::ExprWithAlias { expr, alias } => (expr, alias.value.clone()),
            SelectItem::UnnamedExpr(expr) => match expr {
                Expr::Identifier(name) => (expr, name.value.clone()),
                Expr::CompoundIdentifier(names) => (expr, names.last()?.value.clone()),
                _ => continue,
            },
            SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..) => {
                if let Expr::Identifier(name) = &by.expr {
                    return Some(OrderByExpr { expr: plain(&name.value), ..by.clone() });
                }
                continue;
            }
            _ => continue,
        };
        let same = position == Some(index + 1)
            || name.to_lowercase() == text
            || expr.to_string().to_lowercase() == text;
        if same {
            return Some(OrderByExpr { expr: plain(&name), ..by.clone() });
        }
    }
    None
}

/// Gives the concatenations in an expression the order, where they have none of their own.
fn order_concatenation(expr: &mut Expr, order: &[OrderByExpr]) -> bool {
    let mut found = false;
    let _: std::ops::ControlFlow<()> =
        datafusion::sql::sqlparser::ast::visit_expressions_mut(expr, |part| {
            if let Expr::Function(function) = part
                && function.over.is_none()
                && function.name.to_string() == "string_agg"
                && let FunctionArguments::List(list) = &mut function.args
            {
                found = true;
                let ordered = |clause: &FunctionArgumentClause| {
                    matches!(clause, FunctionArgumentClause::OrderBy(_))
                };
                if list.duplicate_treatment.is_none() && !list.clauses.iter().any(ordered) {
                    list.clauses.push(FunctionArgumentClause::OrderBy(order.to_vec()));
                }
            }
            std::ops::ControlFlow::Continue(())
        });
    found
}
