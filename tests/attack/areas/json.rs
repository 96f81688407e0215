//! Traces in Chrome's JSON.

use crate::bases::{Base, plain};

/// Texts that use every part of the format.
const TEXTS: &[(&str, &str)] = &[
    (
        "json slices",
        r#"[{"ph":"B","pid":1,"tid":2,"ts":1.5,"name":"a\"\u00e9","cat":"c","args":{"a":[1,{"b":null}]}},
{"ph":"E","pid":1,"tid":2,"ts":"3","tts":4},{"ph":"X","pid":"p","tid":"t","ts":2e3,"dur":7,"tdur":1,
"bind_id":"0x1","flow_out":true},{"ph":"C","pid":1,"ts":5,"name":"n","id":"i","args":{"x":1,"y":"2"}},
{"ph":"M","pid":1,"name":"process_name","args":{"name":"app"}}]"#,
    ),
    (
        "json async events",
        r#"{"displayTimeUnit":"ms","traceEvents":[{"ph":"b","pid":1,"id":1,"ts":1,"name":"l"},
{"ph":"n","pid":1,"id2":{"local":"0x2"},"ts":2,"name":"l"},{"ph":"e","pid":1,"id":1,"ts":3},
{"ph":"s","pid":1,"tid":1,"ts":4,"id":"0xff","name":"f","cat":"c"},{"ph":"t","id":255,"ts":5},
{"ph":"f","bp":"e","id":"255","ts":6},{"ph":"i","s":"g","ts":7},{"ph":"I","s":"p","pid":1,"ts":8},
{"ph":"O","ts":9,"id":"x"}],"metadata":{"a":{"b":[true,false]}}}"#,
    ),
    (
        "json stacks",
        r#"{"samples":[{"cpu":0,"tid":"3","ts":4,"sf":2,"weight":1},{"tid":9,"ts":"5","stack":["m"]}],
"traceEvents":[{"ph":"P","pid":1,"tid":2,"ts":1,"sf":"2"},{"ph":"P","ts":2,"stack":["a","b\u0041"]},
{"ph":"B","ts":1,"name":"s","sf":1},{"ph":"E","ts":4,"esf":2},{"ph":"X","ts":5,"dur":1,"estack":["x"]}],
"stackFrames":{"1":{"name":"main","category":"app"},"2":{"name":"f","parent":"1","sourceLine":3},
"3":{"parent":4},"4":{"parent":3}}}"#,
    ),
    (
        "json profiles",
        r#"[{"ph":"P","name":"Profile","id":"0x1","pid":1,"tid":10,"ts":95,"args":{"data":{"startTime":90}}},
{"ph":"P","name":"ProfileChunk","id":"0x1","pid":1,"tid":11,"ts":200,"args":{"data":{"cpuProfile":{"nodes":[
{"id":1,"callFrame":{"functionName":"(root)"}},{"id":2,"parent":1,"callFrame":{"functionName":"main","url":"a"}}],
"samples":[2,1]},"timeDeltas":[10,5]}}}]"#,
    ),
    (
        "json system events",
        r##"{"systemTraceEvents":"# tracer: nop\n app-10 (10) [000] d..3 1.000000: sched_switch: prev_comm=app prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n app-10 (10) [001] ...1 1.000600: tracing_mark_write: C|10|c|5\n","traceEvents":[]}"##,
    ),
];

pub fn bases() -> Vec<Base> {
    TEXTS.iter().map(|(name, text)| plain(name, text.as_bytes().to_vec())).collect()
}
