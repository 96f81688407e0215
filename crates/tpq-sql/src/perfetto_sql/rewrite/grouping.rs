//! Columns that are neither grouped by nor aggregated: they are those of one row of the group,
//! the row that holds the value of the query's only `min` or `max`, else any row.
//!
//! Of several such rows it is the one that is least in these columns, its time and id before the
//! others: the same for all columns, and the same each time, however the work is split.

use datafusion::sql::sqlparser::ast::{
    Expr, Function, FunctionArgumentClause, FunctionArguments, GroupByExpr, Ident, OrderBy,
    OrderByExpr, OrderByKind, OrderByOptions, Query, Select, SelectItem, SetExpr, Value,
};

use super::calls::plain_args;
use super::{DUPLICATE_MARK, call, take};

const AGGREGATES: &[&str] = &[
    "count",
    "sum",
    "min",
    "max",
    "avg",
    "string_agg",
    "first_value",
    "last_value",
    "array_agg",
    "median",
    "percentile",
    "approx_distinct",
    "approx_median",
    "stddev",
    "stddev_pop",
    "var",
    "var_pop",
    "corr",
    "bool_and",
    "bool_or",
    "bit_and",
    "bit_or",
    "bit_xor",
    "nth_value",
    "approx_percentile_cont",
];

/// The columns that identify rows of a trace.
const LEADING: &[&str] = &["id", "ts"];

/// Which expressions a SELECT may use as they are, and which row the others are of.
#[derive(Clone)]
struct Groups {
    /// The grouping expressions, as text.
    expressions: Vec<String>,
    /// The deciding expression of the row, and whether the greatest is wanted.
    row: Option<(Expr, bool)>,
    /// The columns themselves, which decide between rows that are alike in that.
    ties: Vec<Expr>,
}

/// Takes the columns that are not grouped by from one row of the group.
pub(super) fn rewrite(query: &mut Query) {
    match &mut *query.body {
        SetExpr::Select(select) => rewrite_select(select, query.order_by.as_mut()),
        SetExpr::SetOperation { left, right, .. } => {
            set_operand(left);
            set_operand(right);
        }
        _ => {}
    }
}

fn set_operand(body: &mut SetExpr) {
    match body {
        SetExpr::Select(select) => rewrite_select(select, None),
        SetExpr::SetOperation { left, right, .. } => {
            set_operand(left);
            set_operand(right);
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

fn rewrite_select(select: &mut Select, order: Option<&mut OrderBy>) {
    let expressions = grouped_by(select);
    let mut extremes = Vec::new();
    let mut aggregates = false;
    for expr in items(select) {
        aggregates |= find(expr, &mut extremes);
    }
    if let Some(having) = &mut select.having {
        aggregates |= find(having, &mut extremes);
    }
    if expressions.is_empty() && !aggregates {
        return;
    }
    extremes.dedup_by(|a, b| a.0 == b.0 && a.1 == b.1);
    let row = if extremes.len() == 1 { extremes.pop() } else { None };
    let mut groups = Groups { expressions, row, ties: Vec::new() };
    items(select).for_each(|expr| groups.note_ties(expr));
    // In HAVING an alias is one only where it is written.
    let mut having = groups.clone();
    having.expressions.extend(aliases(select));
    pick_items(select, &groups);
    if let Some(condition) = &mut select.having {
        having.pick(condition);
    }
    let mut ordered = groups;
    ordered.expressions.extend(aliases(select));
    if let Some(OrderBy { kind: OrderByKind::Expressions(by), .. }) = order {
        by.iter_mut().for_each(|by| ordered.pick(&mut by.expr));
    }
}

fn aliases(select: &Select) -> Vec<String> {
    let alias = |item: &SelectItem| match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.to_lowercase()),
        _ => None,
    };
    select.projection.iter().filter_map(alias).collect()
}

fn pick_items(select: &mut Select, groups: &Groups) {
    let mut named = Vec::new();
    for item in &mut select.projection {
        let (SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) = item else {
            continue;
        };
        let name = last_name(expr).map(str::to_owned);
        groups.pick(expr);
        // A column keeps its name.
        if let (SelectItem::UnnamedExpr(expr), Some(name)) = (&mut *item, name)
            && last_name(expr).is_none()
        {
            let again = named.iter().filter(|other| **other == name).count();
            let inner =
                if again == 0 { name.clone() } else { format!("{name}{DUPLICATE_MARK}{again}") };
            named.push(name);
            let alias = Ident::with_quote('"', inner);
            *item = SelectItem::ExprWithAlias { expr: take(expr), alias };
        }
    }
}

/// The grouping of a SELECT: written out where it is an alias or a position.
fn grouped_by(select: &Select) -> Vec<String> {
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
                        || alias.value.eq_ignore_ascii_case(&as_text(expr)) =>
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

fn as_text(expr: &Expr) -> String {
    expr.to_string().to_lowercase().replace(['"', '`', '[', ']'], "")
}

fn last_name(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Identifier(name) => Some(&name.value),
        Expr::CompoundIdentifier(names) => names.last().map(|name| name.value.as_str()),
        _ => None,
    }
}

/// Whether two columns may be one: `a.x` and `b.x` differ, `x` and `a.x` do not. DataFusion takes
/// no column twice in the order of an aggregate.
fn is_same(one: &Expr, other: &Expr) -> bool {
    let (Some(name), Some(other_name)) = (last_name(one), last_name(other)) else { return false };
    let is_plain = |expr: &Expr| matches!(expr, Expr::Identifier(_));
    name.eq_ignore_ascii_case(other_name)
        && (is_plain(one) || is_plain(other) || as_text(one) == as_text(other))
}

fn is_aggregate(function: &Function) -> bool {
    let name = function.name.to_string().to_lowercase();
    function.over.is_none() && AGGREGATES.contains(&name.as_str())
}

/// Whether there is an aggregate in an expression; those that decide the row are noted.
fn find(expr: &mut Expr, extremes: &mut Vec<(Expr, bool)>) -> bool {
    if let Expr::Function(function) = expr
        && is_aggregate(function)
    {
        let name = function.name.to_string().to_lowercase();
        if let ("min" | "max", [only]) = (name.as_str(), &plain_args(function)[..]) {
            extremes.push(((*only).clone(), name == "max"));
        }
        return true;
    }
    // Not only whether there is one: all are noted.
    parts(expr).into_iter().fold(false, |found, part| find(part, extremes) | found)
}

/// The expressions an expression is made of, those of subqueries left out.
fn parts(expr: &mut Expr) -> Vec<&mut Expr> {
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
        Expr::Function(function) => plain_args(function),
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

impl Groups {
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

    fn pick(&self, expr: &mut Expr) {
        if self.has(expr) {
            return;
        }
        match expr {
            Expr::Function(function) if is_aggregate(function) => {}
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
            Expr::Function(function) if is_aggregate(function) => {}
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
        let groups = Groups { expressions, row: None, ties: Vec::new() };
        let column = |names: &[&str]| {
            Expr::CompoundIdentifier(names.iter().map(|name| (*name).into()).collect())
        };
        assert!(groups.has(&Expr::Identifier("utid".into())));
        assert!(groups.has(&column(&["t", "utid"])));
        assert!(!groups.has(&column(&["s", "utid"])));
        assert!(!groups.has(&Expr::Identifier("dur".into())));
    }
}
