//! The startups of apps, and the processes that are started for them.

use tpq_testkit::{FtraceEvent, Task};

use super::{APP, IDLE, SYSTEM, lines, marked, marks, packages, recorded, startup};

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
fn breakdown_of_a_startup() {
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

/// On Android 10 to 12 a startup lasts from an intent to the end of its launch. The second launch
/// is not finished.
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
    assert_eq!(lines(&trace, "startup.startups", sql), ["0 10 60 com.example.app warm"]);
}

/// `com.tramp` only starts the app, from 50 to 90. The system has no type for the second startup,
/// and the third is within a process.
#[test]
fn startups_with_a_trampoline() {
    let trace = marked(&[
        (20, SYSTEM, "S|500|launchingActivity#7|1"),
        (30, SYSTEM, "S|500|launching: com.tramp|2"),
        (40, SYSTEM, "F|500|launching: com.tramp|2"),
        (50, SYSTEM, "S|500|launching: com.example.app|3"),
        (90, SYSTEM, "F|500|launching: com.example.app|3"),
        (100, SYSTEM, "F|500|launchingActivity#7|1"),
        (101, SYSTEM, "I|500|launchingActivity#7:completed-hot:com.example.app"),
        (200, SYSTEM, "S|500|launchingActivity#8|1"),
        (210, SYSTEM, "S|500|launching: com.other|2"),
        (220, SYSTEM, "F|500|launching: com.other|2"),
        (230, SYSTEM, "F|500|launchingActivity#8|1"),
        (231, SYSTEM, "I|500|launchingActivity#8:completed:com.other"),
        (300, SYSTEM, "S|500|launchingActivity#9|1"),
        (320, SYSTEM, "F|500|launchingActivity#9|1"),
        (321, SYSTEM, "I|500|launchingActivity#9:completed-same-process:com.other"),
    ]);
    let sql = "SELECT startup_id, ts, ts_end, dur, dur_without_trampoline, package, startup_type \
        FROM android_startups ORDER BY ts";
    assert_eq!(
        lines(&trace, "startup.startups", sql),
        ["7 20 100 80 40 com.example.app hot", "8 200 230 30 30 com.other NULL"]
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

/// What an app records of itself: it binds at 60 and again at 94. The slice at 70 is no frame.
#[test]
fn cold_starts_that_an_app_records() {
    let trace = marked(&[
        (60, APP, "B|100|bindApplication"),
        (61, APP, "E|100"),
        (70, APP, "B|100|Choreographer#doFrame - x"),
        (71, APP, "E|100"),
        (80, APP, "B|100|Choreographer#doFrame 56"),
        (85, APP, "E|100"),
        (90, APP, "B|100|reportFullyDrawn() for a"),
        (93, APP, "E|100"),
        (94, APP, "B|100|bindApplication"),
        (95, APP, "E|100"),
        (96, APP, "B|100|Choreographer#doFrame 57"),
        (99, APP, "E|100"),
    ]);
    let sql = "SELECT ts, name, dur, startup_checkpoint \
        FROM android_profiling_manager_cold_startup ORDER BY ts, startup_checkpoint";
    assert_eq!(
        lines(&trace, "profiling_manager.startup", sql),
        [
            "60 app_startup_ttff 25 TTFF",
            "60 app_startup_tti 33 TTI",
            "94 app_startup_ttff 5 TTFF",
            "94 app_startup_tti NULL TTI",
        ]
    );
    let sql = "SELECT name, ts, dur \
        FROM _android_generate_start_to_end_slices('bind*', '*doFrame [0-9]*', 0) ORDER BY ts";
    assert_eq!(
        lines(&trace, "profiling_manager.util", sql),
        ["bindApplication 60 20", "bindApplication 94 2"]
    );
}

/// A startup from 1 to 9 ms. The main thread runs from 2 to 7.3 ms and is in a slice from 3 to 5.6:
/// the longer part of each ms counts.
#[test]
fn startups_in_steps() {
    const MS: u64 = 1_000_000;
    let app = Task::new("app", APP);
    let mut events = marks(&[
        (MS, SYSTEM, "S|500|launchingActivity#7|1"),
        (MS + 1, SYSTEM, "S|500|launching: com.example.app|2"),
        (3 * MS, APP, "B|100|bindApplication"),
        (5 * MS + 600_000, APP, "E|100"),
        (6 * MS, APP, "B|100|activityStart"),
        (6 * MS + 1_000, APP, "E|100"),
        (6 * MS + 2_000, APP, "B|100|activityResume"),
        (6 * MS + 3_000, APP, "E|100"),
        (9 * MS, SYSTEM, "F|500|launching: com.example.app|2"),
        (9 * MS, SYSTEM, "F|500|launchingActivity#7|1"),
        (9 * MS + 1, SYSTEM, "I|500|launchingActivity#7:completed-cold:com.example.app"),
    ]);
    events.extend([
        FtraceEvent::sched_switch(2 * MS, IDLE, 0, app),
        FtraceEvent::sched_switch(7 * MS + 300_000, app, 1, IDLE),
        FtraceEvent::sched_switch(10 * MS, IDLE, 0, app),
        FtraceEvent::sched_switch(11 * MS, app, 1, IDLE),
    ]);
    let trace = recorded(events, vec![packages(&[("com.example.app", 10_001)])]);
    let sql = "SELECT ts, dur, startup_id, package, startup_type, startup_dur, name, state, depth \
        FROM _android_startup_mipmap_1ms ORDER BY ts";
    assert_eq!(
        lines(&trace, "startup.startup_mipmap", sql),
        [
            "2000000 1000000 7 com.example.app cold 8000000 NULL Running NULL",
            "3000000 3000000 7 com.example.app cold 8000000 bindApplication Running 0",
            "6000000 1000000 7 com.example.app cold 8000000 NULL Running NULL",
            "7000000 2000000 7 com.example.app cold 8000000 NULL Sleeping NULL",
        ]
    );
}
