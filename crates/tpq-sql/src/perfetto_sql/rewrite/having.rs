//! Aliases in the subqueries of HAVING: `SELECT depth AS k … HAVING k IN (SELECT … WHERE x > k)`.
//!
//! DataFusion takes such an alias for a column of the result, which is not there yet.

use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{Expr, Select, SelectItem, SetExpr};

use super::having_results;
use super::inner_tables::rename_inner;
use super::orders::has;
use super::retry::{is_query, qualified};
use super::using::Names;
use crate::perfetto_sql::planner::Planner;
use crate::perfetto_sql::scope::{Scope, is_same, visit_queries};
use crate::perfetto_sql::walk::walk_mut;

/// Puts what aliases stand for in their place in HAVING, where it has subqueries.
pub(in super::super) fn write_out_aliases(tree: &mut Tree, planner: &Planner) {
    let statement = match tree {
        Tree::Statement(statement) => statement,
        Tree::Explain(explain) => return write_out_aliases(&mut explain.statement, planner),
        _ => return,
    };
    visit_queries(statement, &Scope::new(planner), &mut |query, scope| {
        if let SetExpr::Select(select) = query.body.as_mut()
            && select.having.as_ref().is_some_and(|having| has(having, is_query))
        {
            in_select(select, planner, scope);
            having_results::move_out(query, planner, scope);
        }
    });
}

fn in_select(select: &mut Select, planner: &Planner, scope: &Scope) {
    let sources = scope.sources(select);
    if sources.iter().any(|source| source.columns.is_none()) {
        return;
    }
    // An aggregate would be one of the rows of the subquery there.
    let is_other = |expr: &Expr| match expr {
        Expr::Function(function) => {
            function.over.is_some()
                || planner.is_aggregate(&function.name.to_string().to_lowercase())
        }
        other => is_query(other),
    };
    let mut meant = Vec::new();
    for item in &select.projection {
        let SelectItem::ExprWithAlias { expr, alias } = item else { continue };
        if sources.iter().any(|source| source.has(&alias.value)) || has(expr, is_other) {
            continue;
        }
        let value = qualified(expr.clone(), select, scope);
        // A column without its table could be another one in the subquery.
        if !has(&value, |part| matches!(part, Expr::Identifier(_))) {
            meant.push((alias.value.clone(), Expr::Nested(Box::new(value))));
        }
    }
    for (name, value) in meant {
        let is_used = |part: &Expr| matches!(part, Expr::Identifier(used) if is_same(used, &name));
        if has(&select.having, is_used) {
            rename_inner(&mut select.having, &value);
        }
        let mut names = Names::new(name, value, scope);
        let _ = walk_mut(&mut select.having, &mut names);
    }
}
