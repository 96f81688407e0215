//! Call stacks of slices.

use tpq_testkit::{Message, Packet, TrackDescriptor};

use super::{LOST, begin, later, stacks, trace};
use crate::imported::Imported;

const TRACK_EVENT: u32 = 11;
const TRACK: u64 = 7;

const CALLSTACKS: &str = "SELECT c.id, s.ts, s.name, c.track_id = s.track_id AS same, \
    callsite_id AS callsite, end_callsite_id AS \"end\", weight \
    FROM __intrinsic_track_event_callstacks c JOIN slice s ON s.id = c.slice_id ORDER BY c.id";

/// An event: 1 begins a slice, 2 ends one, 3 is an instant.
fn event(at: u64, kind: u64, name: &str, more: impl FnOnce(Message) -> Message) -> Packet {
    let event = Message::new().uint(9, kind).uint(11, TRACK).bytes(23, name);
    later(at, 1).payload(TRACK_EVENT, more(event))
}

/// A stack that is written out.
fn inline(functions: &[&str]) -> Message {
    functions.iter().fold(Message::new(), |stack, function| {
        stack.message(1, Message::new().bytes(1, function).bytes(2, "a.cc").uint(3, 5))
    })
}

fn imported() -> Imported {
    let track = TrackDescriptor::new(TRACK).thread(100, 101, "worker");
    trace([
        begin(1, stacks(), Message::new()),
        later(1, 1).track_descriptor(track),
        event(10, 1, "outer", |it| it.uint(56, 1)),
        event(20, 1, "inner", |it| it.message(55, inline(&["main", "run"])).double(57, 2.5)),
        event(30, 2, "inner", |it| it.message(55, inline(&["main"]))),
        event(40, 3, "instant", |it| it.uint(56, 3)),
        event(50, 2, "outer", |it| it),
        event(60, 1, "plain", |it| it),
        event(70, 2, "plain", |it| it.uint(56, 1).double(57, 1.0)),
        // Stack 9 was never sent, and a stack has frames.
        event(80, 3, "lost", |it| it.uint(56, 9)),
        event(90, 3, "empty", |it| it.message(55, Message::new())),
    ])
}

#[test]
fn stacks_at_begin_and_end() {
    let imported = imported();
    assert_eq!(
        imported.rows(CALLSTACKS),
        "\
id  ts  name     same  callsite  end   weight
0   10  outer    1     1         NULL  NULL
1   20  inner    1     3         2     2.5
2   40  instant  1     0         NULL  NULL
3   60  plain    1     NULL      1     1.0
"
    );
    // Interned stacks are of the process of the thread.
    let sql = "SELECT c.id, f.name, m.name AS mapping, depth FROM stack_profile_callsite c \
        JOIN stack_profile_frame f ON f.id = frame_id JOIN stack_profile_mapping m ON m.id = mapping \
        ORDER BY c.id";
    assert_eq!(
        imported.rows(sql),
        "\
id  name    mapping              depth
0   main    /system/lib/libc.so  0
1   malloc  /system/lib/libc.so  1
2   main    track_event_inline   0
3   run     track_event_inline   1
"
    );
    assert_eq!(
        imported.rows(LOST),
        "\
name                               idx   value
interned_data_tokenizer_errors     NULL  1
stackprofile_invalid_callstack_id  NULL  1
track_event_parser_errors          NULL  2
"
    );
    // The events are there all the same, and stacks are no arguments.
    assert_eq!(imported.rows("SELECT count(*) AS n FROM slice"), "n\n6\n");
    assert_eq!(
        imported.rows("SELECT count(*) AS n FROM args WHERE flat_key LIKE '%call%'"),
        "n\n0\n"
    );
}
