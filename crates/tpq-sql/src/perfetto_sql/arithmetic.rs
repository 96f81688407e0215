//! Operators that DataFusion takes otherwise than SQLite.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::functions::core::expr_fn::nullif;
use datafusion::logical_expr::expr::{WindowFunction, WindowFunctionParams};
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr, RawWindowExpr};
use datafusion::logical_expr::{Case, Expr, ExprSchemable, cast, lit};
use datafusion::sql::sqlparser::ast::BinaryOperator;

use super::comparison;
use crate::functions::{is_text, literal_number, sqlite_call};

/// Division by zero gives NULL, comparisons and text count as numbers in arithmetic, and there are
/// no unsigned integers.
#[derive(Debug)]
pub(crate) struct SqliteOperators;

impl ExprPlanner for SqliteOperators {
    fn plan_binary_op(
        &self,
        mut expr: RawBinaryExpr,
        schema: &DFSchema,
    ) -> Result<PlannerResult<RawBinaryExpr>> {
        use BinaryOperator::{
            BitwiseAnd, BitwiseOr, Divide, Eq, Gt, GtEq, Lt, LtEq, Minus, Modulo, Multiply, NotEq,
            PGBitwiseShiftLeft, PGBitwiseShiftRight, Plus,
        };
        match expr.op {
            Plus | Minus | Multiply | Divide | Modulo => {
                expr.left = as_number(expr.left, schema);
                expr.right = as_number(expr.right, schema);
            }
            BitwiseAnd | BitwiseOr | PGBitwiseShiftLeft | PGBitwiseShiftRight => {
                expr.left = as_integer(expr.left, schema);
                expr.right = as_integer(expr.right, schema);
            }
            Eq | NotEq | Lt | LtEq | Gt | GtEq => comparison::plan(&mut expr, schema),
            _ => {}
        }
        if expr.op == Modulo {
            return Ok(modulo(expr, schema));
        }
        if expr.op == Divide && may_be_zero(&expr.right) {
            let zero = match expr.right.get_type(schema) {
                Ok(DataType::Int64) => lit(0_i64),
                Ok(DataType::Float64) => lit(0.0),
                _ => return Ok(PlannerResult::Original(expr)),
            };
            expr.right = nullif(expr.right, zero);
        }
        if matches!(expr.op, Plus | Minus | Multiply) {
            beyond_integers(&mut expr);
        }
        Ok(PlannerResult::Original(expr))
    }

    fn plan_window(&self, mut expr: RawWindowExpr) -> Result<PlannerResult<RawWindowExpr>> {
        let planned = match expr.func_def.name() {
            // These count in unsigned integers, which become decimals when something is
            // subtracted.
            "row_number" | "rank" | "dense_rank" | "ntile" => cast(window(expr), DataType::Int64),
            "lead" | "lag" if expr.args.len() == 3 && expr.args[2].any_column_refs() => {
                let default = expr.args.remove(2);
                neighbour_or(expr, default)
            }
            _ => return Ok(PlannerResult::Original(expr)),
        };
        Ok(PlannerResult::Planned(planned))
    }
}

fn window(expr: RawWindowExpr) -> Expr {
    let params = WindowFunctionParams {
        args: expr.args,
        partition_by: expr.partition_by,
        order_by: expr.order_by,
        window_frame: expr.window_frame,
        filter: expr.filter,
        null_treatment: expr.null_treatment,
        distinct: expr.distinct,
    };
    Expr::from(WindowFunction { fun: expr.func_def, params })
}

/// What another row has, and where there is no such row, what this one has: DataFusion knows such
/// a default only if it is the same for all rows.
fn neighbour_or(neighbour: RawWindowExpr, default: Expr) -> Expr {
    let mut present = neighbour.clone();
    present.args[0] = lit(1_i64);
    let is_absent = Box::new(Expr::IsNull(Box::new(window(present))));
    let branches = vec![(is_absent, Box::new(default))];
    Expr::Case(Case::new(None, branches, Some(Box::new(window(neighbour)))))
}

fn as_number(expr: Expr, schema: &DFSchema) -> Expr {
    match expr.get_type(schema) {
        Ok(DataType::Boolean | DataType::Null) => cast(expr, DataType::Int64),
        Ok(unsigned) if unsigned.is_unsigned_integer() => cast(expr, DataType::Int64),
        Ok(text) if is_text(&text) => match &expr {
            Expr::Literal(value, _) => match value.try_as_str().flatten() {
                Some(text) => literal_number(text),
                None => lit(ScalarValue::Int64(None)),
            },
            _ => sqlite_call(crate::functions::NUMBER, expr),
        },
        _ => expr,
    }
}

fn as_integer(expr: Expr, schema: &DFSchema) -> Expr {
    match expr.get_type(schema) {
        Ok(DataType::Int64) | Err(_) => expr,
        _ => sqlite_call(crate::functions::CAST_INTEGER, expr),
    }
}

/// The remainder of integers, also where the operands are not.
fn modulo(mut expr: RawBinaryExpr, schema: &DFSchema) -> PlannerResult<RawBinaryExpr> {
    let is_real = |expr: &Expr| matches!(expr.get_type(schema), Ok(DataType::Float64));
    let real = is_real(&expr.left) || is_real(&expr.right);
    if real {
        expr.left = as_integer(expr.left, schema);
        expr.right = as_integer(expr.right, schema);
    }
    if may_be_zero(&expr.right) && matches!(expr.right.get_type(schema), Ok(DataType::Int64)) {
        expr.right = nullif(expr.right, lit(0_i64));
    }
    if real {
        return PlannerResult::Planned(cast(expr.left % expr.right, DataType::Float64));
    }
    PlannerResult::Original(expr)
}

/// What is beyond the integers is a real, where it can be seen before the statement runs.
fn beyond_integers(expr: &mut RawBinaryExpr) {
    let (Some(left), Some(right)) = (constant(&expr.left), constant(&expr.right)) else { return };
    let result = match expr.op {
        BinaryOperator::Plus => left.checked_add(right),
        BinaryOperator::Minus => left.checked_sub(right),
        _ => left.checked_mul(right),
    };
    if result.is_none() {
        expr.left = lit(left as f64);
        expr.right = lit(right as f64);
    }
}

fn constant(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Literal(ScalarValue::Int64(value), _) => *value,
        Expr::Negative(inner) => constant(inner)?.checked_neg(),
        _ => None,
    }
}

fn may_be_zero(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(ScalarValue::Int64(Some(value)), _) => *value == 0,
        Expr::Literal(ScalarValue::Float64(Some(value)), _) => *value == 0.0,
        _ => true,
    }
}
