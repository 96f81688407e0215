//! `x IN (a, b, …)` with values of another type than `x`, by SQLite's rules: literals that cannot be
//! equal to `x` leave the list, others become values of its type, and what has another type in each
//! row is compared by itself. In `x IN (SELECT y …)` the two sides are converted as those of `=`.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::{InList, InSubquery};
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    Case, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, cast, lit,
};

use super::repeats::check_expression;
use super::value_class::Class;
use crate::functions::{CAST_TEXT, COMPARABLE, is_text, real_prefix, real_text, sqlite_call};
use crate::named_expressions::{has_part, rewrite_expressions};
use crate::perfetto_sql::{
    Affinity, Comparison, Mark, Side, affinity, affinity_in, column_affinity, convert, final_type,
};

/// Converts the lists of all IN operators.
pub(super) fn lower(plan: LogicalPlan) -> Result<LogicalPlan> {
    let lowered = plan.transform_up_with_subqueries(|node| {
        if !has_part(&node, |part| matches!(part, Expr::InList(_) | Expr::InSubquery(_)))? {
            return Ok(Transformed::no(node));
        }
        let inputs = node.inputs();
        let schema = merge_schema(&inputs);
        // Only a search in rows asks where columns come from.
        let inputs: Vec<LogicalPlan> =
            match has_part(&node, |part| matches!(part, Expr::InSubquery(_)))? {
                true => inputs.into_iter().cloned().collect(),
                false => Vec::new(),
            };
        rewrite_expressions(node, |expr| match expr {
            Expr::InList(list) => converted(list, &schema),
            Expr::InSubquery(search) => comparable(search, &inputs, &schema),
            other => Ok(Transformed::no(other)),
        })
    });
    Ok(lowered?.data)
}

fn converted(mut list: InList, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let mark = Mark::take(&mut list.expr);
    let mut changed = mark.is_some();
    let Some(mut data_type) = final_type(&list.expr, schema) else {
        return Ok(Transformed::new_transformed(Expr::InList(list), changed));
    };
    if data_type == DataType::Null && !list.list.is_empty() {
        return Ok(Transformed::yes(lit(ScalarValue::Boolean(None))));
    }
    let is_boolean = |value: &Expr| matches!(value.get_type(schema), Ok(DataType::Boolean));
    if data_type == DataType::Boolean && !list.list.iter().all(is_boolean) {
        *list.expr = cast(*list.expr, DataType::Int64);
        data_type = DataType::Int64;
        changed = true;
    }
    if Class::of(&data_type).is_none() {
        return Ok(Transformed::new_transformed(Expr::InList(list), changed));
    }
    let affinity = match mark {
        Some(mark) => mark.affinity(),
        None => affinity(&list.expr, schema),
    };
    let searched = Searched { expr: *list.expr, data_type, affinity };
    let before = list.list.len();
    let mut values = Vec::with_capacity(before);
    // Values that are compared one by one.
    let mut found: Vec<Expr> = Vec::new();
    for value in list.list {
        match searched.listed(value, schema)? {
            Listed::Same(value) => values.push(value),
            Listed::Other(value) => {
                changed = true;
                values.push(value);
            }
            Listed::Compared(condition) => {
                found.push(condition);
                check_expression(&searched.expr, found.len())?;
            }
            Listed::Unequal => changed = true,
        }
    }
    let (expr, negated) = (Box::new(searched.expr), list.negated);
    if !found.is_empty() {
        if !values.is_empty() {
            found.push(Expr::InList(InList::new(expr, values, false)));
        }
        return Ok(Transformed::yes(any_of(found, negated)));
    }
    if values.is_empty() && before > 0 {
        // False, and NULL for NULL.
        let present = Box::new(Expr::IsNotNull(expr));
        let result = Box::new(lit(negated));
        return Ok(Transformed::yes(Expr::Case(Case::new(None, vec![(present, result)], None))));
    }
    let expr = Expr::InList(InList::new(expr, values, negated));
    Ok(Transformed::new_transformed(expr, changed))
}

/// What is searched in a list.
struct Searched {
    expr: Expr,
    data_type: DataType,
    affinity: Affinity,
}

/// A value of a list.
enum Listed {
    /// The value as it is.
    Same(Expr),
    /// The value in the type of what is searched.
    Other(Expr),
    /// Whether the value is equal to what is searched.
    Compared(Expr),
    /// The value is equal to nothing that is searched.
    Unequal,
}

impl Searched {
    /// Converts a value of the list. It has no affinity of its own.
    fn listed(&self, mut value: Expr, schema: &DFSchema) -> Result<Listed> {
        let mark = Mark::take(&mut value);
        if let Expr::Literal(scalar, _) = &value
            && !self.is_read_as(scalar)
        {
            return Ok(match literal(scalar, &self.data_type, self.converts_literals()) {
                Literal::Same if mark.is_none() => Listed::Same(value),
                Literal::Same => Listed::Other(value),
                Literal::Other(other) => Listed::Other(other),
                Literal::Unequal => Listed::Unequal,
            });
        }
        let converted = self.converted(value, mark, schema);
        let (Listed::Same(value) | Listed::Other(value)) = &converted else { return Ok(converted) };
        // The engine takes a CASE for a constant.
        let is_case = value.exists(|part| Ok(matches!(part, Expr::Case(_))))?;
        Ok(match is_case {
            true => Listed::Compared(self.expr.clone().eq(value.clone())),
            false => converted,
        })
    }

    /// Whether literals that are texts and numbers are compared as the type of what is searched.
    fn converts_literals(&self) -> bool {
        match self.affinity {
            Affinity::OfType => true,
            Affinity::Mixed => is_text(&self.data_type),
            Affinity::Absent => false,
        }
    }

    /// Whether what is searched is a text that is read as a number for a comparison with a literal.
    fn is_read_as(&self, scalar: &ScalarValue) -> bool {
        self.affinity == Affinity::Mixed
            && is_text(&self.data_type)
            && matches!(scalar, ScalarValue::Float64(Some(_)))
    }

    /// Converts a value that differs from row to row.
    fn converted(&self, value: Expr, mark: Option<Mark>, schema: &DFSchema) -> Listed {
        let as_it_is = |value| match mark {
            Some(_) => Listed::Other(value),
            None => Listed::Same(value),
        };
        let Some(other) = final_type(&value, schema) else { return as_it_is(value) };
        let (Some(searched), Some(class)) = (Class::of(&self.data_type), Class::of(&other)) else {
            return as_it_is(value);
        };
        let has_affinity = self.affinity == Affinity::OfType;
        match (searched, class) {
            (Class::Number, Class::Condition) => Listed::Other(cast(value, DataType::Int64)),
            (Class::Number, Class::Text) if has_affinity => {
                self.beside_integers(sqlite_call(COMPARABLE, value))
            }
            (Class::Number, Class::Number) if other == DataType::Float64 => match mark {
                None if self.data_type == other => Listed::Same(value),
                _ => self.beside_integers(value),
            },
            (Class::Text, Class::Number) if has_affinity => {
                Listed::Other(sqlite_call(CAST_TEXT, value))
            }
            (Class::Text, Class::Condition) if has_affinity => {
                Listed::Other(sqlite_call(CAST_TEXT, cast(value, DataType::Int64)))
            }
            (searched, class) if searched != class => {
                let affinity = mark.map_or_else(|| affinity(&value, schema), Mark::affinity);
                Listed::Compared(self.is_equal(value, other, affinity))
            }
            _ => as_it_is(value),
        }
    }

    /// A real of the list. The engine would make reals of all integers of the list, and those above
    /// 2^53 would change.
    fn beside_integers(&self, real: Expr) -> Listed {
        match self.data_type {
            DataType::Int64 => Listed::Compared(self.expr.clone().eq(real)),
            _ => Listed::Other(real),
        }
    }

    fn is_equal(&self, mut value: Expr, data_type: DataType, affinity: Affinity) -> Expr {
        let affinity = match affinity {
            Affinity::Mixed => Affinity::Mixed,
            Affinity::OfType | Affinity::Absent => Affinity::Absent,
        };
        let mut searched = self.expr.clone();
        let left = Side {
            expr: &mut searched,
            data_type: self.data_type.clone(),
            affinity: self.affinity,
        };
        let right = Side { expr: &mut value, data_type, affinity };
        convert(left, right, Comparison::Equality);
        searched.eq(value)
    }
}

/// Whether one of several conditions holds. They are paired again and again: a long list is not deep.
fn any_of(mut found: Vec<Expr>, negated: bool) -> Expr {
    while found.len() > 1 {
        let mut conditions = found.into_iter();
        let mut paired = Vec::new();
        while let Some(first) = conditions.next() {
            paired.push(match conditions.next() {
                Some(second) => first.or(second),
                None => first,
            });
        }
        found = paired;
    }
    let any = found.pop().unwrap_or_else(|| lit(false));
    if negated { Expr::Not(Box::new(any)) } else { any }
}

/// Converts a value that is searched, or the rows that it is searched in, to one type.
fn comparable(
    mut search: InSubquery,
    inputs: &[LogicalPlan],
    schema: &DFSchema,
) -> Result<Transformed<Expr>> {
    let rows = Arc::clone(&search.subquery.subquery);
    let (Ok(searched), Some(column)) =
        (search.expr.get_type(schema), rows.schema().columns().into_iter().next())
    else {
        return Ok(Transformed::no(Expr::InSubquery(search)));
    };
    let data_type = rows.schema().field(0).data_type().clone();
    let (Some(class), Some(of_rows)) = (Class::of(&searched), Class::of(&data_type)) else {
        return Ok(Transformed::no(Expr::InSubquery(search)));
    };
    if class == of_rows {
        return Ok(Transformed::no(Expr::InSubquery(search)));
    }
    let inputs: Vec<&LogicalPlan> = inputs.iter().collect();
    let affinity = affinity_in(&search.expr, &inputs, schema);
    let left = Side { expr: &mut search.expr, data_type: searched, affinity };
    let mut value = Expr::Column(column.clone());
    let affinity = column_affinity(&rows, 0);
    convert(left, Side { expr: &mut value, data_type, affinity }, Comparison::Equality);
    if !matches!(value, Expr::Column(_)) {
        let value = value.alias(column.name());
        let plan = LogicalPlanBuilder::from(rows).project([value])?.build()?;
        search.subquery = search.subquery.with_plan(Arc::new(plan));
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
    if value.data_type().is_binary() != data_type.is_binary() {
        return Literal::Unequal;
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
