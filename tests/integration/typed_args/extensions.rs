//! Fields that only descriptors in the trace declare.

use tpq_testkit::{Message, Packet, gzip};

use super::{ARGS, COUNTS, event, field, lines, packets};

const OPTIONAL: u64 = 1;
const REPEATED: u64 = 3;
const INT64: u64 = 3;
const STRING: u64 = 9;
const MESSAGE: u64 = 11;
const ENUM: u64 = 14;

/// The number of the extension that [`set`] declares.
const PROBE: u32 = 9000;

fn message() -> Message {
    Message::new()
}

/// A `FieldDescriptorProto`.
fn declared(name: &str, number: u32, label: u64, wire_type: u64) -> Message {
    message().bytes(1, name).uint(3, number.into()).uint(4, label).uint(5, wire_type)
}

/// A `FileDescriptorSet`: an extension of track events, `probe`, of a type of its own.
fn set() -> Message {
    let level = message().bytes(1, "Level").message(2, message().bytes(1, "HIGH").uint(2, 2));
    let probe = message()
        .bytes(1, "Probe")
        .message(2, declared("label", 1, OPTIONAL, STRING))
        .message(2, declared("level", 2, OPTIONAL, ENUM).bytes(6, "Level"))
        .message(2, declared("inner", 3, REPEATED, MESSAGE).bytes(6, ".my.lib.Probe"))
        .message(4, level);
    let extension = declared("probe", PROBE, OPTIONAL, MESSAGE)
        .bytes(2, ".perfetto.protos.TrackEvent")
        .bytes(6, "Probe");
    let file = message().bytes(1, "probe.proto").bytes(2, "my.lib");
    message().message(1, file.message(4, probe).message(7, extension))
}

fn descriptor(field: u32, set: impl AsRef<[u8]>) -> Packet {
    Packet::new().payload(field::EXTENSION_DESCRIPTOR, message().bytes(field, set))
}

fn probe() -> Message {
    let inner = message().bytes(1, "in").message(3, message().uint(2, 9));
    message().message(PROBE, message().bytes(1, "out").uint(2, 2).message(3, inner))
}

const PROBED: [&str; 4] = [
    "probe.label string out",
    "probe.level string HIGH",
    "probe.inner[0].label string in of probe.inner.label",
    "probe.inner[0].inner[0].level string 9 of probe.inner.inner.level",
];

#[test]
fn a_trace_can_describe_its_own_fields_before_the_events_or_after() {
    let set = set().into_bytes();
    for described in [descriptor(1, &set), descriptor(2, gzip(&set))] {
        let before = packets([described.clone(), event(10, probe())]);
        assert_eq!(lines(&before, ARGS), PROBED);
        assert!(lines(&before, COUNTS).is_empty());
        let after = packets([event(10, probe()), described]);
        assert_eq!(lines(&after, ARGS), PROBED);
    }
}

#[test]
fn undescribed_fields_are_counted() {
    let trace = packets([event(10, probe()), event(20, probe().uint(9001, 1))]);
    assert!(lines(&trace, ARGS).is_empty());
    assert_eq!(lines(&trace, COUNTS), ["unknown_extension_fields 3"]);
}

#[test]
fn messages_that_are_known_can_gain_fields() {
    let file = message().bytes(2, "perfetto.protos").message(
        4,
        message().bytes(1, "ChromeTaskAnnotator").message(2, declared("note", 70, OPTIONAL, INT64)),
    );
    let annotator = message().uint(1, 7).int(70, -1);
    let fields = message().message(field::CHROME_TASK_ANNOTATOR, annotator);
    let trace = packets([descriptor(1, message().message(1, file).as_bytes()), event(10, fields)]);
    assert_eq!(
        lines(&trace, ARGS),
        ["chrome_task_annotator.ipc_hash uint 7", "chrome_task_annotator.note int -1"]
    );
}

#[test]
fn extensions_are_scoped_to_a_file() {
    use crate::imported::{Imported, recording};
    let described = recording().packets([descriptor(1, set().as_bytes()), event(10, probe())]);
    let other = recording().packet(event(20, probe()));
    let (described, other) = (described.build(), other.build());
    let trace = Imported::files(&[("a", &described), ("b", &other)]);
    assert_eq!(lines(&trace, ARGS), PROBED);
    assert_eq!(lines(&trace, COUNTS), ["unknown_extension_fields 1"]);
}

#[test]
fn descriptors_that_are_damaged_are_counted() {
    let set = set().into_bytes();
    let gzipped = gzip(&set);
    for damaged in [
        descriptor(1, &set[..set.len() / 2]),
        descriptor(2, &gzipped[..gzipped.len() / 2]),
        descriptor(2, b"no gzip"),
    ] {
        let trace = packets([damaged, event(10, message())]);
        assert_eq!(lines(&trace, COUNTS), ["malformed_packets 1"]);
    }
}

#[test]
fn a_message_of_an_undescribed_type_ends_its_event() {
    let extension = |name, number| {
        declared(name, number, OPTIONAL, MESSAGE)
            .bytes(2, ".perfetto.protos.TrackEvent")
            .bytes(6, "Gone")
    };
    let file = message().bytes(2, "my").message(7, extension("gone", 9100));
    let known = message().message(field::CHROME_USER_EVENT, message().bytes(1, "a"));
    let fields = known.message(9100, message().uint(1, 1)).message(field::SCREENSHOT, message());
    let trace = packets([descriptor(1, message().message(1, file).as_bytes()), event(10, fields)]);
    assert_eq!(lines(&trace, ARGS), ["chrome_user_event.action string a"]);
    assert_eq!(lines(&trace, COUNTS), ["malformed_packets 1", "track_event_parser_errors 1"]);
}

#[test]
fn messages_in_themselves_end_somewhere() {
    let mut inner = message().bytes(1, "deep");
    for _ in 0..500 {
        inner = message().message(3, inner);
    }
    let fields = message().message(PROBE, inner);
    let trace = packets([descriptor(1, set().as_bytes()), event(10, fields)]);
    assert!(lines(&trace, ARGS).is_empty());
    assert_eq!(lines(&trace, COUNTS), ["track_event_parser_errors 1"]);
}

#[test]
fn huge_descriptors_are_bounded() {
    let extension = |number: u32| {
        declared("n", number, OPTIONAL, STRING).bytes(2, ".perfetto.protos.TrackEvent")
    };
    let mut file = message().bytes(2, "my");
    for number in 0..300_000 {
        file = file.message(7, extension(10_000 + number));
    }
    let long = declared(&"n".repeat(10_000), 9500, OPTIONAL, STRING);
    file = file.message(7, long.bytes(2, ".perfetto.protos.TrackEvent"));
    let fields = message().bytes(10_000, "first").bytes(309_999, "last").bytes(9500, "long");
    let trace = packets([descriptor(1, message().message(1, file).as_bytes()), event(10, fields)]);
    assert_eq!(lines(&trace, ARGS), ["n string first"]);
    assert_eq!(lines(&trace, COUNTS), ["malformed_packets 1", "unknown_extension_fields 2"]);
}
