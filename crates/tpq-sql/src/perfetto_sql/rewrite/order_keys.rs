//! `SELECT -dur AS dur FROM slice ORDER BY dur + 0`: in an expression of ORDER BY a name is a
//! column of a table before it is an alias. DataFusion takes the alias. In a list of results a name
//! is a column only, so the expression becomes one more result, which a query around leaves out.

use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{
    Expr, Ident, OrderByKind, Query, Select, SelectItem, SetExpr, Value,
};

use super::grouping::last_name;
use super::orders::{has, is_distinct, is_grouped};
use super::row_values::renamed_rows;
use crate::perfetto_sql::planner::Planner;
use crate::perfetto_sql::scope::{Scope, is_same, visit_queries};

/// The results that a query is ordered by are called this, with a number.
const KEY: &str = "__order_key_";

/// Moves each such expression into the results.
pub(in super::super) fn select_order_keys(tree: &mut Tree, planner: &Planner) {
    match tree {
        Tree::Statement(statement) => {
            let is_aggregate = |name: &str| planner.is_aggregate(name);
            visit_queries(statement, &Scope::new(planner), &mut |query, scope| {
                if let Some(names) = needed(query, scope, &is_aggregate) {
                    let _ = rewrite(query, &names);
                }
            });
        }
        Tree::Explain(explain) => select_order_keys(&mut explain.statement, planner),
        _ => {}
    }
}

/// The names of the results of a query with such an expression. The order of groups keeps aliases:
/// a column there would be that of any of the rows.
fn needed(query: &Query, scope: &Scope, is_aggregate: &dyn Fn(&str) -> bool) -> Option<Vec<Ident>> {
    let SetExpr::Select(select) = &*query.body else { return None };
    let OrderByKind::Expressions(keys) = &query.order_by.as_ref()?.kind else { return None };
    let aliases = aliases(select);
    if aliases.is_empty() || is_distinct(select) || has_groups(select, is_aggregate) {
        return None;
    }
    let sources = scope.sources(select);
    let is_column = |name: &Ident| {
        aliases.iter().any(|alias| is_same(alias, &name.value))
            && sources.iter().any(|source| source.has(&name.value))
    };
    let names_column = |part: &Expr| matches!(part, Expr::Identifier(name) if is_column(name));
    let is_it = |key: &Expr| !matches!(key, Expr::Identifier(_)) && has(key, names_column);
    if !keys.iter().any(|key| is_it(&key.expr)) {
        return None;
    }
    select.projection.iter().map(result_name).collect()
}

fn result_name(item: &SelectItem) -> Option<Ident> {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.clone()),
        SelectItem::UnnamedExpr(expr) => last_name(expr).map(|name| Ident::with_quote('"', name)),
        _ => None,
    }
}

/// Selects the keys that are no results yet, and the results of that.
fn rewrite(query: &mut Query, names: &[Ident]) -> Option<()> {
    let Query { body, order_by, .. } = &mut *query;
    let SetExpr::Select(select) = &mut **body else { return None };
    let OrderByKind::Expressions(keys) = &mut order_by.as_mut()?.kind else { return None };
    let mut columns = names.to_vec();
    for (index, key) in keys.iter_mut().enumerate() {
        let is_result = match &key.expr {
            Expr::Identifier(name) => names.iter().any(|it| is_same(it, &name.value)),
            Expr::Value(value) => matches!(value.value, Value::Number(..)),
            _ => false,
        };
        if !is_result {
            let alias = Ident::with_quote('"', format!("{KEY}{index}"));
            let expr = std::mem::replace(&mut key.expr, Expr::Identifier(alias.clone()));
            select.projection.push(SelectItem::ExprWithAlias { expr, alias: alias.clone() });
            columns.push(alias);
        }
    }
    let inner =
        Query { with: None, order_by: None, limit_clause: None, fetch: None, ..query.clone() };
    let mut outer = renamed_rows(&inner, &columns, Expr::Value(Value::Null.into()), None)?;
    if let SetExpr::Select(select) = &mut *outer.body {
        let results = names.iter().cloned().map(Expr::Identifier);
        select.projection = results.map(SelectItem::UnnamedExpr).collect();
    }
    query.body = outer.body;
    Some(())
}

fn has_groups(select: &Select, is_aggregate: &dyn Fn(&str) -> bool) -> bool {
    let is_call = |expr: &Expr| match expr {
        Expr::Function(call) => call.over.is_none() && is_aggregate(&call.name.to_string()),
        _ => false,
    };
    is_grouped(select) || select.projection.iter().any(|item| has(item, is_call))
}

/// The aliases of other expressions than the column of that name.
fn aliases(select: &Select) -> Vec<&Ident> {
    let mut aliases = Vec::new();
    for item in &select.projection {
        if let SelectItem::ExprWithAlias { expr, alias } = item
            && last_name(expr).is_none_or(|name| !is_same(alias, name))
        {
            aliases.push(alias);
        }
    }
    aliases
}
