//! One file with packets of several machines, as a relaying recorder writes it.

use insta::assert_snapshot;
use tpq_testkit::clock_id::{BOOTTIME, REALTIME};
use tpq_testkit::{ClockSnapshot, Packet, RemoteClockSync, SystemInfo, TraceBuilder};

use crate::imported::{
    CLOCK_SNAPSHOT, EVENTS, Imported, MACHINES, RECORDER, STATS, THREADS, TRACK, WRITER, clocks,
    instant, recording, system, thread_track,
};

/// The machine that sends what it records to the host, as packets name it.
const GUEST: u32 = 7;

fn guest(packet: Packet) -> Packet {
    packet.machine(GUEST)
}

/// A host that was started at wall time 900, and a guest with a track of the same ids.
fn host_and_guest() -> TraceBuilder {
    recording()
        .packet(clocks(&[(BOOTTIME, 100), (REALTIME, 1000)]))
        .packet(guest(thread_track(WRITER, TRACK)))
        .packet(instant(150, "host"))
        .packet(guest(instant(60, "guest")))
}

/// The guest's boot time is 58 behind the host's, and each message takes 10: the guest reads 40
/// and the host gets that at 108, though it was 98; back at the guest it is 60, and at the host
/// again 128.
fn sync() -> Packet {
    let reading = |value| ClockSnapshot::new().clock(BOOTTIME, value);
    let sync = RemoteClockSync::new()
        .exchange(reading(40), reading(108))
        .exchange(reading(60), reading(128));
    guest(Packet::new().sequence(RECORDER).remote_clock_sync(sync))
}

/// (40 + 60) / 2 - 108 = -58 and 60 - (108 + 128) / 2 = -58: the first reading, 40, was 98 on the
/// host, and the guest's event at 60 was at 118.
#[test]
fn clocks_that_were_compared() {
    assert_snapshot!(Imported::trace(host_and_guest().packet(sync())).picture());
}

/// The comparison counts, not wall time: by wall time, the guest's 60 would be 1510, and so 610 on
/// the host.
#[test]
fn a_comparison_is_better_than_wall_time() {
    let guest_time = guest(clocks(&[(BOOTTIME, 50), (REALTIME, 1500)]));
    let wall = guest(instant(1512, "by wall time of the guest").clock(REALTIME));
    let trace = host_and_guest().packets([guest_time, sync(), wall]);
    // 1512 is 62 on the guest's boot clock, and so 120 on the host's.
    assert_snapshot!(Imported::trace(trace).rows(EVENTS), @r"
    ts   name                       machine
    118  guest                      1
    120  by wall time of the guest  1
    150  host                       0
    ");
}

/// Without a comparison wall time relates the two: the guest was started at wall time 1450 - 400
/// = 1050, so its 60 was wall time 1110, which was 210 on the host.
#[test]
fn without_a_comparison_wall_time_decides() {
    let guest_time = guest(clocks(&[(BOOTTIME, 400), (REALTIME, 1450)]));
    let imported = Imported::trace(host_and_guest().packet(guest_time));
    assert_snapshot!(imported.rows(EVENTS), @r"
    ts   name   machine
    150  host   0
    210  guest  1
    ");
}

/// Without wall time, too, boot time is taken to be the same.
#[test]
fn without_anything_boot_times_are_taken_for_the_same() {
    let imported = Imported::trace(host_and_guest());
    assert_snapshot!(imported.rows(EVENTS), @r"
    ts   name   machine
    60   guest  1
    150  host   0
    ");
    assert_snapshot!(imported.rows(CLOCK_SNAPSHOT), @r"
    snap  ts   origin       machine  file  clock_id  clock_name  value
    0     100  snapshot     0        0     6         BOOTTIME    100
    0     100  snapshot     0        0     1         REALTIME    1000
    1     0    same_domain  0        0     6         BOOTTIME    0
    1     0    same_domain  1        0     6         BOOTTIME    0
    ");
    assert_snapshot!(imported.rows(STATS), @"name  machine  file  value");
}

/// Process 100 is one process on the host and another on the guest, though both have the same
/// track id.
#[test]
fn one_pid_of_two_machines_is_two_processes() {
    let imported = Imported::trace(host_and_guest());
    assert_snapshot!(imported.rows(THREADS), @r"
    utid  tid  name  pid  process  machine
    2     100  NULL  100  NULL     0
    3     101  main  100  NULL     0
    4     100  NULL  100  NULL     1
    5     101  main  100  NULL     1
    ");
}

/// Every packet is of one machine: there is no host next to it.
#[test]
fn a_single_remote_machine_takes_the_hosts_place() {
    let trace = TraceBuilder::new()
        .packet(guest(clocks(&[(BOOTTIME, 100), (REALTIME, 1000)])))
        .packet(guest(system(SystemInfo::linux("6.1").machine_name("guest"))))
        .packet(guest(thread_track(WRITER, TRACK)))
        .packet(guest(instant(110, "guest")))
        .packet(guest(instant(1020, "by wall time").clock(REALTIME)));
    let imported = Imported::trace(trace);
    assert_snapshot!(imported.rows(MACHINES), @r"
    id  raw_id  name
    0   7       guest
    ");
    assert_snapshot!(imported.rows(EVENTS), @r"
    ts   name          machine
    110  guest         0
    120  by wall time  0
    ");
}

/// A host that only says what it is stays a machine.
#[test]
fn a_host_that_says_what_it_is_stays() {
    let trace = TraceBuilder::new()
        .packet(clocks(&[(BOOTTIME, 100), (REALTIME, 1000)]))
        .packet(system(SystemInfo::linux("6.1").machine_name("desk")))
        .packet(guest(thread_track(WRITER, TRACK)))
        .packet(guest(instant(110, "guest")));
    let imported = Imported::trace(trace);
    assert_snapshot!(imported.rows("SELECT id, raw_id, name, label_index FROM machine ORDER BY id"), @r"
    id  raw_id  name  label_index
    0   0       desk  0
    1   7       NULL  1
    ");
    assert_snapshot!(imported.rows(EVENTS), @r"
    ts   name   machine
    110  guest  1
    ");
}

/// Two remote machines, or one with clocks that were compared with the host's, leave the host a
/// machine, though it has no data.
#[test]
fn a_host_beside_several_or_compared_machines_stays() {
    let remote = |id: u32| instant(110, "x").machine(id);
    let track = |id: u32| thread_track(WRITER, TRACK).machine(id);
    let base = TraceBuilder::new().packet(clocks(&[(BOOTTIME, 100)]));
    let two = base.clone().packets([track(7), remote(7), track(8), remote(8)]);
    assert_snapshot!(Imported::trace(two).rows(MACHINES), @r"
    id  raw_id  name
    0   0       NULL
    1   7       NULL
    2   8       NULL
    ");
    let compared = base.packets([track(7), remote(7), sync()]);
    let imported = Imported::trace(compared);
    assert_snapshot!(imported.rows(MACHINES), @r"
    id  raw_id  name
    0   0       NULL
    1   7       NULL
    ");
    assert_snapshot!(imported.rows(EVENTS), @r"
    ts   name  machine
    168  x     1
    ");
}

/// Two guests, each compared with the host: the one 58 behind it, the other 1000 ahead.
#[test]
fn two_guests() {
    let reading = |value| ClockSnapshot::new().clock(BOOTTIME, value);
    let ahead = RemoteClockSync::new().exchange(reading(1_100), reading(100));
    let other = |packet: Packet| packet.machine(8);
    let trace = host_and_guest().packets([
        sync(),
        other(Packet::new().sequence(RECORDER).remote_clock_sync(ahead)),
        other(thread_track(WRITER, TRACK)),
        other(instant(1_130, "the other guest")),
    ]);
    let imported = Imported::trace(trace);
    assert_snapshot!(imported.rows(EVENTS), @r"
    ts   name             machine
    118  guest            1
    130  the other guest  2
    150  host             0
    ");
    assert_snapshot!(imported.rows(MACHINES), @r"
    id  raw_id  name
    0   0       NULL
    1   7       NULL
    2   8       NULL
    ");
}

/// Labels number the machines other than the host.
#[test]
fn machines_have_numbers_for_labels() {
    let of = |machine: u32, packet: Packet| packet.machine(machine);
    let trace = TraceBuilder::new()
        .packet(clocks(&[(BOOTTIME, 100), (REALTIME, 1000)]))
        .packet(thread_track(WRITER, TRACK))
        .packet(instant(105, "host"))
        .packet(of(9, thread_track(WRITER, TRACK)))
        .packet(of(9, instant(106, "nine")))
        .packet(of(7, thread_track(WRITER, TRACK)))
        .packet(of(7, instant(107, "seven")));
    let imported = Imported::trace(trace);
    assert_eq!(
        imported.cells("SELECT raw_id = 0 AS is_host, label_index FROM machine ORDER BY id"),
        [["1", "0"], ["0", "1"], ["0", "2"]]
    );
}
