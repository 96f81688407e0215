//! `slices.*`

use tpq_testkit::{Packet, TrackEvent};

use super::{APP_TRACK, WORKER_TRACK, lines, scene, slice, slices, us};

#[test]
fn slices_with_threads_and_processes() {
    let sql = "SELECT name, ts, dur, category, track_name, thread_name, tid, is_main_thread, \
        process_name, pid, depth, parent_id IS NULL FROM thread_slice ORDER BY ts";
    assert_eq!(
        lines(&slices(), "slices.with_context", sql),
        [
            "main 12000 66000 cat NULL app 100 1 /bin/app 100 0 1",
            "outer 25000 70000 cat NULL worker 101 0 /bin/app 100 0 1",
            "inner 35000 25000 cat NULL worker 101 0 /bin/app 100 1 0",
        ]
    );
    let sql = "SELECT name, ts, dur, process_name, pid, depth FROM process_slice";
    assert_eq!(
        lines(&slices(), "slices.with_context", sql),
        ["startup 5000 105000 /bin/app 100 0"]
    );
    let sql = "SELECT name, tid, thread_name, pid FROM thread_or_process_slice ORDER BY ts";
    assert_eq!(
        lines(&slices(), "slices.with_context", sql),
        [
            "startup NULL NULL 100",
            "main 100 app 100",
            "outer 101 worker 100",
            "inner 101 worker 100"
        ]
    );
}

#[test]
fn own_time_is_without_the_slices_inside() {
    let sql = "SELECT name, self_dur FROM slice_self_dur JOIN slice USING (id) ORDER BY ts";
    assert_eq!(
        lines(&slices(), "slices.self_dur", sql),
        ["startup 105000", "main 66000", "outer 45000", "inner 25000"]
    );
}

/// The worker runs from 30 to 50 and from 80 to 100 µs, the main thread from 10 to 30 and from 50
/// to 80.
#[test]
fn time_on_cpus() {
    let sql = "SELECT name, process_name, cpu_time FROM thread_slice_cpu_time ORDER BY id";
    assert_eq!(
        lines(&slices(), "slices.cpu_time", sql),
        ["main /bin/app 46000", "outer /bin/app 35000", "inner /bin/app 15000"]
    );
}

/// Cycles are reported only for slices in which the thread ran all the time: 5 µs at 1,000 kHz and
/// 10 at 2,000 are 25,000 thousandths of a cycle.
#[test]
fn cycles() {
    let trace = scene(&[
        slice(APP_TRACK, 12, 78, "waits"),
        slice(APP_TRACK, 55, 70, "runs"),
        slice(WORKER_TRACK, 20, 40, "begins early"),
    ]);
    let sql = "SELECT name, millicycles, megacycles FROM thread_slice_cpu_cycles ORDER BY id";
    assert_eq!(
        lines(&trace, "slices.cpu_time", sql),
        ["waits NULL NULL", "begins early NULL NULL", "runs 25000 0"]
    );
    // From 65 µs on, 5 µs are left of the one that runs.
    let sql = "SELECT name, millicycles \
        FROM cpu_cycles_per_thread_slice_in_interval(65000, 100000) ORDER BY id";
    assert_eq!(lines(&trace, "slices.cpu_time", sql), ["waits 26000", "runs 10000"]);
}

#[test]
fn time_in_states() {
    let sql = "SELECT name, state, dur FROM thread_slice_time_in_state ORDER BY id, state";
    assert_eq!(
        lines(&slices(), "slices.time_in_state", sql),
        [
            "main R 20000",
            "main Running 46000",
            "outer D 20000",
            "outer R 10000",
            "outer Running 35000",
            "inner D 10000",
            "inner Running 15000",
        ]
    );
}

#[test]
fn the_innermost_slice_at_any_time() {
    let sql = "SELECT name, ts, dur, depth, tid, (SELECT name FROM slice WHERE id = root_id) \
        FROM _slice_flattened ORDER BY tid, ts";
    assert_eq!(
        lines(&slices(), "slices.flat_slices", sql),
        [
            "main 12000 66000 0 100 main",
            "outer 25000 10000 0 101 outer",
            "inner 35000 25000 1 101 outer",
            "outer 60000 35000 0 101 outer",
        ]
    );
    // Slices that touch each other leave no time between them; one without duration takes none.
    let trace = scene(&[
        slice(APP_TRACK, 10, 40, "a"),
        slice(APP_TRACK, 10, 20, "b"),
        slice(APP_TRACK, 20, 30, "c"),
        slice(APP_TRACK, 35, 35, "d"),
    ]);
    let sql = "SELECT name, ts, dur FROM _slice_flattened ORDER BY ts";
    assert_eq!(
        lines(&trace, "slices.flat_slices", sql),
        ["b 10000 10000", "c 20000 10000", "a 30000 10000"]
    );
}

#[test]
fn slices_around_and_within() {
    let of = |function: &str, name: &str| {
        let sql = format!(
            "SELECT f.name FROM slice s JOIN {function}(s.id) f WHERE s.name = '{name}' \
             ORDER BY f.depth"
        );
        lines(&slices(), "slices.hierarchy", &sql)
    };
    assert_eq!(of("_slice_ancestor_and_self", "inner"), ["outer", "inner"]);
    assert_eq!(of("_slice_ancestor_and_self", "outer"), ["outer"]);
    assert_eq!(of("_slice_descendant_and_self", "outer"), ["outer", "inner"]);
}

#[test]
fn slices_of_one_stack() {
    let trace = scene(&[
        slice(APP_TRACK, 10, 30, "a"),
        slice(APP_TRACK, 12, 14, "b"),
        slice(APP_TRACK, 15, 20, "b"),
        slice(APP_TRACK, 40, 50, "b"),
    ]);
    // The two in `a` are alike, the one by itself is not.
    let sql = "SELECT count(*), min(s.ts), max(p.name) FROM slice_with_stack_id s \
        LEFT JOIN slice p ON s.parent_id = p.id GROUP BY stack_id ORDER BY 2";
    assert_eq!(lines(&trace, "slices.stack", sql), ["1 10000 NULL", "2 12000 a", "1 40000 NULL"]);
    let sql = "SELECT s.ts, count(*) FROM slice_with_stack_id s \
        JOIN slice_with_stack_id p ON s.parent_stack_id = p.stack_id GROUP BY s.ts ORDER BY s.ts";
    assert_eq!(lines(&trace, "slices.stack", sql), ["12000 1", "15000 1"]);
    let by_stack = |function: &str, ts: u64| {
        let sql = format!(
            "SELECT f.ts FROM slice_with_stack_id s JOIN {function}(s.stack_id) f \
             WHERE s.ts = {ts} ORDER BY f.ts"
        );
        lines(&trace, "slices.stack", &sql)
    };
    assert_eq!(by_stack("ancestor_slice_by_stack", 12_000), ["10000", "12000", "15000"]);
    assert_eq!(by_stack("descendant_slice_by_stack", 10_000), ["10000", "12000", "15000"]);
}

#[test]
fn slices_that_follow_by_flows() {
    let part = |track, at: u64, begin: TrackEvent| {
        let packet = |at, event| Packet::new().sequence(1).timestamp(us(at)).track_event(event);
        [(at, packet(at, begin)), (at + 5, packet(at + 5, TrackEvent::end(track)))]
    };
    let trace = scene(&[
        part(APP_TRACK, 10, TrackEvent::begin(APP_TRACK).name("asks").flow(1)),
        part(WORKER_TRACK, 20, TrackEvent::begin(WORKER_TRACK).name("works").flow(1).flow(2)),
        part(APP_TRACK, 30, TrackEvent::begin(APP_TRACK).name("shows").ends_flow(2)),
    ]);
    let follow = |name: &str| {
        let sql = format!(
            "SELECT n.name, p.name FROM _slice_following_flow!( \
             (SELECT id FROM slice WHERE name = '{name}')) f \
             JOIN slice n ON n.id = f.node_id LEFT JOIN slice p ON p.id = f.parent_node_id \
             ORDER BY n.ts"
        );
        lines(&trace, "slices.flow", &sql)
    };
    assert_eq!(follow("asks"), ["asks NULL", "works asks", "shows works"]);
    assert_eq!(follow("works"), ["works NULL", "shows works"]);
}
