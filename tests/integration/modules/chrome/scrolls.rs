//! `chrome.chrome_scrolls` and the modules it builds on: two frames of a scroll, in microseconds.
//! The first frame has two scroll updates, 12 and 14, of which the second is merged into the first.
//! The second frame has the scroll update 16, of a fling, and viz draws it 20 ms late.

use tpq_testkit::{Message, Packet, TrackDescriptor};

use super::{THREAD, field, lines, message, none, scene_on, slice, slice_with};
use crate::imported::Imported;
use crate::modules::us;

const RENDERER: u64 = 11;
const COMPOSITOR: u64 = 12;
const GPU_PROCESS: u64 = 13;
const VIZ: u64 = 14;
const GPU: u64 = 15;
const SYSTEM: u64 = 16;
const READER: u64 = 17;
const DISPATCHER: u64 = 18;
/// The tracks of the scroll updates 12, 14 and 16.
const EVENTS: [u64; 3] = [21, 22, 23];
/// The tracks of the results of the two frames.
const RESULTS: [u64; 2] = [24, 25];

/// Steps of inputs.
mod input {
    pub const SEND: u64 = 3;
    pub const DISPATCH: u64 = 5;
    pub const HANDLED: u64 = 8;
    pub const TOUCH_HANDLED: u64 = 12;
    pub const RESAMPLE: u64 = 14;
    pub const SCROLL_UPDATE: u64 = 14;
    pub const TOUCH_MOVE: u64 = 33;
}

/// Steps of frames.
mod frame {
    pub const GENERATE: u64 = 2;
    pub const RECEIVE: u64 = 5;
    pub const BEGIN: u64 = 6;
    pub const SUBMIT: u64 = 9;
    pub const AGGREGATE: u64 = 10;
    pub const SEND_SWAP: u64 = 11;
    pub const SWAP: u64 = 12;
    pub const DRAW: u64 = 21;
    pub const NOT_PRODUCED: u64 = 22;
}

type Slice = [(u64, Packet); 2];

fn tracks() -> Vec<TrackDescriptor> {
    let thread = |uuid, process, pid, tid, name| {
        TrackDescriptor::new(uuid).parent(process).thread(pid, tid, name)
    };
    let named = |uuid, name| TrackDescriptor::new(uuid).parent(RENDERER).name(name);
    vec![
        TrackDescriptor::new(RENDERER).process(200, "Renderer"),
        thread(COMPOSITOR, RENDERER, 200, 201, "Compositor"),
        TrackDescriptor::new(GPU_PROCESS).process(300, "Gpu"),
        thread(VIZ, GPU_PROCESS, 300, 301, "VizCompositorThread"),
        thread(GPU, GPU_PROCESS, 300, 302, "CompositorGpuThread"),
        TrackDescriptor::new(SYSTEM).process(400, "system_server"),
        thread(READER, SYSTEM, 400, 401, "InputReader"),
        thread(DISPATCHER, SYSTEM, 400, 402, "InputDispatcher"),
        named(EVENTS[0], "event 12"),
        named(EVENTS[1], "event 14"),
        named(EVENTS[2], "event 16"),
        named(RESULTS[0], "result 71"),
        named(RESULTS[1], "result 72"),
    ]
}

const fn at((from, to): (u64, u64)) -> (u64, u64) {
    (us(from), us(to))
}

fn plain(track: u64, times: (u64, u64), name: &str) -> Slice {
    slice(track, at(times), ("cat", name), none())
}

/// The details of a step of an input.
fn step(id: u64, step: u64) -> Message {
    message().uint(1, id).uint(2, step)
}

fn flow(track: u64, times: (u64, u64), details: Message) -> Slice {
    slice(track, at(times), ("input", "LatencyInfo.Flow"), (field::LATENCY_INFO, details))
}

fn graphics(track: u64, times: (u64, u64), details: Message) -> Slice {
    slice(track, at(times), ("viz", "Graphics.Pipeline"), (field::GRAPHICS_PIPELINE, details))
}

/// A step of a surface frame.
fn of_surface(step: u64, surface: u64) -> Message {
    message().uint(1, step).uint(10, surface)
}

/// A step of a display frame.
fn of_display(step: u64, display: u64) -> Message {
    message().uint(1, step).uint(3, display)
}

/// A task that began some microseconds before the step in it.
fn task_before(microseconds: u64) -> (u32, Message) {
    (field::CURRENT_TASK, message().uint(1, microseconds))
}

/// A distance: in field 3 of an input, in field 6 as the page was scrolled.
fn distance(when: u64, name: &str, id: u64, (number, pixels): (u32, f32)) -> Slice {
    let details = message().uint(1, id).fixed32(number, pixels.to_bits());
    slice(COMPOSITOR, at((when, when)), ("input", name), (field::SCROLL_DELTAS, details))
}

fn moved(when: u64, id: u64, pixels: f32) -> Slice {
    distance(when, "TranslateAndScaleWebInputEvent", id, (3, pixels))
}

fn scrolled(when: u64, id: u64, pixels: f32) -> Slice {
    distance(when, "InputHandlerProxy::HandleGestureScrollUpdate_Result", id, (6, pixels))
}

/// A scroll update, of a kind and janky or not.
fn update(track: u64, times: (u64, u64), id: u64, (kind, is_janky): (u64, bool)) -> Slice {
    let details = message().uint(1, kind).uint(4, id).bool(5, is_janky).double(6, 16.0);
    slice(track, at(times), ("input", "EventLatency"), (field::EVENT_LATENCY, details))
}

/// The stages of a scroll update from its submission to its presentation.
fn presentation(track: u64, times: [u64; 6]) -> [Slice; 5] {
    let [submitted, available, ready, latched, swapped, presented] = times;
    let stage = |times, name| plain(track, times, name);
    [
        stage((submitted, presented), "SubmitCompositorFrameToPresentationCompositorFrame"),
        stage((available, ready), "BufferAvailableToBufferReady"),
        stage((ready, latched), "BufferReadyToLatch"),
        stage((latched, swapped), "LatchToSwapEnd"),
        stage((swapped, presented), "SwapEndToPresentationCompositorFrame"),
    ]
}

/// The inputs of the first frame: the page handles the first touch move before it is a scroll
/// update, and not the second one.
fn first_inputs() -> Vec<Slice> {
    let named = ("input", "LatencyInfo.Flow");
    let dispatch = (field::LATENCY_INFO, step(12, input::DISPATCH));
    let resample = step(12, input::RESAMPLE).uint(10, 12).uint(10, 14);
    let dispatched = "prepareDispatchCycleLocked(inputChannel=org.chromium.chrome, id=0xa)";
    vec![
        plain(READER, (10, 20), "UnwantedInteractionBlocker::notifyMotion(id=0xa)"),
        plain(DISPATCHER, (22, 28), dispatched),
        plain(THREAD, (30, 60), "deliverInputEvent src=0x1002 id=0xa"),
        flow(THREAD, (32, 50), step(11, input::SEND).uint(8, input::TOUCH_MOVE)),
        flow(THREAD, (70, 90), step(11, input::TOUCH_HANDLED)),
        flow(THREAD, (75, 85), step(12, input::SEND).uint(8, input::SCROLL_UPDATE)),
        flow(THREAD, (100, 140), step(13, input::SEND).uint(8, input::TOUCH_MOVE)),
        flow(THREAD, (110, 120), step(14, input::SEND).uint(8, input::SCROLL_UPDATE)),
        slice_with(COMPOSITOR, at((91, 97)), named, [dispatch, task_before(1)]),
        moved(98, 12, 4.0),
        flow(COMPOSITOR, (125, 128), step(14, input::DISPATCH)),
        moved(129, 14, -2.5),
        flow(COMPOSITOR, (150, 155), resample),
        flow(COMPOSITOR, (156, 158), step(12, input::HANDLED)),
        scrolled(158, 12, 3.0),
        flow(COMPOSITOR, (159, 160), step(14, input::HANDLED)),
    ]
}

/// The first frame: surface frame 501, display frame 601. It gets lost after its submission.
fn first_frame() -> Vec<Slice> {
    let named = ("viz", "Graphics.Pipeline");
    let received = (field::GRAPHICS_PIPELINE, of_surface(frame::RECEIVE, 501));
    let submitted = of_surface(frame::SUBMIT, 501).uint(9, 12).uint(9, 14);
    let mut slices = vec![
        graphics(COMPOSITOR, (161, 162), of_surface(frame::BEGIN, 501)),
        graphics(COMPOSITOR, (163, 166), of_surface(frame::GENERATE, 501)),
        graphics(COMPOSITOR, (170, 175), submitted),
        graphics(COMPOSITOR, (176, 177), of_surface(frame::NOT_PRODUCED, 501).uint(6, 2)),
        slice_with(VIZ, at((180, 184)), named, [received, task_before(2)]),
        graphics(VIZ, (190, 215), of_display(frame::DRAW, 601)),
        graphics(VIZ, (191, 195), of_display(frame::AGGREGATE, 601).uint(8, 501)),
        graphics(VIZ, (205, 210), of_display(frame::SEND_SWAP, 601)),
        graphics(GPU, (220, 230), of_display(frame::SWAP, 601)),
        update(EVENTS[0], (5, 300), 12, (21, false)),
        update(EVENTS[1], (25, 160), 14, (10, false)),
    ];
    slices.extend(presentation(EVENTS[0], [175, 231, 235, 250, 260, 300]));
    slices
}

/// The second frame with its input: surface frame 502, display frame 602.
fn second_frame() -> Vec<Slice> {
    let mut slices = vec![
        flow(THREAD, (14_400, 14_410), step(16, input::SEND).uint(8, input::SCROLL_UPDATE)),
        flow(COMPOSITOR, (14_411, 14_415), step(16, input::DISPATCH)),
        moved(14_416, 16, 1.5),
        flow(COMPOSITOR, (14_420, 14_422), step(16, input::HANDLED)),
        scrolled(14_422, 16, 1.0),
        graphics(COMPOSITOR, (14_423, 14_424), of_surface(frame::BEGIN, 502)),
        graphics(COMPOSITOR, (14_425, 14_426), of_surface(frame::GENERATE, 502)),
        graphics(COMPOSITOR, (14_430, 14_434), of_surface(frame::SUBMIT, 502).uint(9, 16)),
        graphics(VIZ, (14_440, 14_441), of_surface(frame::RECEIVE, 502)),
        graphics(VIZ, (34_450, 34_470), of_display(frame::DRAW, 602)),
        graphics(VIZ, (34_451, 34_452), of_display(frame::AGGREGATE, 602).uint(8, 502)),
        graphics(VIZ, (34_460, 34_465), of_display(frame::SEND_SWAP, 602)),
        graphics(GPU, (34_475, 34_480), of_display(frame::SWAP, 602)),
        update(EVENTS[2], (14_395, 34_540), 16, (26, true)),
    ];
    slices.extend(presentation(EVENTS[2], [14_434, 34_481, 34_500, 34_510, 34_520, 34_540]));
    slices
}

/// The results of version 4 of the metric: synthetic and without damage, then real and janky.
fn results() -> Vec<Slice> {
    let result = |track, times, name, details| {
        let named = ("input.scrolling", name);
        slice(track, at(times), named, (field::SCROLL_JANK_V4, details))
    };
    let of = |id| message().uint(13, id);
    let updates = message().message(2, message().uint(1, 12)).uint(3, 3);
    let first = of(71).bool(1, false).message(10, updates).uint(11, 3).uint(12, 16_000_000);
    let pixels = 1.5_f32.to_bits();
    let real = message().uint(1, 16).fixed32(2, pixels).fixed32(3, pixels).fixed32(4, pixels);
    let second = of(72)
        .bool(1, true)
        .message(2, message().uint(1, 2).uint(2, 1))
        .uint(5, 2)
        .message(10, message().message(1, real).uint(3, 1))
        .uint(11, 1)
        .uint(12, 16_000_000);
    let generation = "Real scroll update input generation";
    vec![
        result(RESULTS[0], (5, 300), "ScrollJankV4", first),
        result(RESULTS[0], (5, 25), generation, of(71)),
        result(RESULTS[1], (14_395, 34_540), "ScrollJankV4", second),
        result(RESULTS[1], (14_395, 14_395), generation, of(72)),
        result(RESULTS[1], (14_422, 14_422), "Begin frame", of(72)),
        result(RESULTS[1], (34_540, 34_540), "Presentation", of(72)),
    ]
}

fn scroll() -> Imported {
    let slices = [first_inputs(), first_frame(), second_frame(), results()].concat();
    scene_on(tracks(), &slices)
}

#[test]
fn inputs_of_android() {
    let trace = scroll();
    let android = |sql: &str| lines(&trace, "android_input", sql);
    let sql = "SELECT android_input_id, input_reader_processing_start_ts / 1000 AS read, \
        input_reader_processing_end_ts / 1000 AS read_end, \
        input_dispatcher_processing_start_ts / 1000 AS dispatch, \
        input_dispatcher_processing_end_ts / 1000 AS dispatch_end, \
        deliver_input_event_start_ts / 1000 AS deliver, \
        deliver_input_event_end_ts / 1000 AS deliver_end FROM chrome_android_input";
    assert_eq!(android(sql), ["0xa 10 20 22 28 30 60"]);
    let sql = "SELECT ts, dur, android_input_id FROM chrome_deliver_android_input_event";
    assert_eq!(android(sql), ["30000 30000 0xa"]);
}

#[test]
fn inputs() {
    let trace = scroll();
    let inputs = |sql: &str| lines(&trace, "input", sql);
    let sql = "SELECT latency_id, input_type FROM chrome_inputs ORDER BY latency_id";
    assert_eq!(
        inputs(sql),
        [
            "11 TOUCH_MOVE_EVENT",
            "12 GESTURE_SCROLL_UPDATE_EVENT",
            "13 TOUCH_MOVE_EVENT",
            "14 GESTURE_SCROLL_UPDATE_EVENT",
            "16 GESTURE_SCROLL_UPDATE_EVENT",
        ]
    );
    let sql = "SELECT ts, dur, step, task_start_time_ts FROM chrome_input_pipeline_steps \
        WHERE latency_id = 12 ORDER BY ts";
    assert_eq!(
        inputs(sql),
        [
            "75000 10000 STEP_SEND_INPUT_EVENT_UI NULL",
            "91000 6000 STEP_HANDLE_INPUT_EVENT_IMPL 90000",
            "150000 5000 STEP_RESAMPLE_SCROLL_EVENTS NULL",
            "156000 2000 STEP_DID_HANDLE_INPUT_AND_OVERSCROLL NULL",
        ]
    );
    let sql = "SELECT coalesced_latency_id, presented_latency_id FROM chrome_coalesced_inputs";
    assert_eq!(inputs(sql), ["14 12"]);
    let sql = "SELECT touch_move_latency_id, scroll_update_latency_id \
        FROM chrome_touch_move_to_scroll_update ORDER BY 1";
    assert_eq!(inputs(sql), ["11 12", "13 14"]);
    let sql = "SELECT android_input_id, touch_move_latency_id \
        FROM chrome_dispatch_android_input_event_to_touch_move";
    assert_eq!(inputs(sql), ["0xa 11"]);
}

#[test]
fn steps_of_frames() {
    let trace = scroll();
    let steps = |sql: &str| lines(&trace, "graphics_pipeline", sql);
    let sql = "SELECT ts, dur, step, task_start_time_ts \
        FROM chrome_graphics_pipeline_surface_frame_steps WHERE surface_frame_trace_id = 501 \
        ORDER BY ts";
    assert_eq!(
        steps(sql),
        [
            "161000 1000 STEP_RECEIVE_BEGIN_FRAME NULL",
            "163000 3000 STEP_GENERATE_COMPOSITOR_FRAME NULL",
            "170000 5000 STEP_SUBMIT_COMPOSITOR_FRAME NULL",
            "176000 1000 STEP_DID_NOT_PRODUCE_COMPOSITOR_FRAME NULL",
            "180000 4000 STEP_RECEIVE_COMPOSITOR_FRAME 178000",
        ]
    );
    let sql = "SELECT ts, dur, step FROM chrome_graphics_pipeline_display_frame_steps \
        WHERE display_trace_id = 601 ORDER BY ts";
    assert_eq!(
        steps(sql),
        [
            "190000 25000 STEP_DRAW_AND_SWAP",
            "191000 4000 STEP_SURFACE_AGGREGATION",
            "205000 5000 STEP_SEND_BUFFER_SWAP",
            "220000 10000 STEP_BUFFER_SWAP_POST_SUBMIT",
        ]
    );
    let sql = "SELECT surface_frame_trace_id, display_trace_id \
        FROM chrome_surface_frame_id_to_first_display_id ORDER BY 1";
    assert_eq!(steps(sql), ["501 601", "502 602"]);
    let sql = "SELECT latency_id, surface_frame_trace_id \
        FROM chrome_graphics_pipeline_inputs_to_surface_frames ORDER BY 1";
    assert_eq!(steps(sql), ["12 501", "14 501", "16 502"]);
}

/// The columns of a relation of `chrome.chrome_scrolls`, for each scroll update or frame by its id.
fn columns(trace: &Imported, relation: &str, columns: &str) -> Vec<String> {
    lines(trace, "chrome_scrolls", &format!("SELECT {columns} FROM {relation} ORDER BY id"))
}

#[test]
fn ids() {
    let trace = scroll();
    let sql = "SELECT scroll_update_latency_id, touch_move_latency_id, presentation_latency_id, \
        surface_frame_id, display_trace_id FROM chrome_scroll_update_refs ORDER BY 1";
    assert_eq!(
        lines(&trace, "chrome_scrolls", sql),
        ["12 11 12 501 601", "14 13 12 501 601", "16 NULL 16 502 602"]
    );
    assert_eq!(columns(&trace, "chrome_scrolls", "id, ts, dur"), ["1 5000 34535000"]);
    let sql = "SELECT count(*), count(dur_column_name) \
        FROM chrome_scroll_update_info_step_templates";
    assert_eq!(lines(&trace, "chrome_scrolls", sql), ["19 18"]);
}

#[test]
fn stages_of_inputs() {
    let trace = scroll();
    let stages = |sql: &str| columns(&trace, "chrome_scroll_update_input_pipeline", sql);
    let facts = "id, presented_in_frame_id, is_presented, is_janky, is_inertial, \
        is_first_scroll_update_in_scroll, is_first_scroll_update_in_frame";
    assert_eq!(stages(facts), ["12 12 1 0 0 1 1", "14 12 0 0 0 0 0", "16 16 1 1 1 0 1"]);
    // From the input to the scroll update; a fling has no touch move.
    let browser = "generation_ts, generation_to_browser_main_dur, touch_move_received_ts, \
        touch_move_processing_dur, scroll_update_created_ts, scroll_update_processing_dur";
    assert_eq!(
        stages(browser),
        [
            "5000 27000 32000 43000 75000 10000",
            "25000 75000 100000 10000 110000 10000",
            "14395000 5000 NULL NULL 14400000 10000",
        ]
    );
    // The dispatch of the first scroll update begins with its task.
    let compositor = "browser_to_compositor_delay_dur, compositor_dispatch_ts, \
        compositor_dispatch_dur, compositor_dispatch_to_coalesced_input_handled_dur, \
        compositor_coalesced_input_handled_dur";
    assert_eq!(
        stages(compositor),
        [
            "5000 90000 7000 59000 2000",
            "5000 125000 3000 31000 1000",
            "1000 14411000 4000 5000 2000",
        ]
    );
}

#[test]
fn stages_of_frames() {
    let trace = scroll();
    let stages = |sql: &str| columns(&trace, "chrome_scroll_update_frame_pipeline", sql);
    let compositor = "id, vsync_interval_ms, compositor_resample_ts, \
        compositor_receive_begin_frame_ts, compositor_generate_frame_to_submit_frame_dur, \
        compositor_submit_frame_dur, compositor_to_viz_delay_dur";
    assert_eq!(
        stages(compositor),
        ["12 16.0 150000 161000 7000 5000 3000", "16 16.0 NULL 14423000 5000 4000 6000"]
    );
    let viz = "viz_receive_compositor_frame_dur, viz_wait_for_draw_dur, viz_draw_and_swap_dur, \
        viz_to_gpu_delay_dur, viz_swap_buffers_dur, viz_swap_buffers_to_latch_dur, \
        buffer_available_to_ready_dur, viz_latch_to_presentation_dur, presentation_timestamp";
    assert_eq!(
        stages(viz),
        [
            "6000 6000 20000 10000 10000 20000 4000 50000 300000",
            "1000 20009000 15000 10000 5000 30000 19000 30000 34540000",
        ]
    );
}

#[test]
fn stages_of_scroll_updates() {
    let trace = scroll();
    let stages = |sql: &str| columns(&trace, "chrome_scroll_update_info", sql);
    let facts = "id, previous_input_id, frame_display_id, input_reader_dur, input_dispatcher_dur, \
        since_previous_generation_dur";
    assert_eq!(
        stages(facts),
        [
            "12 NULL 601 15000 8000 NULL",
            "14 12 601 NULL NULL 20000",
            "16 14 602 NULL NULL 14370000"
        ]
    );
    // The compositor begins the first frame with the resampling.
    let begin = "compositor_dispatch_to_on_begin_frame_delay_dur, compositor_on_begin_frame_ts, \
        compositor_on_begin_frame_dur, compositor_on_begin_frame_to_generation_delay_dur";
    assert_eq!(
        stages(begin),
        ["53000 150000 8000 5000", "22000 150000 10000 3000", "5000 14420000 2000 3000"]
    );
}

#[test]
fn frames() {
    let trace = scroll();
    let frames = |sql: &str| columns(&trace, "chrome_scroll_frame_info", sql);
    let facts = "id, last_input_before_this_frame_id, vsync_interval_dur, is_janky, \
        total_input_delta_y, presented_scrolled_delta_y, first_input_generation_ts, \
        previous_last_input_to_first_input_generation_dur";
    assert_eq!(
        frames(facts),
        ["601 NULL 16000000 0 1.5 3.0 5000 NULL", "602 14 16000000 1 1.5 1.0 14395000 14370000"]
    );
    let changes = "first_input_compositor_dispatch_dur, first_input_compositor_dispatch_delta_dur, \
        viz_wait_for_draw_dur, viz_wait_for_draw_delta_dur";
    assert_eq!(frames(changes), ["7000 NULL 6000 NULL", "4000 -3000 20009000 20003000"]);
}

/// Of the first frame, the stages of inputs and of frames are left out.
#[test]
fn frames_of_version_4() {
    let trace = scroll();
    let frames = |columns: &str| {
        let sql = format!("SELECT {columns} FROM chrome_scroll_frame_info_v4 ORDER BY id");
        lines(&trace, "chrome_scrolls_v4", &sql)
    };
    let facts = "scroll_update_latency_id, scroll_id, vsync_interval_dur, is_janky, is_inertial, \
        frame_index_in_scroll, real_abs_total_raw_delta_pixels";
    assert_eq!(frames(facts), ["12 1 16000000 0 0 1 NULL", "16 1 16000000 1 1 2 1.5"]);
    let stages = "first_input_generation_ts, previous_last_input_to_first_input_generation_dur, \
        first_input_compositor_dispatch_dur, first_input_compositor_dispatch_delta_dur, \
        viz_wait_for_draw_dur, viz_wait_for_draw_delta_dur, presentation_ts";
    assert_eq!(
        frames(stages),
        [
            "NULL NULL 7000 NULL NULL NULL NULL",
            "14395000 14370000 4000 -3000 20009000 20003000 34540000",
        ]
    );
}

/// The input of the second frame comes 0.9 vsync intervals after the one before, which is usual,
/// and is below 2 pixels.
#[test]
fn tags() {
    let trace = scroll();
    let tags = |sql: &str| lines(&trace, "scroll_jank_tagging", sql);
    let dropped = "602 dropped_previous_frame/SKIPPED_REASON_NO_DAMAGE";
    assert_eq!(
        tags("SELECT frame_id, tag FROM chrome_scroll_jank_tags ORDER BY tag"),
        [
            dropped,
            "602 infrequent_input_viz_scheduling",
            "602 long_viz_wait_for_draw",
            "602 slow_input"
        ]
    );
    let others = "infrequent_input_viz_scheduling,long_viz_wait_for_draw,slow_input";
    assert_eq!(
        tags("SELECT frame_id, tagged, tags FROM chrome_tagged_janky_scroll_frames"),
        [format!("602 1 dropped_previous_frame/SKIPPED_REASON_NO_DAMAGE,{others}")]
    );
    assert_eq!(
        tags("SELECT tag FROM chrome_scroll_jank_tags_v4 ORDER BY tag"),
        ["infrequent_input_viz_scheduling", "long_viz_wait_for_draw", "slow_input"]
    );
    assert_eq!(
        tags("SELECT tagged, tags FROM chrome_tagged_janky_scroll_frames_v4"),
        [format!("1 {others}")]
    );
}
