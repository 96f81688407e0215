//! `std.*`

use tpq_testkit::{
    FtraceBundle, FtraceEvent, Message, NEEDS_STATE, Packet, STATE_CLEARED, SystemInfo,
    TraceBuilder,
};

use super::{APP, WORKER, empty, lines, scene};
use crate::imported::Imported;

/// A recording with this number in its UUID. What it has of the kernel begins at 500.
fn recorded(uuid: i64, system: Option<SystemInfo>) -> TraceBuilder {
    let bundle = FtraceBundle::new(0)
        .previous_end(500)
        .event(FtraceEvent::sched_switch(1_000, APP, 0, WORKER));
    let of_recorder = Packet::new().sequence(9);
    let trace = TraceBuilder::new()
        .packet(of_recorder.clone().trace_uuid(0, uuid))
        .packet(of_recorder.clone().ftrace(bundle));
    match system {
        Some(system) => trace.packet(of_recorder.system_info(system)),
        None => trace,
    }
}

const FIVE: &str = "00000000-0000-0000-0000-000000000005";

#[test]
fn facts_of_each_trace() {
    let sql = "SELECT trace_id, unique_session_name, trace_uuid, trace_type, trace_trigger, \
        machines FROM _metadata_by_trace";
    let known = Imported::trace(recorded(5, Some(SystemInfo::linux("6.1"))));
    assert_eq!(
        lines(&known, "std.traceinfo.trace", sql),
        [format!("0 NULL {FIVE} proto NULL Linux")]
    );
    let unknown = Imported::trace(recorded(5, None));
    assert_eq!(
        lines(&unknown, "std.traceinfo.trace", sql),
        [format!("0 NULL {FIVE} proto NULL Machine 0")]
    );
    let bytes = recorded(5, None).build();
    let size = format!("SELECT trace_size_bytes = {} FROM _metadata_by_trace", bytes.len());
    assert_eq!(lines(&Imported::file(bytes), "std.traceinfo.trace", &size), ["1"]);
}

#[test]
fn a_fact_of_the_first_trace() {
    let (first, second) = (recorded(5, None).build(), recorded(6, None).build());
    let trace = Imported::files(&[("first", first.as_slice()), ("second", second.as_slice())]);
    let sql = "SELECT name, str_value, int_value, key_type FROM _metadata_for_primary_scope \
        WHERE name = 'trace_uuid'";
    assert_eq!(
        lines(&trace, "std.traceinfo.metadata_for_primary_scope", sql),
        [format!("trace_uuid {FIVE} NULL single")]
    );
}

#[test]
fn threads_with_their_processes() {
    let sql = "SELECT tid, thread_name, is_main_thread, pid, process_name \
        FROM _thread_with_process WHERE tid IN (100, 101) ORDER BY tid";
    assert_eq!(
        lines(&scene(&[]), "std.thread.with_context", sql),
        ["100 app 1 100 /bin/app", "101 worker 0 100 /bin/app"]
    );
}

#[test]
fn contexts_of_the_gpu() {
    let sql = "SELECT context_id, pid, api FROM gpu_context ORDER BY id";
    assert!(lines(&empty(), "std.gpu.context", sql).is_empty());
    let context = |id, pid, api| Message::new().uint(1, id).uint(2, pid).uint(3, api);
    let contexts = Message::new().message(23, context(1, 7, 2)).message(23, context(2, 8, 4));
    let stage = |at, context| {
        let stage = Message::new().uint(5, context);
        Packet::new().sequence(1).flags(NEEDS_STATE).timestamp(at).payload(53, stage)
    };
    let trace = TraceBuilder::new()
        .packet(Packet::new().sequence(1).flags(STATE_CLEARED).payload(12, contexts))
        .packets([stage(10, 2), stage(20, 1), stage(30, 2)]);
    // Once each, in the order in which they are used.
    assert_eq!(lines(&Imported::trace(trace), "std.gpu.context", sql), ["2 8 CUDA", "1 7 VULKAN"]);
}

#[test]
fn trees_and_tables() {
    let nodes = "(SELECT column1 AS id, column2 AS parent_id, column3 AS name \
        FROM (VALUES (5, NULL, 'a'), (7, 5, 'b'), (9, 7, 'c')))";
    let sql = format!("SELECT * FROM _tree_to_table!(_tree_from_table!({nodes}, (name)), (name))");
    assert_eq!(
        lines(&empty(), "std.trees.table_conversion", &sql),
        ["0 NULL 5 NULL a", "1 0 7 5 b", "2 1 9 7 c"]
    );
}
