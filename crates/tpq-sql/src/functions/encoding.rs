//! `base64_encode`, `base64_decode`, `demangle`, `hash`, `str_split`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use datafusion::common::Result;

use super::per_row::{PerRow, blob, integer, text};
use super::value::Value;

pub(super) fn functions() -> Vec<PerRow> {
    vec![
        PerRow::new("base64_encode", 1..=1, text, |values| {
            Ok(match &values[0] {
                Value::Null => Value::Null,
                value => Value::text(STANDARD.encode(super::text::bytes(value))),
            })
        }),
        PerRow::new("base64_decode", 1..=1, blob, |values| {
            let bytes = values[0].as_text().and_then(|text| STANDARD.decode(text.trim()).ok());
            Ok(bytes.map_or(Value::Null, |bytes| Value::Blob(bytes.into())))
        }),
        PerRow::new("demangle", 1..=1, text, |values| {
            let Some(name) = values[0].as_text() else { return Ok(Value::Null) };
            Ok(demangled(&name).map_or(Value::Null, Value::text))
        }),
        PerRow::new("hash", 1..=usize::MAX, integer, hash),
        PerRow::new("str_split", 3..=3, text, str_split),
    ]
}

/// What the program's source calls a symbol; `None` for what is no mangled name.
fn demangled(name: &str) -> Option<String> {
    if let Ok(name) = rustc_demangle::try_demangle(name) {
        return Some(format!("{name:#}"));
    }
    let symbol = cpp_demangle::Symbol::new(name.as_bytes()).ok()?;
    symbol.demangle().ok()
}

/// FNV-1a, 64 bits, of the bytes of all arguments: the same in every trace.
fn hash<'a>(values: &[Value<'a>]) -> Result<Value<'a>> {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let mut hash = OFFSET;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(PRIME);
        }
    };
    for value in values {
        match value {
            Value::Null => add(&[0]),
            Value::Integer(value) => add(&value.to_le_bytes()),
            Value::Real(value) => add(&value.to_bits().to_le_bytes()),
            Value::Text(text) => add(text.as_bytes()),
            Value::Blob(bytes) => add(bytes),
        }
    }
    Ok(Value::Integer(hash.cast_signed()))
}

/// The part of a text between two separators, counted from 0; NULL beyond the last.
fn str_split<'a>(values: &[Value<'a>]) -> Result<Value<'a>> {
    let (Some(text), Some(separator), Some(at)) =
        (values[0].as_text(), values[1].as_text(), values[2].as_integer())
    else {
        return Ok(Value::Null);
    };
    let (Ok(at), false) = (usize::try_from(at), separator.is_empty()) else {
        return Ok(Value::Null);
    };
    let part = text.split(separator.as_ref()).nth(at).map(str::to_owned);
    Ok(part.map_or(Value::Null, Value::text))
}
