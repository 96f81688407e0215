//! Messages of protobuf.

use crate::Message;

pub(super) fn pprof() -> Vec<u8> {
    let profile = Message::new()
        .message(1, Message::new().uint(1, 1).uint(2, 2))
        .message(2, Message::new().bytes(1, [2, 1]).bytes(2, [5, 6]))
        .message(2, Message::new().uint(1, 1).uint(2, 7))
        .message(3, Message::new().uint(1, 1).uint(2, 0x1000).uint(3, 0x9000).uint(5, 3).uint(6, 4))
        .message(
            4,
            Message::new()
                .uint(1, 1)
                .uint(2, 1)
                .uint(3, 0x1234)
                .message(4, Message::new().uint(1, 1)),
        )
        .message(4, Message::new().uint(1, 2).uint(3, 0x77))
        .message(5, Message::new().uint(1, 1).uint(2, 3).uint(4, 3).uint(5, 9));
    let strings = ["", "cpu", "ns", "main", "abcd"];
    strings.iter().fold(profile, |profile, text| profile.bytes(6, text.as_bytes())).into_bytes()
}

pub(super) fn simpleperf() -> Vec<u8> {
    let entry = Message::new().uint(1, 0x20).uint(2, 0).int(3, 1);
    let records = [
        Message::new().message(1, Message::new().uint(1, 2_000).uint(2, 71).message(3, entry)),
        Message::new()
            .message(3, Message::new().uint(1, 0).bytes(2, "/app").bytes(3, "main").bytes(3, "f")),
        Message::new().message(4, Message::new().uint(1, 71).uint(2, 70).bytes(3, "worker")),
        Message::new().message(2, Message::new().uint(1, 3).uint(2, 9)),
    ];
    let mut bytes = b"SIMPLEPERF\x01\x00".to_vec();
    for record in records {
        bytes.extend((record.as_bytes().len() as u32).to_le_bytes());
        bytes.extend(record.as_bytes());
    }
    bytes.extend([0; 4]);
    bytes
}

pub(super) fn otlp() -> Message {
    let attribute = |key: &str, value: Message| Message::new().bytes(1, key).message(2, value);
    let list = Message::new()
        .message(1, Message::new().bytes(1, "a\"b"))
        .message(1, Message::new().uint(3, 7));
    let span = Message::new()
        .bytes(1, [0xaa; 16])
        .bytes(2, [1; 8])
        .bytes(5, "order")
        .fixed64(7, 1_000)
        .fixed64(8, 1_900)
        .message(9, attribute("thread.id", Message::new().uint(3, 71)))
        .message(9, attribute("list", Message::new().message(5, list)))
        .message(9, attribute("real", Message::new().fixed64(4, 1)))
        .message(11, Message::new().fixed64(1, 1_200).bytes(2, "event"))
        .message(15, Message::new().bytes(2, "well").uint(3, 1));
    let service = attribute("service.name", Message::new().bytes(1, "shop"));
    Message::new().message(
        1,
        Message::new()
            .message(1, Message::new().message(1, service))
            .message(2, Message::new().message(2, span)),
    )
}

/// A message with its size before it, twice.
pub(super) fn sized(bytes: &[u8]) -> Vec<u8> {
    let size = (bytes.len() as u32).to_be_bytes();
    [&size[..], bytes, &size, bytes].concat()
}

pub(super) fn primes() -> Vec<u8> {
    let time = |nanos| Message::new().uint(1, 2).uint(2, nanos);
    let edge = |id: u64, nanos| Message::new().uint(1, id).message(2, time(nanos));
    let details = Message::new().bytes(1, "load").uint(4, 9);
    let child = Message::new().bytes(1, "parse").uint(2, 1).uint(3, 1).uint(4, 9);
    let edges = [
        edge(1, 100).message(3, Message::new().message(1, details).uint(8, 7).bytes(6, "main")),
        edge(2, 200).message(3, Message::new().message(1, child.clone())),
        edge(3, 250).message(5, Message::new().message(1, child)),
        edge(2, 400).message(4, Message::new()),
        edge(1, 600).message(4, Message::new()),
    ];
    let trace = Message::new().fixed64(1, 5).bytes(2, "app").message(4, time(0));
    edges.into_iter().fold(trace, |trace, edge| trace.message(7, edge)).into_bytes()
}
