//! Typed messages, JSON and descriptors that are damaged: nothing of it may panic, hang or take
//! memory without end.

use tpq_testkit::mutate::mutate;
use tpq_testkit::random::Random;
use tpq_testkit::{Annotation, Message, Packet};

use super::{event, field, packets};

const CASES: u64 = 2_000;
/// The number of them in one trace.
const IN_ONE: u64 = 250;

fn message() -> Message {
    Message::new()
}

/// Events that are whole.
fn seeds() -> Vec<Vec<u8>> {
    let frame = message().message(8, message().message(8, message()).bytes(4, "a.example"));
    let info = message().message(4, frame).message(99, message().bytes(10, "a").int(4, 1));
    let deltas = message().packed(10, [5, 6]).fixed32(2, 7).bytes(13, [0; 8]).uint(15, 1);
    let json = Annotation::named("j").json(r#"{"a":[1,-2.5e3,{"b":"\u00e9"}],"c":null,"d":true}"#);
    let proto = message()
        .bytes(10, "p")
        .bytes(16, ".perfetto.protos.TrackEvent")
        .message(14, message().message(field::DEBUG_ANNOTATIONS, Annotation::named("x").int(1)));
    let nested = message().uint(1, 1).bytes(2, "k").message(3, message().int(5, 9));
    let nested = message().bytes(10, "n").message(8, nested);
    [
        message().message(field::FRAME_TREE_NODE_INFO, info),
        message().message(field::SCROLL_DELTAS, deltas).uint(field::CORRELATION_ID, 3),
        message().message(field::DEBUG_ANNOTATIONS, json),
        message()
            .message(field::DEBUG_ANNOTATIONS, proto)
            .message(field::DEBUG_ANNOTATIONS, nested),
        message().message(field::LOG_MESSAGE, message().uint(2, 1)),
    ]
    .map(Message::into_bytes)
    .into()
}

/// Descriptors that are whole.
fn set() -> Vec<u8> {
    let of_itself = message().bytes(1, "m").uint(3, 1).uint(4, 3).uint(5, 11).bytes(6, "M");
    let extension = message()
        .bytes(1, "m")
        .bytes(2, ".perfetto.protos.TrackEvent")
        .uint(3, 9000)
        .uint(4, 1)
        .uint(5, 11)
        .bytes(6, "M");
    let file = message().bytes(2, "p").message(4, message().bytes(1, "M").message(2, of_itself));
    message().message(1, message().message(1, file.message(7, extension))).into_bytes()
}

#[test]
fn damaged_messages_are_read_as_far_as_they_go() {
    let seeds = seeds();
    let seeds: Vec<&[u8]> = seeds.iter().map(Vec::as_slice).collect();
    let set = set();
    for first in (0..CASES).step_by(IN_ONE as usize) {
        let case = |number| {
            let random = &mut Random::new(number);
            let descriptor = Message::from_bytes(mutate(random, &[&set]));
            let descriptor = Packet::new().payload(field::EXTENSION_DESCRIPTOR, descriptor);
            let damaged = Message::from_bytes(mutate(random, &seeds));
            let whole = message().message(9000, message().message(1, message()));
            [descriptor, event(10 + number, damaged), event(10 + number, whole)]
        };
        let trace = packets((first..first + IN_ONE).flat_map(case));
        // Some of it is whole, and some is not.
        assert_ne!(trace.cell("SELECT count(*) FROM args"), "0");
        assert_ne!(trace.cell("SELECT sum(value) FROM stats WHERE severity = 'error'"), "0");
    }
}

#[test]
fn one_long_name_does_not_fill_the_memory() {
    let long = "n".repeat(1 << 20);
    let members: Vec<String> = (0..50_000).map(|index| format!("\"{index}\":1")).collect();
    let json = format!("{{\"{long}\":{{{}}}}}", members.join(","));
    let mut dict = Annotation::named(&long).int(1);
    for _ in 0..20 {
        dict = Annotation::named(&long).dict([dict]);
    }
    let annotations = message()
        .message(field::DEBUG_ANNOTATIONS, Annotation::named("j").json(&json))
        .message(field::DEBUG_ANNOTATIONS, dict);
    let trace = packets([event(10, annotations)]);
    let bytes: u64 = trace.cell("SELECT coalesce(sum(length(key)), 0) FROM args").parse().unwrap();
    assert!(bytes < 100 << 20, "{bytes} bytes of keys");
}
