//! Packages that are installed on an Android system.

use tpq_ingest::Route;
use tpq_proto::fields::trace_packet;
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::table::PackageListRow;
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::Trackers;

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::PACKAGES_LIST, route: Route::Immediate, decode };

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let list = LastFields::<4>::new(packet.data);
    stats.set(Stat::PackagesListHasParseErrors, i64::from(list.uint(2) != 0));
    stats.set(Stat::PackagesListHasReadErrors, i64::from(list.uint(3) != 0));
    for package in Fields::new(packet.data).filter(|field| field.number == 1) {
        let package = LastFields::<6>::new(package.as_bytes());
        let package_name = crate::decode::text(&package, 1, tables);
        let uid = package.int(2);
        // Each flush states the whole list again.
        if !trackers.source.packages.add(package_name, uid) {
            continue;
        }
        tables.package_list.push(PackageListRow {
            package_name,
            uid,
            debuggable: u32::from(package.uint(3) != 0),
            profileable_from_shell: u32::from(package.uint(4) != 0),
            version_code: package.int(5),
        });
    }
}
