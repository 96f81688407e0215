//! Frames as the compositor expected and saw them.

use tpq_testkit::{Message, Packet};

use super::android_packets::{float, lines};
use super::packets;

/// An event of the frame timeline: which kind, and its message.
fn frame(at: u64, kind: u32, event: Message) -> Packet {
    Packet::new().sequence(1).timestamp(at).payload(76, Message::new().message(kind, event))
}

const EXPECTED_DISPLAY: u32 = 1;
const ACTUAL_DISPLAY: u32 = 2;
const EXPECTED_SURFACE: u32 = 3;
const ACTUAL_SURFACE: u32 = 4;
const END: u32 = 5;

fn display(cookie: i64, token: i64) -> Message {
    Message::new().int(1, cookie).int(2, token).int(3, 50)
}

fn surface(cookie: i64, token: i64, display: i64) -> Message {
    Message::new().int(1, cookie).int(2, token).int(3, display).int(4, 60).bytes(5, "layer#0")
}

fn end(at: u64, cookie: i64) -> Packet {
    frame(at, END, Message::new().int(1, cookie))
}

const FRAMES: &str = "SELECT s.ts, s.dur, t.type, t.name AS track, s.name, pid, \
    i.int_value AS lane FROM slice s JOIN __stored_track t ON s.track_id = t.id \
    JOIN process p ON t.upid = p.id \
    JOIN args i ON i.arg_set_id = t.dimension_arg_set_id AND i.key = 'track_compressor_idx' \
    ORDER BY s.ts, s.id";

#[test]
fn frames_that_overlap_lie_on_tracks_of_their_process() {
    let trace = packets([
        frame(10, EXPECTED_DISPLAY, display(1, 100)),
        frame(15, EXPECTED_DISPLAY, display(2, 101)),
        end(20, 1),
        frame(22, EXPECTED_DISPLAY, display(3, 102)),
        end(30, 2),
        frame(35, ACTUAL_DISPLAY, display(4, 100)),
        end(40, 4),
        end(50, 99),
    ]);
    assert_eq!(
        lines(&trace, FRAMES),
        [
            "10 10 android_expected_frame_timeline Expected Timeline 100 50 0",
            "15 15 android_expected_frame_timeline Expected Timeline 101 50 1",
            "22 -1 android_expected_frame_timeline Expected Timeline 102 50 0",
            "35 5 android_actual_frame_timeline Actual Timeline 100 50 0",
        ]
    );
    let stat = "SELECT value FROM stats WHERE name = 'frame_timeline_unpaired_end_event'";
    assert_eq!(trace.cell(stat), "1");
}

#[test]
fn the_expectation_of_a_token_is_written_once() {
    let trace = packets([
        frame(10, EXPECTED_SURFACE, surface(1, 7, 100)),
        frame(12, EXPECTED_SURFACE, surface(2, 7, 100)),
        end(20, 1),
        end(22, 2),
    ]);
    let frames = "SELECT ts, dur, f.name, display_frame_token, surface_frame_token, layer_name, pid \
        FROM expected_frame_timeline_slice f JOIN process USING (upid)";
    assert_eq!(lines(&trace, frames), ["10 10 7 100 7 layer#0 60"]);
}

#[test]
fn surfaces_flow_into_the_display_frame_that_shows_them() {
    let trace = packets([
        frame(10, ACTUAL_SURFACE, surface(1, 7, 100)),
        frame(11, ACTUAL_SURFACE, surface(2, 8, 100)),
        frame(12, ACTUAL_SURFACE, surface(3, 9, 101)),
        frame(20, ACTUAL_DISPLAY, display(4, 100)),
        frame(30, ACTUAL_DISPLAY, display(5, 100)),
    ]);
    let flows = "SELECT o.name, i.name, i.ts, trace_id FROM flow JOIN slice o ON slice_out = o.id \
        JOIN slice i ON slice_in = i.id ORDER BY flow.id";
    assert_eq!(lines(&trace, flows), ["7 100 20 NULL", "8 100 20 NULL"]);
}

#[test]
fn a_frame_that_was_late_says_why() {
    // App deadline missed and buffer stuffing; under trial: the display's fault alone.
    let late = surface(1, 7, 100).uint(6, 2).bool(7, false).bool(8, true).int(9, 64 | 128);
    let late = late.uint(10, 1).bool(11, true).uint(12, 3).int(16, 8).uint(17, 4).uint(19, 2);
    let late = float(float(float(late, 13, 2.5), 14, 0.5), 15, 3.25);
    let dropped = surface(2, 8, 100).uint(6, 4).int(9, 1);
    let shown = display(3, 100).uint(4, 1).bool(5, true).int(7, 1024).int(15, 2).int(16, 1);
    let trace = packets([
        frame(10, ACTUAL_SURFACE, late),
        frame(12, ACTUAL_SURFACE, dropped),
        frame(20, ACTUAL_DISPLAY, shown),
    ]);
    let verdicts = "SELECT surface_frame_token AS s, present_type, on_time_finish AS ok, \
        gpu_composition AS gpu, jank_type, jank_severity_type AS sev, prediction_type, jank_tag, \
        jank_tag_experimental AS exp, jank_score AS score, latched_unsignaled_count AS n, \
        addressable_unsignaled_latch_count AS m, latched_fence_state AS fence \
        FROM actual_frame_timeline_slice ORDER BY ts";
    assert_eq!(
        lines(&trace, verdicts),
        [
            "7 Late Present 0 1 App Deadline Missed, Buffer Stuffing Full Valid Prediction \
             Self Jank Other Jank 3.25 NULL NULL Unsignaled",
            "8 Dropped Frame 0 0 None None Unspecified Prediction Dropped Frame Unspecified 0.0 \
             NULL NULL NULL",
            "NULL On-time Present 1 0 Dropped Frame Unknown Unspecified Prediction Dropped Frame \
             Unspecified 0.0 2 1 NULL",
        ]
    );
    let args = "SELECT flat_key, value_type FROM slice JOIN args USING (arg_set_id) \
        WHERE slice.name = '8' ORDER BY args.id";
    assert_eq!(
        lines(&trace, args),
        [
            "Surface frame token int",
            "Display frame token int",
            "Layer name string",
            "Present Delay (ms) real",
            "Vsync Resynced Jitter (ms) real",
            "Present type string",
            "Present type (experimental) string",
            "On time finish int",
            "GPU composition int",
            "Jank type string",
            "Jank type (experimental) string",
            "Jank severity type string",
            "Jank Severity Score real",
            "Prediction type string",
            "Jank tag string",
            "Jank tag (experimental) string",
            "Jank Metadata (debugging only) real",
            "Is Buffer? string",
        ]
    );
}

/// The tag of a surface frame blames the app or the compositor, that of a display frame the
/// compositor alone.
#[test]
fn every_kind_of_jank_has_a_name_and_a_tag() {
    let kinds = [0, 1].into_iter().chain((1..16).map(|bit| 1 << bit));
    let frames = kinds.enumerate().flat_map(|(index, jank)| {
        let (at, index) = (10 + 10 * index as u64, index as i64);
        [
            frame(at, ACTUAL_SURFACE, surface(index, index, 1000 + index).uint(6, 1).int(9, jank)),
            frame(at + 1, ACTUAL_DISPLAY, display(500 + index, 1000 + index).int(7, jank)),
        ]
    });
    let trace = packets(frames);
    let tags = "SELECT s.jank_type, s.jank_tag, d.jank_tag FROM actual_frame_timeline_slice s \
        JOIN actual_frame_timeline_slice d USING (display_frame_token) \
        WHERE s.surface_frame_token IS NOT NULL AND d.surface_frame_token IS NULL ORDER BY s.ts";
    let tags = trace.cells(tags).into_iter().map(|row| row.join(" | ")).collect::<Vec<_>>();
    assert_eq!(
        tags,
        [
            "Unspecified | Unspecified | Unspecified",
            "None | No Jank | No Jank",
            "SurfaceFlinger Scheduling | Other Jank | Self Jank",
            "Prediction Error | Other Jank | Self Jank",
            "Display HAL | Other Jank | Self Jank",
            "SurfaceFlinger CPU Deadline Missed | Other Jank | Self Jank",
            "SurfaceFlinger GPU Deadline Missed | Other Jank | Self Jank",
            "App Deadline Missed | Self Jank | No Jank",
            "Buffer Stuffing | Buffer Stuffing | No Jank",
            "Unknown Jank | Self Jank | No Jank",
            "SurfaceFlinger Stuffing | No Jank | SurfaceFlinger Stuffing",
            "Dropped Frame | No Jank | Dropped Frame",
            "Non Animating | Non Animating | Non Animating",
            "App Resynced Jitter | Self Jank | No Jank",
            "Display not ON | Display not ON | Display not ON",
            "Display mode change in progress | No Jank | No Jank",
            "Display power mode change in progress | No Jank | No Jank",
        ]
    );
}

#[test]
fn presentations_predictions_and_severities() {
    let shown = |number: u64| {
        let frame = surface(number as i64, number as i64, 100);
        frame.uint(6, number).uint(10, number.min(3)).uint(12, number.min(3)).int(9, 1)
    };
    let trace = packets((1..=5).map(|number| frame(10 * number, ACTUAL_SURFACE, shown(number))));
    let types = "SELECT present_type, prediction_type, jank_severity_type \
        FROM actual_frame_timeline_slice ORDER BY ts";
    assert_eq!(
        lines(&trace, types),
        [
            "On-time Present Valid Prediction None",
            "Late Present Expired Prediction Partial",
            "Early Present Unknown Prediction Full",
            "Dropped Frame Unknown Prediction Full",
            "Unknown Present Unknown Prediction Full",
        ]
    );
}

#[test]
fn events_that_lack_what_they_need_are_counted() {
    let trace = packets([
        frame(10, EXPECTED_DISPLAY, Message::new().int(1, 1).int(2, 2)),
        frame(11, ACTUAL_SURFACE, display(1, 2)),
        frame(12, END, Message::new()),
        frame(13, 6, Message::new()),
        frame(14, ACTUAL_DISPLAY, display(1, 2).uint(4, 17)),
        frame(i64::MAX as u64 - 5, EXPECTED_DISPLAY, display(3, 4)),
    ]);
    // Of the frame with an unknown present type only the type is dropped.
    let stat = "SELECT value FROM stats WHERE name = 'frame_timeline_event_parser_errors'";
    assert_eq!(trace.cell(stat), "6");
    assert_eq!(trace.cell("SELECT count(*) FROM slice"), "1");
    let present = "SELECT present_type FROM actual_frame_timeline_slice";
    assert_eq!(trace.cell(present), "Unspecified Present");
}

/// Something that happens to buffer 3 of a layer.
fn buffer(at: u64, kind: u64, number: u64) -> Packet {
    let event = Message::new().uint(1, number).uint(2, kind).bytes(3, "layer").uint(5, 3);
    Packet::new().sequence(1).timestamp(at).payload(57, Message::new().message(1, event))
}

const DEQUEUE: u64 = 1;
const QUEUE: u64 = 2;
const ACQUIRE: u64 = 4;
const LATCH: u64 = 5;
const PRESENT: u64 = 8;

#[test]
fn a_buffer_goes_from_the_app_over_gpu_and_compositor_to_the_display() {
    let trace = packets([
        buffer(10, DEQUEUE, 0),
        buffer(20, QUEUE, 7),
        buffer(25, ACQUIRE, 7),
        buffer(30, LATCH, 7),
        buffer(50, PRESENT, 7),
        buffer(60, PRESENT, 8),
    ]);
    let phases = "SELECT f.ts, f.dur, t.name AS track, f.name, layer_name, frame_number \
        FROM frame_slice f JOIN track t ON f.track_id = t.id WHERE t.name NOT LIKE 'Buffer%' \
        ORDER BY f.id";
    assert_eq!(
        lines(&trace, phases),
        [
            "10 10 APP_3 layer 7 layer 7",
            "20 5 GPU_3 layer 7 layer 7",
            "30 20 SF_3 layer 7 layer 7",
            "50 10 Display_layer 7 layer 7",
            "60 -1 Display_layer 8 layer 8",
        ]
    );
    // Times are those between the events before; of the first, nothing happened before. The number
    // of the frame is not known then.
    let events = "SELECT f.ts, t.type, t.name AS track, f.name, frame_number, \
        queue_to_acquire_time AS q, acquire_to_latch_time AS a, latch_to_present_time AS l \
        FROM frame_slice f JOIN track t ON f.track_id = t.id WHERE t.name LIKE 'Buffer%' \
        ORDER BY f.id";
    assert_eq!(
        lines(&trace, events),
        [
            "10 graphics_frame_event Buffer: 3 layer Dequeue 0 0 0 10",
            "20 graphics_frame_event Buffer: 3 layer Queue 7 0 0 20",
            "25 graphics_frame_event Buffer: 3 layer AcquireFenceSignaled 7 5 -25 25",
            "30 graphics_frame_event Buffer: 3 layer Latch 7 5 5 0",
            "50 graphics_frame_event Buffer: 3 layer PresentFenceSignaled 7 5 5 20",
            "60 graphics_frame_event Buffer: 3 layer PresentFenceSignaled 8 5 5 30",
        ]
    );
}

#[test]
fn a_phase_with_a_lost_end_is_of_no_frame() {
    let trace = packets([
        buffer(10, DEQUEUE, 0),
        buffer(20, LATCH, 4),
        buffer(30, DEQUEUE, 0),
        buffer(32, ACQUIRE, 0),
        buffer(35, QUEUE, 5),
        Packet::new()
            .sequence(1)
            .timestamp(40)
            .payload(57, Message::new().message(1, Message::new())),
    ]);
    // The second time the GPU was done before the app gave the buffer away.
    let phases = "SELECT f.ts, f.dur, t.name AS track, f.name, f.depth, frame_number \
        FROM frame_slice f JOIN track t ON f.track_id = t.id WHERE t.name NOT LIKE 'Buffer%' \
        ORDER BY f.id";
    assert_eq!(
        lines(&trace, phases),
        ["10 -1 APP_3 layer 0 0 0", "20 -1 SF_3 layer 4 0 4", "30 5 APP_3 layer 5 1 5",]
    );
    let stat = "SELECT value FROM stats WHERE name = 'graphics_frame_event_parser_errors'";
    assert_eq!(trace.cell(stat), "1");
}

#[test]
fn a_trace_without_an_id_gets_one_by_its_contents() {
    let id = |trace: crate::imported::Imported| {
        trace.cell("SELECT str_value FROM metadata WHERE name = 'trace_uuid'")
    };
    let one = id(packets([end(10, 1)]));
    assert!(one.starts_with("00000000-0000-0000-"), "{one}");
    assert_ne!(one, id(packets([end(11, 1)])));
    let named = id(packets([Packet::new().trace_uuid(1, 2)]));
    assert_eq!(named, "00000000-0000-0001-0000-000000000002");
}
