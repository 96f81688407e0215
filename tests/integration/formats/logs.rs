//! Logs of Android and of the kernel.

use super::{PLACES, kind_and_clock};
use crate::imported::{Imported, STATS};

fn messages(trace: &Imported) -> String {
    let logs = "SELECT ts, tid, pid, prio, tag, msg FROM android_logs \
        JOIN thread USING (utid) LEFT JOIN process USING (upid) ORDER BY ts, android_logs.id";
    trace.rows(logs)
}

/// 2 January is day 1 of the year: 86,400 seconds.
#[test]
fn lines_of_a_log() {
    let log = "\
--------- beginning of main
01-02 00:00:01.030    20    21 I auditd  : a: b
01-02 00:00:01.000    20    20 E tag     : \n\
01-02 00:00:02.000001 1000 20 21 W         : no tag
";
    let trace = Imported::file(log);
    assert_eq!(
        messages(&trace),
        "\
ts              tid  pid  prio  tag     msg
86401000000000  20   20   6     tag
86401030000000  21   20   4     auditd  a: b
86402000001000  21   20   5             no tag
"
    );
    assert_eq!(kind_and_clock(&trace), ("android_logcat".to_owned(), vec![vec!["1".to_owned()]]));
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
}

#[test]
fn messages_of_several_lines() {
    let log = "\
[ 01-02 00:00:01.000    20:   21 D/tag ]
first
second

[ 01-02 00:00:02.000    20:   20 F/other    ]
third
";
    let trace = Imported::file(log);
    let rows = trace
        .cells("SELECT tid, prio, tag, msg FROM android_logs JOIN thread USING (utid) ORDER BY ts");
    assert_eq!(rows, [["21", "3", "tag", "first\nsecond"], ["20", "7", "other", "third"]]);
}

#[test]
fn times_with_year_and_zone() {
    let log = "2024-02-29 12:00:00.500 +0100 D/tag(   20): text\n";
    let trace = Imported::file(log);
    let rows =
        trace.cells("SELECT ts, tid, prio, tag, msg FROM android_logs JOIN thread USING (utid)");
    assert_eq!(rows, [["1709204400500000000", "20", "3", "tag", "text"]]);
}

/// Seconds since the epoch in place of a date, and the id of the user (`-v epoch`, `-v uid`) in each
/// format. The tid is unknown in the second.
#[test]
fn times_since_the_epoch_and_users() {
    let texts = [
        "1709204400.500000  1000    20    21 I tag: text\n",
        "1709204400.500000 I/tag( 1000:   20): text\n",
        "[ 1709204400.500000  1000:   20:   21 I/tag ]\ntext\n\n",
    ];
    for (text, tid) in texts.into_iter().zip(["21", "20", "21"]) {
        let trace = Imported::file(text);
        let rows = "SELECT ts, tid, prio, tag, msg FROM android_logs JOIN thread USING (utid)";
        assert_eq!(trace.cells(rows), [["1709204400500000000", tid, "4", "tag", "text"]], "{text}");
        assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
    }
}

#[test]
fn lines_that_are_no_message_are_counted() {
    let log = "01-02 00:00:01.000 20 21 I a: b\nhello\n01-02 00:00:01.000 20 21 I a: c\n";
    let trace = Imported::file(log);
    assert_eq!(trace.cell("SELECT count(*) FROM android_logs"), "2");
    assert_eq!(
        trace.rows(PLACES),
        "\
name                    line  what
android_log_num_failed  2     this line has no time, thread, priority and tag that can be read
"
    );
}

/// The kernel's log states no threads.
#[test]
fn the_log_of_the_kernel() {
    let log =
        "<6>[    0.000005] Linux version 6\n<3>[   12.500000] usb: error\n[   13.000000]\nhello\n";
    let trace = Imported::file(log);
    let rows = trace.cells("SELECT ts, utid, prio, log_source, tag, msg FROM logs ORDER BY ts");
    assert_eq!(
        rows,
        [
            ["5000", "NULL", "6", "dmesg", "NULL", "Linux version 6"],
            ["12500000000", "NULL", "3", "dmesg", "usb", "error"],
            ["13000000000", "NULL", "6", "dmesg", "NULL", ""],
        ]
    );
    assert_eq!(kind_and_clock(&trace), ("dmesg".to_owned(), vec![vec!["3".to_owned()]]));
    let places = trace.cells(PLACES);
    assert_eq!(
        places,
        [["format_parse_errors", "4", "this line does not begin with seconds in brackets"]]
    );
}

/// A message of the kernel may have several lines; those after the first are indented.
#[test]
fn messages_of_the_kernel_with_several_lines() {
    let log = "[    1.000000] Mem-Info:\n[    2.000000] active: 1\n               dirty: 2\n  \
        free: 3\n[    3.000000] end\n";
    let trace = Imported::file(log);
    let rows = trace.cells("SELECT ts, tag, msg FROM logs ORDER BY ts");
    assert_eq!(
        rows,
        [
            ["1000000000", "NULL", "Mem-Info:"],
            ["2000000000", "active", "1\ndirty: 2\nfree: 3"],
            ["3000000000", "NULL", "end"],
        ]
    );
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
}
