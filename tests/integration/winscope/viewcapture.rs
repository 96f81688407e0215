//! Snapshots of the views of windows.

use tpq_testkit::Message;

use super::{args, at_with_state, field, float, import, interned, lines, stat};

const PACKAGES: u32 = 38;
const WINDOWS: u32 = 39;
const VIEW_IDS: u32 = 40;
const CLASSES: u32 = 41;

/// A view within another one, with a size, scaled by 1.
fn view(id: i64, parent: i64, [left, top, width, height]: [i64; 4]) -> Message {
    let view = Message::new().int(1, id).int(2, parent).int(3, 100 + id);
    let view = view.int(6, left).int(7, top).int(8, width).int(9, height);
    let view = float(float(view, 14, 1.0), 15, 1.0);
    float(view, 16, 0.5)
}

/// View 1 fills the window and scrolled down by 10. View 2 in it is half as large and keeps its
/// center; view 3 in that is invisible, and so is view 4 in view 3. View 5 has no area, and nothing
/// leads to view 9.
#[test]
fn views_of_a_window() {
    let scaled = Message::new().int(1, 2).int(2, 1).int(3, 102).int(6, 20).int(7, 30).int(8, 40);
    let scaled = float(float(scaled.int(9, 60), 14, 0.5), 15, 0.5);
    let snapshot = Message::new()
        .int(1, 1)
        .int(2, 1)
        .message(3, view(1, -1, [0, 0, 100, 200]).int(11, 10).int(4, 1).int(5, 1))
        .message(3, scaled.int(5, 7))
        .message(3, view(3, 2, [0, 0, 10, 10]).int(19, 4))
        .message(3, view(4, 3, [0, 0, 10, 10]))
        .message(3, view(5, 1, [0, 0, 0, 10]))
        .message(3, view(9, 8, [0, 0, 10, 10]));
    let trace = import([
        interned(&[
            (PACKAGES, 1, "com.app"),
            (WINDOWS, 1, "Main"),
            (VIEW_IDS, 1, "id/root"),
            (CLASSES, 1, "DecorView"),
        ]),
        at_with_state(10).payload(field::EXTENSIONS, Message::new().message(4, snapshot)),
    ]);
    let sql = "INCLUDE PERFETTO MODULE android.winscope.viewcapture; \
        SELECT ts, package_name, window_name FROM android_viewcapture";
    assert_eq!(lines(&trace, sql), ["10 com.app Main"]);
    assert_eq!(
        args(&trace, "__intrinsic_viewcapture"),
        ["0 package_name = com.app", "0 window_name = Main"]
    );
    // View 2: (20, 30 - 10), and 10 and 15 more as it shrinks around its center. View 3 is scaled
    // with it.
    let sql = "INCLUDE PERFETTO MODULE android.winscope.viewcapture; \
        SELECT node_id, parent_id, hashcode, v.is_visible, view_id, class_name, depth, opacity, \
            x, y, w, h \
        FROM android_viewcapture_view AS v \
        LEFT JOIN __intrinsic_winscope_trace_rect AS drawn ON drawn.id = trace_rect_id \
        LEFT JOIN __intrinsic_winscope_rect AS rect ON rect.id = rect_id ORDER BY v.id";
    assert_eq!(
        lines(&trace, sql),
        [
            "1 4294967295 101 1 id/root DecorView 0 0.5 0.0 0.0 100.0 200.0",
            "2 1 102 1 NULL NULL 4 0.0 30.0 35.0 20.0 30.0",
            "3 2 103 0 NULL NULL 8 0.5 30.0 35.0 5.0 5.0",
            "4 3 104 0 NULL NULL 12 0.5 30.0 35.0 5.0 5.0",
            "5 1 105 0 NULL NULL 4 0.5 0.0 -10.0 0.0 10.0",
            "9 8 109 0 NULL NULL NULL NULL NULL NULL NULL NULL",
        ]
    );
    let texts: Vec<String> = args(&trace, "__intrinsic_viewcapture_view")
        .into_iter()
        .filter(|line| line.contains("class_name") || line.contains("view_id"))
        .collect();
    assert_eq!(
        texts,
        [
            "0 view_id = id/root",
            "0 class_name = DecorView",
            "1 class_name = STRING DE-INTERNING ERROR",
            "1 class_name_iid = 7",
        ]
    );
    let sql = "SELECT flat_key, iid, deinterned_value FROM __intrinsic_viewcapture_interned_data";
    assert_eq!(
        lines(&trace, sql),
        [
            "package_name_iid 1 com.app",
            "window_name_iid 1 Main",
            "view_id_iid 1 id/root",
            "class_name_iid 1 DecorView",
        ]
    );
    assert_eq!(stat(&trace, "winscope_viewcapture_missing_interned_string_parse_errors"), "1");
    assert_eq!(stat(&trace, "winscope_viewcapture_parse_errors"), "0");
}

/// Views that lie in each other end somewhere, and so does a very long chain of them.
#[test]
fn odd_trees() {
    let chain = (1..20_000).fold(Message::new().message(3, view(0, -1, [0; 4])), |all, id| {
        all.message(3, Message::new().int(1, id).int(2, id - 1))
    });
    let circle = Message::new()
        .message(3, view(1, -1, [0; 4]))
        .message(3, view(2, 1, [0; 4]))
        .message(3, view(1, 2, [0; 4]));
    let snapshots = [chain, circle].map(|snapshot| {
        at_with_state(10).payload(field::EXTENSIONS, Message::new().message(4, snapshot))
    });
    let trace = import([interned(&[(CLASSES, 1, "View")])].into_iter().chain(snapshots));
    let sql = "SELECT snapshot_id, count(*), count(trace_rect_id) \
        FROM __intrinsic_viewcapture_view GROUP BY snapshot_id ORDER BY snapshot_id";
    assert_eq!(lines(&trace, sql), ["0 20000 20000", "1 3 3"]);
}
