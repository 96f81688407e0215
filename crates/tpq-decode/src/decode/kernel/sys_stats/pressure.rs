//! Stalls of tasks for lack of a resource: /proc/pressure.

use tpq_proto::wire::Field;
use tpq_tables::{Stat, Stats, Tables};

use super::{Packet, numbers};
use tpq_trackers::track::{Dimensions, TrackKind, Trackers};

const PRESSURE: TrackKind = TrackKind::counter("psi", None);

/// The resource that tasks wait for, and whether some or all do, by the numbers in the trace.
const RESOURCES: [&str; 7] =
    ["resource.unspecified", "cpu.some", "cpu.full", "io.some", "io.full", "mem.some", "mem.full"];

pub(super) fn stalls(
    packet: &Packet<'_>,
    fields: &[Field<'_>],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    for field in fields {
        let [resource, ns] = numbers(field.as_bytes());
        let Some(resource) = RESOURCES.get(resource as usize) else {
            stats.increment(Stat::PsiUnknownResource);
            continue;
        };
        let name = tables.strings.intern(&format!("psi.{resource}"));
        let resource = tables.strings.intern(resource);
        let dimensions = Dimensions::machine(packet.machine).text("psi_resource", resource);
        trackers.count((packet.ts(), ns as f64), PRESSURE, dimensions, name, tables);
    }
}
