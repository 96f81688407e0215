//! Events that belong to the writer of their sequence.

use tpq_testkit::{ClockSnapshot, Defaults};

use super::*;

fn thread(tid: i64) -> Message {
    Message::new().int(1, 100).int(2, tid).int(6, 50)
}

fn instant(ts: u64, uuid: u64) -> Packet {
    event(ts, Message::new().uint(9, 3).uint(11, uuid).bytes(23, "it"))
}

/// Times may be differences from what the descriptor of the thread says, in another clock.
#[test]
fn times_that_are_differences() {
    let clocks = ClockSnapshot::new().clock(6, 1_000).clock(3, 500);
    let at = |field, us, letter: char| {
        let old = Message::new().uint(2, u64::from(u32::from(letter)));
        let event = Message::new().int(field, us).bytes(23, "old").message(6, old);
        packet().flags(NEEDS_STATE).track_event(TrackEvent::from(event))
    };
    let trace = imported(
        TraceBuilder::new(),
        [
            packet().flags(STATE_CLEARED).clock_snapshot(clocks),
            at(1, 1, 'i'),
            packet().payload(44, thread(101)),
            at(1, 2, 'B'),
            at(1, 3, 'E'),
            at(16, 70, 'i'),
            at(99, 1, 'i'),
        ],
    );
    // The monotonic clock is 500 behind.
    assert_eq!(
        trace.rows("SELECT ts, dur, tid FROM slice JOIN thread_track t ON track_id = t.id JOIN thread USING (utid) ORDER BY ts"),
        "\
ts     dur   tid
52500  3000  101
70500  0     101
"
    );
    assert_eq!(
        trace.rows(STATS),
        "\
name                                                     value
track_event_missing_timestamp                            1
track_event_skipped_timestamp_delta_without_valid_state  1
"
    );
}

/// The thread stays known when the state is cleared, until another is described.
#[test]
fn the_writer_of_events_of_processes_and_of_events_without_an_owner() {
    let trace = imported(
        described(),
        [
            instant(10, PROCESS),
            packet().flags(STATE_CLEARED).padding(&[]),
            instant(20, 70),
            packet().flags(STATE_CLEARED).payload(44, thread(105)),
            instant(30, 70),
            Packet::new().timestamp(40).track_event(TrackEvent::instant(PROCESS)),
        ],
    );
    assert_eq!(
        trace.rows(
            "SELECT ts, tid FROM slice s JOIN args a ON s.arg_set_id = a.arg_set_id \
             JOIN thread ON utid = int_value WHERE key = 'legacy_event.passthrough_utid' ORDER BY ts"
        ),
        "\
ts  tid
10  101
20  101
30  105
"
    );
    assert_eq!(
        trace.rows(STATS),
        "name                             value\ntrack_event_missing_sequence_id  1\n"
    );
}

/// A state belongs to a sequence. A packet without a sequence that begins one is counted.
#[test]
fn a_state_without_a_sequence() {
    let trace = imported(described(), [instant(10, PROCESS), Packet::new().flags(STATE_CLEARED)]);
    let stat = "SELECT value FROM stats \
        WHERE name = 'incremental_state_cleared_missing_sequence_id'";
    assert_eq!(trace.cell(stat), "1");
}

/// So is all else that is part of a state, each under its own name.
#[test]
fn parts_of_a_state_without_a_sequence() {
    let trace = imported(
        described(),
        [
            Packet::new().interned(InternedData::new().category(1, "c")),
            Packet::new().defaults(Defaults::new().track(PROCESS)),
            Packet::new().previous_packet_dropped(),
            Packet::new().payload(44, thread(107)),
            instant(10, PROCESS),
        ],
    );
    let sql = "SELECT name, value FROM stats WHERE name GLOB '*missing_sequence_id' \
        AND value != 0 ORDER BY name";
    assert_eq!(
        trace.rows(sql),
        "\
name                                         value
interned_data_missing_sequence_id            1
previous_packet_dropped_missing_sequence_id  1
thread_descriptor_missing_sequence_id        1
trace_packet_defaults_missing_sequence_id    1
"
    );
}
