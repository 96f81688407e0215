//! Heaps: dumps of Java objects and profiles of allocations.

use tpq_testkit::{ClockSnapshot, Packet, TraceBuilder};

use super::{message, string};
use crate::bases::{Base, plain};

pub fn bases() -> Vec<Base> {
    let class = |id: u64, name: &str| message().uint(1, id).bytes(3, name).uint(7, 1);
    let object = |id: u64, class: u64| message().uint(1, id).uint(2, class).uint(3, 24);
    let dump = message()
        .uint(1, 7)
        .message(4, string(1, "a.A a.A.next"))
        .message(8, string(1, "/data/app/base.apk"))
        .message(9, class(1, "a.A").uint(2, 1).packed(6, [1]))
        .message(9, class(2, "java.lang.Class<a.A>").uint(5, 1))
        .message(2, object(10, 1).packed(4, [1]).packed(5, [11]))
        .message(2, object(11, 1).packed(5, [10, 12]))
        .message(2, object(12, 2).uint(6, 100))
        .message(7, message().packed(1, [10]).uint(2, 1));
    let mapping = message().uint(1, 1).uint(2, 1).uint(4, 100).uint(5, 200).packed(7, [1]);
    let frame = |id: u64| message().uint(1, id).uint(2, id).uint(3, 1).uint(4, 16);
    let sample = message().uint(1, 1).uint(2, 64).uint(3, 8).uint(5, 4).uint(6, 1);
    let heap = message().uint(1, 7).uint(9, 4_500).bytes(11, "malloc").message(2, sample);
    let profile = message()
        .uint(7, 0)
        .message(1, string(1, "main"))
        .message(1, string(2, "f"))
        .message(4, mapping)
        .message(2, frame(1))
        .message(2, frame(2))
        .message(3, message().uint(1, 1).packed(2, [1, 2]))
        .message(5, heap);
    let oome = message().int(1, 7).int(2, 10).bytes(3, "app").uint(5, 64).uint(6, 8);
    let oome = oome.message(9, message().message(1, message().bytes(1, "a.A.run").int(3, 4)));
    let packet =
        |at, field, payload| Packet::new().sequence(2).timestamp(at).payload(field, payload);
    let packets = [
        Packet::new()
            .sequence(9)
            .clock_snapshot(ClockSnapshot::new().clock(6, 5_000).clock(4, 4_000)),
        packet(10, 56, dump.clone().bool(5, true)),
        packet(10, 56, dump.uint(6, 1)),
        packet(20, 37, profile),
        packet(30, 131, oome),
    ];
    vec![plain("heaps", TraceBuilder::new().packets(packets).build())]
}
