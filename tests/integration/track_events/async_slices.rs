//! Slices that ids of their program distinguish, and slices of which several threads write.

use tpq_testkit::Annotation;

use super::*;

fn unscoped(id: u64) -> Message {
    Message::new().uint(6, id)
}

fn local(id: u64) -> Message {
    Message::new().uint(10, id)
}

#[test]
fn slices_of_one_id_share_a_track_and_say_which_thread_wrote_them() {
    let trace = imported(
        described(),
        [
            legacy(10, 'b', "load", unscoped(5)),
            legacy(20, 'b', "load", unscoped(6)),
            legacy(25, 'n', "bytes", unscoped(5)),
            legacy(30, 'e', "load", unscoped(5)),
            legacy(40, 'e', "load", unscoped(6)),
            legacy(50, 'b', "load", local(5)),
            legacy(60, 'b', "scoped", unscoped(9).bytes(7, "mine")),
            legacy(70, 'b', "no id", Message::new()),
        ],
    );
    assert_eq!(
        trace.rows(SLICES),
        "\
ts  dur  depth  type                        track   name
10  20   0      legacy_async_global_slice   load    load
20  20   0      legacy_async_global_slice   load    load
25  0    1      legacy_async_global_slice   load    bytes
50  -1   0      legacy_async_process_slice  load    load
60  -1   0      legacy_async_global_slice   scoped  scoped
"
    );
    assert_eq!(
        trace.rows(
            "SELECT track.id, key, value_type AS type, int_value AS int, string_value AS string \
             FROM track JOIN args a ON a.arg_set_id IN (dimension_arg_set_id, source_arg_set_id) \
             WHERE type LIKE 'legacy%' AND track.name = 'scoped' ORDER BY track.id, a.id"
        ),
        "\
id  key                         type    int   string
3   scope                       string  NULL  cat:mine
3   name                        string  NULL  scoped
3   track_compressor_idx        int     0     NULL
3   source                      string  NULL  chrome
3   trace_id_is_process_scoped  bool    0     NULL
3   upid                        uint    1     NULL
3   source_scope                string  NULL  cat:mine
"
    );
    assert_eq!(
        trace.rows(
            "SELECT key, int_value AS int FROM slice s JOIN args a ON s.arg_set_id = a.arg_set_id \
             WHERE name = 'bytes' ORDER BY a.id"
        ),
        "\
key                            int
legacy_trace_source_id         5
legacy_event.passthrough_utid  2
"
    );
    assert_eq!(
        trace.rows(STATS),
        "name                       value\ntrack_event_parser_errors  1\n"
    );
}

/// The oldest form: slices do not nest by category but go by their names.
#[test]
fn steps_are_instants_that_say_what_they_are() {
    let trace = imported(
        described(),
        [
            legacy(10, 'S', "fetch", unscoped(1)),
            legacy(20, 'T', "fetch", unscoped(1)),
            legacy(30, 'F', "fetch", unscoped(1)),
        ],
    );
    assert_eq!(
        trace.rows(
            "SELECT ts, dur, string_value AS phase FROM slice s \
             JOIN args a ON s.arg_set_id = a.arg_set_id WHERE key = 'legacy_event.phase' ORDER BY ts"
        ),
        "\
ts  dur  phase
10  20   S
20  0    T
"
    );
}

/// A slice that one thread began and another ended names the first.
#[test]
fn the_thread_that_began_a_slice_is_its_writer() {
    const OTHER: u32 = 2;
    let thread = Message::new().int(1, 100).int(2, 105);
    let at = |sequence, ts, event| {
        Packet::new().sequence(sequence).timestamp(ts).flags(NEEDS_STATE).track_event(event)
    };
    let end = || TrackEvent::end(PROCESS);
    let named = |name| TrackEvent::begin(PROCESS).name(name);
    let extra = Annotation::named("end").int(1);
    let trace = imported(
        described(),
        [
            Packet::new()
                .sequence(OTHER)
                .flags(STATE_CLEARED)
                .first_on_sequence()
                .payload(44, thread),
            at(WRITER, 10, named("passed on")),
            at(OTHER, 20, end()),
            at(OTHER, 30, named("with details")),
            at(WRITER, 40, end().annotation(extra)),
            at(WRITER, 50, named("kept")),
            at(WRITER, 60, end()),
        ],
    );
    assert_eq!(
        trace.rows(
            "SELECT ts, dur, s.name, key, coalesce(tid, int_value) AS value FROM slice s \
             JOIN args a ON s.arg_set_id = a.arg_set_id LEFT JOIN thread \
             ON utid = int_value AND key = 'legacy_event.passthrough_utid' ORDER BY ts, key"
        ),
        "\
ts  dur  name          key                            value
10  10   passed on     legacy_event.passthrough_utid  101
30  10   with details  debug.end                      1
30  10   with details  legacy_event.passthrough_utid  105
50  10   kept          legacy_event.passthrough_utid  101
"
    );
}
