//! Disks and file systems.

use insta::assert_snapshot;
use tpq_testkit::{FtraceEvent, Message};

use super::{COUNTERS, DIMENSIONS, SLICE_ARGS, SLICES, kernel};

fn event(at: u64, field: u32, payload: Message) -> FtraceEvent {
    FtraceEvent::other(at, 101, field, payload)
}

/// A request may end in another sector than it began in; the last one counts.
#[test]
fn requests_to_block_devices() {
    let imported = kernel([
        event(10, 546, Message::new().uint(1, 0x80_0010).uint(2, 2048)),
        event(30, 547, Message::new().uint(1, 0x80_0010).uint(2, 2056)),
    ]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type      track  name      category
    10  20   block_io  NULL   block_io  NULL
    ");
    assert_snapshot!(imported.rows(SLICE_ARGS), @r"
    ts  name      flat_key  key     type  int   string
    10  block_io  sector    sector  uint  2056  NULL
    ");
    assert_snapshot!(imported.rows(DIMENSIONS), @r"
    type      name  key           value_type  int_value  string_value
    block_io  NULL  block_device  int         8388624    NULL
    ");
}

/// How many commands wait is how many bits of the doorbell are set. Without a doorbell it is
/// whether there is this one.
#[test]
fn commands_to_ufs() {
    let command = |at, doorbell, opcode, tag, group, stage| {
        let payload = Message::new()
            .uint(2, doorbell)
            .uint(5, opcode)
            .uint(7, tag)
            .uint(9, group)
            .uint(10, stage);
        event(at, 406, payload)
    };
    let imported = kernel([
        command(10, 0b101, 40, 2, 0, 0),
        command(20, 0, 42, 5, 0x11, 0),
        command(30, 0, 42, 5, 0, 1),
        command(40, 0b1, 40, 2, 0, 1),
        event(50, 407, Message::new().int(2, 0)),
        event(60, 407, Message::new().int(2, 1)),
        event(70, 407, Message::new().int(2, 2)),
        event(80, 407, Message::new().int(2, 3)),
    ]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type             track                    name                   category
    10  30   ufs_command_tag  io.ufs.command.tag[002]  READ (10)              NULL
    20  10   ufs_command_tag  io.ufs.command.tag[005]  WRITE (10) (GID=0x11)  NULL
    ");
    assert_snapshot!(imported.rows(COUNTERS), @r"
    ts  type               name                                          value
    10  ufs_command_count  io.ufs.command.count                          2.0
    20  ufs_command_count  io.ufs.command.count                          1.0
    30  ufs_command_count  io.ufs.command.count                          0.0
    40  ufs_command_count  io.ufs.command.count                          1.0
    50  ufs_clkgating      io.ufs.clkgating (OFF:0/REQ_OFF/REQ_ON/ON:3)  0.0
    60  ufs_clkgating      io.ufs.clkgating (OFF:0/REQ_OFF/REQ_ON/ON:3)  3.0
    70  ufs_clkgating      io.ufs.clkgating (OFF:0/REQ_OFF/REQ_ON/ON:3)  1.0
    80  ufs_clkgating      io.ufs.clkgating (OFF:0/REQ_OFF/REQ_ON/ON:3)  2.0
    ");
    assert_snapshot!(imported.rows(DIMENSIONS), @r"
    type             name                     key      value_type  int_value  string_value
    ufs_command_tag  io.ufs.command.tag[002]  ufs_tag  int         2          NULL
    ufs_command_tag  io.ufs.command.tag[005]  ufs_tag  int         5          NULL
    ");
}

/// Each field that counts is given its number as value, so that a value says where it is from.
fn numbered(fields: u32, device: u32) -> Message {
    let counted = (1..=fields).filter(|&field| field != device);
    let payload = counted.fold(Message::new(), |all, field| all.uint(field, field.into()));
    payload.uint(device, 0xfd23)
}

#[test]
fn amounts_of_f2fs() {
    let imported = kernel([event(10, 419, numbered(23, 9))]);
    assert_snapshot!(imported.rows(COUNTERS), @r"
    ts  type         name                                     value
    10  f2fs_iostat  f2fs_iostat.[253:35].write_app_total     8.0
    10  f2fs_iostat  f2fs_iostat.[253:35].write_app_direct    3.0
    10  f2fs_iostat  f2fs_iostat.[253:35].write_app_buffered  1.0
    10  f2fs_iostat  f2fs_iostat.[253:35].write_app_mapped    5.0
    10  f2fs_iostat  f2fs_iostat.[253:35].write_fs_data       14.0
    10  f2fs_iostat  f2fs_iostat.[253:35].write_fs_node       22.0
    10  f2fs_iostat  f2fs_iostat.[253:35].write_fs_meta       20.0
    10  f2fs_iostat  f2fs_iostat.[253:35].write_gc_data       17.0
    10  f2fs_iostat  f2fs_iostat.[253:35].write_gc_node       18.0
    10  f2fs_iostat  f2fs_iostat.[253:35].write_cp_data       11.0
    10  f2fs_iostat  f2fs_iostat.[253:35].write_cp_node       13.0
    10  f2fs_iostat  f2fs_iostat.[253:35].write_cp_meta       12.0
    10  f2fs_iostat  f2fs_iostat.[253:35].read_app_total      7.0
    10  f2fs_iostat  f2fs_iostat.[253:35].read_app_direct     4.0
    10  f2fs_iostat  f2fs_iostat.[253:35].read_app_buffered   2.0
    10  f2fs_iostat  f2fs_iostat.[253:35].read_app_mapped     6.0
    10  f2fs_iostat  f2fs_iostat.[253:35].read_fs_data        16.0
    10  f2fs_iostat  f2fs_iostat.[253:35].read_fs_gdata       19.0
    10  f2fs_iostat  f2fs_iostat.[253:35].read_fs_cdata       10.0
    10  f2fs_iostat  f2fs_iostat.[253:35].read_fs_node        23.0
    10  f2fs_iostat  f2fs_iostat.[253:35].read_fs_meta        21.0
    10  f2fs_iostat  f2fs_iostat.[253:35].other_fs_discard    15.0
    ");
    let first = DIMENSIONS.replace("ORDER", "WHERE name LIKE '%fs_discard' ORDER");
    assert_snapshot!(imported.rows(&first), @r"
    type         name                                   key           value_type  int_value  string_value
    f2fs_iostat  f2fs_iostat.[253:35].other_fs_discard  linux_device  string      NULL       253:35
    f2fs_iostat  f2fs_iostat.[253:35].other_fs_discard  counter_key   string      NULL       other_fs_discard
    ");
}

#[test]
fn latencies_of_f2fs() {
    let imported = kernel([event(10, 420, numbered(28, 10))]);
    let names = "SELECT t.type, replace(t.name, 'f2fs_iostat_latency.[253:35].', '') AS counter, \
        value FROM counter c JOIN track t ON track_id = t.id ORDER BY c.id";
    assert_snapshot!(imported.rows(names), @r"
    type                 counter                value
    f2fs_iostat_latency  read_data_peak         3.0
    f2fs_iostat_latency  read_data_avg          1.0
    f2fs_iostat_latency  read_data_cnt          2.0
    f2fs_iostat_latency  read_node_peak         22.0
    f2fs_iostat_latency  read_node_avg          20.0
    f2fs_iostat_latency  read_node_cnt          21.0
    f2fs_iostat_latency  read_meta_peak         13.0
    f2fs_iostat_latency  read_meta_avg          11.0
    f2fs_iostat_latency  read_meta_cnt          12.0
    f2fs_iostat_latency  write_sync_data_peak   9.0
    f2fs_iostat_latency  write_sync_data_avg    7.0
    f2fs_iostat_latency  write_sync_data_cnt    8.0
    f2fs_iostat_latency  write_sync_node_peak   28.0
    f2fs_iostat_latency  write_sync_node_avg    26.0
    f2fs_iostat_latency  write_sync_node_cnt    27.0
    f2fs_iostat_latency  write_sync_meta_peak   19.0
    f2fs_iostat_latency  write_sync_meta_avg    17.0
    f2fs_iostat_latency  write_sync_meta_cnt    18.0
    f2fs_iostat_latency  write_async_data_peak  6.0
    f2fs_iostat_latency  write_async_data_avg   4.0
    f2fs_iostat_latency  write_async_data_cnt   5.0
    f2fs_iostat_latency  write_async_node_peak  25.0
    f2fs_iostat_latency  write_async_node_avg   23.0
    f2fs_iostat_latency  write_async_node_cnt   24.0
    f2fs_iostat_latency  write_async_meta_peak  16.0
    f2fs_iostat_latency  write_async_meta_avg   14.0
    f2fs_iostat_latency  write_async_meta_cnt   15.0
    ");
}

/// Another thread ends the read than began it. The read that ends at 40 has no begin.
#[test]
fn reads_of_files() {
    let start = Message::new().int(1, 4096).uint(4, 77).int(5, 512).bytes(6, "/data/a");
    let end = |inode| Message::new().int(1, 4000).uint(2, inode).int(3, 512);
    let imported = kernel([
        FtraceEvent::other(10, 101, 432, start),
        FtraceEvent::other(30, 102, 431, end(77)),
        FtraceEvent::other(40, 102, 431, end(78)),
    ]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type        track       name                  category
    10  20   android_fs  android_fs  android_fs_data_read  NULL
    ");
    assert_snapshot!(imported.rows(SLICE_ARGS), @r"
    ts  name                  flat_key          key               type    int   string
    10  android_fs_data_read  file_path         file_path         string  NULL  /data/a
    10  android_fs_data_read  offset_start      offset_start      int     512   NULL
    10  android_fs_data_read  bytes_read_start  bytes_read_start  int     4096  NULL
    10  android_fs_data_read  offset_end        offset_end        int     512   NULL
    10  android_fs_data_read  bytes_read_end    bytes_read_end    int     4000  NULL
    ");
    assert_snapshot!(imported.rows(DIMENSIONS), @r"
    type        name        key                   value_type  int_value  string_value
    android_fs  android_fs  track_compressor_idx  int         0          NULL
    ");
}
