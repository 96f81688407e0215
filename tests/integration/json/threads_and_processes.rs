//! Ids and names of threads and processes.

use crate::imported::THREADS;

use super::{STATS, events};

#[test]
fn metadata_names_processes_and_threads() {
    let trace = events(
        r#"{"ph":"M","pid":5,"tid":0,"name":"process_name","args":{"name":"app"}},
           {"ph":"M","pid":5,"tid":6,"ts":0,"name":"thread_name","args":{"name":"worker"}},
           {"ph":"M","pid":5,"tid":6,"name":"thread_name","args":{"name":"w\u00f6rker"}},
           {"ph":"M","pid":5,"tid":6,"ts":0,"name":"thread_sort_index","args":{"sort_index":-3}},
           {"ph":"M","pid":5,"ts":0,"name":"process_sort_index","args":{"sort_index":2.9}},
           {"ph":"M","pid":5,"ts":0,"name":"process_labels","args":{"labels":"tab"}}"#,
    );
    insta::assert_snapshot!(trace.rows(THREADS), @r"
    utid  tid  name    pid  process  machine
    1     5    NULL    5    app      0
    2     6    wörker  5    app      0
    ");
    let hints = "SELECT 'thread' AS of, tid AS id, key, int_value AS value FROM thread \
        JOIN args USING (arg_set_id) UNION ALL SELECT 'process', pid, key, int_value FROM process \
        JOIN args USING (arg_set_id) ORDER BY 1";
    insta::assert_snapshot!(trace.rows(hints), @r"
    of       id  key                      value
    process  5   process_sort_index_hint  2
    thread   6   thread_sort_index_hint   -3
    ");
    insta::assert_snapshot!(trace.rows(STATS), @"name  value");
}

#[test]
fn metadata_without_args_names_nothing() {
    let trace = events(
        r#"{"ph":"M","pid":1,"tid":2,"ts":0,"name":"thread_name"},
           {"ph":"M","pid":1,"tid":2,"ts":0,"name":"thread_name","args":[1]}"#,
    );
    insta::assert_snapshot!(trace.rows(THREADS), @r"
    utid  tid  name  pid  process  machine
    1     1    NULL  1    NULL     0
    2     2    NULL  1    NULL     0
    ");
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                 value
    json_parser_failure  1
    ");
}

#[test]
fn a_thread_that_is_not_said_is_the_main_thread() {
    let trace = events(
        r#"{"ph":"X","pid":5,"ts":1,"dur":1,"name":"a"},
           {"ph":"X","pid":5,"tid":0,"ts":3,"dur":1,"name":"b"},
           {"ph":"X","tid":9,"ts":5,"dur":1,"name":"c"}"#,
    );
    let sql = "SELECT slice.name, tid, pid, is_main_thread AS main FROM slice \
        JOIN thread_track ON track_id = thread_track.id JOIN thread USING (utid) \
        JOIN process USING (upid) ORDER BY ts";
    insta::assert_snapshot!(trace.rows(sql), @r"
    name  tid  pid  main
    a     5    5    1
    b     5    5    1
    c     9    0    0
    ");
}

#[test]
fn names_may_stand_for_ids() {
    let trace = events(
        r#"{"ph":"X","pid":"GPU","tid":"queue \"0\"","ts":1,"dur":1,"name":"a"},
           {"ph":"X","pid":"GPU","tid":"GPU","ts":2,"dur":1,"name":"b"},
           {"ph":"X","pid":"","tid":"","ts":3,"dur":1,"name":"c"}"#,
    );
    let sql = "SELECT slice.name, thread.name AS thread, process.name AS process, \
        is_main_thread AS main, tid = pid AS same, pid >= 9007199254740992 AS made_up FROM slice \
        JOIN thread_track ON track_id = thread_track.id JOIN thread USING (utid) \
        JOIN process USING (upid) ORDER BY ts";
    insta::assert_snapshot!(trace.rows(sql), @r#"
    name  thread     process  main  same  made_up
    a     queue "0"  GPU      0     0     1
    b     GPU        GPU      1     1     1
    c                         1     1     1
    "#);
}

#[test]
fn large_ids_are_kept_apart() {
    let trace = events(
        r#"{"ph":"X","pid":1,"tid":140234567890000,"ts":1,"dur":5,"name":"a"},
           {"ph":"X","pid":1,"tid":140234567890016,"ts":2,"dur":5,"name":"b"},
           {"ph":"X","pid":1,"tid":-1,"ts":3,"dur":5,"name":"main"}"#,
    );
    let sql = "SELECT slice.name, tid FROM slice JOIN thread_track ON track_id = thread_track.id \
        JOIN thread USING (utid) ORDER BY ts";
    insta::assert_snapshot!(trace.rows(sql), @r"
    name  tid
    a     140234567890000
    b     140234567890016
    main  1
    ");
}
