//! Frames of apps and of the compositor.

use tpq_testkit::{Message, Packet, ProcessTree};

use super::{APP, app_frame, frame, lines, startup};
use crate::imported::{Imported, recording};

#[test]
fn frames() {
    let trace = startup();
    let timeline = |sql: &str| lines(&trace, "frames.timeline", sql);
    let sql = "SELECT frame_id, ts FROM android_frames_choreographer_do_frame ORDER BY ts";
    assert_eq!(timeline(sql), ["55 600", "56 850"]);
    let sql = "SELECT frame_id, slice.ts, tid FROM android_frames_draw_frame JOIN slice USING (id) \
        JOIN thread ON utid = render_thread_utid ORDER BY slice.ts";
    assert_eq!(timeline(sql), ["55 650 102", "56 860 102"]);
    let sql = "SELECT frame_id, ts, dur, ts_end, layer_id, layer_name, process_name \
        FROM android_frames_layers ORDER BY frame_id";
    assert_eq!(
        timeline(sql),
        ["55 595 165 760 7 app#7 com.example.app", "56 845 60 905 7 app#7 com.example.app"]
    );
    let sql = "SELECT frame_id, ts, dur, actual_frame_timeline_count AS actual, \
        expected_frame_timeline_count AS expected, draw_frame_count AS drawn, process_name \
        FROM android_frames ORDER BY frame_id";
    assert_eq!(
        timeline(sql),
        ["55 595 165 1 1 1 com.example.app", "56 845 60 1 1 1 com.example.app"]
    );
    let sql = "SELECT frame_id, ts FROM android_first_frame_after(600)";
    assert_eq!(timeline(sql), ["56 845"]);
}

/// Frame 55 was due at 690 and seen until 760; frame 56 was due at 940 and seen until 905. Both
/// began 5 late; the main thread took 100 and 30, drawing 100 and 40.
#[test]
fn figures_of_frames() {
    let trace = startup();
    let figures = |sql: &str| lines(&trace, "frames.per_frame_metrics", sql);
    let sql = "SELECT frame_id, overrun FROM android_frames_overrun ORDER BY frame_id";
    assert_eq!(figures(sql), ["55 70", "56 -35"]);
    let sql = "SELECT frame_id, ui_time FROM android_frames_ui_time ORDER BY frame_id";
    assert_eq!(figures(sql), ["55 100", "56 30"]);
    let sql = "SELECT frame_id, app_vsync_delay FROM android_app_vsync_delay_per_frame \
        ORDER BY frame_id";
    assert_eq!(figures(sql), ["55 5", "56 5"]);
    let sql = "SELECT frame_id, app_vsync_delay, do_frame_dur, draw_frame_dur, cpu_time \
        FROM android_cpu_time_per_frame ORDER BY frame_id";
    assert_eq!(figures(sql), ["55 5 100 100 205", "56 5 30 40 75"]);
    let sql = "SELECT frame_id, overrun, cpu_time, ui_time, was_jank, was_slow_frame, was_big_jank, \
        was_huge_jank FROM android_frame_stats ORDER BY frame_id";
    assert_eq!(
        figures(sql),
        ["55 70 205 100 1 NULL NULL NULL", "56 -35 75 30 NULL NULL NULL NULL"]
    );
}

#[test]
fn reasons_for_janky_frames() {
    let sql = "SELECT android_is_sf_jank_type(t) AS sf, android_is_app_jank_type(t) AS app, \
        android_is_missed_frame_type(t) AS missed FROM (SELECT 'Buffer Stuffing, Display HAL' AS t \
        UNION ALL SELECT 'App Deadline Missed' UNION ALL SELECT 'Dropped Frame' \
        UNION ALL SELECT 'None') ORDER BY sf DESC, app DESC, missed DESC";
    assert_eq!(lines(&startup(), "frames.jank_type", sql), ["1 0 1", "0 1 1", "0 0 1", "0 0 0"]);
}

/// The app's frame 55 is shown by the compositor's frame 900.
#[test]
fn frames_of_apps_and_the_compositor() {
    let tree = ProcessTree::new().process(60, 1, &["/system/bin/surfaceflinger"], 1_000).process(
        APP,
        1,
        &["com.example.app"],
        10_001,
    );
    let mut packets = vec![Packet::new().sequence(9).timestamp(1).process_tree(tree)];
    packets.extend(app_frame(55, (580, 690), (595, 760)));
    let display = Message::new().int(1, 7).int(2, 900).int(3, 60);
    packets.push(frame(800, 2, display));
    packets.push(frame(850, 5, Message::new().int(1, 7)));
    let trace = Imported::trace(recording().packets(packets));
    let sql = "SELECT app.pid, app_vsync, sf.pid, sf_vsync \
        FROM android_app_to_sf_frame_timeline_match JOIN process AS app ON app.upid = app_upid \
        JOIN process AS sf ON sf.upid = sf_upid";
    assert_eq!(lines(&trace, "surfaceflinger", sql), ["100 55 60 900"]);
}
