//! Text of the kernel's tracer, as a file of its own: what `atrace`, `trace-cmd` and the scripts
//! that make pages of it write. The decoders have tests of the meaning of events.

use crate::imported::{Imported, STATS, refused};

const LINES: &str = "\
# tracer: nop
#
#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION
#              | |        |      |   ||||       |         |
          <idle>-0     (-----) [001] d..3     2.000010: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=worker next_pid=7 next_prio=98
          worker-7     (    5) [001] ...1     2.000020: tracing_mark_write: B|5|work
          worker-7     (    5) [000] ...1     2.000015: cpu_idle: state=1 cpu_id=0
          worker-7     (    5) [001] ...1     2.000040: tracing_mark_write: E|5
          worker-7     (    5) [001] d..3     2.000050: sched_switch: prev_comm=worker prev_pid=7 prev_prio=98 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
";

/// All rows made of the lines, in one text.
fn all_rows(trace: &Imported) -> String {
    let sched = "SELECT ts, dur, cpu, tid, name, end_state, priority FROM sched \
        JOIN thread USING (utid) ORDER BY ts";
    let slices = "SELECT s.ts, s.dur, s.name, tid, pid FROM slice s JOIN thread_track t \
        ON s.track_id = t.id JOIN thread USING (utid) JOIN process USING (upid)";
    let counters = "SELECT ts, value, t.name FROM counter c JOIN track t ON c.track_id = t.id";
    [sched, slices, counters, "SELECT start_ts, end_ts FROM trace_bounds"]
        .map(|sql| trace.rows(sql))
        .join("\n")
}

const ALL_ROWS: &str = "\
ts          dur    cpu  tid  name     end_state  priority
2000010000  40000  1    7    worker   S          98
2000050000  -1     1    0    swapper  NULL       120

ts          dur    name  tid  pid
2000020000  20000  work  7    5

ts          value  name
2000015000  1.0    cpuidle

start_ts    end_ts
2000010000  2000050000
";

fn counted(trace: &Imported) -> String {
    trace.rows(STATS)
}

const NOTHING: &str = "name  machine  file  value\n";

#[test]
fn a_text_of_lines() {
    let trace = Imported::file(LINES);
    assert_eq!(all_rows(&trace), ALL_ROWS);
    assert_eq!(counted(&trace), NOTHING);
    let files = "SELECT trace_type, size FROM trace_file";
    assert_eq!(trace.cells(files), [["systrace", &LINES.len().to_string()]]);
    // The tracer's clock is the monotonic one.
    let clock = "SELECT int_value FROM metadata WHERE name = 'trace_time_clock_id'";
    assert_eq!(trace.cell(clock), "3");
}

#[test]
fn texts_by_their_beginnings() {
    let (_, lines) = LINES.split_at(LINES.find("          <idle>").unwrap());
    for before in [
        "",
        "\n",
        "cpus=2\n",
        "capturing trace... done\nTRACE:\n",
        "capturing trace... done\nTRACE:\n# tracer: nop\n#\n",
        "TRACE:\n# tracer: nop\r\n#\r\n",
    ] {
        let trace = Imported::file(format!("{before}{lines}"));
        assert_eq!(all_rows(&trace), ALL_ROWS, "{before:?}");
        assert_eq!(counted(&trace), NOTHING, "{before:?}");
    }
    // A line that was cut short at the end of the file.
    let cut = "worker-7 (    5) [001] ...1  2.000060: tracing_mark_write: B|5|cut";
    let trace = Imported::file(format!("{LINES}{cut}"));
    assert_eq!(trace.cell("SELECT ts FROM slice WHERE name = 'cut'"), "2000060000");
}

#[test]
fn lines_that_were_copied_into_a_program() {
    let copied = LINES.replace('\n', "\\n\\\n");
    let trace = Imported::file(&copied);
    assert_eq!(all_rows(&trace), ALL_ROWS);
    assert_eq!(counted(&trace), NOTHING);
    let page = format!("<html><script>\n  var linuxPerfData = \"\\\n{copied}\";\n</script></html>");
    let trace = Imported::file(page);
    assert_eq!(all_rows(&trace), ALL_ROWS);
    assert_eq!(counted(&trace), NOTHING);
}

#[test]
fn a_page_with_lists_of_processes() {
    let section = "<script class=\"trace-data\" type=\"application/text\">";
    let page = format!(
        "<!DOCTYPE html>
<html><head><script>var a = \"[1] 2.5: b: c\";</script></head><body>
  {section}
PROCESS DUMP
USER           PID  PPID     VSZ    RSS WCHAN            PC S NAME            COMM
root             1     0   11056   2560 SyS_epoll_wait    0 S init            init
app              5     1   11056   2560 SyS_epoll_wait    0 S com.an.app      com.an.app x
USER           PID   TID CMD
root             1     1 init
app              5     7 the worker
app              5     8 never seen
  </script>
  {section}
CGROUP DUMP
nonsense
  </script>
  {section}
{LINES}  </script>
  {section}
{{\"traceEvents\": []}}
  </script>
</body></html>
"
    );
    let trace = Imported::file(page);
    assert_eq!(all_rows(&trace), ALL_ROWS);
    assert_eq!(counted(&trace), NOTHING);
    let threads = "SELECT tid, thread.name, process.pid, process.name, parent.pid FROM thread \
        LEFT JOIN process USING (upid) LEFT JOIN process parent ON process.parent_upid = parent.upid \
        WHERE is_idle = 0 ORDER BY tid";
    assert_eq!(
        trace.cells(threads),
        [
            ["1", "init", "1", "init", "0"],
            ["5", "NULL", "5", "com.an.app", "1"],
            // The kernel names it as it is now.
            ["7", "worker", "5", "com.an.app", "1"],
            ["8", "never seen", "5", "com.an.app", "1"],
        ]
    );
}

/// Sections may have further attributes, lack the header of the trace, or hold a part of it.
#[test]
fn a_page_with_several_traces() {
    let (header, events): (Vec<&str>, Vec<&str>) =
        LINES.lines().partition(|line| line.starts_with('#') || line.is_empty());
    let (first, rest) = events.split_at(1);
    let page = format!(
        "<html>
<script id=\"a\" class=\"trace-data\" type=\"application/text\" hidden>
{}
</script>
<script class='other'>
{}
</script>
<script class=\"trace-data\" type=\"application/text\">
{}
{}
</script>
</html>
",
        first.join("\n"),
        events.join("\n"),
        header.join("\n"),
        rest.join("\n"),
    );
    let trace = Imported::file(page);
    assert_eq!(all_rows(&trace), ALL_ROWS);
    assert_eq!(counted(&trace), NOTHING);
}

#[test]
fn lines_that_are_wrong_are_counted_and_entered() {
    let trace = Imported::file(format!("{LINES}CPU:1 [LOST 12 EVENTS]\nwhat is this\n"));
    assert_eq!(all_rows(&trace), ALL_ROWS);
    assert_eq!(
        counted(&trace),
        "\
name                    machine  file  value
systrace_parse_failure  0        0     2
"
    );
    let logs = "SELECT l.name, a.int_value FROM trace_import_logs l JOIN args a \
        USING (arg_set_id) WHERE a.flat_key = 'line' ORDER BY l.id";
    assert_eq!(
        trace.cells(logs),
        [["systrace_parse_failure", "10"], ["systrace_parse_failure", "11"]]
    );
    // Of details that are wrong, only how many.
    let wrong = "worker-7 (    5) [001] ...1     2.000060: cpu_idle: state=x cpu_id=0\n";
    let trace = Imported::file(format!("{LINES}{wrong}"));
    let failures = "SELECT value FROM stats WHERE name = 'systrace_parse_failure'";
    assert_eq!(trace.cell(failures), "1");
}

#[test]
fn other_texts_are_none() {
    for text in ["hello\nworld\n", "-7 [001]: not this\n", "[12.5] a line of a log\n"] {
        assert!(refused(&[("trace", text.as_bytes())]).contains("text"), "{text}");
    }
}

/// Files of all formats lie on one timeline.
#[test]
fn beside_another() {
    let later = LINES.replace(" 2.0000", " 3.0000");
    let files: &[(&str, &[u8])] = &[("a", LINES.as_bytes()), ("b", later.as_bytes())];
    let trace = Imported::files(files);
    let slices = "SELECT ts, name FROM slice ORDER BY ts";
    assert_eq!(trace.cells(slices), [["2000020000", "work"], ["3000020000", "work"]]);
}
