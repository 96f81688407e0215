//! Memory, as kernel events report it.

use insta::assert_snapshot;
use tpq_testkit::{FtraceBundle, FtraceEvent, Message, Packet, SystemInfo};

use super::event_rows::{STRANGER, THREAD, events, rows, rows_of_events};
use super::kernel;
use crate::imported::{Imported, STATS, recording, system};

fn rss(member: i64, bytes: i64) -> Message {
    Message::new().int(1, member).int(2, bytes)
}

#[test]
fn resident_memory() {
    let rows = rows_of_events((0..=5).map(|member| (313, rss(member, 4096 * (member + 1)))));
    assert_snapshot!(rows, @r#"
    10 process_memory "mem.rss.file" [upid=1 process_memory_key=rss.file] = 4096 {utid=2u}
    20 process_memory "mem.rss.anon" [upid=1 process_memory_key=rss.anon] = 8192 {utid=2u}
    30 process_memory "mem.swap" [upid=1 process_memory_key=swap] = 12288 {utid=2u}
    40 process_memory "mem.rss.shmem" [upid=1 process_memory_key=rss.shmem] = 16384 {utid=2u}
    50 process_memory "mem.unreclaimable" [upid=1 process_memory_key=unreclaimable] = 20480 {utid=2u}
    60 process_memory "mem.unknown" [upid=1 process_memory_key=unknown] = 24576 {utid=2u}
    "#);
}

/// Number 5 is that of unknown memory; the kernel may have more, and none is below 0.
#[test]
fn resident_memory_of_unknown_kinds() {
    let trace = events([(313, rss(5, 1)), (313, rss(6, 2)), (313, rss(-1, 3))]);
    assert_snapshot!(rows(&trace), @r#"
    10 process_memory "mem.unknown" [upid=1 process_memory_key=unknown] = 1 {utid=2u}
    20 process_memory "mem.unknown" [upid=1 process_memory_key=unknown] = 2 {utid=2u}
    30 process_memory "mem.unknown" [upid=1 process_memory_key=unknown] = 3 {utid=2u}
    "#);
    assert_snapshot!(trace.rows(STATS), @r"
    name                   machine  file  value
    rss_stat_unknown_keys  0        0     2
    ");
}

/// Address space 7 is that of the running thread at 10, so that at 20 another may change it.
#[test]
fn resident_memory_of_others() {
    let throttled = |own, mm, size| Message::new().uint(1, own).int(2, 1).uint(3, mm).int(4, size);
    let trace = kernel([
        FtraceEvent::other(10, THREAD, 359, throttled(1, 7, 100)),
        FtraceEvent::other(20, STRANGER, 359, throttled(0, 7, 200)),
        FtraceEvent::other(30, STRANGER, 313, rss(1, 300).uint(3, 0).uint(4, 7)),
        FtraceEvent::other(40, STRANGER, 359, throttled(0, 8, 400)),
        FtraceEvent::other(50, THREAD, 313, rss(1, -1)),
    ]);
    assert_snapshot!(rows(&trace), @r#"
    10 process_memory "mem.rss.anon" [upid=1 process_memory_key=rss.anon] = 100 {utid=2u}
    20 process_memory "mem.rss.anon" [upid=1 process_memory_key=rss.anon] = 200 {utid=2u}
    30 process_memory "mem.rss.anon" [upid=1 process_memory_key=rss.anon] = 300 {utid=2u}
    "#);
    assert_snapshot!(trace.rows(STATS), @r"
    name                               machine  file  value
    rss_stat_negative_size             0        0     1
    rss_stat_unknown_thread_for_mm_id  0        0     1
    ");
}

/// The process of thread 600 becomes known at 30, that of the stranger never.
#[test]
fn counters_of_threads_with_a_process_that_is_learned_later() {
    let trace = kernel([
        FtraceEvent::other(10, 600, 313, rss(0, 1)),
        FtraceEvent::other(20, STRANGER, 313, rss(0, 2)),
        FtraceEvent::print(30, 600, "B|590|work"),
        FtraceEvent::other(40, 600, 313, rss(0, 3)),
    ]);
    assert_snapshot!(rows(&trace), @r#"
    10 process_memory "mem.rss.file" [upid=2 process_memory_key=rss.file] = 1 {utid=3u}
    20 process_memory_thread_fallback "mem.rss.file" [utid=4 process_memory_key=rss.file] = 2 {utid=4u}
    40 process_memory "mem.rss.file" [upid=2 process_memory_key=rss.file] = 3 {utid=3u}
    30+-1 thread_execution "-" [utid=3]: work
    "#);
    assert_eq!(trace.cell("SELECT pid FROM process WHERE upid = 2"), "590");
    assert_eq!(trace.cell("SELECT tid FROM thread WHERE utid = 4"), "555");
}

#[test]
fn buffers_of_devices_count_for_their_process() {
    let rows = rows_of_events([(579, Message::new().uint(1, 65_536))]);
    assert_snapshot!(rows, @r#"10 process_memory "mem.dmabuf_rss" [upid=1 process_memory_key=dmabuf_rss] = 65536 {utid=2u}"#);
}

/// Old recorders wrote -900 as 64636; stranger 555 has no process.
#[test]
fn candidates_of_the_oom_killer() {
    let score = |pid, score| (326, Message::new().bytes(1, "x").int(2, score).int(3, pid));
    let rows = rows_of_events([
        score(100, 900),
        score(101, -800),
        score(100, 64_636),
        score(i64::from(STRANGER), 5),
        (334, Message::new().int(1, 101)),
    ]);
    assert_snapshot!(rows, @r#"
    10 oom_score_adj "oom_score_adj" [upid=1] = 900 {utid=1u}
    20 oom_score_adj "oom_score_adj" [upid=1] = -800 {utid=2u}
    30 oom_score_adj "oom_score_adj" [upid=1] = -900 {utid=1u}
    40 oom_score_adj_thread_fallback "oom_score_adj" [utid=3] = 5 {utid=3u}
    50+0 thread_execution "-" [utid=2]: mem.oom_kill
    "#);
}

#[test]
fn actions_of_the_memory_management() {
    let record = |kind| Message::new().uint(1, 20).uint(2, 3).uint(3, 50).uint(4, kind);
    let trace = events([(328, record(1)), (328, record(7))]);
    assert_snapshot!(rows(&trace), @r#"
    10 mm_event "mem.mm.maj_flt.count" [upid=1 mm_event_type=maj_flt mm_event_metric=count] = 3 {utid=2u}
    10 mm_event "mem.mm.maj_flt.max_lat" [upid=1 mm_event_type=maj_flt mm_event_metric=max_lat] = 50 {utid=2u}
    10 mm_event "mem.mm.maj_flt.avg_lat" [upid=1 mm_event_type=maj_flt mm_event_metric=avg_lat] = 20 {utid=2u}
    "#);
    assert_snapshot!(trace.rows(STATS), @r"
    name             machine  file  value
    mm_unknown_type  0        0     1
    ");
}

/// Events of heaps give their size before the change.
#[test]
fn ion_heaps() {
    let heap = |name: &str, len, total| Message::new().bytes(1, name).uint(2, len).int(3, total);
    let rows = rows_of_events([
        (315, heap("system", 100, 1000)),
        (314, heap("system", 40, 1100)),
        (315, Message::new().uint(2, 1).int(3, 2)),
    ]);
    assert_snapshot!(rows, @r#"
    10 ion "mem.ion.system" [heap_name=system] = 1100
    10 ion_change "mem.ion_change.system" [utid=2 heap_name=system] = 100
    20 ion "mem.ion.system" [heap_name=system] = 1060
    20 ion_change "mem.ion_change.system" [utid=2 heap_name=system] = -40
    30 ion "mem.ion.unknown" [heap_name=unknown] = 3
    30 ion_change "mem.ion_change.unknown" [utid=2 heap_name=unknown] = 1
    "#);
}

#[test]
fn ion_buffers() {
    let stat =
        |buffer, len, total| (335, Message::new().uint(1, buffer).int(2, len).uint(3, total));
    let rows = rows_of_events([stat(9, 8192, 8192), stat(10, 2048, 10_240), stat(9, -8192, 2048)]);
    assert_snapshot!(rows, @r#"
    10 ion "mem.ion" [heap_name=] = 8192
    10 ion_change "mem.ion_change" [utid=2 heap_name=] = 8192
    20 ion "mem.ion" [heap_name=] = 10240
    20 ion_change "mem.ion_change" [utid=2 heap_name=] = 2048
    30 ion "mem.ion" [heap_name=] = 2048
    30 ion_change "mem.ion_change" [utid=2 heap_name=] = -8192
    10+20 android_ion_allocations "mem.ion_buffer" [track_compressor_idx=0]: 8 kB
    20+-1 android_ion_allocations "mem.ion_buffer" [track_compressor_idx=1]: 2 kB
    "#);
}

#[test]
fn dma_buffers() {
    let stat = |inode, len, total| (351, Message::new().uint(1, inode).int(2, len).uint(3, total));
    let rows = rows_of_events([stat(5, 4096, 4096), stat(5, -4096, 0)]);
    assert_snapshot!(rows, @r#"
    10 android_dma_heap "mem.dma_heap" = 4096
    10 android_dma_heap_change "mem.dma_heap_change" [utid=2] = 4096 {inode=5u}
    20 android_dma_heap "mem.dma_heap" = 0
    20 android_dma_heap_change "mem.dma_heap_change" [utid=2] = -4096 {inode=5u}
    10+10 android_dma_allocations "mem.dma_buffer" [track_compressor_idx=0]: 4 kB
    "#);
}

#[test]
fn memory_of_signal_processors() {
    let stat = |cid, len, total| (347, Message::new().int(1, cid).int(2, len).uint(3, total));
    let rows = rows_of_events([stat(3, 10, 50), stat(9, -5, 5)]);
    assert_snapshot!(rows, @r#"
    10 fastrpc "mem.fastrpc[CDSP]" [cid=3] = 50
    10 fastrpc_change "mem.fastrpc_change[CDSP]" [utid=2 cid=3] = 10
    20 fastrpc "mem.fastrpc[9]" [cid=9] = 5
    20 fastrpc_change "mem.fastrpc_change[9]" [utid=2 cid=9] = -5
    "#);
}

#[test]
fn reclaim() {
    let begin = Message::new().int(1, 2).int(2, 1).uint(3, 3264);
    let rows = rows_of_events([
        (46, begin.clone()),
        (443, Message::new().uint(8, 0xbeef).uint(9, 128).int(11, 12)),
        (444, Message::new().int(2, 64)),
        (47, Message::new().uint(1, 32)),
        (607, begin),
        (608, Message::new().uint(1, 16)),
        (538, Message::new()),
        (539, Message::new().uint(1, 200).uint(2, 33)),
    ]);
    assert_snapshot!(rows, @r#"
    10+30 thread_execution "-" [utid=2]: mm_vmscan_direct_reclaim {direct_reclaim_order=2 direct_reclaim_may_writepage=1 direct_reclaim_gfp_flags=3264u direct_reclaim_nr_reclaimed=32u}
    20+10 thread_execution "-" [utid=2]: mm_vmscan_shrink_slab {shrink_name=0xbeef total_scan=128u priority=12 freed=64}
    50+10 thread_execution "-" [utid=2]: mm_vmscan_memcg_reclaim {memcg_reclaim_order=2 memcg_reclaim_may_writepage=1 memcg_reclaim_gfp_flags=3264u memcg_reclaim_nr_reclaimed=16u}
    70+10 thread_execution "-" [utid=2]: kswapd_efficiency {pages scanned=200u pages reclaimed=33u efficiency %=17u}
    "#);
}

/// Rows of the contiguous memory events of a kernel of that release; the trace also has the events
/// of other kernels.
fn contiguous(release: &str) -> String {
    let info = Message::new().uint(2, 10).uint(3, 1).uint(4, 2).uint(5, 3).bytes(6, "area");
    let info = info.uint(7, 4).uint(8, 5).uint(9, 6).uint(10, 0x1000);
    let migrated = Message::new().uint(3, 7).uint(4, 8).uint(5, 9);
    let finish = Message::new().bytes(1, "area").uint(2, 0x2000).uint(4, 20);
    let events = [(465, Message::new()), (466, info), (577, migrated), (576, finish)];
    let at = (10..).step_by(10);
    let event = |(at, (field, message))| FtraceEvent::other(at, THREAD, field, message);
    let bundle = at.zip(events).map(event);
    let bundle = bundle.fold(FtraceBundle::new(0), FtraceBundle::event);
    let info = system(SystemInfo::linux(release));
    let bundle = Packet::new().sequence(1).ftrace(bundle);
    rows(&Imported::trace(recording().packet(info).packet(bundle)))
}

#[test]
fn contiguous_memory() {
    assert_snapshot!(contiguous("5.4.0"), @"");
    assert_snapshot!(contiguous("5.15.41-android13"), @r#"10+10 thread_execution "-" [utid=2]: mm_cma_alloc {cma_name=area cma_pfn=4096u cma_req_pages=10u cma_nr_migrated=5u cma_nr_reclaimed=6u cma_nr_mapped=4u cma_nr_isolate_fail=1u cma_nr_migrate_fail=2u cma_nr_test_fail=3u}"#);
    assert_snapshot!(contiguous("6.1.0"), @r#"10+30 thread_execution "-" [utid=2]: mm_cma_alloc {cma_name=area cma_pfn=8192u cma_req_pages=20u cma_nr_migrated=7u cma_nr_reclaimed=8u cma_nr_mapped=9u}"#);
}

/// Thread 101 reads from 10 to 30, and the stranger's event says so; another read overlaps it.
#[test]
fn file_reads() {
    let start = |ino, offset| {
        let message = Message::new().int(1, 4096).uint(4, ino);
        message.int(5, offset).bytes(6, "/data/a")
    };
    let end = |ino, offset| Message::new().int(1, 2048).uint(2, ino).int(3, offset);
    let trace = kernel([
        FtraceEvent::other(10, THREAD, 432, start(5, 0)),
        FtraceEvent::other(20, STRANGER, 432, start(6, 8192)),
        FtraceEvent::other(30, STRANGER, 431, end(5, 0)),
        FtraceEvent::other(40, STRANGER, 431, end(7, 0)),
    ]);
    assert_snapshot!(rows(&trace), @r#"
    10+20 android_fs "android_fs" [track_compressor_idx=0]: android_fs_data_read {file_path=/data/a offset_start=0 bytes_read_start=4096 offset_end=0 bytes_read_end=2048}
    20+-1 android_fs "android_fs" [track_compressor_idx=1]: android_fs_data_read {file_path=/data/a offset_start=8192 bytes_read_start=4096}
    "#);
}
