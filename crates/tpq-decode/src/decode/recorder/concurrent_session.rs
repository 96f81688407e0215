//! Other sessions of the tracing service: their states, on a track each.

use tpq_ingest::Route;
use tpq_proto::fields::{concurrent_session_event as event, trace_packet};
use tpq_proto::wire::LastFields;
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, NewState, TrackKind, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::CONCURRENT_SESSION_EVENT, route: Route::Sorted, decode };

const TRACK: TrackKind = TrackKind::slices("concurrent_tracing_sessions");

const DISABLED: u64 = 1;
const CLONED_READ_ONLY: u64 = 5;

fn state_name(state: u64) -> Option<&'static str> {
    match state {
        DISABLED => Some("DISABLED"),
        2 => Some("CONFIGURED"),
        3 => Some("STARTED"),
        4 => Some("DISABLING_WAITING_STOP_ACKS"),
        CLONED_READ_ONLY => Some("CLONED_READ_ONLY"),
        _ => None,
    }
}

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let session = LastFields::<6>::new(packet.data);
    let state = session.uint(event::STATE);
    let Some(value) = state_name(state) else {
        let stat = Stat::ConcurrentSessionEventUnknownState;
        stats.increment(stat);
        let state = ("state", ArgValue::Int(session.int(event::STATE)));
        let details = ArgSet::of([state], &mut tables.strings);
        trackers.log(stat, Some(packet.ts()), &details, tables);
        return;
    };
    let ts = packet.ts();
    let track = track(packet, &session, trackers, tables);
    trackers.bounds.include(ts);
    let value = tables.strings.intern(value);
    let state_of = |value| NewState { ts, track, value, ..NewState::default() };
    let Some(id) = trackers.source.track_states.change(state_of(value), tables) else { return };
    let uid = session.get(event::CONSUMER_UID).map_or(0, |field| field.as_i32());
    let args = ArgSet::of(
        [
            ("consumer_uid", ArgValue::Int(i64::from(uid))),
            ("num_data_sources", ArgValue::Int(session.uint(event::NUM_DATA_SOURCES) as i64)),
        ],
        &mut tables.strings,
    );
    let set = trackers.deferred.intern(&args);
    tables.state.arg_set_id.set(id, set);
    // A session that is disabled is over: its last state takes no time.
    if state == DISABLED {
        trackers.source.track_states.change(state_of(StringId::NULL), tables);
    }
}

/// The track of a session, by its number. A clone has the name of its original, so the name tells
/// it apart; the first state of a clone is the one that says so.
fn track(
    packet: &Packet<'_>,
    session: &LastFields<'_, 6>,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> u32 {
    let id = session.uint(event::SESSION_ID) as i64;
    let of = Dimensions::machine(packet.machine).number("session_id", id);
    let sessions = trackers.source.states.get::<Sessions>();
    if let Some(&track) = sessions.0.get(&id) {
        return track;
    }
    let mut name = match session.bytes(event::SESSION_NAME) {
        [] => format!("Session {id}"),
        name => String::from_utf8_lossy(name).into_owned(),
    };
    if session.uint(event::STATE) == CLONED_READ_ONLY {
        name.push_str(" (clone)");
    }
    let name = tables.strings.intern(&name);
    let track = trackers.source.tracks.get(TRACK, of, name, &mut trackers.deferred, tables);
    trackers.source.states.get::<Sessions>().0.insert(id, track);
    track
}

/// The track of each session, by the number of the session.
#[derive(Default)]
struct Sessions(rustc_hash::FxHashMap<i64, u32>);
