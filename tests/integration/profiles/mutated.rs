//! Damaged traces of profilers: they may be refused or counted, but neither panic nor hang.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use tpq::ImportOptions;
use tpq_testkit::mutate::mutate;
use tpq_testkit::random::Random;
use tpq_testkit::{Message, NEEDS_STATE, Packet, TraceBuilder};

use super::{PERF_SAMPLE, begin, later, perf_sample, stacks};

const MUTATIONS: u64 = 2_000;

/// A trace with every kind of packet of profilers.
fn seed() -> Vec<u8> {
    let data = stacks()
        .message(48, Message::new().uint(1, 1).uint(2, 100).uint(3, 101).uint(4, 2))
        .message(49, Message::new().uint(1, 1).uint(2, 1).uint(3, 2))
        .message(50, Message::new().uint(1, 1).bytes(2, "cycles").uint(7, 2))
        .message(51, Message::new().uint(1, 2).bytes(2, "a").uint(4, 2))
        .message(35, Message::new().uint(1, 1).uint(2, 100).uint(5, 0x7000).uint(6, 0x800))
        .message(33, Message::new().uint(1, 1).message(4, Message::new().bytes(3, "a.")))
        .message(31, Message::new().uint(1, 1).bytes(3, "f."))
        .message(32, Message::new().uint(1, 1).uint(2, 1).uint(3, 1));
    let defaults = Message::new()
        .message(12, Message::new().message(4, Message::new().uint(1, 11)))
        .message(100, Message::new().bytes(1, "x").message(2, Message::new().bytes(2, "c")));
    let code = Message::new().uint(1, 1).uint(2, 101).uint(3, 1).uint(4, 5).uint(5, 0x7010);
    let sample = Message::new().uint(2, 1).uint(4, 1).uint(6, 1).uint(11, 1).uint(10, 1);
    let line = Message::new().bytes(1, "f").bytes(2, "a.c").uint(3, 1);
    let symbols = Message::new().bytes(1, "/system/lib/libc.so").bytes(2, [0xab, 1]);
    let address = Message::new().uint(1, 0x1010).message(2, line);
    let class =
        Message::new().bytes(1, "ma").bytes(2, "M").message(4, Message::new().bytes(1, "in"));
    let names = Message::new().bytes(1, "com.a").message(3, class);
    let thread = Message::new().int(1, 100).int(2, 101).int(6, 5);
    let event = Message::new().uint(9, 3).uint(11, 1).uint(56, 1);
    let move_code = Message::new().uint(1, 1).uint(2, 101).uint(3, 0x7010).uint(4, 0x7100);
    let packets = [
        begin(1, data, defaults),
        later(1, 1).payload(44, thread),
        later(5, 1).payload(99, code.uint(6, 0x40)),
        later(10, 1).payload(PERF_SAMPLE, perf_sample(0, (100, 101), 1).uint(6, 1).uint(7, 2)),
        later(20, 1).payload(135, sample),
        later(25, 1).payload(103, move_code),
        Packet::new()
            .sequence(1)
            .flags(NEEDS_STATE)
            .payload(54, Message::new().uint(1, 1).uint(1, 2).int(2, 5).int(2, 6).int(3, 1)),
        later(30, 1).payload(11, event),
        later(40, 1).payload(PERF_SAMPLE, perf_sample(1, (200, 201), 2)),
        Packet::new().payload(61, symbols.message(3, address)),
        Packet::new().payload(64, names),
    ];
    TraceBuilder::new().packets(packets).build()
}

#[test]
fn damaged_profiles_neither_panic_nor_hang() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mutated.pftrace");
    let seed = seed();
    let began = Instant::now();
    for number in 0..MUTATIONS {
        std::fs::write(&path, mutate(&mut Random::new(number), &[&seed])).unwrap();
        let options = ImportOptions { threads: Some(1), ..ImportOptions::default() };
        let import = || tpq::import(std::slice::from_ref(&path), &options).map(drop);
        assert!(catch_unwind(AssertUnwindSafe(import)).is_ok(), "mutation {number} panicked");
    }
    assert!(began.elapsed().as_secs() < 300, "imports of a few hundred bytes take too long");
}

/// A long stack in many processes costs no more than its trace is long.
#[test]
fn long_stacks_in_many_processes_are_bounded() {
    const FRAMES: u64 = 20_000;
    const PROCESSES: u64 = 2_000;
    let stack = (0..FRAMES).fold(Message::new().uint(1, 9), |stack, _| stack.uint(2, 1));
    let mut packets = vec![begin(1, stacks().message(7, stack), Message::new())];
    for pid in 1..=PROCESSES {
        packets.push(later(pid, 1).payload(PERF_SAMPLE, perf_sample(0, (pid, pid), 9)));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.pftrace");
    std::fs::write(&path, TraceBuilder::new().packets(packets).build()).unwrap();
    let began = Instant::now();
    let options = ImportOptions { threads: Some(1), ..ImportOptions::default() };
    tpq::import(&[path], &options).map(drop).unwrap();
    assert!(began.elapsed().as_secs() < 120, "took {:?}", began.elapsed());
}
