//! Samples of perf.

use tpq_testkit::{Message, Packet};

use super::{
    FRAMES, LOST, MAPPINGS, PERF_SAMPLE, STACKS, begin, callstack, frame, interned, later, mapping,
    perf_sample, stacks, string, trace,
};
use crate::imported::Imported;

const SAMPLES: &str = "SELECT s.id, ts, tid, cpu, cpu_mode, callsite_id AS callsite, unwind_error, \
    perf_session_id AS session FROM perf_sample s LEFT JOIN thread USING (utid) ORDER BY s.id";

/// Samples by cycles, with the number of instructions.
fn by_cycles() -> Message {
    let timebase = Message::new().uint(4, 10);
    let defaults = Message::new().message(1, timebase).message(4, Message::new().uint(1, 11));
    Message::new().message(12, defaults)
}

/// Two threads of process 100, and one of process 200 that maps the same library.
fn samples() -> [Packet; 6] {
    let sample = |at, sample| later(at, 1).payload(PERF_SAMPLE, sample);
    [
        begin(1, stacks(), by_cycles()),
        sample(10, perf_sample(0, (100, 101), 1).uint(5, 2).uint(6, 1000).packed(7, [50])),
        sample(20, perf_sample(1, (100, 100), 2).uint(5, 1).uint(6, 2000).packed(7, [70])),
        sample(30, perf_sample(0, (100, 101), 1).uint(16, 6).uint(6, 3000)),
        sample(40, perf_sample(0, (200, 200), 3).uint(5, 5).uint(6, 4000)),
        sample(50, perf_sample(1, (200, 200), 4).uint(6, 5000)),
    ]
}

fn imported() -> Imported {
    trace(samples())
}

#[test]
fn samples_with_their_stacks() {
    // A mode that was not recorded is unknown. The stack of the first sample is that of the third.
    assert_eq!(
        imported().rows(SAMPLES),
        "\
id  ts  tid  cpu  cpu_mode    callsite  unwind_error         session
0   10  101  0    user        1         NULL                 0
1   20  100  1    kernel      2         NULL                 0
2   30  101  0    unknown     1         max_frames_exceeded  0
3   40  200  0    guest_user  3         NULL                 0
4   50  200  1    unknown     4         NULL                 0
"
    );
    assert_eq!(
        imported().rows("SELECT id, perf_session_id AS same, cmdline FROM perf_session"),
        "\
id  same  cmdline
0   0     NULL
"
    );
    assert_eq!(imported().rows(LOST), "name  idx  value\n");
}

#[test]
fn stacks_share_their_callers() {
    let imported = imported();
    assert_eq!(
        imported.rows(STACKS),
        "\
id  depth  frames
0   0      0
1   1      0 1
2   1      0 2
3   0      3
4   0      4
"
    );
    // Each process has frames of its own, but the kernel is the same for all.
    assert_eq!(
        imported.rows(FRAMES),
        "\
id  name     mapping  rel_pc  symbols  deobfuscated  type
0   main     0        4112    NULL     NULL          NULL
1   malloc   0        4128    NULL     NULL          native
2            0        4144    NULL     NULL          NULL
3   main     1        4112    NULL     NULL          NULL
4   syscall  2        64      NULL     NULL          kernel
"
    );
    assert_eq!(
        imported.rows(MAPPINGS),
        "\
id  build_id  exact  offset  start  end    bias  name
0   ab01      4096   0       28672  36864  0     /system/lib/libc.so
1   ab01      4096   0       28672  36864  0     /system/lib/libc.so
2             0      0       0      0      0     /kernel
"
    );
}

#[test]
fn counters_of_a_sample() {
    let imported = imported();
    let sql = "SELECT sample.id AS of_sample, counter_set_id AS \"set\", t.name, value \
        FROM __intrinsic_profiler_sample AS sample \
        JOIN __intrinsic_profiler_counter_set AS of_sample USING (counter_set_id) \
        JOIN counter ON counter.id = counter_id JOIN track t ON t.id = track_id \
        ORDER BY counter_set_id, of_sample.id";
    assert_eq!(
        imported.rows(sql),
        "\
of_sample  set  name          value
0          0    cpu-cycles    1000.0
0          0    instructions  50.0
1          2    cpu-cycles    2000.0
1          2    instructions  70.0
2          4    cpu-cycles    3000.0
3          5    cpu-cycles    4000.0
4          6    cpu-cycles    5000.0
"
    );
    let sql = "SELECT id, __intrinsic_perf_counter_for_sample(id, 'instructions') AS instructions, \
        __intrinsic_perf_counter_for_sample(id, 'cpu-cycles') AS cycles, \
        __intrinsic_perf_counter_for_sample(id, 'other') AS other FROM perf_sample ORDER BY id";
    assert_eq!(
        imported.rows(sql),
        "\
id  instructions  cycles  other
0   50.0          1000.0  NULL
1   70.0          2000.0  NULL
2   NULL          3000.0  NULL
3   NULL          4000.0  NULL
4   NULL          5000.0  NULL
"
    );
    let sql = "SELECT name, type, unit, session_id AS session, cpu, is_timebase \
        FROM stack_sample_counter_track ORDER BY id";
    assert_eq!(
        imported.rows(sql),
        "\
name          type              unit  session  cpu  is_timebase
cpu-cycles    perf_cpu_counter  NULL  0        0    1
instructions  perf_cpu_counter  NULL  0        0    0
cpu-cycles    perf_cpu_counter  NULL  0        1    1
instructions  perf_cpu_counter  NULL  0        1    0
"
    );
}

#[test]
fn samples_of_all_profilers_at_once() {
    let imported = imported();
    let sql = "SELECT s.id, ts, source, tid, pid, ucpu, cpu_mode, callsite_id AS callsite, \
        session_id AS session FROM stack_sample s \
        JOIN stack_sample_task_context task ON task.id = task_context_id \
        JOIN stack_sample_execution_context execution ON execution.id = execution_context_id \
        JOIN thread USING (utid) JOIN process ON process.upid = task.upid ORDER BY s.id";
    assert_eq!(
        imported.rows(sql),
        "\
id  ts  source      tid  pid  ucpu  cpu_mode    callsite  session
0   10  linux.perf  101  100  0     user        1         0
1   20  linux.perf  100  100  1     kernel      2         0
2   30  linux.perf  101  100  0     NULL        1         0
3   40  linux.perf  200  200  0     guest_user  3         0
4   50  linux.perf  200  200  1     NULL        4         0
"
    );
    assert_eq!(
        imported.rows("SELECT id, source, timebase_unit, cmdline FROM stack_sample_session"),
        "\
id  source      timebase_unit  cmdline
0   linux.perf  cycles         NULL
"
    );
    assert_eq!(imported.rows("SELECT * FROM cpu_profile_stack_sample").lines().count(), 1);
}

#[test]
fn samples_without_stacks_and_reports_of_the_profiler() {
    let sample = |at, sample| later(at, 1).payload(PERF_SAMPLE, sample);
    let skipped = |reason: u64| {
        Message::new().uint(1, 0).uint(2, 100).uint(3, 100).uint(6, 1).uint(18, reason)
    };
    let stopped = Message::new().uint(1, 0).message(19, Message::new().uint(1, 1));
    let trace = trace([
        begin(1, stacks(), by_cycles()),
        sample(10, skipped(1)),
        sample(20, skipped(2)),
        sample(30, skipped(3)),
        sample(40, skipped(4)),
        sample(50, Message::new().uint(1, 3).uint(17, 7)),
        sample(60, Message::new().uint(1, 3).uint(17, 2)),
        sample(70, stopped),
    ]);
    // The values of counters count even where the stack is missing.
    let sql = "SELECT ts, callsite_id, counter_set_id IS NOT NULL AS counted \
        FROM __intrinsic_profiler_sample ORDER BY id";
    assert_eq!(
        trace.rows(sql),
        "\
ts  callsite_id  counted
10  NULL         1
20  NULL         1
30  NULL         1
40  NULL         1
"
    );
    assert_eq!(
        trace.rows(LOST),
        "\
name                           idx   value
perf_cpu_lost_records          3     9
perf_guardrail_stop_ts         0     70
perf_samples_skipped           NULL  2
perf_samples_skipped_dataloss  NULL  1
"
    );
    // None of them is a sample with a stack.
    assert_eq!(trace.rows("SELECT count(*) AS n FROM stack_sample"), "n\n0\n");
    assert_eq!(trace.rows("SELECT count(*) AS n FROM stack_sample_session"), "n\n0\n");
    assert_eq!(trace.rows("SELECT count(*) AS n FROM perf_session"), "n\n1\n");
}

#[test]
fn references_to_what_was_never_sent() {
    let data = stacks()
        .message(interned::FRAMES, frame(5, 9, 1, 0))
        .message(interned::FRAMES, frame(6, 1, 9, 0))
        .message(interned::CALLSTACKS, callstack(5, []))
        .message(interned::CALLSTACKS, callstack(6, [1, 99]))
        .message(interned::CALLSTACKS, callstack(7, [5]))
        .message(interned::CALLSTACKS, callstack(8, [6]));
    let sample = |at, stack| later(at, 1).payload(PERF_SAMPLE, perf_sample(0, (100, 100), stack));
    let trace = trace([
        begin(1, data, Message::new()),
        sample(10, 5),
        sample(20, 6),
        sample(30, 7),
        sample(40, 8),
        sample(50, 77),
        sample(60, 3),
    ]);
    assert_eq!(
        trace.rows("SELECT ts, callsite_id IS NULL AS lost FROM perf_sample ORDER BY ts"),
        "\
ts  lost
10  1
20  1
30  1
40  1
50  1
60  0
"
    );
    // Each is also a reference to interned data that is missing.
    assert_eq!(
        trace.rows(LOST),
        "\
name                               idx   value
interned_data_tokenizer_errors     NULL  4
stackprofile_empty_callstack       NULL  1
stackprofile_invalid_callstack_id  NULL  1
stackprofile_invalid_frame_id      NULL  1
stackprofile_invalid_mapping_id    NULL  1
stackprofile_invalid_string_id     NULL  1
"
    );
}

#[test]
fn a_cleared_state_gives_numbers_another_meaning() {
    let other = Message::new()
        .message(interned::FUNCTION_NAMES, string(1, "other"))
        .message(interned::FRAMES, frame(1, 1, 0, 0).uint(5, 1).uint(6, 12))
        .message(interned::SOURCE_PATHS, string(1, "a.js"))
        .message(interned::CALLSTACKS, callstack(1, [1]));
    let sample = |at| later(at, 1).payload(PERF_SAMPLE, perf_sample(0, (100, 100), 1));
    let trace = trace([
        begin(1, stacks(), Message::new()),
        sample(10),
        begin(1, other, Message::new()).timestamp(15),
        sample(20),
        begin(1, stacks(), Message::new()).timestamp(25),
        sample(30),
    ]);
    let sql = "SELECT ts, f.name, m.name AS mapping, source_file AS file, line_number AS line \
        FROM perf_sample s JOIN stack_profile_callsite c ON c.id = callsite_id \
        JOIN stack_profile_frame f ON f.id = frame_id JOIN stack_profile_mapping m ON m.id = mapping \
        LEFT JOIN stack_profile_symbol USING (symbol_set_id) ORDER BY ts";
    assert_eq!(
        trace.rows(sql),
        "\
ts  name    mapping              file  line
10  malloc  /system/lib/libc.so  NULL  NULL
20  other                        a.js  12
30  malloc  /system/lib/libc.so  NULL  NULL
"
    );
    // The library that is mapped again has the rows that it had.
    assert_eq!(trace.rows("SELECT count(*) AS n FROM stack_profile_frame"), "n\n3\n");
}

#[test]
fn callers_of_a_callsite() {
    let imported = imported();
    let sql = "SELECT id, depth, parent_id, frame_id \
        FROM experimental_ancestor_stack_profile_callsite(2)";
    assert_eq!(
        imported.rows(sql),
        "\
id  depth  parent_id  frame_id
0   0      NULL       0
"
    );
    let sql = "SELECT c.id, a.id AS ancestor FROM stack_profile_callsite c \
        JOIN ancestor_stack_profile_callsite(c.id) a ORDER BY c.id";
    assert_eq!(
        imported.rows(sql),
        "\
id  ancestor
1   0
2   0
"
    );
}

#[test]
fn summaries_add_up_to_the_samples() {
    let imported = imported();
    let sql = "INCLUDE PERFETTO MODULE linux.perf.samples; \
        SELECT id, parent_id AS parent, name, mapping_name AS mapping, self_count AS self, \
        cumulative_count AS total FROM linux_perf_samples_summary_tree ORDER BY id";
    assert_eq!(
        imported.rows(sql),
        "\
id  parent  name     mapping              self  total
0   NULL    main     /system/lib/libc.so  0     3
1   0       malloc   /system/lib/libc.so  2     2
2   0                /system/lib/libc.so  1     1
3   NULL    main     /system/lib/libc.so  1     1
4   NULL    syscall  /kernel              1     1
"
    );
    let sql = "INCLUDE PERFETTO MODULE stacks.cpu_profiling; \
        SELECT count(*) AS samples, (SELECT sum(self_count) FROM cpu_profiling_summary_tree) AS self, \
        (SELECT sum(cumulative_count) FROM cpu_profiling_summary_tree WHERE parent_id IS NULL) \
        AS roots FROM cpu_profiling_samples";
    assert_eq!(imported.rows(sql), "samples  self  roots\n5        5     5\n");
    let sql = "INCLUDE PERFETTO MODULE linux.perf.counters; \
        SELECT sample_id AS sample, counter_value AS value FROM linux_perf_sample_with_counters \
        WHERE cpu = 1 ORDER BY counter_id";
    assert_eq!(
        imported.rows(sql),
        "\
sample  value
1       2000.0
1       70.0
4       5000.0
"
    );
}

/// Two processes map two binaries in the folder for tests; one of these has a build id.
#[test]
fn binaries_under_test_without_a_build_id() {
    let path = |name: u64| [1, 2, 3, name];
    let data = Message::new()
        .message(interned::MAPPING_PATHS, string(1, "data"))
        .message(interned::MAPPING_PATHS, string(2, "local"))
        .message(interned::MAPPING_PATHS, string(3, "tmp"))
        .message(interned::MAPPING_PATHS, string(4, "a"))
        .message(interned::MAPPING_PATHS, string(5, "b"))
        .message(interned::BUILD_IDS, string(1, [0xab]))
        .message(interned::MAPPINGS, mapping(1, (0x1000, 0x2000), path(4)).uint(2, 1))
        .message(interned::MAPPINGS, mapping(2, (0x3000, 0x4000), path(5)))
        .message(interned::FRAMES, frame(1, 0, 1, 0x10))
        .message(interned::FRAMES, frame(2, 0, 2, 0x10))
        .message(interned::CALLSTACKS, callstack(1, [1, 2]));
    let sample = |at, pid| later(at, 1).payload(PERF_SAMPLE, perf_sample(0, (pid, pid), 1));
    let trace =
        trace([begin(1, data, Message::new()), sample(10, 7), sample(20, 7), sample(30, 8)]);
    let names = "SELECT count(*) FROM stack_profile_mapping WHERE name = '/data/local/tmp/b'";
    assert_eq!(trace.cell(names), "2");
    let stat = "SELECT value FROM stats WHERE name = 'symbolization_tmp_build_id_not_found'";
    assert_eq!(trace.cell(stat), "2");
}
