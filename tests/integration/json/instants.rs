//! Instants: of a thread, of a process, or of all.

use super::{SLICES_ON_TRACKS, STATS, events};

#[test]
fn the_scope_says_which_track() {
    let trace = events(
        r#"{"ph":"i","pid":1,"tid":1,"ts":1,"name":"thread","s":"t","tts":5},
           {"ph":"I","pid":1,"tid":1,"ts":2,"name":"usual"},
           {"ph":"R","pid":1,"tid":1,"ts":3,"name":"mark"},
           {"ph":"i","pid":1,"tid":1,"ts":4,"name":"process","s":"p"},
           {"ph":"i","pid":1,"tid":1,"ts":5,"name":"all","s":"g"}"#,
    );
    insta::assert_snapshot!(trace.rows(SLICES_ON_TRACKS), @r"
    ts    dur  depth  name     type                           utid  upid  track
    1000  0    0      thread   thread_execution               1     NULL  NULL
    2000  0    0      usual    thread_execution               1     NULL  NULL
    3000  0    0      mark     thread_execution               1     NULL  NULL
    4000  0    0      process  chrome_process_instant         NULL  1     NULL
    5000  0    0      all      legacy_chrome_global_instants  NULL  NULL  NULL
    ");
    assert_eq!(trace.cell("SELECT thread_ts FROM slice WHERE ts = 1000"), "5000");
}

#[test]
fn an_instant_without_an_owner_is_counted() {
    let trace = events(
        r#"{"ph":"i","ts":1,"name":"a"}, {"ph":"i","ts":2,"name":"b","s":"p"},
           {"ph":"i","pid":1,"tid":1,"ts":3,"name":"c","s":"?"}, {"ph":"i","ts":4,"name":"d","s":"g"}"#,
    );
    assert_eq!(trace.cell("SELECT string_agg(name, ',') FROM slice"), "d");
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                 value
    json_parser_failure  3
    ");
}
