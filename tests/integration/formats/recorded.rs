//! Files that other programs recorded, in `testdata/recorded/`; its README states how. What is
//! expected of each is what its own program reports of the file.

use super::{SAMPLES, VALUES, kind_and_clock};
use crate::imported::{Imported, STATS};

fn recorded(name: &str) -> Imported {
    let folder = tpq_testkit::testdata::folder().join("recorded");
    Imported::file(std::fs::read(folder.join(name)).unwrap())
}

/// The format of a file, within its compression.
fn innermost(trace: &Imported) -> String {
    trace.cell("SELECT trace_type FROM trace_file ORDER BY id DESC LIMIT 1")
}

/// `perf script` lists 29, 28 and 29 samples of `sh`, the first of them at 39,608.671908 s.
#[test]
fn samples_of_perf() {
    for (name, samples) in [("perf.data", "29"), ("perf_zstd.data", "28"), ("perf_pipe.data", "29")]
    {
        let trace = recorded(name);
        let counts = "SELECT count(*), min(thread.name), count(DISTINCT utid), \
            count(callsite_id) FROM perf_sample JOIN thread USING (utid)";
        assert_eq!(trace.cells(counts), [[samples, "sh", "1", samples]], "{name}");
        // The clock of the scheduler.
        assert_eq!(kind_and_clock(&trace), ("perf".to_owned(), vec![vec!["10".to_owned()]]));
    }
    let trace = recorded("perf.data");
    assert_eq!(trace.cell("SELECT min(ts) / 1000 FROM perf_sample"), "39608671908");
    // The innermost frame of the first sample is at 0x1568b in the file of the shell.
    let frame = "SELECT rel_pc, m.name FROM perf_sample s \
        JOIN stack_profile_callsite c ON c.id = s.callsite_id \
        JOIN stack_profile_frame f ON f.id = c.frame_id \
        JOIN stack_profile_mapping m ON m.id = f.mapping ORDER BY s.ts LIMIT 1";
    assert_eq!(trace.cells(frame), [[0x1568b.to_string(), "/usr/bin/dash".to_owned()]]);
}

/// The same samples as text.
#[test]
fn samples_of_perf_script() {
    let (text, data) = (recorded("perf_script.txt"), recorded("perf.data"));
    let of_text = text.cells("SELECT ts / 1000 FROM cpu_profile_stack_sample ORDER BY ts");
    assert_eq!(of_text, data.cells("SELECT ts / 1000 FROM perf_sample ORDER BY ts"));
    assert_eq!(of_text.len(), 29);
    assert_eq!(text.rows(STATS), "name  machine  file  value\n");
}

/// Only the switches from two threads were recorded, so that nothing is known of what CPUs run.
#[test]
fn tracepoints_of_perf() {
    let trace = recorded("perf_task.data");
    let counts = "SELECT name, count(*) FROM ftrace_event GROUP BY name ORDER BY name";
    assert_eq!(trace.cells(counts), [["sched_switch", "8"], ["sched_waking", "4"]]);
    let first = "SELECT ts / 1000, cpu, tid, (SELECT string_value FROM args a \
        WHERE a.arg_set_id = f.arg_set_id AND key = 'next_comm') FROM ftrace_event f \
        JOIN thread USING (utid) ORDER BY ts LIMIT 1";
    assert_eq!(trace.cells(first), [["39613900767", "1", "24742", "tokio-rt-worker"]]);
    assert_eq!(trace.cell("SELECT count(*) FROM sched"), "0");
    assert_eq!(trace.cell("SELECT count(*) FROM perf_sample"), "12");
}

/// `trace-cmd report` lists 75 switches and 47 wakings, the first of them at 79,261.897009 s on CPU 1,
/// to `sleep`, which sleeps at 79,261.897984 s. The state of thread 15 is `I` for the kernel.
#[test]
fn recordings_of_trace_cmd() {
    for name in ["trace_cmd.dat", "trace_cmd_6.dat.gz"] {
        let trace = recorded(name);
        let counts = "SELECT name, cpu, count(*), min(ts), max(ts) FROM ftrace_event \
            WHERE name = 'sched_switch' GROUP BY name, cpu ORDER BY cpu DESC LIMIT 1";
        let of_cpu = trace.cells(counts);
        assert_eq!(of_cpu[0][..4], ["sched_switch", "1", "40", "79261897008767"], "{name}");
        let all = "SELECT name, count(*) FROM ftrace_event GROUP BY name ORDER BY name";
        assert_eq!(trace.cells(all), [["sched_switch", "75"], ["sched_waking", "47"]], "{name}");
        let first = "SELECT ts, dur, cpu, tid, thread.name, end_state FROM sched \
            JOIN thread USING (utid) ORDER BY ts LIMIT 3";
        assert_eq!(
            trace.cells(first),
            [
                ["79261897008767", "975520", "1", "19844", "sleep", "S"],
                ["79261897984287", "27932", "1", "32600", "memfd:sealed-91", "S"],
                ["79261898012219", "4206", "1", "15", "rcu_preempt", "I"],
            ],
            "{name}"
        );
        let release = "SELECT str_value FROM metadata WHERE name = 'system_release'";
        assert_eq!(trace.cell(release), "6.18.44-fc-v595", "{name}");
        let errors = "SELECT count(*) FROM stats WHERE name = 'format_parse_errors' AND value > 0";
        assert_eq!(trace.cell(errors), "0", "{name}");
        assert_eq!(innermost(&trace), "trace_cmd", "{name}");
    }
}

/// 97 lines: one resumes a call, and 91 state a duration, 42,223 us in all.
#[test]
fn calls_of_strace() {
    let trace = recorded("strace.txt");
    let counts = "SELECT count(*), sum(dur), count(DISTINCT track_id) FROM slice";
    assert_eq!(trace.cells(counts)[0][0], "96");
    assert_eq!(trace.cells(counts)[0][2], "2");
    let instants = "SELECT count(*) FROM slice WHERE name IN ('SIGCHLD', 'SIGUSR1') \
        OR name LIKE 'exited%' OR name LIKE 'killed%'";
    assert_eq!(trace.cell(instants), "4");
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
    let by_day = recorded("strace_clock.txt");
    assert_eq!(by_day.cell("SELECT count(*) FROM slice"), "31");
    let last = "SELECT name, ts / 1000 FROM slice ORDER BY ts DESC LIMIT 1";
    // 20:38:15.018430.
    assert_eq!(by_day.cells(last), [["exited with 0", "74295018430"]]);
}

/// Three commands at a time, then the one that needs them.
#[test]
fn commands_of_ninja() {
    let trace = recorded("ninja_log");
    assert_eq!(
        trace.rows(
            "SELECT ts / 1000000 AS ts, dur / 1000000 AS dur, name FROM slice ORDER BY ts, name"
        ),
        "\
ts  dur  name
0   23   a.o
1   58   b.o
2   37   c.o
59  16   prog
"
    );
}

/// 17 samples, all but one of `fib`, from 39,615,640.562 ms on.
#[test]
fn a_profile_of_node() {
    let trace = recorded("node.cpuprofile");
    let functions = "SELECT f.name, count(*) FROM cpu_profile_stack_sample s \
        JOIN stack_profile_callsite c ON c.id = s.callsite_id \
        JOIN stack_profile_frame f ON f.id = c.frame_id GROUP BY f.name ORDER BY f.name";
    assert_eq!(trace.cells(functions), [["(program)", "1"], ["fib", "16"]]);
    let first = trace.cell("SELECT min(ts) FROM cpu_profile_stack_sample");
    assert_eq!(first, "39615640562000");
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
}

/// 23 samples, of which the sizes sum to 12,101,904; 21 of them are of arrays that `keep` made, each
/// for half a mebibyte and a little more.
#[test]
fn a_heap_profile_of_node() {
    let trace = recorded("node.heapprofile");
    let values: Vec<[String; 3]> = trace
        .cells(VALUES)
        .into_iter()
        .map(|row| {
            let innermost = row[3].rsplit(';').next().unwrap().to_owned();
            [row[0].clone(), innermost, row[4].clone()]
        })
        .collect();
    let name = "heapprofile inuse_space";
    assert_eq!(
        values,
        [
            [name, "exposeLazyInterfaces", "524800.0"],
            [name, "executeUserEntryPoint", "524384.0"],
            [name, "keep", "11052720.0"],
        ]
    );
    assert_eq!(trace.cell("SELECT sum(value) FROM __intrinsic_aggregate_sample"), "12101904.0");
    assert_eq!(kind_and_clock(&trace).0, "heapprofile");
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
}

/// The file states 41,091 nodes, the sizes of which sum to 2,985,955.
#[test]
fn a_heap_snapshot_of_node() {
    let trace = recorded("node.heapsnapshot.zst");
    let all = "SELECT count(*), sum(self_size) FROM heap_graph_object";
    assert_eq!(trace.cells(all), [["41091", "2985955"]]);
    let nodes = "SELECT count(*), sum(self_size) FROM heap_graph_object o \
        JOIN heap_graph_class c ON c.id = o.type_id WHERE c.name = 'Node'";
    assert_eq!(trace.cells(nodes), [["1000", "48000"]]);
    assert_eq!(innermost(&trace), "v8_heap_snapshot");
}

/// The first of the 1,000 nodes has no next one.
#[test]
fn a_heap_of_java() {
    let trace = recorded("java.hprof.zst");
    let fields = "SELECT field_name, field_type_name, count(*) FROM heap_graph_reference r \
        JOIN heap_graph_object o ON o.id = r.owner_id JOIN heap_graph_class c ON c.id = o.type_id \
        WHERE c.name = 'Small$Node' GROUP BY field_name, field_type_name ORDER BY field_name";
    assert_eq!(
        trace.cells(fields),
        [
            ["Small$Node.data", "long[]", "1000"],
            ["Small$Node.name", "java.lang.String", "1000"],
            ["Small$Node.next", "Small$Node", "999"],
        ]
    );
    let nodes = "SELECT count(*), count(DISTINCT root_distance) FROM heap_graph_object o \
        JOIN heap_graph_class c ON c.id = o.type_id WHERE c.name = 'Small$Node'";
    // Each node is one further from the roots than the one before it.
    assert_eq!(trace.cells(nodes), [["1000", "1000"]]);
    let errors = "SELECT count(*) FROM stats WHERE severity != 'info' AND value > 0";
    assert_eq!(trace.cell(errors), "0");
    assert_eq!(innermost(&trace), "art_hprof");
}

/// The times are those that the program gave its spans, from 1,700,000,000 s on.
#[test]
fn spans_of_open_telemetry() {
    let trace = recorded("spans.pb");
    let spans = "SELECT ts - 1700000000000000000 AS ts, dur, slice.name, pid, process.name \
        FROM slice JOIN process_track t ON t.id = slice.track_id JOIN process USING (upid) \
        ORDER BY ts";
    assert_eq!(
        trace.cells(spans),
        [
            ["0", "5000000", "order", "4711", "shop"],
            ["1000000", "2000000", "pay", "4711", "shop"],
            ["2000000", "2000000", "ship", "4711", "shop"],
        ]
    );
    let args = "SELECT key, display_value FROM slice JOIN args USING (arg_set_id) \
        WHERE slice.name = 'pay' AND key NOT GLOB '*_id' ORDER BY key";
    assert_eq!(
        trace.cells(args),
        [
            ["events[0].attributes.attempt", "2"],
            ["events[0].name", "retry"],
            ["events[0].ts", "1700000000001500000"],
            ["kind", "3"],
            ["status.code", "2"],
            ["status.message", "card refused"],
        ]
    );
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
}

/// `go tool pprof -raw` lists two samples, and -top 4,098.72 kB that `main.keep` holds.
#[test]
fn profiles_of_go() {
    let trace = recorded("go_cpu.pb.gz");
    let stack = "runtime.main;main.main;main.spin;time.Now";
    assert_eq!(
        trace.cells(VALUES),
        [
            ["pprof samples", "samples", "count", stack, "14.0"],
            ["pprof cpu", "cpu", "nanoseconds", stack, "140000000.0"],
            ["pprof samples", "samples", "count", "time.now", "1.0"],
            ["pprof cpu", "cpu", "nanoseconds", "time.now", "10000000.0"],
        ]
    );
    let heap = recorded("go_heap.pb.gz");
    let kept = "SELECT round(sum(value) / 1024, 2) FROM __intrinsic_aggregate_sample s \
        JOIN __intrinsic_aggregate_profile p ON p.id = s.aggregate_profile_id \
        JOIN stack_profile_callsite c ON c.id = s.callsite_id \
        JOIN stack_profile_frame f ON f.id = c.frame_id \
        WHERE sample_type_type = 'inuse_space' AND f.name = 'main.keep'";
    assert_eq!(heap.cell(kept), "4098.72");
    assert_eq!(heap.rows(STATS), "name  machine  file  value\n");
}

/// 21 samples of the main thread and 17 of the other, 20 ms apart; 12 and 14 in the other form.
#[test]
fn profiles_of_py_spy() {
    let trace = recorded("pyspy.speedscope.json");
    let threads = "SELECT thread.name, count(*), max(ts) / 1000000 FROM cpu_profile_stack_sample \
        JOIN thread USING (utid) GROUP BY thread.name ORDER BY thread.name";
    assert_eq!(
        trace.cells(threads),
        [["Thread 25326 \"MainThread\"", "21", "400"], ["Thread 25329 \"helper\"", "17", "320"]]
    );
    let collapsed = recorded("pyspy.collapsed");
    let values = "SELECT count(*), sum(value) FROM __intrinsic_aggregate_sample";
    assert_eq!(collapsed.cells(values), [["4", "26.0"]]);
    let stacks: Vec<String> =
        collapsed.cells(VALUES).into_iter().map(|row| row[3].clone()).collect();
    assert!(
        stacks.contains(&"<module> (spin.py:9);outer (spin.py:7);inner (spin.py:3)".to_owned())
    );
}

/// Two threads with 39 samples each. Of the markers, 30 and 189 intervals are two markers, 1 and 10
/// are one, and 20 and 136 are moments.
#[test]
fn a_profile_of_firefox() {
    let trace = recorded("firefox.json.gz");
    let samples = "SELECT thread.name, count(*) FROM cpu_profile_stack_sample \
        JOIN thread USING (utid) GROUP BY thread.name ORDER BY thread.name";
    assert_eq!(trace.cells(samples), [["Compositor", "39"], ["Renderer", "39"]]);
    let markers = "SELECT thread.name, count(*), sum(dur > 0) > 0 FROM slice s \
        JOIN thread_track t ON t.id = s.track_id JOIN thread USING (utid) \
        GROUP BY thread.name ORDER BY thread.name";
    assert_eq!(trace.cells(markers), [["Compositor", "335", "1"], ["Renderer", "51", "1"]]);
    // Times are of the monotonic clock: Firefox started at 39,617.833 s, and the first sample is
    // 466 ms later.
    let first = "SELECT min(ts) / 1000000000 FROM cpu_profile_stack_sample";
    assert_eq!(trace.cell(first), "39618");
    assert_eq!(trace.cells(SAMPLES).len(), 78);
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
}
