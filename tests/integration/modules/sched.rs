//! `sched.*`

use tpq_testkit::{FtraceBundle, FtraceEvent, Packet, TraceBuilder};

use super::{APP, IDLE, WORKER, empty, lines, processes, scene, slices, us};
use crate::imported::Imported;

#[test]
fn names_of_states() {
    let name = |state: &str| {
        let sql = format!("SELECT sched_state_to_human_readable_string({state})");
        lines(&empty(), "sched.states", &sql).remove(0)
    };
    assert_eq!(name("'Running'"), "Running");
    assert_eq!(name("'R+'"), "Runnable (Preempted)");
    assert_eq!(name("'t'"), "Traced");
    assert_eq!(name("'Unheard of'"), "Unheard of");
    assert_eq!(name("NULL"), "NULL");
    let name = |args: &str| {
        let sql = format!("SELECT sched_state_io_to_human_readable_string({args})");
        lines(&empty(), "sched.states", &sql).remove(0)
    };
    assert_eq!(name("'D', 1"), "Uninterruptible Sleep (IO)");
    assert_eq!(name("'D', 0"), "Uninterruptible Sleep (non-IO)");
    assert_eq!(name("'S', NULL"), "Sleeping");
}

#[test]
fn running_threads_with_names() {
    let sql = "SELECT ts, dur, thread_name, process_name, cpu, end_state, priority \
        FROM sched_with_thread_process ORDER BY ts";
    assert_eq!(
        lines(&scene(&[]), "sched.with_context", sql),
        [
            "10000 20000 app /bin/app 0 R 120",
            "30000 20000 worker /bin/app 0 D 120",
            "50000 30000 app /bin/app 0 S 120",
            "80000 20000 worker /bin/app 0 S 120",
            "100000 -1 swapper NULL 0 NULL 120",
        ]
    );
}

/// No thread woke the main thread, which was only preempted; it is the main thread that wakes the
/// worker.
#[test]
fn waits_before_running() {
    let sql = "SELECT ran.ts, waited.ts, woken.ts FROM sched_previous_runnable_on_thread p \
        JOIN thread_state ran USING (id) \
        LEFT JOIN thread_state waited ON waited.id = p.prev_runnable_id \
        LEFT JOIN thread_state woken ON woken.id = p.prev_wakeup_runnable_id ORDER BY ran.ts";
    assert_eq!(
        lines(&scene(&[]), "sched.runnable", sql),
        ["10000 NULL NULL", "30000 NULL NULL", "50000 30000 NULL", "80000 70000 70000"]
    );
    let sql = "SELECT s.ts, tid, ran.ts, waited.ts, latency_dur \
        FROM sched_latency_for_running_interval l JOIN sched s ON s.id = sched_id \
        JOIN thread_state ran ON ran.id = thread_state_id JOIN thread t ON t.utid = l.utid \
        JOIN thread_state waited ON waited.id = runnable_latency_id ORDER BY s.ts";
    assert_eq!(
        lines(&scene(&[]), "sched.latency", sql),
        ["50000 100 50000 30000 20000", "80000 101 80000 70000 10000"]
    );
}

#[test]
fn how_many_at_once() {
    let counts = |sql: &str| lines(&scene(&[]), "sched.thread_level_parallelism", sql);
    assert_eq!(
        counts("SELECT * FROM sched_runnable_thread_count ORDER BY ts"),
        ["30000 1", "50000 0", "70000 1", "80000 0"]
    );
    assert_eq!(
        counts("SELECT * FROM sched_uninterruptible_sleep_thread_count ORDER BY ts"),
        ["50000 1", "70000 0"]
    );
    assert_eq!(
        counts("SELECT * FROM sched_active_cpu_count ORDER BY ts"),
        ["10000 1", "30000 1", "50000 1", "80000 1", "100000 0"]
    );
}

/// The last state of a thread is not seen to end; its duration of -1 ns counts as it is.
#[test]
fn time_in_states() {
    let rows = |sql: &str| lines(&scene(&[]), "sched.time_in_state", sql);
    let sql = "SELECT tid, state, time_in_state, total_runtime, percentage_in_state \
        FROM sched_time_in_state_for_thread JOIN thread USING (utid) ORDER BY tid, 3 DESC";
    assert_eq!(
        rows(sql),
        [
            "100 Running 50000 69999 71",
            "100 R 20000 69999 28",
            "100 S -1 69999 0",
            "101 Running 40000 69999 57",
            "101 D 20000 69999 28",
            "101 R 10000 69999 14",
            "101 S -1 69999 0",
        ]
    );
    let sql = "SELECT tid, running, runnable, runnable_preempted, sleeping, \
        uninterruptible_sleep, other \
        FROM sched_percentage_of_time_in_state JOIN thread USING (utid) ORDER BY tid";
    assert_eq!(rows(sql), ["100 71 28 NULL 0 NULL NULL", "101 57 14 NULL 0 28 NULL"]);
}

/// From 20 to 60 µs the worker runs for 20 and sleeps for 10; the CPU is left by the main thread
/// after 10, by the worker after 20, and is taken by the main thread for the rest.
#[test]
fn time_in_states_within_an_interval() {
    let rows = |sql: &str| lines(&scene(&[]), "sched.time_in_state", sql);
    let worker = "(SELECT utid FROM thread WHERE tid = 101)";
    let sql = format!(
        "SELECT f.* FROM {worker} t \
         JOIN sched_time_in_state_for_thread_in_interval(20000, 40000, t.utid) f ORDER BY f.dur"
    );
    assert_eq!(rows(&sql), ["D NULL NULL 10000", "Running NULL NULL 20000"]);
    let sql = format!(
        "SELECT f.* FROM {worker} t \
         JOIN sched_time_in_state_and_cpu_for_thread_in_interval(20000, 40000, t.utid) f \
         ORDER BY f.dur"
    );
    assert_eq!(rows(&sql), ["D NULL NULL NULL 10000", "Running NULL 0 NULL 20000"]);
    let sql = "SELECT * FROM sched_time_in_state_for_cpu_in_interval(0, 20000, 40000) \
        ORDER BY end_state";
    assert_eq!(rows(sql), ["D 20000", "R 10000", "S 10000"]);
}

/// The worker is first seen at 30 µs, 5 after its slice began.
#[test]
fn states_by_the_innermost_slice() {
    let rows = |sql: &str| lines(&slices(), "sched.thread_state_flattened", sql);
    let outer = "(SELECT id FROM slice WHERE name = 'outer') s";
    let sql = format!(
        "SELECT f.ts, f.dur, f.name, f.depth, f.state FROM {outer} \
         JOIN _get_flattened_thread_state(s.id, NULL) f ORDER BY f.ts"
    );
    assert_eq!(
        rows(&sql),
        [
            "30000 5000 outer 0 Running",
            "35000 15000 inner 1 Running",
            "50000 10000 inner 1 D",
            "60000 10000 outer 0 D",
            "70000 10000 outer 0 R",
            "80000 15000 outer 0 Running",
        ]
    );
    // The trace does not say why the worker slept, so that it counts with neither kind of D.
    let sql = format!(
        "SELECT f.slice_name, f.running, f.runnable, f.uninterruptible_sleep_io, f.dur, f.depth \
         FROM {outer} JOIN _get_flattened_thread_state_aggregated(s.id, NULL) f ORDER BY f.depth"
    );
    assert_eq!(rows(&sql), ["outer 20000 10000 NULL 40000 0", "inner 15000 NULL NULL 25000 1"]);
}

/// The main thread is woken by no known thread and wakes the worker, which wakes it in turn when
/// it sleeps. In microseconds:
///
/// ```text
///          10  12      20  30      45  50      60
/// app      R | Running   | S     | R | Running | S
/// worker               R | Running   | S
/// ```
fn turns() -> Imported {
    let events = [
        FtraceEvent::sched_waking(us(10), 0, APP, 0),
        FtraceEvent::sched_switch(us(12), IDLE, 0, APP),
        FtraceEvent::sched_waking(us(20), 100, WORKER, 0),
        FtraceEvent::sched_switch(us(30), APP, 1, WORKER),
        FtraceEvent::sched_waking(us(45), 101, APP, 0),
        FtraceEvent::sched_switch(us(50), WORKER, 1, APP),
        FtraceEvent::sched_switch(us(60), APP, 1, IDLE),
    ];
    let bundle = events.into_iter().fold(FtraceBundle::new(0), FtraceBundle::event);
    let kernel = Packet::new().sequence(9).ftrace(bundle);
    Imported::trace(TraceBuilder::new().packet(processes()).packet(kernel))
}

#[test]
fn wakers_of_threads() {
    let sql = "SELECT tid, s.ts, s.dur, idle_state, idle_dur, is_idle_reason_self AS self, \
        (SELECT w.ts FROM _wakeup_graph w WHERE w.id = s.waker_id) AS waker, \
        (SELECT p.ts FROM _wakeup_graph p WHERE p.id = s.prev_id) AS previous \
        FROM _wakeup_graph s JOIN thread USING (utid) ORDER BY s.ts";
    assert_eq!(
        lines(&turns(), "sched.thread_executing_span", sql),
        [
            "100 10000 20000 NULL NULL 1 NULL NULL",
            "101 20000 30000 NULL NULL 0 10000 NULL",
            "100 45000 15000 S 15000 0 20000 10000",
        ]
    );
}

/// While the main thread, utid 2, sleeps from 30 to 45 µs, it is the worker that it waits
/// for.
#[test]
fn causes_of_waits() {
    let path = |from: u64, dur: u64| {
        let sql = format!(
            "SELECT f.ts, f.dur, w.tid \
             FROM _thread_executing_span_critical_path(2, {from}, {dur}) f \
             JOIN thread w ON w.utid = f.utid ORDER BY f.ts"
        );
        lines(&turns(), "sched.thread_executing_span", &sql)
    };
    assert_eq!(path(0, 100_000), ["10000 20000 100", "30000 15000 101", "45000 15000 100"]);
    assert_eq!(path(25_000, 10_000), ["25000 5000 100", "30000 5000 101"]);
}

#[test]
fn causes_of_waits_as_stacks() {
    let sql = "SELECT dur, stack_depth, name, table_name \
        FROM _thread_executing_span_critical_path_stack(2, 30000, 15000) \
        WHERE name IS NOT NULL ORDER BY stack_depth";
    assert_eq!(
        lines(&turns(), "sched.thread_executing_span_with_slice", sql),
        [
            "15000 0 thread_state: S thread_state",
            "15000 3 process_name: /bin/app thread_state",
            "15000 4 thread_name: app thread_state",
            "15000 5 blocking thread_state: Running thread_state",
            "15000 6 blocking process_name: /bin/app thread_state",
            "15000 7 blocking thread_name: worker thread_state",
            "15000 10 cpu: 0 thread_state",
        ]
    );
}
