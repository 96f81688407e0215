//! Long chains of one operator, as `a OR b OR c…`, which the parser nests as deeply as they are
//! long. They become trees that are a few levels deep, and have the same value.

use std::mem::replace;

use datafusion::common::ScalarValue;
use datafusion::logical_expr::Expr as PlanExpr;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Query, SetExpr, SetOperator, SetQuantifier, Value, Values,
};

use super::{call, number, take, text};
use crate::functions::{ALL_TRUE, ARITHMETIC, literal_number};

/// Chains of fewer parts stay as they are.
const LONG: usize = 100;

/// How many parts become one call, where a chain becomes calls.
const GROUP: usize = 512;

/// Operators that make chains.
#[derive(Clone, Copy, PartialEq)]
enum Chain {
    /// Parts may be grouped in any way: OR, `||`, `&`, `|`.
    Associative,
    /// The same, but DataFusion puts the parts side by side again.
    And,
    /// From left to right: `+` and `-`, or `*`.
    Arithmetic,
}

impl Chain {
    fn of(operator: &BinaryOperator) -> Option<Self> {
        use BinaryOperator::{And, BitwiseAnd, BitwiseOr, Minus, Multiply, Or, Plus, StringConcat};
        Some(match operator {
            And => Self::And,
            Or | StringConcat | BitwiseAnd | BitwiseOr => Self::Associative,
            Plus | Minus | Multiply => Self::Arithmetic,
            _ => return None,
        })
    }
}

/// Whether two operators are of one chain.
fn same_chain(a: &BinaryOperator, b: &BinaryOperator) -> bool {
    use BinaryOperator::{Minus, Plus};
    a == b || matches!((a, b), (Plus | Minus, Plus | Minus))
}

/// Rewrites a chain that is long. The parts are not looked at.
pub(in super::super) fn flatten_chain(expr: &mut Expr) {
    let Expr::BinaryOp { op, .. } = expr else { return };
    let (Some(chain), op) = (Chain::of(op), op.clone()) else { return };
    if length(expr, &op) < LONG {
        return;
    }
    let (operators, operands) = parts(take(expr), &op);
    *expr = match chain {
        Chain::Associative => balanced(operands, &op),
        Chain::And => conjunction(operands, &op),
        Chain::Arithmetic => arithmetic(&operators, operands),
    };
}

fn length(expr: &Expr, operator: &BinaryOperator) -> usize {
    let (mut at, mut length) = (expr, 1);
    while let Expr::BinaryOp { left, op, .. } = at
        && same_chain(op, operator)
    {
        (at, length) = (left, length + 1);
    }
    length
}

/// The operators of a chain and what they stand between.
fn parts(expr: Expr, operator: &BinaryOperator) -> (Vec<BinaryOperator>, Vec<Expr>) {
    let (mut operators, mut operands) = (Vec::new(), Vec::new());
    let mut rest = expr;
    loop {
        match rest {
            Expr::BinaryOp { left, op, right } if same_chain(&op, operator) => {
                operators.push(op);
                operands.push(*right);
                rest = *left;
            }
            first => {
                operands.push(first);
                break;
            }
        }
    }
    operators.reverse();
    operands.reverse();
    (operators, operands)
}

/// A tree in which every operand is about as deep as the others.
fn balanced(operands: Vec<Expr>, operator: &BinaryOperator) -> Expr {
    let join = |left: Expr, right: Expr| Expr::BinaryOp {
        left: Box::new(left),
        op: operator.clone(),
        right: Box::new(right),
    };
    pairwise(operands, join).unwrap_or_else(|| text(""))
}

/// Joins neighbours until one is left.
fn pairwise<T>(mut items: Vec<T>, join: impl Fn(T, T) -> T) -> Option<T> {
    while items.len() > 1 {
        let mut joined = Vec::with_capacity(items.len().div_ceil(2));
        let mut items_left = items.into_iter();
        while let Some(left) = items_left.next() {
            joined.push(match items_left.next() {
                Some(right) => join(left, right),
                None => left,
            });
        }
        items = joined;
    }
    items.pop()
}

/// The first conditions as they are, so that scans see them, and the others in calls: DataFusion
/// takes conjunctions apart and makes chains of them.
fn conjunction(operands: Vec<Expr>, and: &BinaryOperator) -> Expr {
    let mut operands = operands.into_iter();
    let mut groups: Vec<Expr> = operands.by_ref().take(GROUP).collect();
    loop {
        let group: Vec<Expr> = operands.by_ref().take(GROUP).collect();
        if group.is_empty() {
            break;
        }
        groups.push(call(ALL_TRUE, group));
    }
    balanced(groups, and)
}

/// Calls that work from left to right, the first argument being the result so far.
fn arithmetic(operators: &[BinaryOperator], operands: Vec<Expr>) -> Expr {
    let mut operands = operands.into_iter().map(as_number);
    let mut result = operands.next().unwrap_or_else(|| text(""));
    for operators in operators.chunks(GROUP) {
        let signs: String = operators.iter().map(ToString::to_string).collect();
        let mut args = vec![text(&signs), result];
        args.extend(operands.by_ref().take(operators.len()));
        result = call(ARITHMETIC, args);
    }
    result
}

/// Texts as the numbers that they are in arithmetic.
fn as_number(expr: Expr) -> Expr {
    match &expr {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => match literal_number(text) {
                PlanExpr::Literal(ScalarValue::Int64(Some(value)), _) => number(&value.to_string()),
                PlanExpr::Literal(ScalarValue::Float64(Some(value)), _) => {
                    number(&format!("{value:?}"))
                }
                _ => expr,
            },
            _ => expr,
        },
        _ => expr,
    }
}

/// Set operations from left to right, as SQLite has them all: the parser takes INTERSECT first.
pub(in super::super) fn order_set_operations(query: &mut Query) {
    let (mut at, mut ordered) = (&*query.body, true);
    while let SetExpr::SetOperation { left, right, .. } = at {
        ordered &= !matches!(**right, SetExpr::SetOperation { .. });
        at = left;
    }
    if ordered {
        return;
    }
    enum Part {
        Query(Box<SetExpr>),
        Operator(SetOperator, SetQuantifier),
    }
    let mut parts = vec![Part::Query(Box::new(replace(&mut *query.body, nothing())))];
    let (mut before, mut operator) = (None, None);
    while let Some(part) = parts.pop() {
        match part {
            Part::Operator(op, quantifier) => operator = Some((op, quantifier)),
            Part::Query(part) => match *part {
                SetExpr::SetOperation { left, op, set_quantifier, right } => {
                    parts.push(Part::Query(right));
                    parts.push(Part::Operator(op, set_quantifier));
                    parts.push(Part::Query(left));
                }
                right => {
                    let right = Box::new(right);
                    before = Some(match (before.take(), operator.take()) {
                        (Some(left), Some((op, set_quantifier))) => {
                            Box::new(SetExpr::SetOperation { left, op, set_quantifier, right })
                        }
                        _ => right,
                    });
                }
            },
        }
    }
    query.body = before.unwrap_or_else(|| Box::new(nothing()));
}

fn nothing() -> SetExpr {
    SetExpr::Values(Values { explicit_row: false, value_keyword: false, rows: vec![] })
}

/// Balances UNION ALL, UNION and INTERSECT in a query's body. The last part stays apart: where the
/// query is recursive, it is the part that recurs.
pub(in super::super) fn flatten_set_operations(query: &mut Query) {
    let SetExpr::SetOperation { op, set_quantifier, .. } = &*query.body else { return };
    let (op, quantifier) = (*op, *set_quantifier);
    if op == SetOperator::Except || set_length(&query.body, op, quantifier) < LONG {
        return;
    }
    let mut queries = Vec::new();
    let mut rest = replace(&mut *query.body, nothing());
    loop {
        match rest {
            SetExpr::SetOperation { left, op: other, set_quantifier, right }
                if other == op && set_quantifier == quantifier =>
            {
                queries.push(*right);
                rest = *left;
            }
            first => {
                queries.push(first);
                break;
            }
        }
    }
    queries.reverse();
    let join = |left: SetExpr, right: SetExpr| SetExpr::SetOperation {
        left: Box::new(left),
        op,
        set_quantifier: quantifier,
        right: Box::new(right),
    };
    let last = queries.pop();
    if let (Some(before), Some(last)) = (pairwise(queries, join), last) {
        *query.body = join(before, last);
    }
}

fn set_length(body: &SetExpr, operator: SetOperator, quantifier: SetQuantifier) -> usize {
    let (mut at, mut length) = (body, 1);
    while let SetExpr::SetOperation { left, op, set_quantifier, .. } = at
        && *op == operator
        && *set_quantifier == quantifier
    {
        (at, length) = (left, length + 1);
    }
    length
}
