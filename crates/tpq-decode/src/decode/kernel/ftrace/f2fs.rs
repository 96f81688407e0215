//! Reads and writes of the file system F2FS.

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
    (f2fs_iostat::APP_WIO, "write_app_total"),
    (f2fs_iostat::APP_DIO, "write_app_direct"),
    (f2fs_iostat::APP_BIO, "write_app_buffered"),
    (f2fs_iostat::APP_MIO, "write_app_mapped"),
    (f2fs_iostat::FS_DIO, "write_fs_data"),
    (f2fs_iostat::FS_NIO, "write_fs_node"),
    (f2fs_iostat::FS_MIO, "write_fs_meta"),
    (f2fs_iostat::FS_GC_DIO, "write_gc_data"),
    (f2fs_iostat::FS_GC_NIO, "write_gc_node"),
    (f2fs_iostat::FS_CP_DIO, "write_cp_data"),
    (f2fs_iostat::FS_CP_NIO, "write_cp_node"),
    (f2fs_iostat::FS_CP_MIO, "write_cp_meta"),
    (f2fs_iostat::APP_RIO, "read_app_total"),
    (f2fs_iostat::APP_DRIO, "read_app_direct"),
    (f2fs_iostat::APP_BRIO, "read_app_buffered"),
    (f2fs_iostat::APP_MRIO, "read_app_mapped"),
    (f2fs_iostat::FS_DRIO, "read_fs_data"),
    (f2fs_iostat::FS_GDRIO, "read_fs_gdata"),
    (f2fs_iostat::FS_CDRIO, "read_fs_cdata"),
    (f2fs_iostat::FS_NRIO, "read_fs_node"),
    (f2fs_iostat::FS_MRIO, "read_fs_meta"),
    (f2fs_iostat::FS_DISCARD, "other_fs_discard"),
];

/// Fields of latencies with the counters they become.
const LATENCY_FIELDS: &[(u32, &str)] = &[
    (f2fs_iostat_latency::D_RD_PEAK, "read_data_peak"),
    (f2fs_iostat_latency::D_RD_AVG, "read_data_avg"),
    (f2fs_iostat_latency::D_RD_CNT, "read_data_cnt"),
    (f2fs_iostat_latency::N_RD_PEAK, "read_node_peak"),
    (f2fs_iostat_latency::N_RD_AVG, "read_node_avg"),
    (f2fs_iostat_latency::N_RD_CNT, "read_node_cnt"),
    (f2fs_iostat_latency::M_RD_PEAK, "read_meta_peak"),
    (f2fs_iostat_latency::M_RD_AVG, "read_meta_avg"),
    (f2fs_iostat_latency::M_RD_CNT, "read_meta_cnt"),
    (f2fs_iostat_latency::D_WR_S_PEAK, "write_sync_data_peak"),
    (f2fs_iostat_latency::D_WR_S_AVG, "write_sync_data_avg"),
    (f2fs_iostat_latency::D_WR_S_CNT, "write_sync_data_cnt"),
    (f2fs_iostat_latency::N_WR_S_PEAK, "write_sync_node_peak"),
    (f2fs_iostat_latency::N_WR_S_AVG, "write_sync_node_avg"),
    (f2fs_iostat_latency::N_WR_S_CNT, "write_sync_node_cnt"),
    (f2fs_iostat_latency::M_WR_S_PEAK, "write_sync_meta_peak"),
    (f2fs_iostat_latency::M_WR_S_AVG, "write_sync_meta_avg"),
    (f2fs_iostat_latency::M_WR_S_CNT, "write_sync_meta_cnt"),
    (f2fs_iostat_latency::D_WR_AS_PEAK, "write_async_data_peak"),
    (f2fs_iostat_latency::D_WR_AS_AVG, "write_async_data_avg"),
    (f2fs_iostat_latency::D_WR_AS_CNT, "write_async_data_cnt"),
    (f2fs_iostat_latency::N_WR_AS_PEAK, "write_async_node_peak"),
    (f2fs_iostat_latency::N_WR_AS_AVG, "write_async_node_avg"),
    (f2fs_iostat_latency::N_WR_AS_CNT, "write_async_node_cnt"),
    (f2fs_iostat_latency::M_WR_AS_PEAK, "write_async_meta_peak"),
    (f2fs_iostat_latency::M_WR_AS_AVG, "write_async_meta_avg"),
    (f2fs_iostat_latency::M_WR_AS_CNT, "write_async_meta_cnt"),
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
