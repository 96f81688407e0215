//! Splits bundles: each holds what one CPU's buffer held, thousands of events in order of time.

use std::sync::Arc;
use tpq_proto::fields::{
    ftrace::ftrace_event,
    ftrace_event_bundle::{self, generic_event_descriptor},
    trace_packet,
};

use rustc_hash::FxHashMap;
use tpq_clock::BOOTTIME;
use tpq_ingest::{
    Bundle, Immediate, Loss, Message, Payload, Route, Run, RunKind, SourceId, SplitSink,
    ftrace_clock_id,
};
use tpq_proto::ftrace::DescribedKind;
use tpq_proto::wire::{Fields, Value, read_varint};
use tpq_tables::{Stat, Stats, Tables};

use super::own_time::{self, When};
use super::presence::{self, PRESENCES, SeenThreads};
use super::{compact_sched, described};
use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::{MetadataValue, SourceTrackers, Trackers};

/// What is remembered from bundle to bundle of a file.
#[derive(Debug, Default)]
pub(crate) struct KernelBundles {
    /// The last event that was read of each CPU of a source, in the clock of its bundle.
    last_events: FxHashMap<(SourceId, u32), i64>,
    /// The threads of a run, where events that only show their thread are left out.
    threads: Option<SeenThreads>,
}

impl KernelBundles {
    /// Leaves out events that only show their thread, if tables on tracks are left out.
    pub(crate) fn new(leaves_out_tracks: bool) -> Self {
        Self { threads: leaves_out_tracks.then(SeenThreads::default), ..Self::default() }
    }
}

pub(crate) const PACKET: PacketDecoder = PacketDecoder {
    field: trace_packet::FTRACE_EVENTS,
    route: Route::Split,
    decode: decode_header,
};

/// Runs of events that are messages of their own.
pub(crate) const EVENTS: RunKind = RunKind(RunKind::FIRST_SPLIT);

/// Runs of events at the times that they state. The same events are in runs of [`EVENTS`], at the
/// times at which they were written.
pub(crate) const DATED: RunKind = RunKind(RunKind::FIRST_SPLIT + 3);

/// Timestamps of events, with offset and length of each.
type Events = (Vec<i64>, Vec<(u32, u32)>);

/// Contents of a bundle.
struct Parts<'a> {
    cpu: u32,
    /// The clock of its timestamps, as its sequence calls it.
    clock: u32,
    /// The end of what the recorder had read of the CPU's buffer before.
    previous_end: Option<i64>,
    /// Whether the CPU's buffer lost events before these.
    lost: bool,
    timestamps: Vec<i64>,
    /// Offset and length of each event.
    ranges: Vec<(u32, u32)>,
    /// Events that say themselves when they were, by the clock of theirs.
    own: Vec<(u32, Events)>,
    /// The columns of compact events, with their offset.
    compact: Option<(usize, &'a [u8])>,
}

impl<'a> Parts<'a> {
    fn read(
        bundle: &Bundle<'a>,
        threads: &mut Option<SeenThreads>,
        sink: &mut SplitSink<'_>,
    ) -> Self {
        let mut parts = Self {
            cpu: 0,
            clock: BOOTTIME,
            previous_end: None,
            lost: false,
            timestamps: Vec::new(),
            ranges: Vec::new(),
            own: Vec::new(),
            compact: None,
        };
        let mut fields = Fields::new(bundle.payload);
        while let Some(field) = fields.next() {
            match (field.number, field.value) {
                (ftrace_event_bundle::EVENT, Value::Bytes(event)) => match event_timestamp(event) {
                    Some(timestamp) => {
                        let offset = fields.position() - event.len();
                        if let Some(threads) = threads {
                            if !is_kept(event, timestamp as i64, threads) {
                                continue;
                            }
                        } else if parts.timestamps.capacity() == 0 {
                            parts.make_room(bundle.payload.len() - offset);
                        }
                        parts.add(timestamp as i64, event, offset, sink);
                    }
                    None => sink.lose(Loss::MalformedBundle),
                },
                (ftrace_event_bundle::COMPACT_SCHED, Value::Bytes(bytes)) => {
                    parts.compact = Some((fields.position() - bytes.len(), bytes));
                }
                (ftrace_event_bundle::CPU, _) => parts.cpu = field.as_u32(),
                (
                    ftrace_event_bundle::LAST_READ_EVENT_TIMESTAMP
                    | ftrace_event_bundle::PREVIOUS_BUNDLE_END_TIMESTAMP,
                    _,
                ) => {
                    parts.previous_end = Some(field.as_i64());
                }
                (ftrace_event_bundle::LOST_EVENTS, _) => parts.lost = field.as_bool(),
                (ftrace_event_bundle::FTRACE_CLOCK, _) => {
                    parts.clock = ftrace_clock_id(field.as_u64())
                }
                _ => {}
            }
        }
        if fields.is_damaged() {
            sink.lose(Loss::MalformedBundle);
        }
        parts
    }

    /// Reserves memory for the events of `bytes` bytes.
    #[cold]
    fn make_room(&mut self, bytes: usize) {
        /// About as many as an event takes.
        const USUAL: usize = 32;
        self.timestamps.reserve_exact(bytes / USUAL);
        self.ranges.reserve_exact(bytes / USUAL);
    }

    fn add(&mut self, timestamp: i64, event: &[u8], offset: usize, sink: &mut SplitSink<'_>) {
        let range = (offset as u32, event.len() as u32);
        let when = own_time::when(event);
        if when == When::Missing {
            return sink.lose(Loss::MalformedBundle);
        }
        self.timestamps.push(timestamp);
        self.ranges.push(range);
        let When::Own { clock, ns } = when else { return };
        let of_clock = self.own.iter().position(|&(own, _)| own == clock);
        let index = of_clock.unwrap_or_else(|| {
            self.own.push((clock, Events::default()));
            self.own.len() - 1
        });
        let (timestamps, ranges) = &mut self.own[index].1;
        timestamps.push(ns);
        ranges.push(range);
    }
}

/// Whether an event says more than that its thread exists, or is the first to say so.
fn is_kept(event: &[u8], timestamp: i64, threads: &mut SeenThreads) -> bool {
    let Some((kind, pid)) = presence::kind_and_pid(event) else { return true };
    !presence::is_of_tracks(kind) || threads.is_first(pid, timestamp)
}

/// Splits a bundle into runs, and passes its header on to be decoded at once.
pub(crate) fn split(bundle: Bundle<'_>, bundles: &mut KernelBundles, sink: &mut SplitSink<'_>) {
    let KernelBundles { last_events, threads } = bundles;
    let Parts { cpu, clock, previous_end, lost, timestamps, ranges, own, compact } =
        Parts::read(&bundle, threads, sink);
    if cpu > tpq_trackers::track::MAX_CPUS {
        if let Some(threads) = threads {
            threads.take();
        }
        sink.lose(Loss::MalformedBundle);
        return;
    }
    // Before those of wakeups are noted.
    let presences = threads.as_mut().map(|threads| take_presences(threads, clock, sink));
    let ts = previous_end.and_then(|ns| sink.trace_time(clock, ns));
    let Bundle { span, generation, position, kind, source, sequence, .. } = bundle;
    let message = Message::new(span, generation, position, kind);
    sink.immediate(Immediate::Packet { message, source, sequence, ts });
    let run = |kind, timestamps, payload| Run {
        kind,
        cpu: Some(cpu),
        source,
        generation,
        position,
        addr: span.addr,
        timestamps,
        payload,
    };
    let mut ends = ends_of(&timestamps);
    if let Some((offset, bytes)) = compact {
        let columns = span.inner(offset, bytes.len());
        for (kind, timestamps, payload) in compact_sched::split(columns, bytes, threads, sink) {
            ends = around(ends, ends_of(&timestamps));
            sink.push(clock, run(kind, timestamps, payload));
        }
        if let Some(threads) = threads {
            let (timestamps, payload) = take_presences(threads, clock, sink);
            sink.push(clock, run(PRESENCES, timestamps, payload));
        }
    }
    if let Some((first, latest)) = ends {
        let before_it = last_events.insert((source, cpu), latest);
        if lost && let Some(before) = sink.trace_time(clock, first) {
            let after = before_it.and_then(|ns| sink.trace_time(clock, ns));
            sink.immediate(Immediate::Gap { source, cpu, after, before });
        }
    }
    for (clock, (timestamps, ranges)) in own {
        let payload = Payload::Bundle { addr: span.addr, ranges };
        sink.push(clock, run(DATED, timestamps, payload));
    }
    let payload = Payload::Bundle { addr: span.addr, ranges };
    sink.push(clock, run(EVENTS, timestamps, payload));
    if let Some((timestamps, payload)) = presences {
        sink.push(clock, run(PRESENCES, timestamps, payload));
    }
}

/// The presences of a run with times of `clock`. An event that was left out may not be older than
/// the first of its thread, in trace time either.
fn take_presences(
    threads: &mut SeenThreads,
    clock: u32,
    sink: &mut SplitSink<'_>,
) -> (Vec<i64>, Payload) {
    if let Some((first, last)) = threads.span()
        && !sink.keeps_order(clock, first, last)
    {
        threads.note_disorder();
    }
    threads.take()
}

/// The first and the last of a bundle's timestamps, which are in order.
fn ends_of(timestamps: &[i64]) -> Option<(i64, i64)> {
    Some((*timestamps.first()?, *timestamps.last()?))
}

fn around(one: Option<(i64, i64)>, other: Option<(i64, i64)>) -> Option<(i64, i64)> {
    match (one, other) {
        (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
        (one, other) => one.or(other),
    }
}

/// The timestamp of an event: its first field, where recorders write it, or wherever it is.
fn event_timestamp(event: &[u8]) -> Option<u64> {
    const TIMESTAMP_TAG: u8 = 1 << 3;
    match event.first() {
        Some(&TIMESTAMP_TAG) => read_varint(event, &mut 1),
        _ => Fields::new(event)
            .find(|field| field.number == ftrace_event::TIMESTAMP)
            .map(|field| field.as_u64()),
    }
}

/// The state of a CPU's buffer in a bundle; its time is the end of the read before it.
fn decode_header(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (mut cpu, mut follows, mut lost) = (0, false, false);
    for field in Fields::new(packet.data) {
        match field.number {
            ftrace_event_bundle::CPU => cpu = field.as_u32(),
            ftrace_event_bundle::LOST_EVENTS => lost = field.as_bool(),
            ftrace_event_bundle::LAST_READ_EVENT_TIMESTAMP
            | ftrace_event_bundle::PREVIOUS_BUNDLE_END_TIMESTAMP => {
                follows = true;
            }
            ftrace_event_bundle::GENERIC_EVENT_DESCRIPTORS => {
                describe_kind(field.as_bytes(), trackers, stats);
            }
            _ => {}
        }
    }
    if lost {
        stats.set_indexed(Stat::FtraceCpuHasDataLoss, i64::from(cpu), 1);
    }
    if let Some(ts) = packet.timestamp.filter(|_| follows) {
        let start = trackers.file.ftrace.bundle(packet.machine, cpu, ts);
        let start = MetadataValue::Int(start);
        trackers.metadata.set("ftrace_latest_data_start_ns", start, tables);
    }
}

/// A kind of event that no message was written for, as the recorder found it in the kernel.
fn describe_kind(descriptor: &[u8], trackers: &mut Trackers, stats: &mut Stats) {
    let (mut number, mut kind) = (0, &[][..]);
    for field in Fields::new(descriptor) {
        match field.number {
            generic_event_descriptor::FIELD_ID => number = field.as_u32(),
            generic_event_descriptor::EVENT_DESCRIPTOR => kind = field.as_bytes(),
            _ => {}
        }
    }
    let SourceTrackers { described_kinds: kinds, kernel_track_events: track_events, .. } =
        &mut *trackers.source;
    // The first description of a kind stands.
    if kinds.contains_key(&number) {
        return;
    }
    let Some(kind) = DescribedKind::read(kind) else {
        stats.increment(Stat::FtraceGenericDescriptorErrors);
        return;
    };
    if let Some(event) = described::track_event(&kind) {
        track_events.insert(number, event);
    }
    let kind = Arc::new(kind);
    trackers.deferred.describe_kind(number, &kind);
    kinds.insert(number, kind);
}
