//! Wakelocks of apps on Android.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use tpq_ingest::{Bundle, Loss, Payload, Route, SplitSink};
use tpq_proto::fields::{app_wakelock_bundle, app_wakelock_info, interned_data, trace_packet};
use tpq_proto::wire::{Fields, LastFields, repeated};
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::decode::{BundleDecoder, Packet, PacketDecoder, events_of};
use crate::event::RunEvent;
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, NewSlice, Sharing, TrackKind, Trackers};

const FIELD: u32 = trace_packet::APP_WAKELOCK_BUNDLE;

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: FIELD, route: Route::Split, decode: count_damaged };

pub(crate) const EVENTS: BundleDecoder =
    BundleDecoder { field: FIELD, split, decode: decode_change };

const TRACK: TrackKind = TrackKind::slices("app_wakelock_events");

/// Splits a bundle into changes. A time counts from the packet's on, and its lowest bit says
/// whether the lock is taken.
fn split(bundle: Bundle<'_>, sink: &mut SplitSink<'_>) {
    let Some(start) = bundle.ns else {
        sink.lose(Loss::MalformedPacket);
        return;
    };
    let numbers = |wanted| {
        let fields = Fields::new(bundle.payload).filter(move |field| field.number == wanted);
        fields.flat_map(|field| repeated(&field).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    let (ids, times) =
        (numbers(app_wakelock_bundle::INTERN_ID), numbers(app_wakelock_bundle::ENCODED_TS));
    let lists = [app_wakelock_bundle::INTERN_ID, app_wakelock_bundle::ENCODED_TS];
    if crate::decode::has_damaged_list(bundle.payload, lists) {
        sink.immediate(bundle.header(None));
    } else if ids.len() != times.len() {
        sink.lose(Loss::MalformedPacket);
    }
    let (mut timestamps, mut words) = (Vec::new(), Vec::new());
    for (id, time) in ids.into_iter().zip(times) {
        timestamps.push(start.saturating_add_unsigned(time >> 1));
        words.extend([id as u32, time as u32 & 1]);
    }
    let payload = Payload::Words {
        width: 2,
        words,
        strings: [].into(),
        ranks: Vec::new(),
        own_strings: false,
    };
    sink.push(bundle.clock, bundle.run(events_of(FIELD), timestamps, payload));
}

fn count_damaged(_: &Packet<'_>, _: &mut Trackers, _: &mut Tables, stats: &mut Stats) {
    stats.increment(Stat::AppWakelockParseError);
}

fn decode_change(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (&[id, taken], _) = event.words() else { return };
    let locks = interned_data::APP_WAKELOCK_INFO;
    let lock = event.interned.message(event.run.generation, locks, u64::from(id));
    let Some(lock) = lock else {
        stats.increment(Stat::AppWakelockUnknownId);
        return;
    };
    let lock = LastFields::<7>::new(crate::decode::shorten(lock));
    let name = tables.strings.intern("app_wakelock_events");
    let key = Sharing { kind: TRACK, dimensions: Dimensions::machine(event.machine), name };
    let cookie = cookie(&lock);
    trackers.bounds.include(event.ts);
    if taken == 0 {
        let track = trackers.end_shared(key, cookie, tables);
        let any = StringId::NULL;
        trackers.source.slices.end(event.ts, track, any, any, tables, stats);
        return;
    }
    let track = trackers.begin_shared(key, cookie, tables);
    let name = tables.strings.intern_bytes(lock.bytes(app_wakelock_info::TAG));
    let args = describe(&lock, tables);
    let arg_set_id = trackers.deferred.intern(&args);
    let slice = NewSlice { ts: event.ts, track, name, arg_set_id, ..NewSlice::default() };
    trackers.source.slices.begin(slice, tables, stats);
}

/// Which changes belong together follows from all fields of their lock.
fn cookie(lock: &LastFields<'_, 7>) -> i64 {
    let mut hasher = FxHasher::default();
    lock.bytes(app_wakelock_info::TAG).hash(&mut hasher);
    for number in 3..=6 {
        lock.int(number).hash(&mut hasher);
    }
    hasher.finish() as i64
}

fn describe(lock: &LastFields<'_, 7>, tables: &mut Tables) -> ArgSet {
    let mut args = ArgSet::default();
    let mut add = |key: &str, value: i64| {
        args.add(tables.strings.intern(key), ArgValue::Int(i64::from(value as i32)));
    };
    add("flags", lock.int(app_wakelock_info::FLAGS));
    for (number, key) in [
        (app_wakelock_info::OWNER_PID, "owner_pid"),
        (app_wakelock_info::OWNER_UID, "owner_uid"),
        (app_wakelock_info::WORK_UID, "work_uid"),
    ] {
        if let Some(value) = lock.get(number) {
            add(key, value.as_i64());
        }
    }
    args
}
