//! Profiles that are one document: of Firefox, V8, speedscope and simpleperf.

use tpq_testkit::Message;

use super::{PLACES, SAMPLES, SLICES, VALUES, kind_and_clock};
use crate::imported::{Imported, STATS, refused};

/// Two threads, one of them of another process that started 10 ms later.
const RECORDED: &str = r#"{
"meta": {"startTime": 1000.5},
"threads": [{
  "name": "Main", "tid": 7, "pid": 6,
  "stringTable": ["main (in app)", "work", "lib (in lib.so)"],
  "frameTable": {"schema": {"location": 0, "line": 1}, "data": [[0], [1, 5], [2]]},
  "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0], [0, 1], [1, 2]]},
  "samples": {"schema": {"stack": 0, "time": 1}, "data": [[2, 2.5], [0, 1.25], [null, 3]]}
}],
"processes": [{
  "meta": {"startTime": 1010.5},
  "threads": [{
    "name": "Tab", "tid": 9, "pid": 8,
    "stringTable": ["main (in app)"],
    "frameTable": {"schema": {"location": 0}, "data": [[0]]},
    "stackTable": {"schema": {"frame": 1, "prefix": 0}, "data": [[null, 0]]},
    "samples": {"schema": {"stack": 0, "time": 1}, "data": [[0, 1]]}
  }]
}]}"#;

#[test]
fn a_recorded_profile_of_firefox() {
    let trace = Imported::file(RECORDED);
    // The sample at 3 ms has no stack.
    assert_eq!(
        trace.rows(SAMPLES),
        "\
ts        tid  thread  stack
1250000   7    Main    main
2500000   7    Main    main;work;lib
3000000   7    Main    NULL
11000000  9    Tab     main
"
    );
    assert_eq!(trace.cell("SELECT count(*) FROM __intrinsic_profiler_sample"), "4");
    let frames = "SELECT f.name, m.name FROM stack_profile_frame f \
        JOIN stack_profile_mapping m ON m.id = f.mapping ORDER BY f.id";
    assert_eq!(trace.cells(frames), [["main", "app"], ["work", "gecko"], ["lib", "lib.so"]]);
    let threads = "SELECT tid, pid FROM thread JOIN process USING (upid) WHERE tid IN (7, 9)";
    assert_eq!(trace.cells(threads), [["7", "6"], ["9", "8"]]);
    assert_eq!(kind_and_clock(&trace), ("gecko".to_owned(), vec![vec!["3".to_owned()]]));
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
}

/// The form of the web page, as developer tools wrap it.
#[test]
fn a_stored_profile_of_firefox() {
    let trace = Imported::file(
        r#"{"label": "x", "profile": {"meta": {}, "threads": [{
        "name": "Main", "tid": "7", "pid": "6", "processName": "app",
        "stringArray": ["main", "work", "app.so", "main.c"],
        "resourceTable": {"length": 1, "name": [2]},
        "funcTable": {"length": 2, "name": [0, 1], "fileName": [3, null], "resource": [0, -1]},
        "frameTable": {"length": 2, "func": [0, 1], "line": [12, null]},
        "stackTable": {"length": 2, "frame": [0, 1], "prefix": [null, 0]},
        "samples": {"length": 2, "stack": [1, 0], "timeDeltas": [1, 0.5]}
        }]}}"#,
    );
    let rows = [["1000000", "7", "Main", "main;work"], ["1500000", "7", "Main", "main"]];
    assert_eq!(trace.cells(SAMPLES), rows);
    let symbols = "SELECT s.name, source_file, line_number, m.name FROM stack_profile_frame f \
        JOIN stack_profile_symbol s USING (symbol_set_id) \
        JOIN stack_profile_mapping m ON m.id = f.mapping ORDER BY f.id";
    assert_eq!(
        trace.cells(symbols),
        [["main", "main.c", "12", "app.so"], ["work", "NULL", "NULL", "gecko"]]
    );
    assert_eq!(trace.cells("SELECT name FROM process WHERE pid = 6"), [["app"]]);
}

/// Newer profiles state when a process started by the monotonic clock: the first at 1 s, the second
/// 10 ms later.
#[test]
fn times_of_firefox_by_the_monotonic_clock() {
    let start = |ns: u64| format!(", \"startTimeAsClockMonotonicNanosecondsSinceBoot\": {ns}");
    let text = RECORDED
        .replace("1000.5", &format!("1000.5{}", start(1_000_000_000)))
        .replace("1010.5", &format!("1010.7{}", start(1_010_000_000)));
    let times = "SELECT ts FROM cpu_profile_stack_sample ORDER BY ts";
    let rows = [["1001250000"], ["1002500000"], ["1003000000"], ["1011000000"]];
    assert_eq!(Imported::file(text).cells(times), rows);
}

/// Two markers of `paint` are one interval. `gc` overlaps `load` and so has another track, as the
/// second `load`, which is a moment during `paint`. An end without a start, and a start without an
/// end, are counted.
#[test]
fn markers_of_firefox() {
    let trace = Imported::file(
        r#"{"meta": {"categories": [{"name": "DOM"}, {"name": "GC"}]}, "threads": [{
        "name": "Main", "tid": 7, "pid": 6, "stringTable": ["load", "gc", "paint"],
        "markers": {"schema": {"name": 0, "startTime": 1, "endTime": 2, "phase": 3, "category": 4, "data": 5},
        "data": [
        [0, 1, 3, 1, 0, {"type": "Text", "n": 2, "part": 0.5, "stack": {"a": 1}, "list": [1, 2]}],
        [1, 2, 4, 1, 1, null],
        [2, 5, null, 2, 0, {"is": true}],
        [0, 6, null, 0, 0],
        [2, null, 7, 3, 0],
        [1, null, 8, 3, 1],
        [1, 9, null, 2, 1]]}}]}"#,
    );
    let slices = "SELECT s.ts, s.dur, s.name, s.category, t.name AS track, tid, \
        s.track_id - (SELECT min(id) FROM track) AS n FROM slice s \
        JOIN thread_track t ON t.id = s.track_id JOIN thread USING (utid) ORDER BY s.ts";
    assert_eq!(
        trace.rows(slices),
        "\
ts       dur      name   category  track    tid  n
1000000  2000000  load   DOM       Markers  7    0
2000000  2000000  gc     GC        Markers  7    1
5000000  2000000  paint  DOM       Markers  7    0
6000000  0        load   DOM       Markers  7    1
"
    );
    let args = "SELECT s.name, key, coalesce(string_value, CAST(int_value AS TEXT), \
        CAST(real_value AS TEXT)) FROM slice s JOIN args USING (arg_set_id) ORDER BY s.ts, key";
    assert_eq!(
        trace.cells(args),
        [
            ["load", "data.list", "[1, 2]"],
            ["load", "data.n", "2"],
            ["load", "data.part", "0.5"],
            ["load", "data.type", "Text"],
            ["paint", "data.is", "1"],
        ]
    );
    assert_eq!(
        trace.cells(PLACES),
        [
            ["format_parse_errors", "10", "the start of this marker is not there"],
            ["format_parse_errors", "11", "the end of this marker is not there"],
        ]
    );
}

/// Stored profiles have columns; old ones state starts and ends among the details.
#[test]
fn markers_of_firefox_in_other_forms() {
    let profile = |table: &str, markers: &str| {
        Imported::file(format!(
            "{{\"meta\": {{}}, \"threads\": [{{\"tid\": 7, \"pid\": 6, \"{table}\": [\"a\", \"b\"], \
             \"markers\": {markers}}}]}}"
        ))
    };
    let stored = profile(
        "stringArray",
        r#"{"length": 2, "name": [1, 0], "startTime": [2, 1], "endTime": [null, 3],
        "phase": [0, 1], "category": [0, 0], "data": [null, {"x": 1}]}"#,
    );
    let slices = "SELECT ts, dur, name FROM slice ORDER BY ts";
    assert_eq!(stored.cells(slices), [["1000000", "2000000", "a"], ["2000000", "0", "b"]]);
    let old = profile(
        "stringTable",
        r#"{"schema": {"name": 0, "time": 1, "data": 2}, "data": [
        [0, 1, {"interval": "start"}], [1, 2], [0, 4, {"interval": "end"}]]}"#,
    );
    assert_eq!(old.cells(slices), [["1000000", "3000000", "a"], ["2000000", "0", "b"]]);
}

#[test]
fn stacks_and_samples_that_make_no_sense_are_counted() {
    let text = RECORDED.replace("[[null, 0], [0, 1], [1, 2]]", "[[null, 0], [1, 1], [0, 9]]");
    let trace = Imported::file(text);
    // Two stacks, and the sample that refers to one of them.
    let errors = "SELECT value FROM stats WHERE name = 'format_parse_errors'";
    assert_eq!(trace.cells(errors), [["3"]]);
    assert_eq!(trace.cells(SAMPLES).len(), 3);
    let message = refused(&[("a.json", b"{\"meta\": {},\n \"threads\": [}")]);
    assert!(message.contains("a.json: line 2, column "), "{message}");
    assert!(message.contains("this is no valid JSON"), "{message}");
}

#[test]
fn a_profile_of_v8() {
    let trace = Imported::file(
        r#"{"nodes": [
        {"id": 1, "callFrame": {"functionName": "(root)", "url": "", "lineNumber": -1}, "children": [2, 3]},
        {"id": 2, "callFrame": {"functionName": "run", "url": "a.js", "lineNumber": 4}},
        {"id": 3, "callFrame": {"functionName": "", "url": "b.js", "lineNumber": 0}}],
        "startTime": 1000, "endTime": 2000, "samples": [2, 3, 9], "timeDeltas": [5, 10.5, 1]}"#,
    );
    let rows =
        [["1005000", "0", "NULL", "(root);run"], ["1015500", "0", "NULL", "(root);(anonymous)"]];
    assert_eq!(trace.cells(SAMPLES), rows);
    let sources = "SELECT name, source_file, line_number FROM stack_profile_symbol ORDER BY id";
    let rows = [["(root)", "NULL", "NULL"], ["run", "a.js", "5"], ["(anonymous)", "b.js", "1"]];
    assert_eq!(trace.cells(sources), rows);
    // Node 9 is none of the tree.
    let errors = "SELECT value FROM stats WHERE name = 'format_parse_errors'";
    assert_eq!(trace.cells(errors), [["1"]]);
    assert_eq!(kind_and_clock(&trace), ("cpuprofile".to_owned(), vec![vec!["11".to_owned()]]));
}

/// `run` and a function without a name have bytes. The last node states none.
#[test]
fn a_heap_profile_of_v8() {
    let trace = Imported::file(
        r#"{"head": {
        "callFrame": {"functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": -1},
        "selfSize": 0, "id": 1, "children": [
        {"callFrame": {"functionName": "run", "url": "a.js", "lineNumber": 4}, "selfSize": 64, "id": 2,
         "children": [{"callFrame": {"functionName": "", "url": "b.js", "lineNumber": 0},
         "selfSize": 1000.5, "id": 3, "children": []}]},
        {"callFrame": {"functionName": "stop", "url": "a.js", "lineNumber": 8}, "id": 4, "children": []}]},
        "samples": [{"size": 64, "nodeId": 2, "ordinal": 1}]}"#,
    );
    let value = |stack, value| ["heapprofile inuse_space", "inuse_space", "bytes", stack, value];
    assert_eq!(
        trace.cells(VALUES),
        [value("(root);run", "64.0"), value("(root);run;(anonymous)", "1000.5")]
    );
    let sources = "SELECT name, source_file, line_number FROM stack_profile_symbol ORDER BY id";
    assert_eq!(
        trace.cells(sources),
        [
            ["(root)", "NULL", "NULL"],
            ["run", "a.js", "5"],
            ["(anonymous)", "b.js", "1"],
            ["stop", "a.js", "9"],
        ]
    );
    let errors = "SELECT value FROM stats WHERE name = 'format_parse_errors'";
    assert_eq!(trace.cells(errors), [["1"]]);
    assert_eq!(kind_and_clock(&trace), ("heapprofile".to_owned(), vec![]));
}

/// V8 records stacks of up to 128 functions, which are 256 levels of JSON and a few more.
#[test]
fn a_heap_profile_with_deep_stacks() {
    let node = r#"{"callFrame": {"functionName": "f"}, "selfSize": 1, "children": ["#;
    let text = ["{\"head\": ", &node.repeat(129), &"]}".repeat(129), "}"].concat();
    let trace = Imported::file(text);
    let depths = "SELECT count(*), max(depth) FROM stack_profile_callsite";
    assert_eq!(trace.cells(depths), [["129", "128"]]);
    assert_eq!(trace.cell("SELECT sum(value) FROM __intrinsic_aggregate_sample"), "129.0");
}

#[test]
fn profiles_of_speedscope() {
    let trace = Imported::file(
        r#"{"$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": "main"}, {"name": "work", "file": "a.c", "line": 3}]},
        "profiles": [
        {"type": "evented", "name": "calls", "unit": "milliseconds", "startValue": 0, "endValue": 4,
         "events": [{"type": "O", "frame": 0, "at": 1}, {"type": "O", "frame": 1, "at": 2},
                    {"type": "C", "frame": 1, "at": 3.5}, {"type": "C", "frame": 0, "at": 4}, {"type": "X"}]},
        {"type": "sampled", "name": "times", "unit": "microseconds", "startValue": 10, "endValue": 20,
         "samples": [[0], [0, 1]], "weights": [2, 8]},
        {"type": "sampled", "name": "sizes", "unit": "bytes", "startValue": 0, "endValue": 100,
         "samples": [[0], [0, 1]], "weights": [60, 40]}]}"#,
    );
    assert_eq!(
        trace.rows(SLICES),
        "\
ts       dur      depth  name  tid  thread
1000000  3000000  0      main  1    calls
2000000  1500000  1      work  1    calls
"
    );
    let rows = [["10000", "2", "times", "main"], ["12000", "2", "times", "main;work"]];
    assert_eq!(trace.cells(SAMPLES), rows);
    let rows = [
        ["sizes", "weight", "bytes", "main", "60.0"],
        ["sizes", "weight", "bytes", "main;work", "40.0"],
    ];
    assert_eq!(trace.cells(VALUES), rows);
    let places = trace.cells(PLACES);
    assert_eq!(places.len(), 1, "{places:?}");
    assert_eq!(kind_and_clock(&trace).0, "speedscope");
}

#[test]
fn spans_of_open_telemetry() {
    let trace = Imported::file(
        r#"{"resourceSpans": [{
        "resource": {"attributes": [
            {"key": "service.name", "value": {"stringValue": "shop"}},
            {"key": "process.pid", "value": {"intValue": "70"}}]},
        "scopeSpans": [{"spans": [
            {"traceId": "aa", "spanId": "01", "name": "order", "kind": 2,
             "startTimeUnixNano": "1000", "endTimeUnixNano": "1900", "status": {"code": 1},
             "attributes": [{"key": "thread.id", "value": {"intValue": 71}},
                            {"key": "free", "value": {"boolValue": true}}]},
            {"traceId": "aa", "spanId": "02", "parentSpanId": "01", "name": "pay",
             "startTimeUnixNano": "1200", "endTimeUnixNano": "1500"},
            {"spanId": "03", "name": "wrong", "startTimeUnixNano": "5", "endTimeUnixNano": "4"}]}]},
        {"resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "bank"}}]},
         "scopeSpans": [{"spans": [
            {"spanId": "04", "name": "book", "startTimeUnixNano": 1300, "endTimeUnixNano": 1400}]}]}]}"#,
    );
    let slices = "SELECT ts, dur, slice.name, process.name AS process FROM slice \
        LEFT JOIN thread_track t ON slice.track_id = t.id LEFT JOIN thread USING (utid) \
        LEFT JOIN process_track p ON slice.track_id = p.id \
        LEFT JOIN process ON process.upid = coalesce(p.upid, thread.upid) ORDER BY ts";
    assert_eq!(
        trace.cells(slices),
        [
            ["1000", "900", "order", "shop"],
            ["1200", "300", "pay", "shop"],
            ["1300", "100", "book", "bank"],
        ]
    );
    let args = "SELECT slice.name, key, coalesce(string_value, CAST(int_value AS TEXT)) FROM slice \
        JOIN args USING (arg_set_id) WHERE slice.name != 'book' ORDER BY slice.id, key";
    assert_eq!(
        trace.cells(args),
        [
            ["order", "attributes.free", "1"],
            ["order", "attributes.thread.id", "71"],
            ["order", "kind", "2"],
            ["order", "span_id", "01"],
            ["order", "status.code", "1"],
            ["order", "trace_id", "aa"],
            ["pay", "parent_span_id", "01"],
            ["pay", "span_id", "02"],
            ["pay", "trace_id", "aa"],
        ]
    );
    let places = trace.cells(PLACES);
    assert_eq!(places, [["format_parse_errors", "12", "a span has no start before its end"]]);
    assert_eq!(kind_and_clock(&trace), ("otlp".to_owned(), vec![vec!["1".to_owned()]]));
}

/// A report of simpleperf: records with their sizes before them.
fn report(records: &[Message]) -> Vec<u8> {
    let mut bytes = b"SIMPLEPERF\x01\x00".to_vec();
    for record in records {
        bytes.extend((record.as_bytes().len() as u32).to_le_bytes());
        bytes.extend(record.as_bytes());
    }
    bytes.extend([0; 4]);
    bytes
}

/// A document with a span of 500 ns.
fn line_of_spans(name: &str, start: i64) -> String {
    let end = start + 500;
    format!(
        r#"{{"resourceSpans":[{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"{name}"}}}}]}},"scopeSpans":[{{"spans":[{{"name":"of {name}","startTimeUnixNano":"{start}","endTimeUnixNano":"{end}"}}]}}]}}]}}"#
    )
}

/// Collectors write a document in each line. A line of metrics has no spans, and a damaged one does
/// no harm to the others, wherever it is.
#[test]
fn spans_in_lines() {
    let damaged = || r#"{"resourceSpans":["#.to_owned();
    let (a, b) = (line_of_spans("a", 1_000), line_of_spans("b", 2_000));
    let metrics = r#"{"resourceMetrics":[]}"#.to_owned();
    let files = [
        ([a.clone(), metrics.clone(), b.clone(), damaged(), String::new()], "4"),
        ([damaged(), metrics, a, b, String::new()], "1"),
    ];
    for (lines, place) in files {
        let trace = Imported::file(lines.join("\n"));
        let spans = "SELECT ts, dur, slice.name, process.name FROM slice \
            JOIN process_track t ON t.id = slice.track_id JOIN process USING (upid) ORDER BY ts";
        let rows = [["1000", "500", "of a", "a"], ["2000", "500", "of b", "b"]];
        assert_eq!(trace.cells(spans), rows, "{place}");
        assert_eq!(trace.cells(PLACES), [["format_parse_errors", place, "this is no valid JSON"]]);
    }
}

#[test]
fn a_report_of_simpleperf() {
    let entry =
        |address, file, symbol| Message::new().uint(1, address).uint(2, file).int(3, symbol);
    let sample = |time, entries: &[Message]| {
        let sample = Message::new().uint(1, time).uint(2, 71);
        let sample = entries.iter().fold(sample, |sample, it| sample.message(3, it.clone()));
        Message::new().message(1, sample)
    };
    let file = Message::new().uint(1, 0).bytes(2, "/bin/app").bytes(3, "main").bytes(3, "work");
    let thread = Message::new().uint(1, 71).uint(2, 70).bytes(3, "worker");
    let bytes = report(&[
        sample(2_000, &[entry(0x20, 0, 1), entry(0x10, 0, 0)]),
        sample(1_000, &[entry(0x30, 0, -1)]),
        sample(3_000, &[entry(0x30, 5, 0)]),
        Message::new().message(3, file),
        Message::new().message(4, thread),
        Message::new().message(2, Message::new().uint(1, 3).uint(2, 9)),
        Message::new().message(6, Message::new().uint(2, 5)),
    ]);
    let trace = Imported::file(&bytes);
    let samples = trace.cells(
        "SELECT s.ts, tid, pid, f.name, rel_pc, m.name, depth \
        FROM cpu_profile_stack_sample s JOIN thread USING (utid) JOIN process USING (upid) \
        JOIN stack_profile_callsite c ON c.id = s.callsite_id \
        JOIN stack_profile_frame f ON f.id = c.frame_id \
        JOIN stack_profile_mapping m ON m.id = f.mapping ORDER BY s.ts",
    );
    assert_eq!(
        samples,
        [
            ["1000", "71", "70", "NULL", "48", "/bin/app", "0"],
            ["2000", "71", "70", "work", "32", "/bin/app", "1"],
        ]
    );
    let stats = "SELECT name, idx, value FROM stats WHERE value != 0 AND name NOT LIKE '%duration%' \
        ORDER BY name";
    assert_eq!(
        trace.cells(stats),
        [
            ["format_records_not_read", "6", "1"],
            ["perf_samples_skipped_dataloss", "NULL", "9"],
            ["simpleperf_missing_file_mapping", "NULL", "1"],
        ]
    );
    assert_eq!(kind_and_clock(&trace), ("simpleperf_proto".to_owned(), vec![vec!["3".to_owned()]]));
    let cut = Imported::file(&bytes[..bytes.len() - 6]);
    let errors = "SELECT value FROM stats WHERE name = 'format_parse_errors'";
    assert_eq!(cut.cells(errors), [["1"]]);
}
