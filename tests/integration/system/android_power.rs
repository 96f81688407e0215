//! Packets on the power of Android devices: batteries, rails, power states, wakelocks, CPU time.

use tpq_testkit::{Message, NEEDS_STATE, Packet, STATE_CLEARED};

use super::android_packets::{SLICE_ARGS, at, float, lines};
use super::{COUNTERS, packets};

/// A repeated field of numbers.
fn numbers(message: Message, field: u32, values: &[u64]) -> Message {
    values.iter().fold(message, |message, &value| message.uint(field, value))
}

#[test]
fn a_battery_states_what_it_measures_and_more_follows_from_that() {
    let reading = float(Message::new().int(1, 3_000_000), 2, 80.5);
    let reading = reading.int(3, -2_000_000).int(4, -1_500_000).int(7, 4_000_000);
    let other = Message::new().bytes(5, "dock").int(6, 8_000_000).int(7, 4_000_000);
    let trace = packets([at(10).payload(38, reading), at(20).payload(38, other)]);
    // -2 A at 4 V are 8 W. 8 Wh at 4 V are 2 Ah.
    assert_eq!(
        lines(&trace, COUNTERS),
        [
            "10 battery_counter batt.charge_uah 3000000.0",
            "10 battery_counter batt.capacity_pct 80.5",
            "10 battery_counter batt.current_ua -2000000.0",
            "10 battery_counter batt.current.avg_ua -1500000.0",
            "10 battery_counter batt.voltage_uv 4000000.0",
            "10 battery_counter batt.power_mw 8000.0",
            "20 battery_counter batt.dock.charge_uah 2000000.0",
            "20 battery_counter batt.dock.voltage_uv 4000000.0",
        ]
    );
    let dimensions = "SELECT name, key, string_value FROM track \
        JOIN args ON dimension_arg_set_id = arg_set_id \
        WHERE name LIKE '%charge%' ORDER BY track.id, args.id";
    assert_eq!(
        lines(&trace, dimensions),
        [
            "batt.charge_uah battery_name NULL",
            "batt.charge_uah counter_name charge_uah",
            "batt.dock.charge_uah battery_name dock",
            "batt.dock.charge_uah counter_name charge_uah",
        ]
    );
}

#[test]
fn rails_are_read_at_times_of_their_own() {
    let rail =
        |index, name: &str, of: &str| Message::new().uint(1, index).bytes(2, name).bytes(3, of);
    let described = Message::new()
        .message(1, rail(0, "S2M_VDD_CPUCL2", "CPU"))
        .message(1, rail(1, "Other", "Rest"))
        .message(1, rail(257, "Beyond", "Rest"))
        .uint(3, 77);
    let read = |index, ms, energy| Message::new().uint(1, index).uint(2, ms).uint(3, energy);
    let readings = Message::new()
        .message(2, read(1, 3, 500))
        .message(2, read(0, 2, 700))
        .message(2, Message::new().uint(1, 0).uint(3, 800))
        .message(2, read(2, 2, 1))
        .uint(3, 77);
    let of_another_session = Message::new().message(2, read(0, 4, 9)).uint(3, 78);
    let trace = packets([
        at(1_000_000).payload(40, described),
        at(5_000_000).payload(40, readings),
        at(6_000_000).payload(40, of_another_session),
        at(7_000_000).payload(40, Message::new()),
    ]);
    let counters = "SELECT c.ts, t.name, value, packet_ts.int_value FROM counter c \
        JOIN track t ON c.track_id = t.id \
        JOIN args packet_ts ON c.arg_set_id = packet_ts.arg_set_id AND key = 'packet_ts' \
        ORDER BY c.id";
    assert_eq!(
        lines(&trace, counters),
        [
            "2000000 power.rails.cpu.big 700.0 5000000",
            "3000000 power.Other_uws 500.0 5000000",
            "5000000 power.rails.cpu.big 800.0 5000000",
        ]
    );
    let tracks = "SELECT type, d.key, d.string_value, d.int_value FROM track \
        JOIN args d ON d.arg_set_id IN (dimension_arg_set_id, source_arg_set_id) \
        WHERE name = 'power.rails.cpu.big' ORDER BY d.id";
    assert_eq!(
        lines(&trace, tracks),
        [
            "power_rails name S2M_VDD_CPUCL2 NULL",
            "power_rails session_uuid NULL 77",
            "power_rails raw_name S2M_VDD_CPUCL2 NULL",
            "power_rails subsystem_name CPU NULL",
        ]
    );
    let stats = "SELECT name, value FROM stats WHERE name LIKE 'power_rail%' ORDER BY name";
    assert_eq!(lines(&trace, stats), ["power_rail_empty_packet 1", "power_rail_unknown_index 2"]);
}

#[test]
fn energy_is_estimated_for_consumers_and_their_users() {
    let consumer = |id, ordinal, kind: &str, name: &str| {
        Message::new().int(1, id).int(2, ordinal).bytes(3, kind).bytes(4, name)
    };
    let described = Message::new()
        .message(1, consumer(4, 1, "CPU_CLUSTER", "CPUCL1"))
        .message(1, Message::new().bytes(4, "nobody"));
    let user = |uid, energy| Message::new().int(1, uid).int(2, energy);
    let breakdown = Message::new().int(2, 4).int(3, 900);
    let breakdown = breakdown.message(4, user(10_001, 600)).message(4, Message::new().int(1, 5));
    let trace = packets([
        Packet::new().sequence(1).payload(77, Message::new().message(1, described)),
        at(10).payload(77, breakdown),
        at(20).payload(77, Message::new().int(2, 99).int(3, 1)),
    ]);
    assert_eq!(
        lines(&trace, COUNTERS),
        [
            "10 android_energy_estimation_breakdown CPUCL1 900.0",
            "10 android_energy_estimation_breakdown_per_uid CPUCL1 600.0",
        ]
    );
    let stats = "SELECT name, value FROM stats WHERE name LIKE 'energy%' AND value > 0 \
        ORDER BY name";
    assert_eq!(
        lines(&trace, stats),
        [
            "energy_breakdown_missing_values 1",
            "energy_descriptor_invalid 1",
            "energy_uid_breakdown_missing_values 1",
        ]
    );
}

#[test]
fn residency_in_power_states_is_a_counter_each() {
    let state = |entity, state, names: (&str, &str)| {
        Message::new().int(1, entity).int(2, state).bytes(3, names.0).bytes(4, names.1)
    };
    let residency = |entity, state, ms| Message::new().int(1, entity).int(2, state).uint(3, ms);
    let first = Message::new()
        .message(1, state(0, 0, ("Bluetooth", "Idle")))
        .message(1, Message::new().int(1, 3))
        .message(2, residency(0, 0, 1_000));
    let second = Message::new().message(2, residency(0, 0, 1_500)).message(2, residency(5, 5, 1));
    let trace = packets([at(10).payload(91, first), at(20).payload(91, second)]);
    assert_eq!(
        lines(&trace, COUNTERS),
        [
            "10 entity_state Entity residency: Bluetooth is Idle 1000.0",
            "20 entity_state Entity residency: Bluetooth is Idle 1500.0",
        ]
    );
    let stats = "SELECT name, value FROM stats WHERE name LIKE 'entity_state%' AND value > 0 \
        ORDER BY name";
    assert_eq!(
        lines(&trace, stats),
        ["entity_state_descriptor_invalid 1", "entity_state_residency_lookup_failed 1"]
    );
}

#[test]
fn wakelocks_of_apps_last_from_taking_to_release() {
    let info = |iid, tag: &str, uid| Message::new().int(1, iid).bytes(2, tag).int(3, 1).int(5, uid);
    let interned = Message::new()
        .message(42, info(1, "job", 1000).int(6, 10_001))
        .message(42, info(2, "sync", 1000));
    // A time is twice the ns since the packet's, and odd where the lock is taken.
    let bundle = Message::new().packed(1, [1, 2, 1, 3]).packed(2, [1, 21, 60, 70]);
    let release = Message::new().packed(1, [2]).packed(2, [0]);
    let trace = packets([
        at(1).flags(STATE_CLEARED).payload(12, interned),
        at(100).flags(NEEDS_STATE).payload(116, bundle),
        at(200).flags(NEEDS_STATE).payload(116, release),
        at(300).payload(116, Message::new().packed(1, [1])),
        at(400).payload(116, Message::new().bytes(1, [0x80]).packed(2, [1])),
    ]);
    let slices = "SELECT ts, dur, t.type, t.name AS track, s.name, t.id FROM slice s \
        JOIN track t ON s.track_id = t.id ORDER BY ts";
    assert_eq!(
        lines(&trace, slices),
        [
            "100 30 app_wakelock_events app_wakelock_events job 0",
            "110 90 app_wakelock_events app_wakelock_events sync 1",
        ]
    );
    assert_eq!(
        lines(&trace, SLICE_ARGS),
        [
            "100 job flags int 1",
            "100 job owner_uid int 1000",
            "100 job work_uid int 10001",
            "110 sync flags int 1",
            "110 sync owner_uid int 1000",
        ]
    );
    let stats = "SELECT name, value FROM stats WHERE name LIKE 'app_wakelock%' ORDER BY name";
    assert_eq!(lines(&trace, stats), ["app_wakelock_parse_error 1", "app_wakelock_unknown_id 1"]);
}

#[test]
fn wakelocks_of_the_kernel_add_up() {
    let lock = |id, name: &str, kind| Message::new().uint(1, id).bytes(2, name).uint(3, kind);
    let first = Message::new().message(1, lock(1, "wlan", 1)).message(1, lock(2, "Radio", 2));
    let first = first.packed(2, [1, 2]).packed(3, [10, 20]);
    let second = Message::new().message(1, lock(1, "again", 1));
    let second = second.packed(2, [1, 9]).packed(3, [5, 1]).uint(4, 1);
    let trace = packets([
        at(10).flags(STATE_CLEARED).payload(115, first),
        at(20).flags(NEEDS_STATE).payload(115, second),
        at(30).flags(STATE_CLEARED).payload(115, Message::new()),
    ]);
    // Wakelocks held before the state was cleared do not count later.
    let counters = "SELECT ts, t.type, t.name, unit, value FROM counter c \
        JOIN __stored_track t ON c.track_id = t.id ORDER BY c.id";
    assert_eq!(
        lines(&trace, counters),
        [
            "10 android_kernel_wakelock wlan ms 10000000.0",
            "10 android_kernel_wakelock Radio ms 20000000.0",
            "20 android_kernel_wakelock wlan ms 15000000.0",
        ]
    );
    let kinds = "SELECT string_value FROM args WHERE key = 'wakelock_type' ORDER BY id";
    assert_eq!(lines(&trace, kinds), ["kernel", "native"]);
    let stats = "SELECT name, value FROM stats WHERE name LIKE 'kernel_wakelock%' ORDER BY name";
    assert_eq!(
        lines(&trace, stats),
        [
            "kernel_wakelock_implausibly_large_value_reported 0",
            "kernel_wakelock_non_monotonic_value_reported 0",
            "kernel_wakelock_reused_id 1",
            "kernel_wakelock_unknown_id 1",
            "kernel_wakelock_zero_value_reported 1",
        ]
    );
}

/// A value that is repeated is left out, and written once more when it changes: `wlan` stands at
/// 10 ms until 30, `Radio` at 20 ms to the end of its state, which is at 40.
#[test]
fn wakelocks_that_are_not_held_are_not_repeated() {
    let lock = |id, name: &str, kind| Message::new().uint(1, id).bytes(2, name).uint(3, kind);
    let names = || Message::new().message(1, lock(1, "wlan", 1)).message(1, lock(2, "Radio", 2));
    let held =
        |message: Message, ids: &[u64], times: &[u64]| numbers(numbers(message, 2, ids), 3, times);
    let trace = packets([
        at(10).flags(STATE_CLEARED).payload(115, held(names(), &[1, 2], &[10, 20])),
        at(20).flags(NEEDS_STATE).payload(115, held(Message::new(), &[], &[]).uint(4, 6)),
        at(30).flags(NEEDS_STATE).payload(115, held(Message::new(), &[1], &[0])),
        at(40).flags(NEEDS_STATE).payload(115, held(Message::new(), &[1], &[5])),
        at(50).flags(STATE_CLEARED).payload(115, held(names(), &[2], &[7])),
    ]);
    let counters = "SELECT ts, t.name, CAST(value / 1e6 AS INTEGER) FROM counter c \
        JOIN track t ON c.track_id = t.id ORDER BY t.name, ts";
    assert_eq!(
        lines(&trace, counters),
        ["10 Radio 20", "40 Radio 20", "50 Radio 7", "10 wlan 10", "30 wlan 10", "40 wlan 15"]
    );
    let stats = "SELECT name, value FROM stats WHERE name LIKE 'kernel_wakelock%' \
        AND value > 0 ORDER BY name";
    assert_eq!(
        lines(&trace, stats),
        [
            "kernel_wakelock_implausibly_large_value_reported 1",
            "kernel_wakelock_non_monotonic_value_reported 1",
        ]
    );
}

/// Ids of isolated processes are of one user: its time is the sum of what each grew.
#[test]
fn time_on_cpus_of_isolated_processes_is_of_their_group() {
    let data = |uids: &[u64], times: &[u64]| numbers(numbers(Message::new(), 2, uids), 3, times);
    let isolated = [1_090_001, 1_090_002];
    let trace = packets([
        at(10).flags(STATE_CLEARED).payload(119, data(&isolated, &[10, 20]).uint(1, 1)),
        at(20).flags(NEEDS_STATE).payload(119, data(&isolated, &[3, 4])),
    ]);
    let counters = "SELECT ts, t.name, value FROM counter c JOIN track t ON c.track_id = t.id \
        ORDER BY t.name, ts";
    assert_eq!(
        lines(&trace, counters),
        [
            "10 CPU for Apps CL0 0.0",
            "20 CPU for Apps CL0 7.0",
            "10 CPU for UID 1090000 CL0 0.0",
            "20 CPU for UID 1090000 CL0 7.0",
        ]
    );
    let rows = "SELECT uid, cluster, total_cpu_millis FROM __intrinsic_android_cpu_per_uid_track";
    assert_eq!(lines(&trace, rows), ["1090000 0 7"]);
}

/// A counter belongs to the track, not to the state of the sequence: 5 ms held until 20.
#[test]
fn time_on_cpus_is_held_until_the_state_is_cleared() {
    let data = |uids: &[u64], times: &[u64]| numbers(numbers(Message::new(), 2, uids), 3, times);
    let trace = packets([
        at(10).flags(STATE_CLEARED).payload(119, data(&[1_000], &[5]).uint(1, 1)),
        at(20).flags(NEEDS_STATE).payload(119, data(&[1_000], &[0])),
        at(30).flags(STATE_CLEARED).payload(119, data(&[1_000], &[8]).uint(1, 1)),
    ]);
    let counters = "SELECT ts, value FROM counter c JOIN track t ON c.track_id = t.id \
        WHERE t.name = 'CPU for UID 1000 CL0' ORDER BY ts";
    assert_eq!(lines(&trace, counters), ["10 5.0", "20 5.0", "30 8.0"]);
}

#[test]
fn time_on_cpus_adds_up_for_each_user_id() {
    let data = |uids: &[u64], times: &[u64]| numbers(numbers(Message::new(), 2, uids), 3, times);
    let trace = packets([
        at(10).flags(STATE_CLEARED).payload(119, data(&[1_000, 10_001], &[5, 6]).uint(1, 1)),
        at(20).flags(NEEDS_STATE).payload(119, data(&[10_001], &[4])),
        at(30).flags(NEEDS_STATE).payload(119, data(&[], &[])),
        at(40).flags(NEEDS_STATE).payload(119, data(&[1_000], &[3])),
    ]);
    // A value that stands still is written again when it moves on.
    let counters = "SELECT ts, t.name, value FROM counter c JOIN track t ON c.track_id = t.id \
        ORDER BY t.name, ts";
    assert_eq!(
        lines(&trace, counters),
        [
            "10 CPU for Apps CL0 0.0",
            "20 CPU for Apps CL0 4.0",
            "10 CPU for System CL0 0.0",
            "30 CPU for System CL0 0.0",
            "40 CPU for System CL0 3.0",
            "10 CPU for UID 1000 CL0 5.0",
            "30 CPU for UID 1000 CL0 5.0",
            "40 CPU for UID 1000 CL0 8.0",
            "10 CPU for UID 10001 CL0 6.0",
            "20 CPU for UID 10001 CL0 10.0",
        ]
    );
    let rows = "SELECT uid, cluster, total_cpu_millis \
        FROM __intrinsic_android_cpu_per_uid_track ORDER BY uid";
    assert_eq!(lines(&trace, rows), ["1000 0 3", "10001 0 4"]);
}
