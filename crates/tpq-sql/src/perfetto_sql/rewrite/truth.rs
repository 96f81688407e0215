//! Conditions and values: SQLite has no booleans. Where a condition is wanted, any value will do;
//! where a value is wanted, a comparison is 0 or 1.

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CastKind, DataType, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArguments, JoinConstraint, JoinOperator, Select, SelectItem, TableFactor,
    TableWithJoins, UnaryOperator, Value, WindowType,
};

use super::{call, take};
use crate::functions::{ALL_TRUE, CAST_TEXT, TRUTHY};

/// Functions that give a condition.
const CONDITIONS: &[&str] = &["glob", "like", "regexp", "slice_is_ancestor", ALL_TRUE, TRUTHY];

/// Functions of DataFusion's own that take conditions.
const TAKE_CONDITIONS: &[&str] = &["bool_and", "bool_or", "every"];

/// Whether an expression is a condition by the way it is written.
pub(super) fn is_condition(expr: &Expr) -> bool {
    use BinaryOperator::{And, Eq, Gt, GtEq, Lt, LtEq, NotEq, Or};
    match expr {
        Expr::BinaryOp { op, .. } => matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq | And | Or),
        Expr::UnaryOp { op: UnaryOperator::Not, .. } => true,
        Expr::Nested(inner) => is_condition(inner),
        Expr::Value(value) => matches!(value.value, Value::Boolean(_)),
        Expr::Function(function) => {
            let name = function.name.to_string().to_ascii_lowercase();
            CONDITIONS.contains(&name.as_str())
        }
        Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsTrue(_)
        | Expr::IsNotTrue(_)
        | Expr::IsFalse(_)
        | Expr::IsNotFalse(_)
        | Expr::IsDistinctFrom(..)
        | Expr::IsNotDistinctFrom(..)
        | Expr::InList { .. }
        | Expr::InSubquery { .. }
        | Expr::Between { .. }
        | Expr::Like { .. }
        | Expr::ILike { .. }
        | Expr::Exists { .. } => true,
        _ => false,
    }
}

/// Makes a condition of any value.
pub(super) fn as_condition(expr: &mut Expr) {
    if !is_condition(expr) {
        *expr = call(TRUTHY, vec![take(expr)]);
    }
}

/// Makes 0 or 1 of a condition.
pub(super) fn as_value(expr: &mut Expr) {
    if is_condition(expr) {
        *expr = Expr::Cast {
            kind: CastKind::Cast,
            expr: Box::new(take(expr)),
            data_type: DataType::BigInt(None),
            array: false,
            format: None,
        };
    }
}

pub(super) fn select(select: &mut Select) {
    let conditions = [&mut select.selection, &mut select.having, &mut select.qualify];
    conditions.into_iter().flatten().for_each(as_condition);
    select.from.iter_mut().for_each(joins);
    for item in &mut select.projection {
        if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = item {
            as_value(expr);
        }
    }
}

/// The conditions of joins, also of those in brackets.
fn joins(from: &mut TableWithJoins) {
    let nested = |factor: &mut TableFactor| {
        if let TableFactor::NestedJoin { table_with_joins, .. } = factor {
            joins(table_with_joins);
        }
    };
    nested(&mut from.relation);
    for join in &mut from.joins {
        nested(&mut join.relation);
        if let Some(JoinConstraint::On(condition)) = constraint(&mut join.join_operator) {
            as_condition(condition);
        }
        // `CROSS JOIN … ON` is a join like others.
        if let JoinOperator::CrossJoin(constraint) = &mut join.join_operator
            && !matches!(constraint, JoinConstraint::None)
        {
            let constraint = std::mem::replace(constraint, JoinConstraint::None);
            join.join_operator = JoinOperator::Inner(constraint);
        }
    }
}

/// The condition of a join.
pub(super) fn constraint(join: &mut JoinOperator) -> Option<&mut JoinConstraint> {
    use JoinOperator::{CrossJoin, FullOuter, Inner, Join, Left, LeftOuter, Right, RightOuter};
    match join {
        CrossJoin(constraint)
        | FullOuter(constraint)
        | Inner(constraint)
        | Join(constraint)
        | Left(constraint)
        | LeftOuter(constraint)
        | Right(constraint)
        | RightOuter(constraint) => Some(constraint),
        _ => None,
    }
}

/// The parts of an expression; their own parts were visited before.
pub(super) fn parts(expr: &mut Expr) {
    match expr {
        Expr::BinaryOp { left, op: BinaryOperator::And | BinaryOperator::Or, right } => {
            as_condition(left);
            as_condition(right);
        }
        Expr::UnaryOp { op: UnaryOperator::Not, expr }
        | Expr::IsTrue(expr)
        | Expr::IsNotTrue(expr)
        | Expr::IsFalse(expr)
        | Expr::IsNotFalse(expr) => as_condition(expr),
        Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right) => {
            as_value(left);
            as_value(right);
        }
        Expr::BinaryOp { left, op: BinaryOperator::StringConcat, right } => {
            for side in [left, right] {
                as_value(side);
                as_text(side);
            }
        }
        Expr::Case { operand, conditions, else_result, .. } => {
            for branch in conditions {
                if operand.is_none() {
                    as_condition(&mut branch.condition);
                } else {
                    as_value(&mut branch.condition);
                }
                as_value(&mut branch.result);
            }
            [operand, else_result].into_iter().flatten().for_each(|expr| as_value(expr));
        }
        Expr::InList { expr, list, .. } => {
            as_value(expr);
            list.iter_mut().for_each(as_value);
        }
        Expr::Between { expr, low, high, .. } => {
            [expr, low, high].into_iter().for_each(|expr| as_value(expr))
        }
        Expr::Cast { expr, .. } => as_value(expr),
        Expr::Function(function) => arguments(function),
        _ => {}
    }
}

fn as_text(expr: &mut Expr) {
    let text = match expr {
        Expr::Value(value) => matches!(value.value, Value::SingleQuotedString(_)),
        Expr::BinaryOp { op: BinaryOperator::StringConcat, .. } => true,
        _ => false,
    };
    // Arrays have a `||` of their own.
    if !text && !matches!(expr, Expr::Array(_)) {
        *expr = call(CAST_TEXT, vec![take(expr)]);
    }
}

fn arguments(function: &mut Function) {
    if let Some(filter) = &mut function.filter {
        as_condition(filter);
    }
    if let Some(WindowType::WindowSpec(window)) = &mut function.over {
        // A frame may be in steps from the value.
        window.order_by.iter_mut().for_each(|by| as_value(&mut by.expr));
    }
    let name = function.name.to_string().to_ascii_lowercase();
    if name == TRUTHY || TAKE_CONDITIONS.contains(&name.as_str()) {
        return;
    }
    let convert = if name == ALL_TRUE { as_condition } else { as_value };
    if let FunctionArguments::List(list) = &mut function.args {
        for arg in &mut list.args {
            if let FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) = arg {
                convert(expr);
            }
        }
    }
}
