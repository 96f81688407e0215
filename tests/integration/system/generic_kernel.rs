//! Kernels that are not Linux, as their recorders report them.

use tpq_testkit::{Message, Packet};

use super::{COUNTERS, DIMENSIONS, packets};
use crate::imported::STATS;

const SCHED: &str = "SELECT ts, dur, cpu, tid, end_state, priority FROM sched \
    JOIN thread USING (utid) ORDER BY sched.id";
const STATES: &str = "SELECT ts, dur, tid, state, cpu FROM thread_state \
    JOIN thread USING (utid) ORDER BY thread_state.id";
const THREADS: &str = "SELECT tid, thread.name, thread.start_ts, thread.end_ts, \
    is_main_thread AS main, is_idle AS idle, pid FROM thread LEFT JOIN process USING (upid) \
    WHERE tid >= 500 ORDER BY utid";
const PROCESSES: &str = "SELECT p.pid, p.name, p.cmdline, parent.pid AS parent, p.end_ts \
    FROM process p LEFT JOIN process parent ON p.parent_upid = parent.upid \
    WHERE p.pid NOT IN (0, 100) ORDER BY p.upid";

const CREATED: u64 = 1;
const RUNNABLE: u64 = 2;
const RUNNING: u64 = 3;
const SLEEPS: u64 = 4;
const WAITS: u64 = 5;
const STOPPED: u64 = 6;
const DEAD: u64 = 7;
const DESTROYED: u64 = 8;

fn packet(at: u64, field: u32, payload: Message) -> Packet {
    Packet::new().sequence(1).timestamp(at).payload(field, payload)
}

/// A thread of priority 20 entered a state, on CPU `cpu`.
fn state(at: u64, cpu: u64, tid: i64, comm: &str, state: u64) -> Packet {
    let event = Message::new().uint(1, cpu).bytes(2, comm).int(3, tid).uint(4, state).int(5, 20);
    packet(at, 117, event)
}

/// Thread 0 of the first machine is the idle task, which is on all CPUs that have nothing to do.
#[test]
fn the_idle_task_runs_on_several_cpus() {
    let trace = packets([
        state(10, 0, 0, "idle", RUNNING),
        state(20, 1, 0, "idle", RUNNING),
        state(30, 0, 500, "one", RUNNING),
    ]);
    assert_eq!(
        trace.rows("SELECT ts, dur, cpu, tid FROM sched JOIN thread USING (utid) ORDER BY ts"),
        "\
ts  dur  cpu  tid
10  20   0    0
20  -1   1    0
30  -1   0    500
"
    );
    assert_eq!(trace.cell("SELECT count(*) FROM thread_state WHERE utid = 0"), "0");
}

#[test]
fn threads_take_turns_on_cpus() {
    let trace = packets([
        state(10, 1, 500, "one", RUNNING),
        // It says that it sleeps before the next one runs.
        state(20, 1, 500, "one", SLEEPS),
        state(20, 1, 600, "two", RUNNING),
        // The next one runs before it says why it does not.
        state(30, 1, 500, "one", RUNNING),
        state(30, 1, 600, "two", WAITS),
        // It says too late what it did after it was displaced.
        state(40, 1, 700, "three", RUNNING),
        state(41, 0, 500, "one", RUNNABLE),
        // A thread that does not run changes its state.
        state(42, 1, 600, "two", STOPPED),
    ]);
    assert_eq!(
        trace.rows(SCHED),
        "\
ts  dur  cpu  tid  end_state  priority
10  10   1    500  S          20
20  10   1    600  D          20
30  10   1    500  NULL       20
40  -1   1    700  NULL       20
"
    );
    assert_eq!(
        trace.rows(STATES),
        "\
ts  dur  tid  state    cpu
10  10   500  Running  1
20  10   500  S        NULL
20  10   600  Running  1
30  12   600  D        NULL
30  10   500  Running  1
40  1    500  NULL     NULL
40  -1   700  Running  1
41  -1   500  R        NULL
42  -1   600  T        NULL
"
    );
    assert_eq!(
        trace.rows("SELECT start_ts, end_ts FROM trace_bounds"),
        "\
start_ts  end_ts
10        42
"
    );
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
}

#[test]
fn lives_of_threads() {
    let trace = packets([
        state(10, 0, 500, "young", CREATED),
        state(20, 0, 500, "grown", RUNNABLE),
        state(30, 0, 500, "grown", RUNNING),
        state(40, 0, 500, "grown", DEAD),
        state(50, 0, 500, "gone", DESTROYED),
        // The same tid, another thread.
        state(60, 0, 500, "heir", CREATED),
        // A thread that was never seen.
        state(70, 0, 600, "unseen", DESTROYED),
        // No packet gives its name.
        packet(80, 117, Message::new().int(3, 700).uint(4, SLEEPS)),
    ]);
    assert_eq!(
        trace.rows(THREADS),
        "\
tid  name    start_ts  end_ts  main  idle  pid
500  grown   10        50      NULL  0     NULL
500  heir    60        NULL    NULL  0     NULL
600  unseen  NULL      70      NULL  0     NULL
700  NULL    NULL      NULL    NULL  0     NULL
"
    );
    assert_eq!(
        trace.rows(SCHED),
        "\
ts  dur  cpu  tid  end_state  priority
30  10   0    500  Z          20
"
    );
    assert_eq!(
        trace.rows(STATES),
        "\
ts  dur  tid  state    cpu
10  10   500  Created  NULL
20  10   500  R        NULL
30  10   500  Running  0
40  10   500  Z        NULL
50  -1   500  X        NULL
60  -1   500  Created  NULL
70  -1   600  X        NULL
80  -1   700  S        NULL
"
    );
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
}

#[test]
fn states_that_cannot_follow_are_counted_and_left_out() {
    let trace = packets([
        state(10, 0, 500, "a", RUNNING),
        // It exists, it runs, and it can run on one CPU alone.
        state(11, 0, 500, "a", CREATED),
        state(12, 1, 500, "a", RUNNING),
        state(20, 0, 500, "a", DEAD),
        state(21, 0, 500, "a", RUNNABLE),
        state(22, 0, 500, "a", DEAD),
        state(23, 0, 500, "a", RUNNING),
        // Two states at once: both are kept.
        state(30, 0, 600, "b", SLEEPS),
        state(30, 0, 600, "b", WAITS),
        // No states: the one that says so, none at all, and ones past the last.
        state(40, 0, 700, "c", 0),
        packet(40, 117, Message::new().int(3, 700)),
        state(40, 0, 700, "c", 9),
        packet(40, 117, Message::new().int(3, 700).int(4, -1)),
        // No CPU.
        state(50, 1 << 31, 800, "d", RUNNING),
    ]);
    assert_eq!(
        trace.rows(STATES),
        "\
ts  dur  tid  state    cpu
10  10   500  Running  0
20  -1   500  Z        NULL
30  0    600  S        NULL
30  -1   600  D        NULL
"
    );
    assert_eq!(
        trace.rows(SCHED),
        "\
ts  dur  cpu  tid  end_state  priority
10  10   0    500  Z          20
"
    );
    assert_eq!(
        trace.rows(STATS),
        "\
name                              machine  file  value
generic_task_state_invalid_order  0        0     6
malformed_packets                 0        0     1
task_state_invalid                0        0     4
"
    );
}

#[test]
fn processes_and_threads() {
    let process =
        |pid, parent, cmdline: &str| Message::new().int(1, pid).int(2, parent).bytes(3, cmdline);
    let thread = |tid, pid, comm: &str| Message::new().int(1, tid).int(2, pid).bytes(3, comm);
    let tree = Message::new()
        .message(1, process(10, 1, "/bin/shell -i"))
        .message(1, process(20, 10, "/bin/tool"))
        // A process without a command line is not reported yet.
        .message(1, Message::new().int(1, 30).int(2, 10))
        .message(2, thread(501, 10, "main").bool(4, true))
        .message(2, thread(502, 10, "worker"))
        .message(2, Message::new().int(1, 503).int(2, 10))
        .message(2, thread(599, 1, "idle 0").bool(5, true));
    let rename = |tid, comm: &str| Message::new().int(1, tid).bytes(2, comm);
    let trace = packets([
        state(5, 0, 502, "seen before", SLEEPS),
        packet(10, 122, tree),
        packet(15, 120, rename(503, "named")),
        // A better source has named it.
        packet(16, 120, rename(502, "renamed")),
        packet(17, 120, rename(504, "new")),
        packet(18, 120, Message::new().int(1, 505)),
        // A parent that came later is not believed.
        packet(20, 122, Message::new().message(1, process(20, 1, "/bin/tool again"))),
    ]);
    assert_eq!(
        trace.rows(THREADS),
        "\
tid  name    start_ts  end_ts  main  idle  pid
502  worker  NULL      NULL    0     0     10
501  main    NULL      NULL    1     0     10
503  named   NULL      NULL    0     0     10
599  idle 0  NULL      NULL    0     1     1
504  new     NULL      NULL    NULL  0     NULL
505  NULL    NULL      NULL    NULL  0     NULL
"
    );
    assert_eq!(
        trace.rows(PROCESSES),
        "\
pid  name        cmdline          parent  end_ts
1    NULL        NULL             NULL    NULL
10   /bin/shell  /bin/shell -i    1       NULL
20   /bin/tool   /bin/tool again  10      NULL
"
    );
    assert_eq!(
        trace.rows(STATS),
        "\
name                                machine  file  value
process_tracker_parent_pid_changed  0        0     1
"
    );
}

#[test]
fn frequencies() {
    let frequency = |of: u64, value| Message::new().uint(1, of).int(2, value);
    let trace = packets([
        packet(10, 118, frequency(2, 1_500_000_500)),
        packet(20, 129, frequency(1, 900_000)),
        packet(30, 118, frequency(1 << 20, 1)),
    ]);
    assert_eq!(
        trace.rows(COUNTERS),
        "\
ts  type           name     value
10  cpu_frequency  cpufreq  1500000.5
20  gpu_frequency  gpufreq  900000.0
"
    );
    assert_eq!(
        trace.rows(DIMENSIONS),
        "\
type           name     key   value_type  int_value  string_value
cpu_frequency  cpufreq  cpu   int         2          NULL
gpu_frequency  gpufreq  ugpu  int         0          NULL
gpu_frequency  gpufreq  gpu   int         1          NULL
"
    );
    assert_eq!(
        trace.rows(STATS),
        "\
name               machine  file  value
malformed_packets  0        0     1
"
    );
}

#[test]
fn names_of_interrupts() {
    let named = |irq: u64, name: &str| Message::new().uint(1, irq).bytes(2, name);
    let trace = packets([packet(
        10,
        130,
        Message::new()
            .message(1, named(17, "eth0"))
            .message(1, named(17, "eth1"))
            .message(1, Message::new().uint(1, 18))
            .message(1, Message::new().bytes(2, "of none"))
            .message(1, named(3, "timer")),
    )]);
    assert_eq!(
        trace.rows("SELECT irq_id, name, machine_id FROM _linux_interrupt_mapping ORDER BY id"),
        "\
irq_id  name   machine_id
17      eth0   0
3       timer  0
"
    );
}
