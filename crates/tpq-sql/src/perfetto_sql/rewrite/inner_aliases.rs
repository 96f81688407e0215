//! Aliases in the conditions of subqueries: `(SELECT utid + 1 AS ts FROM thread WHERE ts = 2)`.
//!
//! An alias of a SELECT comes after the columns of its own tables, and before those of the queries
//! around it. DataFusion would take `ts` for a column of the query around, so what the alias stands
//! for is put in its place.

use std::ops::ControlFlow;

use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{Expr, Ident, Query, Select, SelectItem, VisitorMut};

use super::retry::{Alias, is_query};
use crate::perfetto_sql::expansion::MOST;
use crate::perfetto_sql::planner::Planner;
use crate::perfetto_sql::scope::Scope;
use crate::perfetto_sql::scope_stack::ScopeStack;
use crate::perfetto_sql::walk::walk_mut;

/// Puts what aliases of subqueries stand for in their place in WHERE and in ON.
pub(in super::super) fn write_out_inner_aliases(tree: &mut Tree, planner: &Planner) {
    match tree {
        Tree::Statement(statement) => {
            let scopes = ScopeStack::new(Some(Scope::new(planner)));
            let _ = walk_mut(&mut **statement, &mut Subqueries { scopes, depth: 0, parts: 0 });
        }
        Tree::Explain(explain) => write_out_inner_aliases(&mut explain.statement, planner),
        _ => {}
    }
}

/// The places of aliases are called this, with a number, until all are found.
const PLACE: &str = "__alias_";

struct Subqueries<'p> {
    scopes: ScopeStack<'p>,
    /// The number of subqueries in expressions around.
    depth: usize,
    /// How many expressions were put in place of names.
    parts: u64,
}

impl VisitorMut for Subqueries<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        self.scopes.enter(query);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.scopes.leave();
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        self.depth += usize::from(is_query(expr));
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        self.depth = self.depth.saturating_sub(usize::from(is_query(expr)));
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        if self.depth == 0 {
            return ControlFlow::Continue(());
        }
        let Some(scope) = self.scopes.innermost().cloned() else {
            return ControlFlow::Continue(());
        };
        // What an alias stands for may have the name of another alias, and means a column of a
        // query around by it: so all of them are found first.
        let mut found = Vec::new();
        for (name, meant) in own_aliases(select, &scope) {
            let place = Ident::with_quote('"', format!("{PLACE}{}", found.len()));
            if self.put(&name, Expr::Identifier(place.clone()), select, &scope)? {
                found.push((place.value, meant));
            }
        }
        for (place, meant) in found {
            self.put(&place, meant, select, &scope)?;
        }
        ControlFlow::Continue(())
    }
}

impl Subqueries<'_> {
    /// Puts what a name stands for in its place in the conditions of a SELECT; whether it is there.
    fn put(
        &mut self,
        name: &str,
        meant: Expr,
        select: &mut Select,
        scope: &Scope,
    ) -> ControlFlow<(), bool> {
        let mut alias = Alias::new(name, meant, select, Some(scope.clone()), self.parts);
        alias.put_into_conditions(select);
        let found = alias.found;
        self.parts = alias.parts;
        // A query larger than any plan may be is not planned.
        if self.parts > MOST { ControlFlow::Break(()) } else { ControlFlow::Continue(found) }
    }
}

/// The aliases of a SELECT that no table in FROM has a column of the name of.
fn own_aliases(select: &Select, scope: &Scope) -> Vec<(String, Expr)> {
    let has_conditions =
        select.selection.is_some() || select.from.iter().any(|from| !from.joins.is_empty());
    let is_alias = |item: &SelectItem| matches!(item, SelectItem::ExprWithAlias { .. });
    if !has_conditions || !select.projection.iter().any(is_alias) {
        return Vec::new();
    }
    let sources = scope.sources(select);
    if sources.iter().any(|source| source.columns.is_none()) {
        return Vec::new();
    }
    let alias = |item: &SelectItem| match item {
        SelectItem::ExprWithAlias { expr, alias }
            if !sources.iter().any(|source| source.has(&alias.value)) =>
        {
            Some((alias.value.clone(), expr.clone()))
        }
        _ => None,
    };
    select.projection.iter().filter_map(alias).collect()
}
