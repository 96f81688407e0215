//! Critical user journeys: what of apps and of the compositor belongs to them.

use tpq_testkit::{FtraceBundle, Message, Packet, ProcessTree};

use super::{APP, RENDER, app_frame, frame, lines, marks};
use crate::imported::{Imported, recording};

/// The main thread of the compositor.
const COMPOSITOR: i32 = 60;
/// The thread of the compositor that draws.
const ENGINE: i32 = 61;
/// The thread of the app that waits for the GPU.
const GPU: i32 = 103;

/// What the processes mark: a journey with the frames 55 and 56, which the compositor shows in its
/// frame 900; a journey that is canceled, and one that is monitored for latency.
const MARKS: &[(u64, i32, &str)] = &[
    (1_000, APP, "S|100|J<OPEN_APP>|1"),
    (1_001, APP, "I|100|J<OPEN_APP>#UIThread"),
    (1_002, APP, "I|100|J<OPEN_APP>#FT#layerId#7"),
    (1_003, APP, "I|100|J<OPEN_APP>#FT#beginVsync#55"),
    (1_100, APP, "B|100|Choreographer#doFrame 55"),
    (1_150, APP, "B|100|postAndWait"),
    (1_160, APP, "E|100"),
    (1_170, RENDER, "B|100|DrawFrames 55"),
    (1_180, RENDER, "B|100|Trace GPU completion fence 31"),
    (1_181, RENDER, "E|100"),
    (1_190, GPU, "B|100|waiting for GPU completion 31"),
    (1_200, APP, "E|100"),
    (1_210, APP, "B|100|inflate"),
    (1_240, APP, "E|100"),
    (1_250, APP, "B|100|Choreographer#doFrame 56"),
    (1_300, RENDER, "E|100"),
    (1_310, GPU, "E|100"),
    (1_350, APP, "B|100|postAndWait"),
    (1_360, APP, "E|100"),
    (1_370, RENDER, "B|100|DrawFrames 56"),
    (1_380, RENDER, "B|100|Trace GPU completion fence 32"),
    (1_381, RENDER, "E|100"),
    (1_400, APP, "E|100"),
    (1_500, RENDER, "E|100"),
    (1_600, COMPOSITOR, "B|60|commit 900"),
    (1_620, COMPOSITOR, "E|60"),
    (1_630, COMPOSITOR, "B|60|composite 900"),
    (1_640, COMPOSITOR, "B|60|composeSurfaces"),
    (1_650, ENGINE, "B|60|REThreaded::drawLayers"),
    (1_670, ENGINE, "E|60"),
    (1_680, COMPOSITOR, "E|60"),
    (1_700, COMPOSITOR, "E|60"),
    (1_900, APP, "I|100|J<OPEN_APP>#FT#endVsync#56"),
    (1_901, APP, "I|100|J<OPEN_APP>#FT#end#0"),
    (2_000, APP, "F|100|J<OPEN_APP>|1"),
    (2_005, APP, "N|100|J<OPEN_APP>|FT#MissedSFCallback#56"),
    (2_010, APP, "C|100|J<OPEN_APP>#totalFrames|2"),
    (2_011, APP, "C|100|J<OPEN_APP>#missedFrames|1"),
    (2_012, APP, "C|100|J<OPEN_APP>#weightedJank|1500"),
    (2_013, APP, "C|100|J<OPEN_APP>#maxFrameTimeMillis|3"),
    (3_000, APP, "S|100|J<BACK>|2"),
    (3_100, APP, "I|100|J<BACK>#FT#cancel#1"),
    (3_200, APP, "F|100|J<BACK>|2"),
    (4_000, APP, "S|100|L<UNLOCK>|3"),
    (4_100, APP, "N|100|L<UNLOCK>|timeout"),
    (4_200, APP, "F|100|L<UNLOCK>|3"),
    (5_000, APP, "I|100|x"),
];

/// Frame 55 of the app was due at 1,190 and seen until 1,310. Frame 56 was due at 1,390 and seen
/// until 1,510: the app missed it. Frame 900 of the compositor was due at 1,750 and seen until 1,710.
fn frames() -> Vec<Packet> {
    let end = |at, cookie| frame(at, 5, Message::new().int(1, cookie));
    let late = |cookie: i64| {
        Message::new().int(1, cookie).int(2, 56).int(3, 900).int(4, APP.into()).bytes(5, "app#7")
    };
    let shown = |cookie: i64| Message::new().int(1, cookie).int(2, 900).int(3, COMPOSITOR.into());
    let mut packets = app_frame(55, (1_050, 1_190), (1_060, 1_310));
    packets.extend([
        frame(1_220, 3, late(560)),
        frame(1_230, 4, late(561).int(9, 0x40)),
        end(1_390, 560),
        end(1_510, 561),
        frame(1_580, 1, shown(900)),
        frame(1_590, 2, shown(901)),
        end(1_710, 901),
        end(1_750, 900),
    ]);
    packets
}

fn journeys() -> Imported {
    let tree = ProcessTree::new()
        .process(APP, 1, &["com.android.systemui"], 10_001)
        .process(COMPOSITOR, 1, &["/system/bin/surfaceflinger"], 1_000)
        .thread(APP, APP, "ndroid.systemui")
        .thread(RENDER, APP, "RenderThread")
        .thread(GPU, APP, "GPU completion")
        .thread(COMPOSITOR, COMPOSITOR, "surfaceflinger")
        .thread(ENGINE, COMPOSITOR, "RenderEngine");
    let bundle = marks(MARKS).into_iter().fold(FtraceBundle::new(0), FtraceBundle::event);
    let trace = recording()
        .packet(Packet::new().sequence(9).timestamp(1).process_tree(tree))
        .packet(Packet::new().sequence(1).ftrace(bundle))
        .packets(frames());
    Imported::trace(trace)
}

#[test]
fn journeys_that_are_monitored() {
    let trace = journeys();
    let sql = "SELECT cuj_id, process_name, cuj_slice_name, cuj_name, ts, ts_end, dur, state, \
        layer_id, begin_vsync, end_vsync FROM android_jank_cuj";
    assert_eq!(
        lines(&trace, "cujs.base", sql),
        ["1 com.android.systemui J<OPEN_APP> OPEN_APP 1000 2000 1000 completed 7 55 56"]
    );
    let sql = "SELECT cuj_id, layer_name FROM android_jank_cuj_layer_name";
    assert_eq!(lines(&trace, "cujs.base", sql), ["1 app#7"]);
    // From the expected start of the first frame to the end of the work on the last one.
    let sql = "SELECT cuj_id, cuj_name, ts, ts_end, dur, state FROM android_sysui_jank_cujs";
    assert_eq!(lines(&trace, "cujs.sysui_cujs", sql), ["1 OPEN_APP 1050 1400 350 completed"]);
    let sql = "SELECT cuj_id, cuj_name, ts, ts_end, dur, state FROM android_sysui_latency_cujs";
    assert_eq!(lines(&trace, "cujs.sysui_cujs", sql), ["1 UNLOCK 4000 4200 200 timeout"]);
    let sql = "SELECT cuj_id, cuj_type, cuj_name, ts, state, tid FROM android_jank_latency_cujs \
        JOIN thread ON utid = ui_thread ORDER BY cuj_id";
    assert_eq!(
        lines(&trace, "cujs.sysui_cujs", sql),
        ["1 jank OPEN_APP 1050 completed 100", "2 latency UNLOCK 4000 timeout 100"]
    );
}

#[test]
fn threads_of_journeys() {
    let trace = journeys();
    let thread = |table: &str| {
        let sql = format!("SELECT cuj_id, t.name, tid FROM {table} AS t JOIN thread USING (utid)");
        lines(&trace, "cujs.threads", &sql)
    };
    assert_eq!(thread("android_jank_cuj_render_thread"), ["1 RenderThread 102"]);
    assert_eq!(thread("_android_jank_cuj_main_thread"), ["1 ndroid.systemui 100"]);
    assert_eq!(thread("android_jank_cuj_app_thread('GPU completion')"), ["1 GPU completion 103"]);
}

/// A frame begins when it was expected to, or when the one before it ends.
#[test]
fn periods_of_frames() {
    let trace = journeys();
    let periods = |sql: &str| lines(&trace, "cujs.boundaries", sql);
    let sql = "SELECT cuj_id, vsync_min, vsync_max FROM _android_jank_cuj_vsync_boundary";
    assert_eq!(periods(sql), ["1 55 56"]);
    let sql = "SELECT vsync, ts_do_frame_start, ts_end, ts_prev_do_frame_end, ts_expected, ts, dur \
        FROM _android_jank_cuj_main_thread_frame_boundary ORDER BY vsync";
    assert_eq!(periods(sql), ["55 1100 1200 -1 1050 1050 150", "56 1250 1400 1200 1220 1220 180"]);
    let sql = "SELECT vsync, ts_expected, ts_draw_frame_start, ts_prev_draw_frame_end, ts, ts_end, \
        dur FROM _android_jank_cuj_render_thread_frame_boundary ORDER BY vsync";
    assert_eq!(periods(sql), ["55 1150 1170 -1 1150 1300 150", "56 1350 1370 1300 1350 1500 150"]);
    let sql = "SELECT vsync, ts, ts_main_thread_start, ts_end, dur \
        FROM _android_jank_cuj_sf_main_thread_frame_boundary";
    assert_eq!(periods(sql), ["900 1580 1600 1700 120"]);
    let sql = "SELECT vsync, ts, ts_draw_layers_start, ts_end, dur \
        FROM _android_jank_cuj_sf_render_engine_frame_boundary";
    assert_eq!(periods(sql), ["900 1640 1650 1670 30"]);
    let period = |of: &str| periods(&format!("SELECT ts, ts_end, dur FROM _android_jank_cuj_{of}"));
    assert_eq!(period("main_thread_cuj_boundary"), ["1050 1400 350"]);
    assert_eq!(period("render_thread_cuj_boundary"), ["1150 1500 350"]);
    assert_eq!(period("boundary"), ["1050 1510 460"]);
    assert_eq!(period("sf_boundary"), ["1580 1700 120"]);
}

#[test]
fn slices_of_frames() {
    let trace = journeys();
    let slices = |sql: &str| lines(&trace, "cujs.relevant_slices", sql);
    let sql = "SELECT vsync, ts, dur, ts_end FROM _android_jank_cuj_do_frame_slice ORDER BY ts";
    assert_eq!(slices(sql), ["55 1100 100 1200", "56 1250 150 1400"]);
    let sql = "SELECT vsync, ts, dur, ts_end FROM _android_jank_cuj_draw_frame_slice ORDER BY ts";
    assert_eq!(slices(sql), ["55 1170 130 1300", "56 1370 130 1500"]);
    let sql = "SELECT vsync, fence_idx FROM _android_jank_cuj_gpu_completion_fence ORDER BY vsync";
    assert_eq!(slices(sql), ["55 31", "56 32"]);
    let sql = "SELECT vsync, fence_idx, ts, ts_end, hwc_release_ts_end \
        FROM _android_jank_cuj_gpu_completion_slice";
    assert_eq!(slices(sql), ["55 31 1190 1310 NULL"]);
    let sql = "SELECT vsync, name, ts, ts_end FROM _android_jank_cuj_sf_root_slice ORDER BY ts";
    assert_eq!(slices(sql), ["900 commit 900 1600 1620", "900 composite 900 1630 1700"]);
    let sql = "SELECT vsync, ts, ts_end, ts_compose_surfaces \
        FROM _android_jank_cuj_sf_draw_layers_slice";
    assert_eq!(slices(sql), ["900 1650 1670 1640"]);
}

#[test]
fn slices_during_journeys() {
    let trace = journeys();
    let slices = |table: &str| {
        let sql = format!("SELECT name, ts, dur FROM _android_jank_cuj_{table} ORDER BY ts");
        lines(&trace, "cujs.slices", &sql)
    };
    let main_thread = [
        "Choreographer#doFrame 55 1100 100",
        "postAndWait 1150 10",
        "inflate 1210 30",
        "Choreographer#doFrame 56 1250 150",
        "postAndWait 1350 10",
    ];
    let render_thread = [
        "DrawFrames 55 1170 130",
        "Trace GPU completion fence 31 1180 1",
        "DrawFrames 56 1370 130",
        "Trace GPU completion fence 32 1380 1",
    ];
    let compositor = ["commit 900 1600 20", "composite 900 1630 70", "composeSurfaces 1640 40"];
    assert_eq!(slices("main_thread_slice"), main_thread);
    assert_eq!(slices("render_thread_slice"), render_thread);
    // And the wait for the GPU.
    assert_eq!(slices("slice").len(), main_thread.len() + render_thread.len() + 1);
    assert_eq!(slices("sf_main_thread_slice"), compositor);
    assert_eq!(slices("sf_render_engine_slice"), ["REThreaded::drawLayers 1650 20"]);
    assert_eq!(slices("sf_slice").len(), compositor.len() + 1);
}

#[test]
fn missed_frames() {
    let trace = journeys();
    let frames = |sql: &str| lines(&trace, "cujs.frames", sql);
    let sql = "SELECT vsync, frame_number, ts, ts_do_frame_start, gpu_fence_count, app_missed, \
        sf_missed, sf_callback_missed, hwui_callback_missed, dur, dur_unadjusted, dur_expected, \
        ts_end FROM _android_jank_cuj_frame ORDER BY vsync";
    let first = "55 1 1050 1100 1 0 0 0 0 260 210 140 1310";
    assert_eq!(frames(sql), [first, "56 2 1220 1250 1 1 0 1 0 290 260 170 1510"]);
    let sql = "SELECT vsync, frame_number, ts, ts_main_thread_start, ts_end, dur, sf_missed, \
        dur_expected FROM _android_jank_cuj_sf_frame";
    assert_eq!(frames(sql), ["900 1 1580 1600 1700 120 0 170"]);
    let sql = "SELECT cuj_id, name, state, total_frames, missed_app_frames, missed_sf_frames, \
        layer_name, ts, dur FROM android_jank_cuj_slice_summary ORDER BY cuj_id";
    assert_eq!(
        frames(sql),
        [
            "1 J<OPEN_APP> completed 2 1 0 app#7 1050 350",
            "2 J<BACK> canceled NULL NULL NULL NULL 3000 200",
        ]
    );
    // Weights are in thousandths, times in ms.
    let sql = "SELECT cuj_id, total_frames, missed_frames, missed_app_frames, \
        weighted_missed_frames, frame_dur_max, sf_callback_missed_frames, \
        hwui_callback_missed_frames FROM _android_jank_cuj_counter_metrics";
    assert_eq!(lines(&trace, "cujs.cuj_frame_counters", sql), ["1 2 1 NULL 1.5 3000000 1 0"]);
}

/// The journey lasts from 1,050 to 1,400, and its frames from 1,060 to 1,230 and from there to
/// 1,510. Calls are cut where these begin and end.
#[test]
fn blocking_calls_in_journeys() {
    let trace = journeys();
    let sql = "SELECT call.name, ts, dur, tid FROM android_cuj_blocking_calls AS call \
        JOIN thread USING (utid) ORDER BY ts";
    assert_eq!(
        lines(&trace, "cujs.sysui_cujs", sql),
        [
            "postAndWait 1150 10 100",
            "DrawFrames 1170 130 102",
            "inflate 1210 30 100",
            "postAndWait 1350 10 100",
            "DrawFrames 1370 30 102",
        ]
    );
    let calls = |sql: &str| lines(&trace, "frame_blocking_calls.blocking_calls_aggregation", sql);
    let sql = "SELECT frame_id, ts, ts_end FROM _extended_frame_boundary ORDER BY frame_id";
    assert_eq!(calls(sql), ["55 1060 1230", "56 1230 1510"]);
    let sql = "SELECT frame_id, name, ts, dur FROM _blocking_calls_frame_cuj \
        ORDER BY frame_id, ts, name";
    assert_eq!(
        calls(sql),
        [
            "55 postAndWait 1150 10",
            "55 DrawFrames 1170 60",
            "55 inflate 1210 20",
            "56 DrawFrames 1230 70",
            "56 inflate 1230 10",
            "56 postAndWait 1350 10",
            "56 DrawFrames 1370 130",
        ]
    );
}
