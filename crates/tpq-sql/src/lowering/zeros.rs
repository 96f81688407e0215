//! Zeros of either sign, which are equal. The engine compares the bits of reals in lists of IN and
//! in `count(DISTINCT x)`.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, lit};

use crate::named_expressions::{has_part, rewrite_expressions};

/// Makes both zeros the same in such places.
pub(super) fn lower(plan: LogicalPlan) -> Result<LogicalPlan> {
    let lowered = plan.transform_up_with_subqueries(|node| {
        if !has_part(&node, is_compared)? {
            return Ok(Transformed::no(node));
        }
        let schema = merge_schema(&node.inputs());
        rewrite_expressions(node, |expr| Ok(same_zeros(expr, &schema)))
    });
    Ok(lowered?.data)
}

/// Whether the engine may compare the bits of reals for an expression.
fn is_compared(expr: &Expr) -> bool {
    match expr {
        Expr::InList(_) => true,
        Expr::AggregateFunction(call) => call.params.distinct,
        _ => false,
    }
}

fn same_zeros(expr: Expr, schema: &DFSchema) -> Transformed<Expr> {
    let is_real = |expr: &Expr| matches!(expr.get_type(schema), Ok(DataType::Float64));
    match expr {
        Expr::InList(mut list) if is_real(list.expr.as_ref()) && list.list.iter().any(is_zero) => {
            list.list.retain(|value| !is_zero(value));
            list.list.extend([lit(0.0), lit(-0.0)]);
            Transformed::yes(Expr::InList(list))
        }
        Expr::AggregateFunction(mut call)
            if call.params.distinct && call.params.args.iter().any(is_real) =>
        {
            // The sum of -0.0 and 0.0 is 0.0.
            for arg in &mut call.params.args {
                if is_real(arg) {
                    *arg = std::mem::take(arg) + lit(0.0);
                }
            }
            Transformed::yes(Expr::AggregateFunction(call))
        }
        other => Transformed::no(other),
    }
}

fn is_zero(expr: &Expr) -> bool {
    matches!(expr, Expr::Literal(ScalarValue::Float64(Some(value)), _) if *value == 0.0)
}
