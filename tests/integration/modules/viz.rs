//! `viz.*`

use super::{lines, scene, slices};

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
