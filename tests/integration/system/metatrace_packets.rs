//! What the recorder and the trace processor record of themselves.

use tpq_testkit::{Message, Packet, TraceBuilder};

use crate::imported::{Imported, STATS};

const PERFETTO_METATRACE: u32 = 49;

fn metatrace(ts: u64, tid: u64, event: Message) -> Packet {
    let event = event.uint(5, tid);
    Packet::new().sequence(1).timestamp(ts).payload(PERFETTO_METATRACE, event)
}

fn arg(key: &str, value: &str) -> Message {
    Message::new().bytes(1, key).bytes(2, value)
}

/// Events have a number, a text, or the id of a text that an earlier packet sends.
#[test]
fn events_are_slices_of_their_threads() {
    let sent = Message::new().uint(1, 7).bytes(2, "query");
    let again = Message::new().uint(1, 7).bytes(2, "other");
    let key = Message::new().uint(1, 8).bytes(2, "column");
    let interned = Message::new().uint(3, 8).bytes(2, "a");
    let packets = [
        metatrace(10, 5, Message::new().uint(1, 18).uint(3, 100)),
        metatrace(20, 5, Message::new().bytes(8, "inner").uint(3, 30)),
        metatrace(
            200,
            6,
            Message::new()
                .uint(11, 7)
                .uint(3, 5)
                .message(10, sent)
                .message(10, key)
                .message(7, interned.clone())
                .message(7, arg("sql", "SELECT 1"))
                .message(7, interned),
        ),
        metatrace(210, 6, Message::new().uint(11, 7).message(10, again)),
        metatrace(220, 6, Message::new().uint(1, 999).uint(6, 1)),
        metatrace(230, 6, Message::new().uint(11, 99)),
    ];
    let trace = Imported::trace(TraceBuilder::new().packets(packets));
    let slices = "SELECT ts, dur, depth, category, slice.name AS name, tid, thread_track.type FROM slice \
        JOIN thread_track ON thread_track.id = track_id JOIN thread USING (utid) ORDER BY ts";
    insta::assert_snapshot!(trace.rows(slices), @r"
    ts   dur  depth  category   name              tid  type
    10   100  0      metatrace  FTRACE_READ_TICK  5    thread_execution
    20   30   1      metatrace  inner             5    thread_execution
    200  5    0      metatrace  query             6    thread_execution
    210  0    0      metatrace  query             6    thread_execution
    220  0    0      metatrace  Event 999         6    thread_execution
    230  0    0      metatrace  MISSING STRING    6    thread_execution
    ");
    let args = "SELECT flat_key, key, string_value FROM slice JOIN args USING (arg_set_id) \
        WHERE ts = 200 ORDER BY key";
    insta::assert_snapshot!(trace.rows(args), @r"
    flat_key  key        string_value
    column    column[0]  a
    column    column[1]  a
    sql       sql        SELECT 1
    ");
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                machine  file  value
    metatrace_overruns  0        0     1
    ");
}

#[test]
fn counters_are_tracks_of_their_threads() {
    let packets = [
        metatrace(10, 5, Message::new().uint(2, 1).int(4, 3)),
        metatrace(20, 5, Message::new().bytes(9, "own").int(4, -4).message(7, arg("why", "less"))),
        metatrace(30, 6, Message::new().uint(2, 1).int(4, 9)),
        metatrace(40, 6, Message::new().uint(2, 77)),
    ];
    let trace = Imported::trace(TraceBuilder::new().packets(packets));
    let counters = "SELECT ts, value, track.name AS track, track.type, tid, \
        extract_arg(track.dimension_arg_set_id, 'counter_name') AS dimension, \
        extract_arg(counter.arg_set_id, 'why') AS why \
        FROM counter JOIN track ON track.id = track_id \
        JOIN thread_counter_track ON thread_counter_track.id = track_id JOIN thread USING (utid) \
        ORDER BY ts";
    insta::assert_snapshot!(trace.rows(counters), @r"
    ts  value  track                 type               tid  dimension             why
    10  3.0    FTRACE_PAGES_DRAINED  metatrace_counter  5    FTRACE_PAGES_DRAINED  NULL
    20  -4.0   own                   metatrace_counter  5    own                   less
    30  9.0    FTRACE_PAGES_DRAINED  metatrace_counter  6    FTRACE_PAGES_DRAINED  NULL
    40  0.0    Counter 77            metatrace_counter  6    Counter 77            NULL
    ");
}
