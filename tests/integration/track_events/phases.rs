//! The letters of Chrome's older form, and what they make.

use tpq_testkit::{Annotation, Message, TrackEvent};

use super::*;

#[test]
fn slices_and_instants_of_the_thread_that_writes() {
    let trace = imported(
        described(),
        [
            legacy(10, 'B', "outer", Message::new()),
            legacy(20, 'X', "inner", Message::new().int(3, 1)),
            legacy(1030, 'i', "of thread", Message::new()),
            legacy(1040, 'I', "of process", Message::new().uint(14, 2)),
            legacy(1050, 'i', "of all", Message::new().uint(14, 1)),
            legacy(1060, 'R', "mark", Message::new()),
            legacy(1070, 'E', "outer", Message::new()),
        ],
    );
    assert_eq!(
        trace.rows(SLICES),
        "\
ts    dur   depth  type                           track  name
10    1060  0      thread_execution               NULL   outer
20    1000  1      thread_execution               NULL   inner
1030  0     1      thread_execution               NULL   of thread
1040  0     0      chrome_process_instant         NULL   of process
1050  0     0      legacy_chrome_global_instants  NULL   of all
1060  0     1      thread_execution               NULL   mark
"
    );
    assert_eq!(
        trace.rows(SLICE_ARGS),
        "\
name        key                            type    int   string
of process  legacy_event.passthrough_utid  uint    2     NULL
of all      legacy_event.passthrough_utid  uint    2     NULL
mark        legacy_event.phase             string  NULL  R
"
    );
}

/// A slice without a duration holds no slice that begins when it ends, but an instant of its moment.
#[test]
fn slices_without_a_duration_hold_nothing_longer() {
    let trace = imported(
        described(),
        [
            legacy(10, 'X', "point", Message::new().int(3, 0)),
            legacy(10, 'X', "longer", Message::new().int(3, 2)),
            legacy(5_000, 'B', "empty", Message::new()),
            legacy(5_000, 'E', "empty", Message::new()),
            legacy(5_000, 'B', "next", Message::new()),
            legacy(6_000, 'E', "next", Message::new()),
            legacy(7_000, 'i', "one", Message::new()),
            legacy(7_000, 'i', "two", Message::new()),
        ],
    );
    let slices = "SELECT ts, dur, depth, name FROM slice ORDER BY id";
    assert_eq!(
        trace.rows(slices),
        "\
ts    dur   depth  name
10    0     0      point
10    2000  0      longer
5000  0     0      empty
5000  1000  0      next
7000  0     0      one
7000  0     1      two
"
    );
}

/// A slice that begins in another and ends after it has no place on the track.
#[test]
fn complete_slices_that_overlap_are_dropped_and_entered() {
    let trace = imported(
        described(),
        [
            legacy(1_000, 'X', "first", Message::new().int(3, 10)),
            legacy(5_000, 'X', "second", Message::new().int(3, 10)),
            legacy(6_000, 'X', "backwards", Message::new().int(3, -1)),
        ],
    );
    assert_eq!(trace.rows("SELECT name FROM slice"), "name\nfirst\n");
    assert_eq!(
        trace.rows(STATS),
        "\
name                                   value
slice_drop_overlapping_complete_event  1
track_event_parser_errors              1
"
    );
    assert_eq!(
        trace.rows(LOGS),
        "\
name                                   ts    key                     int    string
slice_drop_overlapping_complete_event  5000  overlap_start           5000   NULL
slice_drop_overlapping_complete_event  5000  overlap_end             11000  NULL
slice_drop_overlapping_complete_event  5000  conflicting_slice_name  NULL   first
slice_drop_overlapping_complete_event  5000  conflicting_slice_ts    1000   NULL
slice_drop_overlapping_complete_event  5000  conflicting_slice_dur   10000  NULL
"
    );
}

/// A thread or a process named by an event, and events that are nothing but written down.
#[test]
fn metadata_and_what_has_no_meaning_of_its_own() {
    let named = |name: &str, value: &str| {
        let fields = Message::new().message(6, Message::new().uint(2, u64::from('M')));
        let event = Message::from(
            TrackEvent::from(fields.bytes(23, name))
                .annotation(Annotation::named("name").string(value)),
        );
        super::event(5, event)
    };
    let ids = Message::new().int(18, 300).int(19, 301);
    let counter = legacy(10, 'C', "value", Message::new().uint(6, 77).bytes(7, "scope").int(3, 2));
    let trace = imported(
        described(),
        [
            named("process_name", "late"),
            named("thread_name", "late"),
            legacy(7, 'B', "elsewhere", ids),
            counter,
        ],
    );
    assert_eq!(
        trace.rows("SELECT tid, t.name, pid, p.name AS process FROM thread t JOIN process p USING (upid) WHERE tid > 0 ORDER BY tid"),
        "\
tid  name    pid  process
100  NULL    100  program
101  worker  100  program
300  NULL    300  NULL
301  NULL    300  NULL
"
    );
    assert_eq!(
        trace.rows(
            "SELECT r.ts, r.name, tid, key, value_type AS type, int_value AS int, \
             string_value AS string FROM __intrinsic_chrome_raw r JOIN thread USING (utid) \
             JOIN args a ON r.arg_set_id = a.arg_set_id ORDER BY a.id"
        ),
        "\
ts  name                      tid  key                       type    int   string
10  track_event.legacy_event  101  legacy_event.category     string  NULL  cat
10  track_event.legacy_event  101  legacy_event.name         string  NULL  value
10  track_event.legacy_event  101  legacy_event.phase        string  NULL  C
10  track_event.legacy_event  101  legacy_event.duration_ns  int     2000  NULL
10  track_event.legacy_event  101  legacy_event.unscoped_id  uint    77    NULL
10  track_event.legacy_event  101  legacy_event.id_scope     string  NULL  scope
"
    );
}

/// A track holds 512 levels. What lies deeper is counted and entered.
#[test]
fn slices_that_lie_too_deep() {
    let begins = (1..=513).map(|level: u64| {
        let begin = Message::new().uint(9, 1).uint(11, THREAD);
        event(level, begin.bytes(23, format!("level {level}")))
    });
    let trace = imported(described(), begins);
    let depths = "SELECT count(*) AS slices, max(depth) AS deepest FROM slice";
    assert_eq!(trace.rows(depths), "slices  deepest\n512     511\n");
    assert_eq!(trace.rows(STATS), "name                      value\nslice_max_depth_exceeded  1\n");
    assert_eq!(
        trace.rows(LOGS),
        "\
name                      ts   key                 int   string
slice_max_depth_exceeded  513  parent_slice_name   NULL  level 512
slice_max_depth_exceeded  513  current_slice_name  NULL  level 513
"
    );
}
