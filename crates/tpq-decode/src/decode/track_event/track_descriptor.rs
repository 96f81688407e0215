//! Descriptors of tracks, with the threads, processes and counters they are of.

use tpq_ingest::Route;
use tpq_proto::decode;
use tpq_proto::fields::{trace_packet, track_descriptor};
use tpq_proto::message::counter_descriptor::{BuiltinCounterType, Unit};
use tpq_proto::message::track_descriptor::{
    ChildTracksOrdering, SiblingMergeBehavior, SiblingMergeKeyField, StaticOrDynamicName,
};
use tpq_proto::message::{CounterDescriptor, TrackDescriptor};
use tpq_proto::wire::{Fields, Value};
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::ahead::Ahead;
use crate::decode::process::process_descriptor::{describe_chrome_process, describe_process};
use crate::decode::process::thread_descriptor::{
    describe_chrome_thread, describe_thread, note_writer,
};
use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Builtin, Described, DescribedCounter, DescribedKind, Merge, Trackers};

/// Decoded twice: the kinds of tracks before any event, their threads and processes in the order of
/// time, since ids are reused.
pub(crate) const PACKET: PacketDecoder = PacketDecoder {
    field: trace_packet::TRACK_DESCRIPTOR,
    route: Route::Twice,
    decode: decode_descriptor,
};

fn decode_descriptor(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    if !packet.early {
        let plain = match packet.ahead {
            Some(&Ahead::Track(uuid)) => Some(uuid),
            _ => uuid_of_plain(packet.data),
        };
        if let Some(uuid) = plain {
            identify_track(uuid, trackers, tables, stats);
            return;
        }
    }
    // One that is refused is read again for the log.
    if packet.early
        && let Some(track) = NamedTrack::read(packet.data)
        && describe_named(packet, &track, trackers, tables).is_ok()
    {
        return;
    }
    match (decode::<TrackDescriptor>(packet.data), packet.early) {
        (Ok(track), true) => {
            if let Err(stat) = describe(packet, &track, trackers, tables) {
                stats.increment(stat);
                let details = details(&track, stat, tables);
                trackers.log(stat, None, &details, tables);
            }
        }
        (Ok(track), false) => identify(packet, &track, trackers, tables, stats),
        (Err(_), true) => stats.increment(Stat::TrackEventTokenizerErrors),
        (Err(_), false) => {}
    }
}

/// The reason in the import log for a rejected descriptor.
fn details(track: &TrackDescriptor, stat: Stat, tables: &mut Tables) -> ArgSet {
    let value = match stat {
        Stat::TrackDescriptorMissingUuid => return ArgSet::default(),
        Stat::TrackDescriptorDefaultTrackWithParent => ("parent_uuid", track.parent_uuid()),
        _ => ("track_uuid", track.uuid()),
    };
    let value = [(value.0, ArgValue::Uint(value.1))];
    ArgSet::of(value, &mut tables.strings)
}

/// The owner of a track. A descriptor without one is invalid.
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
        (None, None, Some(it), _) => {
            let name = name(track).unwrap_or_default();
            DescribedKind::Counter(counter(it, name, tables))
        }
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
) -> Result<(), Stat> {
    let ordering = ordering(track)?;
    let kind = kind(track, tables)?;
    let given = name(track).map(|name| tables.strings.intern(name));
    let builtin = match kind {
        DescribedKind::Counter(counter) => counter.builtin,
        _ => None,
    };
    let builtin = builtin.map(|builtin| tables.strings.intern(builtin.name()));
    let described = Described {
        kind,
        parent: track.parent_uuid(),
        name: given.or(builtin).unwrap_or_default(),
        description: text(track.description.as_deref(), tables),
        merge: merge(track, tables),
        ordering,
        rank: track.sibling_order_rank,
        machine: packet.machine,
        writer: packet.interned.generation(packet.generation).and_then(|it| it.pid),
    };
    trackers.source.uuids.describe(track.uuid(), described, tables)?;
    if let Some(thread) = &track.thread {
        note_writer(packet, thread, is_sandboxed(track), trackers);
    }
    Ok(())
}

/// A descriptor that states a name and a parent at most, as nearly all do.
#[derive(Default)]
struct NamedTrack<'a> {
    uuid: u64,
    name: Option<&'a str>,
    parent: u64,
}

impl<'a> NamedTrack<'a> {
    /// Reads a descriptor in place. `None` for one with other fields, or with an encoding that not
    /// every reader understands in the same way.
    fn read(descriptor: &'a [u8]) -> Option<Self> {
        let (mut track, mut uuid) = (Self::default(), None);
        let mut fields = Fields::new(descriptor);
        loop {
            let begin = fields.position();
            let Some(field) = fields.next() else { break };
            let [tag, first, ..] = *descriptor.get(begin..)? else { return None };
            if tag >= LONG {
                return None;
            }
            match (field.number, field.value) {
                (track_descriptor::UUID | track_descriptor::PARENT_UUID, Value::Varint(number)) => {
                    let encoded = descriptor.get(begin + 1..fields.position())?;
                    if encoded.len() >= MAX_VARINT && encoded.last().is_some_and(|&last| last > 1) {
                        return None;
                    }
                    match field.number {
                        track_descriptor::UUID => uuid = Some(number),
                        _ => track.parent = number,
                    }
                }
                (
                    track_descriptor::NAME
                    | track_descriptor::STATIC_NAME
                    | track_descriptor::ATRACE_NAME,
                    Value::Bytes(name),
                ) if first < LONG => track.name = Some(str::from_utf8(name).ok()?),
                _ => return None,
            }
        }
        track.uuid = uuid.filter(|_| !fields.is_damaged())?;
        Some(track)
    }
}

/// A first byte from here on is followed by others of the same number.
const LONG: u8 = 0x80;
/// Bytes of the longest numbers.
const MAX_VARINT: usize = 10;

fn describe_named(
    packet: &Packet<'_>,
    track: &NamedTrack<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> Result<(), Stat> {
    let described = Described {
        kind: DescribedKind::Custom,
        parent: track.parent,
        name: text(track.name, tables),
        description: StringId::NULL,
        merge: Merge::ByName,
        ordering: None,
        rank: None,
        machine: packet.machine,
        writer: packet.interned.generation(packet.generation).and_then(|it| it.pid),
    };
    trackers.source.uuids.describe(track.uuid, described, tables)
}

fn name(track: &TrackDescriptor) -> Option<&str> {
    track.static_or_dynamic_name.as_ref().map(|name| match name {
        StaticOrDynamicName::Name(name)
        | StaticOrDynamicName::StaticName(name)
        | StaticOrDynamicName::AtraceName(name) => name.as_str(),
    })
}

fn text(text: Option<&str>, tables: &mut Tables) -> StringId {
    text.map(|text| tables.strings.intern(text)).unwrap_or_default()
}

/// In which order a track's children are shown.
fn ordering(track: &TrackDescriptor) -> Result<Option<&'static str>, Stat> {
    let Some(ordering) = track.child_ordering else { return Ok(None) };
    let ordering = ChildTracksOrdering::try_from(ordering);
    Ok(match ordering.map_err(|_| Stat::TrackDescriptorInvalidChildOrdering)? {
        ChildTracksOrdering::Unknown => None,
        ChildTracksOrdering::Lexicographic => Some("lexicographic"),
        ChildTracksOrdering::Chronological => Some("chronological"),
        ChildTracksOrdering::Explicit => Some("explicit"),
    })
}

fn merge(track: &TrackDescriptor, tables: &mut Tables) -> Merge {
    match track.sibling_merge_behavior() {
        SiblingMergeBehavior::Unspecified | SiblingMergeBehavior::ByTrackName => Merge::ByName,
        SiblingMergeBehavior::None => Merge::Never,
        SiblingMergeBehavior::BySiblingMergeKey => {
            Merge::ByKey(match &track.sibling_merge_key_field {
                Some(SiblingMergeKeyField::SiblingMergeKey(key)) => tables.strings.intern(key),
                Some(SiblingMergeKeyField::SiblingMergeKeyInt(key)) => {
                    tables.strings.intern(&format!("sibling_merge_key_int:{key}"))
                }
                None => StringId::NULL,
            })
        }
    }
}

/// The uuid of a track that belongs to no thread or process, as most do: everything that its
/// descriptor states of it was taken when it was read. `None` where it has to be read again.
pub(super) fn uuid_of_plain(descriptor: &[u8]) -> Option<u64> {
    let (mut uuid, mut fields) = (None, Fields::new(descriptor));
    for field in &mut fields {
        match (field.number, field.value) {
            (track_descriptor::UUID, Value::Varint(number)) => uuid = Some(number),
            // Names, keys and ranks, and in which order children are shown, where that is known.
            (
                track_descriptor::NAME
                | track_descriptor::STATIC_NAME
                | track_descriptor::ATRACE_NAME
                | track_descriptor::DESCRIPTION
                | track_descriptor::SIBLING_MERGE_KEY,
                Value::Bytes(_),
            ) => {}
            (
                track_descriptor::PARENT_UUID
                | track_descriptor::DISALLOW_MERGING_WITH_SYSTEM_TRACKS
                | track_descriptor::SIBLING_ORDER_RANK
                | track_descriptor::SIBLING_MERGE_BEHAVIOR
                | track_descriptor::SIBLING_MERGE_KEY_INT,
                Value::Varint(_),
            )
            | (track_descriptor::CHILD_ORDERING, Value::Varint(0..=3)) => {}
            _ => return None,
        }
    }
    uuid.filter(|_| !fields.is_damaged())
}

/// A track was described at a moment; gives whether it can be.
fn identify_track(
    uuid: u64,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> bool {
    if !trackers.check_track(uuid, tables, stats) {
        stats.increment(Stat::TrackEventParserErrors);
        return false;
    }
    trackers.source.uuids.identify(uuid, &mut trackers.processes, tables);
    true
}

/// A thread or a process was described at a moment: it is, and goes by the name it gives itself.
fn identify(
    packet: &Packet<'_>,
    track: &TrackDescriptor,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    if ordering(track).is_err() || kind(track, tables).is_err() {
        return;
    }
    if !identify_track(track.uuid(), trackers, tables, stats) {
        return;
    }
    match (&track.thread, &track.process) {
        (Some(it), _) => {
            let utid = describe_thread(packet, it, is_sandboxed(track), trackers, tables);
            if let Some(chrome) = &track.chrome_thread {
                describe_chrome_thread(utid, chrome, trackers, tables);
            }
        }
        (None, Some(it)) => {
            let upid = describe_process(packet, it, trackers, tables);
            if let Some(chrome) = &track.chrome_process {
                describe_chrome_process(upid, chrome, trackers, tables);
            }
        }
        (None, None) => {}
    }
}

fn counter(counter: &CounterDescriptor, name: &str, tables: &mut Tables) -> DescribedCounter {
    let builtin = match counter.r#type() {
        BuiltinCounterType::CounterThreadTimeNs => Some(Builtin::ThreadTime),
        BuiltinCounterType::CounterThreadInstructionCount => Some(Builtin::ThreadInstructions),
        BuiltinCounterType::CounterUnspecified => None,
    };
    let unit = match (builtin, counter.unit()) {
        (Some(Builtin::ThreadTime), _) | (None, Unit::TimeNs) => Some("ns"),
        (Some(Builtin::ThreadInstructions), _) | (None, Unit::Count) => Some("count"),
        (None, Unit::SizeBytes) => Some("bytes"),
        (None, Unit::Unspecified) => counter.unit_name.as_deref(),
    };
    let category = counter.categories.join(",");
    DescribedCounter {
        multiplier: counter.unit_multiplier(),
        incremental: counter.is_incremental(),
        builtin,
        counts: if name.is_empty() { builtin } else { Builtin::of_name(name) },
        unit: text(unit, tables),
        category: text(Some(category.as_str()).filter(|text| !text.is_empty()), tables),
        share_key: text(counter.y_axis_share_key.as_deref(), tables),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_descriptors_of_one_track_are_read_once() {
        // uuid = 300, name = "a", parent_uuid = 7, child_ordering = 1
        let plain = [0x08, 0xac, 2, 0x12, 1, b'a', 0x28, 7, 0x58, 1];
        assert_eq!(uuid_of_plain(&plain), Some(300));
        assert_eq!(uuid_of_plain(&plain[3..]), None, "it has no uuid");
        assert_eq!(uuid_of_plain(&plain[..5]), None, "its name is cut off");
        let with = |field: &[u8]| uuid_of_plain(&[&plain, field].concat());
        assert_eq!(with(&[0x22, 0]), None, "a thread");
        assert_eq!(with(&[0x42, 0]), None, "a counter");
        assert_eq!(with(&[0x58, 9]), None, "an unknown order");
        assert_eq!(with(&[0x2a, 0]), None, "a parent that is no number");
        assert_eq!(with(&[0x08, 5]), Some(5));
    }

    #[test]
    fn tracks_with_a_name_and_a_parent_are_read_in_place() {
        // uuid = 300, name = "a", parent_uuid = 7, static_name = "bc"
        let named = [0x08, 0xac, 2, 0x12, 1, b'a', 0x28, 7, 0x52, 2, b'b', b'c'];
        let read = |bytes: &[u8]| {
            let track = NamedTrack::read(bytes)?;
            Some((track.uuid, track.name.map(str::to_owned), track.parent))
        };
        assert_eq!(read(&named), Some((300, Some("bc".to_owned()), 7)), "the last name counts");
        assert_eq!(read(&named[..3]), Some((300, None, 0)));
        assert_eq!(read(&named[3..]), None, "it has no uuid");
        assert_eq!(read(&named[..11]), None, "its name is cut off");
        let with = |field: &[u8]| read(&[&named, field].concat());
        assert_eq!(with(&[0x22, 0]), None, "a thread");
        assert_eq!(with(&[0x58, 1]), None, "an order of children");
        assert_eq!(with(&[0x12, 1, 0xff]), None, "a name that is no text");
        assert_eq!(with(&[0x12, 0x81, 0, b'a']), None, "a long length");
        assert_eq!(with(&[0xa8, 0, 7]), None, "a long tag");
        let largest = [&[0x08_u8][..], &[0xff; 9], &[1]].concat();
        assert_eq!(read(&largest), Some((u64::MAX, None, 0)));
        let larger = [&[0x08_u8][..], &[0xff; 9], &[2]].concat();
        assert_eq!(read(&larger), None, "more than 64 bits");
    }
}
