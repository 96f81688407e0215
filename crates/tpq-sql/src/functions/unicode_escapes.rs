//! `unistr` and `unistr_quote`: characters written as the numbers of their code points.

use datafusion::common::exec_err;

use super::per_row::{PerRow, text};
use super::text::quote;
use super::value::Value;

pub(super) fn functions() -> Vec<PerRow> {
    vec![
        PerRow::new("unistr", 1..=1, text, |values| {
            let Some(escaped) = values[0].as_text() else { return Ok(Value::Null) };
            match unescaped(&escaped) {
                Some(text) => Ok(Value::text(text)),
                None => exec_err!(
                    "unistr(): an escape is none of \\XXXX, \\uXXXX, \\+XXXXXX, \\UXXXXXXXX and \\\\"
                ),
            }
        }),
        PerRow::new("unistr_quote", 1..=1, text, |values| Ok(Value::text(literal(&values[0]))))
            .sized(|values| values[0].text_size().saturating_mul(6).saturating_add(16)),
    ]
}

/// Replaces escapes by their characters; `None` if one is incomplete or has no code point.
fn unescaped(escaped: &str) -> Option<String> {
    let mut out = String::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let (marker, digits) = match rest.bytes().next()? {
            b'\\' => (1, 0),
            b'u' => (1, 4),
            b'+' => (1, 6),
            b'U' => (1, 8),
            _ => (0, 4),
        };
        if digits == 0 {
            out.push('\\');
        } else {
            let number = rest.get(marker..marker + digits)?;
            // `from_str_radix` takes a sign as well.
            if !number.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return None;
            }
            let code = u32::from_str_radix(number, 16).ok()?;
            // Halves of surrogate pairs are no characters.
            out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        rest = &rest[marker + digits..];
    }
    out.push_str(rest);
    Some(out)
}

/// Formats a value as an SQL literal without control characters.
fn literal(value: &Value) -> String {
    match value {
        Value::Text(text) if text.contains(is_control) => {
            let mut out = String::from("unistr('");
            for c in text.chars() {
                match c {
                    '\'' => out.push_str("''"),
                    '\\' => out.push_str("\\\\"),
                    c if is_control(c) => out.push_str(&format!("\\u{:04x}", u32::from(c))),
                    c => out.push(c),
                }
            }
            out.push_str("')");
            out
        }
        other => quote(other),
    }
}

fn is_control(c: char) -> bool {
    matches!(c, '\u{1}'..='\u{1f}')
}
