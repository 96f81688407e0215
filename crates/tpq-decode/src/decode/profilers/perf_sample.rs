//! Samples of the perf profiler: the thread and the CPU, the call stack, the values of counters, and
//! how many were lost.

use tpq_ingest::{Route, SourceId};
use tpq_proto::decode;
use tpq_proto::fields::{
    perf_sample::{self, producer_event},
    trace_packet, trace_packet_defaults,
};
use tpq_proto::message::PerfSampleDefaults;
use tpq_proto::wire::{Fields, repeated};
use tpq_tables::table::ProfilerSampleRow;
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::perf_counter;
use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::stacks::InternedStacks;
use tpq_trackers::track::{
    Dimensions, MAX_CPUS, PerfTracks, Profiler, SampledTask, Tid, TrackKind, Trackers,
    push_counter, push_counter_set,
};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::PERF_SAMPLE, route: Route::Sorted, decode: decode_sample };

/// Reasons for which a sample has no stack.
mod skipped {
    pub(in crate::decode) const READ_STAGE: u32 = 1;
    pub(in crate::decode) const UNWIND_STAGE: u32 = 2;
    /// The profiler could not keep up.
    pub(in crate::decode) const UNWIND_ENQUEUE: u32 = 3;
}

/// The field of the defaults of a sequence that says how it samples.
const SAMPLE_DEFAULTS: u32 = trace_packet_defaults::PERF_SAMPLE_DEFAULTS;
/// The name of the profiler among others.
const SOURCE: &str = "linux.perf";
/// The modes of a CPU by number; of 0 nothing is known.
const MODES: [&str; 6] = ["", "kernel", "user", "hypervisor", "guest_kernel", "guest_user"];
/// The reasons by number for which a stack has no more frames.
const UNWIND_ERRORS: [&str; 16] = [
    "unknown",
    "none",
    "memory_invalid",
    "unwind_info",
    "unsupported",
    "invalid_map",
    "max_frames_exceeded",
    "repeated_frame",
    "invalid_elf",
    "system_call",
    "thread_timeout",
    "thread_does_not_exist",
    "bad_arch",
    "maps_parse",
    "invalid_parameter",
    "ptrace_call",
];
/// The profiler stopped because it used too much of the machine.
const STOPPED_BY_GUARDRAIL: u32 = 1;
/// More counters than are ever read together; what says it reads more is damaged.
const MAX_FOLLOWERS: usize = 256;

const COUNTER: TrackKind = TrackKind::counter("perf_cpu_counter", None);

/// A sample without its counter values.
#[derive(Default)]
struct Sample<'a> {
    cpu: Option<u32>,
    pid: Option<u32>,
    tid: Option<u32>,
    /// The mode of the CPU, by number.
    cpu_mode: u32,
    callstack: Option<u64>,
    unwind_error: Option<u32>,
    /// How many samples the kernel lost.
    lost: i64,
    /// Why it has no stack.
    skipped: Option<u32>,
    producer_event: Option<&'a [u8]>,
}

impl<'a> Sample<'a> {
    fn read(bytes: &'a [u8]) -> Self {
        let mut sample = Self::default();
        for field in Fields::new(bytes) {
            match field.number {
                perf_sample::CPU => sample.cpu = Some(field.as_u32()),
                perf_sample::PID => sample.pid = Some(field.as_u32()),
                perf_sample::TID => sample.tid = Some(field.as_u32()),
                perf_sample::CPU_MODE => sample.cpu_mode = field.as_u32(),
                perf_sample::CALLSTACK_IID => sample.callstack = Some(field.as_u64()),
                perf_sample::UNWIND_ERROR => sample.unwind_error = Some(field.as_u32()),
                perf_sample::KERNEL_RECORDS_LOST => sample.lost = field.as_i64(),
                perf_sample::SAMPLE_SKIPPED_REASON => sample.skipped = Some(field.as_u32()),
                perf_sample::PRODUCER_EVENT => sample.producer_event = Some(field.as_bytes()),
                _ => {}
            }
        }
        sample
    }
}

fn decode_sample(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let sample = Sample::read(packet.data);
    let cpu = sample.cpu.unwrap_or_default();
    if cpu > MAX_CPUS {
        stats.increment(Stat::MalformedPackets);
        return;
    }
    let session = session(packet, trackers, tables);
    let perf_tracks = perf_tracks(packet, session, cpu, trackers, tables, stats);
    if sample.lost > 0 {
        stats.add_indexed(Stat::PerfCpuLostRecords, i64::from(cpu), sample.lost);
        return;
    }
    // Reports of the profiler about itself are no samples.
    if let Some(event) = sample.producer_event {
        let stop =
            Fields::new(event).find(|field| field.number == producer_event::SOURCE_STOP_REASON);
        if stop.is_some_and(|reason| reason.as_u32() == STOPPED_BY_GUARDRAIL) {
            stats.set_indexed(Stat::PerfGuardrailStopTs, session.into(), packet.ts());
        }
        return;
    }
    match sample.skipped {
        Some(skipped::READ_STAGE | skipped::UNWIND_STAGE) => {
            stats.increment(Stat::PerfSamplesSkipped);
        }
        Some(skipped::UNWIND_ENQUEUE) => stats.increment(Stat::PerfSamplesSkippedDataloss),
        _ => {}
    }
    trackers.bounds.include(packet.ts());
    let counters = count(packet, &perf_tracks, trackers, tables);
    let counter_set_id = push_counter_set(&counters, tables);
    write(packet, &sample, (session, counter_set_id), trackers, tables, stats);
}

/// Writes the row of a sample with the thread, the CPU and the stack that it is of.
fn write(
    packet: &Packet<'_>,
    sample: &Sample<'_>,
    (session, counter_set_id): (u32, Option<u32>),
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let machine = packet.machine;
    let [tid, pid] =
        [sample.tid, sample.pid].map(|id| id.map(|id| Tid { machine, id: i64::from(id) }));
    let utid =
        tid.zip(pid).map(|(tid, pid)| trackers.processes.thread_of_process(tid, pid, tables));
    let upid = pid.map(|pid| trackers.processes.process(pid, tables));
    let ucpu = sample.cpu.map(|cpu| trackers.cpus.get(machine, cpu, tables));
    let task = (utid.is_some() || upid.is_some())
        .then(|| trackers.samples.task(SampledTask { upid, utid, async_context: None }, tables));
    let stacks = InternedStacks { interned: packet.interned, generation: packet.generation, upid };
    let callsite_id = sample
        .callstack
        .and_then(|iid| stacks.callstack(iid, &mut trackers.source.stacks, tables, stats));
    let cpu_mode = match MODES.get(sample.cpu_mode as usize) {
        None | Some(&"") => StringId::NULL,
        Some(mode) => tables.strings.intern(mode),
    };
    let unwind_error = match sample.unwind_error {
        None => StringId::NULL,
        Some(error) => {
            let name = UNWIND_ERRORS.get(error as usize).unwrap_or(&UNWIND_ERRORS[0]);
            tables.strings.intern(name)
        }
    };
    let row = ProfilerSampleRow {
        ts: packet.ts(),
        source: tables.strings.intern(SOURCE),
        task_context_id: task,
        execution_context_id: (ucpu.is_some() || !cpu_mode.is_null())
            .then(|| trackers.samples.execution(ucpu, cpu_mode, tables)),
        callsite_id,
        unwind_error,
        session_id: Some(session),
        counter_set_id,
    };
    tables.profiler_sample.push(row);
}

/// The session of the sequence that wrote a sample.
fn session(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables) -> u32 {
    let source = tables.strings.intern(SOURCE);
    trackers.samples.session(Profiler::Perf, writer(packet), source, tables)
}

/// The source and the sequence that a packet was written in.
pub(super) fn writer(packet: &Packet<'_>) -> (SourceId, u32) {
    let generation = packet.interned.generation(packet.generation);
    let writer = generation.map(|generation| (generation.source, generation.sequence));
    writer.unwrap_or_default()
}

/// Writes the values of the counters at the time of the sample; returns their rows.
fn count(
    packet: &Packet<'_>,
    perf: &PerfTracks,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> Vec<u32> {
    let mut rows = Vec::new();
    let mut push = |track, value: u64| {
        rows.push(push_counter(packet.ts(), track, value as f64, &mut trackers.bounds, tables));
    };
    let fields = Fields::new(packet.data);
    if let Some(field) = fields.clone().filter(|it| it.number == perf_sample::TIMEBASE_COUNT).last()
    {
        push(perf.timebase, field.as_u64());
    }
    let followers = fields.filter(|field| field.number == perf_sample::FOLLOWER_COUNTS);
    let counts = followers.flat_map(|field| repeated(&field));
    for (&track, value) in perf.followers.iter().zip(counts) {
        push(track, value);
    }
    rows
}

/// The tracks of a session on a CPU, made when it is first heard of there.
fn perf_tracks(
    packet: &Packet<'_>,
    session: u32,
    cpu: u32,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> PerfTracks {
    if let Some(tracks) = trackers.perf_counters.tracks(session, cpu) {
        return tracks;
    }
    let defaults = packet.interned.defaults(packet.generation);
    let defaults = Fields::new(defaults).find(|field| field.number == SAMPLE_DEFAULTS);
    let defaults = defaults.and_then(|it| decode::<PerfSampleDefaults>(it.as_bytes()).ok());
    let timebase = perf_counter::timebase(defaults.as_ref());
    if let Some(unit) = perf_counter::timebase_unit(defaults.as_ref()) {
        tables.profiler_session.timebase_unit.set(session, tables.strings.intern(unit));
    }
    let room = trackers.perf_counters.room().min(MAX_FOLLOWERS);
    let defaults = defaults.unwrap_or_default();
    let mut track = |name: &str, is_timebase: bool| {
        let name = tables.strings.intern(name);
        let dimensions = Dimensions::cpu(packet.machine, cpu)
            .number("perf_session_id", session.into())
            .text("name", name);
        counter_track(dimensions, name, is_timebase, trackers, tables)
    };
    let timebase = track(&timebase, true);
    let followers = defaults.followers.iter().take(room);
    let followers = followers.map(|event| track(&perf_counter::follower(event), false)).collect();
    if defaults.process_shard_count() > 0 {
        for (stat, value) in [
            (Stat::PerfProcessShardCount, defaults.process_shard_count()),
            (Stat::PerfChosenProcessShard, defaults.chosen_process_shard()),
        ] {
            stats.set_indexed(stat, session.into(), value.into());
        }
    }
    let tracks = PerfTracks { timebase, followers };
    trackers.perf_counters.add_tracks(session, cpu, tracks.clone());
    tracks
}

/// The track of a counter, which says whether samples are taken by it.
fn counter_track(
    dimensions: Dimensions,
    name: StringId,
    is_timebase: bool,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> u32 {
    let track =
        trackers.source.tracks.get(COUNTER, dimensions, name, &mut trackers.deferred, tables);
    if tables.track.source_arg_set_id.get(track).is_none() {
        let mut args = ArgSet::default();
        args.add(tables.strings.intern("is_timebase"), ArgValue::Bool(is_timebase));
        let arg_set = trackers.deferred.intern(&args);
        tables.track.source_arg_set_id.set(track, arg_set);
    }
    track
}
