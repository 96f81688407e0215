//! Numbers that are no 64-bit integers are reals.

use datafusion::sql::sqlparser::ast::{BinaryOperator, Expr, UnaryOperator, Value};

use super::{call, number, take, text};
use crate::functions::{CAST_BLOB, CONCAT_TEXT, NEGATIVE, SAME};

/// The negative of the least integer.
const LEAST_NEGATED: &str = "9223372036854775808.0";

pub(super) fn rewrite(expr: &mut Expr) {
    match expr {
        Expr::BinaryOp {
            left,
            op:
                BinaryOperator::Plus
                | BinaryOperator::Minus
                | BinaryOperator::Multiply
                | BinaryOperator::Divide
                | BinaryOperator::Modulo,
            right,
        } => {
            blob_as_text(left);
            blob_as_text(right);
            return;
        }
        Expr::UnaryOp { op: UnaryOperator::Minus, expr: inner } => blob_as_text(inner),
        _ => {}
    }
    match expr {
        // The least integer is the negative of one that is too great.
        Expr::UnaryOp { op: UnaryOperator::Minus, expr: inner } => {
            if let Expr::Value(value) = &**inner
                && let Value::Number(digits, _) = &value.value
                && format!("-{digits}").parse() == Ok(i64::MIN)
            {
                *expr = number(&i64::MIN.to_string());
            } else if constant(inner) == Some(i64::MIN) {
                *expr = number(LEAST_NEGATED);
            } else if is_text(inner) {
                // The text is an integer or a real, by what it says.
                let subtracted = Expr::BinaryOp {
                    left: Box::new(number("0")),
                    op: BinaryOperator::Minus,
                    right: Box::new(take(inner)),
                };
                *expr = Expr::Nested(Box::new(subtracted));
            } else if constant(inner).is_none() && !is_number(inner) {
                *expr = call(NEGATIVE, vec![take(inner)]);
            }
        }
        // It changes no value, of whatever type.
        Expr::UnaryOp { op: UnaryOperator::Plus, expr: inner } => {
            // A column has no affinity behind it.
            *expr = match is_column(inner) {
                true => call(SAME, vec![take(inner)]),
                false => Expr::Nested(Box::new(take(inner))),
            };
        }
        Expr::Value(value) => {
            if let Value::Number(digits, _) = &mut value.value {
                digits.retain(|character| character != '_');
            }
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

/// Makes a text of a blob that is written as an operand of arithmetic: it is the number that its
/// text begins with.
fn blob_as_text(operand: &mut Expr) {
    let digits = match operand {
        Expr::Nested(inner) => return blob_as_text(inner),
        Expr::Value(value) => match &value.value {
            Value::HexStringLiteral(digits) => digits,
            _ => return,
        },
        _ => return,
    };
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(pair, 16).ok()
    };
    if let Some(bytes) = digits.as_bytes().chunks(2).map(byte).collect::<Option<Vec<u8>>>()
        && digits.len().is_multiple_of(2)
    {
        *operand = text(&String::from_utf8_lossy(&bytes));
    }
}

/// Texts of more bytes than this are kept once for all rows.
const LONG: usize = 1_000;

/// Makes long texts, and blobs, values that all rows share: DataFusion copies literals to each row.
pub(super) fn share(expr: &mut Expr) {
    let Expr::Value(value) = &*expr else { return };
    let function = match &value.value {
        Value::HexStringLiteral(_) => CAST_BLOB,
        Value::SingleQuotedString(text) if text.len() > LONG => CONCAT_TEXT,
        _ => return,
    };
    *expr = call(function, vec![take(expr)]);
}

fn is_text(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if matches!(value.value, Value::SingleQuotedString(_)))
}

fn is_column(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(inner) => is_column(inner),
        expr => matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_)),
    }
}

fn is_number(expr: &Expr) -> bool {
    match expr {
        Expr::Value(value) => matches!(value.value, Value::Number(..)),
        Expr::Nested(inner) => is_number(inner),
        _ => false,
    }
}

/// The integer that an expression of literals is.
pub(super) fn constant(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => digits.parse().ok(),
            _ => None,
        },
        Expr::Nested(inner) => constant(inner),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => match &**expr {
            // The least integer is the negative of one that is too great.
            Expr::Value(value) => format!("-{}", value.value).parse().ok(),
            inner => constant(inner)?.checked_neg(),
        },
        Expr::BinaryOp { left, op, right } => {
            let (left, right) = (constant(left)?, constant(right)?);
            match op {
                BinaryOperator::Plus => left.checked_add(right),
                BinaryOperator::Minus => left.checked_sub(right),
                BinaryOperator::Multiply => left.checked_mul(right),
                _ => None,
            }
        }
        _ => None,
    }
}
