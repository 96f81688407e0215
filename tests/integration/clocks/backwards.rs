//! Clocks that were set back, as wall time is when daylight saving ends.

use insta::assert_snapshot;
use tpq_testkit::clock_id::{BOOTTIME, MONOTONIC, REALTIME};
use tpq_testkit::{ClockSnapshot, Packet, TraceBuilder};

use super::INSTANTS;
use crate::imported::{CLOCK_SNAPSHOT, Imported, LOGS, STATS, instant, recording, snapshot_packet};

/// Wall time goes from 3 o'clock back to 2 between the second and the third snapshot; a minute is
/// 1 here, so that an hour is 60.
fn night(primary: u32, events: impl IntoIterator<Item = Packet>) -> TraceBuilder {
    let at = |boottime, wall| {
        let snapshot = ClockSnapshot::new()
            .clock(BOOTTIME, boottime)
            .clock(MONOTONIC, boottime - 100)
            .clock(REALTIME, wall);
        snapshot_packet(snapshot.primary(primary))
    };
    recording()
        .packets([at(1000, 150), at(1030, 180), at(1040, 130), at(1070, 160)])
        .packets(events)
}

/// Into wall time: each moment has one, though two moments may have the same.
#[test]
fn into_wall_time() {
    let trace = night(
        REALTIME,
        [
            instant(1010, "ten past").clock(BOOTTIME),
            instant(1035, "between the snapshots").clock(BOOTTIME),
            instant(1050, "after it was set back").clock(BOOTTIME),
            instant(960, "monotonic").clock(MONOTONIC),
        ],
    );
    let imported = Imported::trace(trace);
    assert_snapshot!(imported.rows(INSTANTS), @r"
    ts   name
    140  after it was set back
    150  monotonic
    160  ten past
    185  between the snapshots
    ");
    assert_snapshot!(imported.rows(STATS), @"name  machine  file  value");
}

/// Out of wall time: a moment between 2 and 3 o'clock may be two, so none is chosen.
#[test]
fn out_of_wall_time() {
    let trace = night(
        BOOTTIME,
        [
            instant(155, "lost").clock(REALTIME),
            instant(190, "lost, though only one moment was so late").clock(REALTIME),
            instant(930, "monotonic").clock(MONOTONIC),
            instant(1031, "boot time"),
        ],
    );
    let imported = Imported::trace(trace);
    assert_snapshot!(imported.rows(INSTANTS), @r"
    ts    name
    1030  monotonic
    1031  boot time
    ");
    assert_snapshot!(imported.rows(STATS), @r"
    name                        machine  file  value
    clock_sync_failure_no_path  0        0     2
    ");
    assert_snapshot!(imported.rows(LOGS), @r"
    file  name                        severity  packet  clock  timestamp
    0     clock_sync_failure_no_path  error     5       1      155
    0     clock_sync_failure_no_path  error     6       1      190
    ");
    let rows = imported.rows(CLOCK_SNAPSHOT);
    assert_eq!(rows.lines().count(), 1 + 4 * 3, "every reading is in the table:\n{rows}");
}

/// A clock that is reachable only through such a clock is unreachable.
#[test]
fn no_way_leads_through_it() {
    let custom =
        |value, wall| snapshot_packet(ClockSnapshot::new().clock(128, value).clock(REALTIME, wall));
    let events = [custom(10, 150), custom(50, 160), instant(15, "lost").clock(128)];
    let imported = Imported::trace(night(BOOTTIME, events));
    assert_snapshot!(imported.rows(STATS), @r"
    name                        machine  file  value
    clock_sync_failure_no_path  0        0     1
    ");
}

/// Boot time that goes backwards is damage. It is still the timeline, which is not converted.
#[test]
fn the_timelines_own_clock() {
    let at = |boottime, monotonic| {
        snapshot_packet(ClockSnapshot::new().clock(BOOTTIME, boottime).clock(MONOTONIC, monotonic))
    };
    let trace = recording().packets([
        at(1000, 900),
        at(950, 950),
        instant(990, "boot time"),
        instant(940, "monotonic, 100 behind").clock(MONOTONIC),
        instant(960, "monotonic, as much as boot time").clock(MONOTONIC),
    ]);
    assert_snapshot!(Imported::trace(trace).rows(INSTANTS), @r"
    ts    name
    960   monotonic, as much as boot time
    990   boot time
    1040  monotonic, 100 behind
    ");
}
