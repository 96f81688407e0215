//! Rewrites that depend on tables: whether a name in double quotes is a column or text, whether a
//! name in WHERE is an alias, whether a column outside of GROUP BY is decided by it, whether a
//! name that joins are USING is otherwise clear, whether `*` gives a column already, whether a
//! table of a condition is joined after it, and whether a table has the name of a column.
//!
//! The statement is planned as it is; where that fails for one of these, it is rewritten, and
//! planned again.

use std::ops::ControlFlow;

use crate::perfetto_sql::walk::{walk_expressions, walk_expressions_mut, walk_mut};
use datafusion::common::SchemaError;
use datafusion::error::DataFusionError;
use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{
    Expr, Join, JoinConstraint, JoinOperator, Query, Select, SelectItem, SetExpr, VisitorMut,
};

use super::grouping::Known;
use super::inner_tables::{rename_inner, rename_like_columns};
use super::orders::has;
use super::{
    QuotedNames, distinct, duplicates, grouping, hidden_order, later_tables, quoted, using,
};
use crate::perfetto_sql::expansion::MOST;
use crate::perfetto_sql::fields::is_about_fields;
use crate::perfetto_sql::planner::Planner;
use crate::perfetto_sql::scope::{Scope, is_same, visit_queries};
use crate::perfetto_sql::scope_stack::{NameScopes, ScopeStack};

/// The meaning of names in a statement.
pub(in super::super) struct StatementNames<'a> {
    pub planner: &'a Planner<'a>,
    pub quoted: QuotedNames,
}

/// Rewrites a statement that could not be planned; whether there was something to rewrite.
pub(in super::super) fn rewrite_failed(
    tree: &mut Tree,
    error: &DataFusionError,
    names: &StatementNames,
) -> bool {
    let tree = match tree {
        Tree::Statement(statement) => statement,
        Tree::Explain(explain) => return rewrite_failed(&mut explain.statement, error, names),
        _ => return false,
    };
    let scope = || Scope::new(names.planner);
    match error.find_root() {
        DataFusionError::SchemaError(error, _) => match &**error {
            SchemaError::FieldNotFound { field, .. } if field.relation.is_none() => {
                let name = &field.name;
                let mut aliased = Aliases::new(name, Some(scope()));
                let _ = walk_mut(tree, &mut aliased);
                aliased.found
                    || quoted::as_text(tree, name, &names.quoted, &scope())
                    || using::qualify(tree, name, &scope())
                    || later_tables::move_conditions(tree, field, &scope())
            }
            SchemaError::FieldNotFound { field, .. } => {
                later_tables::move_conditions(tree, field, &scope())
            }
            SchemaError::AmbiguousReference { field } => {
                using::qualify(tree, &field.name, &scope())
                    || duplicates::rename_duplicates(tree, &field.name, &scope())
                    || hidden_order::rename(tree, &field.name)
            }
            _ => false,
        },
        _ if is_about_fields(error) => rename_like_columns(tree, &scope()),
        DataFusionError::Plan(message) if is_outside_group(message) => {
            let before = tree.to_string();
            let is_aggregate = |name: &str| names.planner.is_aggregate(name);
            let known = Known { is_aggregate: &is_aggregate, outside: outside_column(message) };
            visit_queries(tree, &scope(), &mut |query, scope| {
                grouping::rewrite(query, known, scope);
            });
            tree.to_string() != before
        }
        DataFusionError::Plan(message) if using::is_about_boolean(message) => {
            using::qualify_all(tree, &scope())
        }
        DataFusionError::Plan(message) if distinct::is_ordered_otherwise(message) => {
            distinct::order_by_others(tree, &scope())
        }
        DataFusionError::Plan(message) => duplicates::named_twice(message)
            .any(|name| duplicates::rename_duplicates(tree, name, &scope())),
        _ => false,
    }
}

fn is_outside_group(message: &str) -> bool {
    message.contains("must be in GROUP BY")
        || message.contains("must appear in the GROUP BY")
        || message.contains("could not be resolved from available columns")
}

/// Puts what an alias stands for in its place in WHERE and in ON.
struct Aliases<'a, 'p> {
    name: &'a str,
    scopes: ScopeStack<'p>,
    found: bool,
    /// How many expressions were put in place of names.
    parts: u64,
}

impl<'a, 'p> Aliases<'a, 'p> {
    fn new(name: &'a str, outermost: Option<Scope<'p>>) -> Self {
        Self { name, scopes: ScopeStack::new(outermost), found: false, parts: 0 }
    }
}

/// Whether an expression is a subquery, or compares with one.
pub(super) fn is_query(expr: &Expr) -> bool {
    matches!(expr, Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. })
}

/// An expression of a SELECT with the tables of its columns, so that it means the same in a
/// subquery.
pub(super) fn qualified(mut expr: Expr, select: &Select, scope: &Scope) -> Expr {
    // The names in a subquery are its own first.
    if has(&expr, is_query) {
        return expr;
    }
    let sources = scope.sources(select);
    let _: ControlFlow<()> = walk_expressions_mut(&mut expr, |part| {
        if let Expr::Identifier(column) = part {
            let mut holders = sources.iter().filter(|source| source.has(&column.value));
            if let (Some(source), None) = (holders.next(), holders.next())
                && let Some(table) = &source.name
            {
                *part = Expr::CompoundIdentifier(vec![table.clone(), column.clone()]);
            }
        }
        ControlFlow::Continue(())
    });
    expr
}

impl VisitorMut for Aliases<'_, '_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        self.scopes.enter(query);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.scopes.leave();
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        let meant = select.projection.iter().find_map(|item| match item {
            SelectItem::ExprWithAlias { expr, alias }
                if alias.value.eq_ignore_ascii_case(self.name) =>
            {
                Some(expr.clone())
            }
            _ => None,
        });
        let Some(meant) = meant else { return ControlFlow::Continue(()) };
        // A column comes before an alias: the name that was not found is another one.
        if let Some(scope) = self.scopes.innermost()
            && scope.sources(select).iter().any(|source| source.has(self.name))
        {
            return ControlFlow::Continue(());
        }
        let scope = self.scopes.innermost().cloned();
        let mut alias = Alias::new(self.name, meant, select, scope, self.parts);
        alias.put_into_conditions(select);
        select.having.iter_mut().for_each(|having| alias.put_into(having));
        // An alias in another item: SQLite does not take it, and neither is it taken here.
        self.found |= alias.found;
        self.parts = alias.parts;
        if self.parts > MOST { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// An alias of a SELECT, with what it stands for.
pub(super) struct Alias<'a, 'p> {
    name: &'a str,
    meant: Expr,
    /// How many expressions are in `meant`.
    size: u64,
    scope: Option<Scope<'p>>,
    /// Whether it was put somewhere.
    pub found: bool,
    /// How many expressions were put in place of names.
    pub parts: u64,
}

impl<'a, 'p> Alias<'a, 'p> {
    pub(super) fn new(
        name: &'a str,
        meant: Expr,
        select: &Select,
        scope: Option<Scope<'p>>,
        parts: u64,
    ) -> Self {
        let meant = match &scope {
            Some(scope) => qualified(meant, select, scope),
            None => meant,
        };
        let mut size = 0;
        let _: ControlFlow<()> = walk_expressions(&meant, |_| {
            size += 1;
            ControlFlow::Continue(())
        });
        Self { name, meant, size, scope, found: false, parts }
    }

    /// Puts what the alias stands for in its place in WHERE and in ON.
    pub(super) fn put_into_conditions(&mut self, select: &mut Select) {
        let joins = select.from.iter_mut().flat_map(|from| &mut from.joins);
        joins.filter_map(condition).for_each(|on| self.put_into(on));
        select.selection.iter_mut().for_each(|selection| self.put_into(selection));
    }

    fn put_into(&mut self, within: &mut Expr) {
        let (found, parts) = {
            let mut replacement = Replacement {
                name: self.name,
                meant: &self.meant,
                size: self.size,
                scopes: NameScopes::new(self.scope.clone()),
                found: false,
                parts: self.parts,
            };
            replacement.replace(within);
            (replacement.found, replacement.parts)
        };
        self.found |= found;
        self.parts = parts;
    }
}

/// Puts an expression in place of a name, also in subqueries that have nothing of that name.
struct Replacement<'a, 'p> {
    name: &'a str,
    meant: &'a Expr,
    /// How many expressions are in `meant`.
    size: u64,
    scopes: NameScopes<'p>,
    found: bool,
    parts: u64,
}

impl Replacement<'_, '_> {
    fn replace(&mut self, within: &mut Expr) {
        let is_used = |part: &Expr| matches!(part, Expr::Identifier(it) if is_same(it, self.name));
        if has(&*within, is_query) && has(&*within, is_used) {
            rename_inner(within, self.meant);
        }
        let _: ControlFlow<()> = walk_mut(within, self);
    }
}

/// Whether a SELECT has an alias or a column of that name.
fn has_name(select: &Select, name: &str, scope: Option<&Scope>) -> bool {
    let is_alias = |item: &SelectItem| match item {
        SelectItem::ExprWithAlias { alias, .. } => is_same(alias, name),
        _ => false,
    };
    let Some(scope) = scope else { return false };
    select.projection.iter().any(is_alias)
        || scope.sources(select).iter().any(|source| source.has(name))
}

impl VisitorMut for Replacement<'_, '_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let (query, name) = (&*query, self.name);
        self.scopes.enter_query(query, |scope| match query.body.as_ref() {
            SetExpr::Select(select) => has_name(select, name, scope),
            _ => false,
        });
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.scopes.leave_query();
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        let name = self.name;
        self.scopes.enter_select(|scope| has_name(select, name, scope));
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, _: &mut Select) -> ControlFlow<()> {
        self.scopes.leave_select();
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if self.scopes.is_visible()
            && let Expr::Identifier(used) = expr
            && is_same(used, self.name)
        {
            *expr = Expr::Nested(Box::new(self.meant.clone()));
            self.found = true;
            self.parts += self.size;
        }
        // A query larger than any plan may be is not planned again.
        if self.parts > MOST { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The condition after ON.
fn condition(join: &mut Join) -> Option<&mut Expr> {
    use JoinOperator::{FullOuter, Inner, Join, Left, LeftOuter, Right, RightOuter};
    match &mut join.join_operator {
        Join(JoinConstraint::On(condition))
        | Inner(JoinConstraint::On(condition))
        | Left(JoinConstraint::On(condition))
        | LeftOuter(JoinConstraint::On(condition))
        | Right(JoinConstraint::On(condition))
        | RightOuter(JoinConstraint::On(condition))
        | FullOuter(JoinConstraint::On(condition)) => Some(condition),
        _ => None,
    }
}

/// The column that an error of grouping names.
fn outside_column(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("column \"")?;
    Some(rest.split_once("\" must")?.0)
}

#[cfg(test)]
mod tests {
    use datafusion::sql::parser::DFParser;

    use super::*;

    #[test]
    fn an_alias_is_put_in_place_of_its_name_up_to_a_size() {
        let (sum, uses) = (["1"; 300].join("/"), ["a"; 5_000].join(","));
        let sql = format!("SELECT {sum} AS a FROM t WHERE f({uses})");
        let tree = DFParser::parse_sql(&sql).unwrap().pop_front().unwrap();
        let Tree::Statement(mut statement) = tree else { panic!("{sql}") };
        let mut aliased = Aliases::new("a", None);
        let _ = walk_mut(&mut *statement, &mut aliased);
        assert!(aliased.found);
        let mut parts = 0;
        let _: ControlFlow<()> = walk_expressions(&*statement, |_| {
            parts += 1;
            ControlFlow::Continue(())
        });
        assert!((MOST..MOST + 10_000).contains(&parts), "{parts}");
    }
}
