//! Traces of PyTorch's profiler (Kineto): operators of threads, kernels of streams of a GPU, and
//! arrows between them. Processes and threads may be words.

use super::STATS;
use crate::imported::Imported;

const TRACE: &str = r#"{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"GPU"}],
"displayTimeUnit":"ms","baseTimeNanoseconds":1700000000000000000,"traceEvents":[
{"ph":"X","cat":"cpu_op","name":"aten::add","pid":100,"tid":101,"ts":10.500,"dur":20.250,
 "args":{"External id":1,"Input Dims":[[2,3],[]]}},
{"ph":"X","cat":"kernel","name":"add_kernel","pid":0,"tid":7,"ts":25.001,"dur":4.002,
 "args":{"stream":7,"correlation":5}},
{"ph":"s","id":5,"pid":100,"tid":101,"ts":12,"cat":"ac2g","name":"ac2g"},
{"ph":"f","id":5,"pid":0,"tid":7,"ts":25.001,"cat":"ac2g","name":"ac2g","bp":"e"},
{"name":"process_name","ph":"M","ts":10,"pid":100,"tid":0,"args":{"name":"python"}},
{"name":"thread_name","ph":"M","ts":10,"pid":0,"tid":7,"args":{"name":"stream 7"}},
{"ph":"X","cat":"Trace","ts":5,"dur":100,"pid":"Spans","tid":"PyTorch Profiler","name":"all"},
{"ph":"i","s":"t","name":"[memory]","pid":100,"tid":101,"ts":13,"args":{"Bytes":512}},
{"name":"Record Window End","ph":"i","s":"g","pid":"","tid":"","ts":105}
]}"#;

#[test]
fn operators_and_kernels() {
    let trace = Imported::file(TRACE);
    let slices = "SELECT ts, dur, s.name, thread.name, process.name FROM slice s \
        LEFT JOIN thread_track t ON t.id = s.track_id LEFT JOIN thread USING (utid) \
        LEFT JOIN process USING (upid) ORDER BY ts";
    assert_eq!(
        trace.cells(slices),
        [
            ["5000", "100000", "all", "PyTorch Profiler", "Spans"],
            ["10500", "20250", "aten::add", "NULL", "python"],
            ["13000", "0", "[memory]", "NULL", "python"],
            ["25001", "4002", "add_kernel", "stream 7", "NULL"],
            ["105000", "0", "Record Window End", "NULL", "NULL"],
        ]
    );
    let flows = "SELECT o.name, i.name FROM flow JOIN slice o ON o.id = slice_out \
        JOIN slice i ON i.id = slice_in";
    assert_eq!(trace.cells(flows), [["aten::add", "add_kernel"]]);
    let args = "SELECT key, int_value FROM slice JOIN args USING (arg_set_id) \
        WHERE slice.name = 'aten::add' ORDER BY key";
    assert_eq!(
        trace.cells(args),
        [["args.External id", "1"], ["args.Input Dims[0][0]", "2"], ["args.Input Dims[0][1]", "3"]]
    );
    assert_eq!(trace.cells(STATS), [["json_display_time_unit", "1"]]);
}
