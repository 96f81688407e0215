//! Comparisons by SQLite's rules: text with numbers by affinity, integers with reals exactly.
//!
//! A column, and a `CAST`, says what its values are compared as. Where the number's side says it,
//! text that is a number is one, and other text is greater than any number. Where only the text's
//! side does, the number is compared as text. Where neither does, text is greater.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::planner::RawBinaryExpr;
use datafusion::logical_expr::{Case, Expr, ExprSchemable, cast, lit};
use datafusion::sql::sqlparser::ast::BinaryOperator;

use super::exact::{IntegerBound, RealBound};
use crate::functions::{
    CAST_TEXT, COMPARABLE, FOLD_CASE, TRIM_END, is_text, real_prefix, sqlite_call,
};

const COALESCE: &str = "coalesce";

/// Makes the sides of a comparison comparable.
pub(super) fn plan(expr: &mut RawBinaryExpr, schema: &DFSchema) {
    if make_comparable(&mut expr.left, &mut expr.right, schema).is_some() {
        exact(expr, schema);
    }
}

/// Converts the sides of a comparison to values of comparable types; `None` where the type of a
/// side is not known. Sides of the same type are left as they are.
pub(crate) fn make_comparable(left: &mut Expr, right: &mut Expr, schema: &DFSchema) -> Option<()> {
    let (left_type, right_type) = (left.get_type(schema).ok()?, right.get_type(schema).ok()?);
    if left_type == DataType::Boolean && right_type != DataType::Boolean {
        *left = cast(left.clone(), DataType::Int64);
        return make_comparable(left, right, schema);
    }
    if right_type == DataType::Boolean && left_type != DataType::Boolean {
        *right = cast(right.clone(), DataType::Int64);
        return make_comparable(left, right, schema);
    }
    if is_text(&left_type) && right_type.is_numeric() {
        mixed(left, right);
    } else if left_type.is_numeric() && is_text(&right_type) {
        mixed(right, left);
    }
    if is_blob(&left_type) && is_other(&right_type) {
        blob_and_other(left, right);
    } else if is_other(&left_type) && is_blob(&right_type) {
        blob_and_other(right, left);
    }
    Some(())
}

fn is_blob(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Binary | DataType::BinaryView)
}

/// Whether values of a type are less than all blobs.
fn is_other(data_type: &DataType) -> bool {
    is_text(data_type) || data_type.is_numeric()
}

/// A blob is greater than all texts and numbers; NULL stays NULL.
fn blob_and_other(blob: &mut Expr, other: &mut Expr) {
    let rank = |expr: &Expr, rank: i64| {
        let present = Box::new(Expr::IsNotNull(Box::new(expr.clone())));
        Expr::Case(Case::new(None, vec![(present, Box::new(lit(rank)))], None))
    };
    *blob = rank(blob, 1);
    *other = rank(other, 0);
}

/// Compares a column of integers with a real, and a column of reals with an integer, as numbers:
/// the engine would convert the integers, and those above 2^53 would change.
fn exact(expr: &mut RawBinaryExpr, schema: &DFSchema) {
    if is_number(&expr.left) && !is_number(&expr.right) {
        let Some(op) = mirrored(&expr.op) else { return };
        std::mem::swap(&mut expr.left, &mut expr.right);
        expr.op = op;
    }
    let Ok(data_type) = expr.left.get_type(schema) else { return };
    let replaced = match (&data_type, &expr.right) {
        (DataType::Int64, Expr::Literal(ScalarValue::Float64(Some(real)), _)) => {
            IntegerBound::of(&expr.op, *real).map(|bound| (bound.op, lit(bound.value)))
        }
        (DataType::Float64, Expr::Literal(ScalarValue::Int64(Some(integer)), _)) => {
            RealBound::of(&expr.op, *integer).map(|bound| (bound.op, lit(bound.value)))
        }
        _ => None,
    };
    if let Some((op, value)) = replaced {
        expr.op = op;
        expr.right = value;
    }
}

fn is_number(expr: &Expr) -> bool {
    matches!(expr, Expr::Literal(ScalarValue::Int64(_) | ScalarValue::Float64(_), _))
}

/// The operator with its sides exchanged.
fn mirrored(op: &BinaryOperator) -> Option<BinaryOperator> {
    use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
    Some(match op {
        Eq => Eq,
        NotEq => NotEq,
        Lt => Gt,
        LtEq => GtEq,
        Gt => Lt,
        GtEq => LtEq,
        _ => return None,
    })
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

pub(crate) fn has_affinity(expr: &Expr) -> bool {
    match expr {
        // Casts that are written are calls; this is one of a comparison, which has none.
        Expr::Cast(_) => false,
        Expr::Column(_) | Expr::OuterReferenceColumn(..) => true,
        Expr::Alias(alias) => has_affinity(&alias.expr),
        Expr::ScalarFunction(function) => match function.name() {
            FOLD_CASE | TRIM_END => function.args.first().is_some_and(has_affinity),
            // The column of a RIGHT or FULL JOIN … USING.
            COALESCE => column_name(expr).is_some(),
            name => name.starts_with("__cast_"),
        },
        _ => false,
    }
}

/// The name of a column, or the one that all of several columns have of which the first value
/// counts.
fn column_name(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Column(column) | Expr::OuterReferenceColumn(_, column) => Some(&column.name),
        Expr::ScalarFunction(function) if function.name() == COALESCE => {
            let mut names = function.args.iter().map(column_name);
            let first = names.next()??;
            names.all(|name| name == Some(first)).then_some(first)
        }
        _ => None,
    }
}
