//! Power use: suspension and wakeups, the screen, the battery, rails and frequencies.

use tpq_testkit::{Message, Packet};

use super::{APP, SYSTEM, lines, marked, marks, recorded};

#[test]
fn suspension() {
    let trace = marked(&[
        (10, APP, "I|100|x"),
        (20, SYSTEM, "G|500|Suspend/Resume Minimal|Suspended|1"),
        (50, SYSTEM, "H|500|Suspend/Resume Minimal|1"),
        (100, APP, "I|100|x"),
    ]);
    let sql = "SELECT * FROM android_suspend_state ORDER BY ts";
    assert_eq!(
        lines(&trace, "suspend", sql),
        ["10 10 0 awake", "20 30 0 suspended", "50 50 0 awake"]
    );
    let sql = "SELECT _extract_duration_without_suspend(10, 30) AS a, \
        _extract_duration_without_suspend(60, 5) AS b";
    assert_eq!(lines(&trace, "suspend", sql), ["10 5"]);
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
