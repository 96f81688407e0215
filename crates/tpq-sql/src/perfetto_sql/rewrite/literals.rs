//! Numbers that are no 64-bit integers are reals.

use datafusion::sql::sqlparser::ast::{Expr, UnaryOperator, Value};

use super::number;

pub(super) fn rewrite(expr: &mut Expr) {
    match expr {
        // The least integer is the negative of one that is too great.
        Expr::UnaryOp { op: UnaryOperator::Minus, expr: inner } => {
            if let Expr::Value(value) = &**inner
                && let Value::Number(digits, _) = &value.value
                && format!("-{digits}").parse() == Ok(i64::MIN)
            {
                *expr = number(&i64::MIN.to_string());
            }
        }
        Expr::Value(value) => {
            if let Value::Number(digits, _) = &mut value.value
                && digits.bytes().all(|byte| byte.is_ascii_digit())
                && digits.parse::<i64>().is_err()
            {
                digits.push_str(".0");
            }
        }
        _ => {}
    }
}
