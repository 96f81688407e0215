//! Spans in JSON: one document, or one in each line, as collectors store them.

use std::borrow::Cow;

use super::span::{NO_TIME, Resource, Span, SpanEvent, Value, place};
use crate::document::{Document, Events, Json, JsonError, Place};

/// The member of a document with its resources.
const RESOURCES: &str = "resourceSpans";

/// The documents of a file. It has one in each line if the first line is one; or any other, where
/// the first is damaged.
fn documents(file: &[u8]) -> Vec<&[u8]> {
    let lines = file.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let (first, second) = (lines.clone().next(), lines.clone().nth(1));
    let is_of_lines = second.is_some()
        && (first.is_some_and(|it| Json::document(it).is_ok()) || lines.clone().any(has_resources));
    match is_of_lines {
        true => lines.collect(),
        false => vec![file],
    }
}

/// Whether a line is a document with resources. No line within a document is one.
fn has_resources(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"{")
        && line.ends_with(b"}")
        && Json::document(line).is_ok_and(|it| it.get(RESOURCES).raw() != b"null")
}

/// The resources of a file.
pub(super) fn resources(text: &[u8]) -> Vec<Resource<'_>> {
    let documents = documents(text);
    // One document was checked when the times were read, and a file without it has no events.
    let is_checked = documents.len() == 1;
    let documents = documents.into_iter().filter(|it| is_checked || Json::document(it).is_ok());
    let parts = documents.flat_map(|it| Json::of_part(it).enter(RESOURCES).elements());
    let mut found = Vec::new();
    for part in parts {
        let attributes = part.enter("resource").get("attributes");
        found.push(Resource {
            place: place(text, part.raw()),
            pid: attribute(attributes, "process.pid").and_then(|value| value.get("intValue").int()),
            service: attribute(attributes, "service.name")
                .and_then(|value| value.get("stringValue").text()),
        });
    }
    found
}

/// The value of an attribute.
fn attribute<'a>(attributes: Json<'a>, key: &str) -> Option<Json<'a>> {
    let found = attributes.elements().find(|it| it.get("key").text().as_deref() == Some(key));
    found.map(|attribute| attribute.get("value"))
}

/// Reads the times of all spans.
pub(super) fn read(text: &[u8]) -> Document {
    let (mut times, mut parts, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    let documents = documents(text);
    let is_one = documents.len() == 1;
    for part in documents {
        let document = match Json::document(part) {
            Ok(document) => document,
            Err(JsonError { at, what }) if is_one => return Document::damaged(at, what),
            Err(JsonError { at, what }) => {
                problems.push((place(text, part).start + at, what));
                continue;
            }
        };
        document.for_each([RESOURCES, "scopeSpans", "spans"], |span| {
            let range = place(text, span.raw());
            match time(span) {
                Some((start, _)) => {
                    times.push(start);
                    parts.push(range);
                }
                None => problems.push((range.start, NO_TIME)),
            }
        });
    }
    let events = vec![Events { kind: super::JSON_SPANS, times, place: Place::Parts(parts) }];
    Document { events, problems, is_readable: true }
}

fn time(span: Json<'_>) -> Option<(i64, i64)> {
    let [start, end] = span.pick(["startTimeUnixNano", "endTimeUnixNano"]);
    Span::between(start.int(), end.int())
}

/// Reads a span.
pub(super) fn span(part: &[u8]) -> Span<'_> {
    let text = |value: Json<'_>| value.text().filter(|text| !text.is_empty()).map(owned);
    let members = Json::of_part(part).pick([
        "name",
        "traceId",
        "spanId",
        "parentSpanId",
        "kind",
        "startTimeUnixNano",
        "endTimeUnixNano",
        "status",
        "attributes",
        "events",
        "links",
    ]);
    let [name, trace_id, span_id, parent_span_id, kind, start, end, ..] = members;
    let [.., status, of_span, events, links] = members;
    let [code, message] = status.pick(["code", "message"]);
    Span {
        time: Span::between(start.int(), end.int()),
        name: name.text().unwrap_or_default(),
        trace_id: text(trace_id),
        span_id: text(span_id),
        parent_span_id: text(parent_span_id),
        kind: kind.int(),
        status_code: code.int(),
        status_message: text(message),
        attributes: attributes(of_span),
        events: events.elements().map(span_event).collect(),
        links: links.elements().count() as u64,
    }
}

fn span_event(event: Json<'_>) -> SpanEvent<'_> {
    let [time, name, of_event] = event.pick(["timeUnixNano", "name", "attributes"]);
    SpanEvent {
        time: time.int(),
        name: name.text().unwrap_or_default(),
        attributes: attributes(of_event),
    }
}

/// The attributes in a list of them.
fn attributes<'a>(list: Json<'a>) -> Vec<(Cow<'a, str>, Value<'a>)> {
    let pair = |attribute: Json<'a>| {
        let [key, value] = attribute.pick(["key", "value"]);
        Some((key.text()?, value_of(value)?))
    };
    list.elements().filter_map(pair).collect()
}

fn owned(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}

/// The value of an attribute.
fn value_of(value: Json<'_>) -> Option<Value<'_>> {
    let (kind, value) = value.members().next()?;
    Some(match kind.as_ref() {
        "stringValue" => Value::Text(value.text()?),
        "intValue" => Value::Int(value.int()?),
        "doubleValue" => Value::Real(value.real()?),
        "boolValue" => Value::Bool(value.raw().trim_ascii() == b"true"),
        _ => Value::Json(String::from_utf8_lossy(value.raw())),
    })
}
