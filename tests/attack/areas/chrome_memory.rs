//! Memory snapshots of Chrome.

use tpq_testkit::{Message, TraceBuilder};

use super::{message, packet, string};
use crate::bases::{Base, plain};

fn node(id: u64, path: &str, size: u64) -> Message {
    message().uint(1, id).bytes(2, path).uint(4, size)
}

fn edge(source: u64, target: u64, importance: u64) -> Message {
    message().uint(1, source).uint(2, target).uint(3, importance)
}

pub fn bases() -> Vec<Base> {
    let entry = message().bytes(1, "count").uint(2, 2).uint(3, 7);
    let text = message().bytes(1, "kind").bytes(4, "text");
    let first = message()
        .uint(1, 10)
        .message(2, node(1, "malloc", 100).message(5, entry).message(5, text))
        .message(2, node(2, "malloc/objects", 60))
        .message(2, node(3, "shared_memory/a", 50))
        .message(2, node(9, "global/a", 50))
        .message(3, edge(3, 9, 1));
    let second = message()
        .uint(1, 20)
        .message(2, node(4, "shared_memory/a", 40))
        .message(2, node(5, "gpu/b", 7))
        .message(2, node(6, "gpu/c", 9))
        .message(3, edge(4, 9, 2))
        .message(3, edge(5, 6, 0));
    let snapshot = message().uint(1, 1).uint(2, 1).message(3, first).message(3, second.clone());
    let legacy = message()
        .message(2, string(1, "fact"))
        .bytes(4, "# tracer: nop\n")
        .message(5, message().uint(1, 0).bytes(2, "{}"));
    let packets = [
        packet(10, 73, snapshot.clone()),
        packet(20, 73, snapshot),
        packet(20, 73, message().message(3, second)),
        packet(30, 5, legacy),
    ];
    vec![plain("memory snapshots", TraceBuilder::new().packets(packets).build())]
}
