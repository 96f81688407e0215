//! `x IN (a, b, …)` with values of another type than `x`, by SQLite's rules: what cannot be equal
//! to `x` leaves the list, and the others become values of its type. In `x IN (SELECT y …)` texts
//! become numbers where the other side is a number.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::{InList, InSubquery};
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    Case, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, cast, lit,
};

use crate::functions::{CAST_TEXT, COMPARABLE, is_text, real_prefix, real_text, sqlite_call};
use crate::named_expressions::rewrite_expressions;
use crate::perfetto_sql::{Mark, has_affinity};

/// Converts the lists of all IN operators.
pub(super) fn lower(plan: LogicalPlan) -> Result<LogicalPlan> {
    let lowered = plan.transform_up_with_subqueries(|node| {
        let schema = merge_schema(&node.inputs());
        rewrite_expressions(node, |expr| match expr {
            Expr::InList(list) => converted(list, &schema),
            Expr::InSubquery(search) => comparable(search, &schema),
            other => Ok(Transformed::no(other)),
        })
    });
    Ok(lowered?.data)
}

fn converted(mut list: InList, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let mark = Mark::take(&mut list.expr);
    let Ok(mut data_type) = list.expr.get_type(schema) else {
        return Ok(Transformed::new_transformed(Expr::InList(list), mark.is_some()));
    };
    let is_boolean = |value: &Expr| matches!(value.get_type(schema), Ok(DataType::Boolean));
    let mut changed = mark.is_some();
    if data_type == DataType::Boolean && !list.list.iter().all(is_boolean) {
        *list.expr = cast(*list.expr, DataType::Int64);
        data_type = DataType::Int64;
        changed = true;
    }
    let numbers = data_type.is_numeric() || data_type == DataType::Boolean;
    if !numbers && !is_text(&data_type) {
        return Ok(Transformed::new_transformed(Expr::InList(list), changed));
    }
    let affinity = match mark {
        None => has_affinity(&list.expr),
        Some(mark) => mark == Mark::Mixed && !numbers,
    };
    let before = list.list.len();
    let mut values = Vec::with_capacity(before);
    // Values that are compared one by one: the engine takes a CASE for a constant.
    let mut others: Vec<Expr> = Vec::new();
    for value in list.list {
        let Expr::Literal(scalar, _) = &value else {
            let other = compared_with(value, &data_type, affinity, schema);
            changed |= other.transformed;
            let is_case = other.data.exists(|part| Ok(matches!(part, Expr::Case(_))))?;
            if is_case {
                others.push(other.data)
            } else {
                values.push(other.data)
            }
            continue;
        };
        match literal(scalar, &data_type, affinity) {
            Literal::Same => values.push(value),
            Literal::Other(other) => {
                changed = true;
                values.push(other);
            }
            Literal::Unequal => changed = true,
        }
    }
    if !others.is_empty() {
        let mut found: Vec<Expr> =
            others.into_iter().map(|other| list.expr.as_ref().clone().eq(other)).collect();
        if !values.is_empty() {
            list.list = values;
            let negated = std::mem::take(&mut list.negated);
            found.push(Expr::InList(list));
            return Ok(Transformed::yes(any_of(found, negated)));
        }
        return Ok(Transformed::yes(any_of(found, list.negated)));
    }
    if values.is_empty() && before > 0 {
        // False, and NULL for NULL.
        let present = Box::new(Expr::IsNotNull(list.expr));
        let result = Box::new(lit(list.negated));
        return Ok(Transformed::yes(Expr::Case(Case::new(None, vec![(present, result)], None))));
    }
    list.list = values;
    let expr = Expr::InList(list);
    Ok(if changed { Transformed::yes(expr) } else { Transformed::no(expr) })
}

fn any_of(found: Vec<Expr>, negated: bool) -> Expr {
    let any = found.into_iter().reduce(Expr::or).unwrap_or_else(|| lit(false));
    if negated { Expr::Not(Box::new(any)) } else { any }
}

/// A value of a list that is no literal, for an expression of type `data_type`. It has no affinity
/// of its own.
fn compared_with(
    value: Expr,
    data_type: &DataType,
    affinity: bool,
    schema: &DFSchema,
) -> Transformed<Expr> {
    match value.get_type(schema) {
        Ok(DataType::Boolean) if *data_type != DataType::Boolean => {
            Transformed::yes(cast(value, DataType::Int64))
        }
        Ok(other) if data_type.is_numeric() && is_text(&other) && affinity => {
            Transformed::yes(sqlite_call(COMPARABLE, value))
        }
        Ok(other) if is_text(data_type) && other.is_numeric() && affinity => {
            Transformed::yes(sqlite_call(CAST_TEXT, value))
        }
        _ => Transformed::no(value),
    }
}

/// Makes a number of text that is searched in numbers, and of texts in which a number is searched.
fn comparable(mut search: InSubquery, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let Ok(left) = search.expr.get_type(schema) else {
        return Ok(Transformed::no(Expr::InSubquery(search)));
    };
    let rows = &search.subquery.subquery;
    let Some(column) = rows.schema().columns().into_iter().next() else {
        return Ok(Transformed::no(Expr::InSubquery(search)));
    };
    let right = rows.schema().field(0).data_type();
    if left == DataType::Boolean && right.is_numeric() {
        *search.expr = cast(*search.expr, DataType::Int64);
        return Ok(Transformed::yes(Expr::InSubquery(search)));
    }
    if is_text(&left) && right.is_numeric() {
        *search.expr = sqlite_call(COMPARABLE, *search.expr);
    } else if left.is_numeric() && is_text(right) {
        let number = sqlite_call(COMPARABLE, Expr::Column(column.clone())).alias(column.name());
        let plan = LogicalPlanBuilder::from(Arc::clone(rows)).project([number])?.build()?;
        search.subquery = search.subquery.with_plan(Arc::new(plan));
    } else {
        return Ok(Transformed::no(Expr::InSubquery(search)));
    }
    Ok(Transformed::yes(Expr::InSubquery(search)))
}

/// A value of a list, for an expression of a type.
enum Literal {
    /// The value as it is.
    Same,
    /// The value in the type of the expression.
    Other(Expr),
    /// No value of the expression is equal to it.
    Unequal,
}

/// Converts a value for an expression of type `data_type`; with `affinity`, text and numbers are
/// compared as that type.
fn literal(value: &ScalarValue, data_type: &DataType, affinity: bool) -> Literal {
    if value.is_null() {
        return Literal::Same;
    }
    let number = match (value, value.try_as_str().flatten()) {
        (_, Some(_)) if is_text(data_type) => return Literal::Same,
        (_, Some(text)) if affinity => number_of(text),
        (_, Some(_)) => return Literal::Unequal,
        (ScalarValue::Int64(Some(integer)), _) => Some(Number::Integer(*integer)),
        (ScalarValue::Float64(Some(real)), _) => Some(Number::Real(*real)),
        _ => return Literal::Same,
    };
    let Some(number) = number else { return Literal::Unequal };
    match (data_type, number) {
        (text, Number::Integer(value)) if is_text(text) && affinity => {
            Literal::Other(lit(value.to_string()))
        }
        (text, Number::Real(value)) if is_text(text) && affinity => {
            Literal::Other(lit(real_text(value)))
        }
        (text, _) if is_text(text) => Literal::Unequal,
        (DataType::Float64, Number::Integer(value)) => match value as f64 {
            real if real as i128 == i128::from(value) => Literal::Other(lit(real)),
            _ => Literal::Unequal,
        },
        (DataType::Float64, Number::Real(value)) => Literal::Other(lit(value)),
        (DataType::Int64, Number::Integer(value)) => Literal::Other(lit(value)),
        (DataType::Int64, Number::Real(value)) => match value as i64 {
            integer if integer as f64 == value && value < ABOVE_INTEGERS => {
                Literal::Other(lit(integer))
            }
            _ => Literal::Unequal,
        },
        _ => Literal::Same,
    }
}

/// 2^63, the first real above all integers.
const ABOVE_INTEGERS: f64 = 9_223_372_036_854_775_808.0;

enum Number {
    Integer(i64),
    Real(f64),
}

/// The number that a text is as a whole.
fn number_of(text: &str) -> Option<Number> {
    if let Ok(integer) = text.trim().parse() {
        return Some(Number::Integer(integer));
    }
    match real_prefix(text) {
        (real, true) => Some(Number::Real(real)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(value: ScalarValue, data_type: DataType) -> Option<Expr> {
        match literal(&value, &data_type, true) {
            Literal::Same => Some(lit(value)),
            Literal::Other(expr) => Some(expr),
            Literal::Unequal => None,
        }
    }

    #[test]
    fn values_take_the_type_of_a_column_or_leave_the_list() {
        let text = |text: &str| ScalarValue::Utf8(Some(text.into()));
        assert_eq!(converted(text("3"), DataType::Int64), Some(lit(3_i64)));
        assert_eq!(converted(text("3.0"), DataType::Int64), Some(lit(3_i64)));
        assert_eq!(converted(text("hello"), DataType::Int64), None);
        assert_eq!(converted(ScalarValue::Float64(Some(2.5)), DataType::Int64), None);
        assert_eq!(converted(ScalarValue::Int64(Some(5)), DataType::Utf8View), Some(lit("5")));
        // 2^53 + 1 is no real.
        let odd = ScalarValue::Int64(Some((1 << 53) + 1));
        assert_eq!(converted(odd, DataType::Float64), None);
    }
}
