//! Functions that read JSON: `json_extract`, `->`, `->>`, `json_type` and others.

use datafusion::common::Result;

use super::super::value::Value;
use super::function::{JsonFunction, Operand, Output};
use super::path::{self, Step};
use super::scan::{Kind, document, is_strict, sql_value};
use super::strings::{minified, string_size};

/// `json -> path`
pub(super) const GET: &str = "__json_get";
/// `json ->> path`
pub(super) const GET_VALUE: &str = "__json_get_value";

pub(super) fn functions() -> Vec<JsonFunction> {
    vec![
        JsonFunction::new("json", 1..=1, Output::Json, |operands| {
            let Some(text) = operands[0].value.as_text() else { return Ok(Value::Null) };
            Ok(Value::text(minified(document(&text)?).into_owned()))
        })
        .sized(|operands| minified_size(&operands[0])),
        JsonFunction::new("json_extract", 2..=usize::MAX, Output::Extracted, extract)
            .sized(extracted_size),
        JsonFunction::new(GET, 2..=2, Output::Json, |operands| {
            let found = get(operands, |value| Value::text(minified(value).into_owned()))?;
            Ok(found.unwrap_or(Value::Null))
        })
        .sized(extracted_size),
        JsonFunction::new(GET_VALUE, 2..=2, Output::Extracted, |operands| {
            Ok(get(operands, sql_value)?.unwrap_or(Value::Null))
        })
        .sized(extracted_size),
        JsonFunction::new("json_type", 1..=2, Output::Text, |operands| {
            at_path(operands, |value| Ok(Value::text(Kind::of(value).name())))
        }),
        JsonFunction::new("json_array_length", 1..=2, Output::Integer, |operands| {
            at_path(operands, |value| {
                let count = path::element_count(value)?;
                Ok(Value::Integer(i64::try_from(count).unwrap_or(i64::MAX)))
            })
        }),
        JsonFunction::new("json_valid", 1..=1, Output::Integer, |operands| {
            let Some(text) = operands[0].value.as_text() else { return Ok(Value::Null) };
            Ok(Value::Integer(i64::from(is_strict(&text)?)))
        }),
    ]
}

/// An upper bound of JSON text without blanks: control characters in strings are escaped.
fn minified_size(json: &Operand) -> usize {
    match &json.value {
        Value::Text(text) => string_size(text),
        other => other.text_size(),
    }
}

/// An upper bound of the values at all paths. Paths can overlap.
fn extracted_size(operands: &[Operand]) -> usize {
    let paths = operands.len().saturating_sub(1);
    minified_size(&operands[0]).saturating_add(8).saturating_mul(paths)
}

/// The values at one or several paths; several make an array.
fn extract(operands: &[Operand]) -> Result<Value<'static>> {
    let [json, paths @ ..] = operands else { return Ok(Value::Null) };
    let Some(json) = json.value.as_text() else { return Ok(Value::Null) };
    let json = document(&json)?;
    let mut found = Vec::with_capacity(paths.len());
    for path in paths {
        let Some(path) = path.value.as_text() else { return Ok(Value::Null) };
        found.push(path::find(json, &path::parse(&path)?)?);
    }
    if let [only] = &found[..] {
        return Ok(only.map_or(Value::Null, sql_value));
    }
    let elements = found.into_iter().map(|value| minified(value.unwrap_or("null")));
    Ok(Value::text(format!("[{}]", elements.collect::<Vec<_>>().join(","))))
}

/// Evaluates `convert` for the value that the second operand leads to.
fn get(
    operands: &[Operand],
    convert: fn(&str) -> Value<'static>,
) -> Result<Option<Value<'static>>> {
    let Some(json) = operands[0].value.as_text() else { return Ok(None) };
    let json = document(&json)?;
    let Some(steps) = path::parse_operand(&operands[1].value)? else { return Ok(None) };
    Ok(path::find(json, &steps)?.map(convert))
}

/// Evaluates `convert` for a value, or for the value at a path in it.
fn at_path(
    operands: &[Operand],
    convert: fn(&str) -> Result<Value<'static>>,
) -> Result<Value<'static>> {
    let Some(json) = operands[0].value.as_text() else { return Ok(Value::Null) };
    let json = document(&json)?;
    let path = match operands.get(1) {
        Some(path) => path.value.as_text(),
        None => Some("$".into()),
    };
    let Some(path) = path else { return Ok(Value::Null) };
    let steps: Vec<Step> = path::parse(&path)?;
    match path::find(json, &steps)? {
        Some(value) => convert(value),
        None => Ok(Value::Null),
    }
}
