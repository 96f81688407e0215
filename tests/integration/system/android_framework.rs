//! What Android's own services report: feature flags, videos of displays, starts of processes; and
//! what was attached to a recording.

use tpq_testkit::{Message, Packet};

use super::packets;
use crate::imported::{Imported, TRACK, WRITER};
use tpq_testkit::clock_id::{BOOTTIME, MONOTONIC};

fn lines(trace: &Imported, sql: &str) -> Vec<String> {
    trace.cells(sql).iter().map(|cells| cells.join(" ")).collect()
}

fn at(ts: u64) -> Packet {
    Packet::new().sequence(2).timestamp(ts)
}

#[test]
fn feature_flags() {
    let flag = Message::new()
        .bytes(1, "windows")
        .bytes(2, "new_shell")
        .bytes(3, "com.android.window.flags")
        .bytes(4, "system")
        .bytes(5, "disabled")
        .bytes(6, "enabled")
        .int(7, 2)
        .int(8, 3)
        .int(9, 1)
        .int(10, 1);
    let unknown = Message::new().bytes(2, "odd").int(7, 9).int(9, -1);
    let flags = Message::new().message(1, flag).message(1, unknown).bytes(2, "no service");
    let trace = packets([at(10).payload(127, flags)]);
    let sql = "INCLUDE PERFETTO MODULE android.aflags; \
        SELECT ts, package, name, flag_namespace, container, value, staged_value, permission, \
            value_picked_from, storage_backend, type FROM android_aflags";
    assert_eq!(
        lines(&trace, sql),
        [
            "10 com.android.window.flags new_shell windows system disabled enabled read-write \
             local none boolean",
            "10 NULL odd NULL NULL NULL NULL unspecified unspecified unspecified unspecified",
        ]
    );
    let errors = "SELECT sum(value) FROM stats WHERE name = 'android_aflags_errors'";
    assert_eq!(trace.cell(errors), "1");
}

/// The first packet of a stream states the names of the display and the codec.
#[test]
fn frames_of_videos() {
    let config = Message::new().uint(1, 4).int(3, 1).bytes(4, "config");
    let config = config.bytes(8, "Built-in").bytes(9, "avc1.42E01E");
    let frame = Message::new().uint(1, 4).uint(2, 7).int(3, 1).bytes(5, "picture");
    let frame = frame.uint(6, 1).uint(7, 33);
    let trace = packets([
        at(10).payload(1000, config),
        at(20).payload(1000, frame),
        at(30).payload(1000, Message::new().uint(1, 5).bytes(5, "other")),
        at(40).payload(1000, Message::new().uint(1, 5)),
        at(50).payload(1001, Message::new().uint(1, 5).int(2, 3)),
    ]);
    let sql = "SELECT ts, display_id, display_name, codec_string, frame_number, codec, \
        is_key_frame, pts_us, is_config FROM __intrinsic_video_frames ORDER BY id";
    assert_eq!(
        lines(&trace, sql),
        [
            "10 4 Built-in avc1.42E01E 0 1 NULL NULL 1",
            "20 4 Built-in avc1.42E01E 7 1 1 33 NULL",
            "30 5 NULL NULL 0 0 0 NULL NULL",
        ]
    );
    let gone = "SELECT sum(value) FROM stats WHERE name = 'android_video_display_gone'";
    assert_eq!(trace.cell(gone), "1");
}

/// A frame is on the timeline when it was shown, which the monotonic clock tells, and not when the
/// encoder was done with it. Boot time is 1000 ns ahead here.
#[test]
fn frames_of_videos_are_at_the_time_they_were_shown() {
    let frame = |pts: u64| Message::new().uint(1, 4).bytes(5, "picture").uint(7, pts);
    let trace = packets([
        crate::imported::clocks(&[(MONOTONIC, 1_000), (BOOTTIME, 2_000)]),
        at(100_000).payload(1000, frame(60)),
        at(101_000).payload(1000, frame(50)),
        at(102_000).payload(1000, Message::new().uint(1, 4).bytes(4, "config")),
        at(103_000).payload(1001, Message::new().uint(1, 5).int(2, 2)),
    ]);
    let sql = "SELECT ts, pts_us, is_config FROM __intrinsic_video_frames ORDER BY id";
    assert_eq!(lines(&trace, sql), ["51000 50 NULL", "61000 60 NULL", "102000 NULL 1"]);
    let log = "SELECT l.ts, l.name, key, value_type, int_value FROM trace_import_logs l \
        JOIN args USING (arg_set_id)";
    assert_eq!(lines(&trace, log), ["103000 android_video_codec_error display_id uint 5"]);
}

/// An instant with a field of the framework.
fn report(ts: u64, field: u32, message: Message) -> Packet {
    let event = Message::new().uint(9, 3).uint(11, TRACK).message(field, message);
    Packet::new().sequence(WRITER).timestamp(ts).payload(11, event)
}

/// Two processes of one pid are told apart by the numbers of their starts. The death of a process
/// without a known start is no row.
#[test]
fn processes_that_the_framework_starts() {
    let start = |seq: i64, name: &str| {
        Message::new().int(1, 1_010_042).int(2, 700).bytes(3, name).int(10, seq)
    };
    let first = start(5, "com.app").int(4, 30).int(5, 20).bytes(6, "com.app/.Main").int(7, 1);
    let first = first.int(8, 1).int(11, 10_042).int(12, 1000);
    let trace = packets([
        report(10, 2010, first),
        report(20, 2010, start(5, "again")),
        report(30, 2013, Message::new().int(2, 700).int(4, 5)),
        report(40, 2011, Message::new().int(2, 700).int(9, 5)),
        report(50, 2010, start(6, "com.other").int(7, 999)),
        report(60, 2011, Message::new().int(2, 701).int(9, 9)),
        report(70, 2010, Message::new().int(2, 702)),
    ]);
    let sql = "SELECT pid, name, uid, android_appid, end_ts, start_seq_id, package_uid, \
            caller_uid, defining_uid, fw_start_ts, fw_end_ts, trigger_type, hosting_type, \
            hosting_name, bind_application_delay_ms, process_start_delay_ms \
        FROM __intrinsic_android_track_event_process JOIN process USING (upid) \
        ORDER BY start_seq_id";
    assert_eq!(
        lines(&trace, sql),
        [
            "700 com.app 1010042 10042 30 5 10042 1000 NULL 10 30 TRIGGER_TYPE_ALARM \
             HOSTING_TYPE_ACTIVITY com.app/.Main 30 20",
            "700 com.other 1010042 10042 NULL 6 NULL NULL NULL 50 NULL NULL 999 NULL NULL NULL",
        ]
    );
    let args = "SELECT count(DISTINCT slice.id) FROM slice JOIN args USING (arg_set_id)";
    assert_eq!(trace.cell(args), "7", "each report is a slice with args as well");
}

/// Facts that were attached to the recording; of two values of a key the later one counts.
#[test]
fn attributes_of_a_recording() {
    let attribute = |key: &str| Message::new().bytes(1, key);
    let attributes = Message::new()
        .message(1, attribute("branch").bytes(3, "main"))
        .message(1, attribute("build").int(2, -7))
        .message(1, attribute("branch").bytes(3, "release"))
        .message(1, attribute("without value"));
    let trace = packets([Packet::new().sequence(2).payload(126, attributes)]);
    let sql = "SELECT name, key_type, int_value, str_value FROM metadata \
        WHERE name GLOB 'trace_attribute*' ORDER BY name";
    assert_eq!(
        lines(&trace, sql),
        ["trace_attribute.branch single NULL release", "trace_attribute.build single -7 NULL",]
    );
}
