//! Spans of OpenTelemetry, as OTLP in JSON or protobuf: a document of resources, each with scopes
//! and their spans. A resource is a process, and a span a slice of the thread that its attributes
//! name. Spans of no thread run side by side, so they share tracks of their process.

mod json;
mod protobuf;
mod span;

use std::ops::Range;

use tpq_clock::REALTIME;
use tpq_decode::{FormatDecoder, RunEvent, format_run_kind};
use tpq_ingest::RunKind;
use tpq_proto::fields::otlp_traces;
use tpq_tables::{Stat, Stats, StringId, Tables};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, NewSlice, Sharing, Tid, TrackKind, Trackers};

use self::span::{Resource, Span, Value};
use crate::document::{DocumentFormat, DocumentReader};
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const JSON: RunKind = format_run_kind(27);
const JSON_SPANS: RunKind = format_run_kind(28);
const PROTOBUF: RunKind = format_run_kind(51);
const PROTOBUF_SPANS: RunKind = format_run_kind(52);
const TRACKS: TrackKind = TrackKind::slices("otlp_spans");
/// Processes without a stated id have numbers from here on, above those of systems.
const FIRST_UNNUMBERED: i64 = 1 << 53;

pub(crate) const FORMAT: TraceFormat =
    TraceFormat::of_one_clock(DefaultClock::OfFile(REALTIME), open);

pub(crate) const PROTOBUF_FORMAT: TraceFormat = TraceFormat { open: open_protobuf, ..FORMAT };

pub(crate) const DECODER: FormatDecoder = FormatDecoder {
    runs: &[
        (JSON, |event, trackers, tables, _| {
            add_resources(event, json::resources(event.message()), trackers, tables);
        }),
        (JSON_SPANS, |event, trackers, tables, stats| {
            add_span(event, &json::span(event.message()), trackers, tables, stats);
        }),
        (PROTOBUF, |event, trackers, tables, _| {
            add_resources(event, protobuf::resources(event.message()), trackers, tables);
        }),
        (PROTOBUF_SPANS, |event, trackers, tables, stats| {
            add_span(event, &protobuf::span(event.message()), trackers, tables, stats);
        }),
    ],
    text_of: |_, _| None,
};

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    let format = DocumentFormat { whole: JSON, is_text: true, read: json::read };
    DocumentReader::open(file, format)
}

fn open_protobuf(file: OpenFile<'_>) -> OpenedFile<'_> {
    let format = DocumentFormat { whole: PROTOBUF, is_text: false, read: protobuf::read };
    DocumentReader::open(file, format)
}

/// The process of each resource, by the place of the resource in the document.
#[derive(Default)]
struct Resources(Vec<(Range<usize>, Tid)>);

fn add_resources(
    event: &RunEvent<'_>,
    resources: Vec<Resource<'_>>,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let mut found = Vec::new();
    for (number, Resource { place, pid, service }) in (0..).zip(resources) {
        let pid = Tid { machine: event.machine, id: pid.unwrap_or(FIRST_UNNUMBERED + number) };
        let upid = trackers.processes.process_without_main(pid, tables);
        if let Some(name) = service {
            let name = tables.strings.intern(&name);
            trackers.processes.name_unnamed_process(upid, name, tables);
        }
        found.push((place, pid));
    }
    *trackers.file.states.get() = Resources(found);
}

fn add_span(
    event: &RunEvent<'_>,
    span: &Span<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let place = event.run.payload.message_of(event.index).unwrap_or_default();
    let at = usize::try_from(place.addr.saturating_sub(event.run.addr)).unwrap_or_default();
    let Resources(resources) = trackers.file.states.get();
    let after = resources.partition_point(|(range, _)| range.start <= at);
    let of = after.checked_sub(1).and_then(|index| resources.get(index));
    let Some(pid) = of.map(|(_, pid)| *pid) else { return };
    let Some((_, dur)) = span.time else { return };
    for (field, count) in [otlp_traces::span::EVENTS, otlp_traces::span::LINKS]
        .into_iter()
        .zip(span.unread)
        .filter(|(_, count)| *count > 0)
    {
        stats.add_indexed(Stat::FormatRecordsNotRead, i64::from(field), count as i64);
    }
    let args = args_of(span, tables);
    let name = tables.strings.intern(&span.name);
    let slice = NewSlice { ts: event.ts, name, ..NewSlice::default() };
    trackers.bounds.include(event.ts);
    trackers.bounds.include(event.ts.saturating_add(dur));
    if let Some(id) = span.int("thread.id") {
        let tid = Tid { id, ..pid };
        let utid = trackers.processes.thread_of_process(tid, pid, tables);
        let none = ArgSet::default();
        trackers.complete_on_thread(utid, (slice, dur), &args, &none, tables, stats);
        return;
    }
    let upid = trackers.processes.process_without_main(pid, tables);
    let sharing =
        Sharing { kind: TRACKS, dimensions: Dimensions::process(upid), name: StringId::NULL };
    let track = trackers.complete_shared(sharing, event.ts, dur, tables);
    trackers.complete(NewSlice { track, ..slice }, dur, &args, tables, stats);
}

/// The ids of a span, what kind it is, how it ended, and its attributes.
fn args_of(span: &Span<'_>, tables: &mut Tables) -> ArgSet {
    let mut args = ArgSet::default();
    let mut add = |key: &str, value: ArgValue, tables: &mut Tables| {
        args.add(tables.strings.intern(key), value);
    };
    let ids = [
        ("trace_id", &span.trace_id),
        ("span_id", &span.span_id),
        ("parent_span_id", &span.parent_span_id),
    ];
    for (key, text) in ids {
        if let Some(text) = text {
            let value = ArgValue::String(tables.strings.intern(text));
            add(key, value, tables);
        }
    }
    if let Some(kind) = span.kind {
        add("kind", ArgValue::Int(kind), tables);
    }
    if let Some(code) = span.status_code {
        add("status.code", ArgValue::Int(code), tables);
    }
    if let Some(message) = &span.status_message {
        let value = ArgValue::String(tables.strings.intern(message));
        add("status.message", value, tables);
    }
    for (key, value) in &span.attributes {
        let value = match value {
            Value::Text(text) => ArgValue::String(tables.strings.intern(text)),
            Value::Int(value) => ArgValue::Int(*value),
            Value::Real(value) => ArgValue::Real(*value),
            Value::Bool(value) => ArgValue::Bool(*value),
            Value::Json(text) => ArgValue::Json(tables.strings.intern(text)),
        };
        add(&format!("attributes.{key}"), value, tables);
    }
    args
}
