//! Memory of processes: what they have, what is collected, and the processes that are killed for
//! want of it.

use tpq_testkit::{FtraceBundle, FtraceEvent, Message, Packet, ProcessTree, Task};

use super::{APP, BINDER, IDLE, SYSTEM, lines, marked, marks, recorded};
use crate::imported::{Imported, recording};

#[test]
fn oom_scores_and_memory() {
    let trace = marked(&[
        (10, APP, "C|100|oom_score_adj|0"),
        (15, SYSTEM, "B|500|finishing"),
        (16, SYSTEM, "B|500|updateOomAdj_activityChange"),
        (20, APP, "C|100|oom_score_adj|900"),
        (22, SYSTEM, "E|500"),
        (23, SYSTEM, "E|500"),
        (30, APP, "C|100|mem.rss.anon|1000"),
        (30, APP, "C|100|mem.rss.file|7"),
        (40, APP, "C|100|mem.swap|50"),
        (50, APP, "I|100|x"),
    ]);
    let sql = "SELECT ts, dur, score, bucket, process_name, oom_adj_ts, oom_adj_dur, \
        oom_adj_thread_name, oom_adj_reason, oom_adj_trigger FROM android_oom_adj_intervals \
        ORDER BY ts";
    assert_eq!(
        lines(&trace, "oom_adjuster", sql),
        [
            "10 10 0 foreground com.example.app NULL NULL NULL NULL NULL",
            "20 30 900 cached com.example.app 16 6 system_server activityChange finishing",
        ]
    );
    let sql = "SELECT ts, dur, score, bucket, pid, anon_rss, rss, swap, anon_rss_and_swap, \
        rss_and_swap, oom_adj_reason FROM memory_oom_score_with_rss_and_swap_per_process ORDER BY ts";
    assert_eq!(
        lines(&trace, "memory.process", sql),
        [
            "10 10 0 foreground 100 NULL NULL NULL NULL NULL NULL",
            "20 10 900 cached 100 NULL NULL NULL NULL NULL activityChange",
            "30 10 900 cached 100 1000 1007 NULL 1000 1007 activityChange",
            "40 10 900 cached 100 1000 1007 50 1050 1057 activityChange",
        ]
    );
    let sql = "SELECT android_oom_adj_score_to_bucket_name(201) AS a, \
        android_oom_adj_score_to_detailed_bucket_name(0, 10001) AS b, \
        android_oom_adj_score_to_detailed_bucket_name(10, 10) AS c";
    assert_eq!(lines(&trace, "oom_adjuster", sql), ["job foreground_app unknown_native"]);
}

#[test]
fn processes_that_were_killed() {
    let trace =
        marked(&[(10, SYSTEM, "I|500|lmk,100,8,900,x"), (20, SYSTEM, "I|500|lmk,500,99,0,x")]);
    let sql = "SELECT ts, pid, process_name, oom_score_adj, kill_reason, kill_reason_raw \
        FROM android_lmk_events ORDER BY ts";
    assert_eq!(
        lines(&trace, "memory.lmk", sql),
        ["10 100 com.example.app 900 LOW_MEM 8", "20 500 system_server 0 UNKNOWN 99"]
    );
}

#[test]
fn bitmaps() {
    let trace = marked(&[
        (10, APP, "C|100|Bitmap Memory|1000"),
        (20, APP, "C|100|Bitmap Count|1"),
        (30, APP, "C|100|Bitmap Memory|3000"),
        (50, APP, "I|100|x"),
    ]);
    let sql = "SELECT ts, dur, value FROM android_bitmap_memory ORDER BY ts";
    assert_eq!(lines(&trace, "bitmaps", sql), ["10 20 1000", "30 20 3000"]);
    let sql = "SELECT ts, dur, value FROM android_bitmap_count";
    assert_eq!(lines(&trace, "bitmaps", sql), ["20 30 1"]);
    let sql = "SELECT process_name, ts, dur, bitmap_memory, bitmap_count \
        FROM android_bitmap_counters_per_process ORDER BY ts";
    assert_eq!(
        lines(&trace, "bitmaps", sql),
        ["com.example.app 20 10 1000 1", "com.example.app 30 20 3000 1"]
    );
}

/// The heap grows to 9 MB, is collected from 20 to 40, and has 4 MB afterwards.
#[test]
fn garbage_collections() {
    let app = Task::new("app", APP);
    let mut events = vec![FtraceEvent::sched_switch(5, IDLE, 0, app)];
    events.extend(marks(&[
        (10, APP, "C|100|Heap size (KB)|9000"),
        (20, APP, "B|100|young concurrent mark compact GC"),
    ]));
    events.push(FtraceEvent::sched_switch(30, app, 2, IDLE));
    events.extend(marks(&[
        (40, APP, "E|100"),
        (45, APP, "C|100|Heap size (KB)|4000"),
        (50, APP, "I|100|x"),
    ]));
    let sql = "SELECT tid, pid, gc_type, is_mark_compact, reclaimed_mb, min_heap_mb, max_heap_mb, \
        gc_ts, gc_dur, gc_running_dur, gc_runnable_dur, gc_int_dur \
        FROM android_garbage_collection_events";
    assert_eq!(
        lines(&recorded(events, Vec::new()), "garbage_collection", sql),
        ["100 100 young 1 5.0 4.0 9.0 20 20 10 0 0"]
    );
}

/// No process asks the allocator of graphics buffers here: a buffer is its thread's that takes
/// it, and given back on its account.
#[test]
fn shared_buffers() {
    let change = |at, by, inode: u64, size: i64| {
        FtraceEvent::other(at, by, 351, Message::new().uint(1, inode).int(2, size).int(3, size))
    };
    let trace = recorded(vec![change(10, APP, 7, 100), change(20, BINDER, 7, -100)], Vec::new());
    let sql =
        "SELECT ts, buf_size, inode, tid, process_name FROM android_dmabuf_allocs ORDER BY ts";
    assert_eq!(
        lines(&trace, "memory.dmabuf", sql),
        ["10 100 7 100 com.example.app", "20 -100 7 100 com.example.app"]
    );
    let sql = "SELECT ts, value, process_name FROM android_memory_cumulative_dmabuf ORDER BY ts";
    assert_eq!(
        lines(&trace, "memory.dmabuf", sql),
        ["10 100 com.example.app", "20 0 com.example.app"]
    );
}

#[test]
fn memory_of_the_gpu() {
    let trace = marked(&[
        (10, APP, "C|100|GPU Memory|500"),
        (30, APP, "C|100|GPU Memory|700"),
        (50, APP, "I|100|x"),
    ]);
    let sql = "SELECT ts, dur, pid, gpu_memory FROM android_gpu_memory_per_process \
        JOIN process USING (upid) ORDER BY ts";
    assert_eq!(lines(&trace, "gpu.memory", sql), ["10 20 100 500", "30 20 100 700"]);
}

/// The zygote of the app has 1,000 and then 3,000 bytes, 2,000 on average. The app inherits memory
/// without a file, and no shared memory. Its swap grows by more than 100 MiB at once.
#[test]
fn memory_without_that_of_the_zygote() {
    const ZYGOTE: i32 = 50;
    let tree = ProcessTree::new().process(ZYGOTE, 1, &["zygote64"], 0).process(
        APP,
        ZYGOTE,
        &["com.example.app"],
        10_001,
    );
    let events = marks(&[
        (10, ZYGOTE, "C|50|mem.rss.anon|1000"),
        (10, APP, "C|100|mem.rss.anon|5000"),
        (10, APP, "C|100|mem.rss.shmem|700"),
        (10, APP, "C|100|Heap size (KB)|2"),
        (10, APP, "C|100|mem.swap|0"),
        (20, ZYGOTE, "C|50|mem.rss.anon|3000"),
        (20, APP, "C|100|oom_score_adj|0"),
        (30, APP, "C|100|mem.rss.anon|1000"),
        (35, APP, "C|100|oom_score_adj|900"),
        (40, APP, "C|100|mem.swap|200000000"),
        (50, APP, "I|100|x"),
    ]);
    let bundle = events.into_iter().fold(FtraceBundle::new(0), FtraceBundle::event);
    let trace = recording()
        .packet(Packet::new().sequence(9).timestamp(1).process_tree(tree))
        .packet(Packet::new().sequence(1).ftrace(bundle));
    let trace = Imported::trace(trace);
    let sql = "SELECT pid, memory_track_name, ts, dur, value, zygote_adjusted_value, \
        track_has_spike_gt_100mib FROM android_process_memory_intervals \
        ORDER BY pid, memory_track_name, ts";
    assert_eq!(
        lines(&trace, "memory.memory_breakdown", sql),
        [
            "50 mem.rss.anon 10 10 1000 1000 0",
            "50 mem.rss.anon 20 30 3000 3000 0",
            "100 mem.heap 10 40 2048 2048 0",
            "100 mem.rss.anon 10 20 5000 3000 0",
            "100 mem.rss.anon 30 20 1000 0 0",
            "100 mem.rss.shmem 10 40 700 700 0",
            "100 mem.swap 10 30 0 0 1",
            "100 mem.swap 40 10 200000000 200000000 1",
        ]
    );
    let sql = "SELECT ts, dur, bucket, value, zygote_adjusted_value \
        FROM android_process_memory_intervals_by_oom_bucket \
        WHERE pid = 100 AND memory_track_name = 'mem.rss.anon' ORDER BY ts";
    assert_eq!(
        lines(&trace, "memory.memory_breakdown", sql),
        [
            "10 10 unknown 5000 3000",
            "20 10 foreground 5000 3000",
            "30 5 foreground 1000 0",
            "35 15 cached 1000 0",
        ]
    );
}

#[test]
fn shared_buffers_that_a_process_has() {
    let has = |at, bytes| {
        let change = Message::new().uint(1, bytes).int(2, 4096).uint(3, 7);
        FtraceEvent::other(at, APP, 579, change)
    };
    let mut events = vec![has(70, 4096), has(75, 8192)];
    events.extend(marks(&[(90, SYSTEM, "I|500|x")]));
    let sql = "SELECT pid, ts, dur, dmabuf_rss FROM _dmabuf_spans JOIN process USING (upid) \
        ORDER BY ts";
    let trace = recorded(events, Vec::new());
    assert_eq!(lines(&trace, "memory.dmabuf_spans", sql), ["100 70 5 4096", "100 75 15 8192"]);
}
