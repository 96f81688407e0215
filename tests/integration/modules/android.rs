//! `android.*`: an app of process 100 and the system server, process 500, write markers.

use tpq_testkit::{FtraceBundle, FtraceEvent, Message, Packet, ProcessTree, Task};

use crate::imported::{Imported, recording};

const IDLE: Task<'_> = Task::new("swapper", 0);
/// The main thread of the app.
const APP: i32 = 100;
/// The app's thread that draws.
const RENDER: i32 = 102;
/// The main thread of the system server.
const SYSTEM: i32 = 500;
/// A thread of the system server that serves calls.
const BINDER: i32 = 501;

/// Who there is.
fn processes() -> Packet {
    let tree = ProcessTree::new()
        .process(1, 0, &["/sbin/init"], 0)
        .process(2, 0, &["kthreadd"], 0)
        .process(3, 2, &["kworker"], 0)
        .process(APP, 1, &["com.example.app"], 10_001)
        .process(SYSTEM, 1, &["system_server"], 1_000)
        .thread(APP, APP, "app")
        .thread(RENDER, APP, "RenderThread")
        .thread(SYSTEM, SYSTEM, "system_server")
        .thread(BINDER, SYSTEM, "binder:500_1");
    Packet::new().sequence(9).timestamp(1).process_tree(tree)
}

/// A recording of what CPU 0 saw from 1 ns on, and further packets.
fn recorded(events: Vec<FtraceEvent>, packets: Vec<Packet>) -> Imported {
    let bundle = events.into_iter().fold(FtraceBundle::new(0), FtraceBundle::event);
    let kernel = Packet::new().sequence(1).ftrace(bundle);
    Imported::trace(recording().packet(processes()).packet(kernel).packets(packets))
}

/// Markers: when, by which thread, and the line.
fn marks(lines: &[(u64, i32, &str)]) -> Vec<FtraceEvent> {
    lines.iter().map(|&(at, by, line)| FtraceEvent::print(at, by, line)).collect()
}

fn marked(lines: &[(u64, i32, &str)]) -> Imported {
    recorded(marks(lines), Vec::new())
}

/// The rows of a query on a module, columns in single blanks, without the names above.
fn lines(trace: &Imported, module: &str, sql: &str) -> Vec<String> {
    let rows = trace.cells(&format!("INCLUDE PERFETTO MODULE android.{module}; {sql}"));
    rows.into_iter().map(|row| row.join(" ")).collect()
}

/// A packet of the frame timeline: which kind, and the event.
fn frame(at: u64, kind: u32, event: Message) -> Packet {
    Packet::new().sequence(1).timestamp(at).payload(76, Message::new().message(kind, event))
}

/// The frame `token` of the app as it was expected and as it was seen, each from one moment to
/// another.
fn app_frame(token: i64, expected: (u64, u64), seen: (u64, u64)) -> Vec<Packet> {
    let surface = |cookie: i64| {
        Message::new().int(1, cookie).int(2, token).int(3, 900).int(4, APP.into()).bytes(5, "app#7")
    };
    let cookie = token * 10;
    vec![
        frame(expected.0, 3, surface(cookie)),
        frame(seen.0, 4, surface(cookie + 1)),
        frame(expected.1, 5, Message::new().int(1, cookie)),
        frame(seen.1, 5, Message::new().int(1, cookie + 1)),
    ]
}

/// The package of the app, of the app id 10001, version 7, to be debugged.
fn packages(packages: &[(&str, u64)]) -> Packet {
    let list = packages.iter().fold(Message::new(), |list, &(name, uid)| {
        list.message(1, Message::new().bytes(1, name).uint(2, uid).uint(3, 1).uint(5, 7))
    });
    Packet::new().sequence(1).timestamp(1).payload(47, list)
}

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

/// Of two packages with one app id, the one counts whose name the process's begins with.
#[test]
fn a_shared_app_id() {
    let trace = recorded(
        marks(&[(10, APP, "I|100|x")]),
        vec![packages(&[("com.other", 10_001), ("com.example", 10_001)])],
    );
    let sql = "SELECT pid, shared_uid, package_name FROM android_process_metadata WHERE pid = 100";
    assert_eq!(lines(&trace, "process_metadata", sql), ["100 1 com.example"]);
}

/// A cold startup from 20 to 1,020: the app binds, starts, resumes and draws frame 55.
fn startup() -> Imported {
    let mut events = vec![FtraceEvent::sched_switch(100, IDLE, 0, Task::new("app", APP))];
    events.extend(marks(&[
        (20, SYSTEM, "S|500|launchingActivity#7|1"),
        (40, SYSTEM, "S|500|launching: com.example.app|2"),
        (200, APP, "B|100|bindApplication"),
        (220, APP, "B|100|VerifyClass a.B"),
        (240, APP, "E|100"),
        (300, APP, "E|100"),
        (320, APP, "B|100|activityStart"),
        (380, APP, "E|100"),
        (400, APP, "B|100|activityResume"),
        (450, APP, "E|100"),
        (600, APP, "B|100|Choreographer#doFrame 55"),
        (650, RENDER, "B|100|DrawFrames 55"),
        (700, APP, "E|100"),
        (750, RENDER, "E|100"),
        (760, APP, "B|100|La/b/C;"),
        (770, APP, "E|100"),
        (800, APP, "B|100|reportFullyDrawn() for com.example.app"),
        (810, APP, "E|100"),
        (850, APP, "B|100|Choreographer#doFrame 56"),
        (860, RENDER, "B|100|DrawFrames 56"),
        (880, APP, "E|100"),
        (900, RENDER, "E|100"),
        (1_000, SYSTEM, "F|500|launching: com.example.app|2"),
        (1_020, SYSTEM, "F|500|launchingActivity#7|1"),
        (1_021, SYSTEM, "I|500|launchingActivity#7:completed-cold:com.example.app"),
    ]));
    events.push(FtraceEvent::sched_switch(1_100, Task::new("app", APP), 1, IDLE));
    let mut frames = app_frame(55, (590, 690), (595, 760));
    frames.extend(app_frame(56, (840, 940), (845, 905)));
    recorded(events, frames)
}

#[test]
fn app_startups() {
    let trace = startup();
    let startups = |sql: &str| lines(&trace, "startup.startups", sql);
    let sql = "SELECT startup_id, ts, ts_end, dur, package, startup_type FROM android_startups";
    assert_eq!(startups(sql), ["7 20 1020 1000 com.example.app cold"]);
    let sql = "SELECT startup_id, pid, startup_type FROM android_startup_processes";
    assert_eq!(startups(sql), ["7 100 cold"]);
    let sql = "SELECT startup_id, ts, dur, pid, tid, thread_name, is_main_thread \
        FROM android_startup_threads WHERE tid IN (100, 102) ORDER BY tid";
    assert_eq!(startups(sql), ["7 20 1000 100 100 app 1", "7 20 1000 100 102 RenderThread 0"]);
    let sql = "SELECT startup_ts, startup_ts_end, tid, slice_name, slice_ts, slice_dur \
        FROM android_thread_slices_for_all_startups WHERE slice_ts < 400 ORDER BY slice_ts";
    assert_eq!(
        startups(sql),
        [
            "20 1020 100 bindApplication 200 100",
            "20 1020 100 VerifyClass a.B 220 20",
            "20 1020 100 activityStart 320 60",
        ]
    );
    let sql = "SELECT slice_name, slice_ts, slice_dur, tid \
        FROM android_slices_for_startup_and_slice_name(7, 'activity*') ORDER BY slice_ts";
    assert_eq!(startups(sql), ["activityStart 320 60 100", "activityResume 400 50 100"]);
    let sql = "SELECT startup_id, slice_name, slice_ts, tid FROM android_class_loading_for_startup";
    assert_eq!(startups(sql), ["7 La/b/C; 760 100"]);
    // Drawing took 100 and 40 on the thread that draws.
    let sql = "SELECT android_sum_dur_for_startup_and_slice(7, 'DrawFrames*') AS all_threads, \
        android_sum_dur_on_main_thread_for_startup_and_slice(7, 'DrawFrames*') AS main, \
        android_sum_dur_on_main_thread_for_startup_and_slice(7, 'activity*') AS activity";
    assert_eq!(startups(sql), ["140 NULL 110"]);
}

/// The first frame is drawn at 750; what is fully drawn at 800 is shown by the next, at 900.
#[test]
fn time_to_display() {
    let sql = "SELECT startup_id, time_to_initial_display, time_to_full_display, ttid_frame_id, \
        ttfd_frame_id FROM android_startup_time_to_display";
    assert_eq!(lines(&startup(), "startup.time_to_display", sql), ["7 730 880 55 56"]);
}

/// The main thread is there from 100 on, and runs all the time.
#[test]
fn what_takes_the_time_of_a_startup() {
    let sql = "SELECT ts, dur, reason FROM android_startup_opinionated_breakdown ORDER BY ts";
    assert_eq!(
        lines(&startup(), "startup.startup_breakdowns", sql),
        [
            "20 80 launch_delay",
            "100 100 Running",
            "200 20 bind_application",
            "220 20 verify_class",
            "240 60 bind_application",
            "300 20 Running",
            "320 60 activity_start",
            "380 20 Running",
            "400 50 activity_resume",
            "450 150 Running",
            "600 100 choreographer_do_frame",
            "700 150 Running",
            "850 30 choreographer_do_frame",
            "880 140 Running",
        ]
    );
}

/// On Android 10 to 12 a startup is the launch that an intent brought about and that was finished.
#[test]
fn startups_of_older_versions() {
    let trace = marked(&[
        (10, SYSTEM, "I|500|MetricsLogger:launchObserverNotifyIntentStarted"),
        (20, SYSTEM, "S|500|launching: com.example.app|2"),
        (30, APP, "B|100|activityStart"),
        (35, APP, "E|100"),
        (40, APP, "B|100|activityResume"),
        (45, APP, "E|100"),
        (60, SYSTEM, "F|500|launching: com.example.app|2"),
        (70, SYSTEM, "I|500|MetricsLogger:launchObserverNotifyActivityLaunchFinished"),
        (80, SYSTEM, "I|500|MetricsLogger:launchObserverNotifyIntentStarted"),
        (90, SYSTEM, "S|500|launching: com.other|2"),
        (95, SYSTEM, "F|500|launching: com.other|2"),
    ]);
    let sql = "SELECT startup_id, ts, ts_end, package, startup_type FROM android_startups";
    assert_eq!(lines(&trace, "startup.startups", sql), ["1 20 60 com.example.app warm"]);
}

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

/// A transaction to the system server.
fn send(at: u64, by: i32, id: i64, to_thread: i32, reply: bool, flags: u64) -> FtraceEvent {
    let payload = Message::new()
        .int(1, id)
        .int(2, 77)
        .int(3, SYSTEM.into())
        .int(4, to_thread.into())
        .int(5, reply.into())
        .uint(6, 2)
        .uint(7, flags);
    FtraceEvent::other(at, by, 50, payload)
}

fn receive(at: u64, by: i32, id: i64) -> FtraceEvent {
    FtraceEvent::other(at, by, 51, Message::new().int(1, id))
}

/// The app calls the system server, which sleeps for some of the time; then it sends it something
/// without waiting.
fn calls() -> Imported {
    let app = Task::new("app", APP);
    let server = Task::new("binder:500_1", BINDER);
    let mut events =
        marks(&[(5, APP, "C|100|oom_score_adj|0"), (6, SYSTEM, "C|500|oom_score_adj|-900")]);
    events.extend([
        FtraceEvent::sched_switch(8, IDLE, 0, app),
        send(10, APP, 1, 0, false, 0),
        FtraceEvent::sched_switch(15, app, 1, server),
        receive(20, BINDER, 1),
        FtraceEvent::print(22, BINDER, "B|500|AIDL::java::IActivity::start::server"),
        FtraceEvent::sched_switch(25, server, 1, IDLE),
        FtraceEvent::sched_waking(28, 0, server, 0),
        FtraceEvent::sched_switch(30, IDLE, 0, server),
        FtraceEvent::print(35, BINDER, "E|500"),
        send(40, BINDER, 2, APP, true, 0),
        FtraceEvent::sched_waking(45, BINDER, app, 0),
        FtraceEvent::sched_switch(48, server, 1, app),
        receive(50, APP, 2),
        send(60, APP, 3, 0, false, 1),
        receive(70, BINDER, 3),
        FtraceEvent::print(72, BINDER, "B|500|AIDL::java::IActivity::note::server"),
        FtraceEvent::print(79, BINDER, "E|500"),
        FtraceEvent::sched_switch(90, app, 1, IDLE),
    ]);
    recorded(events, Vec::new())
}

#[test]
fn binder_calls() {
    let trace = calls();
    let sql = "SELECT is_sync, client_process, client_thread, client_pid, client_tid, \
        is_main_thread, client_ts, client_dur, server_process, server_tid, server_ts, server_dur, \
        interface, method_name, aidl_ts, aidl_dur, client_oom_score, server_oom_score, \
        client_monotonic_dur FROM android_binder_txns ORDER BY client_ts";
    assert_eq!(
        lines(&trace, "binder", sql),
        [
            "1 com.example.app app 100 100 1 10 40 system_server 501 20 20 IActivity start 22 13 0 \
             -900 40",
            "0 com.example.app app 100 100 1 60 0 system_server 501 70 0 IActivity note 72 7 0 -900 \
             0",
        ]
    );
    let sql = "SELECT process_name, pid, slice_name, event_count \
        FROM android_binder_metrics_by_process ORDER BY pid, slice_name";
    assert_eq!(
        lines(&trace, "binder", sql),
        [
            "com.example.app 100 binder transaction 1",
            "com.example.app 100 binder transaction async 1",
            "system_server 500 binder async rcv 1",
            "system_server 500 binder reply 1",
        ]
    );
}

/// The app runs from 10 to 15 and from 48 to 50, sleeps from 15 to 45; the server runs from 20 to
/// 25 and from 30 to 40.
#[test]
fn what_threads_do_in_binder_calls() {
    let trace = calls();
    let sql = "SELECT client_ts, server_ts, thread_state_type, thread_state, thread_state_dur, \
        thread_state_count FROM android_sync_binder_thread_state_by_txn \
        ORDER BY thread_state_type, thread_state";
    assert_eq!(
        lines(&trace, "binder", sql),
        [
            "10 20 binder_reply R 2 1",
            "10 20 binder_reply Running 15 2",
            "10 20 binder_reply S 3 1",
            "10 20 binder_txn R 3 1",
            "10 20 binder_txn Running 7 2",
            "10 20 binder_txn S 30 1",
        ]
    );
    let breakdown = |sql: &str| lines(&trace, "binder_breakdown", sql);
    let sql = "SELECT ts, dur, reason FROM android_binder_server_breakdown ORDER BY ts";
    assert_eq!(
        breakdown(sql),
        ["20 2 Running", "22 3 Running", "25 3 S", "28 2 R", "30 5 Running", "35 5 Running"]
    );
    let sql = "SELECT ts, dur, reason FROM android_binder_client_breakdown ORDER BY ts";
    assert_eq!(breakdown(sql), ["10 5 Running", "15 30 S", "45 3 R", "48 2 Running"]);
    let sql = "SELECT ts, dur, server_reason, client_reason, reason, reason_type \
        FROM android_binder_client_server_breakdown WHERE ts < 26 OR ts >= 40 ORDER BY ts";
    assert_eq!(
        breakdown(sql),
        [
            "10 5 NULL Running Running client",
            "15 5 NULL S S client",
            "20 2 Running S Running server",
            "22 3 Running S Running server",
            "25 3 S S S server",
            "40 5 NULL S S client",
            "45 3 NULL R R client",
            "48 2 NULL Running Running client",
        ]
    );
}

/// What the runtime writes when `thread` holds a lock.
fn contention(thread: &str, tid: i32, waiters: u32) -> String {
    format!(
        "B|100|monitor contention with owner {thread} ({tid}) at void a.B.hold(int)(B.java:12) \
         waiters={waiters} blocking from int a.B.want()(B.java:34)"
    )
}

#[test]
fn names_of_contentions() {
    let name = contention("RenderThread", RENDER, 2).replace("B|100|", "");
    let functions = [
        "blocking_thread",
        "blocking_tid",
        "blocking_method",
        "short_blocking_method",
        "blocked_method",
        "short_blocked_method",
        "waiter_count",
        "blocking_src",
        "blocked_src",
    ];
    let calls = functions.map(|part| {
        format!("android_extract_android_monitor_contention_{part}('{name}') AS {part}")
    });
    let sql = format!("SELECT {}", calls.join(", "));
    assert_eq!(
        lines(&startup(), "monitor_contention", &sql),
        [
            "RenderThread 102 void a.B.hold(int) a.B.hold int a.B.want() a.B.want 2 B.java:12 B.java:34"
        ]
    );
}

/// The main thread waits for the one that draws, which itself waits for nobody but a thread of
/// another process that is not known.
#[test]
fn contentions_and_their_chains() {
    let app = contention("RenderThread", RENDER, 0);
    let render = contention("other", 77, 0);
    let mut events =
        marks(&[(10, APP, &app), (12, RENDER, &render), (30, RENDER, "E|100"), (40, APP, "E|100")]);
    events.insert(0, FtraceEvent::sched_switch(5, IDLE, 0, Task::new("RenderThread", RENDER)));
    events.push(FtraceEvent::sched_switch(50, Task::new("RenderThread", RENDER), 1, IDLE));
    let trace = recorded(events, Vec::new());
    let contentions = |sql: &str| lines(&trace, "monitor_contention", sql);
    let sql = "SELECT ts, dur, monotonic_dur, blocked_thread_name, blocked_thread_tid, \
        blocking_thread_name, blocking_tid, blocking_thread_tid, is_blocked_thread_main, \
        is_blocking_thread_main, short_blocking_method, waiter_count, process_name, pid, \
        binder_reply_id FROM android_monitor_contention ORDER BY ts";
    assert_eq!(
        contentions(sql),
        [
            "10 30 30 app 100 RenderThread 102 102 1 0 a.B.hold 0 com.example.app 100 NULL",
            "12 18 18 RenderThread 102 other 77 NULL 0 NULL a.B.hold 0 com.example.app 100 NULL",
        ]
    );
    // The second lasts within the first, but waits for a thread that is not the first's.
    let sql = "SELECT ts, parent_id, child_id FROM android_monitor_contention_chain ORDER BY ts";
    assert_eq!(contentions(sql), ["10 NULL NULL", "12 NULL NULL"]);
    let sql = "SELECT ts, dur, state FROM android_monitor_contention_chain_thread_state";
    assert_eq!(contentions(sql), ["10 30 Running"]);
    let sql = "SELECT thread_state, thread_state_dur, thread_state_count \
        FROM android_monitor_contention_chain_thread_state_by_txn";
    assert_eq!(contentions(sql), ["Running 30 1"]);
}

#[test]
fn suspension() {
    let trace = marked(&[
        (10, APP, "I|100|x"),
        (20, SYSTEM, "G|500|Suspend/Resume Minimal|Suspended|1"),
        (50, SYSTEM, "H|500|Suspend/Resume Minimal|1"),
        (100, APP, "I|100|x"),
    ]);
    let sql = "SELECT ts, dur, power_state FROM android_suspend_state ORDER BY ts";
    assert_eq!(lines(&trace, "suspend", sql), ["10 10 awake", "20 30 suspended", "50 50 awake"]);
    let sql = "SELECT _extract_duration_without_suspend(10, 30) AS a, \
        _extract_duration_without_suspend(60, 5) AS b";
    assert_eq!(lines(&trace, "suspend", sql), ["10 5"]);
}

#[test]
fn oom_scores_and_memory() {
    let trace = marked(&[
        (10, APP, "C|100|oom_score_adj|0"),
        (15, SYSTEM, "B|500|finishing"),
        (16, SYSTEM, "B|500|updateOomAdj_activityChange"),
        (20, APP, "C|100|oom_score_adj|900"),
        (22, SYSTEM, "E|500"),
        (23, SYSTEM, "E|500"),
        (30, APP, "C|100|mem.rss.anon|1000"),
        (40, APP, "C|100|mem.swap|50"),
        (50, APP, "I|100|x"),
    ]);
    let sql = "SELECT ts, dur, score, bucket, process_name, oom_adj_ts, oom_adj_dur, \
        oom_adj_thread_name, oom_adj_reason, oom_adj_trigger FROM android_oom_adj_intervals \
        ORDER BY ts";
    assert_eq!(
        lines(&trace, "oom_adjuster", sql),
        [
            "10 10 0 foreground com.example.app NULL NULL NULL NULL NULL",
            "20 30 900 cached com.example.app 16 6 system_server activityChange finishing",
        ]
    );
    let sql = "SELECT ts, dur, score, bucket, pid, anon_rss, rss, swap, anon_rss_and_swap, \
        rss_and_swap, oom_adj_reason FROM memory_oom_score_with_rss_and_swap_per_process ORDER BY ts";
    assert_eq!(
        lines(&trace, "memory.process", sql),
        [
            "10 10 0 foreground 100 NULL 0 NULL 0 0 NULL",
            "20 10 900 cached 100 NULL 0 NULL 0 0 activityChange",
            "30 10 900 cached 100 1000 1000 NULL 1000 1000 activityChange",
            "40 10 900 cached 100 1000 1000 50 1050 1050 activityChange",
        ]
    );
    let sql = "SELECT android_oom_adj_score_to_bucket_name(201) AS a, \
        android_oom_adj_score_to_detailed_bucket_name(0, 10001) AS b, \
        android_oom_adj_score_to_detailed_bucket_name(10, 10) AS c";
    assert_eq!(lines(&trace, "oom_adjuster", sql), ["job foreground_app unknown_native"]);
}

#[test]
fn processes_that_were_killed() {
    let trace =
        marked(&[(10, SYSTEM, "I|500|lmk,100,8,900,x"), (20, SYSTEM, "I|500|lmk,500,99,0,x")]);
    let sql = "SELECT ts, pid, process_name, oom_score_adj, kill_reason, kill_reason_raw \
        FROM android_lmk_events ORDER BY ts";
    assert_eq!(
        lines(&trace, "memory.lmk", sql),
        ["10 100 com.example.app 900 LOW_MEM 8", "20 500 system_server 0 UNKNOWN 99"]
    );
}

#[test]
fn the_screen() {
    let trace = marked(&[
        (5, SYSTEM, "I|500|x"),
        (10, SYSTEM, "C|500|ScreenState|2"),
        (30, SYSTEM, "C|500|ScreenState|4"),
        (50, SYSTEM, "I|500|x"),
    ]);
    let sql = "SELECT ts, dur, simple_screen_state, short_screen_state, screen_state \
        FROM android_screen_state ORDER BY ts";
    assert_eq!(
        lines(&trace, "screen_state", sql),
        [
            "5 5 unknown unknown Unknown",
            "10 20 on on Screen on",
            "30 20 doze doze-suspend Always-on display (doze-suspend)",
        ]
    );
}

#[test]
fn the_battery() {
    let trace = marked(&[
        (10, SYSTEM, "C|500|batt.charge_uah|1000"),
        (20, SYSTEM, "C|500|batt.capacity_pct|50"),
        (30, SYSTEM, "C|500|battery_stats.wifi|1"),
        (32, SYSTEM, "N|500|battery_stats.top|+top=10001:\"com.example.app\""),
        (36, SYSTEM, "N|500|battery_stats.top|-top=10001:\"com.example.app\""),
        (38, SYSTEM, "N|500|battery_stats.top|-top=7:\"b\""),
        (40, SYSTEM, "C|500|battery_stats.wifi|9"),
        (50, SYSTEM, "I|500|x"),
    ]);
    let sql = "SELECT ts, charge_uah, capacity_percent, power_mw FROM android_battery_charge";
    assert_eq!(lines(&trace, "battery", sql), ["10 1000.0 NULL NULL", "20 NULL 50.0 NULL"]);
    let sql = "SELECT ts, dur, safe_dur, track_name, value, value_name \
        FROM android_battery_stats_state ORDER BY ts";
    assert_eq!(
        lines(&trace, "battery_stats", sql),
        ["30 10 10 battery_stats.wifi 1 on", "40 -1 10 battery_stats.wifi 9 unknown"]
    );
    let sql = "SELECT ts, dur, safe_dur, track_name, str_value, int_value \
        FROM android_battery_stats_event_slices ORDER BY ts";
    assert_eq!(
        lines(&trace, "battery_stats", sql),
        ["10 28 28 battery_stats.top b 7", "32 4 4 battery_stats.top com.example.app 10001"]
    );
    let sql =
        "SELECT android_battery_stats_counter_to_string('battery_stats.data_conn', 13.0) AS s";
    assert_eq!(lines(&trace, "battery_stats", sql), ["4G (LTE)"]);
}

#[test]
fn frequencies_of_memory() {
    let trace = marked(&[
        (10, SYSTEM, "C|500|domain@0 Frequency|100"),
        (30, SYSTEM, "C|500|domain@0 Frequency|300"),
        (40, SYSTEM, "I|500|x"),
    ]);
    let dvfs = |sql: &str| lines(&trace, "dvfs", sql);
    let sql = "SELECT name, ts, value, dur FROM android_dvfs_counters ORDER BY ts";
    assert_eq!(dvfs(sql), ["domain@0 Frequency 10 100.0 20", "domain@0 Frequency 30 300.0 10"]);
    let sql = "SELECT name, max, min, dur, round(wgt_avg, 2) AS a FROM android_dvfs_counter_stats";
    assert_eq!(dvfs(sql), ["domain@0 Frequency 300.0 100.0 20 166.67"]);
    let sql = "SELECT value, dur, round(pct, 2) AS p FROM android_dvfs_counter_residency \
        ORDER BY value";
    assert_eq!(dvfs(sql), ["100.0 20 66.67", "300.0 10 33.33"]);
}

#[test]
fn bitmaps() {
    let trace = marked(&[
        (10, APP, "C|100|Bitmap Memory|1000"),
        (20, APP, "C|100|Bitmap Count|1"),
        (30, APP, "C|100|Bitmap Memory|3000"),
        (50, APP, "I|100|x"),
    ]);
    let sql = "SELECT ts, dur, value FROM android_bitmap_memory ORDER BY ts";
    assert_eq!(lines(&trace, "bitmaps", sql), ["10 20 1000", "30 20 3000"]);
    let sql = "SELECT ts, dur, value FROM android_bitmap_count";
    assert_eq!(lines(&trace, "bitmaps", sql), ["20 30 1"]);
    let sql = "SELECT process_name, ts, dur, bitmap_memory, bitmap_count \
        FROM android_bitmap_counters_per_process ORDER BY ts";
    assert_eq!(
        lines(&trace, "bitmaps", sql),
        ["com.example.app 20 10 1000 1", "com.example.app 30 20 3000 1"]
    );
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

#[test]
fn processes_that_were_started() {
    let trace = marked(&[
        (10, SYSTEM, "B|500|Start proc: com.example.app"),
        (15, SYSTEM, "E|500"),
        (20, APP, "B|100|bindApplication"),
        (30, APP, "E|100"),
        (40, APP, "B|100|performCreate:com.example.app.Main"),
        (47, APP, "E|100"),
    ]);
    let sql = "SELECT process_name, pid, intent, reason, proc_start_ts, proc_start_dur, bind_app_ts, \
        bind_app_dur, intent_ts, intent_dur, total_dur FROM android_app_process_starts";
    assert_eq!(
        lines(&trace, "app_process_starts", sql),
        ["com.example.app 100 com.example.app.Main activity 10 5 20 10 40 7 37"]
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

/// The heap grows to 9 MB, is collected from 20 to 40, and has 4 MB afterwards.
#[test]
fn garbage_collections() {
    let app = Task::new("app", APP);
    let mut events = vec![FtraceEvent::sched_switch(5, IDLE, 0, app)];
    events.extend(marks(&[
        (10, APP, "C|100|Heap size (KB)|9000"),
        (20, APP, "B|100|young concurrent mark compact GC"),
    ]));
    events.push(FtraceEvent::sched_switch(30, app, 2, IDLE));
    events.extend(marks(&[
        (40, APP, "E|100"),
        (45, APP, "C|100|Heap size (KB)|4000"),
        (50, APP, "I|100|x"),
    ]));
    let sql = "SELECT tid, pid, gc_type, is_mark_compact, reclaimed_mb, min_heap_mb, max_heap_mb, \
        gc_ts, gc_dur, gc_running_dur, gc_runnable_dur, gc_int_dur \
        FROM android_garbage_collection_events";
    assert_eq!(
        lines(&recorded(events, Vec::new()), "garbage_collection", sql),
        ["100 100 young 1 5.0 4.0 9.0 20 20 10 0 0"]
    );
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

/// A journey from 590 to 905, with two frames.
#[test]
fn journeys() {
    let events = marks(&[
        (590, APP, "S|100|J<OPEN_APP>|1"),
        (600, APP, "B|100|Choreographer#doFrame 55"),
        (650, RENDER, "B|100|DrawFrames 55"),
        (700, APP, "E|100"),
        (750, RENDER, "E|100"),
        (900, APP, "I|100|J<OPEN_APP>#FT#end#0"),
        (905, APP, "F|100|J<OPEN_APP>|1"),
    ]);
    let frames = app_frame(55, (580, 690), (595, 760));
    let bundle = events.into_iter().fold(FtraceBundle::new(0), FtraceBundle::event);
    let tree = ProcessTree::new().process(APP, 1, &["com.android.systemui"], 10_001).thread(
        RENDER,
        APP,
        "RenderThread",
    );
    let trace = recording()
        .packet(Packet::new().sequence(9).timestamp(1).process_tree(tree))
        .packet(Packet::new().sequence(1).ftrace(bundle))
        .packets(frames);
    let trace = Imported::trace(trace);
    let sql = "SELECT cuj_id, process_name, cuj_slice_name, cuj_name, ts, ts_end, dur, state, \
        begin_vsync, end_vsync FROM android_jank_cuj";
    assert_eq!(
        lines(&trace, "cujs.base", sql),
        ["1 com.android.systemui J<OPEN_APP> OPEN_APP 580 760 180 completed 55 55"]
    );
    let sql =
        "SELECT cuj_id, name, tid FROM android_jank_cuj_render_thread JOIN thread USING (utid)";
    assert!(
        lines(&trace, "cujs.threads", &sql.replace(" name", " thread.name"))
            == ["1 RenderThread 102"]
    );
    let sql = "SELECT cuj_id, cuj_type, cuj_name, ts FROM android_jank_latency_cujs";
    assert_eq!(lines(&trace, "cujs.sysui_cujs", sql), ["1 jank OPEN_APP 580"]);
}

#[test]
fn wakeups() {
    let trace = marked(&[
        (10, SYSTEM, "N|500|suspend_backoff|bad active short 3 20"),
        (20, SYSTEM, "N|500|wakeup_reason|7 12 modem:34 rtc"),
        (30, SYSTEM, "N|500|wakeup_attribution|7 calls"),
        (40, SYSTEM, "N|500|wakeup_reason|8 Abort: Pending Wakeup Sources: a b"),
    ]);
    let sql = "SELECT ts, dur, on_device_attribution, type, item, suspend_quality, backoff_state, \
        backoff_reason, backoff_count, backoff_millis FROM android_wakeups ORDER BY ts, item";
    assert_eq!(
        lines(&trace, "wakeups", sql),
        [
            "20 20000000 calls normal modem bad active short 3 20",
            "20 20000000 calls normal rtc bad active short 3 20",
            "40 0 NULL abort_pending a NULL NULL none NULL NULL",
            "40 0 NULL abort_pending b NULL NULL none NULL NULL",
        ]
    );
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

/// The app reads an event that the system sent at 20, and finishes it at 50.
#[test]
fn input_events() {
    let sent = "inputChannel=app (server), seq=0x7, type=MOTION)";
    let received = "inputChannel=app (client), seq=0x7, type=MOTION)";
    let finished = "inputChannel=app (client), seq=0x7, type=FINISHED)";
    let told = "inputChannel=app (server), seq=0x7, type=FINISHED)";
    let slice = |pid: i32, name: String| format!("B|{pid}|{name}");
    let trace = marked(&[
        (20, BINDER, &slice(500, format!("sendMessage({sent}"))),
        (22, BINDER, "E|500"),
        (30, APP, &slice(100, format!("receiveMessage({received}"))),
        (33, APP, "E|100"),
        (50, APP, &slice(100, format!("sendMessage({finished}"))),
        (51, APP, "E|100"),
        (55, BINDER, &slice(500, format!("receiveMessage({told}"))),
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

/// The allocator of graphics buffers is asked by nobody here: a buffer is its thread's that takes
/// it, and given back on its account.
#[test]
fn shared_buffers() {
    let change = |at, by, inode: u64, size: i64| {
        FtraceEvent::other(at, by, 351, Message::new().uint(1, inode).int(2, size).int(3, size))
    };
    let trace = recorded(vec![change(10, APP, 7, 100), change(20, BINDER, 7, -100)], Vec::new());
    let sql =
        "SELECT ts, buf_size, inode, tid, process_name FROM android_dmabuf_allocs ORDER BY ts";
    assert_eq!(
        lines(&trace, "memory.dmabuf", sql),
        ["10 100 7 100 com.example.app", "20 -100 7 100 com.example.app"]
    );
    let sql = "SELECT ts, value, process_name FROM android_memory_cumulative_dmabuf ORDER BY ts";
    assert_eq!(
        lines(&trace, "memory.dmabuf", sql),
        ["10 100 com.example.app", "20 0 com.example.app"]
    );
}

#[test]
fn power_rails() {
    let rail = Message::new().uint(1, 0).bytes(2, "S2M_VDD_CPUCL2").bytes(3, "CPU");
    let read = |ms, energy| Message::new().uint(1, 0).uint(2, ms).uint(3, energy);
    let at = |ts: u64| Packet::new().sequence(1).timestamp(ts);
    let trace = recorded(
        Vec::new(),
        vec![
            at(1_000_000).payload(40, Message::new().message(1, rail)),
            at(9_000_000)
                .payload(40, Message::new().message(2, read(2, 700)).message(2, read(4, 900))),
        ],
    );
    let sql = "SELECT power_rail_name, raw_power_rail_name, friendly_name, subsystem_name \
        FROM android_power_rails_metadata";
    assert_eq!(
        lines(&trace, "power_rails", sql),
        ["power.rails.cpu.big S2M_VDD_CPUCL2 cpu.big CPU"]
    );
    // 200 µWs in 2 ms are 0.1 W.
    let sql = "SELECT ts, dur, power_rail_name, raw_power_rail_name, energy_since_boot, \
        energy_since_boot_at_end, average_power, energy_delta, value \
        FROM android_power_rails_counters WHERE ts = 2000000";
    assert_eq!(
        lines(&trace, "power_rails", sql),
        ["2000000 2000000 power.rails.cpu.big S2M_VDD_CPUCL2 700.0 900.0 100.0 NULL 700.0"]
    );
}

/// Held for 5 of the 20 ms between two packets, of which the device sleeps 10.
#[test]
fn kernel_wakelocks() {
    let lock = Message::new().uint(1, 1).bytes(2, "wlan").uint(3, 1);
    let first = Message::new().message(1, lock).packed(2, [1]).packed(3, [10]);
    let second = Message::new().packed(2, [1]).packed(3, [5]);
    let at = |ts: u64| Packet::new().sequence(2).timestamp(ts);
    let trace = recorded(
        marks(&[
            (12_000_000, SYSTEM, "G|500|Suspend/Resume Minimal|Suspended|1"),
            (22_000_000, SYSTEM, "H|500|Suspend/Resume Minimal|1"),
        ]),
        vec![
            at(10_000_000).flags(1).payload(115, first),
            at(30_000_000).flags(2).payload(115, second),
        ],
    );
    let sql = "SELECT ts, dur, awake_dur, name, type, held_dur, held_ratio \
        FROM android_kernel_wakelocks ORDER BY ts LIMIT 1";
    assert_eq!(
        lines(&trace, "kernel_wakelocks", sql),
        ["10000000 20000000 10000000 wlan kernel 5000000 0.5"]
    );
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

#[test]
fn memory_of_the_gpu() {
    let trace = marked(&[
        (10, APP, "C|100|GPU Memory|500"),
        (30, APP, "C|100|GPU Memory|700"),
        (50, APP, "I|100|x"),
    ]);
    let sql = "SELECT ts, dur, pid, gpu_memory FROM android_gpu_memory_per_process \
        JOIN process USING (upid) ORDER BY ts";
    assert_eq!(lines(&trace, "gpu.memory", sql), ["10 20 100 500", "30 20 100 700"]);
}

/// The system asks the app's service for a binding, numbered 5.
#[test]
fn services() {
    let binding = "B|100|serviceBind: token=ServiceRecord{ab12 act=do cmp=a/.B flg=0x1 bindSeq=5}";
    let mut events = marks(&[
        (10, SYSTEM, "B|500|bindService"),
        (12, SYSTEM, "I|500|requestServiceBinding: a bindSeq=5 b"),
    ]);
    events.push(send(15, SYSTEM, 3, 0, false, 1));
    events.extend(marks(&[(20, SYSTEM, "E|500")]));
    events.push(receive(25, APP, 3));
    events.extend(marks(&[(30, APP, binding), (37, APP, "E|100")]));
    let trace = recorded(events, Vec::new());
    let sql = "SELECT client_process, client_ts, server_process, server_tid, server_ts, server_dur, \
        token, act, cmp, flg, bind_seq FROM android_service_bindings";
    assert_eq!(
        lines(&trace, "services", sql),
        ["system_server 15 com.example.app 100 30 7 ab12 do a/.B 0x1 5"]
    );
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
