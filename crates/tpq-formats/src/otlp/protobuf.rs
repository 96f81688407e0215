//! Spans in protobuf: one message, or several with their sizes before them, as collectors store
//! them.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tpq_proto::fields::otlp_traces::{
    self, any_value, event, key_value, resource, resource_spans, scope_spans, span, status, values,
};
use tpq_proto::wire::{Fields, LastFields};

use super::span::{NO_TIME, Resource, Span, SpanEvent, Value, place};
use crate::document::{Document, Events, Place};

/// The size of the number that says how long a message is.
const SIZE_LEN: usize = 4;
/// The deepest nesting of lists and maps in an attribute; what is deeper is NULL.
const MOST_DEPTH: usize = 32;

/// The messages of a file, and where the first damage is.
fn messages(file: &[u8]) -> (Vec<&[u8]>, Option<usize>) {
    if file.first() != Some(&0) {
        return (vec![file], None);
    }
    let (mut messages, mut at) = (Vec::new(), 0);
    while at < file.len() {
        let message = next_message(file, at);
        let Some(message) = message.clone().and_then(|range| file.get(range)) else {
            return (messages, Some(at));
        };
        messages.push(message);
        at += SIZE_LEN + message.len();
    }
    (messages, None)
}

/// The message with its size at this place.
fn next_message(file: &[u8], at: usize) -> Option<Range<usize>> {
    let start = at.checked_add(SIZE_LEN)?;
    let size = u32::from_be_bytes(file.get(at..start)?.try_into().ok()?);
    Some(start..start.checked_add(usize::try_from(size).ok()?)?)
}

/// The messages in a repeated field.
fn of(message: &[u8], number: u32) -> impl Iterator<Item = &[u8]> {
    Fields::new(message).filter(move |field| field.number == number).map(|field| field.as_bytes())
}

/// The resources of a file.
pub(super) fn resources(file: &[u8]) -> Vec<Resource<'_>> {
    let (messages, _) = messages(file);
    let parts = messages.into_iter().flat_map(|it| of(it, otlp_traces::RESOURCE_SPANS));
    let read = |part| {
        let resource = LastFields::<2>::new(part).bytes(resource_spans::RESOURCE);
        let mut found = Resource { place: place(file, part), pid: None, service: None };
        for (key, value) in attributes(of(resource, resource::ATTRIBUTES)) {
            match (key.as_ref(), value) {
                ("process.pid", Value::Int(pid)) => found.pid = Some(pid),
                ("service.name", Value::Text(name)) => found.service = Some(name),
                _ => {}
            }
        }
        found
    };
    parts.map(read).collect()
}

/// Reads the times of all spans.
pub(super) fn read(file: &[u8]) -> Document {
    let (messages, damage) = messages(file);
    let mut problems: Vec<(usize, &'static str)> = Vec::new();
    let (mut times, mut parts) = (Vec::new(), Vec::new());
    for message in messages {
        for resource in checked(file, message, otlp_traces::RESOURCE_SPANS, &mut problems) {
            for scope in checked(file, resource, resource_spans::SCOPE_SPANS, &mut problems) {
                for span in checked(file, scope, scope_spans::SPANS, &mut problems) {
                    let range = place(file, span);
                    match time(&LastFields::new(span)) {
                        Some((start, _)) => {
                            times.push(start);
                            parts.push(range);
                        }
                        None => problems.push((range.start, NO_TIME)),
                    }
                }
            }
        }
    }
    problems.extend(damage.map(|at| (at, "from here on this is no message with its size")));
    let is_readable = problems.is_empty() || !times.is_empty();
    let events = vec![Events { kind: super::PROTOBUF_SPANS, times, place: Place::Parts(parts) }];
    Document { events, problems, is_readable }
}

/// The messages in a repeated field. Where a message is damaged, its rest is left out.
fn checked<'a>(
    file: &[u8],
    message: &'a [u8],
    number: u32,
    problems: &mut Vec<(usize, &'static str)>,
) -> Vec<&'a [u8]> {
    let mut fields = Fields::new(message);
    let found = fields.by_ref().filter(|field| field.number == number);
    let found = found.map(|field| field.as_bytes()).collect();
    if fields.is_damaged() {
        let at = place(file, message).start + fields.position();
        problems.push((at, "this is no field of a message"));
    }
    found
}

/// The fields of a span that it has once.
type SpanFields<'a> = LastFields<'a, 16>;

fn time(span: &SpanFields<'_>) -> Option<(i64, i64)> {
    let ns = |number| i64::try_from(span.get(number)?.as_u64()).ok();
    Span::between(ns(span::START_TIME_UNIX_NANO), ns(span::END_TIME_UNIX_NANO))
}

/// Reads a span.
pub(super) fn span(message: &[u8]) -> Span<'_> {
    let fields = SpanFields::new(message);
    let id = |number| Some(fields.bytes(number)).filter(|id| !id.is_empty()).map(hex);
    let status = LastFields::<4>::new(fields.bytes(span::STATUS));
    let message_text = String::from_utf8_lossy(status.bytes(status::MESSAGE));
    let code = status.get(status::CODE);
    Span {
        time: time(&fields),
        name: String::from_utf8_lossy(fields.bytes(span::NAME)),
        trace_id: id(span::TRACE_ID),
        span_id: id(span::SPAN_ID),
        parent_span_id: id(span::PARENT_SPAN_ID),
        kind: fields.get(span::KIND).map(|kind| i64::from(kind.as_i32())),
        status_code: code.map(|code| i64::from(code.as_i32())),
        status_message: Some(message_text).filter(|text| !text.is_empty()),
        attributes: attributes(of(message, span::ATTRIBUTES)).collect(),
        events: of(message, span::EVENTS).map(span_event).collect(),
        links: of(message, span::LINKS).count() as u64,
    }
}

fn span_event(message: &[u8]) -> SpanEvent<'_> {
    let fields = LastFields::<4>::new(message);
    let time = fields.get(event::TIME_UNIX_NANO);
    SpanEvent {
        time: time.and_then(|time| i64::try_from(time.as_u64()).ok()),
        name: String::from_utf8_lossy(fields.bytes(event::NAME)),
        attributes: attributes(of(message, event::ATTRIBUTES)).collect(),
    }
}

fn hex(bytes: &[u8]) -> Cow<'static, str> {
    Cow::Owned(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Attributes with their values.
fn attributes<'a>(
    messages: impl Iterator<Item = &'a [u8]>,
) -> impl Iterator<Item = (Cow<'a, str>, Value<'a>)> {
    messages.filter_map(|message| {
        let pair = LastFields::<3>::new(message);
        let key = String::from_utf8_lossy(pair.bytes(key_value::KEY));
        Some((key, value_of(pair.bytes(key_value::VALUE))?))
    })
}

/// The value of an attribute. Lists and maps are as in the JSON of spans.
fn value_of(message: &[u8]) -> Option<Value<'_>> {
    let field = Fields::new(message).last()?;
    Some(match field.number {
        any_value::STRING_VALUE => Value::Text(String::from_utf8_lossy(field.as_bytes())),
        any_value::BOOL_VALUE => Value::Bool(field.as_bool()),
        any_value::INT_VALUE => Value::Int(field.as_i64()),
        any_value::DOUBLE_VALUE => Value::Real(field.as_f64()),
        _ => {
            let mut json = String::new();
            write_json(message, &mut json, 0);
            // The object has the one member with the value.
            let (_, value) = json.strip_suffix('}')?.split_once(':')?;
            Value::Json(Cow::Owned(value.to_owned()))
        }
    })
}

/// Writes a value as an object with one member that names its kind.
fn write_json(message: &[u8], json: &mut String, depth: usize) {
    let field = Fields::new(message).last();
    let Some(field) = field.filter(|_| depth < MOST_DEPTH) else {
        json.push_str("{\"stringValue\":null}");
        return;
    };
    let _ = match field.number {
        any_value::STRING_VALUE => {
            json.push_str("{\"stringValue\":");
            write_text(&String::from_utf8_lossy(field.as_bytes()), json);
            Ok(())
        }
        any_value::BOOL_VALUE => write!(json, "{{\"boolValue\":{}", field.as_bool()),
        any_value::INT_VALUE => write!(json, "{{\"intValue\":\"{}\"", field.as_i64()),
        any_value::DOUBLE_VALUE => match field.as_f64() {
            real if real.is_finite() => write!(json, "{{\"doubleValue\":{real:?}"),
            real => write!(json, "{{\"doubleValue\":\"{real}\""),
        },
        any_value::ARRAY_VALUE => {
            json.push_str("{\"arrayValue\":{\"values\":[");
            for (at, value) in of(field.as_bytes(), values::VALUES).enumerate() {
                json.push_str(if at == 0 { "" } else { "," });
                write_json(value, json, depth + 1);
            }
            write!(json, "]}}")
        }
        any_value::KVLIST_VALUE => {
            json.push_str("{\"kvlistValue\":{\"values\":[");
            for (at, pair) in of(field.as_bytes(), values::VALUES).enumerate() {
                json.push_str(if at == 0 { "{\"key\":" } else { ",{\"key\":" });
                let pair = LastFields::<3>::new(pair);
                write_text(&String::from_utf8_lossy(pair.bytes(key_value::KEY)), json);
                json.push_str(",\"value\":");
                write_json(pair.bytes(key_value::VALUE), json, depth + 1);
                json.push('}');
            }
            write!(json, "]}}")
        }
        _ => write!(json, "{{\"bytesValue\":\"{}\"", STANDARD.encode(field.as_bytes())),
    };
    json.push('}');
}

/// Writes a text in quotes.
fn write_text(text: &str, json: &mut String) {
    json.push('"');
    for letter in text.chars() {
        let _ = match letter {
            '"' | '\\' => write!(json, "\\{letter}"),
            letter if u32::from(letter) < 0x20 => write!(json, "\\u{:04x}", u32::from(letter)),
            letter => write!(json, "{letter}"),
        };
    }
    json.push('"');
}
