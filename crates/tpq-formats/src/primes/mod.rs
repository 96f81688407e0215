//! Traces of Primes, the performance library of Android apps: a message of edges, each the beginning
//! or the end of a slice, or a mark. A slice runs on an executor, which its first slice names; the
//! others are on that of their parent.

use std::ops::Range;

use rustc_hash::FxHashMap;
use tpq_clock::REALTIME;
use tpq_decode::{FormatDecoder, RunEvent, format_run_kind};
use tpq_ingest::RunKind;
use tpq_proto::fields::primes_trace::{self, edge, entity_details, mark, slice_begin, time};
use tpq_proto::wire::{Fields, LastFields, repeated};
use tpq_tables::{Stat, Stats, StringId, Tables};
use tpq_trackers::args::ArgSet;
use tpq_trackers::track::{
    Dimensions, FlowEnd, FlowId, NewSlice, Sharing, SliceEnd, TrackKind, Trackers,
};

use crate::document::{Document, DocumentFormat, DocumentReader, Events, Place};
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const TRACE: RunKind = format_run_kind(56);
const EDGES: RunKind = format_run_kind(57);
const TRACKS: TrackKind = TrackKind::slices("primes_executor_slice");

pub(crate) const FORMAT: TraceFormat =
    TraceFormat::of_one_clock(DefaultClock::OfFile(REALTIME), open);

pub(crate) const DECODER: FormatDecoder = FormatDecoder {
    runs: &[(TRACE, count_without_time), (EDGES, decode_edge)],
    text_of: |_, _| None,
};

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    let format = DocumentFormat { whole: TRACE, is_text: false, read };
    DocumentReader::open(file, format)
}

/// Reads the times of edges, which count from the start of the trace.
fn read(trace: &[u8]) -> Document {
    let Some(start) = LastFields::<5>::new(trace).get(primes_trace::START_TIME) else {
        return Document::damaged(0, "a trace of Primes has no start");
    };
    let start = ns(start.as_bytes());
    let (mut times, mut parts, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    let mut fields = Fields::new(trace);
    while let Some(field) = fields.next() {
        if field.number != primes_trace::EDGES {
            continue;
        }
        let (edge, end) = (field.as_bytes(), fields.position());
        if let Some(offset) = offset(edge) {
            times.push(start.saturating_add(offset));
            parts.push(Range { start: end - edge.len(), end });
        }
    }
    if fields.is_damaged() {
        problems.push((fields.position(), "from here on this is no field of a trace"));
    }
    let events = vec![Events { kind: EDGES, times, place: Place::Parts(parts) }];
    Document { events, problems, is_readable: true }
}

/// When an edge was, ns after the start.
fn offset(edge: &[u8]) -> Option<i64> {
    LastFields::<3>::new(edge).get(edge::TRACE_START_OFFSET).map(|offset| ns(offset.as_bytes()))
}

/// A time in ns.
fn ns(message: &[u8]) -> i64 {
    let time = LastFields::<3>::new(message);
    let nanos = i64::from(time.int(time::NANOS) as i32);
    time.int(time::SECONDS).saturating_mul(1_000_000_000).saturating_add(nanos)
}

fn count_without_time(event: &RunEvent<'_>, _: &mut Trackers, _: &mut Tables, stats: &mut Stats) {
    let edges = Fields::new(event.message()).filter(|it| it.number == primes_trace::EDGES);
    let without = edges.filter(|edge| offset(edge.as_bytes()).is_none()).count();
    stats.add(Stat::PrimesMalformedTimestamp, without as i64);
}

/// The executor of each edge.
#[derive(Default)]
struct Executors(FxHashMap<u64, i64>);

fn decode_edge(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let edge = LastFields::<6>::new(event.message());
    let id = edge.uint(edge::ID);
    trackers.bounds.include(event.ts);
    let result = if let Some(begin) = edge.get(edge::SLICE_BEGIN) {
        begin_slice(event, id, begin.as_bytes(), trackers, tables, stats)
    } else if edge.has(edge::SLICE_END) {
        end_slice(event, id, trackers, tables, stats)
    } else if let Some(mark) = edge.get(edge::MARK) {
        add_mark(event, id, mark.as_bytes(), trackers, tables, stats)
    } else {
        Err(Stat::PrimesUnknownEdgeType)
    };
    if let Err(missing) = result {
        stats.increment(missing);
    }
}

fn begin_slice(
    event: &RunEvent<'_>,
    id: u64,
    begin: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Result<(), Stat> {
    let begin = LastFields::<9>::new(begin);
    let details = begin.bytes(slice_begin::ENTITY_DETAILS);
    let (executor, name) = match begin.get(slice_begin::EXECUTOR_ID) {
        Some(executor) => {
            let name = begin.bytes(slice_begin::EXECUTOR_NAME);
            (executor.as_i64(), tables.strings.intern_bytes(name))
        }
        None => (executor_of_parent(details, trackers)?, StringId::NULL),
    };
    let Executors(executors) = trackers.file.states.get();
    executors.insert(id, executor);
    let track = trackers.begin_shared(sharing(event, executor, name), id.cast_signed(), tables);
    let slice = new_slice(event, track, details, tables);
    if let Some(slice) = trackers.source.slices.begin(slice, tables, stats) {
        add_flows(id, slice, details, trackers, tables, stats);
    }
    Ok(())
}

fn end_slice(
    event: &RunEvent<'_>,
    id: u64,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Result<(), Stat> {
    let Executors(executors) = trackers.file.states.get();
    let executor = *executors.get(&id).ok_or(Stat::PrimesEndWithoutMatchingBegin)?;
    let sharing = sharing(event, executor, StringId::NULL);
    let track = trackers.end_shared(sharing, id.cast_signed(), tables);
    let any = StringId::NULL;
    let end = SliceEnd { ts: event.ts, track, category: any, name: any };
    trackers.end_slice(end, &ArgSet::default(), tables, stats);
    Ok(())
}

/// Adds a moment on the executor of its parent.
fn add_mark(
    event: &RunEvent<'_>,
    id: u64,
    mark: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Result<(), Stat> {
    let details = LastFields::<2>::new(mark).get(mark::ENTITY_DETAILS);
    let details = details.ok_or(Stat::PrimesMissingEntityDetails)?.as_bytes();
    let executor = executor_of_parent(details, trackers)?;
    let sharing = sharing(event, executor, StringId::NULL);
    trackers.begin_shared(sharing, id.cast_signed(), tables);
    let track = trackers.end_shared(sharing, id.cast_signed(), tables);
    let slice = new_slice(event, track, details, tables);
    if let Some(slice) = trackers.instant(slice, &ArgSet::default(), tables, stats) {
        add_flows(id, slice, details, trackers, tables, stats);
    }
    Ok(())
}

fn executor_of_parent(details: &[u8], trackers: &mut Trackers) -> Result<i64, Stat> {
    let parent = LastFields::<3>::new(details).get(entity_details::PARENT_ID);
    let parent = parent.ok_or(Stat::PrimesMissingParentId)?.as_u64();
    let Executors(executors) = trackers.file.states.get();
    executors.get(&parent).copied().ok_or(Stat::PrimesExecutorNotFound)
}

fn sharing(event: &RunEvent<'_>, executor: i64, name: StringId) -> Sharing {
    let dimensions = Dimensions::machine(event.machine).number("executor_id", executor);
    Sharing { kind: TRACKS, dimensions, name }
}

fn new_slice(event: &RunEvent<'_>, track: u32, details: &[u8], tables: &mut Tables) -> NewSlice {
    let name = LastFields::<2>::new(details).bytes(entity_details::NAME);
    let name = tables.strings.intern_bytes(name);
    NewSlice { ts: event.ts, track, name, ..NewSlice::default() }
}

/// Adds the arrows from edges that a slice follows, and those of flows that it is part of.
fn add_flows(
    id: u64,
    slice: u32,
    details: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    trackers.begin_flow(FlowId::Number(id), slice, tables, stats);
    for number in numbers(details, entity_details::FOLLOWS_FROM_IDS) {
        let flow = FlowId::Number(number);
        trackers.end_flow(flow, slice, FlowEnd::MayRepeat, tables, stats);
    }
    for number in numbers(details, entity_details::FLOW_IDS) {
        let flow = FlowId::Number(number);
        match trackers.file.flows.is_active(flow) {
            true => trackers.step_flow(flow, slice, tables, stats),
            false => trackers.begin_flow(flow, slice, tables, stats),
        }
    }
}

/// The numbers in a repeated field, one by one or packed.
fn numbers(message: &[u8], number: u32) -> impl Iterator<Item = u64> {
    Fields::new(message).filter(move |field| field.number == number).flat_map(|it| repeated(&it))
}
