//! Comparisons by SQLite's rules: text with numbers by affinity, integers with reals exactly.
//!
//! A column, and a `CAST`, has an affinity. Where the number's side has one, text that is a number
//! is one, and other text is greater than any number. Where only the text's side has one, the
//! number is compared as text. Where neither has, text is greater, unless it may stand for a
//! number.
//!
//! A column that a subquery computes has none; the syntax tree marks it, see [`Mark`].

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::planner::RawBinaryExpr;
use datafusion::logical_expr::{Case, Expr, ExprSchemable, cast, lit};
use datafusion::sql::sqlparser::ast::BinaryOperator;

use super::affinity::{Affinity, affinity, results};
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

    /// The affinity of the column that is marked.
    pub(crate) fn affinity(self) -> Affinity {
        match self {
            Self::Computed => Affinity::Absent,
            Self::Mixed => Affinity::Mixed,
        }
    }
}

/// What is asked of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// Whether they are equal.
    Equality,
    /// Which one is greater.
    Order,
}

/// A side of a comparison.
pub(crate) struct Side<'a> {
    pub expr: &'a mut Expr,
    pub data_type: DataType,
    pub affinity: Affinity,
}

impl<'a> Side<'a> {
    fn new(expr: &'a mut Expr, data_type: DataType, mark: Option<Mark>, schema: &DFSchema) -> Self {
        let affinity = match mark {
            Some(mark) => mark.affinity(),
            None => affinity(expr, schema),
        };
        Self { expr, data_type, affinity }
    }

    fn is_text(&self) -> bool {
        is_text(&self.data_type)
    }

    /// Makes an integer of a condition.
    fn count(&mut self) {
        *self.expr = cast(self.expr.clone(), DataType::Int64);
        self.data_type = DataType::Int64;
    }
}

/// Makes the sides of a comparison comparable.
pub(super) fn plan(expr: &mut RawBinaryExpr, schema: &DFSchema) {
    let comparison = match expr.op {
        BinaryOperator::Eq | BinaryOperator::NotEq => Comparison::Equality,
        _ => Comparison::Order,
    };
    if make_comparable(&mut expr.left, &mut expr.right, schema, comparison).is_some() {
        exact(expr, schema);
    }
}

/// Converts the sides of a comparison to values of comparable types; `None` where the type of a
/// side is not known. Sides of the same type are left as they are.
pub(crate) fn make_comparable(
    left: &mut Expr,
    right: &mut Expr,
    schema: &DFSchema,
    comparison: Comparison,
) -> Option<()> {
    let marks = (Mark::take(left), Mark::take(right));
    let types = (final_type(left, schema)?, final_type(right, schema)?);
    if types.0 != types.1 {
        let left = Side::new(left, types.0, marks.0, schema);
        let right = Side::new(right, types.1, marks.1, schema);
        convert(left, right, comparison);
    }
    Some(())
}

/// The same for sides with known types.
pub(crate) fn convert(mut left: Side, mut right: Side, comparison: Comparison) {
    let are_booleans = [&left, &right].map(|side| side.data_type == DataType::Boolean);
    match are_booleans {
        [true, false] => left.count(),
        [false, true] => right.count(),
        _ => {}
    }
    match (left.is_text(), right.is_text()) {
        (true, false) if right.data_type.is_numeric() => mixed(left, right, comparison),
        (false, true) if left.data_type.is_numeric() => mixed(right, left, comparison),
        _ if is_blob(&left.data_type) && is_other(&right.data_type) => {
            blob_and_other(left.expr, right.expr);
        }
        _ if is_other(&left.data_type) && is_blob(&right.data_type) => {
            blob_and_other(right.expr, left.expr);
        }
        _ => {}
    }
}

/// The type that an expression has when the statement runs: that of CASE is decided by all of its
/// results.
pub(crate) fn final_type(expr: &Expr, schema: &DFSchema) -> Option<DataType> {
    if let Expr::Case(case) = expr {
        let mut types = results(case).filter_map(|result| final_type(result, schema));
        if let Some(text) = types.find(is_text) {
            return Some(text);
        }
    }
    expr.get_type(schema).ok()
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

fn mixed(text: Side, number: Side, comparison: Comparison) {
    let is_of_number = number.affinity == Affinity::OfType;
    let may_be_number = text.affinity == Affinity::Mixed;
    // An integer as text is exact, which it is not as a real.
    let as_texts =
        may_be_number && comparison == Comparison::Equality && number.data_type == DataType::Int64;
    let is_of_number = is_of_number || may_be_number && !as_texts;
    let is_of_text = text.affinity == Affinity::OfType || as_texts;
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

/// Whether an expression is a column, or a CAST.
pub(super) fn has_affinity(expr: &Expr) -> bool {
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
