//! The clocks the kernel may trace in.

use insta::assert_snapshot;
use tpq_testkit::clock_id::{BOOTTIME, MONOTONIC_RAW};
use tpq_testkit::{CompactSched, FtraceBundle, FtraceEvent, Packet, Task, ftrace_clock};

use super::INSTANTS;
use crate::imported::{CLOCK_SNAPSHOT, Imported, LOGS, STATS, clocks, recording};

fn bundle(clock: u64, events: &[(u64, &str)], reading: Option<(i64, i64)>) -> Packet {
    let bundle = FtraceBundle::new(0).clock(clock);
    let bundle = match reading {
        Some((own, boottime)) => bundle.clock_reading(own, boottime),
        None => bundle,
    };
    let marker = |bundle: FtraceBundle, &(at, name): &(u64, &str)| {
        bundle.event(FtraceEvent::print(at, 101, &format!("I|100|{name}\n")))
    };
    Packet::new().sequence(4).ftrace(events.iter().fold(bundle, marker))
}

/// Each bundle says what the clock and boot time read together.
#[test]
fn global() {
    let trace = recording().packets([
        bundle(ftrace_clock::GLOBAL, &[(90, "a"), (110, "b")], Some((100, 5_100))),
        bundle(ftrace_clock::GLOBAL, &[(190, "c"), (210, "d")], Some((200, 5_300))),
    ]);
    let imported = Imported::trace(trace);
    // 5,000 behind boot time until 200, and 5,100 from then on.
    assert_snapshot!(imported.rows(INSTANTS), @r"
    ts    name
    5090  a
    5110  b
    5190  c
    5310  d
    ");
    assert_snapshot!(imported.rows(CLOCK_SNAPSHOT), @r"
    snap  ts    origin  machine  file  clock_id  clock_name  value
    0     5100  ftrace  0        0     64        NULL        100
    0     5100  ftrace  0        0     6         BOOTTIME    5100
    1     5300  ftrace  0        0     64        NULL        200
    1     5300  ftrace  0        0     6         BOOTTIME    5300
    ");
    assert_snapshot!(imported.rows(STATS), @"name  machine  file  value");
}

/// Snapshots read this clock; bundles need not.
#[test]
fn monotonic_raw() {
    let events: &[(u64, &str)] = &[(705, "a")];
    let trace = recording()
        .packet(bundle(ftrace_clock::MONO_RAW, events, None))
        .packet(clocks(&[(BOOTTIME, 1000), (MONOTONIC_RAW, 700)]));
    assert_snapshot!(Imported::trace(trace).rows(INSTANTS), @r"
    ts    name
    1005  a
    ");
}

/// Switches in columns are in the bundle's clock, too.
#[test]
fn compact_switches() {
    let [a, b] = [Task::new("a", 11), Task::new("b", 12)];
    let sched = CompactSched::new().switch(100, 1, a).switch(110, 1, b).switch(130, 1, a);
    let bundle = FtraceBundle::new(0).clock(ftrace_clock::GLOBAL).clock_reading(100, 5_100);
    let trace = recording().packet(Packet::new().sequence(4).ftrace(bundle.compact(sched)));
    // The first switch does not say what ran before and gives no row.
    let sched = "SELECT ts, dur, thread.name FROM sched JOIN thread USING (utid) ORDER BY ts";
    assert_snapshot!(Imported::trace(trace).rows(sched), @r"
    ts    dur  name
    5110  20   b
    5130  -1   a
    ");
}

/// `x86-tsc` counts ticks of a length that the trace does not state, but two readings do: here 3
/// for each ns.
#[test]
fn ticks_of_unknown_length() {
    let unknown = ftrace_clock::UNKNOWN;
    let trace = recording().packets([
        bundle(unknown, &[(2_700, "a"), (3_000, "b")], Some((3_000, 51_000))),
        bundle(unknown, &[(4_500, "c"), (6_300, "d")], Some((6_000, 52_000))),
    ]);
    // 100 before the first reading; then 0, 500 and 1,100 after it.
    assert_snapshot!(Imported::trace(trace).rows(INSTANTS), @r"
    ts     name
    50900  a
    51000  b
    51500  c
    52100  d
    ");
}

/// One reading does not give the length of a tick.
#[test]
fn ticks_that_were_read_once() {
    let ticks = bundle(ftrace_clock::UNKNOWN, &[(2_700, "a")], Some((3_000, 51_000)));
    let imported = Imported::trace(recording().packet(ticks));
    assert_snapshot!(imported.rows(STATS), @r"
    name                        machine  file  value
    clock_sync_failure_no_path  0        0     1
    ");
}

/// `local` is another clock on each CPU; what a bundle reads of it says nothing of the others, so
/// its events are counted and left out, all of a bundle as one entry.
#[test]
fn local() {
    let imported = Imported::trace(recording().packets([
        bundle(ftrace_clock::LOCAL, &[(90, "a"), (110, "b")], Some((100, 5_100))),
        bundle(ftrace_clock::LOCAL, &[(120, "c")], None),
    ]));
    assert_eq!(imported.cell("SELECT count(*) FROM slice"), "0");
    assert_snapshot!(imported.rows(STATS), @r"
    name                                     machine  file  value
    clock_sync_failure_unknown_source_clock  0        0     3
    ");
    assert_snapshot!(imported.rows(LOGS), @r"
    file  name                                     severity  packet  clock  timestamp
    0     clock_sync_failure_unknown_source_clock  error     1       65     90
    0     clock_sync_failure_unknown_source_clock  error     2       65     120
    ");
}

/// The start of the data of all CPUs is in the bundle's clock: 95 is boot time 5095.
#[test]
fn the_start_of_the_data_is_in_the_same_clock() {
    let bundle = FtraceBundle::new(0)
        .clock(ftrace_clock::GLOBAL)
        .clock_reading(100, 5_100)
        .previous_end(95)
        .event(FtraceEvent::print(90, 101, "I|100|before\n"))
        .event(FtraceEvent::print(96, 101, "I|100|after\n"));
    let imported = Imported::trace(recording().packet(Packet::new().sequence(4).ftrace(bundle)));
    assert_snapshot!(imported.rows(INSTANTS), @r"
    ts    name
    5096  after
    ");
    let start = "SELECT int_value FROM metadata WHERE name = 'ftrace_latest_data_start_ns'";
    assert_eq!(imported.cell(start), "5095");
}
