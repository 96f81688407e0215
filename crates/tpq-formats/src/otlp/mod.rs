//! Spans of OpenTelemetry, as OTLP in JSON: a document of resources, each with scopes and their
//! spans. A resource is a process, and a span a slice of the thread that its attributes name. Spans
//! of no thread run side by side, so they share tracks of their process.

mod spans;

use std::ops::Range;

use tpq_clock::REALTIME;
use tpq_decode::{FormatDecoder, RunEvent, format_run_kind};
use tpq_ingest::RunKind;
use tpq_tables::{Stats, StringId, Tables};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, NewSlice, Sharing, Tid, TrackKind, Trackers};

use self::spans::{Span, read, resources};
use crate::document::{DocumentFormat, DocumentReader, Json};
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const DOCUMENT: RunKind = format_run_kind(27);
const SPANS: RunKind = format_run_kind(28);
const TRACKS: TrackKind = TrackKind::slices("otlp_spans");
/// Processes without a stated id have numbers from here on, above those of systems.
const FIRST_UNNUMBERED: i64 = 1 << 53;

pub(crate) const FORMAT: TraceFormat = TraceFormat {
    has_packets: false,
    default_clock: DefaultClock::OfFile(REALTIME),
    is_windowed: false,
    has_kernel: false,
    has_deferred_args: false,
    prescan: None,
    open,
};

pub(crate) const DECODER: FormatDecoder = FormatDecoder {
    runs: &[(DOCUMENT, decode_resources), (SPANS, decode_span)],
    text_of: |_, _| None,
};

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    let format = DocumentFormat { whole: DOCUMENT, is_text: true, read };
    OpenedFile { reader: Box::new(DocumentReader::new(file, format)), work: None }
}

/// The process of each resource, by the place of the resource in the document.
#[derive(Default)]
struct Resources(Vec<(Range<usize>, Tid)>);

fn decode_resources(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    let mut found = Vec::new();
    for (number, (range, resource)) in (0..).zip(resources(event.message())) {
        let attributes = resource.get("resource").get("attributes");
        let pid =
            attribute(attributes, "process.pid").and_then(|value| value.get("intValue").int());
        let pid = Tid { machine: event.machine, id: pid.unwrap_or(FIRST_UNNUMBERED + number) };
        let upid = trackers.processes.process_without_main(pid, tables);
        if let Some(name) = attribute(attributes, "service.name")
            && let Some(name) = name.get("stringValue").text()
        {
            let name = tables.strings.intern(&name);
            trackers.processes.name_unnamed_process(upid, name, tables);
        }
        found.push((range, pid));
    }
    *trackers.file.states.get() = Resources(found);
}

/// The value of an attribute.
fn attribute<'a>(attributes: Json<'a>, key: &str) -> Option<Json<'a>> {
    let found = attributes.elements().find(|it| it.get("key").text().as_deref() == Some(key));
    found.map(|attribute| attribute.get("value"))
}

fn decode_span(
    event: &RunEvent<'_>,
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
    let span = Span(Json::of_part(event.message()));
    let Some((_, dur)) = span.time() else { return };
    let attributes = span.0.get("attributes");
    let args = args_of(span, attributes, tables);
    let name = span.0.get("name").text().unwrap_or_default();
    let slice =
        NewSlice { ts: event.ts, name: tables.strings.intern(&name), ..NewSlice::default() };
    trackers.bounds.include(event.ts);
    trackers.bounds.include(event.ts.saturating_add(dur));
    let tid = attribute(attributes, "thread.id").and_then(|value| value.get("intValue").int());
    if let Some(id) = tid {
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
fn args_of(span: Span<'_>, attributes: Json<'_>, tables: &mut Tables) -> ArgSet {
    let mut args = ArgSet::default();
    let mut add = |key: &str, value: ArgValue, tables: &mut Tables| {
        args.add(tables.strings.intern(key), value);
    };
    for (key, member) in
        [("trace_id", "traceId"), ("span_id", "spanId"), ("parent_span_id", "parentSpanId")]
    {
        if let Some(text) = span.0.get(member).text().filter(|text| !text.is_empty()) {
            let value = ArgValue::String(tables.strings.intern(&text));
            add(key, value, tables);
        }
    }
    if let Some(kind) = span.0.get("kind").int() {
        add("kind", ArgValue::Int(kind), tables);
    }
    let status = span.0.get("status");
    if let Some(code) = status.get("code").int() {
        add("status.code", ArgValue::Int(code), tables);
    }
    if let Some(message) = status.get("message").text().filter(|text| !text.is_empty()) {
        let value = ArgValue::String(tables.strings.intern(&message));
        add("status.message", value, tables);
    }
    for attribute in attributes.elements() {
        let Some(key) = attribute.get("key").text() else { continue };
        if let Some(value) = value_of(attribute.get("value"), tables) {
            add(&format!("attributes.{key}"), value, tables);
        }
    }
    args
}

/// The value of an attribute. Lists and maps are JSON.
fn value_of(value: Json<'_>, tables: &mut Tables) -> Option<ArgValue> {
    let (kind, value) = value.members().next()?;
    Some(match kind.as_ref() {
        "stringValue" => ArgValue::String(tables.strings.intern(&value.text()?)),
        "intValue" => ArgValue::Int(value.int()?),
        "doubleValue" => ArgValue::Real(value.real()?),
        "boolValue" => ArgValue::Bool(value.raw().trim_ascii() == b"true"),
        _ => ArgValue::Json(tables.strings.intern_bytes(value.raw())),
    })
}
