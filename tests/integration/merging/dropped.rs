//! Events without a place on the timeline are dropped, and counted by machine and file.

use insta::assert_snapshot;
use serde_json::json;
use tpq_testkit::clock_id::{BOOTTIME, MONOTONIC};
use tpq_testkit::{Archive, FtraceBundle, FtraceEvent, Packet};

use super::{left, right};
use crate::imported::{
    EVENTS, Imported, LOGS, STATS, clocks, instant, merged, recording, thread_track,
};

fn later_by(offset: i64, file: Vec<u8>) -> Imported {
    merged(&Archive::new().file("left", left()).file("right", file).manifest(json!({
        "files": [
            { "path": "left", "machine": { "name": "left" } },
            { "path": "right", "machine": { "name": "right" },
              "clocks": { "clock": "BOOTTIME", "offset_ns": offset,
                          "sync_to": { "file": "left", "clock": "BOOTTIME" } } },
        ]
    })))
}

/// Moved by -40, what happened at 30 and 39 lies before the timeline begins, at 40 it begins.
#[test]
fn before_the_timeline_begins() {
    let file = recording()
        .packet(instant(30, "lost"))
        .packet(instant(50, "kept"))
        .packet(instant(39, "lost as well"))
        .packet(instant(40, "the very beginning"))
        .build();
    let merged = later_by(-40, file.clone());
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts   name                machine
    0    the very beginning  1
    10   kept                1
    110  left                0
    ");
    // The count says which file and machine; the log which packets and times as well.
    assert_snapshot!(merged.rows(STATS), @r"
    name                           machine  file  value
    track_event_invalid_timestamp  1        3     2
    ");
    assert_snapshot!(merged.rows(LOGS), @r"
    file  name                           severity  packet  clock  timestamp
    3     track_event_invalid_timestamp  error     1       6      30
    3     track_event_invalid_timestamp  error     3       6      39
    ");
    let placement = &merged.summary().placements[1];
    assert_eq!((placement.negative, placement.unplaced), (2, 0));
    check_offsets(&merged, &file, &["lost", "lost as well"]);
}

/// That the log's offsets point into the packets that hold these names.
fn check_offsets(imported: &Imported, file: &[u8], names: &[&str]) {
    let offsets = "SELECT byte_offset FROM trace_import_logs ORDER BY id";
    let rows = imported.rows(offsets);
    let offsets: Vec<usize> = rows.lines().skip(1).map(|line| line.parse().unwrap()).collect();
    assert_eq!(offsets.len(), names.len());
    for (offset, name) in offsets.into_iter().zip(names) {
        let at = file.windows(name.len()).position(|bytes| bytes == name.as_bytes()).unwrap();
        // An event of a name has few other bytes before it.
        assert!((at.saturating_sub(16)..at).contains(&offset), "{name} at {at}: {offset}");
    }
}

/// Of a packet with many events, those that are lost are counted each and entered once.
#[test]
fn a_part_of_a_bundle_before_the_timeline_begins() {
    let marker = |at| FtraceEvent::print(at, 101, "B|100|x\n");
    let bundle = [10, 20, 30, 40, 50]
        .into_iter()
        .map(marker)
        .fold(FtraceBundle::new(0), FtraceBundle::event);
    let file = recording().packet(Packet::new().sequence(2).ftrace(bundle)).build();
    let merged = later_by(-25, file);
    assert_eq!(
        merged.cell("SELECT min(ts) || ' to ' || max(ts) FROM slice WHERE ts < 100"),
        "5 to 25"
    );
    assert_snapshot!(merged.rows(STATS), @r"
    name                                     machine  file  value
    trace_sorter_negative_timestamp_dropped  NULL     NULL  2
    ");
    assert_snapshot!(merged.rows(LOGS), @r"
    file  name                                     severity  packet  clock  timestamp
    3     trace_sorter_negative_timestamp_dropped  error     1       6      10
    ");
}

/// No file reads MONOTONIC together with another clock, and different clocks are never taken for
/// the same.
#[test]
fn a_clock_that_nothing_relates_to_the_timeline() {
    let other = recording()
        .packet(instant(20, "lost").clock(MONOTONIC))
        .packet(instant(21, "lost as well").clock(MONOTONIC))
        .packet(instant(30, "taken for the same boot time"))
        .build();
    let first = recording().packet(instant(10, "first")).build();
    let archive = Archive::new().file("a", first).file("b", other.clone()).manifest(json!({
        "files": [{ "path": "b", "machine": { "name": "other" } }]
    }));
    let merged = merged(&archive);
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts  name                          machine
    10  first                         0
    30  taken for the same boot time  1
    ");
    // Two events, of one clock.
    assert_snapshot!(merged.rows(STATS), @r"
    name                                  machine  file  value
    clock_sync_failure_no_path            1        3     2
    clock_sync_unrelatable_clock_domains  1        3     1
    ");
    assert_snapshot!(merged.rows(LOGS), @r"
    file  name                        severity  packet  clock  timestamp
    3     clock_sync_failure_no_path  error     1       3      20
    3     clock_sync_failure_no_path  error     2       3      21
    ");
    check_offsets(&merged, &other, &["lost", "lost as well"]);
    assert_eq!(merged.summary().placements[1].unplaced, 2);
}

/// Within the file that the timeline is of, what is missing is a snapshot.
#[test]
fn a_clock_of_the_timelines_own_file() {
    let unknown = instant(20, "lost").clock(MONOTONIC);
    let imported = Imported::trace(recording().packet(instant(10, "first")).packet(unknown));
    assert_snapshot!(imported.rows(STATS), @r"
    name                                     machine  file  value
    clock_sync_failure_unknown_source_clock  0        0     1
    ");
}

/// Losses are counted for their machine and file.
#[test]
fn counts_by_machine_and_file() {
    let lost = |at, id: u32| instant(at, "lost").clock(64).machine(id);
    let relay = recording()
        .packet(clocks(&[(BOOTTIME, 100)]))
        .packet(instant(110, "kept"))
        .packet(thread_track(1, 7).machine(7))
        .packets([lost(1, 0), lost(2, 7), lost(3, 7)])
        .build();
    let other = recording().packets([lost(4, 0), lost(5, 0), lost(6, 0)]).build();
    let merged = Imported::files(&[("a", &relay), ("b", &other)]);
    // Clock 64 belongs to its sequence, and no snapshot of that sequence reads it.
    assert_snapshot!(merged.rows(STATS), @r"
    name                                     machine  file  value
    clock_sync_failure_unknown_source_clock  0        0     1
    clock_sync_failure_unknown_source_clock  1        0     2
    clock_sync_failure_unknown_source_clock  0        1     3
    ");
    let rows = "SELECT count(*) FROM stats WHERE name = 'clock_sync_failure_no_path'";
    assert_eq!(merged.cell(rows), "3", "a row for each place, though it be 0");
}

/// More than a hundred losses of one kind are counted, and the first hundred entered.
#[test]
fn the_log_is_no_longer_than_of_use() {
    let lost = (0..250).map(|at| instant(at, "lost").clock(MONOTONIC));
    let imported = Imported::trace(recording().packets(lost));
    assert_snapshot!(imported.rows(STATS), @r"
    name                                     machine  file  value
    clock_sync_failure_unknown_source_clock  0        0     250
    ");
    assert_eq!(imported.cell("SELECT count(*) FROM trace_import_logs"), "100");
}

/// A file that is cut off loses its end and nothing else of the merge.
#[test]
fn a_file_that_is_cut_off() {
    let cut = right();
    let cut = &cut[..cut.len() - 3];
    let merged = merged(&Archive::new().file("left", left()).file("right", cut));
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts   name  machine
    110  left  0
    ");
    assert_eq!(
        merged
            .cell("SELECT trace_id FROM stats WHERE name = 'trace_truncated_bytes' AND value > 0"),
        "2"
    );
}
