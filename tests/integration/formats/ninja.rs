//! Logs of ninja.

use super::{PLACES, SLICES, kind_and_clock};
use crate::imported::{Imported, STATS, refused};

/// Commands a and b overlap, so they are on two workers. c begins when both have ended: it goes to
/// the worker that was busy last, which is b's. d and e are outputs of one command.
const LOG: &str = "\
# ninja log v5
1\t5\t100\ta.o\tff
2\t8\t100\tb.o\tfe
9\t10\t100\tc.o\tfd
9\t12\t100\td.o\tfc
9\t12\t100\te.o\tfc
";

#[test]
fn commands_are_slices_of_workers() {
    let trace = Imported::file(LOG);
    assert_eq!(
        trace.rows(SLICES),
        "\
ts       dur      depth  name      tid  thread
1000000  4000000  0      a.o       1    Worker
2000000  6000000  0      b.o       2    Worker
9000000  1000000  0      c.o       2    Worker
9000000  3000000  0      d.o, e.o  1    Worker
"
    );
    let processes = "SELECT pid, name FROM process WHERE pid != 0";
    assert_eq!(trace.cells(processes), [["1", "Build"]]);
    let bounds = "SELECT start_ts, end_ts FROM trace_bounds";
    assert_eq!(trace.cells(bounds), [["1000000", "12000000"]]);
    assert_eq!(kind_and_clock(&trace), ("ninja_log".to_owned(), vec![]));
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
}

/// Times count from the start of each build, so that builds lie on top of each other. The last line
/// has no end.
#[test]
fn builds_begin_at_one_time() {
    let trace = Imported::file("# ninja log v7\n1\t5\t0\ta\tff\n2\t3\t0\tb\tfe\n1\t4\t0\tc\tfd");
    let slices = "SELECT ts, dur, name FROM slice ORDER BY ts, name";
    let rows =
        [["1000000", "4000000", "a"], ["1000000", "3000000", "c"], ["2000000", "1000000", "b"]];
    assert_eq!(trace.cells(slices), rows);
}

#[test]
fn damaged_lines_are_counted_with_their_place() {
    let trace =
        Imported::file("# ninja log v6\n\nx\t5\t0\ta\tff\n1\t5\t0\ta\tff\n1\t5\n9\t2\t0\tb\tfe\n");
    assert_eq!(trace.cells("SELECT name FROM slice"), [["a"]]);
    assert_eq!(
        trace.rows(PLACES),
        "\
name                     line  what
slice_negative_duration  NULL  NULL
ninja_parse_errors       3     this is not a line of start, end, time, output and hash
ninja_parse_errors       5     this is not a line of start, end, time, output and hash
"
    );
}

#[test]
fn other_versions_are_refused() {
    let message = refused(&[("log", b"# ninja log v4\n1 2 3 a ff\n")]);
    let expected = "log: line 1, column 1: the version of this log is not 5, 6 or 7";
    assert!(message.contains(expected), "{message}");
}
