//! State that belongs to one file, although another file uses the same ids.

use insta::assert_snapshot;
use serde_json::json;
use tpq_testkit::clock_id::{BOOTTIME, MONOTONIC, REALTIME};
use tpq_testkit::{
    Annotation, Archive, Clock, ClockSnapshot, FtraceBundle, FtraceEvent, InternedData,
    NEEDS_STATE, Packet, STATE_CLEARED, Task, TraceBuilder, TrackDescriptor, TrackEvent,
    prev_state,
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

/// The packets of source `n`. The sources use the same ids; times, names and values differ by `n`.
fn source(n: u64) -> Vec<Packet> {
    const TRACK: u64 = 5;
    const CPU: u32 = 0;
    let name = |kind: &str| format!("{kind} {n}");
    let data = InternedData::new()
        .event_name(1, &name("slice"))
        .annotation_name(1, &format!("key_{n}"))
        .annotation_string(1, &name("value"));
    let track = TrackDescriptor::new(TRACK).name(&name("track"));
    let state = Packet::new().flags(STATE_CLEARED).interned(data).track_descriptor(track);
    let thread = TrackDescriptor::new(TRACK + 1).thread(100, 101, &name("thread"));
    let begin =
        TrackEvent::begin(TRACK).name_iid(1).annotation(Annotation::named_iid(1).string_iid(1));
    let event = |at: u64, event| Packet::new().flags(NEEDS_STATE).timestamp(at).track_event(event);
    let task = name("thread");
    let (idle, task) = (Task::new("swapper", 0), Task::new(&task, 101));
    let switches = FtraceBundle::new(CPU)
        .event(FtraceEvent::sched_switch(20 + n, idle, prev_state::RUNNABLE, task))
        .event(FtraceEvent::sched_switch(80 + n, task, prev_state::SLEEPING, idle));
    let of_writer = [
        state,
        Packet::new().track_descriptor(thread),
        event(10 + n, begin),
        event(100 + n, TrackEvent::end(TRACK)),
    ];
    let mut packets = vec![clocks(&[(BOOTTIME, 1_000), (REALTIME, 5_000)])];
    packets.extend(of_writer.map(|packet| packet.sequence(WRITER)));
    packets.push(Packet::new().sequence(2).ftrace(switches));
    packets
}

/// Sources 0 and 1 are the machines of file a, 2 and 3 those of file b. Their events alternate:
/// each source begins its slice before any ends one, and the CPUs run their threads together.
#[test]
fn two_files_of_two_machines() {
    let file = |host: u64| {
        let guest = source(host + 1).into_iter().map(|packet| packet.machine(7));
        TraceBuilder::new().packets(source(host).into_iter().chain(guest)).build()
    };
    let machines =
        |host: &str, guest: &str| json!([{ "id": 0, "name": host }, { "id": 7, "name": guest }]);
    let archive = Archive::new().file("a", file(0)).file("b", file(2)).manifest(json!({
        "files": [{ "path": "a", "machines": machines("host a", "guest a") },
                  { "path": "b", "machines": machines("host b", "guest b") }]
    }));
    let merged = merged(&archive);
    let slices = "SELECT ts, dur, slice.name, track.name AS track, machine.name AS machine \
                  FROM slice JOIN track ON track_id = track.id \
                  JOIN machine ON track.machine_id = machine.id ORDER BY ts";
    assert_snapshot!(merged.rows(slices), @r"
    ts  dur  name     track    machine
    10  90   slice 0  track 0  host a
    11  90   slice 1  track 1  guest a
    12  90   slice 2  track 2  host b
    13  90   slice 3  track 3  guest b
    ");
    let args = "SELECT ts, key, string_value AS value FROM slice JOIN args USING (arg_set_id) \
                WHERE key LIKE 'debug.%' ORDER BY ts";
    assert_snapshot!(merged.rows(args), @r"
    ts  key          value
    10  debug.key_0  value 0
    11  debug.key_1  value 1
    12  debug.key_2  value 2
    13  debug.key_3  value 3
    ");
    let threads = "SELECT tid, thread.name, pid, machine.name AS machine FROM thread \
                   JOIN process USING (upid) JOIN machine ON thread.machine_id = machine.id \
                   WHERE tid = 101 ORDER BY 2";
    assert_snapshot!(merged.rows(threads), @r"
    tid  name      pid  machine
    101  thread 0  100  host a
    101  thread 1  100  guest a
    101  thread 2  100  host b
    101  thread 3  100  guest b
    ");
    // Numbers of CPUs are unique: 4096 for each machine before, and the number on its machine.
    let sched = "SELECT ts, dur, cpu, thread.name, end_state FROM sched JOIN thread USING (utid) \
                 WHERE tid = 101 ORDER BY ts";
    assert_snapshot!(merged.rows(sched), @r"
    ts  dur  cpu    name      end_state
    20  60   0      thread 0  S
    21  60   4096   thread 1  S
    22  60   8192   thread 2  S
    23  60   12288  thread 3  S
    ");
    assert_eq!(merged.cell("SELECT count(DISTINCT ucpu) FROM sched"), "4");
    let states = "SELECT ts, dur, state, thread.name FROM thread_state JOIN thread USING (utid) \
                  WHERE tid = 101 ORDER BY ts";
    assert_snapshot!(merged.rows(states), @r"
    ts  dur  state    name
    20  60   Running  thread 0
    21  60   Running  thread 1
    22  60   Running  thread 2
    23  60   Running  thread 3
    80  -1   S        thread 0
    81  -1   S        thread 1
    82  -1   S        thread 2
    83  -1   S        thread 3
    ");
}

/// A loss in a sequence of one file does not affect the sequence of that number in another file.
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
/// Its snapshot also places the other file: the phone was started at wall time 900 and the watch at
/// 985, so the phone's 120 is the watch's 35.
#[test]
fn clock_relations_of_one_file_place_others_of_its_machine() {
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

/// Losses in compressed packets have the location of the compressed bytes in their file.
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
