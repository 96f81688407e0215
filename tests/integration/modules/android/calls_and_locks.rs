//! Threads that wait for others: calls over binder, and locks.

use tpq_testkit::{FtraceEvent, Task};

use super::{
    APP, IDLE, RENDER, SYSTEM, calls, lines, marked, marks, receive, recorded, send, startup,
};

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
fn thread_states_in_binder_calls() {
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

/// The slice of the runtime for a lock that `thread` holds.
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

/// The main thread waits for the one that draws, which itself waits only for a thread of
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

/// The first wait is for a lock that the program names before and after it; around the second there
/// is no name.
#[test]
fn names_of_locks() {
    let wait = contention("RenderThread", RENDER, 0);
    let trace = marked(&[
        (5, APP, "B|100|mLock_lock_acquire"),
        (8, APP, "E|100"),
        (10, APP, &wait),
        (11, APP, "B|100|Lock contention on a monitor lock (owner tid: 102)"),
        (19, APP, "E|100"),
        (20, APP, "E|100"),
        (25, APP, "B|100|mLock_lock_held"),
        (30, APP, "E|100"),
        (40, APP, &wait),
        (50, APP, "E|100"),
    ]);
    for table in ["android_monitor_contention", "android_monitor_contention_chain"] {
        let sql = format!("SELECT ts, lock_name FROM {table} ORDER BY ts");
        assert_eq!(lines(&trace, "monitor_contention", &sql), ["10 mLock", "40 NULL"]);
    }
}

/// Drawing waits for a buffer from 12 to 15, which does not count. The choreographer's messages and
/// other slices are no blocking calls. A call over binder blocks from 10 to 50.
#[test]
fn blocking_calls() {
    let trace = marked(&[
        (10, RENDER, "B|100|DrawFrames 7"),
        (12, RENDER, "B|100|waitForBufferRelease"),
        (15, RENDER, "E|100"),
        (20, RENDER, "E|100"),
        (30, RENDER, "B|100|drawLayer abc"),
        (34, RENDER, "E|100"),
        (40, APP, "B|100|android.os.Handler: a.b.C$1"),
        (45, APP, "E|100"),
        (50, APP, "B|100|android.view.Choreographer$FrameHandler: #1"),
        (55, APP, "E|100"),
        (60, APP, "B|100|monitor contention with owner x"),
        (66, APP, "E|100"),
        (70, APP, "B|100|other"),
        (71, APP, "E|100"),
        (80, APP, "B|100|NotificationStackScrollLayout#onMeasure"),
        (85, APP, "E|100"),
    ]);
    let sql = "SELECT call.name, ts, dur, ts_end, tid FROM _android_critical_blocking_calls AS call \
        JOIN thread USING (utid) ORDER BY ts, call.name";
    assert_eq!(
        lines(&trace, "critical_blocking_calls", sql),
        [
            "DrawFrames 10 7 17 102",
            "drawLayer 30 4 34 102",
            "drawLayer abc 30 4 34 102",
            "Handler: a.b.C 40 5 45 100",
            "monitor contention with <...> 60 6 66 100",
            "NotificationStackScrollLayout#onMeasure 80 5 85 100",
        ]
    );
    let sql = "SELECT name FROM slice WHERE _is_relevant_notifications_blocking_call(name, dur)";
    assert_eq!(
        lines(&trace, "critical_blocking_calls", sql),
        ["NotificationStackScrollLayout#onMeasure"]
    );
    let sql = "SELECT name, ts, dur FROM _android_critical_blocking_calls ORDER BY ts, name";
    assert_eq!(
        lines(&calls(), "critical_blocking_calls", sql),
        [
            "AIDL::java::IActivity::start::server 10 40",
            "binder transaction 10 40",
            "binder transaction async 60 0",
        ]
    );
    let sql = "SELECT tid FROM _render_thread_per_process JOIN thread ON utid = render_thread_utid";
    assert_eq!(lines(&trace, "render_thread", sql), ["102"]);
}
