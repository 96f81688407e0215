//! Jobs that statsd records, and switches between users.

use tpq_testkit::{FtraceBundle, FtraceEvent, Message, Packet, ProcessTree, Task, TrackDescriptor};

use super::{IDLE, SYSTEM, lines, marks, recorded};
use crate::imported::{Imported, recording};

/// The number of the field of track events that holds the state of a job.
const JOB: u32 = 9000;
/// The track of the atoms of statsd.
const ATOMS: u64 = 77;

fn message() -> Message {
    Message::new()
}

/// A `FieldDescriptorProto`.
fn declared(name: &str, number: u32, label: u64, wire_type: u64) -> Message {
    message().bytes(1, name).uint(3, number.into()).uint(4, label).uint(5, wire_type)
}

/// Declares the state of a job as a message in track events: texts, numbers and a list of nodes.
fn descriptors() -> Packet {
    const OPTIONAL: u64 = 1;
    const REPEATED: u64 = 3;
    const INT64: u64 = 3;
    const STRING: u64 = 9;
    const MESSAGE: u64 = 11;
    let fields = [
        ("job_name", 1, STRING),
        ("job_id", 2, INT64),
        ("state", 3, STRING),
        ("is_periodic", 4, INT64),
        ("has_charging_constraint", 5, INT64),
        ("standby_bucket", 6, STRING),
        ("internal_stop_reason", 7, STRING),
    ];
    let nodes = declared("attribution_node", 8, REPEATED, MESSAGE).bytes(6, ".my.lib.Node");
    let job = fields.into_iter().fold(message().bytes(1, "Job"), |job, (name, number, of_type)| {
        job.message(2, declared(name, number, OPTIONAL, of_type))
    });
    let node = message().bytes(1, "Node").message(2, declared("uid", 1, OPTIONAL, INT64));
    let extension = declared("scheduled_job_state_changed", JOB, OPTIONAL, MESSAGE)
        .bytes(2, ".perfetto.protos.TrackEvent")
        .bytes(6, "Job");
    let file = message()
        .bytes(1, "job.proto")
        .bytes(2, "my.lib")
        .message(4, node)
        .message(4, job.message(2, nodes))
        .message(7, extension);
    Packet::new().payload(72, message().message(1, message().message(1, file)))
}

/// A job of the app 10001 that changes its state.
fn job(at: u64, name: &str, id: i64, state: &str, with: &[(u32, &str)]) -> Packet {
    let job = message().bytes(1, name).int(2, id).bytes(3, state);
    let job = with.iter().fold(job, |job, &(field, text)| match text.parse() {
        Ok(number) => job.int(field, number),
        Err(_) => job.bytes(field, text),
    });
    let job = job.message(8, message().int(1, 10_001));
    let event = message().uint(9, 3).uint(11, ATOMS).bytes(23, "scheduled_job_state_changed");
    Packet::new().sequence(1).timestamp(at).payload(11, event.message(JOB, job))
}

/// A job runs from 20 to 50, although it is canceled in between; another runs from 25 until it is
/// scheduled again at 60. A run that begins at 55 is not seen to end. The charger is connected at
/// 30, and the screen is on from 40.
#[test]
fn states_of_jobs() {
    const SYNC: &str = "com.a/.Sync";
    const LOAD: &str = "@ns@com.b/.Load";
    let track = TrackDescriptor::new(ATOMS).name("Statsd Atoms");
    let trace = recorded(
        marks(&[
            (5, SYSTEM, "I|500|x"),
            (30, SYSTEM, "C|500|BatteryStatus|2"),
            (40, SYSTEM, "C|500|ScreenState|2"),
            (90, SYSTEM, "I|500|x"),
        ]),
        vec![
            descriptors(),
            Packet::new().sequence(1).track_descriptor(track),
            job(10, SYNC, 4, "SCHEDULED", &[]),
            job(20, SYNC, 4, "STARTED", &[(4, "1"), (5, "1"), (6, "RARE")]),
            job(25, LOAD, 5, "STARTED", &[]),
            job(30, SYNC, 4, "CANCELLED", &[]),
            job(50, SYNC, 4, "FINISHED", &[(7, "TIMEOUT")]),
            job(55, SYNC, 4, "STARTED", &[]),
            job(60, LOAD, 5, "SCHEDULED", &[]),
        ],
    );
    let sql = "SELECT id, ts, dur, job_name, uid, job_id, package_name, job_namespace, \
        has_charging_constraint, is_periodic, standby_bucket, internal_stop_reason \
        FROM android_job_scheduler_states ORDER BY id";
    assert_eq!(
        lines(&trace, "job_scheduler_states", sql),
        [
            "1 20 30 com.a/.Sync 10001 4 com.a .Sync 1 1 RARE TIMEOUT",
            "2 25 35 @ns@com.b/.Load 10001 5 com.b ns NULL NULL NULL NULL",
        ]
    );
    let sql = "SELECT ts, dur, job_name, job_dur, charging_state, screen_state \
        FROM android_job_scheduler_with_screen_charging_states ORDER BY job_id, ts";
    assert_eq!(
        lines(&trace, "job_scheduler_states", sql),
        [
            "20 10 com.a/.Sync_4 30 Unknown Unknown",
            "30 10 com.a/.Sync_4 30 Charging Unknown",
            "40 10 com.a/.Sync_4 30 Charging Screen on",
            "25 5 @ns@com.b/.Load_5 35 Unknown Unknown",
            "30 10 @ns@com.b/.Load_5 35 Charging Unknown",
            "40 20 @ns@com.b/.Load_5 35 Charging Screen on",
        ]
    );
}

/// User 12 is started at 10. A process of user 10 runs from 20 to 32, and its memory grows by 7,000
/// and 4,500 bytes before the stop of user 10 ends a second time, at 60.
#[test]
fn user_switches() {
    const OLD: Task<'_> = Task::new("old", 200);
    let tree = ProcessTree::new().process(SYSTEM, 1, &["system_server"], 1_000).process(
        OLD.tid,
        1,
        &["com.old"],
        1_010_007,
    );
    let mut events = marks(&[
        (10, SYSTEM, "B|500|UserController.startUser-12-fg-start-mode-1"),
        (12, SYSTEM, "E|500"),
        (14, SYSTEM, "B|500|UserController.startUser-10-fg"),
        (15, SYSTEM, "E|500"),
        (30, SYSTEM, "B|500|finishUserStopped-10-[stopUser]"),
        (37, SYSTEM, "E|500"),
        (40, OLD.tid, "C|200|mem.rss|1000"),
        (41, OLD.tid, "C|200|mem.rss|8000"),
        (42, OLD.tid, "C|200|mem.rss|5000"),
        (43, OLD.tid, "C|200|mem.rss|9500"),
        (50, SYSTEM, "B|500|finishUserStopped-10-late"),
        (60, SYSTEM, "E|500"),
    ]);
    events.push(FtraceEvent::sched_switch(20, IDLE, 0, OLD));
    events.push(FtraceEvent::sched_switch(32, OLD, 1, IDLE));
    let bundle = events.into_iter().fold(FtraceBundle::new(0), FtraceBundle::event);
    let trace = recording()
        .packet(Packet::new().sequence(9).timestamp(1).process_tree(tree))
        .packet(Packet::new().sequence(1).ftrace(bundle));
    let trace = Imported::trace(trace);
    let sql = "SELECT event_start_user_id, event_start_time, event_end_time, event_end_name, \
        duration FROM android_auto_multiuser_timing ORDER BY event_end_time";
    assert_eq!(
        lines(&trace, "auto.multiuser", sql),
        ["12 10 37 finishUserStopped-10-[stopUser] 27", "12 10 60 finishUserStopped-10-late 50"]
    );
    let sql = "SELECT event_end_time, user_id, total_cpu_time, total_memory_usage_kb \
        FROM android_auto_multiuser_timing_with_previous_user_resource_usage \
        ORDER BY event_end_time";
    assert_eq!(lines(&trace, "auto.multiuser", sql), ["37 10 12 NULL", "60 10 12 11"]);
}
