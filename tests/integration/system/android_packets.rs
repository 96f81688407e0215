//! Packets of Android's data sources.

use tpq_testkit::{Message, NEEDS_STATE, Packet, STATE_CLEARED, clock_id};

use super::{COUNTERS, packets};
use crate::imported::{Imported, clocks, recording};

/// The rows of a query without their names, single spaces between cells.
pub(super) fn lines(trace: &Imported, sql: &str) -> Vec<String> {
    let rows = trace.rows(sql);
    let cells = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    rows.lines().skip(1).map(cells).collect()
}

/// Writes a float of four bytes.
pub(super) fn float(message: Message, field: u32, value: f32) -> Message {
    let tag = field << 3 | 5;
    let mut bytes = message.into_bytes();
    match tag {
        0..128 => bytes.push(tag as u8),
        _ => bytes.extend([tag as u8 | 0x80, (tag >> 7) as u8]),
    }
    bytes.extend(value.to_le_bytes());
    Message::from_bytes(bytes)
}

pub(super) fn at(ts: u64) -> Packet {
    Packet::new().sequence(1).timestamp(ts)
}

/// Args of slices.
pub(super) const SLICE_ARGS: &str = "SELECT s.ts, s.name, flat_key, value_type AS type, \
    coalesce(string_value, CAST(int_value AS VARCHAR), CAST(real_value AS VARCHAR)) AS value \
    FROM slice s JOIN args USING (arg_set_id) ORDER BY s.ts, s.id, args.id";

#[test]
fn log_messages_lie_at_their_own_time() {
    let named = |name: &str| Message::new().bytes(1, name);
    let late = Message::new().int(2, 10).int(3, 11).uint(5, 1_000_500).bytes(6, "Tag");
    let late = late.uint(7, 5).bytes(8, "a message");
    let early = Message::new().uint(5, 1_000_200).bytes(6, "am_event");
    let early = early
        .message(9, named("a").int(2, -1))
        .message(9, Message::new().int(2, 7))
        .message(9, named("b").bytes(4, "x"))
        .message(9, float(named("c"), 3, 1.5));
    let counts = Message::new().uint(1, 9).uint(2, 3).uint(3, 4);
    let log = Message::new().message(1, late).message(1, early).message(2, counts);
    let trace = packets([
        clocks(&[(clock_id::BOOTTIME, 1_000), (clock_id::REALTIME, 1_000_000)]),
        at(9_000).payload(39, log),
    ]);
    // Wall time is 999,000 ns ahead. Arguments without a name are left out, and a message without
    // a priority is information.
    let logs = "SELECT ts, tid, pid, prio, log_source, tag, msg FROM logs \
        JOIN thread USING (utid) JOIN process USING (upid) ORDER BY logs.id";
    assert_eq!(
        lines(&trace, logs),
        [
            "1200 0 0 4 android_logcat am_event a=-1 b=\"x\" c=1.500000",
            "1500 11 10 5 android_logcat Tag a message",
        ]
    );
    assert_eq!(trace.cell("SELECT count(*) FROM android_logs"), "2");
    let stats = "SELECT name, value FROM stats WHERE name LIKE 'android_log_num%' ORDER BY name";
    assert_eq!(
        lines(&trace, stats),
        ["android_log_num_failed 3", "android_log_num_skipped 4", "android_log_num_total 9"]
    );
}

#[test]
fn the_arguments_of_a_log_message_are_cut_where_they_are_too_long() {
    let arg = Message::new().bytes(1, "k").bytes(4, "v".repeat(5_000));
    let event = Message::new().uint(5, 2_000).message(9, arg);
    let trace = packets([
        clocks(&[(clock_id::BOOTTIME, 1_000), (clock_id::REALTIME, 1_000)]),
        at(2_000).payload(39, Message::new().message(1, event)),
    ]);
    assert_eq!(trace.cell("SELECT length(msg) FROM logs"), "4094");
}

#[test]
fn messages_of_the_journal_have_args() {
    let message = Message::new().uint(1, 20).uint(3, 1000).uint(5, 3).bytes(7, "failed");
    let message = message.bytes(8, "sshd").bytes(10, "ssh.service");
    let counts = Message::new().uint(20, 5).uint(21, 1);
    let trace = packets([at(10).payload(132, message), at(20).payload(132, counts)]);
    let logs = "SELECT ts, tid, prio, log_source, tag, msg FROM logs JOIN thread USING (utid)";
    assert_eq!(lines(&trace, logs), ["10 20 3 systemd_journald NULL failed"]);
    let args = "SELECT flat_key, int_value, string_value FROM logs JOIN args USING (arg_set_id) \
        ORDER BY args.id";
    assert_eq!(
        lines(&trace, args),
        ["uid 1000 NULL", "comm NULL sshd", "systemd_unit NULL ssh.service"]
    );
    let total = "SELECT value FROM stats WHERE name = 'systemd_journal_num_total'";
    assert_eq!(trace.cell(total), "5");
    assert_eq!(trace.cell("SELECT count(*) FROM android_logs"), "0");
}

#[test]
fn a_package_that_is_listed_again_is_one_row() {
    let package = |name: &str, uid| Message::new().bytes(1, name).uint(2, uid);
    let list = Message::new()
        .message(1, package("com.example.app", 10_001).bool(3, true).int(5, 42))
        .message(1, package("com.example.other", 10_002).bool(4, true))
        .bool(2, true);
    let trace = packets([at(10).payload(47, list.clone()), at(20).payload(47, list)]);
    assert_eq!(
        lines(&trace, "SELECT * FROM package_list ORDER BY id"),
        ["0 com.example.app 10001 1 0 42", "1 com.example.other 10002 0 1 0"]
    );
    let stats = "SELECT name, value FROM stats WHERE name LIKE 'packages_list%' ORDER BY name";
    assert_eq!(
        lines(&trace, stats),
        ["packages_list_has_parse_errors 1", "packages_list_has_read_errors 0"]
    );
}

#[test]
fn interventions_of_a_game_are_a_row() {
    let mode = |mode, angle| Message::new().uint(1, mode).bool(2, angle);
    let game = Message::new().bytes(1, "com.example.game").uint(2, 10_003).uint(3, 2);
    let game = game.message(4, float(float(mode(2, true), 3, 0.5), 4, 60.0));
    let game = game.message(4, mode(9, true));
    let trace = packets([at(10).payload(83, Message::new().message(1, game))]);
    let rows = "SELECT package_name, uid, current_mode, standard_mode_supported AS s, \
        standard_mode_fps AS sf, perf_mode_supported AS p, perf_mode_downscale AS pd, \
        perf_mode_use_angle AS pa, perf_mode_fps AS pf, battery_mode_supported AS b \
        FROM android_game_intervention_list";
    assert_eq!(lines(&trace, rows), ["com.example.game 10003 2 0 NULL 1 0.5 1 60.0 0"]);
}

#[test]
fn properties_become_counters_slices_and_facts() {
    let property = |name: &str, value: &str| Message::new().bytes(1, name).bytes(2, value);
    let list = Message::new()
        .message(1, property("debug.tracing.screen_state", "2"))
        .message(1, property("debug.tracing.device_state", "0:CLOSED"))
        .message(1, property("debug.tracing.plug_type", "1"))
        .message(1, property("debug.tracing.battery_stats.audio", "3"))
        .message(1, property("debug.tracing.mcc", "not a number"))
        .message(1, property("debug.tracing.other", "5"))
        .message(1, property("screen_state", "7"))
        .message(1, property("debug.tracing.profile_system_server", "1"));
    let initial = Message::new().int(1, 1).double(2, 0.5);
    let trace = packets([at(5).payload(70, initial), at(10).payload(86, list)]);
    assert_eq!(
        lines(&trace, COUNTERS),
        [
            "5 screen_state ScreenState 1.0",
            "10 screen_state ScreenState 2.0",
            "10 sysprop_counter PlugType 1.0",
            "10 sysprop_counter battery_stats.audio 3.0",
        ]
    );
    assert_eq!(
        lines(&trace, super::SLICES),
        ["10 0 android_device_state DeviceStateChanged 0:CLOSED NULL"]
    );
    let fact = "SELECT int_value FROM metadata WHERE name = 'android_profile_system_server'";
    assert_eq!(trace.cell(fact), "1");
    let dimension = "SELECT string_value FROM args WHERE key = 'sysprop_name' ORDER BY id";
    assert_eq!(
        lines(&trace, dimension),
        ["debug.tracing.plug_type", "debug.tracing.battery_stats.audio"]
    );
}

#[test]
fn packets_of_bundles_lie_in_the_order_of_time_on_tracks_that_are_free() {
    let context = |uid, direction| {
        Message::new().uint(1, direction).bytes(2, "wlan0").uint(4, uid).uint(5, 0x42).uint(6, 6)
    };
    let interned = Message::new()
        .message(30, Message::new().uint(1, 7).message(2, context(10_001, 2).uint(7, 0b10)));
    let by_id = Message::new().uint(1, 7).packed(3, [0, 40]).packed(4, [100, 200]);
    let own = Message::new().message(2, context(1_010_001, 2).uint(8, 443));
    let own = own.packed(3, [20]).packed(4, [50]);
    let summed = Message::new().message(2, context(0, 1)).uint(5, 9).uint(6, 30).uint(7, 9_000);
    let unknown = Message::new().uint(1, 8).packed(3, [0]).packed(4, [1]);
    let package = Message::new().bytes(1, "com.example.app").uint(2, 10_001);
    let trace = packets([
        at(1).flags(STATE_CLEARED).payload(12, interned),
        at(2).payload(47, Message::new().message(1, package)),
        at(1_000).flags(NEEDS_STATE).payload(92, by_id),
        at(1_010).payload(92, own),
        at(1_020).payload(92, summed.clone()),
        at(1_030).payload(92, summed),
        at(2_000).flags(NEEDS_STATE).payload(92, unknown),
        at(3_000).payload(88, context(10_001, 2).uint(3, 60).uint(10, 8)),
    ]);
    // The app runs for two users. The sums overlap, so each has a track.
    let slices = "SELECT ts, dur, t.name AS track, s.name, depth, int_value AS lane \
        FROM slice s JOIN track t ON s.track_id = t.id \
        JOIN args ON dimension_arg_set_id = args.arg_set_id AND key = 'track_compressor_idx' \
        ORDER BY s.id";
    assert_eq!(
        lines(&trace, slices),
        [
            "1000 0 wlan0 Transmitted com.example.app 0 0",
            "1020 30 wlan0 Received uid=0 0 0",
            "1030 0 wlan0 Transmitted com.example.app 0 0",
            "1030 30 wlan0 Received uid=0 0 1",
            "1040 0 wlan0 Transmitted com.example.app 0 0",
            "2000 0 DIR_UNKNOWN uid=0 0 0",
            "3000 0 wlan0 Transmitted com.example.app 0 0",
        ]
    );
    let rows = "SELECT id, packet_transport, packet_length AS len, packet_count AS n, \
        socket_tag_str AS tag, socket_uid, local_port AS port, packet_icmp_type AS icmp, \
        packet_tcp_flags_str AS flags FROM __intrinsic_android_network_packets ORDER BY id";
    assert_eq!(
        lines(&trace, rows),
        [
            "0 IPPROTO_TCP 100 1 0x42 10001 NULL NULL .s......",
            "1 IPPROTO_TCP 9000 9 0x42 0 NULL NULL NULL",
            "2 IPPROTO_TCP 50 1 0x42 1010001 443 NULL NULL",
            "3 IPPROTO_TCP 9000 9 0x42 0 NULL NULL NULL",
            "4 IPPROTO_TCP 200 1 0x42 10001 NULL NULL .s......",
            "5 IPPROTO (0) 1 1 0x0 0 NULL NULL NULL",
            "6 IPPROTO_TCP 60 1 0x42 10001 NULL 8 NULL",
        ]
    );
    let args = "SELECT flat_key, value_type FROM slice JOIN args USING (arg_set_id) \
        WHERE slice.id = 2 ORDER BY args.id";
    assert_eq!(
        lines(&trace, args),
        [
            "packet_transport string",
            "socket_uid int",
            "socket_tag string",
            "local_port int",
            "packet_length int",
            "packet_count int",
        ]
    );
    let stat = "SELECT value FROM stats WHERE name = 'network_trace_intern_errors'";
    assert_eq!(trace.cell(stat), "1");
}

/// Of lists of different lengths the shorter one decides. In the second bundle the second length is
/// cut off, which is damage. The third bundle refers to a context that was never sent: that is one
/// error, and not one for each of its packets.
#[test]
fn bundles_of_packets_that_are_not_whole() {
    let bundle = Message::new().packed(3, [0, 1]).packed(4, [100]);
    let damaged = Message::new().packed(3, [0, 1]).bytes(4, [100, 0x80]);
    let lost = Message::new().uint(1, 9).packed(3, [0, 1, 2]).packed(4, [1, 2, 3]);
    let trace = packets([
        at(10).payload(92, bundle),
        at(20).payload(92, damaged),
        at(30).flags(STATE_CLEARED).payload(92, lost),
    ]);
    assert_eq!(trace.cell("SELECT count(*) FROM slice"), "5");
    let stats = "SELECT name, value FROM stats WHERE value > 0 AND (name LIKE 'network_trace%' \
        OR name = 'malformed_packets') ORDER BY name";
    assert_eq!(
        lines(&trace, stats),
        ["malformed_packets 1", "network_trace_intern_errors 1", "network_trace_parse_errors 1"]
    );
}

#[test]
fn atoms_have_times_of_their_own_and_numbered_fields() {
    let known =
        Message::new().message(2, Message::new().int(1, -5).bytes(2, "four").double(3, 0.5));
    let unknown = Message::new().message(1, float(Message::new(), 1, 2.5));
    let of_a_maker = Message::new().message(100_001, Message::new());
    let atoms = Message::new().message(1, known).message(1, unknown).message(1, of_a_maker);
    let trace = packets([at(100).payload(84, atoms.int(2, 90).int(2, 80))]);
    assert_eq!(
        lines(&trace, super::SLICES),
        [
            "80 0 statsd_atoms Statsd Atoms atom_1 NULL",
            "90 0 statsd_atoms Statsd Atoms ble_scan_state_changed NULL",
            "100 0 statsd_atoms Statsd Atoms atom_100001 NULL",
        ]
    );
    assert_eq!(
        lines(&trace, SLICE_ARGS),
        [
            "80 atom_1 field_1_assuming_float real 2.5",
            "90 ble_scan_state_changed ble_scan_state_changed.field_1 int -5",
            "90 ble_scan_state_changed ble_scan_state_changed.field_2 string <bytes size=4>",
            "90 ble_scan_state_changed ble_scan_state_changed.field_3_assuming_double real 0.5",
        ]
    );
    let stats = "SELECT name, value FROM stats WHERE name LIKE 'atom%' ORDER BY name";
    assert_eq!(lines(&trace, stats), ["atom_timestamp_missing 1", "atom_unknown 1"]);
}

/// An atom states the time since boot, although the packet is in another clock. The second atom has
/// the time of its packet, which is that of the wall.
#[test]
fn times_of_atoms_are_in_the_clock_of_the_file() {
    let atom = || Message::new().message(100_001, Message::new());
    let atoms = Message::new().message(1, atom()).message(1, atom()).int(2, 5_000);
    let trace = packets([
        clocks(&[(clock_id::BOOTTIME, 0), (clock_id::REALTIME, 1_000)]),
        at(9_000).clock(clock_id::REALTIME).payload(84, atoms),
    ]);
    assert_eq!(lines(&trace, "SELECT ts FROM slice ORDER BY ts"), ["5000", "8000"]);
}

#[test]
fn triggers_are_instants_and_the_one_a_copy_was_taken_for_is_a_fact() {
    let trigger = Message::new().bytes(1, "jank").bytes(2, "perfetto").int(3, 1000);
    let chrome = Message::new().fixed64(3, 5).bytes(1, "startup");
    let trace = packets([
        at(10).payload(46, trigger.clone()),
        at(15).payload(46, Message::new().bytes(1, "later")),
        at(20).payload(109, chrome),
    ]);
    assert_eq!(
        lines(&trace, super::SLICES),
        [
            "10 0 triggers Trace Triggers jank NULL",
            "15 0 triggers Trace Triggers later NULL",
            "20 0 triggers Trace Triggers startup NULL",
        ]
    );
    assert_eq!(
        lines(&trace, SLICE_ARGS),
        [
            "10 jank producer_name string perfetto",
            "10 jank trusted_producer_uid int 1000",
            "20 startup chrome_trigger.name_hash uint 0",
            "20 startup chrome_trigger.name string startup",
        ]
    );
    let fact = "SELECT str_value FROM metadata WHERE name = 'trace_trigger'";
    assert_eq!(trace.cell(fact), "jank", "the first");
    let copied = packets([
        at(10).payload(46, trigger),
        at(30).payload(113, Message::new().bytes(1, "copy")),
    ]);
    assert_eq!(copied.cell(fact), "copy");
    let stat = "SELECT value FROM stats WHERE name = 'traced_clone_trigger_timestamp_ns'";
    assert_eq!(copied.cell(stat), "30");
}

#[test]
fn packets_of_bluetooth() {
    let event = Message::new().uint(1, 2).uint(2, 3).uint(6, 0x3e);
    let lasting = Message::new().uint(1, 1).uint(4, 500);
    let trace = packets([at(10).payload(114, event), at(20).payload(114, lasting)]);
    assert_eq!(
        lines(&trace, super::SLICES),
        [
            "10 0 bluetooth_trace_event BluetoothTraceEvent BluetoothTraceEvent NULL",
            "20 500 bluetooth_trace_event BluetoothTraceEvent BluetoothTraceEvent NULL",
        ]
    );
    assert_eq!(
        lines(&trace, SLICE_ARGS),
        [
            "10 BluetoothTraceEvent TracePacketType string HCI_EVT",
            "10 BluetoothTraceEvent Count uint 3",
            "10 BluetoothTraceEvent Event Code uint 62",
            "20 BluetoothTraceEvent TracePacketType string HCI_CMD",
        ]
    );
}

#[test]
fn users_and_the_state_of_a_viewer_are_kept() {
    let user = Message::new().bytes(1, "android.os.usertype.full.SYSTEM").int(2, 0);
    let users = Message::new().message(1, user).int(2, 5);
    let trace = packets([at(10).payload(123, users), at(20).payload(78, Message::new().int(1, 5))]);
    let rows = "SELECT type, android_user_id FROM __intrinsic_android_user_list";
    assert_eq!(lines(&trace, rows), ["android.os.usertype.full.SYSTEM 0"]);
    assert_eq!(trace.cell("SELECT value FROM stats WHERE name = 'user_list_errors'"), "1");
    // The two bytes 08 05.
    assert_eq!(trace.cell("SELECT str_value FROM metadata WHERE name = 'ui_state'"), "CAU=");
}

#[test]
fn a_build_is_read_from_its_fingerprint() {
    let fingerprint = "google/redfin/redfin:12/SP1A.210812.015/7679548:user/release-keys";
    let info = Message::new().bytes(2, fingerprint);
    let trace = Imported::trace(recording().packet(Packet::new().payload(45, info)));
    let facts = "SELECT name, int_value, str_value FROM metadata WHERE name LIKE 'android_%' \
        AND name != 'android_build_fingerprint' ORDER BY name";
    assert_eq!(
        lines(&trace, facts),
        ["android_incremental_build NULL 7679548", "android_sdk_version 31 NULL"]
    );
}

#[test]
fn the_subscription_that_asked_for_a_trace_is_a_fact() {
    let config = Message::new().message(7, Message::new().int(4, 88));
    let trace = packets([Packet::new().trace_config(config)]);
    let fact = "SELECT int_value FROM metadata WHERE name = 'statsd_triggering_subscription_id'";
    assert_eq!(trace.cell(fact), "88");
}
