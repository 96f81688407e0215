//! Functions on numbers: rounding, roots, logarithms, angles. The result is NULL where a function
//! is undefined.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, exec_err};

use super::per_row::{PerRow, integer, is_text, real};
use super::value::Value;

pub(super) fn functions() -> Vec<PerRow> {
    let mut functions = vec![
        PerRow::new("round", 1..=2, real, round),
        PerRow::new("abs", 1..=1, same_number, abs),
        PerRow::new("sign", 1..=1, integer, |values| {
            let number = numeric(&values[0]);
            Ok(number.map_or(Value::Null, |number| {
                Value::Integer(if number > 0.0 { 1 } else { -i64::from(number < 0.0) })
            }))
        })
        .alias("signum"),
        PerRow::new("mod", 2..=2, real, |values| Ok(binary(values, |a, b| a % b))),
        PerRow::new("pow", 2..=2, real, |values| Ok(binary(values, f64::powf))).alias("power"),
        PerRow::new("atan2", 2..=2, real, |values| Ok(binary(values, f64::atan2))),
        PerRow::new("log", 1..=2, real, |values| {
            Ok(match values {
                [value] => map_number(value, f64::log10),
                // SQLite has logarithms to bases above 1 alone.
                _ => binary(values, |base, value| match base > 1.0 && value > 0.0 {
                    true => value.ln() / base.ln(),
                    false => f64::NAN,
                }),
            })
        }),
        PerRow::new("pi", 0..=0, real, |_| Ok(Value::Real(std::f64::consts::PI))),
        PerRow::new("ceil", 1..=1, same_number, |values| Ok(map_real(&values[0], f64::ceil)))
            .alias("ceiling"),
        PerRow::new("floor", 1..=1, same_number, |values| Ok(map_real(&values[0], f64::floor))),
        PerRow::new(
            "trunc",
            1..=2,
            |types| same_number(&types[..1]),
            |values| {
                Ok(match values {
                    [value, digits] => {
                        let digits = digits.as_integer().unwrap_or(0);
                        let scale = 10_f64.powi(i32::try_from(digits).unwrap_or(0));
                        map_number(value, |value| (value * scale).trunc() / scale)
                    }
                    _ => map_real(&values[0], f64::trunc),
                })
            },
        ),
    ];
    functions.extend(unary_functions());
    functions
}

macro_rules! unary {
    ($($name:literal => $function:expr),+ $(,)?) => {
        vec![$(PerRow::new($name, 1..=1, real, |values| Ok(map_number(&values[0], $function)))),+]
    };
}

fn unary_functions() -> Vec<PerRow> {
    unary! {
        "sqrt" => f64::sqrt, "exp" => f64::exp, "ln" => f64::ln, "log10" => f64::log10,
        "log2" => f64::log2, "sin" => f64::sin, "cos" => f64::cos, "tan" => f64::tan,
        "asin" => f64::asin, "acos" => f64::acos, "atan" => f64::atan, "sinh" => f64::sinh,
        "cosh" => f64::cosh, "tanh" => f64::tanh, "asinh" => f64::asinh, "acosh" => f64::acosh,
        "atanh" => f64::atanh, "degrees" => f64::to_degrees, "radians" => f64::to_radians,
    }
}

/// The value as a number; text must be a number as a whole.
fn numeric(value: &Value) -> Option<f64> {
    match value {
        Value::Text(text) => {
            let (number, whole) = super::number::real_prefix(text);
            whole.then_some(number)
        }
        Value::Blob(_) => None,
        other => other.as_real(),
    }
}

/// The result of a function; NaN means that the function is undefined and becomes NULL. Of the two
/// zeros it is the positive one: groups and orders take them for different values.
fn defined<'a>(value: f64) -> Value<'a> {
    if value.is_nan() { Value::Null } else { Value::Real(value + 0.0) }
}

fn map_number<'a>(value: &Value<'_>, function: impl Fn(f64) -> f64) -> Value<'a> {
    // The logarithm of 0 is undefined.
    let result = numeric(value).map(function);
    result.filter(|result| *result != f64::NEG_INFINITY).map_or(Value::Null, defined)
}

fn binary<'a>(values: &[Value<'_>], function: impl Fn(f64, f64) -> f64) -> Value<'a> {
    match (numeric(&values[0]), numeric(&values[1])) {
        (Some(a), Some(b)) => defined(function(a, b)),
        _ => Value::Null,
    }
}

/// The type of the result: integers stay integers, other numbers are reals.
fn same_number(types: &[DataType]) -> DataType {
    match types.first() {
        Some(number) if number.is_integer() || *number == DataType::Boolean => DataType::Int64,
        Some(DataType::Null) => DataType::Int64,
        Some(text) if is_text(text) => DataType::Float64,
        _ => DataType::Float64,
    }
}

/// Applies a function to a real; an integer stays the same.
fn map_real<'a>(value: &Value<'_>, function: impl Fn(f64) -> f64) -> Value<'a> {
    match value {
        Value::Integer(value) => Value::Integer(*value),
        other => map_number(other, function),
    }
}

fn abs<'a>(values: &[Value<'a>]) -> Result<Value<'a>> {
    Ok(match &values[0] {
        Value::Null => Value::Null,
        Value::Integer(value) => match value.checked_abs() {
            Some(value) => Value::Integer(value),
            None => return exec_err!("integer overflow in abs(): use abs(CAST(x AS REAL))"),
        },
        other => other.as_real().map_or(Value::Null, |value| Value::Real(value.abs())),
    })
}

/// The number of significant digits to round from: enough to distinguish a half from a value near
/// a half.
const DIGITS: usize = 26;

/// Rounds to a number of decimals; halves are rounded away from 0.
fn round<'a>(values: &[Value<'a>]) -> Result<Value<'a>> {
    let digits = match values.get(1) {
        None => Some(0),
        Some(digits) => digits.as_integer(),
    };
    let (Some(value), Some(digits)) = (values[0].as_real(), digits) else { return Ok(Value::Null) };
    let digits = usize::try_from(digits.clamp(0, 30)).unwrap_or(0);
    if digits == 0 && value.abs() < 4.5e15 {
        return Ok(defined(value.round()));
    }
    Ok(defined(super::number::rounded(value, digits, DIGITS).parse().unwrap_or(value)))
}
