//! `COLLATE`: NOCASE compares without the case of ASCII letters, RTRIM without spaces at the end.
//!
//! A collation changes comparisons, never values. So it becomes a function of both sides of the
//! comparison that it is for, and leaves every other place.

use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CaseWhen, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArgumentClause, FunctionArguments, GroupByExpr, Ident, NamedWindowExpr, ObjectName,
    OrderByExpr, OrderByKind, Query, Select, SelectItem, SetExpr, UnaryOperator, Value, WindowSpec,
    WindowType,
};

use super::calls::plain_args;
use super::distinct_collations::selects;
use super::grouping::last_name;
use super::orders::first_select;
use super::row_values::renamed_rows;
use super::{call, take};
use crate::functions::{FOLD_CASE, TRIM_END};
use crate::perfetto_sql::scope::is_same;

#[derive(Clone, Copy)]
enum Collation {
    Binary,
    NoCase,
    RightTrim,
}

impl Collation {
    fn named(name: &ObjectName) -> Option<Self> {
        match name.to_string().trim_matches('"').to_ascii_lowercase().as_str() {
            "binary" => Some(Self::Binary),
            "nocase" => Some(Self::NoCase),
            "rtrim" => Some(Self::RightTrim),
            _ => None,
        }
    }

    /// Replaces an expression by what the collation compares.
    fn apply(self, expr: &mut Expr) {
        strip(expr);
        let function = match self {
            Self::Binary => return,
            Self::NoCase => FOLD_CASE,
            Self::RightTrim => TRIM_END,
        };
        *expr = call(function, vec![take(expr)]);
    }
}

/// The collation that an operand states.
fn stated(expr: &Expr) -> Option<Collation> {
    stated_name(expr).and_then(Collation::named)
}

/// The name of the collation that an operand states. An expression takes over the first one that is
/// stated within it, but for what is in subqueries.
pub(super) fn stated_name(expr: &Expr) -> Option<&ObjectName> {
    match expr {
        Expr::Collate { collation, .. } => Some(collation),
        Expr::Nested(inner)
        | Expr::Cast { expr: inner, .. }
        | Expr::UnaryOp { expr: inner, .. } => stated_name(inner),
        Expr::BinaryOp { left, op: BinaryOperator::StringConcat, right } => {
            stated_name(left).or_else(|| stated_name(right))
        }
        Expr::Substring { expr: inner, .. } | Expr::Trim { expr: inner, .. } => stated_name(inner),
        Expr::Case { operand, conditions, else_result, .. } => {
            let cases = conditions.iter().flat_map(|case| [&case.condition, &case.result]);
            let others = cases.chain(else_result.as_deref());
            operand.as_deref().into_iter().chain(others).find_map(stated_within)
        }
        Expr::Function(function) => {
            let FunctionArguments::List(list) = &function.args else { return None };
            list.args.iter().find_map(|arg| match arg {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => stated_name(expr),
                _ => None,
            })
        }
        _ => None,
    }
}

/// The same for a part of a CASE, which may be a condition.
fn stated_within(part: &Expr) -> Option<&ObjectName> {
    match part {
        Expr::BinaryOp { left, right, .. } => stated_within(left).or_else(|| stated_within(right)),
        Expr::Nested(inner) => stated_within(inner),
        other => stated_name(other),
    }
}

/// Whether an expression states a collation other than the one that compares all characters.
pub(super) fn is_folded(expr: &Expr) -> bool {
    matches!(stated(expr), Some(Collation::NoCase | Collation::RightTrim))
}

/// Whether a collation compares otherwise than by all characters.
pub(super) fn folds(collation: &ObjectName) -> bool {
    matches!(Collation::named(collation), Some(Collation::NoCase | Collation::RightTrim))
}

/// Whether an expression states any collation.
pub(super) fn states_any(expr: &Expr) -> bool {
    stated(expr).is_some()
}

/// Whether an operand of UNION decides how its values are compared: it states a collation, or is a
/// column.
pub(super) fn decides(expr: &Expr) -> bool {
    implied(expr).is_some()
}

fn strip(expr: &mut Expr) {
    match expr {
        Expr::Collate { expr: inner, collation } if Collation::named(collation).is_some() => {
            *expr = take(inner);
        }
        Expr::Nested(inner) => strip(inner),
        _ => {}
    }
}

/// Applies collations within an expression. Its parts are rewritten after it.
pub(super) fn rewrite(expr: &mut Expr) {
    match expr {
        Expr::BinaryOp { left, op, right } if is_comparison(op) => collate(&mut [left, right]),
        Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right) => {
            collate(&mut [left, right]);
        }
        // The collation of a list is that of the value that is looked for.
        Expr::InList { expr: value, list, .. } => {
            if let Some(collation) = stated(value) {
                collation.apply(value);
                list.iter_mut().for_each(|item| collation.apply(item));
            }
        }
        Expr::InSubquery { expr: value, subquery, .. } => {
            if let Some(collation) = stated(value).or_else(|| of_column(subquery))
                && let Some(rows) = collated_rows(subquery, collation)
            {
                collation.apply(value);
                **subquery = rows;
            }
        }
        Expr::Case { operand: operand @ Some(_), conditions, .. } => {
            compare_cases(operand, conditions)
        }
        Expr::Function(_) => function(expr),
        Expr::Collate { .. } => strip(expr),
        _ => {}
    }
}

pub(super) fn is_comparison(op: &BinaryOperator) -> bool {
    use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
    matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq)
}

/// The first collation among operands that are compared with each other holds for all.
fn collate(operands: &mut [&mut Expr]) {
    if let Some(collation) = operands.iter().find_map(|operand| stated(operand)) {
        operands.iter_mut().for_each(|operand| collation.apply(operand));
    }
}

/// The collation of the column of a subquery.
fn of_column(subquery: &Query) -> Option<Collation> {
    match first_select(&subquery.body)?.projection.first()? {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => stated(expr),
        _ => None,
    }
}

/// The rows of a subquery with one column, as the collation compares them.
fn collated_rows(subquery: &Query, collation: Collation) -> Option<Query> {
    let column = Ident::new("__value");
    let mut value = Expr::Identifier(column.clone());
    collation.apply(&mut value);
    renamed_rows(subquery, &[column], value, None)
}

/// Each value of a CASE may have a collation of its own, so each becomes a comparison.
fn compare_cases(operand: &mut Option<Box<Expr>>, conditions: &mut [CaseWhen]) {
    let is_collated = |expr: &Expr| stated(expr).is_some();
    let by_operand = operand.as_deref().is_some_and(is_collated);
    if !by_operand && !conditions.iter().any(|case| is_collated(&case.condition)) {
        return;
    }
    let Some(value) = operand.take() else { return };
    for case in conditions {
        case.condition =
            comparison(BinaryOperator::Eq, (*value).clone(), take(&mut case.condition));
    }
}

fn comparison(op: BinaryOperator, left: Expr, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op, right: Box::new(right) }
}

/// The functions that compare their arguments, and the orders within a call.
fn function(expr: &mut Expr) {
    let Expr::Function(function) = expr else { return };
    order_call(function);
    let name = function.name.to_string().to_ascii_lowercase();
    let is_window = function.over.is_some();
    let is_distinct = matches!(&function.args, FunctionArguments::List(list)
        if list.duplicate_treatment == Some(DuplicateTreatment::Distinct));
    let mut args = plain_args(function);
    if !args.iter().any(|arg| stated(arg).is_some()) {
        return;
    }
    let Some(collation) = args.iter().find_map(|arg| implied(arg)) else { return };
    if name == "count" && is_distinct {
        args.iter_mut().for_each(|arg| collation.apply(arg));
        return;
    }
    let compare = |op, first: &Expr, second: &Expr| {
        let (mut first, mut second) = (first.clone(), second.clone());
        collation.apply(&mut first);
        collation.apply(&mut second);
        comparison(op, first, second)
    };
    *expr = match (name.as_str(), &mut args[..]) {
        ("nullif", [value, other]) => {
            let equal = compare(BinaryOperator::Eq, value, other);
            choice(equal, Expr::Value(Value::Null.into()), take(value))
        }
        // SQLite takes the first of equal values as the greatest, and the last as the least.
        ("max", [first, second]) => {
            let greatest = compare(BinaryOperator::GtEq, first, second);
            present(take(first), take(second), greatest)
        }
        ("min", [first, second]) => {
            let least = compare(BinaryOperator::Lt, first, second);
            present(take(first), take(second), least)
        }
        ("min" | "max", [value]) if !is_window => {
            let mut key = value.clone();
            collation.apply(&mut key);
            call(&format!("arg_{name}"), vec![take(value), key])
        }
        _ => return,
    };
}

/// The collation that an argument states, or that it has as a column.
fn implied(arg: &Expr) -> Option<Collation> {
    match arg {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => Some(Collation::Binary),
        other => stated(other),
    }
}

/// `first` if the condition holds, `second` if not, and NULL where it is not known.
fn present(first: Expr, second: Expr, condition: Expr) -> Expr {
    let negated = Expr::UnaryOp {
        op: UnaryOperator::Not,
        expr: Box::new(Expr::Nested(Box::new(condition.clone()))),
    };
    let null = Expr::Value(Value::Null.into());
    choice(condition, first, choice(negated, second, null))
}

fn choice(condition: Expr, result: Expr, other: Expr) -> Expr {
    Expr::Case {
        case_token: AttachedToken::empty(),
        end_token: AttachedToken::empty(),
        operand: None,
        conditions: vec![CaseWhen { condition, result }],
        else_result: Some(Box::new(other)),
    }
}

/// Applies collations to the orders and partitions of a call.
fn order_call(function: &mut Function) {
    order_by(&mut function.within_group);
    if let FunctionArguments::List(list) = &mut function.args {
        for clause in &mut list.clauses {
            if let FunctionArgumentClause::OrderBy(by) = clause {
                order_by(by);
            }
        }
    }
    if let Some(WindowType::WindowSpec(spec)) = &mut function.over {
        window(spec);
    }
}

fn window(spec: &mut WindowSpec) {
    spec.partition_by.iter_mut().for_each(apply_stated);
    order_by(&mut spec.order_by);
}

fn order_by(keys: &mut [OrderByExpr]) {
    keys.iter_mut().for_each(|key| apply_stated(&mut key.expr));
}

fn apply_stated(expr: &mut Expr) {
    if let Some(collation) = stated(expr) {
        collation.apply(expr);
    }
}

/// Applies collations to the windows and groups of a SELECT.
pub(super) fn in_select(select: &mut Select) {
    for definition in &mut select.named_window {
        if let NamedWindowExpr::WindowSpec(spec) = &mut definition.1 {
            window(spec);
        }
    }
    let items = collated_items(select);
    if let GroupByExpr::Expressions(keys, _) = &mut select.group_by {
        keys.iter_mut().for_each(|key| apply(key, &items));
    }
}

/// Applies collations to the order of a query.
pub(super) fn in_order(query: &mut Query) {
    let Query { body, order_by: Some(order), .. } = query else { return };
    let OrderByKind::Expressions(keys) = &mut order.kind else { return };
    let items = match &**body {
        SetExpr::Select(select) => collated_items(select),
        operation => collated_columns(operation),
    };
    for key in keys {
        if let Expr::Collate { expr: position, .. } = &mut key.expr
            && let Some(item) = position_of(position).and_then(|at| selected_at(body, at))
        {
            **position = item;
        }
        apply(&mut key.expr, &items);
    }
}

/// The position in a SELECT that a key is.
fn position_of(key: &Expr) -> Option<usize> {
    let Expr::Value(value) = key else { return None };
    let Value::Number(digits, _) = &value.value else { return None };
    digits.parse().ok()
}

/// The selected expression at a position from 1; above a set operation, its name.
fn selected_at(body: &SetExpr, position: usize) -> Option<Expr> {
    let (expr, alias) = match first_select(body)?.projection.get(position.checked_sub(1)?)? {
        SelectItem::UnnamedExpr(expr) => (expr, None),
        SelectItem::ExprWithAlias { expr, alias } => (expr, Some(alias)),
        _ => return None,
    };
    if matches!(body, SetExpr::Select(_)) {
        let mut expr = expr.clone();
        strip(&mut expr);
        return Some(expr);
    }
    let name = alias.cloned().or_else(|| last_name(expr).map(|name| Ident::with_quote('"', name)));
    name.map(Expr::Identifier)
}

/// A selected expression with a collation.
struct CollatedItem {
    position: usize,
    alias: Option<Ident>,
    expr: Expr,
}

fn collated_items(select: &Select) -> Vec<CollatedItem> {
    let item = |(index, item): (usize, &SelectItem)| {
        let (expr, alias) = match item {
            SelectItem::UnnamedExpr(expr) => (expr, None),
            SelectItem::ExprWithAlias { expr, alias } => (expr, Some(alias.clone())),
            _ => return None,
        };
        stated(expr)?;
        Some(CollatedItem { position: index + 1, alias, expr: expr.clone() })
    };
    select.projection.iter().enumerate().filter_map(item).collect()
}

/// The columns of UNION and the like that are compared with a collation.
fn collated_columns(operation: &SetExpr) -> Vec<CollatedItem> {
    let mut operands = Vec::new();
    selects(operation, &mut operands);
    let Some(first) = operands.first() else { return Vec::new() };
    let mut columns = Vec::new();
    for (at, item) in first.projection.iter().enumerate() {
        let name = match item {
            SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.as_str()),
            SelectItem::UnnamedExpr(expr) => last_name(expr),
            // The positions of the columns behind a star are not known.
            _ => break,
        };
        let mut items = operands.iter().filter_map(|select| match select.projection.get(at)? {
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
            _ => None,
        });
        let Some(collation) = items.find_map(implied) else { continue };
        if let (Some(name), Collation::NoCase | Collation::RightTrim) = (name, collation) {
            let name = Ident::with_quote('"', name.to_lowercase());
            let mut expr = Expr::Identifier(name.clone());
            collation.apply(&mut expr);
            columns.push(CollatedItem { position: at + 1, alias: Some(name), expr });
        }
    }
    columns
}

/// Applies the collation of a key, or of the selected expression that the key names.
fn apply(key: &mut Expr, items: &[CollatedItem]) {
    if stated(key).is_none() {
        let is_named = |item: &&CollatedItem| match &*key {
            Expr::Identifier(name) => {
                item.alias.as_ref().is_some_and(|alias| is_same(alias, &name.value))
            }
            other => position_of(other) == Some(item.position),
        };
        let Some(item) = items.iter().find(is_named) else { return };
        *key = item.expr.clone();
    }
    apply_stated(key);
}
