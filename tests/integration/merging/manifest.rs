//! Effect of each field of a manifest.

use insta::assert_snapshot;
use serde_json::{Value, json};
use tpq_testkit::clock_id::{BOOTTIME, MONOTONIC, REALTIME};
use tpq_testkit::{Archive, ClockSnapshot, Packet, RemoteClockSync, TraceBuilder};

use super::{left, right};
use crate::imported::{
    CLOCK_SNAPSHOT, EVENTS, Imported, LOGS, MACHINES, RECORDER, STATS, TRACK, WRITER, clocks,
    instant, merged, recording, thread_track,
};

const GUEST: u32 = 7;

/// The two devices, and a manifest.
fn devices(manifest: Value) -> Imported {
    merged(&Archive::new().file("left", left()).file("right", right()).manifest(manifest))
}

/// A host that was started at wall time 900 like the left device, and a guest with a boot time that
/// was compared with the host's and is 58 behind.
fn relay() -> TraceBuilder {
    let reading = |value| ClockSnapshot::new().clock(BOOTTIME, value);
    let sync = RemoteClockSync::new().exchange(reading(40), reading(98));
    unrelated_relay()
        .packet(Packet::new().sequence(RECORDER).remote_clock_sync(sync).machine(GUEST))
}

/// The same without the comparison.
fn unrelated_relay() -> TraceBuilder {
    recording()
        .packet(clocks(&[(BOOTTIME, 100), (REALTIME, 1000)]))
        .packet(thread_track(WRITER, TRACK).machine(GUEST))
        .packet(instant(150, "host"))
        .packet(instant(60, "guest").machine(GUEST))
}

fn relay_machines() -> Value {
    json!([{ "id": 0, "name": "host" }, { "id": GUEST, "name": "guest" }])
}

/// Names are numbered as the manifest mentions them, rows as files are imported. Files of one
/// name are of one machine: process 100 of both is one process, and their boot times are one.
#[test]
fn a_name_of_several_files_is_one_machine() {
    let archive = Archive::new()
        .file("a", left())
        .file("b", recording().packet(instant(120, "again")).build())
        .file("c", right())
        .manifest(json!({
            "files": [
                { "path": "c", "machine": { "name": "watch" } },
                { "path": "b", "machine": { "name": "phone" } },
                { "path": "a", "machine": { "name": "phone" } },
            ]
        }));
    let merged = merged(&archive);
    assert_snapshot!(merged.rows(MACHINES), @r"
    id  raw_id      name
    0   4294967297  phone
    1   4294967296  watch
    ");
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts   name   machine
    110  left   0
    115  right  1
    120  again  0
    ");
    assert_snapshot!(merged.rows("SELECT pid, machine_id FROM process ORDER BY 2, 1"), @r"
    pid  machine_id
    0    0
    100  0
    0    1
    100  1
    ");
}

/// Ids of a file get names; 0 is what names none. A file that is not listed is of the host.
#[test]
fn machines_inside_a_file() {
    let archive = Archive::new()
        .file("other", left())
        .file("relay", relay().build())
        .manifest(json!({ "files": [{ "path": "relay", "machines": relay_machines() }] }));
    let merged = merged(&archive);
    assert_snapshot!(merged.rows(MACHINES), @r"
    id  raw_id      name
    0   0           NULL
    1   4294967296  host
    2   4294967297  guest
    ");
    // The host was started with the left device; the guest's 60 is the host's 118.
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts   name   machine
    110  left   0
    118  guest  2
    150  host   1
    ");
}

/// An entry of id 0 alone names the base; a name for the whole file is that of its only machine,
/// whatever id its packets give it.
#[test]
fn one_name_for_what_is_in_a_file() {
    let host = recording().packet(instant(150, "host")).build();
    let archive = Archive::new()
        .file("a", host)
        .manifest(json!({ "files": [{ "path": "a", "machines": [{ "id": 0, "name": "base" }] }] }));
    assert_snapshot!(merged(&archive).rows(MACHINES), @r"
    id  raw_id      name
    0   4294967296  base
    ");
    let of_guest = [thread_track(WRITER, TRACK), instant(60, "guest")].map(|it| it.machine(GUEST));
    let archive = Archive::new()
        .file("a", TraceBuilder::new().packets(of_guest).build())
        .manifest(json!({ "files": [{ "path": "a", "machine": { "name": "all" } }] }));
    let merged = merged(&archive);
    assert_snapshot!(merged.rows(MACHINES), @r"
    id  raw_id      name
    0   4294967296  all
    ");
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts  name   machine
    60  guest  0
    ");
}

const CLOCK_ID: &str = "SELECT name, int_value FROM metadata WHERE name = 'trace_time_clock_id'";

/// Started at wall times 900 and 985, the devices did their things at 1010 and 1015.
#[test]
fn the_timeline_in_wall_time() {
    let merged = devices(json!({
        "trace_time": { "clock": "REALTIME" },
        "files": [{ "path": "left", "machine": { "name": "left" } },
                  { "path": "right", "machine": { "name": "right" } }],
    }));
    assert_snapshot!(merged.rows(CLOCK_ID), @r"
    name                 int_value
    trace_time_clock_id  1
    ");
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts    name   machine
    1010  left   0
    1015  right  1
    ");
}

/// The left device did its thing at wall time 1010, 25 after the right one was started.
#[test]
fn the_timeline_of_a_file() {
    let merged = devices(json!({
        "trace_time": { "clock": "BOOTTIME", "file": "right" },
        "files": [{ "path": "left", "machine": { "name": "left" } },
                  { "path": "right", "machine": { "name": "right" } }],
    }));
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts  name   machine
    25  left   0
    30  right  1
    ");
}

/// A clock that only the second of two files of the host reads.
#[test]
fn the_timeline_in_a_clock_of_the_host_that_one_file_knows() {
    let other = recording().packet(instant(105, "other")).build();
    let archive = Archive::new()
        .file("a", other)
        .file("b", left())
        .manifest(json!({ "trace_time": { "clock": "MONOTONIC" } }));
    // In file b, MONOTONIC is 10 behind BOOTTIME, which is the same clock in both.
    let merged = merged(&archive);
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts   name   machine
    95   other  0
    100  left   0
    ");
    assert_snapshot!(merged.rows(CLOCK_ID), @r"
    name                 int_value
    trace_time_clock_id  3
    ");
}

/// The guest's boot time is 58 behind the host's.
#[test]
fn the_timeline_of_a_machine_of_a_file() {
    let archive = Archive::new().file("relay", relay().build()).manifest(json!({
        "trace_time": { "clock": "BOOTTIME", "file": "relay", "machine": "guest" },
        "files": [{ "path": "relay", "machines": relay_machines() }],
    }));
    assert_snapshot!(merged(&archive).rows(EVENTS), @r"
    ts  name   machine
    60  guest  1
    92  host   0
    ");
}

/// The right device, with its clock stated to be behind one of the left device's.
fn placed(clock: &str, to: &str, offset: i64) -> Imported {
    devices(json!({
        "files": [
            { "path": "left", "machine": { "name": "left" } },
            { "path": "right", "machine": { "name": "right" },
              "clocks": { "clock": clock, "sync_to": { "file": "left", "clock": to },
                          "offset_ns": offset } },
        ]
    }))
}

/// The manifest counts, not wall time: the right device's 30 is 30 + 70 of the left.
#[test]
fn an_offset_moves_a_file_later() {
    let merged = placed("BOOTTIME", "BOOTTIME", 70);
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts   name   machine
    100  right  1
    110  left   0
    ");
    assert_snapshot!(merged.rows(CLOCK_SNAPSHOT), @r"
    snap  ts   origin    machine  file  clock_id  clock_name  value
    0     100  snapshot  0        2     6         BOOTTIME    100
    0     100  snapshot  0        2     3         MONOTONIC   90
    0     100  snapshot  0        2     1         REALTIME    1000
    1     90   snapshot  1        3     6         BOOTTIME    20
    1     90   snapshot  1        3     3         MONOTONIC   15
    1     90   snapshot  1        3     1         REALTIME    1005
    2     70   manifest  1        3     6         BOOTTIME    0
    2     70   manifest  0        2     6         BOOTTIME    70
    ");
}

#[test]
fn a_negative_offset_moves_a_file_earlier() {
    assert_snapshot!(placed("BOOTTIME", "BOOTTIME", -5).rows(EVENTS), @r"
    ts   name   machine
    25   right  1
    110  left   0
    ");
}

/// MONOTONIC of the right device is 5 behind its BOOTTIME, so its 30 is 25, which the left device
/// reads as 1005, 900 after it was started, by the manifest.
#[test]
fn an_offset_between_different_clocks() {
    assert_snapshot!(placed("MONOTONIC", "REALTIME", 980).rows(EVENTS), @r"
    ts   name   machine
    105  right  1
    110  left   0
    ");
}

/// The manifest puts the guest's boot time 5 behind the phone's; the host is placed by wall time.
#[test]
fn an_offset_of_a_machine_in_a_file() {
    let archive = Archive::new()
        .file("phone", left())
        .file("relay", unrelated_relay().build())
        .manifest(json!({
            "files": [
                { "path": "phone", "machine": { "name": "phone" } },
                { "path": "relay", "machines": relay_machines(),
                  "clocks": { "clock": "BOOTTIME", "machine": "guest",
                              "sync_to": { "file": "phone", "machine": "phone",
                                           "clock": "BOOTTIME" },
                              "offset_ns": 5 } },
            ]
        }));
    assert_snapshot!(merged(&archive).rows(EVENTS), @r"
    ts   name   machine
    65   guest  2
    110  left   0
    150  host   1
    ");
}

/// The two machines of the file were compared while recording, and the manifest relates them as
/// well, which counts more.
#[test]
fn an_offset_beside_a_comparison() {
    let archive = Archive::new().file("relay", relay().build()).manifest(json!({
        "files": [{ "path": "relay", "machines": relay_machines(),
                    "clocks": { "clock": "BOOTTIME", "machine": "guest",
                                "sync_to": { "file": "relay", "machine": "host",
                                             "clock": "BOOTTIME" },
                                "offset_ns": 1 } }]
    }));
    let merged = merged(&archive);
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts   name   machine
    61   guest  1
    150  host   0
    ");
}

const ATTRIBUTES: &str = "SELECT name, int_value, str_value, machine_id, trace_id FROM metadata \
                          WHERE name LIKE 'manifest_attribute.%' ORDER BY name";

#[test]
fn attributes_are_metadata_of_the_import() {
    let manifest = json!({ "attributes": {
        "build": "r1", "empty": "", "run": 42, "least": i64::MIN
    }});
    assert_snapshot!(devices(manifest).rows(ATTRIBUTES), @r"
    name                      int_value             str_value  machine_id  trace_id
    manifest_attribute.build  NULL                  r1         NULL        NULL
    manifest_attribute.empty  NULL                             NULL        NULL
    manifest_attribute.least  -9223372036854775808  NULL       NULL        NULL
    manifest_attribute.run    42                    NULL       NULL        NULL
    ");
}

#[test]
fn of_attributes_with_one_key_the_last_counts() {
    let manifest =
        r#"{"perfetto_manifest": {"version": 1, "attributes": {"a": 1, "b": 2, "a": "x"}}}"#;
    let archive = Archive::new().file("left", left()).file("m", manifest);
    assert_snapshot!(merged(&archive).rows(ATTRIBUTES), @r"
    name                  int_value  str_value  machine_id  trace_id
    manifest_attribute.a  NULL       x          NULL        NULL
    manifest_attribute.b  2          NULL       NULL        NULL
    ");
}

/// Fields that are not known are ignored, also those of objects within.
#[test]
fn unknown_fields_are_ignored() {
    let merged = devices(json!({
        "later": [1],
        "files": [{ "path": "left", "colour": "red", "machine": { "name": "l", "age": 3 } }],
    }));
    assert_snapshot!(merged.rows(MACHINES), @r"
    id  raw_id      name
    0   4294967296  l
    1   0           NULL
    ");
}

/// A listed file that is absent is reported, with its path.
#[test]
fn a_file_that_is_missing_is_counted() {
    let merged = devices(json!({ "files": [{ "path": "lost", "machine": { "name": "x" } }] }));
    assert_snapshot!(merged.rows(STATS), @r"
    name                    machine  file  value
    manifest_files_missing  NULL     NULL  1
    ");
    let what = "SELECT string_value FROM trace_import_logs JOIN args USING (arg_set_id)";
    assert_eq!(merged.cell(what), "lost");
    assert_snapshot!(merged.rows(LOGS), @r"
    file  name                    severity  packet  clock  timestamp
    1     manifest_files_missing  error     NULL    NULL   NULL
    ");
}

/// Clocks that a file reads in snapshots of its own can be named in a manifest as well.
#[test]
fn a_clock_of_a_file_that_is_not_its_default() {
    let file = recording().packet(instant(25, "x").clock(MONOTONIC)).build();
    let archive = Archive::new().file("left", left()).file("other", file).manifest(json!({
        "files": [{ "path": "left" },
                  { "path": "other", "machine": { "name": "o" },
                    "clocks": { "clock": "MONOTONIC",
                                "sync_to": { "file": "left", "clock": "REALTIME" },
                                "offset_ns": 1000 } }]
    }));
    // 25 is wall time 1025, 900 after the left device was started.
    assert_snapshot!(merged(&archive).rows(EVENTS), @r"
    ts   name  machine
    110  left  0
    125  x     1
    ");
}

/// A file with one machine, named by its packets and by the manifest, has no other.
#[test]
fn a_single_remote_machine_with_a_name() {
    let remote = TraceBuilder::new()
        .packet(clocks(&[(BOOTTIME, 100), (REALTIME, 1000)]))
        .packet(thread_track(WRITER, TRACK).machine(GUEST))
        .packet(instant(110, "guest").machine(GUEST))
        .packet(instant(1020, "by wall time").clock(REALTIME).machine(GUEST))
        .build();
    let archive = Archive::new().file("a", remote).manifest(json!({
        "files": [{ "path": "a", "machines": [{ "id": GUEST, "name": "guest" }] }]
    }));
    let merged = merged(&archive);
    assert_snapshot!(merged.rows(MACHINES), @r"
    id  raw_id      name
    0   4294967296  guest
    ");
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts   name          machine
    110  guest         0
    120  by wall time  0
    ");
}

/// A timeline in the clock of a file that is listed and missing is the one there would be without.
#[test]
fn the_timeline_of_a_file_that_is_missing() {
    let merged = devices(json!({
        "trace_time": { "clock": "MONOTONIC", "file": "lost" },
        "files": [{ "path": "lost" }],
    }));
    // The host's clock of that name, which both devices read as they are not distinguished: 10
    // behind boot time by the left one's reading, and 5 by the right one's.
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts   name   machine
    25   right  0
    100  left   0
    ");
}

/// A manifest names a compressed file by the name it is packed under, and may write `./`
/// before a name.
#[test]
fn a_clock_of_a_compressed_file() {
    let archive = Archive::new()
        .file("left.gz", tpq_testkit::gzip(&left()))
        .file("right.gz", tpq_testkit::gzip(&right()))
        .manifest(json!({
            "trace_time": { "clock": "BOOTTIME", "file": "right.gz" },
            "files": [{ "path": "left.gz",
                        "clocks": { "clock": "BOOTTIME", "offset_ns": 1000,
                                    "sync_to": { "file": "./right.gz", "clock": "BOOTTIME" } } },
                      { "path": "right.gz" }]
        }));
    assert_snapshot!(merged(&archive).rows(EVENTS), @r"
    ts    name   machine
    30    right  0
    1110  left   0
    ");
}

/// Wall time that was set back is no source by its snapshots, but what the manifest says of it
/// holds: 1010 on the right is 1060 on the left, which is boot time 160.
#[test]
fn a_clock_that_went_backwards() {
    let back = recording()
        .packet(clocks(&[(BOOTTIME, 10), (REALTIME, 1000)]))
        .packet(clocks(&[(BOOTTIME, 15), (REALTIME, 900)]))
        .packet(clocks(&[(BOOTTIME, 20), (REALTIME, 1005)]))
        .packet(instant(25, "back"))
        .build();
    let archive = Archive::new().file("a", left()).file("b", back).manifest(json!({
        "files": [{ "path": "a", "machine": { "name": "a" } },
                  { "path": "b", "machine": { "name": "b" },
                    "clocks": { "clock": "REALTIME", "offset_ns": 50,
                                "sync_to": { "file": "a", "clock": "REALTIME" } } }]
    }));
    assert_snapshot!(merged(&archive).rows(EVENTS), @r"
    ts   name  machine
    110  left  0
    160  back  1
    ");
}
