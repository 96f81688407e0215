//! Disk activity between two polls: /proc/diskstats.

use tpq_proto::fields::sys_stats::disk_stat;
use tpq_proto::wire::Field;
use tpq_tables::{Stats, Tables};

use super::{Packet, numbers, text};
use tpq_trackers::track::{Dimensions, TrackKind, Trackers};

/// /proc/diskstats counts in sectors of 512 bytes, whatever those of the disk are.
const SECTORS_PER_MB: f64 = 2048.0;
const MS_PER_S: f64 = 1000.0;

/// A transfer, with the names of its amount and of its throughput.
const MOVED: [(&str, &str); 3] = [
    ("read_amount", "read_throughput"),
    ("write_amount", "write_throughput"),
    ("discard_amount", "discard_throughput"),
];

pub(super) fn disks(
    packet: &Packet<'_>,
    fields: &[Field<'_>],
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    for field in fields {
        let name = text(field.as_bytes(), disk_stat::DEVICE_NAME);
        let [_, totals @ ..] = numbers::<9>(field.as_bytes());
        let disk = tables.strings.intern_bytes(name);
        let Some(before) = trackers.source.disks.replace(disk, totals) else { continue };
        let since = std::array::from_fn(|at| totals[at].wrapping_sub(before[at]) as i64);
        let label = String::from_utf8_lossy(name);
        for (key, unit, value) in counters(since) {
            let kind = TrackKind::counter("diskstat", Some(unit));
            let name = tables.strings.intern(&format!("diskstat.[{label}].{key}"));
            let key = tables.strings.intern(key);
            let dimensions = Dimensions::machine(packet.machine)
                .text("device_name", disk)
                .text("counter_name", key);
            trackers.count((packet.ts(), value), kind, dimensions, name, tables);
        }
    }
}

/// Names, units and values of the counters that what happened since the last poll becomes:
/// sectors and milliseconds for each of [`MOVED`], then the number of flushes and milliseconds.
fn counters(since: [i64; 8]) -> [(&'static str, &'static str, f64); 8] {
    let [.., flushes, flush_ms] = since;
    let mut counters = [("", "", 0.0); 8];
    for (index, (amount, throughput)) in MOVED.into_iter().enumerate() {
        let (at, ms) = (2 * index, since[2 * index + 1]);
        let mb = since[at] as f64 / SECTORS_PER_MB;
        let mb_per_s = if ms == 0 { 0.0 } else { mb * MS_PER_S / ms as f64 };
        counters[at] = (amount, "MB", mb);
        counters[at + 1] = (throughput, "MB/s", mb_per_s);
    }
    counters[6] = ("flush_amount", "count", flushes as f64);
    counters[7] = ("flush_time", "ms", flush_ms as f64);
    counters
}
