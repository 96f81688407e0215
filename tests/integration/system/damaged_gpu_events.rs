//! Damaged packets of GPUs, and damaged kernel events of graphics and networks: they may be
//! skipped and counted, but must not panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tpq::ImportOptions;
use tpq_testkit::mutate::mutate;
use tpq_testkit::random::Random;
use tpq_testkit::{FtraceBundle, FtraceEvent, Message, Packet, STATE_CLEARED, TraceBuilder};

const MUTATIONS: u64 = 1_500;

fn interned() -> Packet {
    let named = |iid, name: &str| Message::new().uint(1, iid).bytes(2, name);
    let spec = Message::new().uint(1, 1).bytes(2, "busy").uint(10, 2);
    let counters = Message::new().message(1, spec).message(6, Message::new().uint(1, 9).uint(4, 1));
    let arg = Message::new().uint(1, 6).uint(4, 128);
    let data = Message::new()
        .message(2, named(7, "draw"))
        .message(5, named(3, "vkAllocateMemory"))
        .message(22, named(1, "usage"))
        .message(23, Message::new().uint(1, 5).uint(2, 77).uint(3, 2))
        .message(24, named(1, "Graphics").bytes(3, "Draws"))
        .message(24, named(2, "Fragment").uint(4, 1))
        .message(29, named(4, "text"))
        .message(47, Message::new().uint(1, 3).message(2, counters))
        .message(1000, named(3, "kernel").message(5, arg))
        .message(1001, named(6, "registers"));
    Packet::new().sequence(1).flags(STATE_CLEARED).payload(12, data)
}

fn packet(at: u64, field: u32, payload: Message) -> Packet {
    Packet::new().sequence(1).timestamp(at).payload(field, payload)
}

fn stages() -> [Packet; 3] {
    let named = |name: &str| Message::new().bytes(1, name).bytes(2, name);
    let specifications = Message::new()
        .message(1, Message::new().uint(1, 8).uint(2, 42))
        .message(2, named("vertex"))
        .message(3, named("bin"));
    let launch = Message::new()
        .message(1, Message::new().uint(1, 8).uint(2, 4))
        .message(3, Message::new().uint(1, 6).uint(7, 4));
    let own = Message::new().uint(1, 1).uint(2, 5).uint(3, 0).message(7, specifications);
    let interned = Message::new()
        .uint(1, 2)
        .uint(2, 5)
        .uint(13, 1)
        .uint(14, 2)
        .uint(5, 5)
        .packed(15, [5, 1])
        .packed(18, [1, 2, 3])
        .uint(19, 3)
        .message(21, launch);
    let unknown = Message::new().uint(1, 3).uint(2, 5).uint(3, 9).bytes(17, "name");
    [packet(10, 53, own), packet(20, 53, interned), packet(22, 53, unknown)]
}

fn kernel() -> Packet {
    let batch = || Message::new().uint(1, 4).uint(2, 7);
    let text = |name: &str| Message::new().bytes(1, name).uint(2, 3).uint(3, 4);
    let events = [
        (536, batch().uint(3, 1_000)),
        (537, batch().uint(6, 1_192).uint(7, 1_384)),
        (488, Message::new().uint(1, 0).uint(2, 10).uint(3, 5).uint(4, 9).uint(5, 2)),
        (482, Message::new().uint(3, 7)),
        (519, Message::new()),
        (13, Message::new().uint(1, 2).uint(2, 1)),
        (421, Message::new().uint(2, 1024).uint(4, 2)),
        (360, text("eth0")),
        (361, text("eth0")),
    ];
    let bundle = (1..).zip(events).fold(FtraceBundle::new(0), |bundle, (at, (kind, message))| {
        bundle.event(FtraceEvent::other(100 * at, 9, kind, message))
    });
    Packet::new().sequence(2).ftrace(bundle)
}

fn trace() -> Vec<u8> {
    let memory = Message::new().uint(1, 3).uint(2, 1).uint(3, 30).uint(4, 7).uint(6, 4096);
    let memory = memory.message(9, Message::new().uint(1, 1).int(2, 5)).uint(7, 3);
    let name = Message::new().uint(3, 24).uint(4, 8).bytes(5, "target");
    let submit = Message::new().uint(1, 5).uint(2, 7).uint(5, 1).uint(5, 2).uint(6, 3);
    let frame = Message::new().int(1, 1).int(2, 2).int(3, 3).int(4, 4).bytes(5, "layer").int(9, 64);
    let buffer = Message::new().uint(1, 7).uint(2, 2).bytes(3, "layer").uint(5, 3);
    let value = Message::new().uint(4, 3).message(2, Message::new().uint(1, 1).int(2, 5));
    let packets = [
        interned(),
        packet(30, 62, memory),
        packet(31, 65, Message::new().message(1, name)),
        packet(32, 65, Message::new().message(2, submit)),
        packet(33, 63, Message::new().uint(1, 2).bytes(2, "tag").bytes(3, "text")),
        packet(34, 52, value),
        packet(35, 76, Message::new().message(4, frame)),
        packet(36, 76, Message::new().message(5, Message::new().int(1, 1))),
        packet(37, 57, Message::new().message(1, buffer)),
        kernel(),
    ];
    TraceBuilder::new().packets(packets).packets(stages()).build()
}

#[test]
fn damaged_gpu_events_do_not_panic() {
    let seed = trace();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    let options = ImportOptions { threads: Some(1), ..ImportOptions::default() };
    let panics = |number: &u64| {
        let bytes = mutate(&mut Random::new(*number), &[seed.as_slice()]);
        std::fs::write(&path, bytes).unwrap();
        let import = || tpq::import(std::slice::from_ref(&path), &options).map(drop);
        catch_unwind(AssertUnwindSafe(import)).is_err()
    };
    let panicked: Vec<u64> = (0..MUTATIONS).filter(panics).collect();
    assert!(panicked.is_empty(), "{} of {MUTATIONS} panicked: {panicked:?}", panicked.len());
}
