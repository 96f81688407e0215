//! Functions that make JSON: `json_array`, `json_object`, `json_quote`, and the parts of the
//! aggregates `json_group_array` and `json_group_object`.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, StringViewBuilder};
use datafusion::arrow::compute::concat;
use datafusion::common::{Result, exec_err};

use super::super::budget::Budget;
use super::super::number::real_text;
use super::super::per_row::Argument;
use super::super::value::Value;
use super::function::{JsonFunction, Operand, Output, Rule};
use super::strings::{push_string, string_size};
use crate::cancel;
use crate::threads::on_threads;

/// The least number of rows for which a thread is worth its start.
const ROWS_OF_A_THREAD: usize = 1 << 15;
/// The number of rows after which making objects looks for cancellation.
const ROWS_AT_ONCE: usize = 1 << 10;

/// A value as JSON; NULL is `null`.
pub(in super::super) const ELEMENT: &str = "__json_element";
/// A key and a value as a member of an object; NULL if the key is NULL.
pub(in super::super) const MEMBER: &str = "__json_member";
/// An array of elements that are joined by commas.
pub(in super::super) const ARRAY_OF: &str = "__json_array_of";
/// An object of members that are joined by commas.
pub(in super::super) const OBJECT_OF: &str = "__json_object_of";

pub(super) fn functions() -> Vec<JsonFunction> {
    vec![
        made("json_array", 0..=usize::MAX, |operands| {
            let mut json = String::from("[");
            for operand in operands {
                push_separator(&mut json);
                push_value(&mut json, operand)?;
            }
            Ok(Value::text(json + "]"))
        }),
        made("json_object", 0..=usize::MAX, object).by_columns(objects_of_numbers),
        made("json_quote", 1..=1, element),
        made(ELEMENT, 1..=1, element),
        made(MEMBER, 2..=2, |operands| {
            let Some(key) = operands[0].value.as_text() else { return Ok(Value::Null) };
            let mut json = String::new();
            push_member(&mut json, &key, &operands[1])?;
            Ok(Value::text(json))
        }),
        made(ARRAY_OF, 1..=1, |operands| {
            let elements = operands[0].value.as_text().unwrap_or_default();
            Ok(Value::text(format!("[{elements}]")))
        }),
        made(OBJECT_OF, 1..=1, |operands| {
            let members = operands[0].value.as_text().unwrap_or_default();
            Ok(Value::text(format!("{{{members}}}")))
        }),
    ]
}

/// A function that makes JSON of its arguments.
fn made(name: &'static str, arguments: RangeInclusive<usize>, rule: Rule) -> JsonFunction {
    JsonFunction::new(name, arguments, Output::Json, rule).sized(made_size)
}

/// An upper bound of all values as JSON, with separators and brackets.
fn made_size(operands: &[Operand]) -> usize {
    let size = |operand: &Operand| match &operand.value {
        Value::Text(text) if operand.is_json => text.len(),
        other => value_size(other),
    };
    operands.iter().map(|operand| size(operand).saturating_add(1)).fold(2, usize::saturating_add)
}

/// An upper bound of a value as JSON, if it is not JSON already.
fn value_size(value: &Value) -> usize {
    match value {
        Value::Text(text) => string_size(text),
        other => other.text_size().saturating_add(8),
    }
}

fn object(operands: &[Operand]) -> Result<Value<'static>> {
    if operands.len() % 2 == 1 {
        return exec_err!("json_object() takes pairs of a key and a value");
    }
    let mut json = String::from("{");
    for pair in operands.chunks_exact(2) {
        let Value::Text(key) = &pair[0].value else {
            return exec_err!("the keys of json_object() are texts");
        };
        push_separator(&mut json);
        push_member(&mut json, key, &pair[1])?;
    }
    Ok(Value::text(json + "}"))
}

/// A member of all objects: the text before its value, and the values.
type Member<'a> = (String, &'a Argument);

/// The objects of rows with constant keys and values that are numbers. Perfetto's page asks for the
/// ids of millions of rows in this form. `None` for other keys and values.
fn objects_of_numbers(
    arguments: &[(Argument, bool)],
    rows: usize,
    threads: usize,
    budget: &mut Budget,
) -> Result<Option<ArrayRef>> {
    if arguments.len() % 2 == 1 || rows == 0 {
        return Ok(None);
    }
    let longest_number = value_size(&Value::Integer(i64::MIN));
    let mut size = 2_usize;
    let mut members: Vec<Member> = Vec::with_capacity(arguments.len() / 2);
    for pair in arguments.chunks_exact(2) {
        let ((key, _), (values, _)) = (&pair[0], &pair[1]);
        let Some(Value::Text(key)) = key.constant() else { return Ok(None) };
        if !values.is_number() {
            return Ok(None);
        }
        let mut before = String::from(if members.is_empty() { "{" } else { "," });
        push_string(&mut before, &key);
        before.push(':');
        members.push((before, values));
        size =
            [string_size(&key), 1, longest_number, 1].into_iter().fold(size, usize::saturating_add);
    }
    if members.is_empty() {
        return Ok(None);
    }
    budget.reserve_values(size, rows)?;
    let part = rows.div_ceil(threads.max(1)).max(ROWS_OF_A_THREAD);
    let parts = (0..rows).step_by(part).map(|start| start..rows.min(start + part)).collect();
    let parts = on_threads(threads, parts, |rows| objects(&members, rows));
    let parts = parts.into_iter().collect::<Result<Vec<ArrayRef>>>()?;
    Ok(Some(match &parts[..] {
        [only] => Arc::clone(only),
        parts => concat(&parts.iter().map(AsRef::as_ref).collect::<Vec<&dyn Array>>())?,
    }))
}

/// The objects of some rows.
fn objects(members: &[Member], rows: Range<usize>) -> Result<ArrayRef> {
    let mut builder = StringViewBuilder::with_capacity(rows.len());
    let mut json = String::new();
    for row in rows {
        if row % ROWS_AT_ONCE == 0 {
            cancel::check()?;
        }
        json.clear();
        for (before, values) in members {
            json.push_str(before);
            push_value(&mut json, &Operand { value: values.value(row), is_json: false })?;
        }
        json.push('}');
        builder.append_value(&json);
    }
    Ok(Arc::new(builder.finish()))
}

fn element(operands: &[Operand]) -> Result<Value<'static>> {
    let mut json = String::new();
    push_value(&mut json, &operands[0])?;
    Ok(Value::text(json))
}

/// Appends a comma, except after an opening bracket.
fn push_separator(json: &mut String) {
    if json.len() > 1 {
        json.push(',');
    }
}

fn push_member(json: &mut String, key: &str, value: &Operand) -> Result<()> {
    push_string(json, key);
    json.push(':');
    push_value(json, value)
}

fn push_value(json: &mut String, operand: &Operand) -> Result<()> {
    match &operand.value {
        Value::Null => json.push_str("null"),
        Value::Integer(value) => push_integer(json, *value),
        Value::Real(value) => push_real(json, *value),
        Value::Text(text) if operand.is_json => json.push_str(text),
        Value::Text(text) => push_string(json, text),
        Value::Blob(_) => return exec_err!("JSON cannot hold a blob"),
    }
    Ok(())
}

/// Appends an integer.
fn push_integer(json: &mut String, value: i64) {
    // The least integer has 19 digits.
    let mut digits = [b'0'; 19];
    let (mut at, mut rest) = (digits.len(), value.unsigned_abs());
    while rest > 0 && at > 0 {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    if value < 0 {
        json.push('-');
    }
    // Zero has one digit.
    let digits = &digits[at.min(18)..];
    json.push_str(str::from_utf8(digits).unwrap_or_default());
}

/// Appends a real. JSON has no infinity: a number beyond the range of reals stands for it.
pub(in super::super) fn push_real(json: &mut String, value: f64) {
    match value {
        value if value.is_nan() => json.push_str("null"),
        f64::INFINITY => json.push_str("9e999"),
        f64::NEG_INFINITY => json.push_str("-9e999"),
        value => json.push_str(&real_text(value)),
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{AsArray, Float64Array, Int64Array, StringViewArray};
    use datafusion::common::ScalarValue;
    use datafusion::common::config::ConfigOptions;
    use datafusion::logical_expr::ColumnarValue;

    use super::*;

    fn key(text: &str) -> ColumnarValue {
        ColumnarValue::Scalar(ScalarValue::Utf8(Some(text.to_owned())))
    }

    fn column(values: impl Array + 'static) -> ColumnarValue {
        ColumnarValue::Array(Arc::new(values))
    }

    /// The objects of some columns on some threads, if they are made by columns.
    fn by_columns(columns: &[ColumnarValue], rows: usize, threads: usize) -> Option<Vec<String>> {
        let arguments = arguments(columns, rows);
        let config = ConfigOptions::new();
        let mut budget = Budget::new("json_object", &config).for_rows(rows);
        let made = objects_of_numbers(&arguments, rows, threads, &mut budget).expect("objects");
        made.map(|made| texts(&made))
    }

    fn by_rows(columns: &[ColumnarValue], rows: usize) -> Vec<String> {
        let config = ConfigOptions::new();
        let mut budget = Budget::new("json_object", &config).for_rows(rows);
        let function = made("json_object", 0..=usize::MAX, object);
        texts(&function.rows(&arguments(columns, rows), rows, &mut budget).expect("objects"))
    }

    fn arguments(columns: &[ColumnarValue], rows: usize) -> Vec<(Argument, bool)> {
        columns.iter().map(|it| (Argument::new(it, rows).expect("a column"), false)).collect()
    }

    fn texts(made: &ArrayRef) -> Vec<String> {
        made.as_string_view().iter().flatten().map(str::to_owned).collect()
    }

    #[test]
    fn objects_by_columns_are_those_by_rows() {
        let rows = 70_000;
        let ids = (0..rows as i64).map(|at| (at % 7 > 0).then_some(at * at * 1_000_003 - 5_000));
        let reals = (0..rows).map(|at| (at % 3 > 0).then_some(at as f64 / 4.0));
        let columns = [
            key("id"),
            column(ids.collect::<Int64Array>()),
            key("a \"quoted\" key"),
            column(reals.collect::<Float64Array>()),
            key("group"),
            ColumnarValue::Scalar(ScalarValue::Int64(Some(0))),
            key("none"),
            ColumnarValue::Scalar(ScalarValue::Null),
        ];
        let expected = by_rows(&columns, rows);
        let second = r#"{"id":995003,"a \"quoted\" key":0.25,"group":0,"none":null}"#;
        assert_eq!(expected[1], second);
        for threads in [0, 1, 2, 3] {
            assert!(by_columns(&columns, rows, threads) == Some(expected.clone()));
        }
        assert_eq!(
            by_columns(&columns[..2], 2, 2).unwrap(),
            [r#"{"id":null}"#, r#"{"id":995003}"#]
        );
    }

    #[test]
    fn other_arguments_are_looked_at_in_each_row() {
        let texts = || column(StringViewArray::from(vec!["a", "b"]));
        let numbers = || column(Int64Array::from(vec![1, 2]));
        assert_eq!(by_columns(&[key("k"), texts()], 2, 1), None);
        assert_eq!(by_columns(&[texts(), numbers()], 2, 1), None);
        assert_eq!(by_columns(&[numbers(), numbers()], 2, 1), None);
        assert_eq!(by_columns(&[key("k")], 2, 1), None);
        assert_eq!(by_columns(&[], 2, 1), None);
    }

    #[test]
    fn integers_have_all_their_digits() {
        for value in [0, 7, -7, 10, 99, 100, -1_000, i64::MAX, i64::MIN, i64::MIN + 1] {
            let mut json = String::new();
            push_integer(&mut json, value);
            assert_eq!(json, value.to_string());
        }
    }
}
