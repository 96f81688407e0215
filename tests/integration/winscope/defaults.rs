//! The fields of recorded messages with the default values of those that they leave out.

use tpq_testkit::{Message, Packet};

use super::{at, at_with_state, extension, field, float, import, interned, lines, stat};
use crate::imported::Imported;
use crate::rows::query;

const INPUT_EVENT: u32 = 5;
const WINDOW_MANAGER: u32 = 6;

/// The fields of the messages of a table: the number of the message, the key and the value.
fn fields(trace: &Imported, table: &str) -> Vec<String> {
    let sql = format!(
        "SELECT base64_proto_id, key || ' =', \
            coalesce(int_value || '', real_value || '', string_value, 'NULL'), value_type \
         FROM __intrinsic_winscope_proto_to_args_with_defaults('{table}') ORDER BY id"
    );
    lines(trace, &sql)
}

/// A key that three events share with one message, and another. Each message is there once, with
/// all fields that a key can have.
#[test]
fn a_message_has_all_fields_of_its_type() {
    let key =
        |ts, key: &Message| extension(ts, INPUT_EVENT, Message::new().message(3, key.clone()));
    let first = Message::new().fixed32(1, 9).uint(7, 3).int(8, 66);
    let second = Message::new().int(5, -1);
    let trace = import([key(10, &first), key(20, &second), key(30, &first)]);
    let expected = [
        "0 event_id = 9 uint",
        "0 event_time_nanos = 0 int",
        "0 down_time_nanos = 0 int",
        "0 source = 0 uint",
        "0 action = 0 int",
        "0 device_id = 0 int",
        // Written as 3, which stands for -2.
        "0 display_id = -2 int",
        "0 key_code = 66 int",
        "0 scan_code = 0 uint",
        "0 meta_state = 0 uint",
        "0 repeat_count = 0 int",
        "0 flags = 0 uint",
        "0 policy_flags = 0 uint",
    ];
    let all = fields(&trace, "__intrinsic_android_key_events");
    assert_eq!(all.len(), 26);
    assert_eq!(all[..13], expected);
    let set: Vec<&String> = all[13..].iter().filter(|line| !line.contains(" = 0 ")).collect();
    assert_eq!(set, ["1 action = -1 int"]);
    assert_eq!(fields(&trace, "android_key_events"), all, "by its public name");
    let names = "SELECT DISTINCT table_name, flat_key = key \
        FROM __intrinsic_winscope_proto_to_args_with_defaults('android_key_events')";
    assert_eq!(lines(&trace, names), ["android_key_events 1"]);
}

/// Rows of a table join with the fields of their messages.
#[test]
fn messages_join_with_their_rows() {
    let clients = Message::new().fixed64(1, 5);
    let trace = import([
        extension(10, 1, clients.clone().bytes(2, "here")),
        extension(20, 1, clients.message(3, Message::new())),
    ]);
    let sql = "SELECT ts, key, string_value, value_type FROM __intrinsic_inputmethod_clients \
        JOIN __intrinsic_winscope_proto_to_args_with_defaults('__intrinsic_inputmethod_clients') \
            AS fields USING (base64_proto_id) \
        WHERE key <> 'elapsed_realtime_nanos' ORDER BY ts, fields.id";
    assert_eq!(
        lines(&trace, sql),
        [
            "10 where here string",
            "10 client NULL null",
            "20 where NULL null",
            // It is there, and empty.
            "20 client NULL null",
        ]
    );
}

/// The messages of a transition count as one. A change in them has all fields of a change.
#[test]
fn messages_of_a_transition() {
    let packet = |ts, message| -> Packet { at(ts).payload(field::SHELL_TRANSITION, message) };
    let bounds = Message::new().int(1, 10).int(3, 110);
    let changes = [Message::new().int(2, 33), Message::new().message(10, bounds)];
    let [first, second] = changes;
    let trace = import([
        packet(10, Message::new().int(1, 7).int(2, 90).int(13, 1)),
        packet(20, Message::new().int(1, 8)),
        packet(30, Message::new().int(1, 7).int(13, 3).message(14, first).message(14, second)),
    ]);
    let all = fields(&trace, "window_manager_shell_transition_protos");
    let of_7: Vec<&str> =
        all.iter().map(String::as_str).filter(|line| line.starts_with("2 ")).collect();
    let set: Vec<&str> = of_7.iter().copied().filter(|line| !line.contains(" = 0 int")).collect();
    assert_eq!(
        set,
        [
            "2 id = 7 int",
            "2 create_time_ns = 90 int",
            "2 start_transaction_id = 0 uint",
            "2 finish_transaction_id = 0 uint",
            // The later message says so.
            "2 type = 3 int",
            "2 changes[0].layer_id = 33 int",
            "2 changes[0].start_absolute_bounds = NULL null",
            "2 changes[0].end_absolute_bounds = NULL null",
            "2 changes[1].start_absolute_bounds = NULL null",
            "2 changes[1].end_absolute_bounds.left = 10 int",
            "2 changes[1].end_absolute_bounds.right = 110 int",
        ]
    );
    // 16 fields without changes; 10 of the first change; 9 and 4 of the second.
    assert_eq!(of_7.len(), 16 + 10 + 9 + 4);
    let of_8: Vec<&String> = all.iter().filter(|line| line.starts_with("1 ")).collect();
    assert_eq!(of_8.len(), 17);
    assert!(of_8.iter().any(|line| *line == "1 changes = NULL null"));
    assert_eq!(all.len(), of_7.len() + of_8.len());
    let keys = "SELECT DISTINCT flat_key \
        FROM __intrinsic_winscope_proto_to_args_with_defaults('window_manager_shell_transition_protos') \
        WHERE key LIKE 'changes[%].end_absolute_bounds.left'";
    assert_eq!(lines(&trace, keys), ["changes.end_absolute_bounds.left"]);
}

/// Snapshots have no fields for what has rows of its own. Enums have the names of their values,
/// and interned texts are under their names.
#[test]
fn snapshots_and_their_parts() {
    const CLASSES: u32 = 41;
    let view = Message::new().int(1, 1).int(2, -1).int(5, 1);
    let capture = Message::new().message(3, float(view, 16, 0.5));
    let layers = Message::new().message(1, Message::new().int(1, 1).packed(3, [2, 3]));
    let snapshot = Message::new().bytes(2, "where").message(3, layers);
    let trace = import([
        interned(&[(CLASSES, 1, "DecorView")]),
        at_with_state(10).payload(field::EXTENSIONS, Message::new().message(4, capture)),
        at(20).payload(field::LAYERS_SNAPSHOT, snapshot),
    ]);
    assert_eq!(
        fields(&trace, "viewcapture"),
        ["0 package_name_iid = 0 int", "0 window_name_iid = 0 int"]
    );
    let of_view = fields(&trace, "viewcapture_view");
    assert_eq!(of_view.len(), 22);
    assert_eq!(of_view[3..5], ["1 view_id_iid = 0 int", "1 class_name = DecorView string"]);
    assert!(of_view.contains(&"1 alpha = 0.5 real".to_owned()), "{of_view:?}");
    assert_eq!(
        fields(&trace, "surfaceflinger_layers_snapshot"),
        [
            "2 elapsed_realtime_nanos = 0 int",
            "2 where = where string",
            "2 hwc_blob = NULL null",
            "2 excludes_composition_state = 0 bool",
            "2 missed_entries = 0 uint",
            "2 displays = NULL null",
            "2 vsync_id = 0 int",
        ]
    );
    let of_layer = fields(&trace, "surfaceflinger_layer");
    assert_eq!(
        of_layer[..5],
        [
            "3 id = 1 int",
            "3 name = NULL null",
            "3 children[0] = 2 int",
            "3 children[1] = 3 int",
            "3 relatives = NULL null",
        ]
    );
    let composition = "3 hwc_composition_type = HWC_TYPE_UNSPECIFIED string";
    assert!(of_layer.contains(&composition.to_owned()), "{of_layer:?}");
    assert!(!of_layer.iter().any(|line| line.contains("visibility_reason")));
    assert_eq!(stat(&trace, "winscope_viewcapture_parse_errors"), "0");
}

/// A container has the fields of its kind alone, and the root has none.
#[test]
fn containers_of_windows() {
    let holder = |token: i64, title: &str| {
        Message::new().message(6, Message::new().int(1, token).bytes(3, title))
    };
    let fragment = Message::new().message(1, holder(2, "fragment")).int(4, 50);
    let root = holder(1, "root").message(5, Message::new().message(9, fragment));
    let service = Message::new().message(2, Message::new().message(1, root));
    let entry = Message::new().fixed64(1, 5).message(3, service);
    let trace = import([extension(10, WINDOW_MANAGER, entry)]);
    let keys: Vec<String> = fields(&trace, "windowmanager_windowcontainer")
        .into_iter()
        .filter_map(|line| Some(line.strip_prefix("2 task_fragment.")?.to_owned()))
        .collect();
    assert_eq!(
        keys,
        [
            "window_container.configuration_container = NULL null",
            "window_container.orientation = 0 int",
            "window_container.visible = 0 bool",
            "window_container.surface_animator = NULL null",
            "window_container.children = NULL null",
            "window_container.identifier.hash_code = 2 int",
            "window_container.identifier.user_id = 0 int",
            "window_container.identifier.title = fragment string",
            "window_container.surface_control = NULL null",
            "window_container.visible_requested = 0 bool",
            "window_container.child_tokens = NULL null",
            "display_id = 0 int",
            "activity_type = 0 int",
            "min_width = 50 int",
            "min_height = 0 int",
        ]
    );
    assert_eq!(fields(&trace, "windowmanager_windowcontainer").len(), keys.len());
    assert_eq!(
        fields(&trace, "windowmanager")[..2],
        ["0 elapsed_realtime_nanos = 5 uint", "0 where = NULL null"]
    );
}

/// A table without recorded messages is an error; a table without rows is not.
#[test]
fn tables_of_other_rows() {
    let trace = import([at(10).payload(field::SHELL_TRANSITION, Message::new().int(1, 1))]);
    let count = "SELECT count(*) FROM __intrinsic_winscope_proto_to_args_with_defaults";
    assert_eq!(trace.cell(&format!("{count}('windowmanager')")), "0");
    assert_eq!(trace.cell(&format!("{count}(NULL)")), "0");
    let slices = format!("{count}('slice')");
    let error = trace.with_trace(async |trace| query(trace, &slices).await.unwrap_err());
    assert!(error.contains("'slice' is not a table of recorded messages"), "{error}");
}
