//! `IS`, and CASE with an operand, between values of other types: what `=` compares by SQLite's rules
//! is compared so here.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{BinaryExpr, Case, Expr, ExprSchemable, LogicalPlan, Operator};

use super::repeats::check_expression;
use crate::named_expressions::{has_part, rewrite_expressions};
use crate::perfetto_sql::{Comparison, Mark, make_comparable};

/// Converts the operands of such comparisons.
pub(super) fn lower(plan: LogicalPlan) -> Result<LogicalPlan> {
    let lowered = plan.transform_up_with_subqueries(|node| {
        if !has_part(&node, is_converted)? {
            return Ok(Transformed::no(node));
        }
        let schema = merge_schema(&node.inputs());
        rewrite_expressions(node, |expr| match expr {
            Expr::BinaryExpr(comparison) => Ok(compared(comparison, &schema)),
            Expr::Case(case) => searched(case, &schema),
            other => Ok(Transformed::no(other)),
        })
    });
    Ok(lowered?.data)
}

/// Whether the operands of an expression may be converted.
fn is_converted(expr: &Expr) -> bool {
    match expr {
        Expr::BinaryExpr(comparison) => is_distinctness(&comparison.op),
        Expr::Case(case) => case.expr.is_some(),
        _ => false,
    }
}

fn is_distinctness(operator: &Operator) -> bool {
    matches!(operator, Operator::IsDistinctFrom | Operator::IsNotDistinctFrom)
}

/// Whether two expressions have types that the engine would convert in its own way.
fn differ(left: &Expr, right: &Expr, schema: &DFSchema) -> bool {
    let (Ok(left), Ok(right)) = (left.get_type(schema), right.get_type(schema)) else {
        return false;
    };
    let are_alike = left == right
        || left.is_null()
        || right.is_null()
        || left.is_numeric() && right.is_numeric();
    !are_alike
}

fn compared(mut comparison: BinaryExpr, schema: &DFSchema) -> Transformed<Expr> {
    let BinaryExpr { left, op, right } = &mut comparison;
    if !is_distinctness(op) {
        return Transformed::no(Expr::BinaryExpr(comparison));
    }
    if differ(left, right, schema) {
        make_comparable(left, right, schema, Comparison::Equality);
    } else {
        let marks = [Mark::take(left), Mark::take(right)];
        if marks == [None, None] {
            return Transformed::no(Expr::BinaryExpr(comparison));
        }
    }
    Transformed::yes(Expr::BinaryExpr(comparison))
}

/// Whether a real is compared with one that may be zero: CASE does not take -0.0 for 0.0.
fn may_be_zero(operand: &Expr, when: &Expr, schema: &DFSchema) -> bool {
    let is_number = match when {
        Expr::Literal(ScalarValue::Float64(Some(value)), _) => *value != 0.0,
        Expr::Literal(ScalarValue::Int64(Some(value)), _) => *value != 0,
        _ => false,
    };
    !is_number && matches!(operand.get_type(schema), Ok(DataType::Float64))
}

/// `CASE x WHEN y …` as `CASE WHEN x = y …`, if a `y` is of another type than `x`, or both may be
/// zeros.
fn searched(mut case: Case, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let Some(mut operand) = case.expr.take() else { return Ok(Transformed::no(Expr::Case(case))) };
    let is_other =
        |when: &Expr| differ(&operand, when, schema) || may_be_zero(&operand, when, schema);
    if !case.when_then_expr.iter().any(|(when, _)| is_other(when)) {
        let mut is_marked = Mark::take(&mut operand).is_some();
        for (when, _) in &mut case.when_then_expr {
            is_marked |= Mark::take(when).is_some();
        }
        case.expr = Some(operand);
        return Ok(Transformed::new_transformed(Expr::Case(case), is_marked));
    }
    check_expression(&operand, case.when_then_expr.len())?;
    for (when, _) in &mut case.when_then_expr {
        let (mut left, mut right) = (operand.as_ref().clone(), when.as_ref().clone());
        make_comparable(&mut left, &mut right, schema, Comparison::Equality);
        **when = left.eq(right);
    }
    Ok(Transformed::yes(Expr::Case(case)))
}
