//! Typed messages, annotations and descriptors of track events.

use tpq_testkit::{Annotation, Message, Packet, TraceBuilder, TrackDescriptor};

use super::{interned, message, packet, string};
use crate::bases::{Base, plain};

const TRACK_EVENT: u32 = 11;
const ANNOTATIONS: u32 = 4;

/// A set of descriptors with a message that extends track events.
fn descriptors() -> Message {
    let of_itself = message().bytes(1, "m").uint(3, 1).uint(4, 3).uint(5, 11).bytes(6, "M");
    let extension = message()
        .bytes(1, "m")
        .bytes(2, ".perfetto.protos.TrackEvent")
        .uint(3, 9000)
        .uint(4, 1)
        .uint(5, 11)
        .bytes(6, "M");
    let file = message().bytes(2, "p").message(4, message().bytes(1, "M").message(2, of_itself));
    message().message(1, message().message(1, file.message(7, extension)))
}

pub fn bases() -> Vec<Base> {
    let frame = message().message(8, message().message(8, message()).bytes(4, "a.example"));
    let info = message().message(4, frame).message(99, message().bytes(10, "a").int(4, 1));
    let deltas = message().packed(10, [5, 6]).fixed32(2, 7).bytes(13, [0; 8]).uint(15, 1);
    let json = Annotation::named("j").json(r#"{"a":[1,-2.5e3,{"b":"\u00e9"}],"c":null,"d":true}"#);
    let proto = message()
        .bytes(10, "p")
        .bytes(16, ".perfetto.protos.TrackEvent")
        .message(14, message().message(ANNOTATIONS, Annotation::named("x").int(1)));
    let nested = message().uint(1, 1).bytes(2, "k").message(3, message().int(5, 9));
    let nested = message().bytes(10, "n").message(8, nested);
    let fields = [
        message().message(1010, info),
        message().message(1047, deltas).uint(52, 3),
        message().message(ANNOTATIONS, json).message(ANNOTATIONS, message().uint(1, 1).int(4, 7)),
        message().message(ANNOTATIONS, proto).message(ANNOTATIONS, nested),
        message().message(21, message().uint(2, 1)).uint(34, 1),
        message().message(9000, message().message(1, message())),
    ];
    let data = message().message(3, string(1, "key")).message(4, string(1, "file.cc"));
    let events = (10..).zip(fields).map(|(at, fields)| {
        let mut event = message().uint(9, 3).uint(11, 7).into_bytes();
        event.extend(fields.into_bytes());
        packet(at, TRACK_EVENT, Message::from_bytes(event))
    });
    let trace = TraceBuilder::new()
        .packet(interned(data))
        .packet(Packet::new().payload(72, descriptors()))
        .packet(
            Packet::new().sequence(1).track_descriptor(TrackDescriptor::new(7).thread(1, 2, "t")),
        )
        .packets(events);
    vec![plain("typed_args", trace.build())]
}
