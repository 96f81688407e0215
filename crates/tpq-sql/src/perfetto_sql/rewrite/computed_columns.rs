//! Columns of subqueries and CTEs that are computed there: `(SELECT id + 3 AS id FROM slice)`.
//!
//! A column of a table says what its values are compared as, also seen through a subquery. A
//! computed one does not, so that text in a comparison with its numbers stays text.

use std::ops::ControlFlow;

use crate::perfetto_sql::walk::walk;
use datafusion::sql::sqlparser::ast::{
    Cte, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, Query, Select,
    SelectItem, SetExpr, Statement, TableAlias, TableFactor, Visitor,
};

use crate::perfetto_sql::scope::{Scope, Source, is_same, is_star, last};

/// How many queries within each other are looked into. A CTE may read itself.
const MAX_DEPTH: usize = 64;

/// Finds computed columns of the tables in a statement.
pub(super) struct ComputedColumns {
    ctes: Vec<Cte>,
}

impl ComputedColumns {
    pub(super) fn of(statement: &Statement) -> Self {
        let mut ctes = Ctes(Vec::new());
        let _: ControlFlow<()> = walk(statement, &mut ctes);
        Self { ctes: ctes.0 }
    }

    /// Whether the column of a table in FROM is computed within it.
    pub(super) fn has(&self, factor: &TableFactor, column: &str, scope: &Scope) -> bool {
        self.in_factor(factor, column, scope, MAX_DEPTH)
    }

    fn in_factor(&self, factor: &TableFactor, column: &str, scope: &Scope, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match factor {
            TableFactor::Derived { subquery, alias, .. } => {
                self.in_query(subquery, alias.as_ref(), column, scope, depth)
            }
            TableFactor::Table { name, alias, args: None, .. } => {
                let Some(name) = last(name) else { return false };
                let mut ctes = self.ctes.iter().rev();
                let Some(cte) = ctes.find(|cte| is_same(name, &cte.alias.name.value)) else {
                    return false;
                };
                let renamed = alias.as_ref().filter(|alias| !alias.columns.is_empty());
                let names = renamed.unwrap_or(&cte.alias);
                self.in_query(&cte.query, Some(names), column, scope, depth)
            }
            _ => false,
        }
    }

    fn in_query(
        &self,
        query: &Query,
        alias: Option<&TableAlias>,
        column: &str,
        scope: &Scope,
        depth: usize,
    ) -> bool {
        let scope = scope.within(query);
        // The rows of VALUES are no columns of a table.
        let Some(select) = first_select(&query.body) else { return true };
        let items = &select.projection;
        let renamed = alias.map(|alias| &alias.columns).filter(|names| !names.is_empty());
        let item = match renamed {
            Some(names) => {
                let Some(at) = names.iter().position(|name| is_same(&name.name, column)) else {
                    return false;
                };
                if items.iter().take(at + 1).any(is_star) {
                    return false;
                }
                items.get(at)
            }
            None => items.iter().find(|item| is_named(item, column)),
        };
        match item {
            Some(SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) => {
                self.is_computed(expr, select, &scope, depth)
            }
            Some(_) => false,
            None => self.in_from(select, None, column, &scope, depth),
        }
    }

    /// Whether an item of a SELECT is computed.
    fn is_computed(&self, expr: &Expr, select: &Select, scope: &Scope, depth: usize) -> bool {
        match expr {
            Expr::Nested(inner) => self.is_computed(inner, select, scope, depth),
            Expr::Collate { expr, .. } => self.is_computed(expr, select, scope, depth),
            Expr::Cast { .. } => false,
            Expr::Identifier(name) => self.in_from(select, None, &name.value, scope, depth),
            Expr::CompoundIdentifier(names) => match &names[..] {
                [.., table, name] => self.in_from(select, Some(table), &name.value, scope, depth),
                _ => false,
            },
            Expr::Function(function) => match joined_column(function) {
                Some(column) => self.is_computed(column, select, scope, depth),
                None => !is_cast(function),
            },
            _ => true,
        }
    }

    /// Whether the column of a table in FROM is computed, of the first table that has it.
    fn in_from(
        &self,
        select: &Select,
        table: Option<&Ident>,
        column: &str,
        scope: &Scope,
        depth: usize,
    ) -> bool {
        let is_meant = |source: &Source| {
            let is_named = |table: &Ident| {
                source.name.as_ref().is_some_and(|name| is_same(name, &table.value))
            };
            source.has(column) && table.is_none_or(is_named)
        };
        let mut factors = select.from.iter().flat_map(|from| {
            let joined = from.joins.iter().map(|join| &join.relation);
            std::iter::once(&from.relation).chain(joined)
        });
        let factor = factors.find(|factor| scope.of_factor(factor).iter().any(is_meant));
        factor.is_some_and(|factor| self.in_factor(factor, column, scope, depth))
    }
}

/// The CTEs of a statement, in the order of the text.
struct Ctes(Vec<Cte>);

impl Visitor for Ctes {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.0.extend(query.with.iter().flat_map(|with| &with.cte_tables).cloned());
        ControlFlow::Continue(())
    }
}

/// The SELECT that names the columns of a query; `None` for VALUES.
fn first_select(body: &SetExpr) -> Option<&Select> {
    match body {
        SetExpr::Select(select) => Some(select.as_ref()),
        SetExpr::Query(query) => first_select(&query.body),
        SetExpr::SetOperation { left, .. } => first_select(left),
        _ => None,
    }
}

fn is_named(item: &SelectItem, column: &str) -> bool {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => is_same(alias, column),
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => is_same(name, column),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(names)) => {
            names.last().is_some_and(|name| is_same(name, column))
        }
        _ => false,
    }
}

/// The first of the columns that a column of a FULL JOIN … USING was rewritten to.
fn joined_column(function: &Function) -> Option<&Expr> {
    let FunctionArguments::List(list) = &function.args else { return None };
    if last(&function.name).is_none_or(|name| !is_same(name, "coalesce")) {
        return None;
    }
    let mut columns = list.args.iter().map(|arg| match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => match expr {
            Expr::CompoundIdentifier(names) => Some((expr, names.last()?)),
            Expr::Function(inner) => match joined_column(inner)? {
                Expr::CompoundIdentifier(names) => Some((expr, names.last()?)),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    let (first, name) = columns.next()??;
    let are_same =
        columns.all(|column| column.is_some_and(|(_, other)| is_same(other, &name.value)));
    match first {
        Expr::Function(inner) if are_same => joined_column(inner),
        column => are_same.then_some(column),
    }
}

/// Whether a call is what a written CAST became.
fn is_cast(function: &Function) -> bool {
    last(&function.name).is_some_and(|name| name.value.starts_with("__cast_"))
}
