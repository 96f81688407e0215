//! Descriptors of tracks, with the threads, processes and counters they are of.

use tpq_ingest::Route;
use tpq_proto::decode;
use tpq_proto::message::counter_descriptor::{BuiltinCounterType, Unit};
use tpq_proto::message::track_descriptor::{
    SiblingMergeBehavior, SiblingMergeKeyField, StaticOrDynamicName,
};
use tpq_proto::message::{CounterDescriptor, ProcessDescriptor, ThreadDescriptor, TrackDescriptor};
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::{Packet, PacketDecoder};
use crate::track::{
    Described, DescribedCounter, DescribedKind, NamePriority, Tid, Trackers, unique_tid,
};

/// What tracks are is known before any event; which threads and processes they are of depends on
/// when.
pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: 60, route: Route::Twice, decode: decode_descriptor };

fn decode_descriptor(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    match (decode::<TrackDescriptor>(packet.data), packet.early) {
        (Ok(track), true) => describe(packet, &track, trackers, tables, stats),
        (Ok(track), false) => identify(packet, &track, trackers, tables),
        (Err(_), true) => stats.increment(Stat::TrackEventTokenizerErrors),
        (Err(_), false) => {}
    }
}

/// What a track is of. A descriptor that leaves out what says so is none.
fn kind(track: &TrackDescriptor, tables: &mut Tables) -> Result<DescribedKind, Stat> {
    if track.uuid.is_none() {
        return Err(Stat::TrackDescriptorMissingUuid);
    }
    Ok(match (&track.thread, &track.process, &track.counter, &track.state) {
        (Some(it), ..) => {
            let (Some(pid), Some(tid)) = (it.pid, it.tid) else {
                return Err(Stat::TrackDescriptorThreadMissingPidTid);
            };
            let (sandboxed, shared) =
                (is_sandboxed(track), !track.disallow_merging_with_system_tracks());
            DescribedKind::Thread { pid: pid.into(), tid, sandboxed, shared }
        }
        (None, Some(it), ..) => {
            let pid = it.pid.ok_or(Stat::TrackDescriptorProcessMissingPid)?;
            DescribedKind::Process { pid: pid.into() }
        }
        (None, None, Some(it), _) => DescribedKind::Counter(counter(it, tables)),
        (None, None, None, Some(_)) => DescribedKind::State,
        (None, None, None, None) => DescribedKind::Custom,
    })
}

fn is_sandboxed(track: &TrackDescriptor) -> bool {
    track.chrome_thread.as_ref().is_some_and(|thread| thread.is_sandboxed_tid())
}

fn describe(
    packet: &Packet<'_>,
    track: &TrackDescriptor,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let kind = match kind(track, tables) {
        Ok(kind) => kind,
        Err(stat) => return stats.increment(stat),
    };
    let text = |text: &str, tables: &mut Tables| match text {
        "" => StringId::NULL,
        text => tables.strings.intern(text),
    };
    let name = match &track.static_or_dynamic_name {
        Some(
            StaticOrDynamicName::Name(name)
            | StaticOrDynamicName::StaticName(name)
            | StaticOrDynamicName::AtraceName(name),
        ) => text(name, tables),
        None => StringId::NULL,
    };
    let merge_key = match &track.sibling_merge_key_field {
        Some(SiblingMergeKeyField::SiblingMergeKey(key)) => text(key, tables),
        Some(SiblingMergeKeyField::SiblingMergeKeyInt(key)) => text(&key.to_string(), tables),
        None => StringId::NULL,
    };
    let described = Described {
        kind,
        parent: track.parent_uuid(),
        name,
        description: text(track.description(), tables),
        merge: track.sibling_merge_behavior() != SiblingMergeBehavior::None,
        merge_key,
        machine: packet.machine,
        writer: packet.interned.generation(packet.generation).and_then(|it| it.pid),
    };
    trackers.uuids.describe(track.uuid(), described, tables);
}

/// A thread or a process was described at a moment: it is, and goes by the name it gives itself.
fn identify(
    packet: &Packet<'_>,
    track: &TrackDescriptor,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    if kind(track, tables).is_err() || !trackers.uuids.is_described(track.uuid()) {
        return;
    }
    trackers.uuids.identify(track.uuid(), &mut trackers.processes, tables);
    match (&track.thread, &track.process) {
        (Some(it), _) => name_thread(packet.machine, it, is_sandboxed(track), trackers, tables),
        (None, Some(it)) => name_process(packet, it, trackers, tables),
        (None, None) => {}
    }
}

/// Names a thread. The ids are taken as the program gives them, even inside a namespace.
fn name_thread(
    machine: u32,
    thread: &ThreadDescriptor,
    sandboxed: bool,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let pid = i64::from(thread.pid());
    let tid = unique_tid(thread.tid(), pid, sandboxed);
    let [tid, pid] = [tid, pid].map(|id| Tid { machine, id });
    let utid = trackers.processes.thread_of_process(tid, pid, tables);
    if !thread.thread_name().is_empty() {
        let name = tables.strings.intern(thread.thread_name());
        trackers.processes.name_thread(utid, name, NamePriority::Descriptor, tables);
    }
}

/// Names a process, and says when it began, unless others did.
fn name_process(
    packet: &Packet<'_>,
    process: &ProcessDescriptor,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let pid = Tid { machine: packet.machine, id: i64::from(process.pid()) };
    let upid = trackers.processes.process(pid, tables);
    if !process.process_name().is_empty() {
        let name = tables.strings.intern(process.process_name());
        trackers.processes.name_unnamed_process(upid, name, tables);
    }
    if process.start_timestamp_ns() > 0 {
        let start = packet.at_default_clock(process.start_timestamp_ns());
        trackers.processes.start_of_process(upid, start, tables);
    }
}

fn counter(counter: &CounterDescriptor, tables: &mut Tables) -> DescribedCounter {
    let unit = match (counter.unit_name(), counter.unit()) {
        ("", Unit::TimeNs) => "ns",
        ("", Unit::Count) => "count",
        ("", Unit::SizeBytes) => "bytes",
        (name, _) => name,
    };
    let builtin = counter.r#type();
    let unit = match builtin {
        BuiltinCounterType::CounterThreadTimeNs => "ns",
        _ => unit,
    };
    DescribedCounter {
        multiplier: counter.unit_multiplier.unwrap_or(1),
        incremental: counter.is_incremental(),
        thread_time: builtin == BuiltinCounterType::CounterThreadTimeNs,
        thread_instructions: builtin == BuiltinCounterType::CounterThreadInstructionCount,
        unit: if unit.is_empty() { StringId::NULL } else { tables.strings.intern(unit) },
    }
}
