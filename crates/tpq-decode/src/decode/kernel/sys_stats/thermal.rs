//! Temperatures: /sys/class/thermal.

use tpq_proto::fields::sys_stats::thermal_zone;
use tpq_proto::wire::Field;
use tpq_tables::{Stats, Tables};

use super::{Packet, numbers, text};
use tpq_trackers::track::{Dimensions, TrackKind, Trackers};

const TEMPERATURE: TrackKind = TrackKind::counter("thermal_temperature_sys", Some("C"));

pub(super) fn zones(
    packet: &Packet<'_>,
    fields: &[Field<'_>],
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    for field in fields {
        let [_, temperature] = numbers(field.as_bytes());
        let zone = tables.strings.intern_bytes(text(field.as_bytes(), thermal_zone::TYPE));
        let dimensions = Dimensions::machine(packet.machine).text("thermal_zone", zone);
        trackers.count((packet.ts(), temperature as f64), TEMPERATURE, dimensions, zone, tables);
    }
}
