//! Spans of a document and their times.

use std::ops::Range;

use super::SPANS;
use crate::document::{Document, Events, Json, JsonError, Place};

/// A span.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span<'a>(pub(super) Json<'a>);

impl Span<'_> {
    /// Start and duration, ns; `None` if it has none or ends before it starts.
    pub(super) fn time(self) -> Option<(i64, i64)> {
        let start = self.0.get("startTimeUnixNano").int()?;
        let end = self.0.get("endTimeUnixNano").int()?;
        let dur = end.checked_sub(start).filter(|&dur| dur >= 0)?;
        Some((start, dur))
    }
}

/// The resources of a document, each with its place.
pub(super) fn resources(text: &[u8]) -> impl Iterator<Item = (Range<usize>, Json<'_>)> {
    let resources = Json::of_part(text).get("resourceSpans");
    let found: Vec<Json<'_>> = resources.elements().collect();
    found.into_iter().map(|resource| (place(text, resource), resource))
}

/// Where a value stands in a text.
fn place(text: &[u8], value: Json<'_>) -> Range<usize> {
    let at = (value.raw().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    at..at.saturating_add(value.raw().len())
}

/// Reads the times of all spans.
pub(super) fn read(text: &[u8]) -> Document {
    if let Err(JsonError { at, what }) = Json::document(text) {
        return Document::damaged(at, what);
    }
    let (mut times, mut parts, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    for (_, resource) in resources(text) {
        for scope in resource.get("scopeSpans").elements() {
            for span in scope.get("spans").elements() {
                let range = place(text, span);
                match Span(span).time() {
                    Some((start, _)) => {
                        times.push(start);
                        parts.push(range);
                    }
                    None => problems.push((range.start, "a span has no start before its end")),
                }
            }
        }
    }
    let events = vec![Events { kind: SPANS, times, place: Place::Parts(parts) }];
    Document { events, problems, is_readable: true }
}
