//! Typed fields of track events.

use tpq_testkit::{Message, Packet};

use super::{ARGS, COUNTS, args, event, event_with, field, lines, packets};
use crate::imported::WRITER;

fn message() -> Message {
    Message::new()
}

#[test]
fn fields_of_every_kind() {
    let annotator = message().uint(1, 7).uint(2, 1500).uint(3, 2);
    assert_eq!(
        args(message().message(field::CHROME_TASK_ANNOTATOR, annotator)),
        [
            "chrome_task_annotator.ipc_hash uint 7",
            "chrome_task_annotator.task_delay_us uint 1500",
            "chrome_task_annotator.delay_policy string PRECISE",
        ]
    );
    let deltas = message().int(1, -3).fixed32(2, 1.5f32.to_bits()).uint(15, 1).int(9, -2);
    assert_eq!(
        args(message().message(field::SCROLL_DELTAS, deltas)),
        [
            "scroll_deltas.trace_id int -3",
            "scroll_deltas.original_delta_x real 1.5",
            "scroll_deltas.did_overscroll_root bool 1",
            "scroll_deltas.event_count_in_gpu_frame int -2",
        ]
    );
    let user = message().bytes(1, "Back").uint(2, u64::MAX);
    assert_eq!(
        args(message().message(field::CHROME_USER_EVENT, user)),
        ["chrome_user_event.action string Back", "chrome_user_event.action_hash uint -1"]
    );
    let screenshot = message().bytes(1, [0xff, 0xd8, 0xff, 0xe0]);
    assert_eq!(
        args(message().message(field::SCREENSHOT, screenshot)),
        ["screenshot.jpg_image string /9j/4A=="]
    );
}

#[test]
fn a_value_of_an_enum_that_has_no_name_is_its_number() {
    let annotator = message().uint(3, 99);
    assert_eq!(
        args(message().message(field::CHROME_TASK_ANNOTATOR, annotator)),
        ["chrome_task_annotator.delay_policy string 99"]
    );
}

#[test]
fn repeated_fields_are_numbered_whether_packed_or_not() {
    let floats = [0.5f32, 2.0].map(f32::to_le_bytes).concat();
    let deltas = message().int(10, 4).packed(10, [5, 6]).int(10, 7).bytes(13, floats);
    assert_eq!(
        args(message().message(field::SCROLL_DELTAS, deltas)),
        [
            "scroll_deltas.trace_ids_in_gpu_frame[0] int 4 of scroll_deltas.trace_ids_in_gpu_frame",
            "scroll_deltas.trace_ids_in_gpu_frame[1] int 5 of scroll_deltas.trace_ids_in_gpu_frame",
            "scroll_deltas.trace_ids_in_gpu_frame[2] int 6 of scroll_deltas.trace_ids_in_gpu_frame",
            "scroll_deltas.trace_ids_in_gpu_frame[3] int 7 of scroll_deltas.trace_ids_in_gpu_frame",
            "scroll_deltas.segregated_original_deltas_in_gpu_frame_y[0] real 0.5 of \
             scroll_deltas.segregated_original_deltas_in_gpu_frame_y",
            "scroll_deltas.segregated_original_deltas_in_gpu_frame_y[1] real 2.0 of \
             scroll_deltas.segregated_original_deltas_in_gpu_frame_y",
        ]
    );
}

#[test]
fn an_empty_message_is_there_and_has_no_value() {
    // A frame's parent, which has one too.
    let frame = message().message(8, message().message(8, message()).bytes(4, "a.example"));
    assert_eq!(
        args(message().message(field::FRAME_TREE_NODE_INFO, message().message(4, frame))),
        [
            "frame_tree_node_info.current_frame_host.parent.parent null NULL",
            "frame_tree_node_info.current_frame_host.parent.origin string a.example",
        ]
    );
}

#[test]
fn annotations_in_a_message_go_by_their_own_names() {
    let annotation = message().bytes(10, "why").bytes(6, "because");
    let node = message().uint(1, 3).message(99, annotation);
    assert_eq!(
        args(message().message(field::FRAME_TREE_NODE_INFO, node)),
        [
            "frame_tree_node_info.frame_tree_node_id uint 3",
            "frame_tree_node_info.why string because",
        ]
    );
}

#[test]
fn places_in_source_code_are_looked_up() {
    let location = message().uint(1, 5).bytes(2, "src\\a.cc").bytes(3, "Run").uint(4, 12);
    let interned = message().message(4, location);
    let fields = message()
        .message(field::TASK_EXECUTION, message().uint(1, 5))
        .uint(field::SOURCE_LOCATION_IID, 5);
    let trace = packets([event_with(10, interned, fields)]);
    assert_eq!(
        lines(&trace, ARGS),
        [
            "task.posted_from.file_name string src/a.cc",
            "task.posted_from.function_name string Run",
            "task.posted_from.line_number uint 12",
            "source.file_name string src/a.cc",
            "source.function_name string Run",
            "source.line_number uint 12",
            "source_location_iid uint 5",
        ]
    );
    assert!(lines(&trace, COUNTS).is_empty());
}

#[test]
fn missing_interned_data_is_counted() {
    let fields = message()
        .message(field::TASK_EXECUTION, message().uint(1, 5))
        .message(field::CHROME_HISTOGRAM_SAMPLE, message().uint(4, 1).int(3, 20));
    let trace = packets([event(10, fields)]);
    assert_eq!(
        lines(&trace, ARGS),
        ["chrome_histogram_sample.name_iid uint 1", "chrome_histogram_sample.sample int 20",]
    );
    assert_eq!(
        lines(&trace, COUNTS),
        ["interned_data_tokenizer_errors 2", "track_event_parser_errors 2"]
    );
}

#[test]
fn names_of_histograms_and_places_in_machine_code() {
    let symbol = message().uint(1, 8).uint(2, 1).uint(3, 0x40);
    let mapping = message().uint(1, 1).uint(2, 6).uint(4, 0x1000).uint(5, 0x2000);
    let mapping = mapping.uint(8, 0x10).uint(7, 2).uint(7, 3);
    let text = |iid, text: &[u8]| message().uint(1, iid).bytes(2, text);
    let interned = message()
        .message(16, text(6, b"\x01\xab"))
        .message(17, text(2, b"lib"))
        .message(17, text(3, b"libchrome.so"))
        .message(19, mapping)
        .message(25, text(1, b"Load"))
        .message(28, symbol);
    let fields = message()
        .message(field::CHROME_HISTOGRAM_SAMPLE, message().uint(4, 1).int(3, 20))
        .message(field::CHROME_MOJO_EVENT_INFO, message().uint(4, 8).uint(6, 16));
    let trace = packets([event_with(10, interned, fields)]);
    assert_eq!(
        lines(&trace, ARGS),
        [
            "chrome_histogram_sample.name string Load",
            "chrome_histogram_sample.name_iid uint 1",
            "chrome_histogram_sample.sample int 20",
            "chrome_mojo_event_info.mojo_interface_method.native_symbol.mapping_id uint 0",
            "chrome_mojo_event_info.mojo_interface_method.native_symbol.rel_pc uint 64",
            "chrome_mojo_event_info.payload_size uint 16",
        ]
    );
    let mappings = "SELECT build_id, exact_offset, start, \"end\", name FROM stack_profile_mapping";
    assert_eq!(trace.cells(mappings), [["01ab", "16", "4096", "8192", "/lib/libchrome.so"]]);
}

/// The symbols of the binary come last. The last of two functions at an address is the one that the
/// other was inlined into; the second event has an address without a function.
#[test]
fn symbols_name_methods_of_mojo() {
    let symbol = |iid, address| message().uint(1, iid).uint(2, 1).uint(3, address);
    let text = |iid, text: &[u8]| message().uint(1, iid).bytes(2, text);
    let interned = message()
        .message(16, text(6, b"\x01\xab"))
        .message(17, text(2, b"libchrome.so"))
        .message(19, message().uint(1, 1).uint(2, 6).uint(7, 2))
        .message(28, symbol(8, 0x40))
        .message(28, symbol(9, 0x50));
    let call = |method| message().message(field::CHROME_MOJO_EVENT_INFO, message().uint(4, method));
    let line = |function: &str| message().bytes(1, function);
    let address = message()
        .uint(1, 0x40)
        .message(2, line("Inlined"))
        .message(2, line("blink::mojom::WidgetHost::SetCursor_Sym::IPCStableHash()"));
    let symbols = message().bytes(1, "libchrome.so").bytes(2, b"\x01\xab").message(3, address);
    let module = Packet::new().sequence(WRITER).payload(field::MODULE_SYMBOLS, symbols);
    let trace = packets([event_with(10, interned, call(8)), event(11, call(9)).flags(2), module]);
    assert_eq!(
        lines(&trace, ARGS),
        [
            "chrome_mojo_event_info.mojo_method_name string blink::mojom::WidgetHost::SetCursor",
            "chrome_mojo_event_info.mojo_interface_tag string blink.mojom.WidgetHost",
            "chrome_mojo_event_info.mojo_interface_method.native_symbol.mapping_id uint 0",
            "chrome_mojo_event_info.mojo_interface_method.native_symbol.rel_pc uint 80",
        ]
    );
}

#[test]
fn messages_that_were_logged_are_in_the_log() {
    let body = message().uint(1, 3).bytes(2, "it failed");
    let location = message().uint(1, 5).bytes(2, "a.cc").bytes(3, "Run").uint(4, 12);
    let interned = message().message(20, body).message(4, location);
    let log = message().uint(1, 5).uint(2, 3).uint(3, 6);
    let trace = packets([event_with(10, interned, message().message(field::LOG_MESSAGE, log))]);
    assert_eq!(
        lines(&trace, ARGS),
        [
            "track_event.log_message string it failed",
            "track_event.log_message.file_name string a.cc",
            "track_event.log_message.function_name string Run",
            "track_event.log_message.line_number int 12",
            "track_event.priority int 6",
        ]
    );
    assert_eq!(trace.cell("SELECT name FROM slice"), "log message");
    assert_eq!(
        trace.rows("SELECT ts, tid, prio, tag, msg FROM android_logs JOIN thread USING (utid)"),
        "\
ts  tid  prio  tag      msg
10  101  6     a.cc:12  it failed
"
    );
}

#[test]
fn processes_that_are_active_are_known() {
    let fields = message()
        .message(field::CHROME_ACTIVE_PROCESSES, message().int(1, 300))
        .message(field::ACTIVE_PROCESSES, message().int(1, 301));
    let trace = packets([event(10, fields)]);
    assert_eq!(
        lines(&trace, ARGS),
        [
            "chrome_active_processes.pid[0] int 300 of chrome_active_processes.pid",
            "active_processes.pid[0] int 301 of active_processes.pid",
        ]
    );
    assert_eq!(
        lines(&trace, "SELECT cast(pid AS VARCHAR) FROM process WHERE pid >= 300 ORDER BY pid"),
        ["300", "301"]
    );
}

/// Processes describe themselves at about the time when the browser names them.
#[test]
fn processes_without_descriptors_miss_data() {
    const SECOND: u64 = 1_000_000_000;
    let named = |at: u64, pids: &[i64]| {
        let all = pids.iter().fold(message(), |all, &pid| all.int(1, pid));
        event(at * SECOND, message().message(field::CHROME_ACTIVE_PROCESSES, all))
    };
    let described = |at: u64, pid: i64| {
        let process = message().int(1, pid);
        Packet::new().sequence(WRITER).timestamp(at).payload(43, process)
    };
    let trace = packets([
        named(10, &[300, 301, 302]),
        described(10 * SECOND - 1, 300),
        described(12 * SECOND, 301),
        named(20, &[300]),
        described(20 * SECOND + 200_000_000, 300),
        described(20 * SECOND, 303),
    ]);
    assert_eq!(
        trace.rows(
            "SELECT pid, reliable_from FROM experimental_missing_chrome_processes \
             JOIN process USING (upid) ORDER BY pid"
        ),
        "\
pid  reliable_from
301  12000000000
302  20000000000
"
    );
}

#[test]
fn related_events_have_a_common_id() {
    let by_number = event(10, message().uint(field::CORRELATION_ID, 77));
    let by_text = event(20, message().bytes(field::CORRELATION_ID + 1, "job"));
    let interned = message().message(43, message().uint(1, 2).bytes(2, "batch"));
    let by_iid = event_with(30, interned, message().uint(field::CORRELATION_ID + 2, 2));
    assert_eq!(
        lines(&packets([by_number, by_text, by_iid]), ARGS),
        [
            "correlation_id string tp:#77",
            "correlation_id string job",
            "correlation_id string batch"
        ]
    );
}
