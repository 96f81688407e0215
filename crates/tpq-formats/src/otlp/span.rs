//! Spans, whichever encoding they are in.

use std::borrow::Cow;
use std::ops::Range;

/// A resource that made spans: a process.
#[derive(Debug)]
pub(super) struct Resource<'a> {
    /// Where it stands in the file, with its spans.
    pub(super) place: Range<usize>,
    /// The number of the process, if it is stated.
    pub(super) pid: Option<i64>,
    /// The name of the service.
    pub(super) service: Option<Cow<'a, str>>,
}

/// A span.
#[derive(Debug, Default)]
pub(super) struct Span<'a> {
    /// Start and duration, ns; `None` if it has none or ends before it starts.
    pub(super) time: Option<(i64, i64)>,
    pub(super) name: Cow<'a, str>,
    /// In hexadecimal digits; `None` if there is none.
    pub(super) trace_id: Option<Cow<'a, str>>,
    pub(super) span_id: Option<Cow<'a, str>>,
    pub(super) parent_span_id: Option<Cow<'a, str>>,
    pub(super) kind: Option<i64>,
    pub(super) status_code: Option<i64>,
    pub(super) status_message: Option<Cow<'a, str>>,
    pub(super) attributes: Vec<(Cow<'a, str>, Value<'a>)>,
    pub(super) events: Vec<SpanEvent<'a>>,
    /// The number of its links, which are not read.
    pub(super) links: u64,
}

/// A moment of a span.
#[derive(Debug, Default)]
pub(super) struct SpanEvent<'a> {
    /// Time, ns since the epoch.
    pub(super) time: Option<i64>,
    pub(super) name: Cow<'a, str>,
    pub(super) attributes: Vec<(Cow<'a, str>, Value<'a>)>,
}

/// The value of an attribute.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value<'a> {
    Text(Cow<'a, str>),
    Int(i64),
    Real(f64),
    Bool(bool),
    /// A list, a map or bytes, in JSON.
    Json(Cow<'a, str>),
}

impl Span<'_> {
    /// Start and duration of a span between two moments.
    pub(super) fn between(start: Option<i64>, end: Option<i64>) -> Option<(i64, i64)> {
        let (start, end) = (start?, end?);
        let dur = end.checked_sub(start).filter(|&dur| dur >= 0)?;
        Some((start, dur))
    }

    /// The value of an attribute.
    pub(super) fn int(&self, key: &str) -> Option<i64> {
        self.attributes.iter().find_map(|(found, value)| match value {
            Value::Int(value) if found == key => Some(*value),
            _ => None,
        })
    }
}

/// What a span without a time is counted as.
pub(super) const NO_TIME: &str = "a span has no start before its end";

/// Where a part stands in a file.
pub(super) fn place(file: &[u8], part: &[u8]) -> Range<usize> {
    let at = (part.as_ptr() as usize).saturating_sub(file.as_ptr() as usize);
    at..at.saturating_add(part.len())
}
