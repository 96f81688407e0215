//! Output of `tpq clocks`.

use insta::assert_snapshot;
use tpq_testkit::clock_id::{BOOTTIME, MONOTONIC, REALTIME, TSC};
use tpq_testkit::{Archive, ClockSnapshot, Packet, RemoteClockSync};

use crate::command::{Folder, describe, run};
use crate::imported::{RECORDER, TRACK, WRITER, clocks, instant, recording, thread_track};

const S: u64 = 1_000_000_000;
/// Wall time when the devices below are started.
const STARTED: u64 = 1_700_000_000 * S;

/// A device with wall time read every 10 s, and monotonic time that gains 20 µs in that.
fn phone() -> Vec<u8> {
    let snapshot = |at: u64| {
        clocks(&[
            (BOOTTIME, at * S),
            (MONOTONIC, at * S + at * 2_000),
            (REALTIME, STARTED + at * S),
            (TSC, at * 2_400_000_000),
        ])
    };
    let snapshots = [10, 20, 30].map(snapshot);
    recording().packets(snapshots).packet(instant(25 * S, "phone")).build()
}

/// One that was started a minute later.
fn watch() -> Vec<u8> {
    let snapshot = |at: u64| clocks(&[(BOOTTIME, at * S), (REALTIME, STARTED + (60 + at) * S)]);
    recording().packets([5, 15].map(snapshot)).packet(instant(7 * S, "watch")).build()
}

fn manifest(entries: serde_json::Value) -> Vec<u8> {
    Archive::manifest_text(serde_json::json!({ "files": entries })).into()
}

fn two_machines() -> Folder {
    let manifest = manifest(serde_json::json!([
        { "path": "phone.pftrace", "machine": { "name": "phone" } },
        { "path": "watch.pftrace", "machine": { "name": "watch" } },
    ]));
    Folder::of(&[
        ("phone.pftrace", &phone()),
        ("watch.pftrace", &watch()),
        ("machines.json", &manifest),
    ])
}

const TWO_MACHINES: [&str; 3] = ["phone.pftrace", "watch.pftrace", "machines.json"];

#[test]
fn help() {
    assert_snapshot!(describe(&run(&["clocks", "--help"])));
}

#[test]
fn one_machine() {
    let folder = Folder::of(&[("phone.pftrace", &phone())]);
    assert_snapshot!(folder.tell(&["clocks", "phone.pftrace"]));
}

#[test]
fn clocks_of_sequences_and_an_unknown_one() {
    assert_snapshot!(describe(&run(&["clocks", "testdata/clocks.pftrace"])));
}

#[test]
fn two_machines_by_wall_time() {
    let text = two_machines().tell(&[&["clocks"], &TWO_MACHINES[..]].concat());
    assert_snapshot!(text);
}

/// A file that a relay wrote, which compared the guest's clock with the host's twice, 10 s apart.
/// The guest's lost 100 µs in that.
#[test]
fn two_machines_in_one_file() {
    let guest = |packet: Packet| packet.machine(7);
    let sync = |host: u64, ahead: u64| {
        let reading = |value| ClockSnapshot::new().clock(BOOTTIME, value);
        let exchange = |client| (reading(client), reading(client + ahead));
        let [(client, host), (again, and_again)] = [host - ahead, host - ahead + 10].map(exchange);
        let sync = RemoteClockSync::new().exchange(client, host).exchange(again, and_again);
        guest(Packet::new().sequence(RECORDER).remote_clock_sync(sync))
    };
    let trace = recording()
        .packet(clocks(&[(BOOTTIME, 20 * S), (REALTIME, STARTED + 20 * S)]))
        .packet(sync(20 * S, 5 * S))
        .packet(sync(30 * S, 5 * S + 100_000))
        .packet(guest(thread_track(WRITER, TRACK)))
        .packet(instant(25 * S, "host"))
        .packet(guest(instant(21 * S, "guest")));
    let folder = Folder::of(&[("relayed.pftrace", &trace.build())]);
    assert_snapshot!(folder.tell(&["clocks", "relayed.pftrace"]));
}

#[test]
fn two_machines_as_a_graph() {
    let text = two_machines().tell(&[&["clocks", "--dot"], &TWO_MACHINES[..]].concat());
    assert_snapshot!(text);
}

#[test]
fn a_manifest_says_how_far_one_is_ahead() {
    let manifest = manifest(serde_json::json!([
        { "path": "phone.pftrace" },
        { "path": "watch.pftrace", "clocks": { "clock": "BOOTTIME", "offset_ns": 60_000_000_000_u64,
          "sync_to": { "file": "phone.pftrace", "clock": "BOOTTIME" } } },
    ]));
    let folder = Folder::of(&[
        ("phone.pftrace", &phone()),
        ("watch.pftrace", &watch()),
        ("offset.json", &manifest),
    ]);
    assert_snapshot!(folder.tell(&["clocks", "phone.pftrace", "watch.pftrace", "offset.json"]));
}

/// The device slept for 3 s before second 40, and its wall time was set back by half an hour
/// before second 60.
#[test]
fn jumps() {
    let snapshot = |at: u64| {
        let (slept, set_back) =
            (if at >= 40 { 3 * S } else { 0 }, if at >= 60 { 1800 * S } else { 0 });
        clocks(&[
            (BOOTTIME, at * S),
            (MONOTONIC, at * S - slept),
            (REALTIME, STARTED + at * S - set_back),
        ])
    };
    let trace = recording()
        .packet(instant(10 * S, "start"))
        .packets([10, 20, 30, 40, 50, 60, 70].map(snapshot))
        .packet(instant(STARTED + 25 * S, "lost").clock(REALTIME));
    let folder = Folder::of(&[("trace", &trace.build())]);
    assert_snapshot!(folder.tell(&["clocks", "trace"]));
}

/// Damage may leave nothing of a snapshot but its beginning.
#[test]
fn an_empty_snapshot() {
    let trace = recording().packet(clocks(&[])).packet(instant(10 * S, "event"));
    let folder = Folder::of(&[("trace", &trace.build())]);
    let text = folder.tell(&["clocks", "trace"]);
    assert!(text.starts_with("exit code: 0") && text.contains("no clocks"), "{text}");
}
