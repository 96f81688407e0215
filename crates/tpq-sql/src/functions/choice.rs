//! Functions that return one of their arguments.

use std::cmp::Ordering;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::functions::core::expr_fn;
use datafusion::logical_expr::{Case, Expr};

use super::per_row::{PerRow, common};
use super::value::Value;

/// `min` with several arguments.
pub(crate) const LEAST: &str = "__least";
/// `max` with several arguments.
pub(crate) const GREATEST: &str = "__greatest";

pub(super) fn functions() -> Vec<PerRow> {
    vec![
        PerRow::new("coalesce", 1..=usize::MAX, common, first_non_null).simplified(as_coalesce),
        PerRow::new("ifnull", 2..=2, common, first_non_null).alias("nvl").simplified(as_coalesce),
        PerRow::new(
            "nullif",
            2..=2,
            |types| common(&types[..1]),
            |values| {
                let same = values[0].order(&values[1]) == Ordering::Equal;
                Ok(if same { Value::Null } else { values[0].clone() })
            },
        )
        .simplified(|args, types, _| {
            let same = types[0] == types[1] && is_plain(&types[0]);
            Ok(same.then(|| expr_fn::nullif(args[0].clone(), args[1].clone())))
        }),
        PerRow::new(LEAST, 1..=usize::MAX, common, |values| Ok(extreme(values, Ordering::Less))),
        PerRow::new(GREATEST, 1..=usize::MAX, common, |values| {
            Ok(extreme(values, Ordering::Greater))
        }),
        PerRow::new("likely", 1..=1, common, |values| Ok(values[0].clone()))
            .simplified(first_argument),
        PerRow::new("unlikely", 1..=1, common, |values| Ok(values[0].clone()))
            .simplified(first_argument),
        PerRow::new(
            "likelihood",
            2..=2,
            |types| common(&types[..1]),
            |values| Ok(values[0].clone()),
        )
        .simplified(first_argument),
    ]
}

fn first_non_null<'a>(values: &[Value<'a>]) -> Result<Value<'a>> {
    Ok(values.iter().find(|value| !value.is_null()).cloned().unwrap_or(Value::Null))
}

/// The least or the greatest value; NULL if any value is NULL.
fn extreme<'a>(values: &[Value<'a>], wanted: Ordering) -> Value<'a> {
    let mut best: Option<&Value<'a>> = None;
    for value in values {
        if value.is_null() {
            return Value::Null;
        }
        if best.is_none_or(|best| value.order(best) == wanted) {
            best = Some(value);
        }
    }
    best.cloned().unwrap_or(Value::Null)
}

fn is_plain(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Int64 | DataType::Float64 | DataType::Utf8View)
}

/// The most parts that the tested arguments of a call have together where it becomes a CASE,
/// columns and literals not counted. Each is written twice there, so calls within calls double with
/// each level.
const MOST_PARTS: usize = 1 << 8;

/// Replaces the call by a CASE if all arguments have the same type and are small. A CASE evaluates
/// later arguments only if it needs them.
fn as_coalesce(
    args: &[Expr],
    types: &[DataType],
    _: &datafusion::logical_expr::simplify::SimplifyContext,
) -> Result<Option<Expr>> {
    let same = types.iter().all(|data_type| *data_type == types[0]) && is_plain(&types[0]);
    let Some((last, tested)) = args.split_last().filter(|_| same) else { return Ok(None) };
    if tested.is_empty() {
        return Ok(Some(last.clone()));
    }
    if !are_small(tested)? {
        return Ok(None);
    }
    let present = |value: &Expr| {
        let is_present = Expr::IsNotNull(Box::new(value.clone()));
        (Box::new(is_present), Box::new(value.clone()))
    };
    let cases = tested.iter().map(present).collect();
    Ok(Some(Expr::Case(Case::new(None, cases, Some(Box::new(last.clone()))))))
}

/// Whether expressions have so few parts together that they may be written twice.
fn are_small(exprs: &[Expr]) -> Result<bool> {
    let mut parts = 0_usize;
    for expr in exprs.iter().filter(|expr| !matches!(expr, Expr::Column(_) | Expr::Literal(..))) {
        expr.apply(|_| {
            parts += 1;
            Ok(match parts > MOST_PARTS {
                true => TreeNodeRecursion::Stop,
                false => TreeNodeRecursion::Continue,
            })
        })?;
    }
    Ok(parts <= MOST_PARTS)
}

/// Replaces the call by its first argument.
fn first_argument(
    args: &[Expr],
    types: &[DataType],
    _: &datafusion::logical_expr::simplify::SimplifyContext,
) -> Result<Option<Expr>> {
    Ok(is_plain(&types[0]).then(|| args[0].clone()))
}
