//! A name that joins are USING: the column of the first table that has it.
//!
//! `a JOIN b USING (x) JOIN c USING (x)` has one `x` for SQLite. DataFusion takes it for the one of
//! a single join only, and calls it ambiguous otherwise. In WHERE it calls every column of a NATURAL
//! join ambiguous, so that such a join is written as one USING its columns.

use std::ops::ControlFlow;

use crate::perfetto_sql::walk::walk_mut;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Ident, Join, JoinConstraint, JoinOperator, ObjectName, Query, Select,
    SelectItem, SetExpr, Statement, VisitorMut,
};

use super::outer_using::{fills_left, name_tables};
use crate::perfetto_sql::scope::{
    Scope, Source, is_same, is_star, join_columns, last, using, visit_queries, written_out,
};
use crate::perfetto_sql::scope_stack::NameScopes;

/// Qualifies the column `name` where joins are USING it; returns whether there was such a place.
/// NATURAL joins by that column first become joins USING it, which often is enough.
pub(super) fn qualify(tree: &mut Statement, name: &str, scope: &Scope) -> bool {
    let mut found = false;
    visit_queries(tree, scope, &mut |query, scope| {
        found |= name_natural(&mut query.body, name, scope);
    });
    if found {
        return true;
    }
    visit_queries(tree, scope, &mut |query, scope| found |= in_query(query, name, scope));
    found
}

/// Qualifies all columns that joins are USING; returns whether there was such a place. The type of
/// an expression with such a column is not known before.
pub(super) fn qualify_all(tree: &mut Statement, scope: &Scope) -> bool {
    let mut names = Vec::new();
    visit_queries(tree, scope, &mut |query, _| {
        if let SetExpr::Select(select) = query.body.as_ref() {
            let joins = select.from.iter().flat_map(|from| &from.joins);
            let columns = joins.filter_map(using).flatten().filter_map(last);
            names.extend(columns.map(|column| column.value.to_lowercase()));
        }
    });
    names.sort();
    names.dedup();
    // Each of them, also after one was found.
    names.iter().filter(|name| qualify(tree, name, scope)).count() > 0
}

/// Whether an error is about an operand that is a comparison.
pub(super) fn is_about_boolean(message: &str) -> bool {
    message.contains("Cannot coerce arithmetic expression") && message.contains("Boolean")
}

fn in_query(query: &mut Query, name: &str, scope: &Scope) -> bool {
    let SetExpr::Select(select) = query.body.as_mut() else {
        return in_operands(&mut query.body, name, scope);
    };
    let mut found = false;
    for mut names in in_select(select, name, scope) {
        let is_alias = select.projection.iter().any(|item| {
            matches!(item, SelectItem::ExprWithAlias { alias, .. } if is_same(alias, &names.name))
        });
        if let Some(order) = query.order_by.as_mut().filter(|_| !is_alias) {
            let _ = walk_mut(order, &mut names);
        }
        found |= names.found;
    }
    found
}

/// The same in the operands of UNION and the like.
fn in_operands(body: &mut SetExpr, name: &str, scope: &Scope) -> bool {
    match body {
        SetExpr::Select(select) => in_select(select, name, scope).iter().any(|names| names.found),
        SetExpr::SetOperation { left, right, .. } => {
            let found = in_operands(left, name, scope);
            in_operands(right, name, scope) || found
        }
        _ => false,
    }
}

/// Qualifies the column in a SELECT, if joins in it are USING the column; what was found. Where
/// such a join is written as one with ON, its other columns are qualified as well.
fn in_select<'a>(select: &mut Select, name: &str, scope: &Scope<'a>) -> Vec<Names<'a>> {
    let Some(table) = holder(select, name, scope) else { return Vec::new() };
    let mut columns = vec![(name.to_owned(), table)];
    let held = |column: String| {
        let table = holder(select, &column, scope)?;
        Some((column, table))
    };
    let others: Vec<_> = joined_with(select, name).into_iter().filter_map(held).collect();
    let found = join_on(select, name, scope);
    if found {
        columns.extend(others);
    }
    let mut all = Vec::new();
    for (name, table) in columns {
        let value = Expr::CompoundIdentifier(vec![table, Ident::new(&name)]);
        let mut names = Names::new(name, value, scope);
        names.found = found;
        let _ = walk_mut(select, &mut names);
        all.push(names);
    }
    all
}

/// Writes the NATURAL joins of each SELECT that has one by the column `name` as joins USING their
/// columns; returns whether there was such a join.
fn name_natural(body: &mut SetExpr, name: &str, scope: &Scope) -> bool {
    match body {
        SetExpr::Select(select) => name_joined(select, name, scope),
        SetExpr::SetOperation { left, right, .. } => {
            let found = name_natural(left, name, scope);
            name_natural(right, name, scope) || found
        }
        _ => false,
    }
}

fn name_joined(select: &mut Select, name: &str, scope: &Scope) -> bool {
    let [from] = &select.from[..] else { return false };
    let mut before = scope.of_factor(&from.relation);
    let mut columns = Vec::new();
    for join in &from.joins {
        let mut joined = scope.of_factor(&join.relation);
        // Those of a join that is USING columns are not needed.
        let names = join_columns(join, &before, &joined).filter(|_| using(join).is_none());
        columns.push(names.unwrap_or_default());
        before.append(&mut joined);
    }
    if !columns.iter().flatten().any(|column| column.eq_ignore_ascii_case(name)) {
        return false;
    }
    if select.projection.iter().any(is_star) {
        name_tables(select);
        if let Some(items) = written_out(select, scope) {
            select.projection = items;
        }
    }
    let mut changed = false;
    let joins = select.from.iter_mut().flat_map(|from| &mut from.joins);
    for (join, names) in joins.zip(columns) {
        if !names.is_empty()
            && let Some(constraint) = constraint(join)
        {
            let column = |name: String| ObjectName::from(vec![Ident::with_quote('"', name)]);
            *constraint = JoinConstraint::Using(names.into_iter().map(column).collect());
            changed = true;
        }
    }
    changed
}

/// The other columns of the joins USING `name`.
fn joined_with(select: &Select, name: &str) -> Vec<String> {
    let joins = select.from.iter().flat_map(|from| &from.joins);
    let columns = joins.filter(|join| is_using(join, name)).filter_map(using).flatten();
    let names = columns.filter_map(last).map(|column| column.value.to_lowercase());
    names.filter(|column| !column.eq_ignore_ascii_case(name)).collect()
}

fn is_using(join: &Join, name: &str) -> bool {
    using(join).into_iter().flatten().filter_map(last).any(|column| is_same(column, name))
}

/// The first table with the column `name`, in a SELECT with a join USING it.
fn holder(select: &Select, name: &str, scope: &Scope) -> Option<Ident> {
    let joins: Vec<&Join> = select.from.iter().flat_map(|from| &from.joins).collect();
    // Of a join that fills its left side with NULL, neither column is the other.
    if !joins.iter().any(|join| is_using(join, name)) || joins.iter().any(|join| fills_left(join)) {
        return None;
    }
    let sources = scope.sources(select);
    match sources.iter().find(|source| source.has(name)) {
        Some(source) => source.name.clone(),
        // The columns of a call are not always known; a table before the join has the column.
        None => sources.into_iter().next()?.name,
    }
}

/// Writes joins USING `name` as joins ON equality of qualified columns where several tables before
/// the join have the column, since it is ambiguous there too. Returns whether there was one.
fn join_on(select: &mut Select, name: &str, scope: &Scope) -> bool {
    let items = written_out(select, scope);
    let [from] = &mut select.from[..] else { return false };
    let mut before = scope.of_factor(&from.relation);
    let mut changed = false;
    for join in &mut from.joins {
        let mut joined = scope.of_factor(&join.relation);
        let holders = before.iter().filter(|source| source.has(name)).count();
        if is_using(join, name)
            && holders > 1
            && items.is_some()
            && let Some(condition) = equalities(join, &before, &joined)
            && let Some(constraint) = constraint(join)
        {
            *constraint = JoinConstraint::On(condition);
            changed = true;
        }
        before.append(&mut joined);
    }
    if let Some(items) = items.filter(|_| changed) {
        select.projection = items;
    }
    changed
}

fn constraint(join: &mut Join) -> Option<&mut JoinConstraint> {
    use JoinOperator::{Inner, Join as Plain, Left, LeftOuter};
    match &mut join.join_operator {
        Plain(constraint) | Inner(constraint) | Left(constraint) | LeftOuter(constraint) => {
            Some(constraint)
        }
        _ => None,
    }
}

/// The equalities that USING stands for; `None` where the columns of a table are unknown.
fn equalities(join: &Join, before: &[Source], joined: &[Source]) -> Option<Expr> {
    let mut all: Option<Expr> = None;
    for column in using(join)?.iter().filter_map(last) {
        let name = column.value.to_lowercase();
        let of = |sources: &[Source]| {
            let table = sources.iter().find(|source| source.has(&name))?.name.clone()?;
            Some(Expr::CompoundIdentifier(vec![table, column.clone()]))
        };
        let equal = Expr::BinaryOp {
            left: Box::new(of(before)?),
            op: BinaryOperator::Eq,
            right: Box::new(of(joined)?),
        };
        all = Some(match all {
            None => equal,
            Some(all) => Expr::BinaryOp {
                left: Box::new(all),
                op: BinaryOperator::And,
                right: Box::new(equal),
            },
        });
    }
    all
}

/// Puts a value in place of a name, also in subqueries that have no column of that name themselves.
pub(super) struct Names<'a> {
    name: String,
    value: Expr,
    scopes: NameScopes<'a>,
    found: bool,
}

impl<'a> Names<'a> {
    pub(super) fn new(name: String, value: Expr, scope: &Scope<'a>) -> Self {
        Self { name, value, scopes: NameScopes::new(Some(scope.clone())), found: false }
    }
}

/// Whether a SELECT has a column of that name, or columns that are not known.
fn may_have_column(select: &Select, name: &str, scope: Option<&Scope>) -> bool {
    let Some(scope) = scope else { return true };
    let sources = scope.sources(select);
    sources.iter().any(|source| source.columns.is_none() || source.has(name))
}

impl VisitorMut for Names<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let (query, name) = (&*query, &self.name);
        self.scopes.enter_query(query, |scope| match query.body.as_ref() {
            SetExpr::Select(select) => may_have_column(select, name, scope),
            // Each SELECT has its own columns; an order is by columns of the result.
            SetExpr::SetOperation { .. } => query.order_by.is_some(),
            _ => true,
        });
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.scopes.leave_query();
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        // The first SELECT is the one with the name.
        let (name, is_first) = (&self.name, self.scopes.is_outermost());
        self.scopes.enter_select(|scope| !is_first && may_have_column(select, name, scope));
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, _: &mut Select) -> ControlFlow<()> {
        self.scopes.leave_select();
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if self.scopes.is_visible()
            && let Expr::Identifier(name) = expr
            && is_same(name, &self.name)
        {
            *expr = self.value.clone();
            self.found = true;
        }
        ControlFlow::Continue(())
    }
}
