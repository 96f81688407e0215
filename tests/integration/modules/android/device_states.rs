//! States of the device: the charger, doze, entities with power states, CPUs and GPUs.

use tpq_testkit::{
    FtraceBundle, FtraceEvent, Message, NEEDS_STATE, Packet, STATE_CLEARED, Task, clock_id,
};

use super::{APP, BINDER, IDLE, SYSTEM, lines, marked, marks, packages, recorded};
use crate::imported::clocks;

/// The state is unknown before the first value and while the value is none of the known ones.
#[test]
fn the_charger() {
    let sql = "SELECT id, ts, dur, short_charging_state, charging_state \
        FROM android_charging_states ORDER BY id";
    let trace = marked(&[
        (5, SYSTEM, "I|500|x"),
        (10, SYSTEM, "C|500|BatteryStatus|2"),
        (30, SYSTEM, "C|500|BatteryStatus|4"),
        (40, SYSTEM, "C|500|BatteryStatus|9"),
        (60, SYSTEM, "I|500|x"),
    ]);
    assert_eq!(
        lines(&trace, "battery.charging_states", sql),
        [
            "1 5 5 unknown Unknown",
            "2 10 20 charging Charging",
            "3 30 10 not_charging Not charging",
            "4 40 20 unknown Unknown",
        ]
    );
    let trace = marked(&[(5, SYSTEM, "I|500|x"), (60, SYSTEM, "I|500|x")]);
    assert_eq!(lines(&trace, "battery.charging_states", sql), ["1 5 55 unknown Unknown"]);
}

#[test]
fn doze() {
    let trace = marked(&[
        (10, SYSTEM, "C|500|DozeLightState|0"),
        (12, SYSTEM, "C|500|DozeDeepState|0"),
        (20, SYSTEM, "C|500|DozeLightState|4"),
        (22, SYSTEM, "C|500|DozeDeepState|7"),
        (30, SYSTEM, "C|500|DozeLightState|2"),
        (60, SYSTEM, "I|500|x"),
    ]);
    let sql = "SELECT ts, dur, light_idle_state FROM android_light_idle_state ORDER BY ts";
    assert_eq!(
        lines(&trace, "battery.doze", sql),
        ["10 10 active", "20 10 idle", "30 30 unmapped"]
    );
    let sql = "SELECT ts, dur, deep_idle_state FROM android_deep_idle_state ORDER BY ts";
    assert_eq!(lines(&trace, "battery.doze", sql), ["12 10 active", "22 38 quick_doze_delay"]);
}

/// A modem sleeps 8 of the 10 ms between two readings.
#[test]
fn residency_of_entities() {
    let named = Message::new().int(1, 0).int(2, 3).bytes(3, "Modem").bytes(4, "Sleep");
    let read = |ms| Message::new().message(2, Message::new().int(1, 0).int(2, 3).uint(3, ms));
    let at = |ts: u64| Packet::new().sequence(1).timestamp(ts);
    let trace = recorded(
        Vec::new(),
        vec![
            at(1).payload(91, Message::new().message(1, named)),
            at(20_000_000).payload(91, read(100)),
            at(30_000_000).payload(91, read(108)),
        ],
    );
    let sql = "SELECT ts, dur, entity_name, state_name, raw_name, state_time_since_boot, \
        state_time_since_boot_at_end, state_time_ratio FROM android_entity_state_residency \
        ORDER BY ts";
    assert_eq!(
        lines(&trace, "entity_state_residency", sql),
        [
            "20000000 10000000 Modem Sleep Entity residency: Modem is Sleep 100000000 108000000 0.8",
            "30000000 NULL Modem Sleep Entity residency: Modem is Sleep 108000000 NULL NULL",
        ]
    );
}

/// Two clusters: the system's user runs for 2 ms on the first one, the app of user 10 for 1 and 2 ms
/// on the first and for 3 and 2 ms on the second. Packets state differences.
#[test]
fn cpu_time_of_user_ids() {
    let times = |uids: &[i64], ms: &[i64]| {
        Message::new().packed(2, uids.iter().copied()).packed(3, ms.iter().copied())
    };
    let at = |ts: u64, flags| Packet::new().sequence(1).timestamp(ts).flags(flags);
    let first = times(&[1_000, 1_010_001], &[1, 2, 3, 4]).uint(1, 2);
    let trace = recorded(
        Vec::new(),
        vec![
            packages(&[("com.a", 10_001), ("com.b", 10_001)]),
            at(1_000_000, STATE_CLEARED).payload(119, first),
            at(3_000_000, NEEDS_STATE).payload(119, times(&[1_010_001], &[1, 3])),
            at(7_000_000, NEEDS_STATE).payload(119, times(&[1_000, 1_010_001], &[2, 0, 2, 2])),
        ],
    );
    let sql = "SELECT uid, cluster, total_cpu_millis, package_name \
        FROM android_cpu_per_uid_track ORDER BY uid, cluster";
    assert_eq!(
        lines(&trace, "cpu.cpu_per_uid", sql),
        ["1000 0 2 NULL", "1000 1 0 NULL", "1010001 0 3 com.a", "1010001 1 5 com.a"]
    );
    let sql = "SELECT uid, cluster, ts, dur, diff_ms, cpu_ratio \
        FROM android_cpu_per_uid_counter AS c JOIN android_cpu_per_uid_track AS t \
        ON t.id = c.track_id ORDER BY uid, cluster, ts";
    assert_eq!(
        lines(&trace, "cpu.cpu_per_uid", sql),
        [
            "1000 0 1000000 2000000 0 0.0",
            "1000 0 3000000 4000000 2 0.5",
            "1010001 0 1000000 2000000 1 0.5",
            "1010001 0 3000000 4000000 2 0.5",
            "1010001 1 1000000 2000000 3 1.5",
            "1010001 1 3000000 4000000 2 0.5",
        ]
    );
}

/// CPUs 0 and 1 are the weakest, CPU 2 is the strongest. CPU 0 is active from 100 to 120, CPU 1 from
/// 110 to 125, CPU 2 from 105 to 130.
#[test]
fn clusters_of_cpus() {
    let cpus = [250, 250, 1024, 512].map(|capacity| Message::new().uint(3, capacity));
    let info = cpus.into_iter().fold(Message::new(), |info, cpu| info.message(1, cpu));
    let active = |task, from, to| {
        [
            FtraceEvent::sched_switch(from, IDLE, 0, task),
            FtraceEvent::sched_switch(to, task, 1, IDLE),
        ]
    };
    let on = |cpu, events: [FtraceEvent; 2]| {
        let bundle = events.into_iter().fold(FtraceBundle::new(cpu), FtraceBundle::event);
        Packet::new().sequence(1).ftrace(bundle)
    };
    let app = Task::new("app", APP);
    let trace = recorded(
        active(app, 100, 120).to_vec(),
        vec![
            Packet::new().sequence(1).timestamp(1).payload(67, info),
            on(1, active(Task::new("binder:500_1", BINDER), 110, 125)),
            on(2, active(app, 105, 130)),
        ],
    );
    let sql = "SELECT ucpu, cpu, cluster_type FROM android_cpu_cluster_mapping ORDER BY cpu";
    assert_eq!(
        lines(&trace, "cpu.cluster_type", sql),
        ["0 0 little", "1 1 little", "2 2 big", "3 3 medium"]
    );
    let active = |cluster: &str| {
        let sql = format!(
            "SELECT ts, active_cpu_count FROM _active_cpu_count_for_cluster_type('{cluster}') \
             ORDER BY ts"
        );
        lines(&trace, "cpu.cluster_type", &sql)
    };
    assert_eq!(active("little"), ["100 1", "110 2", "120 1", "125 0"]);
    assert_eq!(active("big"), ["105 1", "130 0"]);
    assert!(active("medium").is_empty());
}

/// The GPU works for an app from 50 to 58. Its power state is 3 from 70 on and 0 from 80 on.
#[test]
fn gpus() {
    let work = Message::new().uint(1, 0).uint(2, 10_001).uint(3, 50).uint(4, 58).uint(5, 4);
    let power = |at, to| {
        let state = Message::new().uint(1, at).int(2, 1).int(3, to);
        FtraceEvent::other(at, 0, 548, state)
    };
    let mut events = vec![FtraceEvent::other(60, 0, 488, work), power(70, 3), power(80, 0)];
    events.extend(marks(&[(90, SYSTEM, "I|500|x")]));
    let clocks = clocks(&[(clock_id::BOOTTIME, 40), (clock_id::MONOTONIC_RAW, 40)]);
    let trace = recorded(events, vec![clocks]);
    let sql = "SELECT machine_id, uid, ugpu, gpu_id, slice.ts, slice.dur \
        FROM android_gpu_work_period_track AS t JOIN slice ON slice.track_id = t.id";
    assert_eq!(lines(&trace, "gpu.work_period", sql), ["0 10001 0 0 50 8"]);
    let sql = "SELECT ts, dur, power_state FROM android_mali_gpu_power_state ORDER BY ts";
    assert_eq!(lines(&trace, "gpu.mali_power_state", sql), ["70 10 3", "80 10 0"]);
}
