//! The rows of a cluster are those of one process.

use super::{Nodes, each, text, traces};
use crate::command::describe;

/// What `benches/queries.py` measures.
const BENCHES: &[&str] = &[
    "SELECT count(*) AS n FROM sched",
    "SELECT thread.name, count(*) AS n, sum(dur) AS dur FROM sched JOIN thread USING (utid) \
     GROUP BY thread.name ORDER BY n DESC, thread.name LIMIT 10",
    "SELECT count(gap) AS n, sum(gap) AS gap FROM \
     (SELECT lead(ts) OVER (PARTITION BY utid ORDER BY ts) - ts - dur AS gap FROM sched)",
    "SELECT state, sum(dur) AS dur FROM thread_state GROUP BY state ORDER BY state",
    "SELECT ts, dur, utid FROM sched ORDER BY dur DESC, ts, utid LIMIT 50",
    "CREATE PERFETTO VIEW one AS SELECT ts, dur FROM sched WHERE ucpu = 0 AND dur > 1000000; \
     CREATE PERFETTO VIEW other AS SELECT ts, dur FROM sched WHERE ucpu = 1 AND dur > 1000000; \
     CREATE VIRTUAL TABLE both_cpus USING SPAN_JOIN(one, other); \
     SELECT count(*) AS n, sum(dur) AS dur FROM both_cpus",
    "SELECT name, count(*) AS n, sum(dur) AS dur FROM slice GROUP BY name ORDER BY n DESC, name \
     LIMIT 10",
    "SELECT thread.name, count(*) AS n FROM slice \
     JOIN thread_track ON slice.track_id = thread_track.id JOIN thread USING (utid) \
     GROUP BY thread.name ORDER BY n DESC, thread.name LIMIT 10",
    "SELECT count(*) AS n FROM slice WHERE name LIKE '%task%'",
    "SELECT p.name AS parent, c.name, count(*) AS n FROM slice c \
     JOIN slice p ON c.parent_id = p.id GROUP BY p.name, c.name \
     ORDER BY n DESC, p.name, c.name LIMIT 10",
    "SELECT key, count(DISTINCT slice.name) AS n FROM slice JOIN args USING (arg_set_id) \
     GROUP BY key ORDER BY n DESC, key LIMIT 10",
    "SELECT name, sum(dur - coalesce((SELECT sum(dur) FROM slice c WHERE c.parent_id = s.id), 0)) \
     AS own FROM slice s GROUP BY name ORDER BY own DESC, name LIMIT 10",
    "SELECT count(*) AS n, sum(dur) AS dur FROM (SELECT name, dur, \
     row_number() OVER (PARTITION BY name ORDER BY dur DESC) AS place FROM slice) WHERE place <= 3",
];

/// Ten modules, and what they create.
const MODULES: &[(&str, &str)] = &[
    ("slices.with_context", "SELECT ts, dur, name, thread_name FROM thread_slice ORDER BY ts"),
    ("slices.self_dur", "SELECT id, self_dur FROM slice_self_dur ORDER BY id"),
    ("sched.runnable", "SELECT * FROM sched_previous_runnable_on_thread ORDER BY id"),
    ("sched.states", "SELECT sched_state_to_human_readable_string('R') AS state"),
    ("linux.cpu.frequency", "SELECT ts, dur, freq FROM cpu_frequency_counters ORDER BY ts"),
    (
        "linux.cpu.utilization.system",
        "SELECT ts, utilization FROM cpu_utilization_per_second ORDER BY ts",
    ),
    ("linux.threads", "SELECT utid, tid FROM linux_kernel_threads ORDER BY utid"),
    ("counters.intervals", "SELECT count(*) AS n FROM counter"),
    (
        "intervals.overlap",
        "SELECT ts, value FROM intervals_overlap_count!(\
         (SELECT ts, dur FROM slice), ts, dur) ORDER BY ts",
    ),
    ("stacks.cpu_profiling", "SELECT count(*) AS n FROM cpu_profiling_samples"),
];

#[test]
fn statements_on_each_trace_give_the_rows_of_one_process() {
    let (folder, nodes) = (traces(4), Nodes::start(3));
    for sql in BENCHES {
        let rows = nodes.agree(&folder, &["-c", sql]);
        assert!(rows.lines().count() > 4, "{sql}: {rows}");
    }
    // Intersections of intervals, by a function and by an operator.
    let intersection = "INCLUDE PERFETTO MODULE intervals.intersect; \
        SELECT ts, dur, id_0, id_1 FROM _interval_intersect!((\
        (SELECT id, ts, dur FROM slice WHERE name = 'inner'), \
        (SELECT id, ts, dur FROM sched WHERE ucpu = 0 AND dur > 0)), ()) ORDER BY ts, id_0, id_1";
    let rows = nodes.agree(&folder, &["-c", intersection]);
    // Per trace: [20, 30) and [32, 44) meet [10, 30), [30, 40) and [40, 60), and what is idle.
    assert_eq!(rows.lines().count(), 1 + 4 * 3, "{rows}");
}

#[test]
fn modules_give_the_rows_of_one_process() {
    let (folder, nodes) = (traces(2), Nodes::start(3));
    for (module, sql) in MODULES {
        let sql = format!("INCLUDE PERFETTO MODULE {module}; {sql}");
        nodes.agree(&folder, &["-c", &sql]);
    }
}

#[test]
fn statements_over_the_rows_of_all_traces_are_cut_into_stages() {
    let (folder, nodes) = (traces(5), Nodes::start(3));
    let slices = "SELECT name, ts, dur, EXTRACT_ARG(arg_set_id, 'debug.size') AS size FROM slice";
    for then in [
        "SELECT count(*) AS n, sum(dur) AS dur, min(size) AS least FROM results",
        "SELECT name, count(*) AS n, sum(dur) AS dur FROM results GROUP BY name ORDER BY name",
        "SELECT trace_path, max(dur) AS longest FROM results GROUP BY trace_path ORDER BY 1",
        "SELECT name, dur FROM results ORDER BY dur DESC, name LIMIT 3",
        "SELECT a.name, b.dur FROM results a JOIN results b USING (trace_uuid, ts) \
         ORDER BY a.name, b.dur",
        // In SQLite's order NULL is first, LIKE ignores case, and a division of integers cuts.
        "SELECT NULLIF(size, 7) AS size, count(*) / 2 AS half FROM results \
         WHERE name LIKE 'INNER' GROUP BY 1 ORDER BY 1",
        "SELECT name, row_number() OVER (PARTITION BY name ORDER BY dur) AS place, dur \
         FROM results ORDER BY name, place",
        "SELECT count(*) AS n FROM results WHERE dur > (SELECT avg(dur) FROM results)",
        "SELECT DISTINCT name FROM results WHERE name NOT IN \
         (SELECT name FROM results WHERE name GLOB 'i*') ORDER BY name",
        // There are no slices beside those of the results.
        "SELECT count(*) AS n FROM results JOIN slice ON slice.ts = results.ts",
        "SELECT median(dur) AS middle, group_concat(DISTINCT name) IS NOT NULL AS has FROM results",
    ] {
        let arguments = ["-c", slices, "--then", then];
        nodes.agree(&folder, &arguments);
        let told = nodes.query(&folder, &arguments);
        assert!(told.stderr.is_empty(), "{then}: {}", describe(&told));
    }
}

#[test]
fn statements_that_cannot_be_sent_run_over_the_rows_here() {
    let (folder, nodes) = (traces(3), Nodes::start(1));
    let slices = "SELECT name, ts, dur FROM slice";
    for then in [
        "CREATE VIEW v AS SELECT * FROM results; SELECT count(*) AS n FROM v",
        "SELECT count(*) AS n FROM failures",
    ] {
        let arguments = ["-c", slices, "--then", then];
        nodes.agree(&folder, &arguments);
        let told = nodes.query(&folder, &arguments);
        let told = String::from_utf8_lossy(&told.stderr);
        assert!(told.contains("the statements of --then run on this machine: "), "{then}: {told}");
    }
}

#[test]
fn a_trace_that_fails_is_reported_and_left_out() {
    let (folder, nodes) = (traces(2), Nodes::start(1));
    std::fs::write(folder.path("9.pftrace"), "no trace at all").unwrap();
    let arguments = ["-c", "SELECT count(*) AS n FROM slice"];
    let there = nodes.query(&folder, &arguments);
    assert!(there.status.success(), "{}", describe(&there));
    assert_eq!(text(&there), text(&each(&folder, &arguments)));
    let told = String::from_utf8_lossy(&there.stderr).into_owned();
    assert!(told.contains("failed: "), "{told}");
    assert!(told.contains("1 of 3 traces failed"), "{told}");
    let strict = nodes.query(&folder, &["-c", "SELECT count(*) AS n FROM slice", "--strict"]);
    assert_eq!(strict.status.code(), Some(1), "{}", describe(&strict));
    // The message of one process.
    let told = String::from_utf8_lossy(&strict.stderr).into_owned();
    let path = folder.path("9.pftrace");
    let path = path.display();
    assert!(told.contains(&format!("error: {path}: text, not a trace")), "{told}");
    assert!(!told.contains("DataFusionError"), "{told}");
}

#[test]
fn errors_say_what_is_wrong() {
    let folder = traces(1);
    let sql = ["-c", "SELECT 1 AS one"];
    let refused = each(&folder, &[&sql[..], &["--cluster", "nonsense"]].concat());
    assert_eq!(refused.status.code(), Some(2), "{}", describe(&refused));
    let nobody = each(&folder, &[&sql[..], &["--cluster", "127.0.0.1:9"]].concat());
    assert_eq!(nobody.status.code(), Some(1));
    let told = String::from_utf8_lossy(&nobody.stderr).into_owned();
    assert!(told.contains("cannot reach the scheduler at 127.0.0.1:9"), "{told}");
    let nodes = Nodes::start(1);
    let wrong = nodes.query(&folder, &["-c", "SELECT nonsense FROM slice"]);
    assert_eq!(wrong.status.code(), Some(1));
    let told = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(told.contains("nonsense"), "{told}");
}
