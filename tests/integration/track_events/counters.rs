//! Counter values of counter events and of other events, and counts of threads.

use super::*;
use crate::system::{COUNTER_ARGS, COUNTERS};
use tpq_testkit::Annotation;

/// A counter track of the thread.
fn counter(uuid: u64, fields: Message) -> Packet {
    let track = Message::new().uint(1, uuid).uint(5, THREAD).message(8, fields);
    packet().track_descriptor(track.into())
}

/// The track that counts the CPU time of the thread, as differences of µs.
fn thread_time() -> Packet {
    counter(20, Message::new().uint(1, 1).int(4, 1000).bool(5, true))
}

fn slice(ts: u64, kind: u64, fields: Message) -> Packet {
    let event = Message::new().uint(9, kind).uint(11, THREAD).bytes(23, "work");
    event_of(ts, event, fields)
}

fn event_of(ts: u64, event: Message, fields: Message) -> Packet {
    let both = [event.into_bytes(), fields.into_bytes()].concat();
    super::event(ts, Message::from_bytes(both))
}

fn extra(uuid: u64, value: i64) -> Message {
    Message::new().uint(31, uuid).int(12, value)
}

/// A thread's CPU time in events gives that of its slices, unless the clock stood still.
#[test]
fn counters_beside_events_count_for_slices_of_their_thread() {
    let of_process = Message::new().uint(9, 1).uint(11, PROCESS).bytes(23, "elsewhere");
    let trace = imported(
        described(),
        [
            thread_time(),
            counter(21, Message::new().uint(1, 2)),
            slice(10, 1, extra(20, 5)),
            slice(20, 1, extra(20, 2)),
            slice(30, 2, extra(20, 0)),
            slice(40, 3, extra(21, 700)),
            event_of(50, of_process, extra(20, 1)),
            slice(60, 2, extra(20, 3)),
        ],
    );
    assert_eq!(
        trace.rows(THREAD_COUNTS),
        "\
name       dur  thread_ts  thread_dur  count  delta
work       50   5000       6000        NULL   NULL
work       10   7000       NULL        NULL   NULL
work       0    NULL       NULL        700    0
elsewhere  -1   NULL       NULL        NULL   NULL
"
    );
    assert_eq!(
        trace.rows(COUNTERS),
        "\
ts  type                        name                      value
10  thread_counter_track_event  thread_time               5000.0
20  thread_counter_track_event  thread_time               7000.0
30  thread_counter_track_event  thread_time               7000.0
40  thread_counter_track_event  thread_instruction_count  700.0
50  thread_counter_track_event  thread_time               8000.0
60  thread_counter_track_event  thread_time               11000.0
"
    );
}

/// Older events give differences from the values in the descriptor of their thread.
#[test]
fn counts_of_threads_as_differences_and_as_they_are() {
    let thread = Message::new().int(1, 100).int(2, 101).int(7, 3).int(8, 1_000);
    let with = |letter, fields| {
        let old = Message::new().uint(2, u64::from(u32::from(letter))).int(4, 7).int(15, 8);
        let event = Message::new().bytes(23, "old").message(6, old);
        move |ts| event_of(ts, event, fields)
    };
    let trace = imported(
        described(),
        [
            packet().payload(44, thread),
            with('B', Message::new().int(2, 2).int(8, 50))(10),
            with('E', Message::new().int(2, 4).int(8, 25))(20),
            with('X', Message::new().int(17, 90).int(20, 5))(30),
        ],
    );
    assert_eq!(
        trace.rows(THREAD_COUNTS),
        "\
name  dur  thread_ts  thread_dur  count  delta
old   10   5000       4000        1050   25
old   0    90000      7000        5      8
"
    );
    assert_eq!(
        trace.rows(COUNTERS),
        "\
ts  type                 name                      value
10  thread_time          thread_time               5000.0
10  thread_instructions  thread_instruction_count  1050.0
20  thread_time          thread_time               9000.0
20  thread_instructions  thread_instruction_count  1075.0
30  thread_time          thread_time               90000.0
30  thread_instructions  thread_instruction_count  5.0
"
    );
}

#[test]
fn differences_without_a_descriptor_are_not_counted() {
    let legacy = |fields: Message| {
        let track = Message::new().uint(9, 3).uint(11, 30);
        event_of(10, track, fields)
    };
    let bare = Packet::new().sequence(WRITER).flags(STATE_CLEARED).padding(&[]);
    let trace = imported(
        TraceBuilder::new(),
        [bare, legacy(Message::new().int(2, 1)), legacy(Message::new().int(8, 1))],
    );
    assert_eq!(
        trace.rows(STATS),
        "\
name                                                              value
track_event_skipped_thread_instruction_delta_without_valid_state  1
track_event_skipped_thread_time_delta_without_valid_state         1
"
    );
    assert_eq!(trace.cell("SELECT count(*) FROM slice"), "0");
}

/// Units, categories and scales; a unit of the list goes before a name for one.
#[test]
fn counters_say_what_their_descriptors_say() {
    let fields = Message::new().uint(3, 3).bytes(6, "pages").bytes(2, "mem").bytes(2, "io");
    let own = |ts, value, more: Message| {
        let event = Message::new().uint(9, 4).uint(11, 22).int(30, value);
        event_of(ts, event, more)
    };
    let note = Annotation::named("why").string("start");
    let trace = imported(
        described(),
        [
            counter(22, fields.bytes(7, "scale").int(4, 10)),
            own(5, 3, Message::new().message(4, Message::from(note))),
            own(6, 4, Message::new()),
        ],
    );
    assert_eq!(
        trace.rows(
            "SELECT c.ts, value, unit, key, string_value AS string FROM counter c \
             JOIN counter_track t ON c.track_id = t.id \
             JOIN args a ON t.source_arg_set_id = a.arg_set_id \
             WHERE c.ts = 5 AND key IN ('category', 'y_axis_share_key') ORDER BY a.id"
        ),
        "\
ts  value  unit   key               string
5   30.0   bytes  category          mem,io
5   30.0   bytes  y_axis_share_key  scale
"
    );
    assert_eq!(
        trace.rows(COUNTER_ARGS),
        "\
ts  key        type    int   string
5   debug.why  string  NULL  start
"
    );
}

/// Events with missing parts, and the stats that count them.
#[test]
fn counters_that_make_no_sense() {
    let typed = |fields| event_of(10, Message::new().uint(9, 4), fields);
    let nine = (0..9).fold(Message::new(), |it, value| it.uint(31, 20).int(12, value));
    let cases = [
        (typed(Message::new().int(30, 1)), "track_event_counter_missing_track_uuid"),
        (typed(Message::new().uint(11, 20)), "track_event_counter_missing_value"),
        (typed(Message::new().uint(11, 77).int(30, 1)), "track_event_counter_invalid_track_uuid"),
        (slice(10, 3, Message::new().int(12, 1)), "track_event_extra_counter_missing_track_uuids"),
        (slice(10, 3, extra(20, 1).int(12, 2)), "track_event_extra_counter_track_uuid_mismatch"),
        (slice(10, 3, nine), "track_event_extra_counter_exceeds_max"),
        (slice(10, 3, extra(77, 1)), "track_event_extra_counter_invalid_track"),
    ];
    for (packet, stat) in cases {
        let trace = imported(described(), [thread_time(), packet]);
        assert_eq!(trace.rows(STATS), format!("{:n$}  value\n{stat}  1\n", "name", n = stat.len()));
        assert_eq!(trace.cell("SELECT count(*) FROM slice"), "0", "{stat}");
        assert_eq!(trace.cell("SELECT count(*) FROM trace_import_logs"), "1", "{stat}");
    }
}
