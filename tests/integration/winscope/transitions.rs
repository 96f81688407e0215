//! Transitions between windows.

use tpq_testkit::{Message, Packet};

use super::{args, at, field, import, lines, stat};

fn transition(ts: u64, message: Message) -> Packet {
    at(ts).payload(field::SHELL_TRANSITION, message)
}

/// The shell and the window manager describe the transition 7 in turns. It begins where it was
/// created, and lasts from dispatch to finish.
#[test]
fn a_transition_of_several_packets() {
    let bounds = Message::new().int(1, 10).int(2, 20).int(3, 110).int(4, 220);
    let change = Message::new().int(1, 1).int(2, 33).int(3, 44).int(4, 5).int(5, 0).int(8, 1);
    let change = change.message(9, bounds.clone()).message(10, bounds);
    let trace = import([
        transition(100, Message::new().int(1, 7).int(2, 90).int(3, 95).int(13, 3).int(16, 64)),
        transition(110, Message::new().int(1, 8).int(4, 0).int(7, 104)),
        transition(
            130,
            Message::new().int(1, 7).int(4, 100).int(12, 2).uint(10, 55).message(14, change),
        ),
        transition(140, Message::new().int(1, 7).int(9, 128).uint(11, 56)),
        transition(150, Message::new().int(1, 9).int(5, 145).int(4, 144).int(9, 146)),
        transition(160, Message::new().int(1, 10).int(8, 158).int(4, 157)),
        at(170).payload(
            field::SHELL_HANDLERS,
            Message::new()
                .message(1, Message::new().int(1, 2).bytes(2, "DefaultHandler"))
                .message(1, Message::new().int(1, 3).bytes(2, "Pip")),
        ),
    ]);
    let sql = "SELECT transition_id, ts, transition_type, create_time_ns, send_time_ns, \
        dispatch_time_ns, finish_time_ns, duration_ns, status, handler, flags, \
        start_transaction_id, finish_transaction_id FROM window_manager_shell_transitions \
        ORDER BY id";
    assert_eq!(
        lines(&trace, sql),
        [
            "7 90 3 90 95 100 128 28 played 2 64 55 56",
            // A time of 0 is not set: it was not dispatched, so it can be aborted.
            "8 104 NULL NULL NULL 0 NULL NULL aborted NULL NULL NULL NULL",
            "9 144 NULL NULL NULL 144 146 NULL merged NULL NULL NULL NULL",
            "10 157 NULL NULL NULL 157 NULL NULL NULL NULL NULL NULL NULL",
        ]
    );
    let table = "window_manager_shell_transitions";
    let of_7: Vec<String> =
        args(&trace, table).into_iter().filter(|line| line.starts_with("0 ")).collect();
    assert_eq!(
        of_7,
        [
            "0 create_time_ns = 90",
            "0 send_time_ns = 95",
            "0 type = 3",
            "0 flags = 64",
            "0 dispatch_time_ns = 100",
            "0 handler = 2",
            "0 start_transaction_id = 55",
            "0 changes[0].mode = 1",
            "0 changes[0].layer_id = 33",
            "0 changes[0].window_id = 44",
            "0 changes[0].flags = 5",
            "0 changes[0].start_display_id = 0",
            "0 changes[0].end_rotation = 1",
            "0 changes[0].start_absolute_bounds.left = 10",
            "0 changes[0].start_absolute_bounds.top = 20",
            "0 changes[0].start_absolute_bounds.right = 110",
            "0 changes[0].start_absolute_bounds.bottom = 220",
            "0 changes[0].end_absolute_bounds.left = 10",
            "0 changes[0].end_absolute_bounds.top = 20",
            "0 changes[0].end_absolute_bounds.right = 110",
            "0 changes[0].end_absolute_bounds.bottom = 220",
            "0 id = 7",
            "0 finish_time_ns = 128",
            "0 finish_transaction_id = 56",
        ]
    );
    let participants = "INCLUDE PERFETTO MODULE android.winscope.transitions; \
        INCLUDE PERFETTO MODULE android.winscope.rect; \
        SELECT transition_id, layer_id, window_id, mode, flags, start_display_id, end_display_id, \
            start_rotation, end_rotation, x, y, w, h \
        FROM android_window_manager_shell_transition_participants \
        JOIN android_winscope_rect AS rect ON rect.id = start_abs_bounds_rect_id \
        WHERE start_abs_bounds_rect_id = end_abs_bounds_rect_id";
    assert_eq!(lines(&trace, participants), ["7 33 44 1 5 0 NULL NULL 1 10.0 20.0 100.0 200.0"]);
    let handlers = "SELECT handler_id, handler_name FROM window_manager_shell_transition_handlers";
    assert_eq!(lines(&trace, handlers), ["2 DefaultHandler", "3 Pip"]);
    let protos = "SELECT transition_id, count(DISTINCT base64_proto_id) \
        FROM __intrinsic_window_manager_shell_transition_protos GROUP BY 1 ORDER BY 1";
    assert_eq!(lines(&trace, protos), ["7 3", "8 1", "9 1", "10 1"]);
    assert_eq!(stat(&trace, "winscope_shell_transitions_parse_errors"), "0");
}

/// Fields that no descriptor describes are counted; the others are args.
#[test]
fn unknown_fields() {
    let trace = import([transition(10, Message::new().int(1, 1).int(500, 1).int(13, 2))]);
    let table = "window_manager_shell_transitions";
    assert_eq!(args(&trace, table), ["0 id = 1", "0 type = 2"]);
    assert_eq!(stat(&trace, "winscope_shell_transitions_parse_errors"), "1");
    assert_eq!(stat(&trace, "unknown_extension_fields"), "0");
}

/// A transition has some hundred args; messages that would give it thousands add none.
#[test]
fn args_of_a_transition_are_limited() {
    let changes = (0..1_500).fold(Message::new().int(1, 1), |message, layer| {
        message.message(14, Message::new().int(2, layer))
    });
    let trace = import([transition(10, changes.clone()), transition(20, changes)]);
    let count =
        "SELECT count(*) FROM window_manager_shell_transitions JOIN args USING (arg_set_id)";
    assert_eq!(trace.cell(count), "1501");
    assert_eq!(stat(&trace, "winscope_shell_transitions_parse_errors"), "1");
}
