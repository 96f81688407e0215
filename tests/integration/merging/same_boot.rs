//! Recordings of one boot of one machine.

use insta::assert_snapshot;
use tpq_testkit::clock_id::{BOOTTIME, MONOTONIC, REALTIME};
use tpq_testkit::{BufferStats, FtraceBundle, FtraceEvent, Packet, Task, TraceStats, prev_state};

use super::left;
use crate::imported::{EVENTS, Imported, STATS, clocks, instant, recording};

/// Wall time had been corrected by 1 between the recordings, which moves nothing: boot time is
/// the same clock in both.
#[test]
fn boot_time_is_one_clock() {
    let later = recording()
        .packet(clocks(&[(BOOTTIME, 130), (MONOTONIC, 120), (REALTIME, 1031)]))
        .packet(instant(105, "earlier than the other"))
        .packet(instant(135, "later"))
        // 10 behind BOOTTIME, as in the other recording.
        .packet(instant(126, "monotonic").clock(MONOTONIC))
        .build();
    let merged = Imported::files(&[("a.pftrace", &left()), ("b.pftrace", &later)]);
    assert_snapshot!(merged.picture());
}

/// A clock that only one of the files ties to boot time is known by its name in the other.
#[test]
fn clock_relations_of_one_file_hold_in_the_other() {
    let other = recording().packet(instant(101, "monotonic").clock(MONOTONIC)).build();
    let merged = Imported::files(&[("a.pftrace", &left()), ("b.pftrace", &other)]);
    // In the first file, MONOTONIC is 10 behind BOOTTIME.
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts   name       machine
    110  left       0
    111  monotonic  0
    ");
}

/// A file that reads clocks has its own relations: how far MONOTONIC was behind when the other file
/// was recorded says nothing of this one.
#[test]
fn a_file_that_reads_clocks_has_its_own_relations() {
    let other = recording()
        .packet(clocks(&[(BOOTTIME, 120), (REALTIME, 1020)]))
        .packet(instant(121, "boot time"))
        .packet(instant(101, "monotonic").clock(MONOTONIC))
        .build();
    let merged = Imported::files(&[("a.pftrace", &left()), ("b.pftrace", &other)]);
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts   name       machine
    110  left       0
    121  boot time  0
    ");
    assert_snapshot!(merged.rows(STATS), @r"
    name                                  machine  file  value
    clock_sync_failure_no_path            0        1     1
    clock_sync_unrelatable_clock_domains  0        1     1
    ");
}

fn switches(at: &[(u64, Task<'_>, Task<'_>)]) -> Packet {
    let switch = |bundle: FtraceBundle, &(at, from, to): &(u64, Task<'_>, Task<'_>)| {
        bundle.event(FtraceEvent::sched_switch(at, from, prev_state::SLEEPING, to))
    };
    Packet::new().sequence(2).ftrace(at.iter().fold(FtraceBundle::new(0), switch))
}

/// Two recordings, one after the other, are of one CPU and of the same threads.
#[test]
fn threads_and_cpus_are_the_same() {
    const IDLE: Task<'_> = Task::new("swapper", 0);
    const APP: Task<'_> = Task::new("app", 200);
    let first = recording().packet(switches(&[(100, IDLE, APP), (110, APP, IDLE)])).build();
    let second = recording().packet(switches(&[(200, IDLE, APP), (230, APP, IDLE)])).build();
    let merged = Imported::files(&[("a.pftrace", &first), ("b.pftrace", &second)]);
    // The thread after the last switch of the first recording is unknown, whatever the second
    // recording has at 200.
    let sched = "SELECT ts, dur, cpu, thread.name, end_state FROM sched \
                 JOIN thread USING (utid) ORDER BY ts";
    assert_snapshot!(merged.rows(sched), @r"
    ts   dur  cpu  name     end_state
    100  10   0    app      S
    110  -1   0    swapper  NULL
    200  30   0    app      S
    230  -1   0    swapper  NULL
    ");
    assert_eq!(merged.cell("SELECT count(*) FROM thread WHERE tid = 200"), "1");
}

fn markers(at: &[(u64, &str)]) -> Packet {
    let marker = |bundle: FtraceBundle, &(at, text): &(u64, &str)| {
        bundle.event(FtraceEvent::print(at, 101, text))
    };
    Packet::new().sequence(2).ftrace(at.iter().fold(FtraceBundle::new(0), marker))
}

/// The second recording began at 115 and saw both slices end. Those ends are not the first
/// recording's: there, the inner slice ends at 120 and the outer one at 130.
#[test]
fn slices_of_one_file_are_not_closed_by_another() {
    let ends = [(120, "E|100\n"), (130, "E|100\n")];
    let begins = [(100, "B|100|outer\n"), (110, "B|100|inner\n")];
    let first = recording().packet(markers(&[begins, ends].concat())).build();
    let second = recording().packet(markers(&ends)).build();
    let merged = Imported::files(&[("a.pftrace", &first), ("b.pftrace", &second)]);
    assert_snapshot!(merged.rows("SELECT ts, dur, depth, name FROM slice ORDER BY ts"), @r"
    ts   dur  depth  name
    100  30   0      outer
    110  10   1      inner
    ");
}

/// Each recorder counts its own buffers.
#[test]
fn counts_of_each_recorder() {
    let with_buffer = |size| {
        let stats = TraceStats::new().buffer(BufferStats::new(size));
        recording().packet(Packet::new().sequence(9).trace_stats(stats)).build()
    };
    let merged =
        Imported::files(&[("a.pftrace", &with_buffer(1024)), ("b.pftrace", &with_buffer(2048))]);
    let sizes = "SELECT idx, machine_id, trace_id, value FROM stats \
                 WHERE name = 'traced_buf_buffer_size' ORDER BY trace_id";
    assert_snapshot!(merged.rows(sizes), @r"
    idx  machine_id  trace_id  value
    0    0           0         1024
    0    0           1         2048
    ");
}
