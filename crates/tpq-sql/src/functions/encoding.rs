//! `base64_encode`, `base64_decode`, `demangle`, `hash`, `str_split`.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cpp_demangle::DemangleOptions;
use datafusion::common::{Result, exec_err};

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
            Ok(demangled(&name)?.map_or(Value::Null, Value::text))
        }),
        PerRow::new("hash", 1..=usize::MAX, integer, hash),
        PerRow::new("str_split", 3..=3, text, str_split),
    ]
}

/// Demangles a symbol; `None` if it is not a mangled name.
///
/// # Errors
/// When the result is too long: the length can double with each part of a mangled name, because a
/// part can refer twice to all text before it.
pub(super) fn demangled(name: &str) -> Result<Option<String>> {
    let mut output = LimitedText::default();
    let is_name = if let Ok(name) = rustc_demangle::try_demangle(name) {
        write!(output, "{name:#}").is_ok()
    } else if let Ok(symbol) = cpp_demangle::Symbol::new(name.as_bytes()) {
        symbol.structured_demangle(&mut output, &DemangleOptions::default()).is_ok()
    } else {
        false
    };
    if output.is_full {
        return exec_err!("demangle() makes a name of more than {LONGEST_NAME} bytes");
    }
    Ok(is_name.then_some(output.text))
}

/// The maximum length in bytes: far longer than any name that a compiler produces.
const LONGEST_NAME: usize = 1_000_000;

/// A text of at most `LONGEST_NAME` bytes; writing more is an error.
#[derive(Default)]
struct LimitedText {
    text: String,
    is_full: bool,
}

impl Write for LimitedText {
    fn write_str(&mut self, part: &str) -> std::fmt::Result {
        self.is_full |= self.text.len() + part.len() > LONGEST_NAME;
        if self.is_full {
            return Err(std::fmt::Error);
        }
        self.text.push_str(part);
        Ok(())
    }
}

/// The 64-bit FNV-1a hash of the bytes of all arguments; it is the same in every trace.
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

/// Returns one part of a text that is split at a separator. Parts are counted from 0; NULL if
/// there are fewer parts.
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
