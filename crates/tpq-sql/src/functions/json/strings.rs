//! Texts within JSON: the escapes of strings, and values without blanks.

use std::borrow::Cow;

/// A value without blanks, and without control characters in strings.
pub(super) fn minified(value: &str) -> Cow<'_, str> {
    if value.bytes().all(|byte| byte > b' ') {
        return Cow::Borrowed(value);
    }
    let mut text = String::with_capacity(value.len());
    let (mut in_string, mut escaped) = (false, false);
    for c in value.chars() {
        if !in_string {
            if !c.is_ascii_whitespace() {
                in_string = c == '"';
                text.push(c);
            }
            continue;
        }
        in_string = escaped || c != '"';
        escaped = c == '\\' && !escaped;
        match c {
            '\0'..' ' => push_control(&mut text, c),
            c => text.push(c),
        }
    }
    Cow::Owned(text)
}

/// Appends a text as a JSON string.
pub(in super::super) fn push_string(json: &mut String, text: &str) {
    let is_escaped = |byte: u8| matches!(byte, b'"' | b'\\' | 0..b' ');
    json.push('"');
    if !text.bytes().any(is_escaped) {
        json.push_str(text);
        json.push('"');
        return;
    }
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            '\0'..' ' => push_control(json, c),
            c => json.push(c),
        }
    }
    json.push('"');
}

fn push_control(json: &mut String, c: char) {
    match c {
        '\u{8}' => json.push_str("\\b"),
        '\t' => json.push_str("\\t"),
        '\n' => json.push_str("\\n"),
        '\u{c}' => json.push_str("\\f"),
        '\r' => json.push_str("\\r"),
        c => json.push_str(&format!("\\u{:04x}", u32::from(c))),
    }
}

/// The length in bytes of a text as a JSON string.
pub(super) fn string_size(text: &str) -> usize {
    let size = |byte: u8| match byte {
        b'"' | b'\\' => 2,
        0..b' ' => 6,
        _ => 1,
    };
    text.bytes().map(size).fold(2, usize::saturating_add)
}

/// The text that stands between the quotes of a JSON string.
pub(super) fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        plain.push_str(before);
        let mut characters = escape.chars();
        let letter = characters.next();
        rest = characters.as_str();
        match letter {
            Some('b') => plain.push('\u{8}'),
            Some('f') => plain.push('\u{c}'),
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            Some('t') => plain.push('\t'),
            Some('u') => plain.push(unicode(&mut rest)),
            Some(other) => plain.push(other),
            None => {}
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// Reads the digits after `\u`, with those of a second escape if both are surrogates.
fn unicode(rest: &mut &str) -> char {
    let Some(high) = four_digits(rest) else { return char::REPLACEMENT_CHARACTER };
    *rest = rest.get(4..).unwrap_or_default();
    if let Some(character) = char::from_u32(high) {
        return character;
    }
    let low = rest.strip_prefix("\\u").and_then(four_digits);
    match (high, low) {
        (0xd800..0xdc00, Some(low @ 0xdc00..0xe000)) => {
            *rest = rest.get(6..).unwrap_or_default();
            let code = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
            char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        _ => char::REPLACEMENT_CHARACTER,
    }
}

/// The number that the first four hexadecimal digits of a text stand for.
fn four_digits(text: &str) -> Option<u32> {
    u32::from_str_radix(text.get(..4)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::super::super::value::Value;
    use super::super::scan::sql_value;
    use super::*;

    #[test]
    fn blanks_are_removed_outside_of_strings() {
        assert_eq!(minified("{ \"a b\" : [ 1 ,\n2 ] }"), "{\"a b\":[1,2]}");
        assert_eq!(minified("\"a\\\" b\" "), "\"a\\\" b\"");
        assert_eq!(minified("\"a\tb\\\\\" "), "\"a\\tb\\\\\"");
    }

    #[test]
    fn strings_are_escaped_and_read_back() {
        let text = "a\"b\\c\n\u{1}é😀";
        let mut json = String::new();
        push_string(&mut json, text);
        assert_eq!(json, "\"a\\\"b\\\\c\\n\\u0001é😀\"");
        assert!(json.len() <= string_size(text));
        assert_eq!(sql_value(&json), Value::text(text));
        assert_eq!(unescaped("\\ud83d\\ude00\\u00e9\\/"), "😀é/");
        assert_eq!(unescaped("\\ud83d!"), "\u{fffd}!");
    }
}
