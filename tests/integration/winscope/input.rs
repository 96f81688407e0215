//! Input events, and dumps of input methods.

use tpq_testkit::Message;

use super::{args, extension, float, import, lines, stat};

const INPUT_EVENT: u32 = 5;

#[test]
fn keys_and_motions() {
    let axis = float(Message::new().int(1, 0), 2, 12.5);
    let pointer = Message::new().message(1, axis).int(2, 4).int(3, 1);
    // Display -1 is written as 1.
    let motion = Message::new()
        .fixed32(1, 0xffff_fff0)
        .int(2, 5)
        .uint(3, 4098)
        .int(4, 2)
        .int(5, 6)
        .uint(6, 1)
        .message(9, pointer);
    let key = Message::new().fixed32(1, 9).uint(4, 257).int(5, 1).int(6, -1).uint(7, 4).int(8, 66);
    let dispatched = Message::new().int(1, 4);
    let dispatch = Message::new().fixed32(1, 9).int(2, 700).int(3, -3).message(4, dispatched);
    let trace = import([
        extension(10, INPUT_EVENT, Message::new().message(1, motion.clone())),
        extension(20, INPUT_EVENT, Message::new().message(2, motion)),
        extension(30, INPUT_EVENT, Message::new().message(3, key)),
        extension(40, INPUT_EVENT, Message::new().message(6, dispatch)),
        extension(50, INPUT_EVENT, Message::new()),
    ]);
    let sql = "SELECT event_id, ts, source, action, device_id, display_id, base64_proto_id \
        FROM __intrinsic_android_motion_events ORDER BY id";
    // The second has its private parts left out; here both have the same contents.
    assert_eq!(lines(&trace, sql), ["4294967280 10 4098 2 6 -1 0", "4294967280 20 4098 2 6 -1 0"]);
    let of_first: Vec<String> = args(&trace, "__intrinsic_android_motion_events");
    assert_eq!(
        of_first[..of_first.len() / 2],
        [
            "0 event_id = 4294967280",
            "0 event_time_nanos = 5",
            "0 source = 4098",
            "0 action = 2",
            "0 device_id = 6",
            "0 display_id = -1",
            "0 pointer[0].axis_value[0].axis = 0",
            "0 pointer[0].axis_value[0].value = 12.5",
            "0 pointer[0].pointer_id = 4",
            "0 pointer[0].tool_type = 1",
        ]
    );
    let sql = "SELECT event_id, ts, source, action, device_id, display_id, key_code \
        FROM __intrinsic_android_key_events";
    assert_eq!(lines(&trace, sql), ["9 30 257 1 -1 2 66"]);
    let sql = "SELECT event_id, vsync_id, window_id \
        FROM __intrinsic_android_input_event_dispatch";
    assert_eq!(lines(&trace, sql), ["9 700 -3"]);
    assert_eq!(stat(&trace, "android_input_event_parse_errors"), "0", "an event may be of no kind");
}

/// The module has views of the same rows.
#[test]
fn module_of_input() {
    let key = Message::new().fixed32(1, 9).int(8, 66);
    let trace = import([extension(30, INPUT_EVENT, Message::new().message(3, key))]);
    let sql = "INCLUDE PERFETTO MODULE android.input; \
        SELECT event_id, ts FROM android_key_events";
    assert_eq!(lines(&trace, sql), ["9 30"]);
}

#[test]
fn input_methods() {
    let clients = Message::new().fixed64(1, 5).bytes(2, "here");
    let trace = import([
        extension(10, 1, clients.clone()),
        extension(20, 2, clients.clone()),
        extension(30, 3, clients),
    ]);
    for (ts, what) in [(10, "clients"), (20, "service"), (30, "manager_service")] {
        let table = format!("__intrinsic_inputmethod_{what}");
        assert_eq!(trace.cell(&format!("SELECT ts FROM {table}")), ts.to_string());
        assert_eq!(args(&trace, &table), ["0 elapsed_realtime_nanos = 5", "0 where = here"]);
        let module = format!(
            "INCLUDE PERFETTO MODULE android.winscope.inputmethod; \
             SELECT count(*) FROM android_inputmethod_{what}"
        );
        assert_eq!(lines(&trace, &module), ["1"]);
        assert_eq!(stat(&trace, &format!("winscope_inputmethod_{what}_parse_errors")), "0");
    }
}
