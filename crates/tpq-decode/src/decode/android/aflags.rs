//! Feature flags of an Android system (aconfig flags).

use tpq_ingest::Route;
use tpq_proto::fields::{
    android_aflags::{self, flag},
    trace_packet,
};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::table::AflagRow;
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::decode::{Packet, PacketDecoder, text};
use tpq_trackers::track::Trackers;

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::ANDROID_AFLAGS, route: Route::Sorted, decode };

/// Names of values, from number 1 on.
const PERMISSIONS: [&str; 2] = ["read-only", "read-write"];
const SOURCES: [&str; 3] = ["default", "server", "local"];
const BACKENDS: [&str; 3] = ["none", "aconfigd", "device_config"];
const TYPES: [&str; 2] = ["boolean", "integer"];

fn decode(packet: &Packet<'_>, _: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    for field in Fields::new(packet.data) {
        match field.number {
            android_aflags::FLAGS => add_flag(packet.ts(), field.as_bytes(), tables),
            android_aflags::ERROR => stats.increment(Stat::AndroidAflagsErrors),
            _ => {}
        }
    }
}

fn add_flag(ts: i64, message: &[u8], tables: &mut Tables) {
    let flag = LastFields::<11>::new(message);
    let row = AflagRow {
        ts,
        package: text(&flag, flag::PKG, tables),
        name: text(&flag, flag::NAME, tables),
        flag_namespace: text(&flag, flag::FLAG_NAMESPACE, tables),
        container: text(&flag, flag::CONTAINER, tables),
        value: text(&flag, flag::VALUE, tables),
        staged_value: text(&flag, flag::STAGED_VALUE, tables),
        permission: name(&PERMISSIONS, flag.uint(flag::PERMISSION), tables),
        value_picked_from: name(&SOURCES, flag.uint(flag::VALUE_PICKED_FROM), tables),
        storage_backend: name(&BACKENDS, flag.uint(flag::STORAGE_BACKEND), tables),
        flag_type: name(&TYPES, flag.uint(flag::TYPE), tables),
    };
    tables.android_aflags.push(row);
}

/// The name of a value.
fn name(names: &[&str], number: u64, tables: &mut Tables) -> StringId {
    let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    let name = index.and_then(|index| names.get(index)).copied();
    tables.strings.intern(name.unwrap_or("unspecified"))
}
