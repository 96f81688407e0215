//! Packets between an Android system and its Bluetooth controller.

use tpq_ingest::Route;
use tpq_proto::fields::{bluetooth_trace_event, trace_packet};
use tpq_proto::wire::LastFields;
use tpq_tables::{Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, NewSlice, TrackKind, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::BLUETOOTH_TRACE_EVENT, route: Route::Sorted, decode };

const TRACK: TrackKind = TrackKind::slices("bluetooth_trace_event");
const NAME: &str = "BluetoothTraceEvent";
const PACKET_TYPES: [&str; 8] = [
    "HCI_CMD",
    "HCI_EVT",
    "HCI_ACL_RX",
    "HCI_ACL_TX",
    "HCI_SCO_RX",
    "HCI_SCO_TX",
    "HCI_ISO_RX",
    "HCI_ISO_TX",
];
/// The fields that are numbers, with what they are called.
const NUMBERS: [(u32, &str); 6] = [
    (bluetooth_trace_event::COUNT, "Count"),
    (bluetooth_trace_event::LENGTH, "Length"),
    (bluetooth_trace_event::OP_CODE, "Op Code"),
    (bluetooth_trace_event::EVENT_CODE, "Event Code"),
    (bluetooth_trace_event::SUBEVENT_CODE, "Subevent Code"),
    (bluetooth_trace_event::CONNECTION_HANDLE, "Handle"),
];

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let event = LastFields::<9>::new(packet.data);
    let mut args = ArgSet::default();
    if let Some(kind) = event.get(bluetooth_trace_event::PACKET_TYPE) {
        let known = (kind.as_u64() as usize).checked_sub(1).and_then(|it| PACKET_TYPES.get(it));
        let name = tables.strings.intern(known.copied().unwrap_or_default());
        args.add(tables.strings.intern("TracePacketType"), ArgValue::String(name));
    }
    for (number, key) in NUMBERS {
        if let Some(value) = event.get(number) {
            let value = ArgValue::Uint(u64::from(value.as_u32()));
            args.add(tables.strings.intern(key), value);
        }
    }
    let name = tables.strings.intern(NAME);
    let machine = Dimensions::machine(packet.machine);
    let track = trackers.source.tracks.get(TRACK, machine, name, &mut trackers.deferred, tables);
    let slice = NewSlice { ts: packet.ts(), track, name, ..NewSlice::default() };
    let dur = i64::from(event.uint(bluetooth_trace_event::DURATION) as u32);
    trackers.complete(slice, dur, &args, tables, stats);
}
