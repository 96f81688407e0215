//! Counters that are read with the samples of any profiler.

use rustc_hash::FxHashMap;
use tpq_proto::fields::{
    interned_data,
    stack_sample::{self, counter_descriptor},
    stack_sample_defaults,
};
use tpq_proto::wire::{Fields, LastFields, repeated};
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::stack_sample::Generic;
use crate::decode::Packet;
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, TrackKind, Trackers, push_counter};

/// A counter of a session as a whole, or of each CPU.
const OF_SESSION: TrackKind = TrackKind::counter("stack_sample_session_counter", None);
const OF_CPU: TrackKind = TrackKind::counter("stack_sample_cpu_counter", None);

/// The scope of a counter that counts for each CPU.
const SCOPE_CPU: u64 = 2;
/// Units of counters by number; the first is unknown.
const UNITS: [&str; 10] = [
    "",
    "ns",
    "cycles",
    "instructions",
    "bytes",
    "page-faults",
    "cache-misses",
    "cache-references",
    "branch-misses",
    "count",
];

/// The most tracks that there may be: dozens of counters on each of thousands of CPUs. A sample of
/// few bytes can name many.
const MOST_TRACKS: usize = 1 << 17;

/// More counters than are ever read together. A sample of few bytes can refer to many defaults.
const MAX_FOLLOWERS: usize = 256;

/// The tracks by session, CPU and name.
#[derive(Default)]
struct CounterTracks(FxHashMap<(u32, Option<u32>, StringId), u32>);

/// Writes the values that were read with a sample; returns their rows. A counter has a track once a
/// sample names it, with a value or without: each sample of a profiler may count 1.
pub(super) fn count(
    packet: &Packet<'_>,
    sample: &Generic<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Vec<u32> {
    let mut rows = Vec::new();
    let mut push = |descriptor: Option<&[u8]>, value: Option<u64>, is_timebase: bool| {
        let Some(descriptor) = descriptor else { return };
        let counter = LastFields::<8>::new(descriptor);
        let track = track(packet, sample, &counter, is_timebase, trackers, tables, stats);
        if let (Some(track), Some(value)) = (track, value) {
            let (ts, bounds) = (packet.ts(), &mut trackers.bounds);
            rows.push(push_counter(ts, track, value as f64, bounds, tables));
        }
    };
    let fields = &sample.fields;
    let primary = match fields.get(stack_sample::PRIMARY_DESCRIPTOR) {
        Some(inline) => Some(inline.as_bytes()),
        None => match fields.get(stack_sample::PRIMARY_DESCRIPTOR_IID) {
            Some(iid) => interned(packet, iid.as_u64()),
            None => sample
                .defaults
                .get(stack_sample_defaults::PRIMARY_DESCRIPTOR)
                .map(|descriptor| descriptor.as_bytes()),
        },
    };
    push(primary, fields.get(stack_sample::PRIMARY_WEIGHT).map(|weight| weight.as_u64()), true);
    let all = Fields::new(packet.data);
    let weights = all.filter(|field| field.number == stack_sample::FOLLOWER_WEIGHTS);
    let mut weights = weights.flat_map(|field| repeated(&field));
    let followers = followers(packet, sample);
    for &descriptor in followers.iter().take(MAX_FOLLOWERS) {
        push(descriptor, weights.next(), false);
    }
    if followers.len() > MAX_FOLLOWERS {
        stats.increment(Stat::StackprofileParserError);
    }
    rows
}

/// The counters that are read with the one that triggers the samples, in the order of their values.
fn followers<'a>(packet: &Packet<'a>, sample: &Generic<'a>) -> Vec<Option<&'a [u8]>> {
    let of = |message: &'a [u8], number: u32| {
        Fields::new(message).filter(move |field| field.number == number)
    };
    let inline = of(packet.data, stack_sample::FOLLOWER_DESCRIPTORS);
    let inline: Vec<_> = inline.map(|field| Some(field.as_bytes())).collect();
    if !inline.is_empty() {
        return inline;
    }
    let iids = of(packet.data, stack_sample::FOLLOWER_DESCRIPTOR_IIDS);
    let iids = iids.flat_map(|field| repeated(&field));
    let by_iid: Vec<_> = iids.map(|iid| interned(packet, iid)).collect();
    if !by_iid.is_empty() {
        return by_iid;
    }
    let defaults = of(sample.default_bytes, stack_sample_defaults::FOLLOWER_DESCRIPTORS);
    defaults.map(|field| Some(field.as_bytes())).take(MAX_FOLLOWERS + 1).collect()
}

fn interned<'a>(packet: &Packet<'a>, iid: u64) -> Option<&'a [u8]> {
    let kind = interned_data::STACK_SAMPLE_COUNTER_DESCRIPTORS;
    packet.interned.message(packet.generation, kind, iid)
}

/// The track of a counter; `None` if it counts for each CPU, and that of the sample is not known.
fn track(
    packet: &Packet<'_>,
    sample: &Generic<'_>,
    counter: &LastFields<'_, 8>,
    is_timebase: bool,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<u32> {
    let is_per_cpu = counter.uint(counter_descriptor::SCOPE) == SCOPE_CPU;
    let cpu = if is_per_cpu { Some(sample.cpu?) } else { None };
    let name = tables.strings.intern_bytes(counter.bytes(counter_descriptor::NAME));
    let key = (sample.session, cpu, name);
    let tracks = &mut trackers.states.get::<CounterTracks>().0;
    if let Some(&track) = tracks.get(&key) {
        return Some(track);
    }
    if tracks.len() >= MOST_TRACKS {
        stats.increment(Stat::StackprofileParserError);
        return None;
    }
    let track = make_track(packet, sample, counter, (cpu, name), is_timebase, trackers, tables);
    trackers.states.get::<CounterTracks>().0.insert(key, track);
    Some(track)
}

fn make_track(
    packet: &Packet<'_>,
    sample: &Generic<'_>,
    counter: &LastFields<'_, 8>,
    (cpu, name): (Option<u32>, StringId),
    is_timebase: bool,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> u32 {
    let (kind, of) = match cpu {
        Some(cpu) => (OF_CPU, Dimensions::cpu(packet.machine, cpu)),
        None => (OF_SESSION, Dimensions::machine(packet.machine)),
    };
    let source = sample.source.or(tables.strings.intern(""));
    let dimensions = of
        .number("session_id", i64::from(sample.session))
        .text("source", source)
        .text("counter_name", name);
    let track = trackers.source.tracks.get(kind, dimensions, name, &mut trackers.deferred, tables);
    let unit = unit(counter, tables);
    tables.track.unit.set(track, unit);
    let session_unit = tables.profiler_session.timebase_unit.get(sample.session);
    if is_timebase && session_unit.is_null() {
        tables.profiler_session.timebase_unit.set(sample.session, unit);
    }
    let mut args = ArgSet::default();
    args.add(tables.strings.intern("is_timebase"), ArgValue::Bool(is_timebase));
    if let Some(multiplier) = counter.get(counter_descriptor::UNIT_MULTIPLIER) {
        let multiplier = ArgValue::Int(multiplier.as_i64());
        args.add(tables.strings.intern("unit_multiplier"), multiplier);
    }
    let description = counter.bytes(counter_descriptor::DESCRIPTION);
    if !description.is_empty() {
        let description = tables.strings.intern_bytes(description);
        args.add(tables.strings.intern("description"), ArgValue::String(description));
        tables.track.description.set(track, description);
    }
    let arg_set = trackers.deferred.intern(&args);
    tables.track.source_arg_set_id.set(track, arg_set);
    track
}

/// The unit of a counter; NULL if it is not known.
fn unit(counter: &LastFields<'_, 8>, tables: &mut Tables) -> StringId {
    let known = UNITS.get(counter.uint(counter_descriptor::UNIT) as usize);
    match known.filter(|unit| !unit.is_empty()) {
        Some(unit) => tables.strings.intern(unit),
        None => match counter.bytes(counter_descriptor::UNIT_STR) {
            [] => StringId::NULL,
            unit => tables.strings.intern_bytes(unit),
        },
    }
}
