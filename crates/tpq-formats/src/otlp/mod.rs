//! Spans of OpenTelemetry, as OTLP in JSON or protobuf: a document of resources, each with scopes
//! and their spans. A resource is a process, and a span a slice of the thread that its attributes
//! name. Spans of no thread run side by side, so they share tracks of their process.

mod json;
mod protobuf;
mod span;

use std::borrow::Cow;
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
    if span.links > 0 {
        let field = i64::from(otlp_traces::span::LINKS);
        stats.add_indexed(Stat::FormatRecordsNotRead, field, span.links as i64);
    }
    let args = args_of(span, event.ts, tables);
    let name = tables.strings.intern(&span.name);
    let slice = NewSlice { ts: event.ts, name, ..NewSlice::default() };
    trackers.bounds.include(event.ts);
    trackers.bounds.include(event.ts.saturating_add(dur));
    if let Some(id) = span.int("thread.id") {
        let tid = Tid { id, ..pid };
        let utid = trackers.processes.thread_of_process(tid, pid, tables);
        let none = |_: &mut Tables| ArgSet::default();
        trackers.complete_on_thread(utid, (slice, dur), &args, none, tables, stats);
        return;
    }
    let upid = trackers.processes.process_without_main(pid, tables);
    let sharing =
        Sharing { kind: TRACKS, dimensions: Dimensions::process(upid), name: StringId::NULL };
    let track = trackers.complete_shared(sharing, event.ts, dur, tables);
    trackers.complete(NewSlice { track, ..slice }, dur, &args, tables, stats);
}

/// The ids of a span that begins at `ts` of trace time, what kind it is, how it ended, its attributes
/// and its events.
fn args_of(span: &Span<'_>, ts: i64, tables: &mut Tables) -> ArgSet {
    let mut args = ArgSet::default();
    let ids = [
        ("trace_id", &span.trace_id),
        ("span_id", &span.span_id),
        ("parent_span_id", &span.parent_span_id),
    ];
    let text = |text: &str, tables: &mut Tables| ArgValue::String(tables.strings.intern(text));
    for (key, id) in ids {
        if let Some(id) = id {
            let value = text(id, tables);
            args.add(tables.strings.intern(key), value);
        }
    }
    for (key, number) in [("kind", span.kind), ("status.code", span.status_code)] {
        if let Some(number) = number {
            args.add(tables.strings.intern(key), ArgValue::Int(number));
        }
    }
    if let Some(message) = &span.status_message {
        let value = text(message, tables);
        args.add(tables.strings.intern("status.message"), value);
    }
    add_attributes("attributes", &span.attributes, &mut args, tables);
    let (start, _) = span.time.unwrap_or_default();
    for (index, event) in span.events.iter().enumerate() {
        let key = format!("events[{index}]");
        if let Some(time) = event.time {
            let ts = ts.saturating_add(time.saturating_sub(start));
            args.add(tables.strings.intern(&format!("{key}.ts")), ArgValue::Int(ts));
        }
        let value = text(&event.name, tables);
        args.add(tables.strings.intern(&format!("{key}.name")), value);
        add_attributes(&format!("{key}.attributes"), &event.attributes, &mut args, tables);
    }
    args
}

fn add_attributes(
    prefix: &str,
    attributes: &[(Cow<'_, str>, Value<'_>)],
    args: &mut ArgSet,
    tables: &mut Tables,
) {
    let mut path = String::new();
    for (key, value) in attributes {
        let value = match value {
            Value::Text(text) => ArgValue::String(tables.strings.intern(text)),
            Value::Int(value) => ArgValue::Int(*value),
            Value::Real(value) => ArgValue::Real(*value),
            Value::Bool(value) => ArgValue::Bool(*value),
            Value::Json(text) => ArgValue::Json(tables.strings.intern(text)),
        };
        path.clear();
        path.push_str(prefix);
        path.push('.');
        path.push_str(key);
        args.add(tables.strings.intern(&path), value);
    }
}
