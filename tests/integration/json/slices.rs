//! Slices of threads: with an event for each end, or in one event.

use super::{SLICES, SLICES_ON_TRACKS, STATS, events};

#[test]
fn slices_nest_by_time() {
    let trace = events(
        r#"{"ph":"B","pid":1,"tid":2,"ts":10,"name":"outer","cat":"a"},
           {"ph":"X","pid":1,"tid":2,"ts":11.5,"dur":2.25,"name":"whole","cat":"b,c"},
           {"ph":"B","pid":1,"tid":2,"ts":14,"name":"inner"},
           {"ph":"E","pid":1,"tid":2,"ts":15},
           {"ph":"E","pid":1,"tid":2,"ts":20,"name":"outer","cat":"a"}"#,
    );
    insta::assert_snapshot!(trace.rows(SLICES), @r"
    ts     dur    depth  name   cat
    10000  10000  0      outer  a
    11500  2250   1      whole  b,c
    14000  1000   1      inner  NULL
    ");
    assert_eq!(trace.cell("SELECT start_ts || '-' || end_ts FROM trace_bounds"), "10000-20000");
}

#[test]
fn events_need_not_come_in_the_order_of_time() {
    let trace = events(
        r#"{"ph":"E","pid":1,"tid":1,"ts":9},
           {"ph":"X","pid":1,"tid":1,"ts":3,"dur":2,"name":"late"},
           {"ph":"B","pid":1,"tid":1,"ts":1,"name":"first"}"#,
    );
    insta::assert_snapshot!(trace.rows(SLICES), @r"
    ts    dur   depth  name   cat
    1000  8000  0      first  NULL
    3000  2000  1      late   NULL
    ");
}

#[test]
fn slices_without_end_are_open_and_ends_without_begin_make_no_slice() {
    let trace = events(
        r#"{"ph":"E","pid":1,"tid":1,"ts":1,"name":"lost"},
           {"ph":"B","pid":1,"tid":1,"ts":2,"name":"open"},
           {"ph":"E","pid":1,"tid":1,"ts":3,"name":"other"}"#,
    );
    insta::assert_snapshot!(trace.rows(SLICES), @r"
    ts    dur  depth  name  cat
    2000  -1   0      open  NULL
    ");
}

#[test]
fn slices_that_overlap_lie_beside_their_thread() {
    let trace = events(
        r#"{"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"a"},
           {"ph":"X","pid":1,"tid":1,"ts":5,"dur":10,"name":"b"},
           {"ph":"X","pid":1,"tid":1,"ts":6,"dur":10,"name":"c"},
           {"ph":"X","pid":1,"tid":1,"ts":15,"dur":3,"name":"d"}"#,
    );
    // Of the idle task and process 0 are row 0, so this is thread and process 1.
    insta::assert_snapshot!(trace.rows(SLICES_ON_TRACKS), @r"
    ts     dur    depth  name  type                      utid  upid  track
    0      10000  0      a     thread_execution          1     NULL  NULL
    5000   10000  0      b     thread_overlapping_slice  1     NULL  NULL
    6000   10000  0      c     thread_overlapping_slice  1     NULL  NULL
    15000  3000   0      d     thread_execution          1     NULL  NULL
    ");
    assert_eq!(trace.cell("SELECT count(DISTINCT track_id) FROM slice"), "3");
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                                    value
    slice_spill_overlapping_complete_event  2
    ");
}

#[test]
fn thread_times_are_taken() {
    let trace = events(
        r#"{"ph":"B","pid":1,"tid":1,"ts":1,"tts":100,"name":"begun"},
           {"ph":"X","pid":1,"tid":1,"ts":2,"dur":1,"tts":101,"tdur":0.5,"name":"whole"},
           {"ph":"X","pid":1,"tid":1,"ts":3,"dur":1,"name":"untimed"},
           {"ph":"E","pid":1,"tid":1,"ts":9,"tts":104}"#,
    );
    let sql = "SELECT name, thread_ts, thread_dur FROM slice ORDER BY ts";
    insta::assert_snapshot!(trace.rows(sql), @r"
    name     thread_ts  thread_dur
    begun    100000     4000
    whole    101000     500
    untimed  NULL       NULL
    ");
}

#[test]
fn args_of_any_shape_are_kept() {
    let trace = events(
        r#"{"ph":"B","pid":1,"tid":1,"ts":1,"name":"s","args":{"n":1,"f":1.5,"t":"x","b":true,
            "z":null,"o":{"in.ner":[1,[2,{"k":"v"}]]},"e":{},"big":18446744073709551615,"n":7}},
           {"ph":"E","pid":1,"tid":1,"ts":2,"args":{"end":-3}}"#,
    );
    let sql = "SELECT flat_key, key, value_type AS type, \
        coalesce(string_value, CAST(int_value AS VARCHAR), CAST(real_value AS VARCHAR)) AS value \
        FROM slice JOIN args USING (arg_set_id) ORDER BY args.id";
    insta::assert_snapshot!(trace.rows(sql), @r"
    flat_key         key                    type    value
    args.f           args.f                 real    1.5
    args.t           args.t                 string  x
    args.b           args.b                 bool    1
    args.o.in.ner    args.o.in.ner[0]       int     1
    args.o.in.ner    args.o.in.ner[1][0]    int     2
    args.o.in.ner.k  args.o.in.ner[1][1].k  string  v
    args.big         args.big               real    1.8446744073709552e+19
    args.n           args.n                 int     7
    args.end         args.end               int     -3
    ");
}

#[test]
fn names_may_hold_anything() {
    let trace = events(
        r#"{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"caf\u00e9 \"x\" \\ \ud83d\ude00","cat":""},
           {"ph":"X","pid":1,"tid":1,"ts":3,"dur":1,"name":""},
           {"ph":"X","pid":1,"tid":1,"ts":5,"dur":1,"name":12}"#,
    );
    insta::assert_snapshot!(trace.rows(SLICES), @r#"
    ts    dur   depth  name          cat
    1000  1000  0      café "x" \ 😀  NULL
    3000  1000  0      [No name]     NULL
    5000  1000  0      [No name]     NULL
    "#);
}

#[test]
fn numbers_may_be_in_quotes() {
    let trace =
        events(r#"{"ph":"X","pid":"7","tid":"8","ts":"1.001","dur":"2","tts":"3","name":"s"}"#);
    let sql = "SELECT ts, dur, thread_ts, tid, pid FROM slice \
        JOIN thread_track ON track_id = thread_track.id JOIN thread USING (utid) JOIN process USING (upid)";
    insta::assert_snapshot!(trace.rows(sql), @r"
    ts    dur   thread_ts  tid  pid
    1001  2000  3000       8    7
    ");
}

#[test]
fn a_key_that_occurs_twice_counts_once() {
    let trace = events(
        r#"{"ph":"X","ph":"X","pid":1,"tid":1,"ts":1,"ts":2,"dur":1,"name":"a","name":"b"}"#,
    );
    insta::assert_snapshot!(trace.rows(SLICES), @r"
    ts    dur   depth  name  cat
    2000  1000  0      b     NULL
    ");
}

#[test]
fn a_complete_event_without_a_duration_is_counted() {
    let trace = events(r#"{"ph":"X","pid":1,"tid":1,"ts":1,"name":"a"}"#);
    assert_eq!(trace.cell("SELECT count(*) FROM slice"), "0");
    let sql = "SELECT l.name, ts, key, string_value AS value FROM trace_import_logs l \
        JOIN args USING (arg_set_id) ORDER BY args.id";
    insta::assert_snapshot!(trace.rows(sql), @r"
    name                 ts    key          value
    json_parser_failure  1000  event_name   a
    json_parser_failure  1000  event_phase  X
    ");
}

/// Deeper nesting is damage: what is above is kept, and the event is reported, whether it
/// became a slice or not.
#[test]
fn args_that_are_nested_too_deeply_are_counted() {
    let deep = format!("{}1{}", r#"{"in":"#.repeat(200), "}".repeat(200));
    let event = |phase: &str, ts: u32, name: &str| {
        format!(
            r#"{{"ph":"{phase}","pid":1,"tid":1,"ts":{ts},"dur":5,"name":"{name}","args":{{"n":1,"deep":{deep}}}}}"#
        )
    };
    let [slice, unmatched] = [event("X", 1, "a"), event("E", 20, "b")];
    let trace = events(&format!("{slice},{unmatched}"));
    let sql = "SELECT slice.name, key, int_value AS value FROM slice JOIN args USING (arg_set_id)";
    insta::assert_snapshot!(trace.rows(sql), @r"
    name  key     value
    a     args.n  1
    ");
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                 value
    json_parser_failure  2
    ");
    let sql = "SELECT l.name, ts, key, string_value AS value FROM trace_import_logs l \
        JOIN args USING (arg_set_id) ORDER BY l.id, args.id";
    insta::assert_snapshot!(trace.rows(sql), @r"
    name                 ts     key          value
    json_parser_failure  20000  event_name   b
    json_parser_failure  20000  event_phase  E
    json_parser_failure  1000   event_name   a
    json_parser_failure  1000   event_phase  X
    ");
}

#[test]
fn slices_beside_a_thread_nest_in_each_other() {
    let trace = events(
        r#"{"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"a"},
           {"ph":"X","pid":1,"tid":1,"ts":5,"dur":10,"name":"b"},
           {"ph":"X","pid":1,"tid":1,"ts":6,"dur":5,"name":"in b"}"#,
    );
    insta::assert_snapshot!(trace.rows(SLICES), @r"
    ts    dur    depth  name  cat
    0     10000  0      a     NULL
    5000  10000  0      b     NULL
    6000  5000   1      in b  NULL
    ");
}

/// A slice without a duration holds nothing that begins when it ends.
#[test]
fn slices_without_a_duration_hold_nothing_longer() {
    let trace = events(
        r#"{"ph":"B","pid":1,"tid":1,"ts":5,"name":"empty"},
           {"ph":"E","pid":1,"tid":1,"ts":5,"name":"empty"},
           {"ph":"B","pid":1,"tid":1,"ts":5,"name":"next"},
           {"ph":"E","pid":1,"tid":1,"ts":7,"name":"next"},
           {"ph":"X","pid":1,"tid":1,"ts":8,"dur":0,"name":"point"},
           {"ph":"X","pid":1,"tid":1,"ts":8,"dur":1,"name":"longer"}"#,
    );
    insta::assert_snapshot!(trace.rows(SLICES), @r"
    ts    dur   depth  name    cat
    5000  0     0      empty   NULL
    5000  2000  0      next    NULL
    8000  1000  0      longer  NULL
    8000  0     1      point   NULL
    ");
}

#[test]
fn of_one_moment_what_contains_comes_first() {
    let trace = events(
        r#"{"ph":"X","pid":1,"tid":1,"ts":5,"dur":1,"name":"inner"},
           {"ph":"X","pid":1,"tid":1,"ts":5,"dur":3,"name":"outer"},
           {"ph":"E","pid":1,"tid":1,"ts":5},
           {"ph":"B","pid":1,"tid":1,"ts":1,"name":"before"},
           {"ph":"B","pid":1,"tid":1,"ts":9,"name":"point"},
           {"ph":"E","pid":1,"tid":1,"ts":9,"name":"point"}"#,
    );
    insta::assert_snapshot!(trace.rows(SLICES), @r"
    ts    dur   depth  name    cat
    1000  4000  0      before  NULL
    5000  3000  0      outer   NULL
    5000  1000  1      inner   NULL
    9000  0     0      point   NULL
    ");
}
