//! `chrome.scroll_jank.*` and what it describes: three frames of a scroll, in milliseconds. They are
//! presented at 16, 32 and 80, where vsyncs are 16 apart, so that the third one misses two of them.

use tpq_testkit::{Packet, TrackDescriptor};

use super::{PROCESS, THREAD, field, lines, message, none, scene_on, slice};
use crate::imported::Imported;

/// The tracks of the scroll updates 71, 72 and 73.
const EVENTS: [u64; 3] = [21, 22, 23];

type Slice = [(u64, Packet); 2];

/// The times, 1 µs later: nothing is at 0.
const fn ms((from, to): (u64, u64)) -> (u64, u64) {
    (from * 1_000_000 + 1_000, to * 1_000_000 + 1_000)
}

/// A scroll update with its stages: in the browser, and until it is presented, in three parts.
fn update(track: u64, id: u64, kind: u64, times: [u64; 5]) -> [Slice; 6] {
    let [created, submitted, latched, swapped, presented] = times;
    let details = message().uint(1, kind).uint(4, id).double(6, 16.0);
    let stage = |times, name| slice(track, ms(times), ("cat", name), none());
    let named = ("input", "EventLatency");
    [
        slice(track, ms((created, presented)), named, (field::EVENT_LATENCY, details)),
        stage((created, submitted), "GenerationToBrowserMain"),
        stage((submitted, presented), "SubmitCompositorFrameToPresentationCompositorFrame"),
        stage((submitted, latched), "BufferReadyToLatch"),
        stage((latched, swapped), "LatchToSwapEnd"),
        stage((swapped, presented), "SwapEndToPresentationCompositorFrame"),
    ]
}

/// A distance of the input of a scroll update, always 5 pixels, and how far the page scrolled.
fn distances(when: u64, id: u64, pixels: f32) -> [Slice; 2] {
    let distance = |name, number, pixels: f32| {
        let details = message().uint(1, id).fixed32(number, pixels.to_bits());
        slice(THREAD, ms((when, when)), ("input", name), (field::SCROLL_DELTAS, details))
    };
    [
        distance("TranslateAndScaleWebInputEvent", 3, 5.0),
        distance("InputHandlerProxy::HandleGestureScrollUpdate_Result", 6, pixels),
    ]
}

fn tracks() -> Vec<TrackDescriptor> {
    let named = |(uuid, name)| TrackDescriptor::new(uuid).parent(PROCESS).name(name);
    let names = [(EVENTS[0], "update 71"), (EVENTS[1], "update 72"), (EVENTS[2], "update 73")];
    names.map(named).into()
}

fn scroll() -> Imported {
    let mut slices = Vec::new();
    slices.extend(update(EVENTS[0], 71, 21, [0, 6, 8, 12, 16]));
    slices.extend(update(EVENTS[1], 72, 10, [16, 22, 24, 28, 32]));
    slices.extend(update(EVENTS[2], 73, 10, [32, 40, 42, 72, 80]));
    slices.extend(distances(1, 71, 4.0));
    slices.extend(distances(17, 72, 12.0));
    slices.extend(distances(33, 73, -4.0));
    scene_on(tracks(), &slices)
}

#[test]
fn offsets() {
    let trace = scroll();
    let offsets = |sql: &str| lines(&trace, "scroll_jank.scroll_offsets", sql);
    let sql =
        "SELECT scroll_update_id, delta_x, delta_y FROM chrome_scroll_input_deltas ORDER BY 1";
    assert_eq!(offsets(sql), ["71 NULL 5.0", "72 NULL 5.0", "73 NULL 5.0"]);
    let sql = "SELECT scroll_update_id, scroll_id, delta_y, relative_offset_y \
        FROM chrome_scroll_input_offsets ORDER BY ts";
    assert_eq!(offsets(sql), ["71 1 5.0 5.0", "72 1 5.0 10.0", "73 1 5.0 15.0"]);
    let sql = "SELECT scroll_update_id, delta_y FROM chrome_scroll_presented_deltas ORDER BY 1";
    assert_eq!(offsets(sql), ["71 4.0", "72 12.0", "73 -4.0"]);
    let sql = "SELECT scroll_update_id, ts / 1000000 AS ms, delta_y, relative_offset_y \
        FROM chrome_presented_scroll_offsets ORDER BY ts";
    assert_eq!(offsets(sql), ["71 16 4.0 4.0", "72 32 12.0 16.0", "73 80 -4.0 12.0"]);
}

/// The second frame moves three times as far as the others, and more than 7 pixels: 3 - 1.2.
#[test]
fn errors_of_the_prediction() {
    let sql = "SELECT scroll_update_id, delta_y, prev_delta, next_delta, \
        round(predictor_jank, 3) AS jank, delta_threshold FROM chrome_predictor_error";
    assert_eq!(lines(&scroll(), "scroll_jank.predictor_error", sql), ["72 12.0 4.0 -4.0 1.8 1.2"]);
}

#[test]
fn frames() {
    let trace = scroll();
    let frames = |sql: &str| lines(&trace, "scroll_jank.scroll_jank_v3", sql);
    let sql = "SELECT scroll_update_id, ts, last_presented_input_ts, presentation_timestamp \
        FROM chrome_presented_gesture_scrolls WHERE scroll_update_id = 72";
    assert_eq!(frames(sql), ["72 16001000 16001000 32001000"]);
    let sql = "SELECT scroll_update_id, delta_y FROM chrome_scroll_updates_with_deltas ORDER BY 1";
    assert_eq!(frames(sql), ["71 4.0", "72 12.0", "73 -4.0"]);
    let sql = "SELECT (SELECT count(*) FROM chrome_full_frame_view) AS frames, \
        (SELECT sum(delta_y) FROM chrome_full_frame_delta_view) AS pixels, \
        (SELECT count(*) FROM chrome_merged_frame_view) AS merged, \
        (SELECT count(*) FROM chrome_unique_frame_presentation_ts) AS times, \
        (SELECT vsync_interval FROM chrome_vsyncs) AS interval_ms";
    assert_eq!(frames(sql), ["3 12.0 3 3 16.0"]);
    let sql = "SELECT encapsulated_scroll_ids, total_delta, segregated_delta_y, \
        delay_since_last_frame, delay_since_last_input FROM chrome_frame_info_with_delay \
        ORDER BY presentation_timestamp";
    assert_eq!(
        frames(sql),
        ["71 4.0 4.0 0.0 0.0", "72 12.0 12.0 16.0 16.0", "73 -4.0 -4.0 48.0 16.0"]
    );
}

/// In comparison with the frame before, the stage after the submission takes 30 ms more, and of its
/// parts `LatchToSwapEnd` 26.
#[test]
fn janky_frames() {
    let trace = scroll();
    let janky = |sql: &str| lines(&trace, "scroll_jank.scroll_jank_v3", sql);
    let sql = "SELECT delay_since_last_frame, vsync_interval, hardware_class, scroll_id \
        FROM chrome_janky_frames_no_cause";
    assert_eq!(janky(sql), ["48.0 16.0 NULL 1"]);
    let sql = "SELECT slice.name FROM chrome_janky_frames_no_subcause \
        JOIN slice ON slice.id = cause_id";
    assert_eq!(janky(sql), ["SubmitCompositorFrameToPresentationCompositorFrame"]);
    let sql = "SELECT cause_of_jank, sub_cause_of_jank, delay_since_last_frame \
        FROM chrome_janky_frames";
    assert_eq!(
        janky(sql),
        ["SubmitCompositorFrameToPresentationCompositorFrame LatchToSwapEnd 48.0"]
    );
    let sql =
        "SELECT round(delayed_frame_percentage, 2) AS share FROM chrome_janky_frames_percentage";
    assert_eq!(janky(sql), ["33.33"]);
    let sql = "SELECT scroll_id, num_frames, num_janky_frames, \
        round(scroll_jank_percentage, 2) AS share FROM chrome_frames_per_scroll";
    assert_eq!(janky(sql), ["1 3 1 33.33"]);
}

#[test]
fn causes() {
    let trace = scroll();
    let sql = "SELECT slice.name FROM slice WHERE slice.id = (\
        SELECT chrome_get_v3_jank_cause_id(janky.id, before.id) FROM slice AS janky, slice AS before \
        WHERE janky.name = 'EventLatency' AND before.name = 'EventLatency' \
        AND janky.ts = 32001000 AND before.ts = 16001000)";
    assert_eq!(
        lines(&trace, "scroll_jank.scroll_jank_v3_cause", sql),
        ["SubmitCompositorFrameToPresentationCompositorFrame"]
    );
    let sql = "SELECT DISTINCT thread.name FROM slice \
        CROSS JOIN chrome_select_scroll_jank_cause_thread(slice.id, 'Browser', 'CrBrowserMain') \
        AS found JOIN thread USING (utid) WHERE slice.name = 'EventLatency'";
    assert_eq!(lines(&trace, "scroll_jank.scroll_jank_cause_utils", sql), ["CrBrowserMain"]);
    let described = |sql: &str| lines(&trace, "scroll_jank.scroll_jank_cause_map", sql);
    let sql = "SELECT cause_process, cause_thread FROM chrome_scroll_jank_cause_descriptions \
        WHERE event_latency_stage = 'RendererCompositorQueueingDelay' ORDER BY 1";
    assert_eq!(described(sql), ["GPU VizCompositorThread", "Renderer Compositor"]);
    let sql = "SELECT name, cause_thread FROM chrome_scroll_jank_causes_with_event_latencies \
        WHERE name = 'Commit'";
    assert_eq!(described(sql), ["Commit NULL"]);
    let sql = "SELECT count(*), count(DISTINCT name), min(length(description)) > 0 \
        FROM chrome_event_latency_stage_descriptions";
    assert_eq!(lines(&trace, "event_latency_description", sql), ["38 38 1"]);
}

/// The third frame was due at 48.
#[test]
fn intervals() {
    let trace = scroll();
    let intervals = |sql: &str| lines(&trace, "scroll_jank.scroll_jank_intervals", sql);
    let sql = "SELECT ts, dur, name, sub_cause_of_jank, delayed_frame_count, frame_jank_ts, \
        frame_jank_dur FROM chrome_janky_event_latencies_v3";
    assert_eq!(
        intervals(sql),
        ["32001000 48000000 EventLatency LatchToSwapEnd 2 48001000 32000000"]
    );
    let sql = "SELECT id, ts, dur, delayed_frame_count \
        FROM chrome_janky_frame_presentation_intervals";
    assert_eq!(intervals(sql), ["1 48001000 32000000 2"]);
    let sql = "SELECT id, ts, dur FROM chrome_scroll_jank_intervals_v3";
    assert_eq!(intervals(sql), ["1 48001000 32000000"]);
    let sql = "SELECT scroll_id, frame_count, missed_vsyncs, presented_frame_count, \
        janky_frame_count, janky_frame_percent FROM chrome_scroll_stats";
    assert_eq!(intervals(sql), ["1 5 2 3 1 33.33"]);
}

#[test]
fn functions() {
    let details = message().uint(2, 77).bytes(3, "a.mojom.B").bool(5, true);
    let named = ("scheduler.long_tasks,toplevel", "LongTaskTracker");
    let trace = scene_on(
        [],
        &[
            slice(THREAD, (10, 20), named, (field::CHROME_MOJO_EVENT_INFO, details)),
            slice(THREAD, (30, 40), named, none()),
            slice(THREAD, (50, 60), ("cat", "LongTaskTracker"), none()),
        ],
    );
    let utils = |sql: &str| lines(&trace, "scroll_jank.utils", sql);
    let sql = "SELECT interface_name, ipc_hash, message_type, slice.ts \
        FROM chrome_select_long_task_slices('LongTaskTracker') AS task JOIN slice USING (id) \
        ORDER BY slice.ts";
    assert_eq!(utils(sql), ["a.mojom.B 77 reply 10", "NULL NULL message 30"]);
    // Half an interval is the limit; the last neighbour is of another scroll.
    let sql = "SELECT _is_janky_frame(1, 1, 5, 0, 9, 2.6, 2.0) AS longer, \
        _is_janky_frame(1, 1, 5, 0, 9, 2.5, 2.0) AS half, \
        _is_janky_frame(1, 2, 5, 0, 9, 9.0, 2.0) AS other";
    assert_eq!(utils(sql), ["1 0 0"]);
    let sql = "SELECT round(_jank_budget(3.0, 2.0, 1.0), 3) AS of_both, \
        round(_jank_budget(3.0, NULL, 2.25), 3) AS of_next";
    assert_eq!(utils(sql), ["1.5 0.25"]);
}

/// A synthetic result without damage, of which one moment is known, and a janky real one.
#[test]
fn results_of_version_4() {
    let result = |times, name, details| {
        let named = ("input.scrolling", name);
        slice(EVENTS[0], times, named, (field::SCROLL_JANK_V4, details))
    };
    let of = |id| message().uint(13, id);
    let synthetic = message().message(2, message().uint(1, 12)).uint(3, 3);
    let real = message().uint(1, 16).fixed32(4, (-1.5_f32).to_bits());
    let janky = of(72)
        .bool(1, true)
        .message(2, message().uint(1, 2).uint(2, 1))
        .message(2, message().uint(1, 1).uint(2, 3))
        .uint(5, 2)
        .message(10, message().message(1, real).uint(3, 1))
        .uint(11, 1);
    let trace = scene_on(
        tracks(),
        &[
            result((10, 20), "ScrollJankV4", of(71).message(10, synthetic).uint(11, 3)),
            result((12, 12), "First synthetic scroll update original begin frame", of(71)),
            result((30, 60), "ScrollJankV4", janky),
            result((30, 35), "Real scroll update input generation", of(72)),
            result((40, 40), "Begin frame", of(72)),
            result((60, 60), "Presentation", of(72)),
        ],
    );
    let results = |sql: &str| lines(&trace, "scroll_jank_v4", sql);
    let sql = "SELECT result_id, is_janky, vsyncs_since_previous_frame, \
        real_first_input_generation_ts, real_last_input_generation_ts, \
        real_abs_total_raw_delta_pixels, real_total_raw_delta_pixels, \
        synthetic_first_original_begin_frame_ts, first_event_latency_id, begin_frame_ts, \
        presentation_ts FROM chrome_scroll_jank_v4_results ORDER BY ts";
    assert_eq!(
        results(sql),
        ["71 NULL NULL NULL NULL NULL NULL 12 12 NULL NULL", "72 1 2 30 35 1.5 -1.5 NULL 16 40 60"]
    );
    let sql = "SELECT jank_reason, missed_vsyncs FROM chrome_scroll_jank_v4_reasons ORDER BY 2";
    assert_eq!(
        results(sql),
        [
            "MISSED_VSYNC_DURING_FAST_SCROLL 1",
            "MISSED_VSYNC_DUE_TO_DECELERATING_INPUT_FRAME_DELIVERY 3"
        ]
    );
}
