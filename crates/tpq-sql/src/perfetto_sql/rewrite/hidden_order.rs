//! `SELECT ts / 10 AS ts FROM t ORDER BY t.ts`: a column in ORDER BY that has the name of another
//! column of the result. DataFusion adds the column to the result, where the name is then
//! ambiguous, so it gets another name in a subquery.

use std::ops::ControlFlow;

use crate::perfetto_sql::walk::walk_mut;
use datafusion::sql::sqlparser::ast::{
    Distinct, Expr, Ident, OrderByKind, Query, SelectItem, SetExpr, Statement, TableAlias,
    TableFactor, TableWithJoins, VisitorMut,
};
use datafusion::sql::sqlparser::parser::Parser;

use super::take;
use crate::perfetto_sql::dialect::TraceDialect;

/// Names the columns called `name` in ORDER BY anew; returns whether there was such a query.
pub(super) fn rename(tree: &mut Statement, name: &str) -> bool {
    let mut queries = Queries { name, found: false };
    let _: ControlFlow<()> = walk_mut(tree, &mut queries);
    queries.found
}

struct Queries<'a> {
    name: &'a str,
    found: bool,
}

impl VisitorMut for Queries<'_> {
    type Break = ();

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        self.found |= rewrite(query, self.name).is_some();
        ControlFlow::Continue(())
    }
}

/// The alias of the subquery.
const SUBQUERY: &str = "__ordered";

fn rewrite(query: &mut Query, name: &str) -> Option<()> {
    let OrderByKind::Expressions(by) = &query.order_by.as_ref()?.kind else { return None };
    let SetExpr::Select(select) = query.body.as_ref() else { return None };
    let is_hidden = |expr: &Expr| {
        matches!(expr, Expr::CompoundIdentifier(names)
            if names.last().is_some_and(|last| last.value.eq_ignore_ascii_case(name)))
    };
    let is_alias = |item: &SelectItem| matches!(item, SelectItem::ExprWithAlias { alias, .. } if alias.value == name);
    if !by.iter().any(|by| is_hidden(&by.expr)) || !select.projection.iter().any(is_alias) {
        return None;
    }
    move_out(query)
}

/// Puts a query into a subquery, by columns of which it is ordered then; `None` where that is
/// impossible.
pub(super) fn move_out(query: &mut Query) -> Option<()> {
    let OrderByKind::Expressions(by) = &mut query.order_by.as_mut()?.kind else { return None };
    let SetExpr::Select(select) = query.body.as_mut() else { return None };
    if matches!(select.distinct, Some(Distinct::Distinct | Distinct::On(_))) {
        return None;
    }
    let columns = select.projection.iter().map(column).collect::<Option<Vec<_>>>()?;
    for (index, by) in by.iter_mut().enumerate() {
        // A column of the result, or a position, means the same outside of the subquery.
        let is_column = match &by.expr {
            Expr::Value(_) => true,
            Expr::Identifier(name) => columns.iter().any(|column| is_name(column, name)),
            _ => false,
        };
        if is_column {
            continue;
        }
        let alias = Ident::with_quote('"', format!("__order_{index}"));
        let expr = take(&mut by.expr);
        by.expr = Expr::Identifier(alias.clone());
        select.projection.push(SelectItem::ExprWithAlias { expr, alias });
    }
    let inner = Query {
        with: None,
        body: std::mem::replace(&mut query.body, Box::new(empty_select()?)),
        order_by: None,
        limit_clause: None,
        fetch: None,
        locks: vec![],
        for_clause: None,
        settings: None,
        format_clause: None,
        pipe_operators: vec![],
    };
    if let SetExpr::Select(outer) = query.body.as_mut() {
        outer.projection = columns;
        outer.from = vec![derived(inner)];
    }
    Some(())
}

fn is_name(column: &SelectItem, name: &Ident) -> bool {
    matches!(column, SelectItem::UnnamedExpr(Expr::Identifier(column))
        if column.value.eq_ignore_ascii_case(&name.value))
}

/// The column of an item in the result of the subquery.
fn column(item: &SelectItem) -> Option<SelectItem> {
    let name = match item {
        SelectItem::ExprWithAlias { alias, .. } => alias,
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => name,
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(names)) => names.last()?,
        _ => return None,
    };
    Some(SelectItem::UnnamedExpr(Expr::Identifier(name.clone())))
}

fn derived(subquery: Query) -> TableWithJoins {
    let name = Ident::new(SUBQUERY);
    let alias = Some(TableAlias { explicit: true, name, columns: vec![], at: None });
    let relation =
        TableFactor::Derived { lateral: false, subquery: Box::new(subquery), alias, sample: None };
    TableWithJoins { relation, joins: vec![] }
}

/// A SELECT to be filled.
fn empty_select() -> Option<SetExpr> {
    let dialect = TraceDialect::default();
    let query = Parser::new(&dialect).try_with_sql("SELECT 1").ok()?.parse_query().ok()?;
    let SetExpr::Select(select) = *query.body else { return None };
    Some(SetExpr::Select(select))
}
