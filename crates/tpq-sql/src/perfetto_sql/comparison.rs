//! Comparisons by SQLite's rules: text with numbers by affinity, integers with reals exactly.
//!
//! A column, and a `CAST`, has an affinity. Where the number's side has one, text that is a number
//! is one, and other text is greater than any number. Where only the text's side has one, the
//! number is compared as text. Where neither has, text is greater.
//!
//! A column that a subquery computes has none; the syntax tree marks it, see [`Mark`].

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

/// The mark of a column that a subquery or CTE computes, in the syntax tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// `coalesce(x, NULL)`: the column has no affinity.
    Computed,
    /// `coalesce(NULL, NULL, x)`: the column has no affinity if it is one of numbers. A text may
    /// stand for a number, since a column has one type.
    Mixed,
}

impl Mark {
    /// Takes the mark off an expression.
    pub(crate) fn take(expr: &mut Expr) -> Option<Self> {
        let Expr::ScalarFunction(function) = expr else { return None };
        if function.name() != COALESCE {
            return None;
        }
        let is_null = |arg: &Expr| matches!(arg, Expr::Literal(value, _) if value.is_null());
        let (mark, at) = match &function.args[..] {
            [_, null] if is_null(null) => (Self::Computed, 0),
            [first, second, _] if is_null(first) && is_null(second) => (Self::Mixed, 2),
            _ => return None,
        };
        *expr = function.args.swap_remove(at);
        Some(mark)
    }
}

/// A side of a comparison, and whether it has an affinity.
struct Side<'a> {
    expr: &'a mut Expr,
    has_affinity: bool,
    mark: Option<Mark>,
}

impl<'a> Side<'a> {
    fn new(expr: &'a mut Expr, mark: Option<Mark>) -> Self {
        let has_affinity = mark.is_none() && has_affinity(expr);
        Self { expr, has_affinity, mark }
    }

    /// Whether the type of the values, which are texts here, may be another one in SQLite.
    fn may_be_numbers(&self) -> bool {
        match self.mark {
            Some(mark) => mark == Mark::Mixed,
            None => !self.has_affinity && !matches!(self.expr, Expr::Literal(..)),
        }
    }
}

/// Makes the sides of a comparison comparable.
pub(super) fn plan(expr: &mut RawBinaryExpr, schema: &DFSchema) {
    if make_comparable(&mut expr.left, &mut expr.right, schema).is_some() {
        exact(expr, schema);
    }
}

/// Converts the sides of a comparison to values of comparable types; `None` where the type of a
/// side is not known. Sides of the same type are left as they are.
pub(crate) fn make_comparable(left: &mut Expr, right: &mut Expr, schema: &DFSchema) -> Option<()> {
    let marks = (Mark::take(left), Mark::take(right));
    let mut left_type = left.get_type(schema).ok()?;
    let mut right_type = right.get_type(schema).ok()?;
    if left_type == DataType::Boolean && right_type != DataType::Boolean {
        *left = cast(left.clone(), DataType::Int64);
        left_type = DataType::Int64;
    } else if right_type == DataType::Boolean && left_type != DataType::Boolean {
        *right = cast(right.clone(), DataType::Int64);
        right_type = DataType::Int64;
    }
    let (left_is_text, right_is_text) = (is_text(&left_type), is_text(&right_type));
    if left_is_text && right_type.is_numeric() || left_type.is_numeric() && right_is_text {
        let (left, right) = (Side::new(left, marks.0), Side::new(right, marks.1));
        match left_is_text {
            true => mixed(left, right),
            false => mixed(right, left),
        }
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

fn mixed(text: Side, number: Side) {
    let is_of_number = number.has_affinity || number.mark.is_some() && text.may_be_numbers();
    let is_of_text = text.has_affinity || text.mark == Some(Mark::Mixed);
    let (text, number) = (text.expr, number.expr);
    if is_of_number {
        *text = match text {
            Expr::Literal(value, _) => match value.try_as_str().flatten() {
                Some(text) => literal(text),
                None => lit(ScalarValue::Int64(None)),
            },
            _ => sqlite_call(COMPARABLE, text.clone()),
        };
    } else if is_of_text {
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
