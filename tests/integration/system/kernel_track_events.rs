//! Kernel events that the trace describes itself, with fields that make them slices or
//! counters.

use tpq_testkit::{FtraceBundle, FtraceEvent, Message, Packet};

use super::{COUNTERS, DIMENSIONS, SLICES, packets};
use crate::imported::{Imported, STATS};

/// Protobuf's numbers of types.
const INT64: u64 = 3;
const TEXT: u64 = 9;
const MESSAGE: u64 = 11;

/// The description of events in field `number`: name, number and type of each of their fields.
fn kind(number: i64, name: &str, fields: &[(&str, u64, u64)]) -> Message {
    let kind = fields.iter().fold(Message::new().bytes(1, name), |kind, &(name, number, of)| {
        kind.message(2, Message::new().bytes(1, name).uint(3, number).uint(5, of))
    });
    Message::new().int(1, number).bytes(2, kind.as_bytes())
}

/// Events of thread 500, with the descriptions of their kinds.
fn imported(
    kinds: impl IntoIterator<Item = Message>,
    events: impl IntoIterator<Item = (u64, u32, Message)>,
) -> Imported {
    let bundle = events.into_iter().fold(FtraceBundle::new(0), |bundle, (at, field, event)| {
        bundle.event(FtraceEvent::other(at, 500, field, event))
    });
    let bundle =
        kinds.into_iter().fold(Message::from(bundle), |bundle, kind| bundle.message(11, kind));
    packets([Packet::new().sequence(1).ftrace(FtraceBundle::from(bundle))])
}

fn slice(phase: u8, name: &str) -> Message {
    Message::new().uint(1, phase.into()).bytes(2, name)
}

#[test]
fn slices() {
    let fields = [("track_event_type", 1, INT64), ("slice_name", 2, TEXT)];
    let on = |more| [fields[0], fields[1], more];
    let trace = imported(
        [
            kind(70_000, "work", &fields),
            kind(70_001, "on_cpu", &on(("context_cpu", 3, INT64))),
            kind(70_002, "of_process", &on(("context_tgid", 3, INT64))),
            kind(70_003, "named", &on(("track_name", 3, TEXT))),
            // The owner of its tracks is unknown.
            kind(70_004, "of_device", &on(("context_device", 3, INT64))),
        ],
        [
            (10, 70_000, slice(b'B', "outer")),
            (12, 70_000, slice(b'I', "instant")),
            (15, 70_000, slice(b'E', "")),
            (20, 70_001, slice(b'B', "busy").int(3, 2)),
            (25, 70_001, slice(b'E', "").int(3, 2)),
            (30, 70_002, slice(b'I', "here").int(3, 600)),
            (40, 70_003, slice(b'I', "there").bytes(3, "lane")),
            (50, 70_004, slice(b'I', "nowhere").int(3, 1)),
        ],
    );
    assert_eq!(
        trace.rows(SLICES),
        "\
ts  dur  type                             track       name     category
10  5    kernel_trackevent_thread_slice   work        outer    NULL
12  0    kernel_trackevent_thread_slice   work        instant  NULL
20  5    kernel_trackevent_cpu_slice      on_cpu      busy     NULL
30  0    kernel_trackevent_process_slice  of_process  here     NULL
40  0    kernel_trackevent_thread_slice   lane        there    NULL
"
    );
    // The recording has a process with two threads; thread 500 and process 600 follow.
    assert_eq!(
        trace.rows(DIMENSIONS),
        "\
type                             name        key   value_type  int_value  string_value
kernel_trackevent_thread_slice   work        utid  int         3          NULL
kernel_trackevent_thread_slice   work        name  string      NULL       work
kernel_trackevent_cpu_slice      on_cpu      cpu   int         2          NULL
kernel_trackevent_cpu_slice      on_cpu      name  string      NULL       on_cpu
kernel_trackevent_process_slice  of_process  upid  int         2          NULL
kernel_trackevent_process_slice  of_process  name  string      NULL       of_process
kernel_trackevent_thread_slice   lane        utid  int         3          NULL
kernel_trackevent_thread_slice   lane        name  string      NULL       lane
"
    );
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
}

#[test]
fn counters() {
    let fields = [("track_name", 1, TEXT), ("value", 2, INT64)];
    let event = |value| Message::new().bytes(1, "depth").int(2, value);
    let trace = imported(
        [
            kind(70_000, "count", &fields),
            kind(70_001, "of_process", &[fields[0], fields[1], ("context_tgid", 3, INT64)]),
            kind(70_002, "on_cpu", &[fields[0], fields[1], ("context_cpu", 3, INT64)]),
        ],
        [
            (10, 70_000, event(-4)),
            (20, 70_001, event(5).int(3, 600)),
            (30, 70_002, event(6).int(3, 2)),
        ],
    );
    assert_eq!(
        trace.rows(COUNTERS),
        "\
ts  type                               name   value
10  kernel_trackevent_thread_counter   depth  -4.0
20  kernel_trackevent_process_counter  depth  5.0
30  kernel_trackevent_cpu_counter      depth  6.0
"
    );
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
}

#[test]
fn errors_are_counted() {
    let slices = [("track_event_type", 1, INT64), ("slice_name", 2, TEXT)];
    let counter = [("track_name", 1, TEXT), ("value", 2, INT64)];
    let trace = imported(
        [
            kind(70_000, "slices", &slices),
            // The first description stands.
            kind(70_000, "again", &counter),
            kind(70_001, "counter", &counter),
            // No event has this many fields, and there is no such type.
            kind(70_002, "many", &[("value", 32, INT64)]),
            kind(70_003, "odd", &[("value", 1, 19)]),
            kind(70_004, "odd", &[("value", 1, MESSAGE)]),
        ],
        [
            (10, 70_000, slice(b'X', "no such phase")),
            (11, 70_000, Message::new().uint(1, b'B'.into())),
            (12, 70_000, Message::new().bytes(2, "no phase")),
            (13, 70_001, Message::new().bytes(1, "no value")),
            (14, 70_001, Message::new().int(2, 1)),
            (15, 70_000, slice(b'I', "right")),
        ],
    );
    assert_eq!(
        trace.rows("SELECT ts, name FROM slice"),
        "\
ts  name
15  right
"
    );
    assert_eq!(trace.rows("SELECT count(*) AS n FROM counter"), "n\n0\n");
    assert_eq!(
        trace.rows(STATS),
        "\
name                              machine  file  value
ftrace_generic_descriptor_errors  0        0     2
kernel_trackevent_format_error    0        0     5
"
    );
}
