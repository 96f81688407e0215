//! `a FULL JOIN b USING (x)` and `a RIGHT JOIN b USING (x)`: the column `x` is that of the first
//! table which has a row, so `coalesce(a.x, b.x)`. DataFusion takes the one of `a`.
//!
//! The joins of such a SELECT become joins ON equality, and the names of the columns, also in `*`,
//! the expressions that they stand for. NATURAL joins are USING the columns of one name.

use std::ops::ControlFlow;

use crate::perfetto_sql::walk::{walk_expressions, walk_mut};
use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Ident, Join, JoinConstraint, JoinOperator, Query, Select, SelectItem,
    SetExpr, TableAlias, TableFactor,
};

use super::call;
use super::using::Names;
use crate::perfetto_sql::planner::Planner;
use crate::perfetto_sql::scope::{
    Scope, Source, is_same, join_columns, visit_queries, written_out,
};

/// Rewrites each SELECT with such a join, where the columns of its tables are known.
pub(in super::super) fn coalesce_joined(tree: &mut Tree, planner: &Planner) {
    match tree {
        Tree::Statement(statement) => {
            visit_queries(statement, &Scope::new(planner), &mut |query, scope| {
                in_query(query, scope);
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
}

fn in_query(query: &mut Query, scope: &Scope) {
    let SetExpr::Select(select) = query.body.as_mut() else {
        return in_operands(&mut query.body, scope);
    };
    for joined in in_select(select, scope) {
        let is_alias = select.projection.iter().any(|item| {
            matches!(item, SelectItem::ExprWithAlias { alias, .. } if is_same(alias, &joined.name))
        });
        if let Some(order) = query.order_by.as_mut().filter(|_| !is_alias) {
            let _ = walk_mut(order, &mut Names::new(joined.name, joined.value, scope));
        }
    }
}

/// The same in the operands of UNION and the like.
fn in_operands(body: &mut SetExpr, scope: &Scope) {
    match body {
        SetExpr::Select(select) => {
            in_select(select, scope);
        }
        SetExpr::SetOperation { left, right, .. } => {
            in_operands(left, scope);
            in_operands(right, scope);
        }
        _ => {}
    }
}

fn in_select(select: &mut Select, scope: &Scope) -> Vec<Joined> {
    let [from] = &select.from[..] else { return Vec::new() };
    if !from.joins.iter().any(|join| fills_left(join) && is_by_name(join)) {
        return Vec::new();
    }
    name_tables(select);
    let Some((joined, conditions)) = joined_columns(select, scope) else { return Vec::new() };
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
    for Joined { name, value } in &joined {
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
        && (!is_of_star || begins_with(&joined.value, expr))
    {
        let alias = Ident::with_quote('"', name.value.to_lowercase());
        *item = SelectItem::ExprWithAlias { expr: joined.value.clone(), alias };
    }
}

/// Whether the first column that a value is made of is `column`.
fn begins_with(value: &Expr, column: &Expr) -> bool {
    let mut first = None;
    let _ = walk_expressions(value, |part| {
        if first.is_none() && matches!(part, Expr::CompoundIdentifier(_)) {
            first = Some(part.to_string());
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    first.is_some_and(|first| {
        first.replace('"', "").eq_ignore_ascii_case(&column.to_string().replace('"', ""))
    })
}

/// The columns that the joins are USING, and the condition of each join that is; `None` where the
/// columns of a table are not known.
fn joined_columns(select: &Select, scope: &Scope) -> Option<(Vec<Joined>, Vec<Option<Expr>>)> {
    let [from] = &select.from[..] else { return None };
    let mut before = scope.of_factor(&from.relation);
    let (mut all, mut conditions): (Vec<Joined>, Vec<Option<Expr>>) = (Vec::new(), Vec::new());
    for join in &from.joins {
        let mut added = scope.of_factor(&join.relation);
        let mut condition: Option<Expr> = None;
        for name in join_columns(join, &before, &added)? {
            let at = all.iter().position(|joined| joined.name == name);
            let left = match at {
                Some(at) => all[at].value.clone(),
                None => column_of(&before, &name)?,
            };
            let right = column_of(&added, &name)?;
            let value = match fills_left(join) {
                true => call("coalesce", vec![left.clone(), right.clone()]),
                false => left.clone(),
            };
            match at {
                Some(at) => all[at].value = value,
                None => all.push(Joined { name, value }),
            }
            condition = Some(and(condition, equal(left, right)));
        }
        conditions.push(condition);
        before.append(&mut added);
    }
    Some((all, conditions))
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
