//! Files without a clock: their times are their own, and a manifest says when they began.

use insta::assert_snapshot;
use serde_json::{Value, json};
use tpq_testkit::Archive;
use tpq_testkit::clock_id::REALTIME;

use super::{clockless, left};
use crate::imported::{
    CLOCK_SNAPSHOT, EVENTS, Imported, MACHINES, STATS, instant, merged, recording,
};

fn pinned(app: Vec<u8>, clocks: Value) -> Imported {
    merged(&Archive::new().file("app", app).file("left", left()).manifest(json!({
        "files": [{ "path": "app", "clocks": clocks }, { "path": "left" }]
    })))
}

/// The program began when the device had been up for 100.
#[test]
fn to_a_clock() {
    let clocks = json!({ "sync_to": { "file": "left", "clock": "BOOTTIME" }, "offset_ns": 100 });
    assert_snapshot!(pinned(clockless(), clocks).picture());
}

#[test]
fn to_a_clock_that_is_not_the_timeline() {
    let clocks = json!({ "sync_to": { "file": "left", "clock": "REALTIME" }, "offset_ns": 1000 });
    // Wall times 1005 and 1008; the device was started at 900.
    assert_snapshot!(pinned(clockless(), clocks).rows(EVENTS), @r"
    ts   name    machine
    105  first   0
    108  second  0
    110  left    0
    ");
}

/// Without an offset, both begin at once; with a negative one, the program began 3 before the
/// device was started.
#[test]
fn without_an_offset_and_with_a_negative_one() {
    let clocks = json!({ "sync_to": { "file": "left", "clock": "BOOTTIME" } });
    assert_snapshot!(pinned(clockless(), clocks).rows(EVENTS), @r"
    ts   name    machine
    5    first   0
    8    second  0
    110  left    0
    ");
    let clocks = json!({ "sync_to": { "file": "left", "clock": "BOOTTIME" }, "offset_ns": -3 });
    assert_snapshot!(pinned(clockless(), clocks).rows(EVENTS), @r"
    ts   name    machine
    2    first   0
    5    second  0
    110  left    0
    ");
}

/// Whatever clock its packets name, a file that is declared without one has one time.
#[test]
fn clocks_that_packets_name_do_not_count() {
    let app = recording()
        .packet(instant(5, "none"))
        .packet(instant(6, "REALTIME").clock(REALTIME))
        .packet(instant(7, "its own").clock(64))
        .build();
    let clocks = json!({ "sync_to": { "file": "left", "clock": "BOOTTIME" }, "offset_ns": 100 });
    let merged = pinned(app, clocks);
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts   name      machine
    105  none      0
    106  REALTIME  0
    107  its own   0
    110  left      0
    ");
    assert_snapshot!(merged.rows(STATS), @"name  machine  file  value");
}

/// The reference is the other file's own time, which is the clock of its packets.
#[test]
fn to_the_own_time_of_a_file() {
    let clocks = json!({ "sync_to": { "file": "left" }, "offset_ns": 100 });
    let merged = pinned(clockless(), clocks);
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts   name    machine
    105  first   0
    108  second  0
    110  left    0
    ");
    assert_snapshot!(merged.rows(CLOCK_SNAPSHOT), @r"
    snap  ts   origin    machine  file  clock_id  clock_name  value
    0     100  snapshot  0        3     6         BOOTTIME    100
    0     100  snapshot  0        3     3         MONOTONIC   90
    0     100  snapshot  0        3     1         REALTIME    1000
    1     100  manifest  0        2     11        NULL        0
    1     100  manifest  0        3     6         BOOTTIME    100
    ");
}

/// A program that began 10 after another, which began when the device had been up for 100.
#[test]
fn to_a_file_that_is_pinned_itself() {
    let archive = Archive::new()
        .file("a", clockless())
        .file("b", recording().packet(instant(1, "third")).build())
        .file("left", left())
        .manifest(json!({
            "files": [
                { "path": "a", "clocks": { "sync_to": { "file": "left", "clock": "BOOTTIME" },
                                           "offset_ns": 100 } },
                { "path": "b", "clocks": { "sync_to": { "file": "a" }, "offset_ns": 10 } },
                { "path": "left" },
            ]
        }));
    assert_snapshot!(merged(&archive).rows(EVENTS), @r"
    ts   name    machine
    105  first   0
    108  second  0
    110  left    0
    111  third   0
    ");
}

/// A pinned file can be another machine's.
#[test]
fn of_another_machine() {
    let archive = Archive::new().file("app", clockless()).file("left", left()).manifest(json!({
        "files": [
            { "path": "app", "machine": { "name": "board" },
              "clocks": { "sync_to": { "file": "left", "clock": "BOOTTIME" },
                          "offset_ns": 100 } },
            { "path": "left", "machine": { "name": "phone" } },
        ]
    }));
    let merged = merged(&archive);
    assert_snapshot!(merged.rows(MACHINES), @r"
    id  raw_id      name
    0   4294967296  board
    1   4294967297  phone
    ");
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts   name    machine
    105  first   0
    108  second  0
    110  left    1
    ");
}

/// Where no file has a clock, the timeline is the first file's own time.
#[test]
fn nothing_but_files_without_clocks() {
    let archive = Archive::new()
        .file("a", clockless())
        .file("b", recording().packet(instant(1, "third")).build())
        .manifest(json!({
            "files": [
                { "path": "a", "clocks": { "sync_to": { "file": "b" }, "offset_ns": -1 } },
                { "path": "b", "clocks": { "sync_to": { "file": "a" }, "offset_ns": 1 } },
            ]
        }));
    let merged = merged(&archive);
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts  name    machine
    2   third   0
    5   first   0
    8   second  0
    ");
    let clock = "SELECT int_value FROM metadata WHERE name = 'trace_time_clock_id'";
    assert_eq!(merged.cell(clock), "11");
}
