//! Values of columns and arguments with a declared type, where planning knows another type: a
//! value that is of the declared type all the same is converted, any other ends the statement.

use std::sync::{Arc, LazyLock};

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, exec_err};
use datafusion::logical_expr::{Expr, ScalarUDF, lit};

use super::number::{real_prefix, whole_integer};
use super::per_row::{PerRow, integer, is_text, real, text};
use super::value::Value;

/// 2^63, the first real above all integers.
const ABOVE_INTEGERS: f64 = 9_223_372_036_854_775_808.0;

pub(super) fn functions() -> Vec<PerRow> {
    vec![
        PerRow::new("__declared_integer", 2..=2, integer, |values| as_integer(&values[0], values))
            .simplified(
                |args, types, _| Ok((types[0] == DataType::Int64).then(|| args[0].clone())),
            ),
        PerRow::new("__declared_real", 2..=2, real, |values| as_real(&values[0], values))
            .simplified(|args, types, _| {
                Ok((types[0] == DataType::Float64).then(|| args[0].clone()))
            }),
        PerRow::new("__declared_text", 2..=2, text, |values| {
            let text = values[0].as_text();
            Ok(text.map_or(Value::Null, |text| Value::text(text.into_owned())))
        }),
    ]
}

/// Builds the conversion of `value` to a declared type; `None` where no value of type `found`, or
/// not this literal, can be of that type. `declaration` is the name with the type, for messages.
pub(crate) fn declared_call(
    value: Expr,
    found: &DataType,
    declared: &DataType,
    declaration: &str,
) -> Option<Expr> {
    static CONVERSIONS: LazyLock<Vec<Arc<ScalarUDF>>> = LazyLock::new(|| {
        functions().into_iter().map(ScalarUDF::new_from_impl).map(Arc::new).collect()
    });
    if !(is_text(found) || found.is_numeric() || *found == DataType::Boolean) {
        return None;
    }
    if let Expr::Literal(literal, _) = &value
        && let Some(text) = literal.try_as_str().flatten()
        && declared.is_numeric()
        && !real_prefix(text).1
    {
        return None;
    }
    let name = match declared {
        DataType::Int64 => "__declared_integer",
        DataType::Float64 => "__declared_real",
        DataType::Utf8View => "__declared_text",
        _ => return None,
    };
    let conversion = CONVERSIONS.iter().find(|conversion| conversion.name() == name)?;
    Some(conversion.call(vec![value, lit(declaration)]))
}

fn as_integer<'a>(value: &Value<'_>, values: &[Value<'_>]) -> Result<Value<'a>> {
    let integer = match value {
        Value::Null => return Ok(Value::Null),
        Value::Integer(value) => Some(*value),
        Value::Real(value) => whole(*value),
        Value::Text(text) => whole_integer(text).or_else(|| match real_prefix(text) {
            (value, true) => whole(value),
            _ => None,
        }),
        Value::Blob(_) => None,
    };
    match integer {
        Some(integer) => Ok(Value::Integer(integer)),
        None => mismatch(value, values),
    }
}

fn whole(value: f64) -> Option<i64> {
    let in_range = (-ABOVE_INTEGERS..ABOVE_INTEGERS).contains(&value);
    (in_range && value.fract() == 0.0).then_some(value as i64)
}

fn as_real<'a>(value: &Value<'_>, values: &[Value<'_>]) -> Result<Value<'a>> {
    match value {
        Value::Null => Ok(Value::Null),
        Value::Integer(value) => Ok(Value::Real(*value as f64)),
        Value::Real(value) => Ok(Value::Real(*value)),
        Value::Text(text) => match real_prefix(text) {
            (real, true) => Ok(Value::Real(real)),
            _ => mismatch(value, values),
        },
        Value::Blob(_) => mismatch(value, values),
    }
}

/// The error for a value that is not of its declared type.
fn mismatch<'a>(value: &Value<'_>, values: &[Value<'_>]) -> Result<Value<'a>> {
    /// The most that is shown of a value, in characters.
    const SHOWN: usize = 40;
    let declaration = values.get(1).and_then(Value::as_text).unwrap_or_default();
    let shown: String = value.as_text().unwrap_or_default().chars().take(SHOWN).collect();
    exec_err!("declared {declaration}, but a row has the value {shown}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_declared_type_are_converted_and_others_are_errors() {
        let integer = |value: Value<'static>| as_integer(&value, &[]).ok();
        assert_eq!(integer(Value::Real(3.0)), Some(Value::Integer(3)));
        assert_eq!(integer(Value::text("17")), Some(Value::Integer(17)));
        assert_eq!(integer(Value::Null), Some(Value::Null));
        assert_eq!(integer(Value::Real(2.5)), None);
        assert_eq!(integer(Value::Real(ABOVE_INTEGERS)), None);
        assert_eq!(integer(Value::text("x1")), None);
        assert_eq!(as_real(&Value::text("0.5"), &[]).ok(), Some(Value::Real(0.5)));
        let error = as_real(&Value::text("x"), &[Value::Null, Value::text("`dur` DOUBLE")]);
        assert!(error.unwrap_err().to_string().contains("declared `dur` DOUBLE"));
    }
}
