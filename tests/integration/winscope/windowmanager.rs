//! Snapshots of the window manager.

use tpq_testkit::Message;

use super::{args, extension, float, import, lines, stat};
use crate::imported::Imported;

const WINDOW_MANAGER: u32 = 6;
const CONTAINERS: &str = "INCLUDE PERFETTO MODULE android.winscope.windowmanager; \
    SELECT container_type, title, token, parent_token, child_index, is_visible, name_override \
    FROM android_windowmanager_windowcontainer ORDER BY id";
const RECTS: &str = "SELECT token, group_id, depth, drawn.is_visible, opacity, x, y, w, h \
    FROM windowmanager_windowcontainer \
    JOIN __intrinsic_winscope_trace_rect AS drawn ON drawn.id = window_rect_id \
    JOIN __intrinsic_winscope_rect AS rect ON rect.id = rect_id ORDER BY depth";

/// A `WindowContainerProto` with an identifier.
fn holder(token: i64, title: &str) -> Message {
    Message::new().uint(3, 1).message(6, Message::new().int(1, token).bytes(3, title))
}

/// A child of a container, which is of the kind with this field.
fn child(holder: Message, kind: u32, container: Message) -> Message {
    holder.message(5, Message::new().message(kind, container))
}

fn import_service(service: Message) -> Imported {
    let entry = Message::new().fixed64(1, 5).bytes(2, "trace.enable").message(3, service);
    import([extension(10, WINDOW_MANAGER, entry)])
}

fn window(token: i64, title: &str) -> Message {
    let frame = Message::new().int(1, 1).int(2, 2).int(3, 11).int(4, 22);
    Message::new()
        .message(1, holder(token, title))
        .message(5, float(Message::new(), 12, 0.5))
        .uint(38, 1)
        .message(41, Message::new().message(5, frame))
}

fn display(area: Message) -> Message {
    let info = Message::new().int(1, 100).int(2, 200).bytes(5, "Built-in");
    Message::new().int(2, 3).message(10, info).message(21, Message::new().message(1, area))
}

/// Each kind of container, within each other: a display, an area, a task, a fragment, an activity
/// and a window; and a token with a window beside the task.
#[test]
fn a_tree_of_containers() {
    let token = Message::new()
        .message(1, child(holder(0, ""), 8, window(16, "Waiting For Debugger: app")))
        .int(2, 255);
    let activity = Message::new()
        .bytes(1, "MainActivity")
        .message(
            2,
            Message::new()
                .message(1, child(holder(0, ""), 8, window(15, "Starting app")))
                .int(2, 14),
        )
        .uint(24, 1);
    let fragment = Message::new().message(1, child(holder(13, "fragment"), 6, activity));
    let task_holder = child(holder(12, "task"), 9, fragment);
    let task = Message::new().message(1, task_holder).int(2, 7).bytes(32, "Mail");
    let area = child(child(holder(11, "unused"), 5, task), 7, token);
    let area = Message::new().message(1, area).bytes(2, "area");
    let display = display(child(holder(10, "unused"), 4, area));
    let plain = Message::new().message(6, Message::new().int(1, 9).bytes(3, "plain"));
    let root = child(child(holder(1, "root"), 3, display), 2, plain);
    let trace =
        import_service(Message::new().message(2, Message::new().message(1, root)).int(9, 3));
    assert_eq!(
        lines(&trace, CONTAINERS),
        [
            "RootWindowContainer root 1 NULL NULL 1 NULL",
            "DisplayContent Built-in 10 1 0 1 NULL",
            "DisplayArea area 11 10 0 1 NULL",
            "Task task 12 11 0 1 7(Mail)",
            "TaskFragment fragment 13 12 0 1 NULL",
            "Activity MainActivity 14 13 0 1 NULL",
            "WindowState Starting app 15 14 0 1 app",
            "WindowToken 0xff 255 11 1 1 NULL",
            "WindowState Waiting For Debugger: app 16 255 0 1 app",
            "WindowContainer plain 9 1 1 0 NULL",
        ]
    );
    assert_eq!(
        lines(&trace, RECTS),
        [
            "10 3 0 0 NULL 0.0 0.0 100.0 200.0",
            "15 3 1 1 0.5 1.0 2.0 10.0 20.0",
            "16 3 2 1 0.5 1.0 2.0 10.0 20.0",
        ]
    );
    let sql = "SELECT ts, focused_display_id, has_invalid_elapsed_ts FROM windowmanager";
    assert_eq!(lines(&trace, sql), ["10 3 0"]);
    assert_eq!(
        args(&trace, "windowmanager"),
        [
            "0 elapsed_realtime_nanos = 5",
            "0 where = trace.enable",
            "0 window_manager_service.focused_display_id = 3",
        ],
        "containers have rows of their own"
    );
    let of_task: Vec<String> = args(&trace, "windowmanager_windowcontainer")
        .into_iter()
        .filter(|line| line.starts_with("3 "))
        .collect();
    assert_eq!(
        of_task,
        [
            "3 task.window_container.visible = true",
            "3 task.window_container.identifier.hash_code = 12",
            "3 task.window_container.identifier.title = task",
            "3 task.id = 7",
            "3 task.task_name = Mail",
        ],
        "and so have its children"
    );
    assert_eq!(stat(&trace, "winscope_windowmanager_parse_errors"), "0");
}

/// Newer systems write the containers side by side; each names its children.
#[test]
fn a_list_of_containers() {
    let in_list = |kind, token: i64, container: Message| {
        Message::new().message(kind, container).int(10, token)
    };
    let service = Message::new()
        .message(2, Message::new().message(1, holder(1, "root").int(9, 10)))
        .message(14, in_list(3, 10, display(holder(10, "").packed(9, [12, 11]))))
        .message(14, in_list(8, 11, window(11, "window")))
        .message(14, in_list(2, 12, holder(12, "plain")))
        .message(14, in_list(2, 13, holder(13, "of nobody")));
    let trace = import_service(service);
    assert_eq!(
        lines(&trace, CONTAINERS),
        [
            "RootWindowContainer root 1 NULL NULL 1 NULL",
            "DisplayContent Built-in 10 1 0 1 NULL",
            "WindowState window 11 10 1 1 NULL",
            "WindowContainer plain 12 10 0 1 NULL",
        ]
    );
    assert_eq!(stat(&trace, "winscope_windowmanager_parse_errors"), "1", "13 has no parent");
}

/// A container without an identifier is left out with what lies in it, and counted; the others
/// stay.
#[test]
fn containers_without_identifiers() {
    let nameless = Message::new().message(6, Message::new().int(1, 4));
    let root = child(child(holder(1, "root"), 2, nameless), 2, holder(5, "named"));
    let trace = import_service(Message::new().message(2, Message::new().message(1, root)));
    assert_eq!(
        lines(&trace, CONTAINERS),
        ["RootWindowContainer root 1 NULL NULL 1 NULL", "WindowContainer named 5 1 1 1 NULL",]
    );
    assert_eq!(stat(&trace, "winscope_windowmanager_parse_errors"), "1");
    let deep =
        (0..200).fold(holder(0, "leaf"), |inner, token| child(holder(token, "around"), 2, inner));
    let trace = import_service(Message::new().message(2, Message::new().message(1, deep)));
    assert_eq!(trace.cell("SELECT count(*) FROM windowmanager_windowcontainer"), "66");
    assert_eq!(stat(&trace, "winscope_windowmanager_parse_errors"), "1");
}

/// Differences between snapshots are not applied but counted.
#[test]
fn patches() {
    let patch = || Message::new().int(1, 5);
    let trace = import([extension(10, 7, patch()), extension(20, 8, patch())]);
    assert_eq!(stat(&trace, "winscope_sf_layers_parse_errors"), "1");
    assert_eq!(stat(&trace, "winscope_windowmanager_parse_errors"), "1");
}
