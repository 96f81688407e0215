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
    Described, DescribedCounter, DescribedKind, NamePriority, Tid, Trackers, Upid, Utid,
};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: 60, route: Route::Immediate, decode: decode_descriptor };

fn decode_descriptor(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Ok(track) = decode::<TrackDescriptor>(packet.data) else {
        stats.increment(Stat::TrackEventTokenizerErrors);
        return;
    };
    let machine = packet.machine;
    let upid = track.process.as_ref().map(|it| process(packet, it, trackers, tables));
    let kind = match (&track.thread, upid, &track.counter, &track.state) {
        (Some(it), ..) => DescribedKind::Thread {
            utid: thread(machine, it, trackers, tables),
            shared: !track.disallow_merging_with_system_tracks(),
        },
        (None, Some(upid), ..) => DescribedKind::Process(upid),
        (None, None, Some(it), _) => DescribedKind::Counter(counter(it, tables)),
        (None, None, None, Some(_)) => DescribedKind::State,
        (None, None, None, None) => DescribedKind::Custom,
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
        machine,
    };
    trackers.uuids.describe(track.uuid(), described, tables);
}

fn thread(
    machine: u32,
    thread: &ThreadDescriptor,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> Utid {
    let [tid, pid] = [thread.tid(), i64::from(thread.pid())].map(|id| Tid { machine, id });
    let utid = trackers.processes.thread_of_process(tid, pid, tables);
    if !thread.thread_name().is_empty() {
        let name = tables.strings.intern(thread.thread_name());
        trackers.processes.name_thread(utid, name, NamePriority::Descriptor, tables);
    }
    utid
}

fn process(
    packet: &Packet<'_>,
    process: &ProcessDescriptor,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> Upid {
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
    upid
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
