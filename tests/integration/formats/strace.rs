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

/// `-r` adds the time since the call before, `-i` an address, and `-k` the call stack. A killed
/// process leaves a call without an end, and a value that is not known.
#[test]
fn further_options_and_killed_processes() {
    let text = "\
12 1700000000.000000 (+     0.000000) [00007fc60f08dad7] getpid() = 12 <0.000001>
 > /lib/libc.so.6(getpid+0x7) [0x1234]
12 1700000000.100000 (+     0.100000) read(0, \"\", 9) = 0
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
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
}

/// Times of the day are of 1 January 1970, and those that go back by hours of the next day.
#[test]
fn times_of_the_day() {
    let trace = Imported::file("7 23:59:59.500000 getpid() = 7\n7 00:00:00.250000 getpid() = 7\n");
    let rows = trace.cells("SELECT ts FROM slice ORDER BY ts");
    assert_eq!(rows, [["86399500000000"], ["86400250000000"]]);
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
