//! Operators that DataFusion takes otherwise than SQLite.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::functions::core::expr_fn::nullif;
use datafusion::logical_expr::expr::{WindowFunction, WindowFunctionParams};
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr, RawWindowExpr};
use datafusion::logical_expr::{
    BinaryExpr, Case, Expr, ExprSchemable, Operator, WindowFunctionDefinition, cast, lit,
};
use datafusion::sql::sqlparser::ast::BinaryOperator;

use super::comparison;
use crate::functions::{
    ADD, MULTIPLY, NEGATIVE, REMAINDER, SHIFT_LEFT, SHIFT_RIGHT, SUBTRACT, check_lag, concat_text,
    integer_call, is_text, literal_number, of_number, sqlite_call,
};

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
            PGBitwiseShiftLeft, PGBitwiseShiftRight, Plus, StringConcat,
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
        if expr.op == StringConcat {
            return Ok(concatenation(expr, schema));
        }
        if expr.op == Modulo {
            return Ok(modulo(expr, schema));
        }
        if matches!(expr.op, PGBitwiseShiftLeft | PGBitwiseShiftRight) {
            return Ok(shift(expr));
        }
        if matches!(expr.op, Plus | Minus | Multiply | Divide) {
            beyond_integers(&mut expr);
        }
        if let Some(checked) = checked(&expr, schema) {
            return Ok(PlannerResult::Planned(checked));
        }
        if expr.op == Divide && may_be_zero(&expr.right) {
            let zero = match expr.right.get_type(schema) {
                Ok(DataType::Int64) => lit(0_i64),
                Ok(DataType::Float64) => lit(0.0),
                _ => return Ok(PlannerResult::Original(expr)),
            };
            expr.right = nullif(expr.right, zero);
        }
        Ok(PlannerResult::Original(expr))
    }

    fn plan_window(&self, mut expr: RawWindowExpr) -> Result<PlannerResult<RawWindowExpr>> {
        let named = of_number(expr.func_def.name());
        let number_at = if expr.func_def.name() == "ntile" { 0 } else { 1 };
        // Only a literal is a number of rows to DataFusion.
        if named.is_some()
            && let Some(number) = expr.args.get_mut(number_at)
            && let Some(value) = constant(number)
        {
            if expr.func_def.name() == "lag" {
                check_lag(value)?;
            }
            *number = lit(value);
        }
        if let Some(function) = named
            && expr.null_treatment.is_none()
            && let Some(number) = expr.args.get_mut(number_at)
            && constant(number).is_none()
        {
            *number = sqlite_call(crate::functions::NUMBER, std::mem::take(number));
            let default = (expr.args.len() > 2).then(|| expr.args.remove(2));
            expr.func_def = WindowFunctionDefinition::WindowUDF(function);
            return Ok(PlannerResult::Planned(match default {
                Some(default) => neighbour_or(expr, default),
                None => window(expr),
            }));
        }
        let planned = match expr.func_def.name() {
            // These count in unsigned integers, which become decimals when something is
            // subtracted.
            "row_number" | "rank" | "dense_rank" | "ntile" => cast(window(expr), DataType::Int64),
            "lead" | "lag" if expr.args.len() == 3 && !is_constant(&expr.args[2]) => {
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

/// Whether DataFusion takes an expression for a default of `lead` and `lag`.
fn is_constant(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(..) => true,
        Expr::Negative(inner) => is_constant(inner),
        Expr::Cast(cast) => is_constant(&cast.expr),
        _ => false,
    }
}

/// The value of a neighbouring row, or `default` of this row if there is none: DataFusion supports
/// only constant defaults.
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
        Ok(blob) if blob.is_binary() => sqlite_call(crate::functions::NUMBER, expr),
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
    let type_of = |expr: &Expr| expr.get_type(schema).ok();
    let real = [&expr.left, &expr.right].map(type_of).contains(&Some(DataType::Float64));
    if real {
        expr.left = as_integer(expr.left, schema);
        expr.right = as_integer(expr.right, schema);
    }
    let integers = [&expr.left, &expr.right].map(type_of) == [const { Some(DataType::Int64) }; 2];
    // By 0 there is none, and the least integer cannot be divided by -1.
    let plain = matches!(constant(&expr.right), Some(divisor) if divisor != 0 && divisor != -1);
    if !integers || plain && !real {
        return PlannerResult::Original(expr);
    }
    let RawBinaryExpr { left, right, .. } = expr;
    let remainder = match integer_call(REMAINDER, left.clone(), right.clone()) {
        Some(remainder) if !plain => remainder,
        _ => left % right,
    };
    PlannerResult::Planned(if real { cast(remainder, DataType::Float64) } else { remainder })
}

/// Texts one after the other, as one call for all of them: it sees to it that the result is not too
/// long.
fn concatenation(expr: RawBinaryExpr, schema: &DFSchema) -> PlannerResult<RawBinaryExpr> {
    let texts = [&expr.left, &expr.right]
        .iter()
        .all(|side| matches!(side.get_type(schema), Ok(data_type) if is_text(&data_type)));
    if !texts {
        return PlannerResult::Original(expr);
    }
    let RawBinaryExpr { left, right, .. } = expr;
    PlannerResult::Planned(concat_text(left, right))
}

/// Bits moved by any number, of which DataFusion takes the last six bits.
fn shift(expr: RawBinaryExpr) -> PlannerResult<RawBinaryExpr> {
    if matches!(constant(&expr.right), Some(0..=63)) {
        return PlannerResult::Original(expr);
    }
    let left = expr.op == BinaryOperator::PGBitwiseShiftLeft;
    let name = if left { SHIFT_LEFT } else { SHIFT_RIGHT };
    match integer_call(name, expr.left.clone(), expr.right.clone()) {
        Some(shifted) => PlannerResult::Planned(shifted),
        None => PlannerResult::Original(expr),
    }
}

/// `+`, `-` or `*` of integers that depend on the row, as a call that reports overflow.
fn checked(expr: &RawBinaryExpr, schema: &DFSchema) -> Option<Expr> {
    let name = match expr.op {
        BinaryOperator::Plus => ADD,
        BinaryOperator::Minus => SUBTRACT,
        BinaryOperator::Multiply => MULTIPLY,
        _ => return None,
    };
    let is_integer = |side: &Expr| matches!(side.get_type(schema), Ok(DataType::Int64));
    let constants = constant(&expr.left).is_some() && constant(&expr.right).is_some();
    if constants || !is_integer(&expr.left) || !is_integer(&expr.right) {
        return None;
    }
    integer_call(name, expr.left.clone(), expr.right.clone())
}

/// An out-of-range integer is a real, where it is known before the statement runs.
fn beyond_integers(expr: &mut RawBinaryExpr) {
    let (Some(left), Some(right)) = (constant(&expr.left), constant(&expr.right)) else { return };
    let is_integer = match expr.op {
        BinaryOperator::Plus => left.checked_add(right).is_some(),
        BinaryOperator::Minus => left.checked_sub(right).is_some(),
        BinaryOperator::Multiply => left.checked_mul(right).is_some(),
        _ => right == 0 || left.checked_div(right).is_some(),
    };
    if !is_integer {
        expr.left = lit(left as f64);
        expr.right = lit(right as f64);
    }
}

/// The integer that an expression is, whatever the row.
fn constant(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Literal(ScalarValue::Int64(value), _) => *value,
        Expr::Negative(inner) => constant(inner)?.checked_neg(),
        Expr::ScalarFunction(call) if call.name() == NEGATIVE => {
            constant(call.args.first()?)?.checked_neg()
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let (left, right) = (constant(left)?, constant(right)?);
            match op {
                Operator::Plus => left.checked_add(right),
                Operator::Minus => left.checked_sub(right),
                Operator::Multiply => left.checked_mul(right),
                Operator::Divide => left.checked_div(right),
                Operator::Modulo => left.checked_rem(right),
                _ => None,
            }
        }
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
