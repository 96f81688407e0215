//! Spans in JSON.

use std::borrow::Cow;

use super::span::{NO_TIME, Resource, Span, SpanEvent, Value, place};
use crate::document::{Document, Events, Json, JsonError, Place};

/// The resources of a document.
pub(super) fn resources(text: &[u8]) -> Vec<Resource<'_>> {
    let mut found = Vec::new();
    for part in Json::of_part(text).get("resourceSpans").elements() {
        let attributes = part.get("resource").get("attributes");
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
    if let Err(JsonError { at, what }) = Json::document(text) {
        return Document::damaged(at, what);
    }
    let (mut times, mut parts, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    for resource in Json::of_part(text).get("resourceSpans").elements() {
        for scope in resource.get("scopeSpans").elements() {
            for span in scope.get("spans").elements() {
                let range = place(text, span.raw());
                match time(span) {
                    Some((start, _)) => {
                        times.push(start);
                        parts.push(range);
                    }
                    None => problems.push((range.start, NO_TIME)),
                }
            }
        }
    }
    let events = vec![Events { kind: super::JSON_SPANS, times, place: Place::Parts(parts) }];
    Document { events, problems, is_readable: true }
}

fn time(span: Json<'_>) -> Option<(i64, i64)> {
    Span::between(span.get("startTimeUnixNano").int(), span.get("endTimeUnixNano").int())
}

/// Reads a span.
pub(super) fn span(part: &[u8]) -> Span<'_> {
    let span = Json::of_part(part);
    let text = |value: Json<'_>| value.text().filter(|text| !text.is_empty()).map(owned);
    let status = span.get("status");
    Span {
        time: time(span),
        name: span.get("name").text().unwrap_or_default(),
        trace_id: text(span.get("traceId")),
        span_id: text(span.get("spanId")),
        parent_span_id: text(span.get("parentSpanId")),
        kind: span.get("kind").int(),
        status_code: status.get("code").int(),
        status_message: text(status.get("message")),
        attributes: attributes(span),
        events: span.get("events").elements().map(span_event).collect(),
        links: span.get("links").elements().count() as u64,
    }
}

fn span_event(event: Json<'_>) -> SpanEvent<'_> {
    SpanEvent {
        time: event.get("timeUnixNano").int(),
        name: event.get("name").text().unwrap_or_default(),
        attributes: attributes(event),
    }
}

/// The attributes of a span or an event.
fn attributes<'a>(of: Json<'a>) -> Vec<(Cow<'a, str>, Value<'a>)> {
    let pair = |it: Json<'a>| Some((it.get("key").text()?, value_of(it.get("value"))?));
    of.get("attributes").elements().filter_map(pair).collect()
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
