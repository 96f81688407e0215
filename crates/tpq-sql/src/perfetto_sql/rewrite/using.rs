//! A name that joins are USING: the column of the first table that has it.
//!
//! `a JOIN b USING (x) JOIN c USING (x)` has one `x` for SQLite. DataFusion takes it for the one of
//! a single join only, and calls it ambiguous otherwise.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Ident, Join, JoinConstraint, JoinOperator, Query, Select, SelectItem,
    SetExpr, Statement, VisitMut, VisitorMut,
};

use crate::perfetto_sql::scope::{Scope, Source, is_same, last, using, written_out};

/// Qualifies the column `name` where joins are USING it; returns whether there was such a place.
pub(super) fn qualify(tree: &mut Statement, name: &str, scope: &Scope) -> bool {
    let mut queries = Queries { name, scopes: vec![scope.clone()], found: false };
    let _: ControlFlow<()> = tree.visit(&mut queries);
    queries.found
}

struct Queries<'a> {
    name: &'a str,
    /// The scopes of the queries around, the innermost last.
    scopes: Vec<Scope<'a>>,
    found: bool,
}

impl VisitorMut for Queries<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        if let Some(scope) = self.scopes.last().map(|scope| scope.within(query)) {
            self.scopes.push(scope);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let Some(scope) = self.scopes.pop() else { return ControlFlow::Continue(()) };
        if let SetExpr::Select(select) = query.body.as_mut()
            && let Some(table) = holder(select, self.name, &scope)
        {
            let joined = join_on(select, self.name, &scope);
            let mut names =
                Names { name: self.name, table, shadowed: vec![], scope, found: joined };
            let _ = select.visit(&mut names);
            let is_alias = select.projection.iter().any(|item| {
                matches!(item, SelectItem::ExprWithAlias { alias, .. } if is_same(alias, self.name))
            });
            if let Some(order) = query.order_by.as_mut().filter(|_| !is_alias) {
                let _ = order.visit(&mut names);
            }
            self.found |= names.found;
        } else if let SetExpr::SetOperation { .. } = query.body.as_ref() {
            self.operands(&mut query.body, &scope);
        }
        ControlFlow::Continue(())
    }
}

impl Queries<'_> {
    /// The same in the operands of UNION and the like.
    fn operands(&mut self, body: &mut SetExpr, scope: &Scope) {
        match body {
            SetExpr::Select(select) => {
                let Some(table) = holder(select, self.name, scope) else { return };
                let found = join_on(select, self.name, scope);
                let (name, scope) = (self.name, scope.clone());
                let mut names = Names { name, table, shadowed: vec![], scope, found };
                let _ = select.visit(&mut names);
                self.found |= names.found;
            }
            SetExpr::SetOperation { left, right, .. } => {
                self.operands(left, scope);
                self.operands(right, scope);
            }
            _ => {}
        }
    }
}

fn is_using(join: &Join, name: &str) -> bool {
    using(join).into_iter().flatten().filter_map(last).any(|column| is_same(column, name))
}

/// The first table with the column `name`, in a SELECT with a join USING it.
fn holder(select: &Select, name: &str, scope: &Scope) -> Option<Ident> {
    let mut joins = select.from.iter().flat_map(|from| &from.joins);
    if !joins.any(|join| is_using(join, name)) {
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

/// Puts the table before a name, also in subqueries that have no column of that name themselves.
struct Names<'a> {
    name: &'a str,
    table: Ident,
    /// For each query around, from the SELECT on, whether it has a column of that name.
    shadowed: Vec<bool>,
    scope: Scope<'a>,
    found: bool,
}

impl VisitorMut for Names<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let scope = self.scope.within(query);
        let has = match query.body.as_ref() {
            SetExpr::Select(select) => scope
                .sources(select)
                .iter()
                .any(|source| source.columns.is_none() || source.has(self.name)),
            _ => true,
        };
        self.shadowed.push(has);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.shadowed.pop();
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if !self.shadowed.contains(&true)
            && let Expr::Identifier(name) = expr
            && is_same(name, self.name)
        {
            *expr = Expr::CompoundIdentifier(vec![self.table.clone(), name.clone()]);
            self.found = true;
        }
        ControlFlow::Continue(())
    }
}
