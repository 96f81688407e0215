//! The table of decoders of kernel events, and the decoding of runs.

use std::sync::LazyLock;

use tpq_ingest::{Payload, Span};
use tpq_proto::fields::ftrace::ftrace_event;
use tpq_proto::wire::{Fields, Value};
use tpq_tables::{Stat, Stats, Tables};
use tpq_trackers::track::{Tid, Trackers};

use super::event::{DecodeEvent, Events, FtraceEvent};
use super::{
    adreno, binder, block, buffers, bundle, clock, compact_sched, cpu, described, display, drm,
    f2fs, file_read, firmware, function, gpu, hypervisor, i2c, interrupt, mali, marker, memory,
    network, own_time, power, presence, print, raw, reclaim, sched, secure, signal, socket,
    syscall, task, thermal, timer, ufs, video, virtio, wakeup_source, workqueue,
};
use crate::event::RunEvent;

/// The areas, each listing its own events.
const AREAS: &[Events] = &[
    sched::EVENTS,
    task::EVENTS,
    print::EVENTS,
    interrupt::EVENTS,
    timer::EVENTS,
    syscall::EVENTS,
    workqueue::EVENTS,
    signal::EVENTS,
    memory::EVENTS,
    cpu::EVENTS,
    block::EVENTS,
    network::EVENTS,
    buffers::EVENTS,
    clock::EVENTS,
    display::EVENTS,
    drm::EVENTS,
    file_read::EVENTS,
    firmware::EVENTS,
    gpu::EVENTS,
    adreno::EVENTS,
    hypervisor::EVENTS,
    mali::EVENTS,
    marker::EVENTS,
    power::EVENTS,
    reclaim::EVENTS,
    secure::EVENTS,
    thermal::EVENTS,
    video::EVENTS,
    virtio::EVENTS,
    socket::EVENTS,
    binder::EVENTS,
    function::EVENTS,
    wakeup_source::EVENTS,
    ufs::EVENTS,
    f2fs::EVENTS,
    i2c::EVENTS,
];

/// The numbers of all events that have a decoder.
pub(crate) fn numbers() -> impl Iterator<Item = u32> {
    AREAS.iter().flat_map(|area| area.iter()).map(|&(number, _)| number)
}

/// Decoders by field number.
static DECODERS: LazyLock<Vec<Option<DecodeEvent>>> = LazyLock::new(|| {
    let events = || AREAS.iter().flat_map(|area| area.iter());
    let last = events().map(|&(number, _)| number).max().unwrap_or_default();
    let mut decoders = vec![None; last as usize + 1];
    for &(number, decode) in events() {
        decoders[number as usize] = Some(decode);
    }
    decoders
});

/// Decodes an event of a run that a bundle was split into.
pub(crate) fn decode_run_event(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    if event.run.kind == bundle::DATED {
        return decode_dated(event, trackers, tables, stats);
    }
    let is_presence = event.run.kind == presence::PRESENCES;
    if trackers.file.ftrace.is_before(event.ts) {
        if !is_presence {
            stats.increment(Stat::FtracePacketBeforeTracingStart);
        }
        return;
    }
    if is_presence {
        return presence::decode(event, trackers, tables);
    }
    // The events of a CPU before its first compact switch are unknown, and not part of the trace.
    let compact = matches!(event.run.kind, compact_sched::SWITCHES | compact_sched::WAKINGS);
    if !compact || trackers.source.sched.running(event.cpu).is_some() {
        trackers.bounds.include(event.ts);
    }
    match event.run.kind {
        compact_sched::SWITCHES => trackers.file.seen_events.add(ftrace_event::SCHED_SWITCH),
        compact_sched::WAKINGS => trackers.file.seen_events.add(ftrace_event::SCHED_WAKING),
        _ => {}
    }
    if trackers.file.ftrace.is_partial(event.machine, event.ts) {
        stats.increment(Stat::FtraceEventsBeforeAllCpus);
        match event.run.kind {
            compact_sched::SWITCHES => {
                compact_sched::follow_switch(event, trackers, tables, stats);
            }
            compact_sched::WAKINGS => compact_sched::record_waking(event, trackers, tables),
            bundle::EVENTS => {
                let mut ftrace = FtraceEvent::of_run(event);
                read_message(event, &mut ftrace, trackers, tables, stats);
            }
            _ => {}
        }
        return;
    }
    match event.run.kind {
        compact_sched::SWITCHES => {
            compact_sched::decode_switch(event, trackers, tables, stats);
        }
        compact_sched::WAKINGS => {
            compact_sched::decode_waking(event, trackers, tables, stats);
        }
        bundle::EVENTS => decode_message(event, trackers, tables, stats),
        _ => {}
    }
}

fn decode_message(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut ftrace = FtraceEvent::of_run(event);
    let kind = read_message(event, &mut ftrace, trackers, tables, stats);
    let Some(kind) = kind.filter(|&kind| !own_time::is_dated(kind)) else { return };
    // The first events of threads have parts of slices.
    if trackers.leaves_out_tracks && presence::is_of_tracks(kind) {
        return;
    }
    if let Some(decode) = DECODERS.get(kind as usize).copied().flatten() {
        decode(&ftrace, trackers, tables, stats);
    } else {
        described::decode(&ftrace, kind, trackers, tables, stats);
    }
}

/// Decodes an event at the time that it states. Its row has the time at which it was written.
fn decode_dated(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    trackers.bounds.include(event.ts);
    let mut ftrace = FtraceEvent::of_run(event);
    if let Some(number) = read_fields(event, &mut ftrace) {
        decode_known(&ftrace, number, trackers, tables, stats);
    }
}

/// Reads an event into `ftrace`, adds its row of `ftrace_event`, and returns the number of its
/// field. Returning the event by value would take longer than reading it.
fn read_message<'a>(
    event: &RunEvent<'a>,
    ftrace: &mut FtraceEvent<'a>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<u32> {
    let number = read_fields(event, ftrace);
    // Any event of a thread shows that the thread exists.
    let tid = Tid { machine: ftrace.machine, id: i64::from(ftrace.pid) };
    let utid = trackers.processes.thread(tid, tables);
    ftrace.utid = Some(utid);
    let (Some(number), Some(data)) = (number, ftrace.span) else {
        stats.increment(Stat::FtraceMissingEventId);
        return None;
    };
    trackers.file.seen_events.add(number);
    raw::record(ftrace, (number, data), utid, trackers, tables, stats);
    Some(number)
}

/// Reads the fields that all events share into `ftrace`, and returns the number of the field in
/// which its own message lies.
#[inline(always)]
fn read_fields<'a>(event: &RunEvent<'a>, ftrace: &mut FtraceEvent<'a>) -> Option<u32> {
    let Payload::Bundle { addr, ranges } = &event.run.payload else { return None };
    let (offset, len) = ranges[event.index];
    let span = Span { addr: addr + u64::from(offset), len };
    let mut number = None;
    let mut fields = Fields::new(event.bytes.get(span));
    while let Some(field) = fields.next() {
        match (field.number, field.value) {
            (ftrace_event::PID, _) => ftrace.pid = field.as_i32(),
            (ftrace_event::COMMON_FLAGS, _) => ftrace.common_flags = Some(field.as_u32()),
            (kind, Value::Bytes(data)) => {
                ftrace.data = data;
                ftrace.span = Some(span.inner(fields.position() - data.len(), data.len()));
                number = Some(kind);
            }
            _ => {}
        }
    }
    number
}

/// Decodes an event that lies in the field of that number, if there is a decoder for it.
pub(super) fn decode_known(
    event: &FtraceEvent<'_>,
    number: u32,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    if let Some(decode) = DECODERS.get(number as usize).copied().flatten() {
        decode(event, trackers, tables, stats);
    }
}
