//! `json_pretty(json[, indent])`: JSON with each element and member on a line of its own.

use super::super::value::Value;
use super::function::{JsonFunction, Operand, Output};
use super::scan::document;
use super::strings::minified;

/// The text before an element, for each level, where no other is given.
const INDENT: &str = "    ";

pub(super) fn function() -> JsonFunction {
    JsonFunction::new("json_pretty", 1..=2, Output::Text, |operands| {
        let Some(json) = operands[0].value.as_text() else { return Ok(Value::Null) };
        let json = minified(document(&json)?);
        let mut pretty = String::with_capacity(json.len());
        write(&json, &indent(operands), &mut |part| pretty.push_str(part));
        Ok(Value::text(pretty))
    })
    .sized(|operands| {
        let Value::Text(json) = &operands[0].value else { return operands[0].value.text_size() };
        let mut size = 0_usize;
        write(json, &indent(operands), &mut |part| size = size.saturating_add(part.len()));
        // Control characters in strings are escaped.
        size.saturating_mul(6)
    })
}

fn indent(operands: &[Operand]) -> String {
    let given = operands.get(1).and_then(|indent| indent.value.as_text());
    given.map_or_else(|| INDENT.to_owned(), |indent| indent.into_owned())
}

/// Writes JSON in parts. Empty arrays and objects stay on their line.
fn write(json: &str, indent: &str, push: &mut dyn FnMut(&str)) {
    let mut depth = 0_usize;
    let mut rest = json;
    let line = |depth: usize, push: &mut dyn FnMut(&str)| {
        push("\n");
        (0..depth).for_each(|_| push(indent));
    };
    while let Some(first) = rest.chars().next() {
        let length = if first == '"' { string_length(rest) } else { first.len_utf8() };
        let (part, after) = rest.split_at(length);
        rest = after;
        match first {
            '{' | '[' => {
                push(part);
                if let Some(after) = rest.trim_start().strip_prefix(['}', ']']) {
                    push(if first == '{' { "}" } else { "]" });
                    rest = after;
                } else {
                    depth += 1;
                    line(depth, push);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(depth, push);
                push(part);
            }
            ',' => {
                push(part);
                line(depth, push);
            }
            ':' => push(": "),
            blank if blank.is_ascii_whitespace() => {}
            _ => push(part),
        }
    }
}

/// The length in bytes of the string at the start of a text, with its quotes.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}
