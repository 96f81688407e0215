//! `viz.*`

use tpq_testkit::{Message, Packet, TraceBuilder, TrackEvent};

use super::{lines, scene, slices};
use crate::imported::Imported;

#[test]
fn tracks_in_short() {
    let sql = "SELECT name, cnt, min_dur, max_dur, max_depth FROM _slice_track_summary s \
        JOIN (SELECT track_id, min(name) AS name FROM slice GROUP BY track_id) t \
        ON s.id = t.track_id ORDER BY name";
    assert_eq!(
        lines(&slices(), "viz.summary.slices", sql),
        ["inner 2 25000 70000 1", "main 1 66000 66000 0", "startup 1 105000 105000 0"]
    );
    let sql = "SELECT is_legacy_global FROM _counter_track_summary";
    assert_eq!(lines(&scene(&[]), "viz.summary.counters", sql), ["0"]);
}

#[test]
fn threads_and_processes_in_short() {
    let sql = "SELECT tid, max_running_dur, sum_running_dur, running_count, slice_count \
        FROM _thread_available_info_summary JOIN thread USING (utid) ORDER BY tid";
    let trace = slices();
    assert_eq!(
        lines(&trace, "viz.summary.threads", sql),
        ["100 30000 50000 2 1", "101 20000 40000 2 2"]
    );
    let sql = "SELECT pid, max_running_dur, sum_running_dur, running_count, thread_slice_count, \
        process_slice_count FROM _process_available_info_summary JOIN process USING (upid)";
    assert_eq!(lines(&trace, "viz.summary.processes", sql), ["100 30000 90000 4 3 1"]);
    let sql = "SELECT ts, dur, tid, thread_name, pid, process_name \
        FROM _state_w_thread_process_summary WHERE state = 'Running' AND tid = 101 ORDER BY ts";
    assert_eq!(
        lines(&trace, "viz.summary.threads_w_processes", sql),
        ["30000 20000 101 worker 100 /bin/app", "80000 20000 101 worker 100 /bin/app"]
    );
}

#[test]
fn threads_of_the_kernel() {
    // The trace does not say what system it is of.
    let sql = "SELECT count(*), sum(is_kernel_thread) FROM _threads_with_kernel_flag";
    assert_eq!(lines(&scene(&[]), "viz.threads", sql), ["4 0"]);
    let sql = "SELECT _is_linux_machine(0)";
    assert_eq!(lines(&scene(&[]), "viz.summary.trace", sql), ["0"]);
}

#[test]
fn slices_in_an_interval() {
    let sql = "SELECT name, ts, ii_dur FROM _intersect_slices!(70000, 20000, slice) ORDER BY ts";
    assert_eq!(
        lines(&slices(), "viz.aggregation", sql),
        ["startup 5000 20000", "main 12000 8000", "outer 25000 20000"]
    );
}

/// The children of `ranked` have ranks, those of `by time` are sorted by their first events, and
/// those of `by name` by name. Two of the last have one name and overlap: they are one row.
fn sorted_tracks() -> Imported {
    let track = |uuid: u64, name: &str| Message::new().uint(1, uuid).bytes(2, name);
    let tracks = [
        track(10, "ranked").uint(11, 3),
        track(11, "late").uint(5, 10).int(12, 2),
        track(12, "early").uint(5, 10).int(12, -1),
        track(20, "by time").uint(11, 2),
        track(21, "a").uint(5, 20),
        track(22, "b").uint(5, 20),
        track(30, "by name").uint(11, 1),
        track(31, "two").uint(5, 30),
        track(32, "one").uint(5, 30).message(8, Message::new().uint(3, 3)),
        track(33, "two").uint(5, 30),
    ];
    let events = [
        (10, TrackEvent::instant(11).name("it")),
        (20, TrackEvent::instant(12).name("it")),
        (30, TrackEvent::instant(22).name("it")),
        (40, TrackEvent::instant(21).name("it")),
        (50, TrackEvent::begin(31).name("first")),
        (60, TrackEvent::begin(33).name("second")),
        (70, TrackEvent::counter(32, 5)),
        (80, TrackEvent::end(31)),
        (90, TrackEvent::end(33)),
    ];
    let packet = || Packet::new().sequence(1);
    let tracks = tracks.map(|track| packet().payload(60, track));
    let events = events.map(|(at, event)| packet().timestamp(at).track_event(event));
    Imported::trace(TraceBuilder::new().packets(tracks).packets(events))
}

#[test]
fn order_of_tracks() {
    let trace = sorted_tracks();
    let rows = |sql: &str| lines(&trace, "viz.summary.track_event", sql);
    let sql = "SELECT coalesce(parent.name, '-'), g.name, order_id, has_children, has_data, \
        is_counter, coalesce(unit, '-'), \
        length(track_ids) - length(replace(track_ids, ',', '')) + 1 \
        FROM _track_event_tracks_ordered_groups AS g \
        LEFT JOIN track AS parent ON parent.id = g.parent_id ORDER BY 1, order_id";
    assert_eq!(
        rows(sql),
        [
            "- by name 1 1 0 0 - 1",
            "- by time 2 1 0 0 - 1",
            "- ranked 3 1 0 0 - 1",
            "by name one 1 0 1 1 bytes 1",
            "by name two 2 0 1 0 - 2",
            "by time b 1 0 1 0 - 1",
            "by time a 2 0 1 0 - 1",
            "ranked early 1 0 1 0 - 1",
            "ranked late 2 0 1 0 - 1",
        ]
    );
    let sql = "SELECT count(*), count(parent_id), sum(rank) FROM _track_event_tracks_unordered";
    assert_eq!(rows(sql), ["10 7 1"]);
    let sql = "SELECT count(*), min(min_ts), max(min_ts) FROM _min_ts_per_track";
    assert_eq!(rows(sql), ["7 10 70"]);
    assert_eq!(rows("SELECT count(*) FROM _track_event_has_children"), ["3"]);
    // No event has a call stack.
    assert_eq!(rows("SELECT sum(has_callstacks) FROM _track_event_tracks_ordered_groups"), ["0"]);
    let sql = "SELECT count(*) FROM _track_event_tracks_with_callstacks";
    assert_eq!(lines(&trace, "viz.track_event_callstacks", sql), ["0"]);
}

#[test]
fn slices_of_a_flame_graph() {
    let sql = "SELECT name, self_dur, self_count, simple_count, parentId IS NULL \
        FROM _viz_slice_ancestor_agg!((SELECT id, dur FROM slice WHERE name = 'inner'), slice) \
        ORDER BY id";
    // `outer` lasts 70 µs, 25 of them are of `inner`.
    assert_eq!(lines(&slices(), "viz.slices", sql), ["outer 45000 0 1 1", "inner 25000 1 1 0"]);
}

#[test]
fn all_slices() {
    let sql = "SELECT name, tid, thread_name, pid, process_name, depth \
        FROM _viz_slices_for_ui_table ORDER BY ts";
    assert_eq!(
        lines(&slices(), "viz.slices", sql),
        [
            "startup NULL NULL 100 /bin/app 0",
            "main 100 app 100 /bin/app 0",
            "outer 101 worker 100 /bin/app 0",
            "inner 101 worker 100 /bin/app 1",
        ]
    );
    let sql = "SELECT count(*), count(utid), count(upid), min(track_name) \
        FROM _viz_slices_for_ui_table";
    assert_eq!(lines(&sorted_tracks(), "viz.slices", sql), ["6 0 0 a"]);
}

/// No trace has samples, so the test writes the tables.
#[test]
fn samples_of_threads() {
    let samples = "CREATE PERFETTO TABLE stack_sample_task_context AS SELECT 0 AS id, utid \
        FROM thread WHERE tid = 101; \
        CREATE PERFETTO TABLE stack_sample AS SELECT column1 AS id, 0 AS task_context_id \
        FROM (VALUES (0), (1), (2));";
    let sql = "SELECT tid, stack_sample_count FROM _thread_available_info_summary \
        JOIN thread USING (utid) ORDER BY tid";
    assert_eq!(
        lines(&scene(&[]), "viz.summary.threads", &format!("{samples} {sql}")),
        ["100 0", "101 3"]
    );
    let sql = "SELECT pid, stack_sample_count FROM _process_available_info_summary \
        JOIN process USING (upid)";
    assert_eq!(lines(&scene(&[]), "viz.summary.processes", &format!("{samples} {sql}")), ["100 3"]);
}
