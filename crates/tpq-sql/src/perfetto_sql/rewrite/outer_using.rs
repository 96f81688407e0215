//! `a FULL JOIN b USING (x)` and `a RIGHT JOIN b USING (x)`: the column `x` is that of the first
//! table which has a row, so `coalesce(a.x, b.x)`, and `b.x` where all rows have one of `b`.
//! DataFusion takes the one of `a`.
//!
//! The first of these columns alone decides the affinity of `x`. Where that column is computed in a
//! subquery, `x` is `coalesce(a.x, b.x, NULL)`, which has none.
//!
//! The joins of such a SELECT become joins ON equality, and the names of the columns, also in `*`,
//! the expressions that they stand for. NATURAL joins are USING the columns of one name.

use std::ops::ControlFlow;

use crate::perfetto_sql::walk::{walk, walk_mut};
use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Ident, Join, JoinConstraint, JoinOperator, Query, Select, SelectItem,
    SetExpr, Statement, TableAlias, TableFactor, Value, Visitor,
};

use super::call;
use super::computed_columns::ComputedColumns;
use super::using::Names;
use crate::perfetto_sql::planner::Planner;
use crate::perfetto_sql::scope::{
    Scope, Source, is_same, join_columns, visit_queries, written_out,
};

/// Rewrites each SELECT with such a join, where the columns of its tables are known.
pub(in super::super) fn coalesce_joined(tree: &mut Tree, planner: &Planner) {
    match tree {
        Tree::Statement(statement) => {
            if !has_such_join(statement) {
                return;
            }
            let computed = ComputedColumns::of(statement);
            visit_queries(statement, &Scope::new(planner), &mut |query, scope| {
                in_query(query, scope, &computed);
            });
        }
        Tree::Explain(explain) => coalesce_joined(&mut explain.statement, planner),
        _ => {}
    }
}

/// A column that joins are USING, and what it stands for.
struct Joined {
    name: String,
    value: Expr,
    /// The column of the first table that has it.
    first: Expr,
    /// Whether the first column of the value is computed in a subquery.
    is_computed: bool,
}

fn has_such_join(statement: &Statement) -> bool {
    struct Finder;
    impl Visitor for Finder {
        type Break = ();

        fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
            match is_joined_so(select) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        }
    }
    let found: ControlFlow<()> = walk(statement, &mut Finder);
    found.is_break()
}

fn is_joined_so(select: &Select) -> bool {
    let joins = select.from.iter().flat_map(|from| &from.joins);
    joins.filter(|join| fills_left(join)).any(is_by_name)
}

fn in_query(query: &mut Query, scope: &Scope, computed: &ComputedColumns) {
    let SetExpr::Select(select) = query.body.as_mut() else {
        return in_operands(&mut query.body, scope, computed);
    };
    for joined in in_select(select, scope, computed) {
        let is_alias = select.projection.iter().any(|item| {
            matches!(item, SelectItem::ExprWithAlias { alias, .. } if is_same(alias, &joined.name))
        });
        if let Some(order) = query.order_by.as_mut().filter(|_| !is_alias) {
            let _ = walk_mut(order, &mut Names::new(joined.name, joined.value, scope));
        }
    }
}

/// The same in the operands of UNION and the like.
fn in_operands(body: &mut SetExpr, scope: &Scope, computed: &ComputedColumns) {
    match body {
        SetExpr::Select(select) => {
            in_select(select, scope, computed);
        }
        SetExpr::SetOperation { left, right, .. } => {
            in_operands(left, scope, computed);
            in_operands(right, scope, computed);
        }
        _ => {}
    }
}

fn in_select(select: &mut Select, scope: &Scope, computed: &ComputedColumns) -> Vec<Joined> {
    if select.from.len() != 1 || !is_joined_so(select) {
        return Vec::new();
    }
    name_tables(select);
    let Some((joined, conditions)) = joined_columns(select, scope, computed) else {
        return Vec::new();
    };
    let Some(mut items) = written_out(select, scope) else { return Vec::new() };
    for (item, original) in items.iter_mut().zip(origins(select, scope)) {
        name_item(item, original, &joined);
    }
    select.projection = items;
    for (join, condition) in select.from[0].joins.iter_mut().zip(conditions) {
        if let (Some(condition), Some(constraint)) = (condition, constraint(join)) {
            *constraint = JoinConstraint::On(condition);
        }
    }
    for Joined { name, value, .. } in &joined {
        let _ = walk_mut(select, &mut Names::new(name.clone(), value.clone(), scope));
    }
    joined
}

/// Gives the subqueries in FROM that have no alias one, so that their columns can be told apart.
pub(super) fn name_tables(select: &mut Select) {
    let place = select.select_token.0.span.start;
    let factors = select.from.iter_mut().flat_map(|from| {
        let joined = from.joins.iter_mut().map(|join| &mut join.relation);
        std::iter::once(&mut from.relation).chain(joined)
    });
    for (index, factor) in factors.enumerate() {
        if let TableFactor::Derived { alias: alias @ None, .. } = factor {
            let name = format!("__table_{}_{}_{index}", place.line, place.column);
            let name = Ident::with_quote('"', name);
            *alias = Some(TableAlias { explicit: true, name, columns: vec![], at: None });
        }
    }
}

/// For each item of a SELECT that is written out, whether it comes from `*`.
fn origins(select: &Select, scope: &Scope) -> Vec<bool> {
    let mut origins = Vec::new();
    for item in &select.projection {
        let single = Select { projection: vec![item.clone()], ..select.clone() };
        let count = written_out(&single, scope).map_or(1, |items| items.len());
        let is_star = matches!(item, SelectItem::Wildcard(_));
        origins.extend(std::iter::repeat_n(is_star, count));
    }
    origins
}

/// Gives an item that is a joined column its name, before it becomes an expression.
fn name_item(item: &mut SelectItem, is_of_star: bool, joined: &[Joined]) {
    let SelectItem::UnnamedExpr(expr) = &*item else { return };
    let name = match expr {
        Expr::Identifier(name) => name,
        Expr::CompoundIdentifier(names) if is_of_star => match names.last() {
            Some(name) => name,
            None => return,
        },
        _ => return,
    };
    // The first table with the column stands for it in `*`.
    if let Some(joined) = joined.iter().find(|joined| is_same(name, &joined.name))
        && (!is_of_star || is_same_column(&joined.first, expr))
    {
        let alias = Ident::with_quote('"', name.value.to_lowercase());
        *item = SelectItem::ExprWithAlias { expr: joined.value.clone(), alias };
    }
}

fn is_same_column(one: &Expr, other: &Expr) -> bool {
    let name = |column: &Expr| column.to_string().replace('"', "");
    name(one).eq_ignore_ascii_case(&name(other))
}

/// The columns that the joins are USING, and the condition of each join that is; `None` where the
/// columns of a table are not known.
fn joined_columns(
    select: &Select,
    scope: &Scope,
    computed: &ComputedColumns,
) -> Option<(Vec<Joined>, Vec<Option<Expr>>)> {
    let [from] = &select.from[..] else { return None };
    let mut before = scope.of_factor(&from.relation);
    let mut factors = vec![&from.relation];
    let (mut all, mut conditions): (Vec<Joined>, Vec<Option<Expr>>) = (Vec::new(), Vec::new());
    for join in &from.joins {
        let mut added = scope.of_factor(&join.relation);
        let mut condition: Option<Expr> = None;
        for name in join_columns(join, &before, &added)? {
            let at = match all.iter().position(|joined| joined.name == name) {
                Some(at) => at,
                None => {
                    let first = column_of(&before, &name)?;
                    let is_computed = is_computed(&factors, &name, scope, computed);
                    let (name, value) = (name.clone(), first.clone());
                    all.push(Joined { name, value, first, is_computed });
                    all.len() - 1
                }
            };
            let joined = all.get_mut(at)?;
            let right = column_of(&added, &name)?;
            condition = Some(and(condition, equal(joined.value.clone(), right.clone())));
            if is_full(join) {
                joined.value = call("coalesce", vec![joined.value.clone(), right]);
            } else if fills_left(join) {
                joined.value = right;
                joined.is_computed = is_computed(&[&join.relation], &name, scope, computed);
            }
        }
        conditions.push(condition);
        before.append(&mut added);
        factors.push(&join.relation);
    }
    for joined in all.iter_mut().filter(|joined| joined.is_computed) {
        let null = Expr::Value(Value::Null.into());
        joined.value = call("coalesce", vec![joined.value.clone(), null]);
    }
    Some((all, conditions))
}

/// Whether the first table with a column computes it.
fn is_computed(
    factors: &[&TableFactor],
    name: &str,
    scope: &Scope,
    computed: &ComputedColumns,
) -> bool {
    let has = |factor: &&&TableFactor| scope.of_factor(factor).iter().any(|table| table.has(name));
    factors.iter().find(has).is_some_and(|factor| computed.has(factor, name, scope))
}

fn column_of(sources: &[Source], name: &str) -> Option<Expr> {
    let table = sources.iter().find(|source| source.has(name))?.name.clone()?;
    Some(Expr::CompoundIdentifier(vec![table, Ident::with_quote('"', name)]))
}

fn equal(left: Expr, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op: BinaryOperator::Eq, right: Box::new(right) }
}

fn and(before: Option<Expr>, condition: Expr) -> Expr {
    match before {
        None => condition,
        Some(before) => Expr::BinaryOp {
            left: Box::new(before),
            op: BinaryOperator::And,
            right: Box::new(condition),
        },
    }
}

/// Whether a join fills rows of the tables before it with NULL.
pub(super) fn fills_left(join: &Join) -> bool {
    use JoinOperator::{FullOuter, Right, RightOuter};
    matches!(join.join_operator, FullOuter(_) | Right(_) | RightOuter(_))
}

/// Whether a join keeps rows of both sides that have no match.
fn is_full(join: &Join) -> bool {
    matches!(join.join_operator, JoinOperator::FullOuter(_))
}

/// Whether a join is USING columns, or NATURAL.
fn is_by_name(join: &Join) -> bool {
    let mut join = join.clone();
    matches!(constraint(&mut join), Some(JoinConstraint::Using(_) | JoinConstraint::Natural))
}

fn constraint(join: &mut Join) -> Option<&mut JoinConstraint> {
    use JoinOperator::{FullOuter, Inner, Join as Plain, Left, LeftOuter, Right, RightOuter};
    match &mut join.join_operator {
        Plain(constraint)
        | Inner(constraint)
        | Left(constraint)
        | LeftOuter(constraint)
        | Right(constraint)
        | RightOuter(constraint)
        | FullOuter(constraint) => Some(constraint),
        _ => None,
    }
}
