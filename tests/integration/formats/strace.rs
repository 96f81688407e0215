//! Text of strace.

use super::{PLACES, SLICES, kind_and_clock};
use crate::imported::{Imported, STATS};

/// Thread 12 waits for its child 13, which reads and ends.
const TEXT: &str = "\
strace: Process 13 attached
12 1700000000.000000 wait4(-1,  <unfinished ...>
[pid    13] 1700000000.100000 read(3, \"a) = b\", 9) = 3 <0.000123>
13 1700000000.200000 exit_group(0)     = ?
13 1700000000.200001 +++ exited with 0 +++
12 1700000000.300000 <... wait4 resumed>[{WIFEXITED(s)}], 0, NULL) = 13 <0.300000>
12 1700000000.300001 --- SIGCHLD {si_signo=SIGCHLD} ---
";

#[test]
fn calls_signals_and_exits_are_slices() {
    let trace = Imported::file(TEXT);
    assert_eq!(
        trace.rows(SLICES),
        "\
ts                   dur        depth  name           tid  thread
1700000000000000000  300000000  0      wait4          12   NULL
1700000000100000000  123000     0      read           13   NULL
1700000000200000000  0          0      exit_group     13   NULL
1700000000200001000  0          0      exited with 0  13   NULL
1700000000300001000  0          0      SIGCHLD        12   NULL
"
    );
    let args = "SELECT slice.name, key, string_value FROM slice JOIN args USING (arg_set_id) \
        ORDER BY slice.id, key, args.id";
    assert_eq!(
        trace.rows(args),
        "\
name        key   string_value
wait4       args  [{WIFEXITED(s)}], 0, NULL
wait4       ret   13
read        args  3, \"a) = b\", 9
read        ret   3
exit_group  args  0
exit_group  ret   ?
SIGCHLD     args  {si_signo=SIGCHLD}
"
    );
    assert_eq!(trace.cells("SELECT DISTINCT category FROM slice"), [["strace"]]);
    assert_eq!(kind_and_clock(&trace), ("strace".to_owned(), vec![vec!["1".to_owned()]]));
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
}

/// `-r` adds the time since the call before, `-i` an address, and `-k` the call stack, which is
/// counted. A killed process leaves a call without an end, and a value that is not known.
#[test]
fn further_options_and_killed_processes() {
    let text = "\
12 1700000000.000000 (+     0.000000) [00007fc60f08dad7] getpid() = 12 <0.000001>
 > /lib/libc.so.6(getpid+0x7) [0x1234]
 > /bin/sh(main+0x20) [0x2234]
12 1700000000.100000 (+     0.100000) read(0, \"\", 9) = 0
 > /lib/libc.so.6(read+0x7) [0x3234]
13 1700000000.150000 read(0,  <unfinished ...>) = ?
14 1700000000.160000 pause( <unfinished ...>
13 1700000000.200000 +++ killed by SIGKILL +++
14 1700000000.300000 +++ killed by SIGKILL (core dumped) +++
";
    let trace = Imported::file(text);
    assert_eq!(
        trace.cells("SELECT ts - 1700000000000000000, dur, name FROM slice ORDER BY ts"),
        [
            ["0", "1000", "getpid"],
            ["100000000", "0", "read"],
            ["150000000", "0", "read"],
            ["160000000", "-1", "pause"],
            ["200000000", "0", "killed by SIGKILL"],
            ["300000000", "0", "killed by SIGKILL (core dumped)"],
        ]
    );
    // The calls with stacks.
    let counts = "SELECT name, idx, value FROM stats WHERE value != 0 \
        AND name NOT LIKE '%duration%' AND name != 'clock_sync_cache_miss'";
    assert_eq!(trace.cells(counts), [["format_records_not_read", "0", "2"]]);
    assert!(trace.cells(PLACES).is_empty());
}

/// Times of the day are of 1 January 1970, and those that go back by hours of the next day.
#[test]
fn times_of_the_day() {
    let trace = Imported::file("7 23:59:59.500000 getpid() = 7\n7 00:00:00.250000 getpid() = 7\n");
    let rows = trace.cells("SELECT ts FROM slice ORDER BY ts");
    assert_eq!(rows, [["86399500000000"], ["86400250000000"]]);
}

/// `-r` alone gives the time since the line before, of any thread. Lines that cannot be read take
/// part: 12 reads at 0.1 + 0.4 s, and the call of 13 ends at 0.5 + 0.2 + 0.3 + 0.5 s.
#[test]
fn times_since_the_line_before() {
    let text = "\
12         0.000000 getpid() = 12
13         0.100000 pause( <unfinished ...>
[pid    12]      0.400000 read(0, \"\", 9) = 0
     0.200000 getuid() = 0
13         0.300000 what is this
13         0.500000 <... pause resumed>) = 0
";
    let trace = Imported::file(text);
    assert_eq!(
        trace.cells(
            "SELECT ts / 1000000, dur / 1000000, tid, slice.name FROM slice \
            JOIN thread_track t ON t.id = slice.track_id JOIN thread USING (utid) \
            ORDER BY ts, slice.id"
        ),
        [["0", "0", "12", "getpid"], ["100", "1400", "13", "pause"], ["500", "0", "12", "read"]]
    );
    let lines: Vec<String> =
        trace.cells(PLACES).into_iter().map(|row| row[..2].join(" ")).collect();
    assert_eq!(lines, ["strace_missing_pid 4", "strace_parse_failure 5"]);
}

/// Beside a time, the difference is of no use. A clock that was never set counts from 0 as well, but
/// its times are not filled up with spaces.
#[test]
fn times_that_are_no_differences() {
    let ts = "SELECT ts / 1000000 FROM slice ORDER BY ts";
    let of_day = "12    00:00:01.000000 (+     0.000000) a() = 1\n\
        12    00:00:01.500000 (+     0.500000) b() = 1\n";
    assert_eq!(Imported::file(of_day).cells(ts), [["1000"], ["1500"]]);
    let unset = "12    9.500000 a() = 1\n12    10.000000 b() = 1\n12    10.250000 c() = 1\n";
    assert_eq!(Imported::file(unset).cells(ts), [["9500"], ["10000"], ["10250"]]);
}

#[test]
fn lines_that_are_no_call_are_counted() {
    let text = "7 1.5 a() = 1\n7 1.6 b() = 1\n7 1.7 c() = 1\n\
        1700000000.5 d() = 1\nhello world\n7 25:00:00 e() = 1\n";
    let trace = Imported::file(text);
    assert_eq!(trace.cell("SELECT count(*) FROM slice"), "3");
    assert_eq!(
        trace.rows(PLACES),
        "\
name                                 line  what
strace_missing_pid                   4     this line names no thread; record with `-f`
strace_parse_failure                 5     this is no system call, signal or exit
strace_unsupported_timestamp_format  6     this line has no time that can be read; record with `-ttt`
"
    );
}
