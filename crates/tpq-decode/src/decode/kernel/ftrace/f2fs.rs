//! What the file system F2FS reads and writes.

use tpq_proto::fields::ftrace::{f2fs_iostat, f2fs_iostat_latency, ftrace_event};
use tpq_tables::{Stats, Tables};

use super::event::{Events, FtraceEvent};
use tpq_trackers::track::{Dimensions, TrackKind, Trackers};

pub(super) const EVENTS: Events =
    &[(ftrace_event::F2FS_IOSTAT, amounts), (ftrace_event::F2FS_IOSTAT_LATENCY, latencies)];

const AMOUNTS: TrackKind = TrackKind::counter("f2fs_iostat", None);
const LATENCIES: TrackKind = TrackKind::counter("f2fs_iostat_latency", None);

/// Fields of amounts with the counters they become.
const AMOUNT_FIELDS: &[(u32, &str)] = &[
    (8, "write_app_total"),
    (3, "write_app_direct"),
    (1, "write_app_buffered"),
    (5, "write_app_mapped"),
    (14, "write_fs_data"),
    (22, "write_fs_node"),
    (20, "write_fs_meta"),
    (17, "write_gc_data"),
    (18, "write_gc_node"),
    (11, "write_cp_data"),
    (13, "write_cp_node"),
    (12, "write_cp_meta"),
    (7, "read_app_total"),
    (4, "read_app_direct"),
    (2, "read_app_buffered"),
    (6, "read_app_mapped"),
    (16, "read_fs_data"),
    (19, "read_fs_gdata"),
    (10, "read_fs_cdata"),
    (23, "read_fs_node"),
    (21, "read_fs_meta"),
    (15, "other_fs_discard"),
];

/// Fields of latencies with the counters they become.
const LATENCY_FIELDS: &[(u32, &str)] = &[
    (3, "read_data_peak"),
    (1, "read_data_avg"),
    (2, "read_data_cnt"),
    (22, "read_node_peak"),
    (20, "read_node_avg"),
    (21, "read_node_cnt"),
    (13, "read_meta_peak"),
    (11, "read_meta_avg"),
    (12, "read_meta_cnt"),
    (9, "write_sync_data_peak"),
    (7, "write_sync_data_avg"),
    (8, "write_sync_data_cnt"),
    (28, "write_sync_node_peak"),
    (26, "write_sync_node_avg"),
    (27, "write_sync_node_cnt"),
    (19, "write_sync_meta_peak"),
    (17, "write_sync_meta_avg"),
    (18, "write_sync_meta_cnt"),
    (6, "write_async_data_peak"),
    (4, "write_async_data_avg"),
    (5, "write_async_data_cnt"),
    (25, "write_async_node_peak"),
    (23, "write_async_node_avg"),
    (24, "write_async_node_cnt"),
    (16, "write_async_meta_peak"),
    (14, "write_async_meta_avg"),
    (15, "write_async_meta_cnt"),
];

fn amounts(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    count(event, AMOUNTS, event.uint(f2fs_iostat::DEV), AMOUNT_FIELDS, trackers, tables);
}

fn latencies(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    count(event, LATENCIES, event.uint(f2fs_iostat_latency::DEV), LATENCY_FIELDS, trackers, tables);
}

/// Every counter gets a value, 0 where the event has none.
fn count(
    event: &FtraceEvent<'_>,
    kind: TrackKind,
    device: u64,
    fields: &[(u32, &str)],
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let device = format!("{}:{}", (device >> 8) & 0xff, device & 0xff);
    let device_id = tables.strings.intern(&device);
    for &(field, counter) in fields {
        let name = tables.strings.intern(&format!("{}.[{device}].{counter}", kind.name));
        let dimensions = Dimensions::machine(event.machine)
            .text("linux_device", device_id)
            .text("counter_key", tables.strings.intern(counter));
        trackers.count((event.ts, event.uint(field) as f64), kind, dimensions, name, tables);
    }
}
