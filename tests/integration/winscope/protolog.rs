//! Messages of ProtoLog with their viewer configuration.

use tpq_testkit::{Message, Packet};

use super::{at_with_state, field, import, interned, lines, stat};
use crate::imported::Imported;

const STRING_ARGS: u32 = 36;
const STACK_TRACES: u32 = 37;
const ROWS: &str = "SELECT ts, level, tag, message, stacktrace, location FROM protolog ORDER BY id";

/// A configuration with the group 1, `WM_TAG`, and messages by id, text and level.
fn config(messages: &[(u64, &str, u64)]) -> Packet {
    let group = Message::new().uint(1, 1).bytes(2, "WM_GROUP").bytes(3, "WM_TAG");
    let config = messages.iter().fold(Message::new().message(2, group), |config, message| {
        let &(id, text, level) = message;
        let message = Message::new().fixed64(1, id).bytes(2, text).uint(3, level).uint(4, 1);
        config.message(1, message.bytes(5, format!("Wm.java:{id}")))
    });
    Packet::new().sequence(2).payload(field::PROTOLOG_CONFIG, config)
}

fn message(ts: u64, message: Message) -> Packet {
    at_with_state(ts).payload(field::PROTOLOG_MESSAGE, message)
}

/// `sint64` 3 is written as 6, and -2 as 3.
#[test]
fn texts_have_their_parameters() {
    let trace = import([
        interned(&[(STRING_ARGS, 4, "app"), (STACK_TRACES, 5, "at Wm.run")]),
        message(
            10,
            Message::new()
                .fixed64(1, 77)
                .uint(2, 4)
                .uint(3, 6)
                .uint(3, 3)
                .double(4, 0.25)
                .int(5, 1)
                .uint(6, 5),
        ),
        message(20, Message::new().fixed64(1, 78)),
        // It is at the end, as recorders write it.
        config(&[(77, "%s: %d of %x, %f%% %b", 3), (78, "plain", 9)]),
    ]);
    assert_eq!(
        lines(&trace, ROWS),
        [
            "10 INFO WM_TAG app: 3 of fffffffffffffffe, 0.250000% true at Wm.run Wm.java:77",
            "20 UNKNOWN WM_TAG plain NULL Wm.java:78",
        ]
    );
    assert_eq!(trace.cell("SELECT count(*) FROM __intrinsic_protolog"), "2");
    assert_eq!(
        trace.cell("SELECT count(*) FROM stats WHERE name GLOB '*protolog*' AND value > 0"),
        "0"
    );
}

#[test]
fn what_is_missing_is_counted() {
    let trace = import([
        interned(&[(STRING_ARGS, 1, "first")]),
        config(&[(1, "%s and %s", 1), (2, "%d", 2)]),
        message(10, Message::new().fixed64(1, 1).uint(2, 1).uint(2, 9)),
        message(20, Message::new().fixed64(1, 2)),
        message(30, Message::new().fixed64(1, 2).uint(3, 2).uint(3, 2)),
        message(40, Message::new().fixed64(1, 3).uint(6, 8)),
        // A stack trace that was not sent takes the place of the second text, and has none here.
        message(50, Message::new().fixed64(1, 1).uint(2, 1).uint(6, 8)),
        message(60, Message::new().fixed64(1, 2).uint(3, 4).uint(6, 8)),
    ]);
    assert_eq!(
        lines(&trace, ROWS),
        [
            "10 DEBUG WM_TAG first and <ERROR> NULL Wm.java:1",
            "20 VERBOSE WM_TAG [MISSING_PARAM] NULL Wm.java:2",
            "30 VERBOSE WM_TAG 1 NULL Wm.java:2",
            "40 NULL NULL NULL NULL NULL",
            "50 DEBUG WM_TAG first and <ERROR> NULL Wm.java:1",
            "60 VERBOSE WM_TAG 2 NULL Wm.java:2",
        ]
    );
    let count = |name: &str| stat(&trace, &format!("winscope_protolog_{name}"));
    assert_eq!(count("missing_interned_arg_parse_errors"), "1");
    assert_eq!(count("missing_interned_stacktrace_parse_errors"), "3");
    assert_eq!(count("param_mismatch"), "3", "one is missing, and two have no place");
    assert_eq!(count("message_decoding_failed"), "1");
}

/// Ids are hashes: where two messages have one id, the types of the parameters can tell which one
/// was meant.
#[test]
fn messages_of_one_id() {
    let other_group = Message::new().uint(1, 1).bytes(3, "OTHER");
    let other_group = Message::new().message(2, other_group);
    let no_group = Message::new().fixed64(1, 6).bytes(2, "alone").uint(3, 6).uint(4, 40);
    let trace = import([
        interned(&[(STRING_ARGS, 1, "unused")]),
        config(&[(5, "number %d", 4), (5, "flag %b", 5), (5, "count %d", 4)]),
        // The same again is no collision.
        config(&[(5, "number %d", 4)]),
        Packet::new().sequence(2).payload(field::PROTOLOG_CONFIG, other_group),
        Packet::new()
            .sequence(2)
            .payload(field::PROTOLOG_CONFIG, Message::new().message(1, no_group)),
        message(10, Message::new().fixed64(1, 5).int(5, 0)),
        message(20, Message::new().fixed64(1, 5).uint(3, 4)),
        message(30, Message::new().fixed64(1, 5)),
        message(40, Message::new().fixed64(1, 6)),
    ]);
    assert_eq!(
        lines(&trace, ROWS),
        [
            "10 ERROR COLLISION_GROUP flag false NULL Wm.java:5",
            "20 WARN COLLISION_GROUP <PROTOLOG COLLISION (id=0x5) MULTIPLE TYPE MATCHES : \
             'number 2',\n 'count 2'> NULL NULL",
            "30 WARN COLLISION_GROUP <PROTOLOG COLLISION (id=0x5) NO TYPE MATCH> NULL NULL",
            "40 WTF UNKNOWN_GROUP alone NULL NULL",
        ]
    );
    let count = |name: &str| stat(&trace, &format!("winscope_protolog_{name}"));
    assert_eq!(count("message_collision"), "2");
    assert_eq!(count("message_collision_resolved"), "1");
    assert_eq!(count("group_tag_collision"), "1");
    assert_eq!(count("group_tag_missing"), "1");
}

/// A few bytes can refer to long texts as often as they like.
#[test]
fn long_texts_are_cut_off() {
    let long = "ä".repeat(10_000);
    let trace = import([
        interned(&[(STRING_ARGS, 1, &long)]),
        config(&[(1, "%s%s", 1)]),
        message(10, Message::new().fixed64(1, 1).uint(2, 1).uint(2, 1)),
    ]);
    assert_eq!(trace.cell("SELECT length(message) FROM protolog"), "8192", "of two bytes each");
    assert_eq!(stat(&trace, "winscope_protolog_message_decoding_failed"), "1");
}

/// A file that has no such packets has the table all the same.
#[test]
fn no_messages() {
    let trace: Imported = import([]);
    assert_eq!(trace.cell("SELECT count(*) FROM protolog"), "0");
}
