//! Apps as the system knows and serves them, and the device itself.

use tpq_testkit::{Message, Packet, ProcessTree};

use super::{
    APP, BINDER, RENDER, SYSTEM, app_frame, calls, frame, lines, marked, marks, packages, recorded,
    startup,
};

#[test]
fn processes_have_packages() {
    let trace = recorded(
        marks(&[(10, APP, "I|100|x")]),
        vec![packages(&[("com.example.app", 10_001), ("com.other", 10_002)])],
    );
    let sql = "SELECT pid, process_name, uid, shared_uid, user_id, package_name, version_code, \
        debuggable, is_kernel_task FROM android_process_metadata WHERE pid > 0 ORDER BY pid";
    assert_eq!(
        lines(&trace, "process_metadata", sql),
        [
            "1 /sbin/init 0 NULL 0 NULL NULL NULL 1",
            "2 kthreadd 0 NULL 0 NULL NULL NULL 1",
            "3 kworker 0 NULL 0 NULL NULL NULL 1",
            "100 com.example.app 10001 NULL 0 com.example.app 7 1 0",
            "500 system_server 1000 NULL 0 NULL NULL NULL 0",
        ]
    );
    let sql = "SELECT pid, android_is_kernel_task(upid) FROM process WHERE pid IN (3, 100) \
        ORDER BY pid";
    assert_eq!(lines(&trace, "process_metadata", sql), ["3 1", "100 0"]);
}

/// Of two packages with one app id, the one counts that the process's name begins with.
#[test]
fn a_shared_app_id() {
    let trace = recorded(
        marks(&[(10, APP, "I|100|x")]),
        vec![packages(&[("com.other", 10_001), ("com.example", 10_001)])],
    );
    let sql = "SELECT pid, shared_uid, package_name FROM android_process_metadata WHERE pid = 100";
    assert_eq!(lines(&trace, "process_metadata", sql), ["100 1 com.example"]);
}

/// The package with the shortest name counts.
#[test]
fn packages_of_user_ids() {
    let trace = recorded(
        marks(&[(10, APP, "I|100|x")]),
        vec![packages(&[("com.example.longer", 10_001), ("com.example", 10_001)])],
    );
    let sql = "SELECT android_package_lookup(10001) AS a, android_package_lookup(1010001) AS b, \
        android_package_lookup(5) AS c";
    assert_eq!(lines(&trace, "package_lookup", sql), ["com.example com.example NULL"]);
}

#[test]
fn the_freezer() {
    let trace = marked(&[
        (10, SYSTEM, "I|500|Freeze com.example.app:100"),
        (30, SYSTEM, "I|500|Unfreeze com.example.app:100 6"),
        (40, SYSTEM, "I|500|Freeze com.example.app:100"),
        (50, SYSTEM, "I|500|x"),
    ]);
    let sql = "SELECT pid, ts, dur, unfreeze_reason_int, unfreeze_reason_str \
        FROM android_freezer_events ORDER BY ts";
    assert_eq!(lines(&trace, "freezer", sql), ["100 10 20 6 start_service", "100 40 10 NULL NULL"]);
}

#[test]
fn apps_that_do_not_respond() {
    let trace = marked(&[
        (10, SYSTEM, "C|500|ErrorId:com.example.app 100#ab-cd|1"),
        (11, SYSTEM, "C|500|Subject(for ErrorId ab-cd):Input dispatching timed out (x)|1"),
    ]);
    let sql = "SELECT process_name, pid, error_id, ts, subject, anr_type FROM android_anrs";
    assert_eq!(
        lines(&trace, "anrs", sql),
        ["com.example.app 100 ab-cd 10 Input dispatching timed out (x) INPUT_DISPATCHING_TIMEOUT"]
    );
}

/// The timer of the third report expired at 30; the types of the others follow from the subject.
#[test]
fn causes_and_timeouts_of_anrs() {
    let trace = marked(&[
        (10, SYSTEM, "C|500|ErrorId:com.example.app 100#1|1"),
        (10, SYSTEM, "C|500|Subject(for ErrorId 1):Broadcast of Intent { act=A flg=0x1 cmp=b }|1"),
        (20, SYSTEM, "C|500|ErrorId:com.example.app 100#2|1"),
        (20, SYSTEM, "C|500|Subject(for ErrorId 2):Broadcast of Intent { act=A flg=0x10000010 }|1"),
        (30, SYSTEM, "B|500|expired(7,100,10001,SERVICE_TIMEOUT,20000)"),
        (31, SYSTEM, "E|500"),
        (40, SYSTEM, "C|500|ErrorId:com.example.app 100#3|1"),
        (40, SYSTEM, "C|500|Subject(for ErrorId 3):executing service a/.S, waited|1"),
        (50, SYSTEM, "C|500|ErrorId:system_server 500#4|1"),
        (50, SYSTEM, "C|500|Subject(for ErrorId 4):Blocked in handler on main (main) for 2s|1"),
        (60, SYSTEM, "C|500|ErrorId:com.other#5|1"),
    ]);
    let sql = "SELECT error_id, anr_type, intent, component, timer_delay, anr_dur_ms, \
        default_anr_dur_ms FROM android_anrs ORDER BY ts";
    assert_eq!(
        lines(&trace, "anrs", sql),
        [
            "1 BROADCAST_OF_INTENT A b NULL NULL 60000",
            "2 BROADCAST_OF_INTENT A NULL NULL NULL 10000",
            "3 EXECUTING_SERVICE NULL a/.S 10 20000 20000",
            "4 SYSTEM_SERVER_WATCHDOG_TIMEOUT NULL NULL NULL 2000 NULL",
            "5 NULL NULL NULL NULL NULL NULL",
        ]
    );
}

#[test]
fn broadcasts() {
    let trace = marked(&[
        (10, SYSTEM, "G|500|BroadcastQueue.mRunning[2]|5af 100:com.example.app/u0a1 running|1"),
        (12, SYSTEM, "G|500|BroadcastQueue.mRunning[2]|1b2 android.intent.A/u0 scheduled|1"),
        (16, SYSTEM, "H|500|BroadcastQueue.mRunning[2]|1"),
        (20, SYSTEM, "H|500|BroadcastQueue.mRunning[2]|1"),
    ]);
    let sql = "SELECT record_id, intent_action, process_name, pid, process_queue_id, queue_id, ts, \
        dur FROM _android_broadcasts_minsdk_u";
    assert_eq!(
        lines(&trace, "broadcasts", sql),
        ["1b2 android.intent.A com.example.app 100 5af 2 12 4"]
    );
}

#[test]
fn jobs() {
    let trace = marked(&[
        (10, SYSTEM, "G|500|JobScheduler|*job*<10001>com.example.app/.Sync#42|1"),
        (30, SYSTEM, "H|500|JobScheduler|1"),
    ]);
    let sql = "SELECT job_id, uid, package_name, job_service_name, ts, dur \
        FROM android_job_scheduler_events";
    assert_eq!(lines(&trace, "job_scheduler", sql), ["42 10001 com.example.app .Sync 10 20"]);
}

/// The app reads an event that the system sent at 20, and finishes it at 50.
#[test]
fn input_events() {
    let sent = "inputChannel=app (server), seq=0x7, type=MOTION)";
    let received = "inputChannel=app (client), seq=0x7, type=MOTION)";
    let finished = "inputChannel=app (client), seq=0x7, type=FINISHED)";
    let message = "inputChannel=app (server), seq=0x7, type=FINISHED)";
    let slice = |pid: i32, name: String| format!("B|{pid}|{name}");
    let trace = marked(&[
        (20, BINDER, &slice(500, format!("sendMessage({sent}"))),
        (22, BINDER, "E|500"),
        (30, APP, &slice(100, format!("receiveMessage({received}"))),
        (33, APP, "E|100"),
        (50, APP, &slice(100, format!("sendMessage({finished}"))),
        (51, APP, "E|100"),
        (55, BINDER, &slice(500, format!("receiveMessage({message}"))),
        (56, BINDER, "E|500"),
    ]);
    let sql = "SELECT dispatch_latency_dur, handling_latency_dur, ack_latency_dur, \
        total_latency_dur, tid, process_name, event_type, event_seq, event_channel, dispatch_ts, \
        dispatch_dur, receive_ts, receive_dur, frame_id FROM android_input_events";
    assert_eq!(
        lines(&trace, "input", sql),
        ["10 20 5 35 100 com.example.app MOTION 0x7 app (server) 20 2 30 3 NULL"]
    );
}

/// The system reads an event at 10 and sends it at 20. The app handles it within frame 55, which is
/// on the display until 200. A second event, sent at 220, is handled before frame 56 begins.
#[test]
fn input_events_and_their_frames() {
    /// The thread that sends events.
    const INPUT: i32 = 503;
    let mut events = marks(&[
        (10, SYSTEM, "B|500|UnwantedInteractionBlocker::notifyMotion(id=0x9)"),
        (12, SYSTEM, "E|500"),
        (15, INPUT, "B|500|enqueue(inputChannel=1f a/.B (server), id=0x9)"),
        (16, INPUT, "B|500|dispatch"),
        (17, INPUT, "B|500|publish"),
        (20, INPUT, "B|500|sendMessage(inputChannel=1f a/.B (server), seq=0x7, type=MOTION)"),
        (22, INPUT, "E|500"),
        (23, INPUT, "E|500"),
        (24, INPUT, "E|500"),
        (25, INPUT, "E|500"),
        (30, APP, "B|100|receiveMessage(inputChannel=1f a/.B (client), seq=0x7, type=MOTION)"),
        (33, APP, "E|100"),
        (34, APP, "S|100|InputConsumer processing on 1f a/.B (0x7)|7"),
        (40, APP, "B|100|Choreographer#doFrame 55"),
        (41, APP, "B|100|dispatchInputEvent MotionEvent ACTION_MOVE deviceId=3"),
        (42, APP, "B|100|deliverInputEvent src=0x1002 eventTimeNano=9000 id=0x9"),
        (44, APP, "E|100"),
        (45, APP, "E|100"),
        (46, APP, "F|100|InputConsumer processing on 1f a/.B (0x7)|7"),
        (50, APP, "B|100|sendMessage(inputChannel=1f a/.B (client), seq=0x7, type=FINISHED)"),
        (51, APP, "E|100"),
        (55, INPUT, "B|500|receiveMessage(inputChannel=1f a/.B (server), seq=0x7, type=FINISHED)"),
        (56, INPUT, "E|500"),
        (60, APP, "E|100"),
        (61, RENDER, "B|100|DrawFrames 55"),
        (70, RENDER, "E|100"),
    ]);
    events.extend(marks(&[
        (215, INPUT, "B|500|enqueue(inputChannel=1f a/.B (server), id=0xa)"),
        (216, INPUT, "B|500|dispatch"),
        (217, INPUT, "B|500|publish"),
        (220, INPUT, "B|500|sendMessage(inputChannel=1f a/.B (server), seq=0x8, type=KEY)"),
        (222, INPUT, "E|500"),
        (223, INPUT, "E|500"),
        (224, INPUT, "E|500"),
        (225, INPUT, "E|500"),
        (230, APP, "B|100|receiveMessage(inputChannel=1f a/.B (client), seq=0x8, type=KEY)"),
        (231, APP, "E|100"),
        (241, APP, "B|100|dispatchInputEvent KeyEvent ACTION_DOWN deviceId=3"),
        (242, APP, "B|100|deliverInputEvent src=0x101 eventTimeNano=9500 id=0xa"),
        (244, APP, "E|100"),
        (245, APP, "E|100"),
        (250, APP, "B|100|sendMessage(inputChannel=1f a/.B (client), seq=0x8, type=FINISHED)"),
        (251, APP, "E|100"),
        (255, INPUT, "B|500|receiveMessage(inputChannel=1f a/.B (server), seq=0x8, type=FINISHED)"),
        (256, INPUT, "E|500"),
        (260, APP, "B|100|Choreographer#doFrame 56"),
        (270, APP, "E|100"),
    ]));
    let sender = ProcessTree::new().thread(INPUT, SYSTEM, "InputDispatcher");
    let mut packets = vec![Packet::new().sequence(9).timestamp(2).process_tree(sender)];
    packets.extend(app_frame(55, (35, 65), (38, 75)));
    let shown = Message::new().int(1, 1).int(2, 900).int(3, SYSTEM.into());
    packets.extend([frame(80, 2, shown), frame(200, 5, Message::new().int(1, 1))]);
    let trace = recorded(events, packets);

    let sql = "SELECT end_to_end_latency_dur, pid, event_action, normalized_event_channel, \
        input_event_id, read_time, frame_id, is_speculative_frame, event_time \
        FROM android_input_events ORDER BY dispatch_ts";
    assert_eq!(
        lines(&trace, "input", sql),
        [
            "190 100 ACTION_MOVE a/.B (server) 0x9 10 55 0 9000",
            "NULL 100 ACTION_DOWN a/.B (server) 0xa NULL 56 1 9500",
        ]
    );
    let sql = "SELECT input_id, ts_reader, ts_dispatch, ts_receive, ts_consume, dur_consume \
        FROM _android_input_lifecycle_by_slice_id( \
            (SELECT id FROM slice WHERE name GLOB 'InputConsumer*'))";
    assert_eq!(lines(&trace, "input", sql), ["0x9 10 20 30 34 12"]);
    let sql = "SELECT frame_id, ts_do_frame, dur_do_frame, ts_draw_frames, dur_draw_frames, ts_sf \
        FROM _android_input_frames ORDER BY frame_id";
    assert_eq!(lines(&trace, "input", sql), ["55 40 20 61 9 NULL", "56 260 10 NULL NULL NULL"]);
}

/// Packets at 5, 7 and 20 to 25 with nine, and at 22, and a network that disconnects after 10:
/// the first costs 10, the second the 2 that it comes later; the third comes after more than 10,
/// and shares 5 with the last as nine to one.
#[test]
fn networks_that_stay_connected() {
    let packets = "(SELECT column1 AS id, column2 AS ts, column3 AS dur, column4 AS packet_count, \
        10 AS packet_length, 'wlan0' AS iface FROM (VALUES (1, 500, 0, 1), (2, 700, 0, 1), \
        (3, 2000, 500, 9), (4, 2200, 0, 1)))";
    let sql = format!(
        "SELECT iface, ts, dur, packet_count, packet_length \
         FROM android_network_uptime_spans!({packets}, (iface), 1000) ORDER BY ts"
    );
    assert_eq!(
        lines(&startup(), "network_packets", &sql),
        ["wlan0 500 1200 2 20", "wlan0 2000 1500 10 20"]
    );
    let sql = format!(
        "SELECT id, uptime_cost FROM android_network_uptime_cost!({packets}, (iface), 1000) \
         ORDER BY id"
    );
    assert_eq!(lines(&startup(), "network_packets", &sql), ["1 1000", "2 200", "3 1450", "4 50"]);
}

#[test]
fn names_of_slices_and_threads() {
    let sql = "SELECT android_standardize_slice_name(name) AS name FROM (VALUES \
        (1, 'Choreographer#doFrame 12'), (2, 'Lock contention on thread list lock (owner tid: 7)'), \
        (3, 'android.view.Choreographer$FrameHandler: #1'), (4, 'android.os.Handler: a.b.C$1'), \
        (5, 'inflate')) AS names(nth, name) ORDER BY nth";
    assert_eq!(
        lines(&calls(), "slices", sql),
        [
            "Choreographer#doFrame",
            "Lock contention on thread list lock <...>",
            "Handler: android.view.Choreographer",
            "Handler: a.b.C",
            "inflate",
        ]
    );
    let sql = "SELECT android_standardize_thread_name('RenderThread-1[123]') AS a, \
        android_standardize_thread_name('binder:5543_E') AS b, \
        android_standardize_thread_name('kworker/u4:1') AS c, \
        android_standardize_thread_name('Thread12') AS d";
    assert_eq!(lines(&calls(), "thread", sql), ["RenderThread binder kworker Thread<num>"]);
}

#[test]
fn atoms_of_statsd() {
    let trace = marked(&[(10, SYSTEM, "N|500|Statsd Atoms|perfetto_trigger")]);
    let sql = "SELECT ts, dur, name FROM android_statsd_atoms";
    assert_eq!(lines(&trace, "statsd", sql), ["10 0 perfetto_trigger"]);
    let sql = "SELECT ts, trigger_name FROM _android_statsd_perfetto_triggers";
    assert_eq!(lines(&trace, "statsd", sql), ["10 NULL"]);
}

#[test]
fn the_device() {
    let info = Message::new().bytes(2, "google/cheetah/cheetah:14/UP1A/1:user/keys").int(5, 34);
    let trace = recorded(
        marks(&[(10, APP, "I|100|x")]),
        vec![Packet::new().sequence(9).timestamp(2).payload(45, info)],
    );
    assert_eq!(lines(&trace, "version", "SELECT _android_sdk_version() AS sdk"), ["34"]);
    assert_eq!(lines(&trace, "device", "SELECT name FROM android_device_name"), ["cheetah"]);
}
