//! The order of rows that a subquery gives, where something above it shows it.
//!
//! SQL says that it is lost, and DataFusion loses it; SQLite keeps it, and people count on it:
//! `SELECT group_concat(name) FROM (SELECT … ORDER BY ts)`. A column that the order is by and that
//! is not selected, such as `ts` here, becomes one more column of the subquery.

use std::ops::ControlFlow;

use crate::perfetto_sql::walk::{walk_expressions, walk_expressions_mut, walk_relations};
use datafusion::sql::sqlparser::ast::{
    Cte, Distinct, Expr, FunctionArgumentClause, FunctionArguments, GroupByExpr, Ident, ObjectName,
    OrderBy, OrderByExpr, OrderByKind, Query, Select, SelectItem, SetExpr, TableAlias, TableFactor,
    TableWithJoins, Value, Visit, With,
};

use super::grouping::last_name;
use super::{DUPLICATE_SUFFIX, number};
use crate::perfetto_sql::scope::{is_same, is_star, last};
use crate::perfetto_sql::wildcards::{leave_out, left_out};

/// The columns that are added to subqueries are called this, with a number.
const ADDED: &str = "__ordered_by_";

/// Aggregates with a result that shows the order of their input.
const SHOW_ORDER: &[&str] =
    &["string_agg", "json_group_array", "json_group_object", "array_agg", "list"];

/// Hands the order of the only table of a SELECT on, where that is a subquery or a CTE.
pub(super) fn rewrite(query: &mut Query) {
    let Query { with, body, order_by, .. } = query;
    let SetExpr::Select(select) = &mut **body else { return };
    let aggregates = items(select).any(|expr| has(expr, shows_order));
    let rows = order_by.is_none() && !is_grouped(select) && shows_rows(select);
    if !aggregates && !rows {
        return;
    }
    let Some(order) = order_of_table(select, with.as_mut()) else { return };
    if rows {
        let kind = OrderByKind::Expressions(order);
        *order_by = Some(OrderBy { kind, interpolate: None });
        return;
    }
    for item in &mut select.projection {
        if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = item {
            order_aggregates(expr, &order);
        }
    }
}

/// Names selected expressions in ORDER BY by their aliases: in `min(ts) AS ts … ORDER BY min(ts)`
/// the engine would take `ts` for the alias.
pub(super) fn name_selected(query: &mut Query) {
    let SetExpr::Select(select) = &*query.body else { return };
    let Some(order) = &mut query.order_by else { return };
    name_aliases(select, order);
    let OrderByKind::Expressions(by) = &mut order.kind else { return };
    for by in by {
        let alias = select.projection.iter().find_map(|item| match item {
            SelectItem::ExprWithAlias { expr: expr @ Expr::Function(_), alias }
                if *expr == by.expr =>
            {
                Some(alias.clone())
            }
            _ => None,
        });
        if let Some(alias) = alias {
            by.expr = Expr::Identifier(Ident::with_quote('"', alias.value));
        }
    }
}

/// Orders UNION and the like by the position of a column that only a later operand has by that
/// name: `SELECT name … UNION SELECT category … ORDER BY category`.
pub(super) fn name_operands(query: &mut Query) {
    let SetExpr::SetOperation { .. } = &*query.body else { return };
    let Some(OrderByKind::Expressions(by)) = query.order_by.as_mut().map(|order| &mut order.kind)
    else {
        return;
    };
    let mut operands = Vec::new();
    named_operands(&query.body, &mut operands);
    let Some((first, others)) = operands.split_first() else { return };
    for by in by {
        let Expr::Identifier(name) = &by.expr else { continue };
        let at = |names: &Vec<String>| names.iter().position(|it| is_same(name, it));
        if first.is_empty() || at(first).is_some() {
            continue;
        }
        if let Some(at) = others.iter().find_map(at) {
            by.expr = number(&(at + 1).to_string());
        }
    }
}

/// The names of the columns of each operand; none for one with `*` or without a SELECT.
fn named_operands(body: &SetExpr, operands: &mut Vec<Vec<String>>) {
    match body {
        SetExpr::SetOperation { left, right, .. } => {
            named_operands(left, operands);
            named_operands(right, operands);
        }
        SetExpr::Select(select) if !select.projection.iter().any(is_star) => {
            let name = |item: &SelectItem| match item {
                SelectItem::ExprWithAlias { alias, .. } => alias.value.clone(),
                SelectItem::UnnamedExpr(expr) => last_name(expr).unwrap_or_default().to_owned(),
                _ => String::new(),
            };
            operands.push(select.projection.iter().map(name).collect());
        }
        SetExpr::Query(query) => named_operands(&query.body, operands),
        _ => operands.push(Vec::new()),
    }
}

/// In `SELECT dur, -dur AS dur … ORDER BY dur` the order is by the alias, which has another name by
/// now.
pub(super) fn name_aliases(select: &Select, order: &mut OrderBy) {
    let OrderByKind::Expressions(by) = &mut order.kind else { return };
    for by in by {
        if let Expr::Identifier(name) = &by.expr
            && let Some(alias) = renamed_alias(select, &name.value)
        {
            by.expr = Expr::Identifier(alias);
        }
    }
}

/// The alias that was `name` as it was written, unless an item before it is meant.
fn renamed_alias(select: &Select, name: &str) -> Option<Ident> {
    let renamed = format!("{}{DUPLICATE_SUFFIX}", name.to_lowercase());
    let is_column =
        |expr: &Expr| last_name(expr).is_some_and(|column| column.eq_ignore_ascii_case(name));
    for item in &select.projection {
        match item {
            SelectItem::ExprWithAlias { alias, .. } if is_same(alias, name) => return None,
            SelectItem::ExprWithAlias { expr, alias }
                if alias.value.starts_with(&renamed) && !is_column(expr) =>
            {
                return Some(Ident::with_quote('"', alias.value.clone()));
            }
            item if is_star(item) => return None,
            _ => {}
        }
    }
    None
}

fn items(select: &Select) -> impl Iterator<Item = &Expr> {
    select.projection.iter().filter_map(|item| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
        _ => None,
    })
}

pub(super) fn is_grouped(select: &Select) -> bool {
    !matches!(&select.group_by, GroupByExpr::Expressions(by, _) if by.is_empty())
        || is_distinct(select)
}

pub(super) fn is_distinct(select: &Select) -> bool {
    matches!(select.distinct, Some(Distinct::Distinct | Distinct::On(_)))
}

/// Whether each row of the table is one of the SELECT, as far as is known here.
fn shows_rows(select: &Select) -> bool {
    items(select).all(|expr| !has(expr, |part| matches!(part, Expr::Function(_))))
}

/// Whether there is such an expression in a part of a query.
pub(super) fn has(part: &impl Visit, is_it: impl Fn(&Expr) -> bool) -> bool {
    let found = walk_expressions(part, |part: &Expr| match is_it(part) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    });
    found.is_break()
}

/// The order of the rows of the only table, by columns that it has or is given.
fn order_of_table(select: &mut Select, with: Option<&mut With>) -> Option<Vec<OrderByExpr>> {
    let [TableWithJoins { relation, joins }] = &mut select.from[..] else { return None };
    if !joins.is_empty() {
        return None;
    }
    let Keys { order, added } = match relation {
        TableFactor::Derived { subquery, alias, .. } if keeps_names(alias.as_ref()) => {
            keys_of(subquery, true)?
        }
        TableFactor::Table { name, alias, args: None, .. }
            if name.0.len() == 1 && keeps_names(alias.as_ref()) =>
        {
            let name = last(name)?.value.clone();
            let with = with?;
            // Where another query reads the CTE too, `*` there would have the added columns.
            let is_read_once = reads(&*with, &name) + reads(&*select, &name) == 1;
            let is_it =
                |cte: &&mut Cte| is_same(&cte.alias.name, &name) && cte.alias.columns.is_empty();
            let cte = with.cte_tables.iter_mut().find(is_it)?;
            keys_of(&mut cte.query, is_read_once)?
        }
        _ => return None,
    };
    for item in select.projection.iter_mut().filter(|_| !added.is_empty()) {
        if let SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) = item {
            leave_out(options, &added);
        }
    }
    Some(order)
}

/// Whether the columns of a table have their own names.
fn keeps_names(alias: Option<&TableAlias>) -> bool {
    alias.is_none_or(|alias| alias.columns.is_empty())
}

/// How often a table of that name is read.
fn reads(part: &impl Visit, name: &str) -> usize {
    let mut count = 0;
    let _: ControlFlow<()> = walk_relations(part, |relation: &ObjectName| {
        count += usize::from(last(relation).is_some_and(|it| is_same(it, name)));
        ControlFlow::Continue(())
    });
    count
}

/// What a query is ordered by, as the query around it names that.
struct Keys {
    order: Vec<OrderByExpr>,
    /// The columns that the query was given for it.
    added: Vec<Ident>,
}

/// The keys of a query's order; `None` where one of them is not selected and cannot be.
fn keys_of(query: &mut Query, may_add: bool) -> Option<Keys> {
    let Query { body, order_by, .. } = query;
    let OrderByKind::Expressions(by) = &mut order_by.as_mut()?.kind else { return None };
    let first = first_select(body)?;
    let may_add = may_add && matches!(**body, SetExpr::Select(_)) && !is_distinct(first);
    let shown: Vec<Option<Expr>> = by.iter().map(|by| shown(&by.expr, first, may_add)).collect();
    let can_add = |(by, shown): (&OrderByExpr, &Option<Expr>)| {
        shown.is_some() || may_add && is_selectable(&by.expr, first)
    };
    if !by.iter().zip(&shown).all(can_add) {
        return None;
    }
    let mut keys = Keys { order: Vec::new(), added: Vec::new() };
    for (index, (by, shown)) in by.iter_mut().zip(shown).enumerate() {
        let expr = match (shown, &mut **body) {
            (Some(expr), _) => expr,
            (None, SetExpr::Select(select)) => {
                let alias = Ident::with_quote('"', format!("{ADDED}{index}"));
                let expr = std::mem::replace(&mut by.expr, Expr::Identifier(alias.clone()));
                select.projection.push(SelectItem::ExprWithAlias { expr, alias: alias.clone() });
                keys.added.push(alias.clone());
                Expr::Identifier(alias)
            }
            (None, _) => return None,
        };
        keys.order.push(OrderByExpr { expr, ..by.clone() });
    }
    Some(keys)
}

/// The SELECT that names the columns of a query.
pub(super) fn first_select(body: &SetExpr) -> Option<&Select> {
    match body {
        SetExpr::Select(select) => Some(select),
        SetExpr::SetOperation { left, .. } => first_select(left),
        SetExpr::Query(query) => first_select(&query.body),
        _ => None,
    }
}

/// A key of an order by the name it has outside; `None` when it is not shown. Where nothing can be
/// added a plain name is that of a column of the result.
fn shown(by: &Expr, inner: &Select, may_add: bool) -> Option<Expr> {
    let column = |name: &str| Some(Expr::Identifier(Ident::with_quote('"', name.to_lowercase())));
    let (text, position) = (by.to_string().to_lowercase(), position(by));
    let (mut stars, mut names) = (false, Vec::new());
    for (index, item) in inner.projection.iter().enumerate() {
        let (expr, name) = match item {
            SelectItem::ExprWithAlias { expr, alias } => (expr, alias.value.as_str()),
            SelectItem::UnnamedExpr(expr) => match last_name(expr) {
                Some(name) => (expr, name),
                None => continue,
            },
            item => {
                stars = true;
                match (item, by) {
                    (SelectItem::Wildcard(options), Expr::Identifier(name))
                        if !left_out(options).iter().any(|it| is_same(it, &name.value)) =>
                    {
                        return column(&name.value);
                    }
                    _ => continue,
                }
            }
        };
        let is_named = matches!(by, Expr::Identifier(wanted) if is_same(wanted, name));
        let is_there = position == Some(index + 1) && !stars;
        let is_it = is_named || is_there || expr.to_string().to_lowercase() == text;
        // Outside, the name is that of the first column that has it.
        if is_it && !names.contains(&name.to_lowercase()) {
            return column(name);
        }
        names.push(name.to_lowercase());
    }
    match by {
        Expr::Identifier(name) if stars && !may_add => column(&name.value),
        _ => None,
    }
}

/// The position in the SELECT that a key of an order is.
fn position(by: &Expr) -> Option<usize> {
    let Expr::Value(value) = by else { return None };
    let Value::Number(digits, _) = &value.value else { return None };
    digits.parse().ok()
}

/// Whether an expression of ORDER BY means the same in the SELECT: an alias does not.
fn is_selectable(by: &Expr, select: &Select) -> bool {
    let is_other = |item: &SelectItem, name: &Ident| match item {
        SelectItem::ExprWithAlias { expr, alias } => {
            is_same(alias, &name.value) && last_name(expr).is_none_or(|it| !is_same(alias, it))
        }
        _ => false,
    };
    let is_alias = |name: &Ident| select.projection.iter().any(|item| is_other(item, name));
    let is_unfit = |part: &Expr| match part {
        Expr::Identifier(name) => is_alias(name),
        Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. } => true,
        _ => false,
    };
    !matches!(by, Expr::Value(_)) && !has(by, is_unfit)
}

/// Whether this is an aggregate that shows the order of its input, and has none of its own.
fn shows_order(expr: &Expr) -> bool {
    let Expr::Function(function) = expr else { return false };
    let FunctionArguments::List(list) = &function.args else { return false };
    let name = function.name.to_string().to_lowercase();
    let is_order =
        |clause: &FunctionArgumentClause| matches!(clause, FunctionArgumentClause::OrderBy(_));
    function.over.is_none()
        && SHOW_ORDER.contains(&name.as_str())
        && list.duplicate_treatment.is_none()
        && !list.clauses.iter().any(is_order)
}

/// Gives the aggregates in an expression the order, where they have none of their own.
fn order_aggregates(expr: &mut Expr, order: &[OrderByExpr]) {
    let _: ControlFlow<()> = walk_expressions_mut(expr, |part: &mut Expr| {
        if shows_order(part)
            && let Expr::Function(function) = part
            && let FunctionArguments::List(list) = &mut function.args
        {
            list.clauses.push(FunctionArgumentClause::OrderBy(order.to_vec()));
        }
        ControlFlow::Continue(())
    });
}
