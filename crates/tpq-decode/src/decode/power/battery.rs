//! Charge and current of a battery.

use tpq_ingest::Route;
use tpq_proto::fields::{battery_counters, trace_packet};
use tpq_proto::wire::LastFields;
use tpq_tables::{Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::{Dimensions, TrackKind, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::BATTERY, route: Route::Sorted, decode };

const COUNTER: TrackKind = TrackKind::counter("battery_counter", None);

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    let reading = LastFields::<8>::new(packet.data);
    let name = crate::decode::text(&reading, battery_counters::NAME, tables);
    for (counter, value) in counters(&reading) {
        let key = tables.strings.intern(counter);
        let track = match tables.strings.get(name) {
            "" => format!("batt.{counter}"),
            battery => format!("batt.{battery}.{counter}"),
        };
        let track = tables.strings.intern(&track);
        let dimensions = Dimensions::machine(packet.machine)
            .text("battery_name", name)
            .text("counter_name", key);
        trackers.count((packet.ts(), value), COUNTER, dimensions, track, tables);
    }
}

/// The counters of a reading, with their values.
fn counters(reading: &LastFields<'_, 8>) -> impl Iterator<Item = (&'static str, f64)> {
    let int = |number| reading.get(number).map(|field| field.as_i64());
    let voltage = int(battery_counters::VOLTAGE_UV);
    let current = int(battery_counters::CURRENT_UA);
    // Where the charge is not measured it follows from the energy.
    let charge = int(battery_counters::CHARGE_COUNTER_UAH).or_else(|| {
        let voltage = voltage.filter(|&voltage| voltage > 0)?;
        Some(int(battery_counters::ENERGY_COUNTER_UWH)?.saturating_mul(1_000_000) / voltage)
    });
    let capacity = reading.get(battery_counters::CAPACITY_PERCENT).map(|field| field.as_f64());
    // A current is negative while the battery is being drained; a power is not.
    let power = current.zip(voltage).map(|(current, voltage)| {
        (current.saturating_mul(voltage) / 1_000_000_000).unsigned_abs() as f64
    });
    let real = |value: Option<i64>| value.map(|value| value as f64);
    [
        ("charge_uah", real(charge)),
        ("capacity_pct", capacity),
        ("current_ua", real(current)),
        ("current.avg_ua", real(int(battery_counters::CURRENT_AVG_UA))),
        ("voltage_uv", real(voltage)),
        ("power_mw", power),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
}
