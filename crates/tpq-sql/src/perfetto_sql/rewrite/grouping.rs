//! Columns that are neither grouped by nor aggregated: they are those of one row of the group,
//! the row that holds the value of the query's only `min` or `max`, else any row.
//!
//! Of several such rows it is the one that is least in these columns, its time and id before the
//! others: the same for all columns, and the same each time, however the work is split.

use std::ops::ControlFlow;

use crate::perfetto_sql::walk::walk_expressions;
use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    CaseWhen, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause,
    FunctionArguments, GroupByExpr, Ident, OrderBy, OrderByExpr, OrderByKind, OrderByOptions,
    Query, Select, SelectItem, SetExpr, Value, WindowType,
};

use super::calls::plain_args;
use super::{Taken, call, hidden_order, take, unique};
use crate::perfetto_sql::scope::{Scope, is_star, written_out};

/// What is known of a statement that could not be planned.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    /// Whether there is an aggregate function of a name.
    pub is_aggregate: &'a dyn Fn(&str) -> bool,
    /// The column that the error is about: it is not grouped by, also where its alias has the name
    /// of a column that is.
    pub outside: Option<&'a str>,
}

/// The columns that identify rows of a trace.
const LEADING: &[&str] = &["id", "ts"];

/// Which expressions a SELECT may use as they are, and which row the others are of.
#[derive(Clone)]
struct Groups<'a> {
    known: Known<'a>,
    /// The grouping expressions, as text.
    expressions: Vec<String>,
    /// The deciding expression of the row, and whether the greatest is wanted.
    row: Option<(Expr, bool)>,
    /// The columns themselves, which decide between rows that are alike in that.
    ties: Vec<Expr>,
}

/// Takes the columns that are not grouped by from one row of the group.
pub(super) fn rewrite(query: &mut Query, known: Known, scope: &Scope) {
    let order_is_apart = match &mut *query.body {
        SetExpr::Select(select) => rewrite_select(select, query.order_by.as_mut(), known, scope),
        SetExpr::SetOperation { left, right, .. } => {
            set_operand(left, known, scope);
            set_operand(right, known, scope);
            false
        }
        _ => false,
    };
    if order_is_apart {
        hidden_order::move_out(query);
    }
}

fn set_operand(body: &mut SetExpr, known: Known, scope: &Scope) {
    match body {
        SetExpr::Select(select) => {
            rewrite_select(select, None, known, scope);
        }
        SetExpr::SetOperation { left, right, .. } => {
            set_operand(left, known, scope);
            set_operand(right, known, scope);
        }
        // A query of its own is visited for itself.
        _ => {}
    }
}

fn items(select: &mut Select) -> impl Iterator<Item = &mut Expr> {
    select.projection.iter_mut().filter_map(|item| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
        _ => None,
    })
}

/// Rewrites a SELECT; whether ORDER BY has columns that only a subquery can give.
fn rewrite_select(
    select: &mut Select,
    order: Option<&mut OrderBy>,
    known: Known,
    scope: &Scope,
) -> bool {
    let mut extremes = Vec::new();
    let mut aggregates = false;
    for expr in items(select) {
        aggregates |= find(expr, known, &mut extremes);
    }
    if let Some(having) = &mut select.having {
        aggregates |= find(having, known, &mut extremes);
    }
    let is_grouped = matches!(&select.group_by, GroupByExpr::Expressions(by, _) if !by.is_empty());
    if !is_grouped && !aggregates {
        return false;
    }
    write_out_stars(select, scope);
    extremes.dedup_by(|a, b| a.0 == b.0 && a.1 == b.1);
    let row = if extremes.len() == 1 { extremes.pop() } else { None };
    let expressions = grouped_by(select, known.outside);
    let mut groups = Groups { known, expressions, row, ties: Vec::new() };
    items(select).for_each(|expr| groups.note_ties(expr));
    let mut having = groups.clone();
    if let Some(mut condition) = select.having.take() {
        having.expressions.extend(having_aliases(select, scope));
        having.note_ties(&mut condition);
        groups.ties.clone_from(&having.ties);
        having.pick(&mut condition);
        select.having = Some(condition);
    }
    pick_items(select, &groups);
    let aliases = aliases(select);
    let grouped = groups.clone();
    let mut ordered = groups;
    ordered.expressions.extend(aliases.iter().cloned());
    let mut picked = false;
    if let Some(OrderBy { kind: OrderByKind::Expressions(by), .. }) = order {
        for by in by {
            // `t.x` of a column that is selected and not grouped by is the selected value.
            match selected_name(&by.expr, &aliases).filter(|_| !grouped.has(&by.expr)) {
                Some(alias) => by.expr = Expr::Identifier(Ident::with_quote('"', alias)),
                None => {
                    let written = by.expr.clone();
                    ordered.pick(&mut by.expr);
                    picked |= by.expr != written;
                }
            }
        }
    }
    picked && grouped.is_decided_by(&aliases)
}

/// A star gives columns like others: those that are not grouped by are of one row.
fn write_out_stars(select: &mut Select, scope: &Scope) {
    if select.projection.iter().any(is_star)
        && let Some(items) = written_out(select, scope)
    {
        select.projection = items;
    }
}

/// The aliases that HAVING may name: a column of a table comes before an alias.
fn having_aliases(select: &Select, scope: &Scope) -> Vec<String> {
    let sources = scope.sources(select);
    let mut aliases = aliases(select);
    aliases.retain(|alias| !sources.iter().any(|source| source.has(alias)));
    aliases
}

/// The alias that a qualified column has in the result.
fn selected_name(expr: &Expr, aliases: &[String]) -> Option<String> {
    let Expr::CompoundIdentifier(_) = expr else { return None };
    let name = last_name(expr)?.to_lowercase();
    aliases.contains(&name).then_some(name)
}

fn aliases(select: &Select) -> Vec<String> {
    let alias = |item: &SelectItem| match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.to_lowercase()),
        _ => None,
    };
    select.projection.iter().filter_map(alias).collect()
}

fn pick_items(select: &mut Select, groups: &Groups) {
    let mut taken = Taken::new();
    for item in &mut select.projection {
        let (SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) = item else {
            continue;
        };
        let name = last_name(expr).map(str::to_owned);
        groups.pick(expr);
        if let SelectItem::ExprWithAlias { alias, .. } = item {
            alias.value = unique(std::mem::take(&mut alias.value), &mut taken);
        } else if let (SelectItem::UnnamedExpr(expr), Some(name)) = (&mut *item, name) {
            if last_name(expr).is_some() {
                taken.entry(name.to_lowercase()).or_default();
                continue;
            }
            // A column keeps its name.
            let alias = Ident::with_quote('"', unique(name, &mut taken));
            *item = SelectItem::ExprWithAlias { expr: take(expr), alias };
        }
    }
}

/// The grouping of a SELECT: written out where it is an alias or a position.
fn grouped_by(select: &Select, outside: Option<&str>) -> Vec<String> {
    let GroupByExpr::Expressions(by, _) = &select.group_by else { return Vec::new() };
    let mut expressions = Vec::new();
    for expr in by {
        expressions.push(as_text(expr));
        let position = match expr {
            Expr::Value(value) => match &value.value {
                Value::Number(digits, _) => digits.parse::<usize>().ok(),
                _ => None,
            },
            _ => None,
        };
        for (index, item) in select.projection.iter().enumerate() {
            match item {
                SelectItem::ExprWithAlias { expr: aliased, alias }
                    if position == Some(index + 1)
                        || !is_column(&as_text(aliased), outside)
                            && alias.value.eq_ignore_ascii_case(&as_text(expr)) =>
                {
                    expressions.push(as_text(aliased));
                }
                SelectItem::UnnamedExpr(item) if position == Some(index + 1) => {
                    expressions.push(as_text(item));
                }
                _ => {}
            }
        }
    }
    expressions
}

/// Whether an expression is the column that the error is about, each with or without its table.
fn is_column(text: &str, outside: Option<&str>) -> bool {
    let ends_in = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|table| table.is_empty() || table.ends_with('.'))
    };
    outside.is_some_and(|outside| ends_in(outside, text) || ends_in(text, outside))
}

fn as_text(expr: &Expr) -> String {
    expr.to_string().to_lowercase().replace(['"', '`', '[', ']'], "")
}

pub(super) fn last_name(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Identifier(name) => Some(&name.value),
        Expr::CompoundIdentifier(names) => names.last().map(|name| name.value.as_str()),
        _ => None,
    }
}

/// Whether two columns may be one: `a.x` and `b.x` differ, `x` and `a.x` do not. DataFusion takes
/// no column twice in the order of an aggregate.
pub(super) fn is_same(one: &Expr, other: &Expr) -> bool {
    let (Some(name), Some(other_name)) = (last_name(one), last_name(other)) else { return false };
    let is_plain = |expr: &Expr| matches!(expr, Expr::Identifier(_));
    name.eq_ignore_ascii_case(other_name)
        && (is_plain(one) || is_plain(other) || as_text(one) == as_text(other))
}

fn aggregates(function: &Function, known: Known) -> bool {
    function.over.is_none() && (known.is_aggregate)(&function.name.to_string().to_lowercase())
}

/// Whether there is an aggregate in an expression; those that decide the row are noted.
fn find(expr: &mut Expr, known: Known, extremes: &mut Vec<(Expr, bool)>) -> bool {
    if let Expr::Function(function) = expr
        && aggregates(function, known)
    {
        let name = function.name.to_string().to_lowercase();
        let filter = function.filter.clone();
        if let ("min" | "max", [only]) = (name.as_str(), &plain_args(function)[..]) {
            let value = match filter {
                Some(condition) => value_if(*condition, (*only).clone()),
                None => (*only).clone(),
            };
            extremes.push((value, name == "max"));
        }
        return true;
    }
    // Not only whether there is one: all are noted.
    parts(expr).into_iter().fold(false, |found, part| find(part, known, extremes) | found)
}

/// `CASE WHEN condition THEN value END`: of the rows that FILTER leaves out, none holds the value.
fn value_if(condition: Expr, value: Expr) -> Expr {
    Expr::Case {
        case_token: AttachedToken::empty(),
        end_token: AttachedToken::empty(),
        operand: None,
        conditions: vec![CaseWhen { condition, result: value }],
        else_result: None,
    }
}

/// The expressions an expression is made of, those of subqueries left out.
pub(super) fn parts(expr: &mut Expr) -> Vec<&mut Expr> {
    match expr {
        Expr::BinaryOp { left, right, .. }
        | Expr::IsDistinctFrom(left, right)
        | Expr::IsNotDistinctFrom(left, right) => vec![left, right],
        Expr::UnaryOp { expr, .. }
        | Expr::Nested(expr)
        | Expr::Cast { expr, .. }
        | Expr::IsNull(expr)
        | Expr::IsNotNull(expr)
        | Expr::IsTrue(expr)
        | Expr::IsNotTrue(expr)
        | Expr::IsFalse(expr)
        | Expr::IsNotFalse(expr)
        | Expr::Collate { expr, .. }
        | Expr::InSubquery { expr, .. } => vec![expr],
        Expr::InList { expr, list, .. } => {
            let mut parts = vec![&mut **expr];
            parts.extend(list);
            parts
        }
        Expr::Between { expr, low, high, .. } => vec![expr, low, high],
        Expr::Tuple(parts) => parts.iter_mut().collect(),
        Expr::Function(function) => call_parts(function),
        Expr::Case { operand, conditions, else_result, .. } => {
            let mut parts: Vec<&mut Expr> =
                operand.iter_mut().map(|operand| &mut **operand).collect();
            for branch in conditions {
                parts.push(&mut branch.condition);
                parts.push(&mut branch.result);
            }
            parts.extend(else_result.iter_mut().map(|other| &mut **other));
            parts
        }
        _ => Vec::new(),
    }
}

/// The arguments of a call, and the columns of its window.
fn call_parts(function: &mut Function) -> Vec<&mut Expr> {
    let mut parts = Vec::new();
    if let Some(WindowType::WindowSpec(window)) = &mut function.over {
        parts.extend(&mut window.partition_by);
        parts.extend(window.order_by.iter_mut().map(|by| &mut by.expr));
    }
    if let FunctionArguments::List(list) = &mut function.args {
        parts.extend(list.args.iter_mut().filter_map(|arg| match arg {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
            _ => None,
        }));
    }
    parts
}

impl Groups<'_> {
    /// Whether a column is grouped by, with or without its table before it.
    fn has(&self, expr: &Expr) -> bool {
        let text = as_text(expr);
        let name = last_name(expr).map(str::to_lowercase);
        self.expressions.iter().any(|grouped| {
            let last = grouped.rsplit('.').next().unwrap_or_default();
            let plain = grouped.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
            // `a.x` and `b.x` differ, `x` and `a.x` do not.
            *grouped == text
                || plain
                    && (!grouped.contains('.') || !text.contains('.'))
                    && name.as_deref() == Some(last)
        })
    }

    /// Whether the columns that decide between rows have such names. Within ORDER BY the engine
    /// takes these for columns of the result.
    fn is_decided_by(&self, names: &[String]) -> bool {
        let deciders = self.row.iter().map(|(decider, _)| decider);
        deciders.chain(&self.ties).any(|decider| {
            let named = walk_expressions(decider, |part| match part {
                Expr::Identifier(name) if names.contains(&name.value.to_lowercase()) => {
                    ControlFlow::Break(())
                }
                _ => ControlFlow::Continue(()),
            });
            named.is_break()
        })
    }

    fn pick(&self, expr: &mut Expr) {
        if self.has(expr) {
            return;
        }
        match expr {
            Expr::Function(function) if aggregates(function, self.known) => {}
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => *expr = self.of_row(take(expr)),
            other => parts(other).into_iter().for_each(|part| self.pick(part)),
        }
    }

    /// Notes the columns of an expression that are not grouped by, in the order they decide in.
    fn note_ties(&mut self, expr: &mut Expr) {
        if self.has(expr) {
            return;
        }
        match expr {
            Expr::Function(function) if aggregates(function, self.known) => {}
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                let leads = last_name(expr).is_some_and(|name| LEADING.contains(&name));
                let decider = self.row.iter().map(|(decider, _)| decider);
                if !self.ties.iter().chain(decider).any(|known| is_same(known, expr)) {
                    self.ties.insert(if leads { 0 } else { self.ties.len() }, expr.clone());
                }
            }
            other => parts(other).into_iter().for_each(|part| self.note_ties(part)),
        }
    }

    fn of_row(&self, column: Expr) -> Expr {
        let mut picked = call("first_value", vec![column]);
        let by = |expr: &Expr, greatest: bool| OrderByExpr {
            expr: expr.clone(),
            options: OrderByOptions { asc: Some(!greatest), nulls_first: Some(false) },
            with_fill: None,
        };
        let decides = self.row.iter().map(|(expr, greatest)| by(expr, *greatest));
        let order: Vec<OrderByExpr> =
            decides.chain(self.ties.iter().map(|expr| by(expr, false))).collect();
        if let Expr::Function(function) = &mut picked
            && let FunctionArguments::List(list) = &mut function.args
            && !order.is_empty()
        {
            list.clauses.push(FunctionArgumentClause::OrderBy(order));
        }
        picked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_grouped_by_with_or_without_its_table() {
        let expressions = vec!["t.utid".into(), "dur / 10".into()];
        let known = Known { is_aggregate: &|_| false, outside: None };
        let groups = Groups { known, expressions, row: None, ties: Vec::new() };
        let column = |names: &[&str]| {
            Expr::CompoundIdentifier(names.iter().map(|name| (*name).into()).collect())
        };
        assert!(groups.has(&Expr::Identifier("utid".into())));
        assert!(groups.has(&column(&["t", "utid"])));
        assert!(!groups.has(&column(&["s", "utid"])));
        assert!(!groups.has(&Expr::Identifier("dur".into())));
    }
}
