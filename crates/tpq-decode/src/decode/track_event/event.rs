//! One track event.

use tpq_ingest::Route;
use tpq_proto::wire::{Field, Fields, repeated};
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::typed_args;
use crate::decode::{Packet, PacketDecoder};
use crate::interned::field;
use crate::track::{ArgSet, ArgValue, EventDefaults, NewSlice, Trackers, Usage};

pub(crate) const PACKET: PacketDecoder = PacketDecoder { field: 11, route: Route::Sorted, decode };

/// What an event is, as its `type` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Type {
    #[default]
    Unspecified,
    Begin,
    End,
    Instant,
    Counter,
    Other,
}

/// What an event carries, read in one pass; annotations, categories and flows are read where
/// they are needed.
#[derive(Default)]
struct TrackEvent<'a> {
    data: &'a [u8],
    event_type: Type,
    track: Option<u64>,
    name: StringId,
    name_iid: Option<u64>,
    category: StringId,
    counter: Option<Value>,
    extra_counters: Vec<i64>,
    extra_double_counters: Vec<f64>,
    extra_tracks: Vec<u64>,
    extra_double_tracks: Vec<u64>,
    legacy_phase: Option<i32>,
    has_flows: bool,
}

#[derive(Clone, Copy)]
enum Value {
    Int(i64),
    Double(f64),
}

/// The thread's own counters at an event.
#[derive(Clone, Copy, Default)]
struct ThreadCounters {
    time: Option<i64>,
    instructions: Option<i64>,
}

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let mut event = read(packet, tables, stats);
    let defaults = defaults(packet, trackers);
    let track = match event.track {
        // Events in the older form say by track 0 that they belong to the thread.
        Some(0) if event.legacy_phase.is_some() => defaults.track,
        track => track.or(defaults.track),
    };
    let track = track.unwrap_or_default();
    if !trackers.uuids.is_described(track) {
        stats.increment(Stat::TrackHierarchyMissingUuid);
        stats.increment(Stat::TrackEventParserErrors);
        return;
    }
    if event.event_type == Type::Begin {
        trackers.uuids.name_by_event(track, event.name);
    }
    if event.extra_tracks.is_empty() {
        event.extra_tracks.clone_from(&defaults.counters);
    }
    if event.extra_double_tracks.is_empty() {
        event.extra_double_tracks.clone_from(&defaults.double_counters);
    }
    let thread = push_extra_counters(packet, &event, trackers, tables, stats);
    match event.event_type {
        Type::Begin => begin(packet, &event, track, thread, trackers, tables, stats),
        Type::End => end(packet, &event, track, thread, trackers, tables, stats),
        Type::Instant => instant(packet, &event, track, thread, trackers, tables, stats),
        Type::Counter => counter(packet, &event, track, trackers, tables, stats),
        Type::Unspecified => match event.legacy_phase.and_then(|phase| u8::try_from(phase).ok()) {
            Some(b'B') => begin(packet, &event, track, thread, trackers, tables, stats),
            Some(b'E') => end(packet, &event, track, thread, trackers, tables, stats),
            Some(b'i' | b'I' | b'R') => {
                instant(packet, &event, track, thread, trackers, tables, stats);
            }
            _ => stats.increment(Stat::TrackEventTokenizerErrors),
        },
        Type::Other => {}
    }
}

fn read<'a>(packet: &Packet<'a>, tables: &mut Tables, stats: &mut Stats) -> TrackEvent<'a> {
    let mut event = TrackEvent { data: packet.data, ..TrackEvent::default() };
    let mut categories = Categories::default();
    for field in Fields::new(packet.data) {
        match field.number {
            9 => {
                event.event_type = match field.as_u64() {
                    0 => Type::Unspecified,
                    1 => Type::Begin,
                    2 => Type::End,
                    3 => Type::Instant,
                    4 => Type::Counter,
                    _ => Type::Other,
                }
            }
            11 => event.track = Some(field.as_u64()),
            10 => event.name_iid = Some(field.as_u64()),
            23 => event.name = tables.strings.intern_bytes(field.as_bytes()),
            3 => repeated(&field).for_each(|iid| categories.add_iid(packet, iid, tables, stats)),
            22 => categories.add(tables.strings.intern_bytes(field.as_bytes()), tables),
            30 => event.counter = Some(Value::Int(field.as_i64())),
            44 => event.counter = Some(Value::Double(field.as_f64())),
            12 => event.extra_counters.extend(repeated(&field).map(|value| value as i64)),
            31 => event.extra_tracks.extend(repeated(&field)),
            46 => event.extra_double_counters.extend(doubles(&field)),
            45 => event.extra_double_tracks.extend(repeated(&field)),
            6 => event.legacy_phase = legacy_phase(&field),
            36 | 42 | 47 | 48 => event.has_flows = true,
            _ => {}
        }
    }
    if let Some(iid) = event.name_iid {
        let (interned, strings) = (packet.interned, &mut tables.strings);
        let name = interned.text(packet.generation, field::EVENT_NAMES, iid, strings, stats);
        event.name = name.unwrap_or_default();
    }
    event.category = categories.joined;
    event
}

/// The categories of an event, joined by commas.
#[derive(Default)]
struct Categories {
    joined: StringId,
}

impl Categories {
    fn add_iid(&mut self, packet: &Packet<'_>, iid: u64, tables: &mut Tables, stats: &mut Stats) {
        let (interned, strings) = (packet.interned, &mut tables.strings);
        let kind = field::EVENT_CATEGORIES;
        if let Some(text) = interned.text(packet.generation, kind, iid, strings, stats) {
            self.add(text, tables);
        }
    }

    fn add(&mut self, category: StringId, tables: &mut Tables) {
        self.joined = match self.joined.is_null() {
            true => category,
            false => {
                let strings = &mut tables.strings;
                let both = format!("{},{}", strings.get(self.joined), strings.get(category));
                strings.intern(&both)
            }
        };
    }
}

fn doubles<'a>(field: &Field<'a>) -> impl Iterator<Item = f64> + use<'a> {
    let single = field.as_bytes().is_empty().then(|| field.as_f64());
    let packed = field.as_bytes().chunks_exact(8).filter_map(|bytes| bytes.first_chunk());
    single.into_iter().chain(packed.map(|bytes| f64::from_le_bytes(*bytes)))
}

fn legacy_phase(legacy: &Field<'_>) -> Option<i32> {
    Fields::new(legacy.as_bytes()).find(|field| field.number == 2).map(|field| field.as_i32())
}

/// The defaults in force for a packet's sequence.
fn defaults(packet: &Packet<'_>, trackers: &mut Trackers) -> EventDefaults {
    if let Some(defaults) = trackers.uuids.defaults.get(&packet.generation) {
        return defaults.clone();
    }
    let mut defaults = EventDefaults::default();
    for field in Fields::new(packet.interned.defaults(packet.generation)) {
        if field.number != 11 {
            continue;
        }
        for field in Fields::new(field.as_bytes()) {
            match field.number {
                11 => defaults.track = Some(field.as_u64()),
                31 => defaults.counters.extend(repeated(&field)),
                45 => defaults.double_counters.extend(repeated(&field)),
                _ => {}
            }
        }
    }
    trackers.uuids.defaults.insert(packet.generation, defaults.clone());
    defaults
}

/// Writes the values of the counters an event carries beside itself.
fn push_extra_counters(
    packet: &Packet<'_>,
    event: &TrackEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> ThreadCounters {
    let mut thread = ThreadCounters::default();
    if event.extra_counters.len() > event.extra_tracks.len()
        || event.extra_double_counters.len() > event.extra_double_tracks.len()
    {
        stats.increment(Stat::TrackEventTokenizerErrors);
    }
    let scope = packet.interned.generation(packet.generation).map_or(0, |it| it.interned);
    for (&uuid, &raw) in event.extra_tracks.iter().zip(&event.extra_counters) {
        let value = trackers.uuids.counter_value(scope, uuid, raw);
        if let Some(counter) = trackers.uuids.counter(uuid) {
            if counter.thread_time {
                thread.time = Some(value);
            } else if counter.thread_instructions {
                thread.instructions = Some(value);
            }
        }
        push_counter(packet.ts, uuid, value as f64, trackers, tables);
    }
    for (&uuid, &value) in event.extra_double_tracks.iter().zip(&event.extra_double_counters) {
        push_counter(packet.ts, uuid, value, trackers, tables);
    }
    thread
}

fn push_counter(ts: i64, uuid: u64, value: f64, trackers: &mut Trackers, tables: &mut Tables) {
    let Trackers { uuids, processes, tracks, args, bounds, .. } = trackers;
    let track = uuids.track(uuid, Usage::Counter, processes, tracks, args, tables);
    crate::track::push_counter(ts, track, value, bounds, tables);
}

fn counter(
    packet: &Packet<'_>,
    event: &TrackEvent<'_>,
    uuid: u64,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let scope = packet.interned.generation(packet.generation).map_or(0, |it| it.interned);
    if trackers.uuids.counter(uuid).is_none() {
        stats.increment(Stat::TrackEventCounterInvalidTrackUuid);
        return;
    }
    let value = match event.counter {
        Some(Value::Int(raw)) => trackers.uuids.counter_value(scope, uuid, raw) as f64,
        Some(Value::Double(value)) => value,
        None => {
            stats.increment(Stat::TrackEventTokenizerErrors);
            return;
        }
    };
    push_counter(packet.ts, uuid, value, trackers, tables);
}

fn begin(
    packet: &Packet<'_>,
    event: &TrackEvent<'_>,
    uuid: u64,
    thread: ThreadCounters,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let slice = new_slice(packet, event, uuid, Usage::Begin, trackers, tables);
    trackers.bounds.include(packet.ts);
    if let Some(id) = trackers.slices.begin(slice, tables, stats) {
        tables.slice.thread_ts.set(id, thread.time);
        tables.slice.thread_instruction_count.set(id, thread.instructions);
        let args = args(packet, event, uuid, trackers, tables, stats);
        if !args.is_empty() {
            trackers.open_args.insert(id, args);
        }
        flows(event, id, trackers, tables);
    }
}

fn end(
    packet: &Packet<'_>,
    event: &TrackEvent<'_>,
    uuid: u64,
    thread: ThreadCounters,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Trackers { uuids, processes, tracks, args: arg_sets, .. } = trackers;
    let track = uuids.track(uuid, Usage::End, processes, tracks, arg_sets, tables);
    trackers.bounds.include(packet.ts);
    let ended = trackers.slices.end(packet.ts, track, event.category, event.name, tables, stats);
    let Some(id) = ended else { return };
    let since = |now: Option<i64>, then: Option<i64>| Some(now?.saturating_sub(then?));
    let slice = &mut tables.slice;
    slice.thread_dur.set(id, since(thread.time, slice.thread_ts.get(id)));
    let instructions = since(thread.instructions, slice.thread_instruction_count.get(id));
    slice.thread_instruction_delta.set(id, instructions);
    // What an end adds joins what its beginning carried.
    let added = args(packet, event, uuid, trackers, tables, stats);
    let mut all = trackers.open_args.remove(&id).unwrap_or_default();
    all.append(&added);
    let set = trackers.args.intern(&all, tables);
    tables.slice.arg_set_id.set(id, set);
    flows(event, id, trackers, tables);
}

fn instant(
    packet: &Packet<'_>,
    event: &TrackEvent<'_>,
    uuid: u64,
    thread: ThreadCounters,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut slice = new_slice(packet, event, uuid, Usage::Instant, trackers, tables);
    let args = args(packet, event, uuid, trackers, tables, stats);
    slice.arg_set_id = trackers.args.intern(&args, tables);
    trackers.bounds.include(packet.ts);
    if let Some(id) = trackers.slices.complete(slice, 0, tables, stats) {
        tables.slice.thread_ts.set(id, thread.time);
        tables.slice.thread_dur.set(id, thread.time.map(|_| 0));
        tables.slice.thread_instruction_count.set(id, thread.instructions);
        tables.slice.thread_instruction_delta.set(id, thread.instructions.map(|_| 0));
        flows(event, id, trackers, tables);
    }
}

fn new_slice(
    packet: &Packet<'_>,
    event: &TrackEvent<'_>,
    uuid: u64,
    usage: Usage,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> NewSlice {
    let Trackers { uuids, processes, tracks, args: arg_sets, .. } = trackers;
    let track = uuids.track(uuid, usage, processes, tracks, arg_sets, tables);
    NewSlice { ts: packet.ts, track, name: event.name, category: event.category, arg_set_id: None }
}

fn args(
    packet: &Packet<'_>,
    event: &TrackEvent<'_>,
    uuid: u64,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> ArgSet {
    let mut args = ArgSet::default();
    if let Some(phase) = event.legacy_phase.filter(|_| event.event_type == Type::Unspecified) {
        let phase = u8::try_from(phase).map(char::from).unwrap_or('?').to_string();
        let value = ArgValue::String(tables.strings.intern(&phase));
        args.add(tables.strings.intern("legacy_event.phase"), value);
    }
    typed_args::add(packet, event.data, uuid, trackers, tables, stats, &mut args);
    args
}

fn flows(event: &TrackEvent<'_>, slice: u32, trackers: &mut Trackers, tables: &mut Tables) {
    if !event.has_flows {
        return;
    }
    for field in Fields::new(event.data) {
        match field.number {
            36 => repeated(&field).for_each(|id| trackers.flows.step(id, slice, tables)),
            42 => repeated(&field).for_each(|id| trackers.flows.end(id, slice, tables)),
            47 => fixed(&field).for_each(|id| trackers.flows.step(id, slice, tables)),
            48 => fixed(&field).for_each(|id| trackers.flows.end(id, slice, tables)),
            _ => {}
        }
    }
}

fn fixed<'a>(field: &Field<'a>) -> impl Iterator<Item = u64> + use<'a> {
    let single = field.as_bytes().is_empty().then(|| field.as_u64());
    let packed = field.as_bytes().chunks_exact(8).filter_map(|bytes| bytes.first_chunk());
    single.into_iter().chain(packed.map(|bytes| u64::from_le_bytes(*bytes)))
}
