//! Operators that DataFusion takes otherwise than SQLite.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::functions::core::expr_fn::nullif;
use datafusion::logical_expr::expr::{WindowFunction, WindowFunctionParams};
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr, RawWindowExpr};
use datafusion::logical_expr::{Expr, ExprSchemable, cast, lit};
use datafusion::sql::sqlparser::ast::BinaryOperator;

/// Division by zero gives NULL, comparisons count as numbers in arithmetic, and there are no
/// unsigned integers.
#[derive(Debug)]
pub(crate) struct SqliteOperators;

impl ExprPlanner for SqliteOperators {
    fn plan_binary_op(
        &self,
        mut expr: RawBinaryExpr,
        schema: &DFSchema,
    ) -> Result<PlannerResult<RawBinaryExpr>> {
        use BinaryOperator::{Divide, Minus, Modulo, Multiply, Plus};
        if matches!(expr.op, Plus | Minus | Multiply | Divide | Modulo) {
            expr.left = as_number(expr.left, schema);
            expr.right = as_number(expr.right, schema);
        }
        if matches!(expr.op, Divide | Modulo) && may_be_zero(&expr.right) {
            let zero = match expr.right.get_type(schema) {
                Ok(DataType::Int64) => lit(0_i64),
                Ok(DataType::Float64) => lit(0.0),
                _ => return Ok(PlannerResult::Original(expr)),
            };
            expr.right = nullif(expr.right, zero);
        }
        Ok(PlannerResult::Original(expr))
    }

    fn plan_window(&self, expr: RawWindowExpr) -> Result<PlannerResult<RawWindowExpr>> {
        let ranks = ["row_number", "rank", "dense_rank", "ntile"];
        if !ranks.contains(&expr.func_def.name()) {
            return Ok(PlannerResult::Original(expr));
        }
        // These count in unsigned integers, which become decimals when something is subtracted.
        let params = WindowFunctionParams {
            args: expr.args,
            partition_by: expr.partition_by,
            order_by: expr.order_by,
            window_frame: expr.window_frame,
            filter: expr.filter,
            null_treatment: expr.null_treatment,
            distinct: expr.distinct,
        };
        let window = Expr::from(WindowFunction { fun: expr.func_def, params });
        Ok(PlannerResult::Planned(cast(window, DataType::Int64)))
    }
}

fn as_number(expr: Expr, schema: &DFSchema) -> Expr {
    match expr.get_type(schema) {
        Ok(DataType::Boolean | DataType::UInt64 | DataType::UInt32 | DataType::Null) => {
            cast(expr, DataType::Int64)
        }
        _ => expr,
    }
}

fn may_be_zero(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(ScalarValue::Int64(Some(value)), _) => *value == 0,
        Expr::Literal(ScalarValue::Float64(Some(value)), _) => *value == 0.0,
        _ => true,
    }
}
