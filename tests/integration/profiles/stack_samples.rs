//! Samples in the form for all profilers.

use tpq_testkit::{Message, NEEDS_STATE, Packet, STATE_CLEARED};

use super::{LOST, STACKS, SYMBOLS, begin, later, stacks, trace};

/// The field of a packet that holds a sample.
const STACK_SAMPLE: u32 = 135;
const TASK_CONTEXTS: u32 = 48;
const EXECUTION_CONTEXTS: u32 = 49;
const COUNTERS: u32 = 50;
const ASYNC_CONTEXTS: u32 = 51;

const SAMPLES: &str = "SELECT s.id, ts, s.source, task.upid, tid, task.async_context_id AS async, \
    ucpu, cpu_mode, callsite_id AS callsite, unwind_error AS error, session_id AS session \
    FROM __intrinsic_profiler_sample s \
    LEFT JOIN __intrinsic_profiler_task_context task ON task.id = task_context_id \
    LEFT JOIN __intrinsic_profiler_execution_context e ON e.id = execution_context_id \
    LEFT JOIN thread USING (utid) ORDER BY s.id";
const VALUES: &str = "SELECT sample.ts, t.type, t.name, t.unit, \
    extract_arg(t.dimension_arg_set_id, 'cpu') AS cpu, value \
    FROM __intrinsic_profiler_sample AS sample \
    JOIN __intrinsic_profiler_counter_set AS of_sample USING (counter_set_id) \
    JOIN counter ON counter.id = counter_id JOIN counter_track t ON t.id = track_id \
    ORDER BY counter_set_id, of_sample.id";

fn counter(iid: u64, name: &str, unit: u64) -> Message {
    Message::new().uint(1, iid).bytes(2, name).uint(3, unit)
}

/// What the samples of `profiler` have in common.
fn defaults(profiler: &str) -> Message {
    let defaults = Message::new()
        .bytes(1, profiler)
        .message(2, counter(0, "wall", 1))
        .message(3, counter(0, "allocated", 4))
        .message(3, counter(0, "work", 0).bytes(4, "jobs"));
    Message::new().message(100, defaults)
}

fn sample(at: u64, sample: Message) -> Packet {
    later(at, 1).payload(STACK_SAMPLE, sample)
}

#[test]
fn samples_with_interned_parts() {
    let data = stacks()
        .message(TASK_CONTEXTS, Message::new().uint(1, 1).uint(2, 100).uint(3, 101).uint(4, 2))
        .message(TASK_CONTEXTS, Message::new().uint(1, 2).uint(3, 300))
        .message(EXECUTION_CONTEXTS, Message::new().uint(1, 1).uint(2, 1).uint(3, 2))
        .message(ASYNC_CONTEXTS, Message::new().uint(1, 1).bytes(2, "main").bytes(3, "goroutine"))
        .message(ASYNC_CONTEXTS, Message::new().uint(1, 2).bytes(2, "worker").uint(4, 1));
    let by_iid = |task: u64| Message::new().uint(2, task).uint(4, 1).uint(6, 1);
    let trace = trace([
        begin(1, data, defaults("go.cpu")),
        sample(10, by_iid(1)),
        sample(20, by_iid(2).bytes(7, "cut off")),
        sample(30, by_iid(1)),
        // A thread without a process, and nothing else.
        sample(40, Message::new().message(1, Message::new().uint(3, 300))),
    ]);
    // A process has its own frames of a library; where it is not known, so do all such samples.
    assert_eq!(
        trace.rows(SAMPLES),
        "\
id  ts  source  upid  tid  async  ucpu  cpu_mode  callsite  error    session
0   10  go.cpu  1     101  1      1     kernel    1         NULL     0
1   20  go.cpu  NULL  300  NULL   1     kernel    3         cut off  0
2   30  go.cpu  1     101  1      1     kernel    1         NULL     0
3   40  go.cpu  NULL  300  NULL   NULL  NULL      NULL      NULL     0
"
    );
    assert_eq!(
        trace.rows("SELECT id, name, kind, parent_id AS parent FROM stack_sample_async_context"),
        "\
id  name    kind       parent
0   main    goroutine  NULL
1   worker  NULL       0
"
    );
    assert_eq!(
        trace.rows("SELECT id, source, timebase_unit AS unit FROM stack_sample_session"),
        "\
id  source  unit
0   go.cpu  ns
"
    );
    // Not one of the profilers that this view is of.
    assert_eq!(
        trace.rows("SELECT ts, callsite_id AS callsite FROM cpu_profile_stack_sample"),
        "ts  callsite\n"
    );
    assert_eq!(trace.rows(LOST), "name  idx  value\n");
}

#[test]
fn counters_of_sessions_and_of_cpus() {
    let on_cpu = |cpu: u64| Message::new().message(3, Message::new().uint(2, cpu));
    let data = Message::new()
        .message(COUNTERS, counter(1, "cycles", 2).uint(7, 2))
        .message(COUNTERS, counter(2, "misses", 6).uint(5, 64).bytes(6, "of the cache"));
    let trace = trace([
        begin(1, data, defaults("sampler")),
        // The counters of the defaults.
        sample(10, on_cpu(0).uint(11, 5).packed(14, [6, 7])),
        // Interned counters: one of each CPU, and one of the session.
        sample(20, on_cpu(0).uint(10, 1).uint(11, 8).packed(13, [2]).packed(14, [9])),
        sample(30, on_cpu(2).uint(10, 1).uint(11, 10)),
        // A counter of each CPU says nothing where the CPU is not known.
        sample(40, Message::new().uint(10, 1).uint(11, 11).packed(13, [1, 2]).packed(14, [12, 13])),
        // A counter that is written out, and a value without a counter.
        sample(50, Message::new().message(12, counter(0, "own", 9)).packed(14, [14, 15])),
    ]);
    assert_eq!(
        trace.rows(VALUES),
        "\
ts  type                          name       unit          cpu   value
10  stack_sample_session_counter  wall       ns            NULL  5.0
10  stack_sample_session_counter  allocated  bytes         NULL  6.0
10  stack_sample_session_counter  work       jobs          NULL  7.0
20  stack_sample_cpu_counter      cycles     cycles        0     8.0
20  stack_sample_session_counter  misses     cache-misses  NULL  9.0
30  stack_sample_cpu_counter      cycles     cycles        2     10.0
40  stack_sample_session_counter  misses     cache-misses  NULL  13.0
50  stack_sample_session_counter  own        count         NULL  14.0
"
    );
    // The first counter that triggers samples gives the unit of the session.
    assert_eq!(
        trace.rows("SELECT source, timebase_unit AS unit FROM __intrinsic_profiler_session"),
        "source   unit\nsampler  ns\n"
    );
    assert_eq!(
        trace.rows(
            "SELECT t.name, t.description, key, int_value AS int, string_value AS text \
            FROM counter_track t JOIN args ON arg_set_id = source_arg_set_id \
            WHERE t.name IN ('wall', 'misses') ORDER BY t.name, args.id"
        ),
        "\
name    description   key              int   text
misses  of the cache  is_timebase      0     NULL
misses  of the cache  unit_multiplier  64    NULL
misses  of the cache  description      NULL  of the cache
wall    NULL          is_timebase      1     NULL
"
    );
    assert_eq!(
        trace.rows(
            "SELECT key, int_value AS int, string_value AS text FROM counter_track t \
            JOIN args ON arg_set_id = dimension_arg_set_id \
            WHERE t.name = 'cycles' AND extract_arg(arg_set_id, 'cpu') = 2 ORDER BY args.id"
        ),
        "\
key           int   text
cpu           2     NULL
session_id    0     NULL
source        NULL  sampler
counter_name  NULL  cycles
"
    );
}

/// Each of these samples counts 1, so that no weight is written.
#[test]
fn counters_without_values() {
    let unknown_mode = Message::new().message(3, Message::new().uint(3, 0));
    let trace = trace([
        begin(1, Message::new(), defaults("sampler")),
        sample(10, Message::new()),
        sample(20, unknown_mode.packed(14, [6])),
    ]);
    assert_eq!(
        trace.rows("SELECT name, unit FROM counter_track ORDER BY name"),
        "\
name       unit
allocated  bytes
wall       ns
work       jobs
"
    );
    assert_eq!(trace.cell("SELECT timebase_unit FROM __intrinsic_profiler_session"), "ns");
    assert_eq!(trace.cells("SELECT ts, value FROM counter"), [["20", "6.0"]]);
    // The second sample states a context, of which nothing is known.
    assert_eq!(
        trace.rows(
            "SELECT ts, e.id, ucpu, cpu_mode AS mode FROM __intrinsic_profiler_sample \
            LEFT JOIN __intrinsic_profiler_execution_context e ON e.id = execution_context_id \
            ORDER BY ts"
        ),
        "\
ts  id    ucpu  mode
10  NULL  NULL  NULL
20  0     NULL  NULL
"
    );
}

#[test]
fn stacks_that_are_written_out() {
    let frame = |name: &str| Message::new().bytes(1, name);
    let stack = Message::new()
        .message(1, frame("main"))
        .message(1, frame("run").bytes(2, "run.go").uint(3, 7));
    let other = Message::new().message(1, frame("main")).message(1, frame("run"));
    let trace = trace([
        begin(1, Message::new(), defaults("go.cpu")),
        sample(10, Message::new().message(5, stack.clone())),
        sample(20, Message::new().message(5, other)),
        sample(30, Message::new().message(5, stack)),
        sample(40, Message::new().message(5, Message::new())),
    ]);
    assert_eq!(
        trace.rows("SELECT ts, callsite_id AS callsite FROM __intrinsic_profiler_sample"),
        "\
ts  callsite
10  1
20  2
30  1
40  NULL
"
    );
    assert_eq!(
        trace.rows(STACKS),
        "\
id  depth  frames
0   0      0
1   1      0 1
2   1      0 2
"
    );
    // The same function has another frame where its source is not known.
    assert_eq!(
        trace.rows(SYMBOLS),
        "\
id  symbols  name  file    line  inlined
0   0        main  NULL    NULL  NULL
1   1        run   run.go  7     NULL
2   2        run   NULL    NULL  NULL
"
    );
    assert_eq!(
        trace.rows(super::MAPPINGS),
        "\
id  build_id  exact  offset  start  end  bias  name
0             0      0       0      -1   0     stack_sample_inline
"
    );
    assert_eq!(
        trace.rows(LOST),
        "\
name                          idx   value
stackprofile_empty_callstack  NULL  1
"
    );
}

#[test]
fn each_sequence_is_a_session() {
    let packet = |sequence: u32, at: u64, flags: u32| {
        let packet = Packet::new().sequence(sequence).flags(flags).timestamp(at);
        packet.payload(STACK_SAMPLE, Message::new().message(3, Message::new().uint(2, 0)))
    };
    let trace = trace([
        begin(1, Message::new(), defaults("one")),
        begin(2, Message::new(), defaults("two")),
        packet(2, 10, NEEDS_STATE),
        packet(1, 20, NEEDS_STATE),
        packet(2, 30, NEEDS_STATE),
        // A profiler that does not say what it is.
        packet(3, 40, STATE_CLEARED),
    ]);
    let sql = "SELECT ts, s.source, session_id AS session, session.source AS of_session \
        FROM __intrinsic_profiler_sample s \
        JOIN __intrinsic_profiler_session session ON session.id = session_id ORDER BY ts";
    assert_eq!(
        trace.rows(sql),
        "\
ts  source  session  of_session
10  two     0        two
20  one     1        one
30  two     0        two
40  NULL    2        NULL
"
    );
}

#[test]
fn tasks_that_started_themselves() {
    let data = Message::new()
        .message(ASYNC_CONTEXTS, Message::new().uint(1, 1).bytes(2, "one").uint(4, 2))
        .message(ASYNC_CONTEXTS, Message::new().uint(1, 2).bytes(2, "two").uint(4, 1))
        .message(ASYNC_CONTEXTS, Message::new().uint(1, 3).bytes(2, "lost").uint(4, 9));
    let of = |task: u64| Message::new().message(1, Message::new().uint(4, task));
    let trace = trace([
        begin(1, data, defaults("go.cpu")),
        sample(10, of(1)),
        sample(20, of(2)),
        sample(30, of(3)),
        sample(40, of(8)),
    ]);
    assert_eq!(
        trace.rows("SELECT id, name, parent_id AS parent FROM __intrinsic_profiler_async_context"),
        "\
id  name  parent
0   two   NULL
1   one   0
2   lost  NULL
"
    );
    // Tasks 8 and 9 were never sent.
    assert_eq!(
        trace.rows(LOST),
        "\
name                            idx   value
interned_data_tokenizer_errors  NULL  2
"
    );
}
