//! Clocks that programs define, and which clock a packet is in.

use insta::assert_snapshot;
use tpq_testkit::clock_id::{BOOTTIME, MONOTONIC, REALTIME};
use tpq_testkit::{
    Clock, ClockSnapshot, Defaults, FtraceBundle, FtraceEvent, Packet, STATE_CLEARED, TraceBuilder,
    TrackEvent,
};

use super::INSTANTS;
use crate::imported::{
    CLOCK_SNAPSHOT, Imported, STATS, TRACK, clocks, instant, recording, snapshot_packet,
    thread_track,
};

/// A clock of a sequence, and one of all.
const OWN: u32 = 64;
const SHARED: u32 = 128;

/// An instant by another writer.
fn by(sequence: u32, at: u64, name: &str) -> Packet {
    let event = TrackEvent::instant(TRACK).name(name);
    Packet::new().sequence(sequence).timestamp(at).track_event(event)
}

fn with(boottime: u64, clock: Clock) -> ClockSnapshot {
    ClockSnapshot::new().clock(BOOTTIME, boottime).with(clock)
}

/// Two writers call different clocks 64: the first counts µs, each time from the last, the second
/// hundreds of ns since its program began.
#[test]
fn each_sequence_has_its_own() {
    let of = |sequence, snapshot| Packet::new().sequence(sequence).clock_snapshot(snapshot);
    let trace = recording().packets([
        of(2, with(1_000_000, Clock::new(OWN, 500).unit(1_000).incremental())),
        of(3, with(1_000_000, Clock::new(OWN, 70).unit(100))),
        by(2, 3, "3 µs after the snapshot").clock(OWN),
        by(3, 80, "1 µs after the snapshot").clock(OWN),
        by(2, 4, "7 µs after the snapshot").clock(OWN),
        by(3, 75, "half a µs after the snapshot").clock(OWN),
    ]);
    let imported = Imported::trace(trace);
    assert_snapshot!(imported.rows(INSTANTS), @r"
    ts       name
    1000500  half a µs after the snapshot
    1001000  1 µs after the snapshot
    1003000  3 µs after the snapshot
    1007000  7 µs after the snapshot
    ");
    // Readings are shown in ns.
    assert_snapshot!(imported.rows(CLOCK_SNAPSHOT), @r"
    snap  ts       origin    machine  file  clock_id  clock_name  value
    0     1000000  snapshot  0        0     6         BOOTTIME    1000000
    0     1000000  snapshot  0        0     64        NULL        500000
    1     1000000  snapshot  0        0     6         BOOTTIME    1000000
    1     1000000  snapshot  0        0     64        NULL        7000
    ");
}

/// One writer says what the clock reads, another uses it, even before.
#[test]
fn a_clock_of_all_sequences() {
    let trace = recording().packets([
        by(3, 11, "before its snapshot").clock(SHARED),
        snapshot_packet(with(1_000_000, Clock::new(SHARED, 10).unit(1_000_000))),
        by(2, 12, "after it").clock(SHARED),
    ]);
    // 1 and 2 ms after the snapshot.
    assert_snapshot!(Imported::trace(trace).rows(INSTANTS), @r"
    ts       name
    2000000  before its snapshot
    3000000  after it
    ");
}

/// A clock tied to MONOTONIC alone, which another snapshot ties to boot time. Both steps go by
/// the latest snapshot of their two clocks.
#[test]
fn a_way_over_two_kinds_of_snapshots() {
    let trace = recording().packets([
        clocks(&[(SHARED, 1000), (MONOTONIC, 1100)]),
        clocks(&[(MONOTONIC, 1200), (BOOTTIME, 5200)]),
        clocks(&[(SHARED, 3000), (MONOTONIC, 3200)]),
        clocks(&[(MONOTONIC, 4000), (BOOTTIME, 9000)]),
        // 3503 is MONOTONIC 3703, before 4000, and so 2503 after 5200.
        instant(3503, "3703").clock(SHARED),
        // 3800 is MONOTONIC 4000.
        instant(3800, "4000").clock(SHARED),
    ]);
    assert_snapshot!(Imported::trace(trace).rows(INSTANTS), @r"
    ts    name
    7703  3703
    9000  4000
    ");
}

/// The packet's own clock, else its sequence's, until that is cleared, else boot time.
#[test]
fn the_clock_of_a_packet() {
    let defaults = Defaults::new().clock(MONOTONIC);
    let trace = recording().packets([
        clocks(&[(BOOTTIME, 1000), (MONOTONIC, 900), (REALTIME, 50_000)]),
        by(2, 905, "by default").flags(STATE_CLEARED).defaults(defaults),
        by(2, 906, "still"),
        by(2, 50_007, "named").clock(REALTIME),
        by(2, 1008, "named boot time").clock(BOOTTIME),
        by(3, 1009, "of another sequence"),
        by(2, 1010, "cleared").flags(STATE_CLEARED),
    ]);
    assert_snapshot!(Imported::trace(trace).rows(INSTANTS), @r"
    ts    name
    1005  by default
    1006  still
    1007  named
    1008  named boot time
    1009  of another sequence
    1010  cleared
    ");
}

/// The timeline is the clock that the trace declares; packets that name none are in it, and
/// kernel events are not, as they are always in boot time.
#[test]
fn another_primary_clock() {
    let snapshot = ClockSnapshot::new()
        .clock(BOOTTIME, 1000)
        .clock(MONOTONIC, 900)
        .clock(REALTIME, 50_000)
        .primary(MONOTONIC);
    let kernel = FtraceBundle::new(0).event(FtraceEvent::print(1003, 101, "I|100|kernel\n"));
    let trace = recording().packets([
        snapshot_packet(snapshot),
        instant(901, "no clock"),
        instant(1002, "boot time").clock(BOOTTIME),
        Packet::new().sequence(4).ftrace(kernel),
        instant(50_004, "wall time").clock(REALTIME),
    ]);
    let imported = Imported::trace(trace);
    assert_snapshot!(imported.rows(INSTANTS), @r"
    ts   name
    901  no clock
    902  boot time
    903  kernel
    904  wall time
    ");
    assert_snapshot!(imported.rows(CLOCK_SNAPSHOT), @r"
    snap  ts   origin    machine  file  clock_id  clock_name  value
    0     900  snapshot  0        0     6         BOOTTIME    1000
    0     900  snapshot  0        0     3         MONOTONIC   900
    0     900  snapshot  0        0     1         REALTIME    50000
    ");
    let clock = "SELECT int_value FROM metadata WHERE name = 'trace_time_clock_id'";
    assert_eq!(imported.cell(clock), "3");
    assert_snapshot!(imported.rows(STATS), @"name  machine  file  value");
}

/// A declared clock that no snapshot reads is the timeline nevertheless: packets that name no
/// clock are in it.
#[test]
fn a_primary_clock_that_is_never_read() {
    let snapshot = ClockSnapshot::new().clock(BOOTTIME, 1000).primary(MONOTONIC);
    let trace = recording().packets([
        snapshot_packet(snapshot),
        instant(901, "no clock"),
        instant(1002, "boot time").clock(BOOTTIME),
    ]);
    let imported = Imported::trace(trace);
    assert_snapshot!(imported.rows(INSTANTS), @r"
    ts   name
    901  no clock
    ");
    assert_snapshot!(imported.rows(STATS), @r"
    name                                     machine  file  value
    clock_sync_failure_unknown_target_clock  0        0     1
    ");
}

/// A clock that counted µs from the last timestamp, and is defined anew to count ns.
#[test]
fn defined_anew() {
    let of = |snapshot| Packet::new().sequence(2).clock_snapshot(snapshot);
    let trace = recording().packets([
        of(with(1_000_000, Clock::new(OWN, 500).unit(1_000).incremental())),
        by(2, 3, "3 µs after the first snapshot").clock(OWN),
        of(with(2_000_000, Clock::new(OWN, 600_000))),
        by(2, 600_007, "7 ns after the second").clock(OWN),
    ]);
    assert_snapshot!(Imported::trace(trace).rows(INSTANTS), @r"
    ts       name
    1003000  3 µs after the first snapshot
    2000007  7 ns after the second
    ");
}

/// The recorder reports a shared clock without naming the one machine there is; its unit counts
/// for the packets that name it.
#[test]
fn of_the_only_machine() {
    let trace = TraceBuilder::new().packets([
        thread_track(2, TRACK).machine(7),
        snapshot_packet(with(1_000_000, Clock::new(SHARED, 10).unit(1_000))),
        by(2, 20, "10 µs after the snapshot").clock(SHARED).machine(7),
    ]);
    assert_snapshot!(Imported::trace(trace).rows(INSTANTS), @r"
    ts       name
    1010000  10 µs after the snapshot
    ");
}
