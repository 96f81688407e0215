//! Devices that share nothing but the time of day.

use insta::assert_snapshot;
use serde_json::json;
use tpq_testkit::clock_id::{BOOTTIME, MONOTONIC, REALTIME};
use tpq_testkit::{Archive, SystemInfo};

use super::{left, right};
use crate::imported::{
    CLOCK_SNAPSHOT, EVENTS, Imported, MACHINES, STATS, clocks, instant, merged, recording, system,
};

fn two_machines(left: Vec<u8>, right: Vec<u8>) -> Imported {
    merged(&Archive::new().file("right.pftrace", right).file("left.pftrace", left).manifest(
        json!({
            "files": [
                { "path": "left.pftrace", "machine": { "name": "left" } },
                { "path": "right.pftrace", "machine": { "name": "right" } },
            ]
        }),
    ))
}

/// The right device did its thing at wall time 985 + 30 = 1015, which is when the left one had
/// been up for 1015 - 900 = 115. Its snapshot was taken at wall time 1005, which is 105. The
/// last row says what was assumed; the left device was started 900 after wall time began.
#[test]
fn two_phones() {
    assert_snapshot!(two_machines(left(), right()).picture());
}

/// MONOTONIC of the right device was 990 behind wall time: 26 is wall time 1016.
#[test]
fn every_clock_comes_by_wall_time() {
    let right = recording()
        .packet(clocks(&[(BOOTTIME, 20), (MONOTONIC, 15), (REALTIME, 1005)]))
        .packet(instant(30, "up for 30"))
        .packet(instant(26, "monotonic").clock(MONOTONIC))
        .packet(instant(1017, "wall time").clock(REALTIME));
    let merged = two_machines(left(), right.build());
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts   name       machine
    110  left       0
    115  up for 30  1
    116  monotonic  1
    117  wall time  1
    ");
    let rules: Vec<&str> =
        merged.summary().placements.iter().map(|placed| placed.rule.name()).collect();
    assert_eq!(rules, ["snapshot", "realtime"]);
}

/// A device without a reading of wall time together with boot time cannot be placed by it, and two
/// devices of different names were not started at the same moment.
#[test]
fn without_wall_time_devices_of_different_names_have_nothing_in_common() {
    let right = recording().packet(instant(30, "right"));
    let merged = two_machines(left(), right.build());
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts   name  machine
    110  left  0
    ");
    assert_snapshot!(merged.rows(STATS), @r"
    name                                  machine  file  value
    clock_sync_failure_no_path            1        3     1
    clock_sync_unrelatable_clock_domains  1        3     1
    ");
}

/// Where only one of them has a name, they may be the same, and boot time is all that is left.
#[test]
fn without_wall_time_boot_times_are_taken_for_the_same() {
    let right = recording().packet(instant(30, "right")).build();
    let archive = Archive::new().file("left", left()).file("right", right).manifest(json!({
        "files": [{ "path": "right", "machine": { "name": "right" } }]
    }));
    let merged = merged(&archive);
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts   name   machine
    30   right  1
    110  left   0
    ");
    assert_snapshot!(merged.rows(CLOCK_SNAPSHOT), @r"
    snap  ts   origin       machine  file  clock_id  clock_name  value
    0     100  snapshot     0        2     6         BOOTTIME    100
    0     100  snapshot     0        2     3         MONOTONIC   90
    0     100  snapshot     0        2     1         REALTIME    1000
    1     0    same_domain  0        2     6         BOOTTIME    0
    1     0    same_domain  1        3     6         BOOTTIME    0
    ");
}

/// Where wall time was set back, a moment of it may be two, so it places nothing.
#[test]
fn wall_time_that_was_set_back_places_nothing() {
    let right = recording()
        .packet(clocks(&[(BOOTTIME, 20), (REALTIME, 1005)]))
        .packet(clocks(&[(BOOTTIME, 40), (REALTIME, 1000)]))
        .packet(instant(30, "right"));
    // From right to left goes by BOOTTIME to REALTIME of the right device, which is fine, and by
    // REALTIME to BOOTTIME of the left one.
    let as_source = two_machines(left(), right.clone().build());
    assert_snapshot!(as_source.rows(EVENTS), @r"
    ts   name   machine
    110  left   0
    115  right  1
    ");
    // With the right device as the timeline, the way ends with its own REALTIME to BOOTTIME.
    let archive = Archive::new().file("a", right.build()).file("b", left()).manifest(json!({
        "files": [{ "path": "a", "machine": { "name": "a" } },
                  { "path": "b", "machine": { "name": "b" } }]
    }));
    assert_snapshot!(merged(&archive).rows(EVENTS), @r"
    ts  name   machine
    30  right  0
    ");
}

/// A name that the manifest gives stands; one that only the trace gives stands, too.
#[test]
fn names_of_machines() {
    let named = |name| system(SystemInfo::linux("6.1").machine_name(name).num_cpus(4));
    let left = recording().packet(named("pixel")).packet(instant(110, "left")).build();
    let right = recording().packet(named("watch")).packet(instant(30, "right")).build();
    let archive = Archive::new().file("left", left).file("right", right).manifest(json!({
        "files": [{ "path": "left", "machine": { "name": "of the manifest" } }]
    }));
    let merged = merged(&archive);
    assert_snapshot!(merged.rows(MACHINES), @r"
    id  raw_id      name
    0   4294967296  of the manifest
    1   0           watch
    ");
    assert_snapshot!(
        merged.rows("SELECT id, release, num_cpus FROM machine ORDER BY id"), @r"
    id  release  num_cpus
    0   6.1      4
    1   6.1      4
    "
    );
}

/// Two devices that nothing distinguishes are taken for one. They were started minutes apart, which
/// is reported.
#[test]
fn devices_that_nothing_distinguishes() {
    const MINUTE: u64 = 60_000_000_000;
    let device = |wall: u64, at, name: &str| {
        let snapshot = clocks(&[(BOOTTIME, 100), (REALTIME, wall + 100)]);
        recording().packet(snapshot).packet(instant(at, name)).build()
    };
    let first = device(10 * MINUTE, 110, "first");
    let files = |started| {
        let second = device(started, 120, "second");
        Imported::files(&[("a", &first), ("b", &second)])
    };
    let apart = files(11 * MINUTE + 1);
    assert_snapshot!(apart.rows(EVENTS), @r"
    ts   name    machine
    110  first   0
    120  second  0
    ");
    assert_snapshot!(apart.rows(STATS), @r"
    name                           machine  file  value
    clock_sync_doubtful_same_boot  0        1     1
    ");
    // A minute is what people set a clock by.
    assert_snapshot!(files(11 * MINUTE).rows(STATS), @"name  machine  file  value");
}
