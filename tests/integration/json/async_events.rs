//! Slices that ids distinguish.

use super::{SLICES_ON_TRACKS, STATS, events};

#[test]
fn slices_of_two_ids_may_overlap() {
    let trace = events(
        r#"{"ph":"b","pid":1,"tid":1,"ts":1,"id":1,"cat":"c","name":"load"},
           {"ph":"b","pid":1,"tid":1,"ts":2,"id":"0x2","cat":"c","name":"load"},
           {"ph":"n","pid":1,"tid":1,"ts":3,"id":1,"cat":"c","name":"step"},
           {"ph":"e","pid":1,"tid":1,"ts":4,"id":1,"cat":"c","name":"load"},
           {"ph":"e","pid":1,"tid":1,"ts":5,"id":"0x2","cat":"c","name":"load"}"#,
    );
    insta::assert_snapshot!(trace.rows(SLICES_ON_TRACKS), @r"
    ts    dur   depth  name  type                       utid  upid  track
    1000  3000  0      load  legacy_async_global_slice  NULL  NULL  load
    2000  3000  0      load  legacy_async_global_slice  NULL  NULL  load
    3000  0     1      step  legacy_async_global_slice  NULL  NULL  load
    ");
}

#[test]
fn local_ids_are_of_their_process() {
    let trace = events(
        r#"{"ph":"b","pid":1,"tid":1,"ts":1,"id2":{"local":"0x1"},"cat":"c","name":"a"},
           {"ph":"b","pid":2,"tid":2,"ts":2,"id2":{"local":"0x1"},"cat":"c","name":"a"},
           {"ph":"e","pid":1,"tid":1,"ts":3,"id2":{"local":"0x1"},"cat":"c","name":"a"},
           {"ph":"e","pid":2,"tid":2,"ts":5,"id2":{"local":"0x1"},"cat":"c","name":"a"},
           {"ph":"b","pid":1,"tid":1,"ts":6,"id2":{"global":"g"},"cat":"c","name":"b"},
           {"ph":"e","pid":2,"tid":2,"ts":8,"id2":{"global":"g"},"cat":"c","name":"b"}"#,
    );
    insta::assert_snapshot!(trace.rows(SLICES_ON_TRACKS), @r"
    ts    dur   depth  name  type                        utid  upid  track
    1000  2000  0      a     legacy_async_process_slice  NULL  1     a
    2000  3000  0      a     legacy_async_process_slice  NULL  2     a
    6000  2000  0      b     legacy_async_global_slice   NULL  NULL  b
    ");
}

#[test]
fn the_oldest_form_is_read_too() {
    let trace = events(
        r#"{"ph":"S","pid":1,"tid":1,"ts":1,"id":"0x1","cat":"c","name":"a"},
           {"ph":"T","pid":1,"tid":1,"ts":2,"id":"0x1","cat":"c","name":"a","args":{"step":"x"}},
           {"ph":"F","pid":1,"tid":1,"ts":4,"id":"0x1","cat":"c","name":"a"}"#,
    );
    insta::assert_snapshot!(trace.rows(SLICES_ON_TRACKS), @r"
    ts    dur   depth  name  type                       utid  upid  track
    1000  3000  0      a     legacy_async_global_slice  NULL  NULL  a
    2000  0     1      a     legacy_async_global_slice  NULL  NULL  a
    ");
    insta::assert_snapshot!(trace.rows(STATS), @"name  value");
}

#[test]
fn without_an_id_or_a_process_there_is_no_track() {
    let trace = events(
        r#"{"ph":"b","pid":1,"tid":1,"ts":1,"name":"a"},
           {"ph":"b","ts":1,"id":1,"name":"a"},
           {"ph":"e","pid":1,"id2":{},"ts":2,"name":"a"}"#,
    );
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                 value
    json_parser_failure  3
    ");
}
