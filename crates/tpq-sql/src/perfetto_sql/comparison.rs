//! Text compared with numbers, by SQLite's rule of affinity.
//!
//! A column, and a `CAST`, says what its values are compared as. Where the number's side says it,
//! text that is a number is one, and other text is greater than any number. Where only the text's
//! side does, the number is compared as text. Where neither does, text is greater.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::planner::RawBinaryExpr;
use datafusion::logical_expr::{Case, Expr, ExprSchemable, cast, lit};

use crate::functions::{CAST_TEXT, COMPARABLE, is_text, real_prefix, sqlite_call};

/// Makes the sides of a comparison comparable.
pub(super) fn plan(expr: &mut RawBinaryExpr, schema: &DFSchema) {
    let (Ok(left), Ok(right)) = (expr.left.get_type(schema), expr.right.get_type(schema)) else {
        return;
    };
    if left == DataType::Boolean && right != DataType::Boolean {
        expr.left = cast(expr.left.clone(), DataType::Int64);
        return plan(expr, schema);
    }
    if right == DataType::Boolean && left != DataType::Boolean {
        expr.right = cast(expr.right.clone(), DataType::Int64);
        return plan(expr, schema);
    }
    if is_text(&left) && right.is_numeric() {
        mixed(&mut expr.left, &mut expr.right);
    } else if left.is_numeric() && is_text(&right) {
        mixed(&mut expr.right, &mut expr.left);
    }
}

fn mixed(text: &mut Expr, number: &mut Expr) {
    if has_affinity(number) {
        *text = match text {
            Expr::Literal(value, _) => match value.try_as_str().flatten() {
                Some(text) => literal(text),
                None => lit(ScalarValue::Int64(None)),
            },
            _ => sqlite_call(COMPARABLE, text.clone()),
        };
    } else if has_affinity(text) {
        *number = match number {
            Expr::Literal(ScalarValue::Int64(Some(value)), _) => lit(value.to_string()),
            _ => sqlite_call(CAST_TEXT, number.clone()),
        };
    } else {
        *text = greatest(text.clone());
    }
}

/// The number that a literal is; where it is none, one that no number reaches.
fn literal(text: &str) -> Expr {
    match (text.trim().parse::<i64>(), real_prefix(text)) {
        (Ok(value), _) => lit(value),
        (_, (value, true)) => lit(value),
        _ => lit(f64::INFINITY),
    }
}

/// More than any number, and NULL for NULL.
fn greatest(text: Expr) -> Expr {
    if let Expr::Literal(value, _) = &text
        && !value.is_null()
    {
        return lit(f64::INFINITY);
    }
    let present = Box::new(Expr::IsNotNull(Box::new(text)));
    Expr::Case(Case::new(None, vec![(present, Box::new(lit(f64::INFINITY)))], None))
}

fn has_affinity(expr: &Expr) -> bool {
    match expr {
        Expr::Column(_) | Expr::OuterReferenceColumn(..) | Expr::Cast(_) => true,
        Expr::Alias(alias) => has_affinity(&alias.expr),
        Expr::ScalarFunction(function) => function.name().starts_with("__cast_"),
        _ => false,
    }
}
