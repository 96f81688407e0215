//! Conversions between types: conditions, operands of arithmetic, `CAST`, `typeof`.
//!
//! All except `typeof` remove themselves from the plan if the type of the argument needs no
//! conversion, so that scans still see filters and sort orders.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::common::{Result, exec_err};
use datafusion::config::ConfigOptions;
use datafusion::logical_expr::{ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDFImpl, cast, lit};

use super::number::whole_integer;
use super::per_row::{PerRow, Rule, blob, integer, is_text, real, text};
use super::value::Value;

/// Converts a condition that is not a comparison: true for a number other than 0, or text that
/// begins with one.
pub(crate) const TRUTHY: &str = "__truthy";
/// Converts an operand of arithmetic to a number.
pub(crate) const NUMBER: &str = "__number";
/// Converts text for a comparison with numbers that have the affinity of a column.
pub(crate) const COMPARABLE: &str = "__comparable";
/// Returns its argument; not part of a plan once that is optimised.
pub(crate) const SAME: &str = "__same";
pub(crate) const CAST_INTEGER: &str = "__cast_integer";
pub(crate) const CAST_REAL: &str = "__cast_real";
pub(crate) const CAST_TEXT: &str = "__cast_text";
pub(crate) const CAST_BLOB: &str = "__cast_blob";
/// Makes an integer of a value that is one, for a column of integers; an error for others.
pub(crate) const STORED_INTEGER: &str = "__stored_integer";
/// Makes a real of a value that is a number, for a column of reals; an error for others.
pub(crate) const STORED_REAL: &str = "__stored_real";
/// Makes ASCII letters of text lower case; other values stay.
pub(crate) const FOLD_CASE: &str = "__fold_case";
/// Removes the spaces at the end of text; other values stay.
pub(crate) const TRIM_END: &str = "__trim_end";

pub(super) fn functions() -> Vec<PerRow> {
    vec![
        truthy(),
        number(),
        same(),
        PerRow::new(COMPARABLE, 1..=1, real, |values| Ok(comparable(&values[0]))),
        cast_integer(),
        cast_real(),
        cast_text(),
        cast_blob(),
        stored_integer(),
        stored_real(),
        type_of(),
        collation(FOLD_CASE, |values| Ok(changed(&values[0], str::to_ascii_lowercase))),
        collation(TRIM_END, |values| {
            Ok(changed(&values[0], |text| text.trim_end_matches(' ').to_owned()))
        }),
    ]
}

/// A function that changes text; not part of a plan for values of other types.
fn collation(name: &'static str, rule: Rule) -> PerRow {
    let returns = |types: &[DataType]| match &types[0] {
        text if is_text(text) => DataType::Utf8View,
        other => other.clone(),
    };
    PerRow::new(name, 1..=1, returns, rule)
        .simplified(|args, types, _| Ok((!is_text(&types[0])).then(|| args[0].clone())))
}

fn changed<'a>(value: &Value<'a>, change: impl Fn(&str) -> String) -> Value<'a> {
    match value {
        Value::Text(text) => Value::text(change(text)),
        other => other.clone(),
    }
}

fn same() -> PerRow {
    let returns = |types: &[DataType]| types[0].clone();
    PerRow::new(SAME, 1..=1, returns, |values| Ok(values[0].clone()))
        .simplified(|args, _, _| Ok(Some(args[0].clone())))
}

fn truthy() -> PerRow {
    PerRow::new(TRUTHY, 1..=1, |_| DataType::Boolean, |values| Ok(values[0].clone())).simplified(
        |args, types, _| {
            let arg = args[0].clone();
            Ok(match &types[0] {
                DataType::Boolean => Some(arg),
                DataType::Null => Some(cast(arg, DataType::Boolean)),
                DataType::Int64 => Some(arg.not_eq(lit(0_i64))),
                DataType::Float64 => Some(arg.not_eq(lit(0.0))),
                _ => None,
            })
        },
    )
}

fn number() -> PerRow {
    let returns = |types: &[DataType]| match &types[0] {
        DataType::Boolean | DataType::Null => DataType::Int64,
        DataType::Binary | DataType::BinaryView => DataType::Float64,
        text if is_text(text) => DataType::Float64,
        other => other.clone(),
    };
    let rule = |values: &[Value<'_>]| {
        Ok(match &values[0] {
            Value::Integer(value) => Value::Integer(*value),
            other => other.as_real().map_or(Value::Null, Value::Real),
        })
    };
    PerRow::new(NUMBER, 1..=1, returns, rule).simplified(|args, types, _| {
        Ok(match &types[0] {
            DataType::Boolean | DataType::Null => Some(cast(args[0].clone(), DataType::Int64)),
            DataType::Binary | DataType::BinaryView => None,
            text if is_text(text) => None,
            _ => Some(args[0].clone()),
        })
    })
}

/// Converts texts or blobs to the numbers at their start, as reals.
pub(super) fn as_real(array: ArrayRef, config: &Arc<ConfigOptions>) -> Result<ArrayRef> {
    let rows = array.len();
    let converted = number().invoke_with_args(ScalarFunctionArgs {
        args: vec![ColumnarValue::Array(array)],
        arg_fields: vec![],
        number_rows: rows,
        return_field: Arc::new(Field::new(NUMBER, DataType::Float64, true)),
        config_options: Arc::clone(config),
    })?;
    converted.into_array(rows)
}

/// Converts text that is a number as a whole; other text is greater than all numbers.
fn comparable<'a>(value: &Value<'_>) -> Value<'a> {
    match value {
        Value::Null => Value::Null,
        Value::Integer(value) => Value::Real(*value as f64),
        Value::Real(value) => Value::Real(*value),
        other => {
            let text = other.as_text().unwrap_or_default();
            let (number, whole) = super::number::real_prefix(&text);
            Value::Real(if whole { number } else { f64::INFINITY })
        }
    }
}

/// Whether SQLite does not have the type, for example types of dates. DataFusion casts these.
fn is_foreign(data_type: &DataType) -> bool {
    !is_text(data_type)
        && !matches!(
            data_type,
            DataType::Int64
                | DataType::Float64
                | DataType::Boolean
                | DataType::Null
                | DataType::Binary
                | DataType::BinaryView
        )
}

fn cast_integer() -> PerRow {
    let rule =
        |values: &[Value<'_>]| Ok(values[0].as_integer().map_or(Value::Null, Value::Integer));
    PerRow::new(CAST_INTEGER, 1..=1, integer, rule).cast_from(is_foreign).simplified(
        |args, types, _| {
            Ok(match &types[0] {
                DataType::Int64 => Some(args[0].clone()),
                DataType::Boolean | DataType::Null => Some(cast(args[0].clone(), DataType::Int64)),
                other if is_foreign(other) => Some(cast(args[0].clone(), DataType::Int64)),
                _ => None,
            })
        },
    )
}

fn cast_real() -> PerRow {
    let rule = |values: &[Value<'_>]| Ok(values[0].as_real().map_or(Value::Null, Value::Real));
    PerRow::new(CAST_REAL, 1..=1, real, rule).cast_from(is_foreign).simplified(|args, types, _| {
        Ok(match &types[0] {
            DataType::Float64 => Some(args[0].clone()),
            DataType::Boolean => {
                Some(cast(cast(args[0].clone(), DataType::Int64), DataType::Float64))
            }
            DataType::Int64 | DataType::Null => Some(cast(args[0].clone(), DataType::Float64)),
            other if is_foreign(other) => Some(cast(args[0].clone(), DataType::Float64)),
            _ => None,
        })
    })
}

fn cast_text() -> PerRow {
    let rule = |values: &[Value<'_>]| {
        Ok(values[0].as_text().map_or(Value::Null, |text| Value::text(text.into_owned())))
    };
    PerRow::new(CAST_TEXT, 1..=1, text, rule).simplified(|args, types, _| {
        Ok(match &types[0] {
            DataType::Utf8View => Some(args[0].clone()),
            DataType::Boolean => {
                Some(cast(cast(args[0].clone(), DataType::Int64), DataType::Utf8View))
            }
            // Reals are formatted as SQLite does.
            DataType::Float64 | DataType::Binary | DataType::BinaryView => None,
            _ => Some(cast(args[0].clone(), DataType::Utf8View)),
        })
    })
}

fn cast_blob() -> PerRow {
    PerRow::new(CAST_BLOB, 1..=1, blob, |values| {
        Ok(match &values[0] {
            Value::Null => Value::Null,
            Value::Blob(bytes) => Value::Blob(bytes.to_vec().into()),
            other => {
                Value::Blob(other.as_text().unwrap_or_default().into_owned().into_bytes().into())
            }
        })
    })
}

fn stored_integer() -> PerRow {
    let rule = |values: &[Value<'_>]| {
        let integer = match &values[0] {
            Value::Null => return Ok(Value::Null),
            Value::Integer(value) => Some(*value),
            Value::Real(value) => integer_of(*value),
            Value::Text(text) => whole_integer(text).or_else(|| {
                let (value, is_whole) = super::number::real_prefix(text);
                integer_of(value).filter(|_| is_whole)
            }),
            Value::Blob(_) => None,
        };
        match integer {
            Some(integer) => Ok(Value::Integer(integer)),
            None => cannot_store(&values[0], "LONG"),
        }
    };
    PerRow::new(STORED_INTEGER, 1..=1, integer, rule).simplified(|args, types, _| {
        Ok(match &types[0] {
            DataType::Int64 => Some(args[0].clone()),
            DataType::Boolean | DataType::Null => Some(cast(args[0].clone(), DataType::Int64)),
            _ => None,
        })
    })
}

fn stored_real() -> PerRow {
    let rule = |values: &[Value<'_>]| match &values[0] {
        Value::Null => Ok(Value::Null),
        Value::Integer(value) => Ok(Value::Real(*value as f64)),
        Value::Real(value) => Ok(Value::Real(*value)),
        Value::Text(text) => match super::number::real_prefix(text) {
            (value, true) => Ok(Value::Real(value)),
            _ => cannot_store(&values[0], "DOUBLE"),
        },
        Value::Blob(_) => cannot_store(&values[0], "DOUBLE"),
    };
    PerRow::new(STORED_REAL, 1..=1, real, rule).simplified(|args, types, _| {
        Ok(match &types[0] {
            DataType::Float64 => Some(args[0].clone()),
            DataType::Int64 | DataType::Null => Some(cast(args[0].clone(), DataType::Float64)),
            _ => None,
        })
    })
}

/// The integer that a real is.
fn integer_of(real: f64) -> Option<i64> {
    let integer = real as i64;
    // 2^63 is no integer of 64 bits, and becomes the greatest of them.
    (integer as f64 == real && integer != i64::MAX).then_some(integer)
}

fn cannot_store<'a>(value: &Value<'_>, column: &str) -> Result<Value<'a>> {
    let shown: String = match value {
        Value::Blob(_) => "a blob".into(),
        Value::Text(text) => format!("'{}'", text.chars().take(50).collect::<String>()),
        other => other.as_text().unwrap_or_default().into_owned(),
    };
    exec_err!("{shown} does not fit in a column of type {column}")
}

/// The type of each value. Columns are typed, so all values of a column except NULLs have the same
/// type.
fn type_of() -> PerRow {
    PerRow::new("typeof", 1..=1, text, |values| {
        Ok(Value::text(match &values[0] {
            Value::Null => "null",
            Value::Integer(_) => "integer",
            Value::Real(_) => "real",
            Value::Text(_) => "text",
            Value::Blob(_) => "blob",
        }))
    })
}

/// The number that a text literal stands for in arithmetic: an integer if the text begins with one.
pub(crate) fn literal_number(text: &str) -> Expr {
    match whole_integer(text).or_else(|| super::number::integer_at_start(text)) {
        Some(value) => lit(value),
        None => lit(super::number::real_prefix(text).0),
    }
}
