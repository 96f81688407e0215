//! Call stacks of Java code, with the part that Android's runtime has in them.

use tpq_testkit::Message;

use super::{
    PERF_SAMPLE, begin, callstack, frame, interned, later, mapping, perf_sample, string, trace,
};

/// Frames, the outermost first: function and file.
const STACK: [(&str, &str); 8] = [
    ("main", "app_process64"),
    ("art::Thread::Run", "libart.so"),
    ("Main.run", "boot.oat"),
    ("art_jni_trampoline", "boot.oat"),
    ("art::Method_invoke", "libart.so"),
    ("ExecuteNterpImpl", "libart.so"),
    ("art::Alloc", "libart.so"),
    ("malloc", "libc.so"),
];

#[test]
fn frames_of_the_runtime_are_marked() {
    let mut data = Message::new();
    for (iid, (function, file)) in (1..).zip(STACK) {
        data = data
            .message(interned::MAPPING_PATHS, string(iid, file))
            .message(interned::MAPPINGS, mapping(iid, (0x1000 * iid, 0x1000 * (iid + 1)), [iid]))
            .message(interned::FUNCTION_NAMES, string(iid, function))
            .message(interned::FRAMES, frame(iid, iid, iid, 0x10));
    }
    let data = data.message(interned::CALLSTACKS, callstack(1, 1..=8));
    let sample = later(10, 1).payload(PERF_SAMPLE, perf_sample(0, (100, 101), 1));
    let trace = trace([begin(1, data, Message::new()), sample]);
    let sql = "SELECT stack.id, depth, parent_id AS parent, frame.name, annotation \
        FROM experimental_annotated_callstack((SELECT callsite_id FROM perf_sample)) AS stack \
        JOIN stack_profile_frame AS frame ON frame.id = frame_id ORDER BY depth DESC";
    insta::assert_snapshot!(trace.rows(sql), @r"
    id  depth  parent  name                annotation
    7   7      6       malloc              NULL
    6   6      5       art::Alloc          common-frame
    5   5      4       ExecuteNterpImpl    common-frame-interp
    4   4      3       art::Method_invoke  NULL
    3   3      2       art_jni_trampoline  common-frame
    2   2      1       Main.run            aot
    1   1      0       art::Thread::Run    NULL
    0   0      NULL    main                NULL
    ");
    let order = "SELECT group_concat(depth) FROM experimental_annotated_callstack(3)";
    assert_eq!(trace.cell(order), "3,2,1,0");
    assert_eq!(trace.cell("SELECT count(*) FROM experimental_annotated_callstack(NULL)"), "0");
}
