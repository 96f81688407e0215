//! Functions that make JSON: `json_array`, `json_object`, `json_quote`, and the parts of the
//! aggregates `json_group_array` and `json_group_object`.

use std::ops::RangeInclusive;

use datafusion::common::{Result, exec_err};

use super::super::number::real_text;
use super::super::value::Value;
use super::function::{JsonFunction, Operand, Output, Rule};
use super::strings::{push_string, string_size};

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
        made("json_object", 0..=usize::MAX, object),
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
        Value::Text(text) => string_size(text),
        other => other.text_size().saturating_add(8),
    };
    operands.iter().map(|operand| size(operand).saturating_add(1)).fold(2, usize::saturating_add)
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
        Value::Integer(value) => json.push_str(&value.to_string()),
        Value::Real(value) => push_real(json, *value),
        Value::Text(text) if operand.is_json => json.push_str(text),
        Value::Text(text) => push_string(json, text),
        Value::Blob(_) => return exec_err!("JSON cannot hold a blob"),
    }
    Ok(())
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
