//! Properties of an Android system that programs set so that recorders can record them.

use tpq_ingest::Route;
use tpq_proto::fields::{
    android_system_property::{self, property_value},
    trace_packet,
};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::{Stats, Tables};

use crate::decode::graphics::display_state;
use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::args::ArgSet;
use tpq_trackers::track::{Dimensions, MetadataValue, NewSlice, TrackKind, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::ANDROID_SYSTEM_PROPERTY, route: Route::Sorted, decode };

const PREFIX: &str = "debug.tracing.";
const DEVICE_STATE: TrackKind = TrackKind::slices("android_device_state");
const COUNTER: TrackKind = TrackKind::counter("sysprop_counter", None);

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    for property in
        Fields::new(packet.data).filter(|field| field.number == android_system_property::VALUES)
    {
        let property = LastFields::<3>::new(property.as_bytes());
        let name = String::from_utf8_lossy(property.bytes(property_value::NAME));
        if let Some(key) = name.strip_prefix(PREFIX) {
            decode_property(
                packet,
                (&name, key),
                property.bytes(property_value::VALUE),
                trackers,
                tables,
                stats,
            );
        }
    }
}

/// A property by its whole name, and by its key: the name without what all begin with.
fn decode_property(
    packet: &Packet<'_>,
    (name, key): (&str, &str),
    value: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let machine = Dimensions::machine(packet.machine);
    if key == "device_state" {
        let track = tables.strings.intern("DeviceStateChanged");
        let track = trackers.source.tracks.get(
            DEVICE_STATE,
            machine,
            track,
            &mut trackers.deferred,
            tables,
        );
        let name = tables.strings.intern_bytes(value);
        let slice = NewSlice { ts: packet.ts(), track, name, ..NewSlice::default() };
        trackers.complete(slice, 0, &ArgSet::default(), tables, stats);
        return;
    }
    let Some(value) = std::str::from_utf8(value).ok().and_then(|text| text.parse::<i32>().ok())
    else {
        return;
    };
    let counter = match key {
        "profile_boot_classpath" | "profile_system_server" => {
            let fact = format!("android_{key}");
            trackers.metadata.set(&fact, MetadataValue::Int(i64::from(value)), tables);
            return;
        }
        "screen_state" => {
            display_state::count(packet, f64::from(value), trackers, tables);
            return;
        }
        "battery_status" => "BatteryStatus",
        "plug_type" => "PlugType",
        "mcc" | "mnc" | "desktop_mode_visible_tasks" => key,
        _ if key.starts_with("battery_stats.") => key,
        _ => return,
    };
    let counter = tables.strings.intern(counter);
    let dimensions = machine.text("sysprop_name", tables.strings.intern(name));
    let sample = (packet.ts(), f64::from(value));
    trackers.count(sample, COUNTER, dimensions, counter, tables);
}
