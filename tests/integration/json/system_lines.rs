//! Lines of the kernel's tracer within JSON.

use crate::imported::Imported;

use super::STATS;

#[test]
fn the_kernels_lines_are_read_beside_the_events() {
    let trace = Imported::file(
        r##"{"traceEvents":[{"ph":"X","pid":10,"tid":10,"ts":1000000,"dur":1,"name":"a"}],
"systemTraceEvents":"# tracer: nop\n#\n  app-10    (   10) [000] d..3     1.000000: sched_switch: prev_comm=app prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n <idle>-0     (-----) [000] d..3     1.000500: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=10 next_prio=120\n  app-10    (   10) [000] ...1     1.000600: tracing_mark_write: B|10|mark\n  app-10    (   10) [000] ...1     1.000700: tracing_mark_write: E\nnonsense\n"}"##,
    );
    let sched = "SELECT ts, dur, tid, end_state FROM sched JOIN thread USING (utid) ORDER BY ts";
    insta::assert_snapshot!(trace.rows(sched), @r"
    ts          dur     tid  end_state
    1000000000  500000  0    R
    1000500000  -1      10   NULL
    ");
    let slices = "SELECT ts, dur, name FROM slice ORDER BY ts";
    insta::assert_snapshot!(trace.rows(slices), @r"
    ts          dur     name
    1000000000  1000    a
    1000600000  100000  mark
    ");
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                    value
    systrace_parse_failure  1
    ");
}
