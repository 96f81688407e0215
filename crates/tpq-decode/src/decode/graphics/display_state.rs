//! Whether the screen of an Android system is on.

use tpq_ingest::Route;
use tpq_proto::fields::{initial_display_state, trace_packet};
use tpq_proto::wire::LastFields;
use tpq_tables::{Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::{Dimensions, TrackKind, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::INITIAL_DISPLAY_STATE, route: Route::Sorted, decode };

/// Android's number of a display's state.
const SCREEN_STATE: TrackKind = TrackKind::counter("screen_state", None);

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    let state = LastFields::<2>::new(packet.data).int(initial_display_state::DISPLAY_STATE) as i32;
    count(packet, f64::from(state), trackers, tables);
}

/// The display took a state.
pub(in crate::decode) fn count(
    packet: &Packet<'_>,
    state: f64,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let name = tables.strings.intern("ScreenState");
    let dimensions = Dimensions::machine(packet.machine);
    trackers.count((packet.ts(), state), SCREEN_STATE, dimensions, name, tables);
}
