//! Markers that user space writes to the kernel's trace.

use insta::assert_snapshot;
use tpq_testkit::FtraceEvent;

use super::{COUNTER_ARGS, COUNTERS, DIMENSIONS, SLICE_ARGS, SLICES, kernel};
use crate::imported::{Imported, STATS};

/// Markers that thread 101 wrote.
fn markers(lines: &[(u64, &str)]) -> Imported {
    kernel(lines.iter().map(|&(at, line)| FtraceEvent::print(at, 101, line)))
}

#[test]
fn slices_of_the_thread() {
    let imported = markers(&[
        (10, "B|100|outer|with bars\n"),
        (20, "B|100|\n"),
        (30, "E|100\n"),
        (35, "I|100|now\n"),
        (40, "E\n"),
    ]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type              track  name                category
    10  30   thread_execution  NULL   outer|with bars     NULL
    20  10   thread_execution  NULL   [empty slice name]  NULL
    35  0    thread_execution  NULL   now                 NULL
    ");
}

/// Slices that overlap lie on tracks of their own, and one that begins later takes the first that
/// is free. A second beginning under one cookie is counted but is no slice.
#[test]
fn slices_of_the_process() {
    let imported = markers(&[
        (10, "S|100|load|1"),
        (15, "S|100|load|1"),
        (20, "S|100|load|2"),
        (30, "F|100|load|1"),
        (40, "S|100|load|3"),
        (50, "F|100|load|3"),
    ]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type                track  name  category
    10  20   atrace_async_slice  load   load  NULL
    20  -1   atrace_async_slice  load   load  NULL
    40  10   atrace_async_slice  load   load  NULL
    ");
    // Two slices began on the first track by 30, and three by 50.
    assert_snapshot!(imported.rows(SLICE_ARGS), @r"
    ts  name  flat_key                         key                              type  int  string
    10  load  cookie                           cookie                           int   1    NULL
    10  load  legacy_unnestable_begin_count    legacy_unnestable_begin_count    int   2    NULL
    10  load  legacy_unnestable_last_begin_ts  legacy_unnestable_last_begin_ts  int   15   NULL
    20  load  cookie                           cookie                           int   2    NULL
    40  load  cookie                           cookie                           int   3    NULL
    40  load  legacy_unnestable_begin_count    legacy_unnestable_begin_count    int   3    NULL
    40  load  legacy_unnestable_last_begin_ts  legacy_unnestable_last_begin_ts  int   40   NULL
    ");
    let own = DIMENSIONS.replace("ORDER", "WHERE type = 'atrace_async_slice' ORDER");
    assert_snapshot!(imported.rows(&own), @r"
    type                name  key                   value_type  int_value  string_value
    atrace_async_slice  load  upid                  int         1          NULL
    atrace_async_slice  load  name                  string      NULL       load
    atrace_async_slice  load  track_compressor_idx  int         0          NULL
    atrace_async_slice  load  upid                  int         1          NULL
    atrace_async_slice  load  name                  string      NULL       load
    atrace_async_slice  load  track_compressor_idx  int         1          NULL
    ");
}

/// Both spellings of the end. The instant at 25 lies on a second track: one of a cookie may last
/// any time.
#[test]
fn slices_on_tracks_the_process_names() {
    let imported = markers(&[
        (10, "G|100|disk|read|1"),
        (20, "H|100|disk|1"),
        (25, "N|100|disk|full"),
        (30, "G|100|disk|write|2"),
        (40, "H|100|disk|write|2"),
    ]);
    let slices = "SELECT ts, dur, t.type, t.name AS track, s.name, t.id - min(t.id) OVER () AS nth \
        FROM slice s JOIN track t ON track_id = t.id ORDER BY ts";
    assert_snapshot!(imported.rows(slices), @r"
    ts  dur  type                          track  name   nth
    10  10   atrace_async_slice_for_track  disk   read   0
    25  0    atrace_async_slice_for_track  disk   full   1
    30  10   atrace_async_slice_for_track  disk   write  0
    ");
    // The thread that wrote is utid 1.
    assert_snapshot!(imported.rows(SLICE_ARGS), @r"
    ts  name   flat_key  key       type  int  string
    10  read   utid      utid      uint  2    NULL
    10  read   end_utid  end_utid  uint  2    NULL
    25  full   utid      utid      uint  2    NULL
    30  write  utid      utid      uint  2    NULL
    30  write  end_utid  end_utid  uint  2    NULL
    ");
}

#[test]
fn counters_of_the_process() {
    let imported = markers(&[(10, "C|100|fps|60"), (20, "C|100|fps|-1|graphics")]);
    assert_snapshot!(imported.rows(COUNTERS), @r"
    ts  type            name  value
    10  atrace_counter  fps   60.0
    20  atrace_counter  fps   -1.0
    ");
    assert_snapshot!(imported.rows(COUNTER_ARGS), @r"
    ts  key   type  int  string
    10  utid  uint  2    NULL
    20  utid  uint  2    NULL
    ");
    assert_snapshot!(imported.rows(DIMENSIONS), @r"
    type            name  key   value_type  int_value  string_value
    atrace_counter  fps   upid  int         1          NULL
    atrace_counter  fps   name  string      NULL       fps
    ");
}

/// Some markers are of the device rather than of the process that wrote them.
#[test]
fn slices_of_the_device() {
    let imported = markers(&[
        (10, "C|100|ScreenState|2"),
        (20, "C|100|battery_stats.audio|1"),
        (30, "N|100|DeviceStateChanged|CLOSED"),
    ]);
    assert_snapshot!(imported.rows(COUNTERS), @r"
    ts  type           name                 value
    10  screen_state   ScreenState          2.0
    20  battery_stats  battery_stats.audio  1.0
    ");
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type                  track               name    category
    30  0    android_device_state  DeviceStateChanged  CLOSED  NULL
    ");
    assert_snapshot!(imported.rows(DIMENSIONS), @r"
    type           name                 key          value_type  int_value  string_value
    battery_stats  battery_stats.audio  counter_key  string      NULL       battery_stats.audio
    ");
}

/// A counter names the process that an older Android kills and then takes 0; a newer Android has a
/// slice.
#[test]
fn processes_killed_for_want_of_memory() {
    let imported = markers(&[
        (10, "C|100|kill_one_process|300"),
        (20, "C|100|kill_one_process|0"),
        (30, "B|100|lmk,400,2,905,1024"),
        (40, "E|100"),
        (50, "B|100|lmk,what,2,905"),
    ]);
    let kills = "SELECT ts, dur, t.name AS track, s.name, pid FROM slice s \
        JOIN process_track t ON track_id = t.id JOIN process USING (upid) ORDER BY ts";
    assert_snapshot!(imported.rows(kills), @r"
    ts  dur  track  name     pid
    10  0    LMK    mem.lmk  300
    30  0    LMK    mem.lmk  400
    ");
    assert_eq!(imported.cell("SELECT DISTINCT type FROM track WHERE name = 'LMK'"), "android_lmk");
    assert_snapshot!(imported.rows(COUNTERS), @r"
    ts  type            name              value
    10  atrace_counter  kill_one_process  300.0
    20  atrace_counter  kill_one_process  0.0
    30  oom_score_adj   oom_score_adj     905.0
    ");
}

/// Bytes that are no text are left out; lines that are no markers are counted.
#[test]
fn text_that_is_no_marker() {
    let imported = markers(&[
        (10, "hello"),
        (20, "C|100|fps|1.5"),
        (30, "S|100|load"),
        (40, "trace_event_clock_sync: parent_ts=1.5"),
    ]);
    assert_eq!(imported.cell("SELECT count(*) FROM slice"), "0");
    assert_snapshot!(imported.rows(STATS), @r"
    name                    machine  file  value
    systrace_parse_failure  0        0     3
    ");
}
