//! Detects formats that are JSON by the keys of their outermost object.

use crate::Format;
use crate::format::{is_space, trim_start};

/// The number of bytes in which keys are searched.
const KEYS_LEN: usize = 1 << 20;
/// The number of keys that are looked at.
const MOST_KEYS: usize = 64;
/// Part of the address that names the format in a profile of speedscope.
const SPEEDSCOPE: &[u8] = b"speedscope.app/file-format-schema";

/// The format of a text that begins like JSON.
pub(crate) fn format_of_json(bytes: &[u8]) -> Format {
    const BOM: &[u8] = b"\xef\xbb\xbf";
    let head = bytes.get(..KEYS_LEN).unwrap_or(bytes);
    let text = trim_start(head.strip_prefix(BOM).unwrap_or(head));
    let Some(inside) = text.strip_prefix(b"{") else { return Format::Json };
    let (mut has_nodes, mut first) = (false, true);
    for (key, value) in keys(inside).take(MOST_KEYS) {
        match key {
            b"traceEvents" => return Format::Json,
            b"meta" | b"libs" if first => return Format::Gecko,
            b"profile" if is_gecko(value) => return Format::Gecko,
            b"resourceSpans" => return Format::Otlp,
            b"snapshot" if contains(first_bytes(value), b"\"node_fields\"") => {
                return Format::HeapSnapshot;
            }
            b"head" if contains(first_bytes(value), b"\"callFrame\"") => {
                return Format::HeapProfile;
            }
            b"$schema" | b"profiles" if contains(head, SPEEDSCOPE) => return Format::Speedscope,
            b"nodes" if contains(first_bytes(value), b"\"callFrame\"") => {
                return Format::CpuProfile;
            }
            b"nodes" => has_nodes = true,
            b"timeDeltas" if has_nodes => return Format::CpuProfile,
            _ => {}
        }
        first = false;
    }
    Format::Json
}

/// Whether a value is a profile of Firefox, as its developer tools wrap it.
fn is_gecko(value: &[u8]) -> bool {
    let Some(inside) = value.strip_prefix(b"{") else { return false };
    keys(inside).next().is_some_and(|(key, _)| matches!(key, b"libs" | b"meta" | b"threads"))
}

/// The start of a value, in which its first element lies.
fn first_bytes(value: &[u8]) -> &[u8] {
    value.get(..512).unwrap_or(value)
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// The keys of an object and the text from each of their values on. The walk ends where the text
/// ends, or is no JSON.
fn keys(inside: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = inside;
    std::iter::from_fn(move || {
        rest = rest.get(rest.iter().position(|&byte| !is_space(byte) && byte != b',')?..)?;
        let after = rest.strip_prefix(b"\"")?;
        let end = end_of_string(after)?;
        let key = after.get(..end)?;
        let value = trim_start(trim_start(after.get(end + 1..)?).strip_prefix(b":")?);
        rest = value.get(len_of_value(value).unwrap_or(value.len())..)?;
        Some((key, value))
    })
}

/// The position of the quote that ends a string.
fn end_of_string(text: &[u8]) -> Option<usize> {
    let mut is_escaped = false;
    text.iter().position(|&byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    })
}

/// The number of bytes of a value; `None` if it does not end in this text.
fn len_of_value(text: &[u8]) -> Option<usize> {
    let (mut at, mut depth) = (0, 0_usize);
    loop {
        match text.get(at)? {
            b'"' => at += 1 + end_of_string(text.get(at + 1..)?)?,
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return Some(at),
            b'}' | b']' => depth -= 1,
            b',' if depth == 0 => return Some(at),
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_by_their_keys() {
        for (text, format) in [
            (r#"{"traceEvents": []}"#, Format::Json),
            (r#"[{"ph": "X"}]"#, Format::Json),
            (r#"{"displayTimeUnit": "ns", "nodes": 1}"#, Format::Json),
            (r#" { "meta" : {}, "threads": []}"#, Format::Gecko),
            (r#"{"libs": []}"#, Format::Gecko),
            (r#"{"other": 1, "meta": {}}"#, Format::Json),
            (r#"{"label": "a}\"", "a": [{"x": []}], "profile": {"libs": []}}"#, Format::Gecko),
            (r#"{"profile": {"nodes": []}}"#, Format::Json),
            (r#"{"resourceSpans": []}"#, Format::Otlp),
            (r#"{"snapshot": {"meta": {"node_fields": []}}}"#, Format::HeapSnapshot),
            (r#"{"snapshot": {}}"#, Format::Json),
            (
                r#"{"$schema": "https://www.speedscope.app/file-format-schema.json"}"#,
                Format::Speedscope,
            ),
            (r#"{"nodes": [{"id": 1, "callFrame": {}}]}"#, Format::CpuProfile),
            (r#"{"nodes": [], "samples": [], "timeDeltas": []}"#, Format::CpuProfile),
            (r#"{"nodes": [], "samples": []"#, Format::Json),
            (r#"{"head": {"callFrame": {}, "selfSize": 0}, "samples": []}"#, Format::HeapProfile),
            (r#"{"head": {}, "samples": []}"#, Format::Json),
            (r#"{"a": "\"#, Format::Json),
        ] {
            assert_eq!(format_of_json(text.as_bytes()), format, "{text}");
        }
    }
}
