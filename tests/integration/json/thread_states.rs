//! States of threads.

use super::{STATS, events};

const STATES: &str = "SELECT ts, dur, tid, state, io_wait AS io, blocked_function AS function, cpu \
    FROM thread_state JOIN thread USING (utid) ORDER BY ts";

/// A thread runs on one CPU, waits, runs on another and sleeps; a second one can run.
#[test]
fn states_with_their_details() {
    let trace = events(
        r#"{"ph":"T","pid":1,"tid":2,"ts":1,"dur":2,"name":"Running","args":{"cpu":1}},
           {"ph":"T","pid":1,"tid":2,"ts":3,"dur":1.5,"name":"D",
            "args":{"io_wait":true,"blocked_function":"wait_on_\u00e9"}},
           {"ph":"T","pid":1,"tid":2,"ts":4.5,"dur":1,"name":"Running","args":{"cpu":"0"}},
           {"ph":"T","pid":1,"tid":2,"ts":5.5,"dur":4,"name":"S","args":{"io_wait":0,"cpu":-1}},
           {"ph":"T","pid":1,"tid":3,"ts":2,"dur":1,"name":"R"}"#,
    );
    insta::assert_snapshot!(trace.rows(STATES), @r"
    ts    dur   tid  state    io    function   cpu
    1000  2000  2    Running  NULL  NULL       1
    2000  1000  3    R        NULL  NULL       NULL
    3000  1500  2    D        1     wait_on_é  NULL
    4500  1000  2    Running  NULL  NULL       0
    5500  4000  2    S        0     NULL       NULL
    ");
    let sched = "SELECT ts, dur, tid, cpu, end_state, priority FROM sched \
        JOIN thread USING (utid) ORDER BY ts";
    insta::assert_snapshot!(trace.rows(sched), @r"
    ts    dur   tid  cpu  end_state  priority
    1000  2000  2    1    NULL       0
    4500  1000  2    0    NULL       0
    ");
    // The last state ends at 9.5.
    insta::assert_snapshot!(trace.rows("SELECT start_ts, end_ts FROM trace_bounds"), @r"
    start_ts  end_ts
    1000      9500
    ");
    insta::assert_snapshot!(trace.rows("SELECT count(*) AS slices FROM slice"), @r"
    slices
    0
    ");
    insta::assert_snapshot!(trace.rows(STATS), @"name  value");
}

/// States without a thread, a name or a possible duration are counted. One with an id is a step of
/// an async slice.
#[test]
fn states_that_say_too_little() {
    let trace = events(
        r#"{"ph":"T","pid":1,"ts":1,"dur":2,"name":"S"},
           {"ph":"T","pid":1,"tid":2,"ts":2,"dur":2},
           {"ph":"T","pid":1,"tid":2,"ts":3,"dur":-2,"name":"S"},
           {"ph":"T","pid":1,"tid":2,"ts":4,"dur":2,"name":"step","id":"0x1"},
           {"ph":"T","pid":1,"tid":2,"ts":6,"dur":0,"name":"R"}"#,
    );
    insta::assert_snapshot!(trace.rows("SELECT ts, dur, state FROM thread_state"), @r"
    ts    dur  state
    6000  0    R
    ");
    insta::assert_snapshot!(trace.rows("SELECT ts, dur, name FROM slice"), @r"
    ts    dur  name
    4000  0    step
    ");
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                 value
    json_parser_failure  3
    ");
}

/// No machine has CPU 4096, and half a CPU is none. The states and their durations stay.
#[test]
fn cpus_that_there_cannot_be() {
    let trace = events(
        r#"{"ph":"T","pid":1,"tid":2,"ts":1,"dur":1,"name":"Running","args":{"cpu":4096}},
           {"ph":"T","pid":1,"tid":2,"ts":2,"dur":1,"name":"Running","args":{"cpu":"0.5"}},
           {"ph":"T","pid":1,"tid":2,"ts":3,"dur":1,"name":"Running","args":{"cpu":null}},
           {"ph":"T","pid":1,"tid":2,"ts":4,"dur":1,"name":"Running","args":{"cpu":3}}"#,
    );
    assert_eq!(
        trace.cells("SELECT ts, dur, state, cpu FROM thread_state ORDER BY ts"),
        [
            ["1000", "1000", "Running", "NULL"],
            ["2000", "1000", "Running", "NULL"],
            ["3000", "1000", "Running", "NULL"],
            ["4000", "1000", "Running", "3"],
        ]
    );
    assert_eq!(trace.cells("SELECT ts, cpu FROM sched"), [["4000", "3"]]);
    assert_eq!(trace.cells(STATS), [["json_parser_failure", "2"]]);
}
