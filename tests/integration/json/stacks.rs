//! Call stacks of samples and of slices.

use super::{STATS, events};
use crate::imported::Imported;

/// Samples, with the functions of their stacks from the innermost outwards.
const SAMPLES: &str = "SELECT sample.ts, tid, pid, __cpu_of(execution.ucpu) AS cpu, \
    frame.name AS f, mapping.name AS lib, caller_frame.name AS caller, callsite.depth \
    FROM __intrinsic_profiler_sample AS sample \
    JOIN cpu_profile_stack_sample USING (id) \
    LEFT JOIN thread ON thread.utid = cpu_profile_stack_sample.utid \
    LEFT JOIN process USING (upid) \
    LEFT JOIN __intrinsic_profiler_execution_context AS execution \
      ON execution.id = sample.execution_context_id \
    JOIN stack_profile_callsite AS callsite ON sample.callsite_id = callsite.id \
    JOIN stack_profile_frame AS frame ON callsite.frame_id = frame.id \
    JOIN stack_profile_mapping AS mapping ON frame.mapping = mapping.id \
    LEFT JOIN stack_profile_callsite AS caller ON callsite.parent_id = caller.id \
    LEFT JOIN stack_profile_frame AS caller_frame ON caller.frame_id = caller_frame.id \
    ORDER BY sample.id";

/// Stacks of slices: the innermost functions at the begin and at the end.
const STACKS: &str = "SELECT slice.name, slice.ts, at_begin.name AS begin_f, at_end.name AS end_f \
    FROM __intrinsic_track_event_callstacks AS stacks \
    JOIN slice ON slice.id = stacks.slice_id AND slice.track_id = stacks.track_id \
    LEFT JOIN stack_profile_callsite AS b ON stacks.callsite_id = b.id \
    LEFT JOIN stack_profile_frame AS at_begin ON b.frame_id = at_begin.id \
    LEFT JOIN stack_profile_callsite AS e ON stacks.end_callsite_id = e.id \
    LEFT JOIN stack_profile_frame AS at_end ON e.frame_id = at_end.id \
    ORDER BY stacks.id";

const FRAMES: &str = r#""stackFrames":{
    "5":{"category":"libc.so","name":"malloc","parent":"4"},
    "4":{"category":"app","name":"work","parent":3},
    "3":{"category":"app","name":"m\u0061in"},
    "6":{"name":"lost","parent":"60"},
    "7":{"name":"ping","parent":"8"},"8":{"name":"pong","parent":"7"}}"#;

/// Samples of a thread refer to frames that stand behind them, by number or text, or name their
/// functions, the outermost first.
#[test]
fn events_of_samples_have_stacks() {
    let trace = Imported::file(format!(
        r#"{{"traceEvents":[
            {{"ph":"P","name":"sample","pid":1,"tid":2,"ts":20,"sf":5}},
            {{"ph":"P","name":"sample","pid":1,"tid":2,"ts":10,"sf":"4"}},
            {{"ph":"P","name":"sample","pid":1,"tid":3,"ts":30,"stack":["start","run"]}},
            {{"ph":"P","name":"sample","pid":1,"tid":2,"ts":40,"sf":3}}],
        {FRAMES}}}"#
    ));
    insta::assert_snapshot!(trace.rows(SAMPLES), @r"
    ts     tid  pid  cpu   f       lib      caller  depth
    10000  2    1    NULL  work    app      main    1
    20000  2    1    NULL  malloc  libc.so  work    2
    30000  3    1    NULL  run              start   1
    40000  2    1    NULL  main    app      NULL    0
    ");
    insta::assert_snapshot!(trace.rows(STATS), @"name  value");
    assert_eq!(trace.cell("SELECT start_ts || '-' || end_ts FROM trace_bounds"), "10000-40000");
}

/// Two frames that call each other, one with an unknown caller, and an unknown one: their samples
/// are counted. So is an event of this phase that has no stack, which is no sample.
#[test]
fn stacks_that_cannot_be_found_are_counted() {
    let trace = Imported::file(format!(
        r#"{{{FRAMES},"traceEvents":[
            {{"ph":"P","pid":1,"tid":1,"ts":1,"sf":7}},
            {{"ph":"P","pid":1,"tid":1,"ts":2,"sf":8}},
            {{"ph":"P","pid":1,"tid":1,"ts":3,"sf":"6"}},
            {{"ph":"P","pid":1,"tid":1,"ts":4,"sf":99}},
            {{"ph":"P","pid":1,"tid":1,"ts":5,"stack":[]}},
            {{"ph":"P","pid":1,"tid":1,"ts":6,"name":"JitCodeAdded"}},
            {{"ph":"P","pid":1,"tid":1,"ts":7,"sf":3}}]}}"#
    ));
    insta::assert_snapshot!(trace.rows("SELECT ts FROM cpu_profile_stack_sample"), @r"
    ts
    7000
    ");
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                  value
    json_events_not_read  1
    json_parser_failure   5
    ");
}

/// Samples of the whole system name a CPU and a thread. Thread 9 is of process 1, as an event says.
#[test]
fn the_field_of_samples_is_read() {
    let trace = Imported::file(format!(
        r#"{{"samples":[
            {{"cpu":1,"tid":9,"ts":10.5,"name":"cycles:HG","comm":"worker","sf":3,"weight":300}},
            {{"cpu":"-1","tid":"9","pid":1,"ts":"11","name":"cycles:HG","sf":"5","weight":"250"}},
            {{"cpu":0,"ts":12,"sf":3}},
            {{"cpu":0,"tid":9,"sf":3}},
            {{"cpu":0,"tid":9,"ts":13}}],
        "traceEvents":[{{"ph":"i","pid":1,"tid":9,"ts":5,"name":"begin"}}],
        {FRAMES}}}"#
    ));
    insta::assert_snapshot!(trace.rows(SAMPLES), @r"
    ts     tid   pid   cpu   f       lib      caller  depth
    10500  9     1     1     main    app      NULL    0
    11000  9     1     NULL  malloc  libc.so  work    2
    12000  NULL  NULL  0     main    app      NULL    0
    ");
    let weights = "SELECT stack_sample_id AS sample, value, track.name, is_timebase \
        FROM stack_sample_counter AS counter \
        JOIN stack_sample_counter_track AS track ON counter.track_id = track.id \
        JOIN stack_sample_session AS session ON session.id = track.session_id ORDER BY 1";
    insta::assert_snapshot!(trace.rows(weights), @r"
    sample  value  name       is_timebase
    0       300.0  cycles:HG  1
    1       250.0  cycles:HG  1
    ");
    let value = "SELECT __intrinsic_perf_counter_for_sample(1, 'cycles:HG')";
    assert_eq!(trace.cell(value), "250.0");
    assert_eq!(trace.cell("SELECT name FROM thread WHERE tid = 9"), "worker");
    // One has no time, one no stack.
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                    value
    json_parser_failure     1
    json_tokenizer_failure  1
    ");
}

/// The frames that it refers to stand behind the first sample, which is before all events.
#[test]
fn a_sample_before_all_events_has_its_stack() {
    let trace = Imported::file(format!(
        r#"{{"samples":[{{"cpu":1,"tid":9,"ts":10,"name":"cycles","sf":3}},
            {{"cpu":1,"tid":9,"ts":10,"name":"cycles","sf":5}}],
        "traceEvents":[{{"ph":"i","pid":1,"tid":9,"ts":15,"name":"late"}}],
        {FRAMES}}}"#
    ));
    let samples = trace.cells(SAMPLES);
    let stacks: Vec<[&str; 3]> =
        samples.iter().map(|row| [0, 4, 6].map(|at| row[at].as_str())).collect();
    assert_eq!(stacks, [["10000", "main", "NULL"], ["10000", "malloc", "work"]]);
    assert!(trace.cells(STATS).is_empty());
}

/// No machine has CPU 5000. The sample itself stays.
#[test]
fn samples_on_cpus_that_there_cannot_be() {
    let trace = Imported::file(format!(
        r#"{{"samples":[{{"cpu":5000,"tid":9,"ts":10,"name":"cycles","sf":3}}],
        "traceEvents":[{{"ph":"i","pid":1,"tid":9,"ts":5,"name":"begin"}}],
        {FRAMES}}}"#
    ));
    let sample = ["10000", "9", "1", "NULL", "main", "app", "NULL", "0"];
    assert_eq!(trace.cells(SAMPLES), [sample]);
    assert_eq!(trace.cells(STATS), [["json_parser_failure", "1"]]);
}

/// The kernel's name of a thread is for threads that metadata does not name.
#[test]
fn names_of_sampled_threads() {
    let trace = Imported::file(format!(
        r#"{{"samples":[
            {{"cpu":0,"tid":9,"ts":10,"name":"cycles","comm":"oid.apps.chrome","sf":3}},
            {{"cpu":0,"tid":8,"ts":11,"name":"cycles","comm":"kswapd0","sf":3}}],
        "traceEvents":[
            {{"ph":"M","pid":1,"tid":9,"ts":0,"name":"thread_name","args":{{"name":"Main"}}}}],
        {FRAMES}}}"#
    ));
    let names = "SELECT tid, name FROM thread WHERE tid IN (8, 9) ORDER BY tid";
    assert_eq!(trace.cells(names), [["8", "kswapd0"], ["9", "Main"]]);
}

#[test]
fn slices_have_stacks_at_their_begin_and_end() {
    let trace = Imported::file(format!(
        r#"{{"traceEvents":[
            {{"ph":"B","pid":1,"tid":1,"ts":1,"name":"both","sf":4}},
            {{"ph":"E","pid":1,"tid":1,"ts":3,"sf":5}},
            {{"ph":"B","pid":1,"tid":1,"ts":4,"name":"ends"}},
            {{"ph":"E","pid":1,"tid":1,"ts":5,"esf":3}},
            {{"ph":"X","pid":1,"tid":1,"ts":6,"dur":1,"name":"whole","stack":["a"],"estack":["a","b"]}},
            {{"ph":"X","pid":1,"tid":1,"ts":8,"dur":1,"name":"none"}},
            {{"ph":"i","pid":1,"tid":1,"ts":9,"name":"instant","sf":3}},
            {{"ph":"b","pid":1,"id":1,"ts":10,"name":"async","sf":3}},
            {{"ph":"e","pid":1,"id":1,"ts":11,"name":"async","esf":4}}],
        {FRAMES}}}"#
    ));
    insta::assert_snapshot!(trace.rows(STACKS), @r"
    name     ts     begin_f  end_f
    both     1000   work     malloc
    ends     4000   NULL     main
    whole    6000   a        b
    instant  9000   main     NULL
    async    10000  main     work
    ");
    insta::assert_snapshot!(trace.rows(STATS), @"name  value");
}

/// Programs have other values under these keys.
#[test]
fn other_values_of_these_keys_are_passed_over() {
    let trace = Imported::file(
        r#"{"samples":[1,2],"stackFrames":[],"traceEvents":[
            {"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a","stack":"text","sf":null}]}"#,
    );
    assert_eq!(trace.cell("SELECT count(*) FROM slice"), "1");
    assert_eq!(trace.cell("SELECT count(*) FROM __intrinsic_track_event_callstacks"), "0");
    insta::assert_snapshot!(trace.rows(STATS), @"name  value");
}

/// A frame of a Dart program states its place in the source.
#[test]
fn frames_state_their_source() {
    let trace = events(r#"{"ph":"P","ts":1,"sf":"a"}"#);
    assert_eq!(trace.cell("SELECT value FROM stats WHERE name = 'json_parser_failure'"), "1");
    let trace = Imported::file(
        r#"{"traceEvents":[{"ph":"P","pid":1,"tid":1,"ts":1,"sf":"1-0"}],"stackFrames":{
            "1-0":{"category":"Dart","name":"main","resolvedUrl":"main.dart","sourceLine":12}}}"#,
    );
    let sources = "SELECT frame.name, symbol.source_file AS file, symbol.line_number AS line \
        FROM stack_profile_frame AS frame JOIN stack_profile_symbol AS symbol USING (symbol_set_id)";
    insta::assert_snapshot!(trace.rows(sources), @r"
    name  file       line
    main  main.dart  12
    ");
}
