//! Numbers and bytes in hexadecimal: `unhex`, `__intrinsic_strip_hex`.

use datafusion::arrow::datatypes::DataType;

use super::per_row::{PerRow, text};
use super::text::one_of;
use super::value::Value;

pub(super) fn functions() -> Vec<PerRow> {
    vec![
        PerRow::new("unhex", 1..=2, unhex_type, |values| match values {
            [number] => Ok(integer(number)),
            _ => Ok(bytes(&values[0], &values[1])),
        }),
        PerRow::new("__intrinsic_strip_hex", 2..=2, text, |values| {
            let (Some(text), Some(count)) = (values[0].as_text(), values[1].as_integer()) else {
                return Ok(Value::Null);
            };
            Ok(Value::text(stripped(&text, usize::try_from(count).unwrap_or(0))))
        }),
    ]
}

/// `unhex(text)` is PerfettoSQL's, an integer; `unhex(text, ignored)` is SQLite's, a blob.
fn unhex_type(types: &[DataType]) -> DataType {
    match types {
        [_] => DataType::Int64,
        _ => DataType::BinaryView,
    }
}

/// The integer of up to 16 digits, with or without `0x`; NULL for other text. As in C, 16 digits
/// can make a negative integer.
fn integer(value: &Value) -> Value<'static> {
    let Some(text) = value.as_text() else { return Value::Null };
    let text = text.trim();
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    // The standard library accepts a sign.
    let is_number = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    match u64::from_str_radix(digits, 16) {
        Ok(number) if is_number => Value::Integer(number.cast_signed()),
        _ => Value::Null,
    }
}

/// The bytes of pairs of digits, with ignored characters between the pairs; NULL for other text.
fn bytes(value: &Value, ignored: &Value) -> Value<'static> {
    let (Some(text), Some(ignored)) = (value.as_text(), ignored.as_text()) else {
        return Value::Null;
    };
    let is_ignored = one_of(&ignored);
    let mut bytes = Vec::with_capacity(text.len() / 2);
    let mut characters = text.chars();
    while let Some(high) = characters.next() {
        let Some(high) = high.to_digit(16) else {
            if is_ignored(high) {
                continue;
            }
            return Value::Null;
        };
        let Some(low) = characters.next().and_then(|low| low.to_digit(16)) else {
            return Value::Null;
        };
        bytes.push(u8::try_from(high * 16 + low).unwrap_or(0));
    }
    Value::Blob(bytes.into())
}

/// Removes the numbers from a name, so that names that differ only in numbers become equal.
///
/// A number is a run of hexadecimal digits at the start of a word, with a decimal digit in it, or
/// a run of decimal digits elsewhere. A run with fewer than `min_digits` digits stays. `0x` before
/// a number is removed with it.
fn stripped(name: &str, min_digits: usize) -> String {
    let mut kept = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(next) = rest.chars().next() {
        let in_word = kept.chars().next_back().is_some_and(char::is_alphanumeric);
        let (prefix, after) = match rest.strip_prefix("0x") {
            Some(after) if !in_word => ("0x", after),
            _ => ("", rest),
        };
        let digits = run(after, !in_word);
        let is_number = after.as_bytes().get(..digits).is_some_and(|run| {
            digits > 0 && (!prefix.is_empty() || run.iter().any(u8::is_ascii_digit))
        });
        let length = match (is_number, digits) {
            (true, digits) => prefix.len() + digits,
            (false, 0) => next.len_utf8(),
            (false, digits) => digits,
        };
        let (part, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        if !is_number || digits < min_digits {
            kept.push_str(part);
        }
        rest = after;
    }
    kept
}

/// The length of the run of digits at the start of a text. A hexadecimal run ends with its word.
fn run(text: &str, hexadecimal: bool) -> usize {
    let decimal = text.bytes().take_while(u8::is_ascii_digit).count();
    if !hexadecimal {
        return decimal;
    }
    let digits = text.bytes().take_while(u8::is_ascii_hexdigit).count();
    let next = text.get(digits..).and_then(|rest| rest.chars().next());
    if next.is_some_and(char::is_alphanumeric) { decimal } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_text_becomes_an_integer() {
        let found = |text: &'static str| integer(&Value::text(text));
        assert_eq!(found("1f"), Value::Integer(31));
        assert_eq!(found("0x10000000"), Value::Integer(0x1000_0000));
        assert_eq!(found("0XabC"), Value::Integer(0xabc));
        assert_eq!(found("0xffffffffffffffff"), Value::Integer(-1));
        for text in ["", "0x", "xyz", "12g", "-1", "0x1ffffffffffffffff"] {
            assert_eq!(found(text), Value::Null, "{text}");
        }
        assert_eq!(integer(&Value::Integer(10)), Value::Integer(16));
    }

    #[test]
    fn pairs_of_digits_become_bytes() {
        let found = |text: &'static str| bytes(&Value::text(text), &Value::text("-"));
        assert_eq!(found("41-42"), Value::Blob(vec![0x41, 0x42].into()));
        assert_eq!(found("4-1"), Value::Null);
        assert_eq!(found("414"), Value::Null);
    }

    #[test]
    fn numbers_are_removed_from_names() {
        for (name, min_digits, wanted) in [
            ("Thread12", 1, "Thread"),
            ("Thread1", 2, "Thread1"),
            ("epolld280:system", 2, "epolld:system"),
            ("HeapTaskDaemon", 1, "HeapTaskDaemon"),
            ("decade face", 1, "decade face"),
            ("state{e1d234a}", 2, "state{}"),
            ("at 0xb000cafe, 7", 2, "at , 7"),
            ("base64encode", 2, "baseencode"),
            ("42nd", 2, "nd"),
            ("Zwölf 12é34", 2, "Zwölf é"),
            ("", 1, ""),
        ] {
            assert_eq!(stripped(name, min_digits), wanted, "{name}");
        }
    }
}
