//! Counters.

use super::{STATS, events};

const COUNTERS: &str = "SELECT ts, value, type, upid, name FROM counter \
    JOIN process_counter_track AS track ON counter.track_id = track.id ORDER BY ts, name";

#[test]
fn each_number_is_a_counter() {
    let trace = events(
        r#"{"ph":"C","pid":1,"tid":1,"ts":1,"name":"mem","args":{"used":10,"free":"2.5"}},
           {"ph":"C","pid":1,"tid":1,"ts":2,"name":"mem","args":{"used":-1e3}},
           {"ph":"C","pid":1,"tid":1,"ts":3,"name":"mem","id":"0xa","args":{"used":7}}"#,
    );
    insta::assert_snapshot!(trace.rows(COUNTERS), @r"
    ts    value    type          upid  name
    1000  2.5      json_counter  1     mem free
    1000  10.0     json_counter  1     mem used
    2000  -1000.0  json_counter  1     mem used
    3000  7.0      json_counter  1     mem id: 0xa used
    ");
}

/// Numbers in quotes are written in more ways than JSON has.
#[test]
fn numbers_in_quotes() {
    let trace = events(
        r#"{"ph":"C","pid":1,"tid":1,"ts":1,"name":"c","args":{"a":".5"}},
           {"ph":"C","pid":1,"tid":1,"ts":2,"name":"c","args":{"a":"+10.5"}},
           {"ph":"C","pid":1,"tid":1,"ts":3,"name":"c","args":{"a":"1e3"}},
           {"ph":"C","pid":1,"tid":1,"ts":4,"name":"c","args":{"a":"-.25","b":"+","c":".","d":"+inf"}}"#,
    );
    insta::assert_snapshot!(trace.rows(COUNTERS), @r"
    ts    value   type          upid  name
    1000  0.5     json_counter  1     c a
    2000  10.5    json_counter  1     c a
    3000  1000.0  json_counter  1     c a
    4000  -0.25   json_counter  1     c a
    ");
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                 value
    json_parser_failure  3
    ");
}

#[test]
fn values_that_are_no_number_are_counted() {
    let trace = events(
        r#"{"ph":"C","pid":1,"tid":1,"ts":1,"name":"c","args":{"a":"x","b":null,"c":3,"d":[4]}},
           {"ph":"C","pid":1,"tid":1,"ts":2,"name":"none"},
           {"ph":"C","pid":1,"tid":1,"ts":3,"name":"empty","args":{}}"#,
    );
    insta::assert_snapshot!(trace.rows(COUNTERS), @r"
    ts    value  type          upid  name
    1000  3.0    json_counter  1     c c
    ");
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                 value
    json_parser_failure  4
    ");
}
