//! CPU profiles of V8.

use super::{STATS, events};

const SAMPLES: &str = "SELECT sample.ts, tid, callsite.depth, frame.name, source_file AS file, \
    caller.name AS caller FROM cpu_profile_stack_sample AS sample JOIN thread USING (utid) \
    JOIN stack_profile_callsite AS callsite ON sample.callsite_id = callsite.id \
    JOIN stack_profile_frame AS frame ON callsite.frame_id = frame.id \
    LEFT JOIN stack_profile_symbol AS symbol ON frame.symbol_set_id = symbol.symbol_set_id \
    LEFT JOIN stack_profile_callsite AS parent ON callsite.parent_id = parent.id \
    LEFT JOIN stack_profile_frame AS caller ON parent.frame_id = caller.id ORDER BY sample.id";

/// The profile begins at 90; samples follow after 10, 5, 1 and 2. Another thread writes them, of
/// that which began the profile.
#[test]
fn chunks_add_calls_and_samples() {
    let trace = events(
        r#"{"ph":"P","name":"Profile","id":"0x1","pid":1,"tid":10,"ts":95,
            "args":{"data":{"startTime":90}}},
           {"ph":"P","name":"ProfileChunk","id":"0x1","pid":1,"tid":11,"ts":200,"args":{"data":{
            "cpuProfile":{"nodes":[
             {"id":1,"callFrame":{"functionName":"(root)","scriptId":0}},
             {"id":2,"parent":1,"callFrame":{"functionName":"main","url":"https://a/b.js","lineNumber":3}}],
             "samples":[2,1]},"timeDeltas":[10,5]}}},
           {"ph":"P","name":"ProfileChunk","id":"0x1","pid":1,"tid":11,"ts":300,"args":{"data":{
            "cpuProfile":{"nodes":[
             {"id":3,"parent":2,"callFrame":{"functionName":"f\u00e9","url":"https://a/b.js"}},
             {"id":9,"parent":8,"callFrame":{"functionName":"lost"}}],
             "samples":[3,7,3]},"timeDeltas":[1,2,4]}}},
           {"ph":"P","name":"ProfileChunk","id":"0x2","pid":1,"tid":11,"ts":300,"args":{"data":{
            "cpuProfile":{"samples":[1]},"timeDeltas":[1]}}},
           {"ph":"P","name":"CpuProfile","id":"0x1","pid":1,"tid":11,"ts":300}"#,
    );
    // The third of the last chunk is 2 and 4 after the one that is lost.
    insta::assert_snapshot!(trace.rows(SAMPLES), @r"
    ts      tid  depth  name    file            caller
    100000  10   1      main    https://a/b.js  (root)
    105000  10   0      (root)  NULL            NULL
    106000  10   2      fé      https://a/b.js  main
    112000  10   2      fé      https://a/b.js  main
    ");
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                                    value
    json_events_not_read                    1
    legacy_v8_cpu_profile_invalid_callsite  1
    legacy_v8_cpu_profile_invalid_sample    2
    ");
}
