//! Packages that are installed on an Android system.

use tpq_ingest::Route;
use tpq_proto::fields::{
    packages_list::{self, package_info},
    trace_packet,
};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::table::PackageListRow;
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::Trackers;

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::PACKAGES_LIST, route: Route::Immediate, decode };

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let list = LastFields::<4>::new(packet.data);
    stats.set(
        Stat::PackagesListHasParseErrors,
        i64::from(list.uint(packages_list::PARSE_ERROR) != 0),
    );
    stats
        .set(Stat::PackagesListHasReadErrors, i64::from(list.uint(packages_list::READ_ERROR) != 0));
    for package in Fields::new(packet.data).filter(|field| field.number == packages_list::PACKAGES)
    {
        let package = LastFields::<6>::new(package.as_bytes());
        let package_name = crate::decode::text(&package, package_info::NAME, tables);
        let uid = package.int(package_info::UID);
        // Each flush states the whole list again.
        if !trackers.source.packages.add(package_name, uid) {
            continue;
        }
        tables.package_list.push(PackageListRow {
            package_name,
            uid,
            debuggable: u32::from(package.uint(package_info::DEBUGGABLE) != 0),
            profileable_from_shell: u32::from(
                package.uint(package_info::PROFILEABLE_FROM_SHELL) != 0,
            ),
            version_code: package.int(package_info::VERSION_CODE),
        });
    }
}
