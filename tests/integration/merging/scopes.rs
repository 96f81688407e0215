//! What each file has of its own, though another uses the same numbers for it.

use insta::assert_snapshot;
use serde_json::json;
use tpq_testkit::clock_id::{BOOTTIME, MONOTONIC, REALTIME};
use tpq_testkit::{
    Archive, Clock, ClockSnapshot, InternedData, NEEDS_STATE, Packet, STATE_CLEARED, TraceBuilder,
    TrackDescriptor, TrackEvent,
};

use super::{left, right};
use crate::imported::{
    EVENTS, FILES, Imported, MACHINES, STATS, TRACK, WRITER, clocks, instant, merged, recording,
    snapshot_packet, thread_track,
};

/// A slice on a track of the program's own, with an interned name.
fn interned(at: u64, track: &str, name: &str, flow: u64) -> Vec<u8> {
    let of = |packet: Packet| packet.sequence(WRITER);
    let event = TrackEvent::instant(5).name_iid(1).flow(flow);
    TraceBuilder::new()
        .packet(of(Packet::new()
            .flags(STATE_CLEARED)
            .interned(InternedData::new().event_name(1, name))
            .track_descriptor(TrackDescriptor::new(5).name(track))))
        .packet(of(Packet::new().flags(NEEDS_STATE).timestamp(at).track_event(event)))
        .build()
}

/// Both write as sequence 1, call a track 5 and a name 1, and take part in a flow 9.
#[test]
fn sequences_tracks_names_and_flows() {
    let files: [(&str, &[u8]); 2] = [
        ("a", &interned(10, "track a", "name a", 9)),
        ("b", &interned(20, "track b", "name b", 9)),
    ];
    let merged = Imported::files(&files);
    let slices = "SELECT ts, slice.name, track.name AS track FROM slice \
                  JOIN track ON track_id = track.id ORDER BY ts";
    assert_snapshot!(merged.rows(slices), @r"
    ts  name    track
    10  name a  track a
    20  name b  track b
    ");
    assert_eq!(merged.cell("SELECT count(*) FROM flow"), "0");
    // Within a file, it is a flow.
    let mut one = interned(10, "track a", "name a", 9);
    one.extend(interned(20, "track b", "name b", 9));
    assert_eq!(Imported::file(one).cell("SELECT count(*) FROM flow"), "1");
}

/// What a sequence of one file lost, another file's sequence of that number did not.
#[test]
fn the_state_of_sequences() {
    let needy = recording().packet(instant(20, "lost").flags(NEEDS_STATE)).build();
    let whole = recording()
        .packet(instant(10, "first").flags(STATE_CLEARED))
        .packet(instant(11, "second").flags(NEEDS_STATE))
        .build();
    let merged = Imported::files(&[("a", &whole), ("b", &needy)]);
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts  name    machine
    10  first   0
    11  second  0
    ");
    let skipped = "SELECT trace_id FROM stats WHERE value != 0 \
                   AND name = 'packet_skipped_seq_needs_incremental_state_invalid'";
    assert_eq!(merged.cell(skipped), "1");
}

/// Clock 64 of sequence 1 is another in each file.
#[test]
fn clocks_of_sequences() {
    let with_unit = |unit, name: &str| {
        let own = Clock::new(64, 1).unit(unit);
        let snapshot = ClockSnapshot::new().clock(BOOTTIME, 1_000).with(own);
        recording()
            .packet(Packet::new().sequence(WRITER).clock_snapshot(snapshot))
            .packet(instant(3, name).clock(64))
            .build()
    };
    let merged = Imported::files(&[("a", &with_unit(10, "a")), ("b", &with_unit(100, "b"))]);
    // Two ticks after the snapshot.
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts    name  machine
    1020  a     0
    1200  b     0
    ");
}

/// The timeline is the clock that the first file declares; packets of the other that name no
/// clock are still in its own.
#[test]
fn the_clock_of_packets_that_name_none() {
    let declared = ClockSnapshot::new().clock(BOOTTIME, 100).clock(MONOTONIC, 90);
    let first = recording()
        .packet(snapshot_packet(declared.primary(MONOTONIC)))
        .packet(instant(91, "monotonic"))
        .build();
    let second = recording().packet(instant(102, "boot time")).build();
    let merged = Imported::files(&[("a", &first), ("b", &second)]);
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts  name       machine
    91  monotonic  0
    92  boot time  0
    ");
}

/// A file of one machine that its packets name is of that machine, next to a file of the host.
#[test]
fn a_single_remote_machine_beside_the_host() {
    let remote = TraceBuilder::new()
        .packet(clocks(&[(BOOTTIME, 20), (REALTIME, 1005)]))
        .packet(thread_track(WRITER, TRACK).machine(7))
        .packet(instant(30, "remote").machine(7))
        .build();
    let merged = Imported::files(&[("a", &left()), ("b", &remote)]);
    assert_snapshot!(merged.rows(MACHINES), @r"
    id  raw_id  name
    0   0       NULL
    1   7       NULL
    ");
    // By wall time, as two devices: 985 + 30 - 900.
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts   name    machine
    110  left    0
    115  remote  1
    ");
}

/// Two files of one phone, of which only one reads wall time, and a watch that is the timeline.
/// What the one file knows of the phone places the other as well: the phone was started at wall
/// time 900 and the watch at 985, so the phone's 120 is the watch's 35.
#[test]
fn what_one_file_knows_of_a_machine_places_its_other_files() {
    let other = recording().packet(instant(120, "phone, no wall time")).build();
    let archive = Archive::new()
        .file("a-watch", right())
        .file("b-phone", left())
        .file("c-phone", other)
        .manifest(json!({
            "files": [{ "path": "a-watch", "machine": { "name": "watch" } },
                      { "path": "b-phone", "machine": { "name": "phone" } },
                      { "path": "c-phone", "machine": { "name": "phone" } }]
        }));
    assert_snapshot!(merged(&archive).rows(EVENTS), @r"
    ts  name                 machine
    25  left                 1
    30  right                0
    35  phone, no wall time  1
    ");
}

/// A file without packets of use takes part, and decides the timeline's clock no less.
#[test]
fn a_file_without_events() {
    let empty = TraceBuilder::new().packet(clocks(&[(BOOTTIME, 100), (MONOTONIC, 50)])).build();
    let second = recording().packet(instant(60, "monotonic").clock(MONOTONIC)).build();
    let archive = Archive::new().file("a", empty).file("b", second).file("c", b"".as_slice());
    let merged = merged(&archive);
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts   name       machine
    110  monotonic  0
    ");
    assert_snapshot!(merged.rows(FILES), @r"
    id  parent  name  trace_type  processing_order
    0   NULL    NULL  tar         0
    1   0       a     proto       1
    2   0       b     proto       2
    3   0       c     unknown     3
    ");
    assert_snapshot!(merged.rows(STATS), @r"
    name                      machine  file  value
    archive_members_not_read  NULL     NULL  1
    ");
}

/// Events at one moment come in the order of files; within one, as they were written.
#[test]
fn events_at_one_moment() {
    let at_ten =
        |names: [&str; 2]| recording().packets(names.map(|name| instant(10, name))).build();
    let files: [(&str, &[u8]); 2] = [("b", &at_ten(["3", "4"])), ("a", &at_ten(["1", "2"]))];
    let rows = Imported::files(&files).rows("SELECT name FROM slice ORDER BY id");
    assert_eq!(rows, "name\n1\n2\n3\n4\n");
}

/// What was lost from compressed packets lies where they do in their file.
#[test]
fn places_in_compressed_packets() {
    let lost = TraceBuilder::new().packet(instant(20, "lost").clock(64));
    let file = recording().packet(instant(10, "kept")).packet(lost.into_zstd_packet()).build();
    let merged = Imported::files(&[("a", &left()), ("b", &file)]);
    let marker = [0x28, 0xb5, 0x2f, 0xfd];
    let at = file.windows(4).position(|bytes| bytes == marker).unwrap();
    let offset: usize = merged.cell("SELECT byte_offset FROM trace_import_logs").parse().unwrap();
    // The packet begins with tags and lengths of the compressed bytes.
    assert!((at - 8..at).contains(&offset), "{offset}, with the compressed bytes at {at}");
}
