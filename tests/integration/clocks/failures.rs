//! Timestamps that cannot be converted: dropped, counted by reason, and entered with their place.

use insta::assert_snapshot;
use tpq_testkit::clock_id::{BOOTTIME, MONOTONIC, REALTIME};
use tpq_testkit::{Clock, ClockSnapshot, Packet, ServiceEvent, TraceBuilder};

use super::INSTANTS;
use crate::imported::{Imported, LOGS, STATS, clocks, instant, recording, snapshot_packet};

/// The only row of `stats` and of the log for a trace that loses its second packet.
fn lost(trace: TraceBuilder) -> (String, String) {
    let imported = Imported::trace(trace);
    assert_eq!(imported.cell("SELECT count(*) FROM slice"), "0");
    (imported.rows(STATS), imported.rows(LOGS))
}

#[test]
fn a_clock_that_was_never_read() {
    let (stats, logs) = lost(recording().packet(instant(5, "x").clock(MONOTONIC)));
    assert_snapshot!(stats, @r"
    name                                     machine  file  value
    clock_sync_failure_unknown_source_clock  0        0     1
    ");
    assert_snapshot!(logs, @r"
    file  name                                     severity  packet  clock  timestamp
    0     clock_sync_failure_unknown_source_clock  error     1       3      5
    ");
}

#[test]
fn a_timeline_that_was_never_read() {
    let (stats, logs) = lost(
        recording()
            .packet(instant(5, "x").clock(MONOTONIC))
            .packet(clocks(&[(MONOTONIC, 10), (REALTIME, 20)])),
    );
    assert_snapshot!(stats, @r"
    name                                     machine  file  value
    clock_sync_failure_unknown_target_clock  0        0     1
    ");
    assert_snapshot!(logs, @r"
    file  name                                     severity  packet  clock  timestamp
    0     clock_sync_failure_unknown_target_clock  error     1       3      5
    ");
}

#[test]
fn clocks_that_were_never_read_together() {
    let (stats, logs) = lost(
        recording()
            .packet(instant(5, "x").clock(MONOTONIC))
            .packet(clocks(&[(MONOTONIC, 10), (REALTIME, 20)]))
            .packet(clocks(&[(BOOTTIME, 10), (128, 20)])),
    );
    assert_snapshot!(stats, @r"
    name                        machine  file  value
    clock_sync_failure_no_path  0        0     1
    ");
    assert_snapshot!(logs, @r"
    file  name                        severity  packet  clock  timestamp
    0     clock_sync_failure_no_path  error     1       3      5
    ");
}

/// Only a writer's own clock can be written as differences: of several writers, it is unknown which
/// timestamp came last.
#[test]
fn a_clock_of_all_sequences_as_differences() {
    let shared = Clock::new(128, 90).incremental();
    let trace = recording().packets([
        snapshot_packet(ClockSnapshot::new().clock(BOOTTIME, 100).with(shared)),
        instant(5, "x").clock(128),
    ]);
    let imported = Imported::trace(trace);
    assert_snapshot!(imported.rows(STATS), @r"
    name                                     machine  file  value
    clock_sync_failure_unknown_source_clock  0        0     1
    invalid_clock_snapshots                  NULL     NULL  1
    ");
}

/// A snapshot that reads a clock twice says nothing of any.
#[test]
fn a_snapshot_that_contradicts_itself() {
    let twice = ClockSnapshot::new()
        .clock(BOOTTIME, 100)
        .with(Clock::new(MONOTONIC, 90))
        .with(Clock::new(MONOTONIC, 91));
    let trace = recording().packets([
        clocks(&[(BOOTTIME, 50), (MONOTONIC, 45)]),
        snapshot_packet(twice),
        instant(95, "monotonic, 5 behind").clock(MONOTONIC),
    ]);
    let imported = Imported::trace(trace);
    assert_snapshot!(imported.rows(INSTANTS), @r"
    ts   name
    100  monotonic, 5 behind
    ");
    assert_snapshot!(imported.rows(STATS), @r"
    name                     machine  file  value
    invalid_clock_snapshots  NULL     NULL  1
    ");
    assert_eq!(imported.cell("SELECT max(snapshot_id) FROM clock_snapshot"), "0");
}

#[test]
fn before_the_timeline_begins() {
    let (stats, logs) = lost(
        recording()
            .packet(instant(5, "x").clock(MONOTONIC))
            .packet(clocks(&[(BOOTTIME, 10), (MONOTONIC, 100)])),
    );
    assert_snapshot!(stats, @r"
    name                           machine  file  value
    track_event_invalid_timestamp  0        0     1
    ");
    assert_snapshot!(logs, @r"
    file  name                           severity  packet  clock  timestamp
    0     track_event_invalid_timestamp  error     1       3      5
    ");
}

/// A timestamp of 2^64 - 1 is none that a clock reads, and does no harm to others.
#[test]
fn the_largest_timestamp() {
    let trace = recording().packets([
        clocks(&[(BOOTTIME, 10), (MONOTONIC, 5)]),
        instant(u64::MAX, "x"),
        instant(u64::MAX, "x").clock(MONOTONIC),
        instant(20, "kept"),
    ]);
    let imported = Imported::trace(trace);
    assert_snapshot!(imported.rows(INSTANTS), @r"
    ts  name
    20  kept
    ");
}

/// An event of the recorder at a time without a place is not one at time 0; it is counted.
#[test]
fn service_events_at_an_unknown_time() {
    let started = Packet::new()
        .sequence(9)
        .timestamp(500)
        .clock(MONOTONIC)
        .service_event(ServiceEvent::TracingStarted);
    let imported = Imported::trace(recording().packet(started).packet(instant(20, "kept")));
    let started = "SELECT count(*) FROM metadata WHERE name = 'tracing_started_ns'";
    assert_eq!(imported.cell(started), "0");
    assert_snapshot!(imported.rows(STATS), @r"
    name                                     machine  file  value
    clock_sync_failure_unknown_source_clock  0        0     1
    ");
}
