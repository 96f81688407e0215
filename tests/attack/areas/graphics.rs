//! Graphics: frames, counters, stages and memory of GPUs, and kernel events of drivers.

use tpq_testkit::{FtraceBundle, FtraceEvent, Packet, TraceBuilder};

use super::{interned, message, packet, string};
use crate::bases::{Base, plain};

pub fn bases() -> Vec<Base> {
    let spec = message().uint(1, 1).bytes(2, "busy").uint(10, 2);
    let counters = message().message(1, spec).message(6, message().uint(1, 9).uint(4, 1));
    let data = message()
        .message(2, string(7, "draw"))
        .message(5, string(3, "vkAllocateMemory"))
        .message(22, string(1, "usage"))
        .message(23, message().uint(1, 5).uint(2, 77).uint(3, 2))
        .message(24, string(1, "Graphics").bytes(3, "Draws"))
        .message(24, string(2, "Fragment").uint(4, 1))
        .message(47, message().uint(1, 3).message(2, counters))
        .message(1000, string(3, "kernel"))
        .message(1001, string(6, "registers"));
    let stage = message().uint(1, 2).uint(2, 5).uint(13, 1).uint(14, 2).uint(5, 5);
    let stage = stage.packed(15, [5, 1]).packed(18, [1, 2, 3]).uint(19, 3);
    let memory = message().uint(1, 3).uint(2, 1).uint(3, 30).uint(4, 7).uint(6, 4096);
    let memory = memory.message(9, message().uint(1, 1).int(2, 5)).uint(7, 3);
    let submit = message().uint(1, 5).uint(2, 7).uint(5, 1).uint(5, 2).uint(6, 3);
    let name = message().uint(3, 24).uint(4, 8).bytes(5, "target");
    let expected = message().int(1, 1).int(2, 2).int(3, 4).int(4, 7);
    let actual = message().int(1, 3).int(2, 2).int(3, 5).int(4, 7).bytes(5, "layer").int(9, 64);
    let buffer = message().uint(1, 7).uint(2, 2).bytes(3, "layer").uint(5, 3);
    let value = message().uint(4, 3).message(2, message().uint(1, 1).int(2, 5));
    let info = message().message(1, message().bytes(1, "gpu").bytes(2, "maker").uint(4, 1));
    let kernel = [
        (536, message().uint(1, 4).uint(2, 7).uint(3, 1_000)),
        (537, message().uint(1, 4).uint(2, 7).uint(6, 1_192).uint(7, 1_384)),
        (488, message().uint(1, 0).uint(2, 10).uint(3, 5).uint(4, 9).uint(5, 2)),
        (13, message().uint(1, 2).uint(2, 1)),
    ];
    let kernel = (1..).zip(kernel).fold(FtraceBundle::new(0), |bundle, (at, (kind, event))| {
        bundle.event(FtraceEvent::other(100 * at, 9, kind, event))
    });
    let packets = [
        interned(data),
        packet(20, 53, stage),
        packet(30, 62, memory),
        packet(31, 65, message().message(1, name)),
        packet(32, 65, message().message(2, submit)),
        packet(33, 63, message().uint(1, 2).bytes(2, "tag").bytes(3, "text")),
        packet(34, 52, value),
        packet(35, 76, message().message(1, expected.clone())),
        packet(36, 76, message().message(2, expected)),
        packet(37, 76, message().message(4, actual)),
        packet(38, 76, message().message(5, message().int(1, 1))),
        packet(39, 57, message().message(1, buffer)),
        packet(40, 71, message().uint(1, 0).uint(2, 7).uint(3, 4096)),
        packet(41, 128, info),
        packet(42, 129, message().uint(1, 0).uint(2, 500_000)),
        Packet::new().sequence(2).ftrace(kernel),
    ];
    vec![plain("graphics", TraceBuilder::new().packets(packets).build())]
}
