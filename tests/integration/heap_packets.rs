//! Packets of heap dumps and heap profiles.

use tpq_testkit::{ClockSnapshot, Message, Packet};

use crate::imported::snapshot_packet;

/// The field of a packet with a part of a Java heap dump.
pub const HEAP_GRAPH: u32 = 56;
pub const PROFILE_PACKET: u32 = 37;
pub const INTERNED_DATA: u32 = 12;

/// Kinds of classes.
pub const NORMAL: u64 = 1;
pub const NO_REFERENCES: u64 = 2;
pub const ARRAY: u64 = 4;
pub const CLASS: u64 = 5;
pub const WEAK_REFERENCE: u64 = 9;

/// Kinds of roots.
pub const JNI_GLOBAL: u64 = 1;
pub const JNI_LOCAL: u64 = 2;
pub const JAVA_FRAME: u64 = 3;
pub const STICKY_CLASS: u64 = 5;
pub const DEBUGGER: u64 = 11;

/// A part of a dump of process 7 at a time.
pub fn dump(at: u64, index: u64, continued: bool, parts: Vec<(u32, Message)>) -> Packet {
    dump_of(7, 2, at, index, continued, parts)
}

pub fn dump_of(
    pid: u64,
    sequence: u32,
    at: u64,
    index: u64,
    continued: bool,
    parts: Vec<(u32, Message)>,
) -> Packet {
    let header = Message::new().uint(1, pid).uint(6, index).bool(5, continued);
    let add = |all: Message, (field, part)| all.message(field, part);
    let graph = parts.into_iter().fold(header, add);
    Packet::new().sequence(sequence).timestamp(at).payload(HEAP_GRAPH, graph)
}

pub fn object(id: u64, class: u64, size: u64) -> (u32, Message) {
    (2, Message::new().uint(1, id).uint(2, class).uint(3, size))
}

/// An object with references to others, for fields of its class.
pub fn owner(id: u64, class: u64, size: u64, references: &[i64]) -> (u32, Message) {
    let (field, object) = object(id, class, size);
    (field, object.packed(5, references.iter().copied()))
}

/// An object that names the fields of its references.
pub fn named(id: u64, class: u64, references: &[(i64, i64)]) -> (u32, Message) {
    let (field, object) = object(id, class, 8);
    let fields = references.iter().map(|&(field, _)| field);
    let objects = references.iter().map(|&(_, object)| object);
    (field, object.packed(4, fields).packed(5, objects))
}

pub fn class(id: u64, name: &str, kind: u64) -> Message {
    Message::new().uint(1, id).bytes(3, name).uint(7, kind)
}

pub fn field(id: u64, name: &str) -> (u32, Message) {
    (4, Message::new().uint(1, id).bytes(2, name))
}

pub fn location(id: u64, name: &str) -> (u32, Message) {
    (8, Message::new().uint(1, id).bytes(2, name))
}

pub fn root(kind: u64, objects: &[i64]) -> (u32, Message) {
    (7, Message::new().packed(1, objects.iter().copied()).uint(2, kind))
}

/// The coarse clock is 1,000 ns behind.
pub fn clocks() -> Packet {
    snapshot_packet(ClockSnapshot::new().clock(6, 5000).clock(4, 4000))
}

pub fn interned_string(id: u64, text: impl AsRef<[u8]>) -> Message {
    Message::new().uint(1, id).bytes(2, text)
}

pub fn stack_frame(id: u64, function: u64, mapping: u64, rel_pc: u64) -> Message {
    Message::new().uint(1, id).uint(2, function).uint(3, mapping).uint(4, rel_pc)
}

pub fn callstack(id: u64, frames: &[u64]) -> Message {
    frames.iter().fold(Message::new().uint(1, id), |all, &frame| all.uint(2, frame))
}

/// Totals of a stack: size and number of allocations, and of those that were freed.
pub fn sample(stack: u64, [allocated, freed]: [u64; 2], [allocs, frees]: [u64; 2]) -> Message {
    Message::new().uint(1, stack).uint(2, allocated).uint(3, freed).uint(5, allocs).uint(6, frees)
}

/// A dump of a heap of process 7 at a time of the coarse clock.
pub fn heap_dump(at: u64, heap: &str, samples: Vec<Message>) -> Message {
    let dump = Message::new().uint(1, 7).uint(9, at).bytes(11, heap);
    samples.into_iter().fold(dump, |all, sample| all.message(2, sample))
}

/// A packet of a profile, the last of its dump.
pub fn last(index: u64, dumps: Vec<Message>) -> Message {
    let packet = Message::new().uint(7, index);
    dumps.into_iter().fold(packet, |all, dump| all.message(5, dump))
}

pub fn profile_packet(at: u64, profile: Message) -> Packet {
    Packet::new().sequence(2).timestamp(at).payload(PROFILE_PACKET, profile)
}

/// A packet with the stacks 1, `main` that calls `f`, and 2, `main` alone.
pub fn interned(at: u64, profile: Message) -> Packet {
    let mapping = Message::new().uint(1, 1).uint(2, 1).uint(4, 100).uint(5, 200);
    let data = Message::new()
        .message(17, interned_string(1, "system"))
        .message(17, interned_string(2, "a.so"))
        .message(16, interned_string(1, [0xab, 0x01]))
        .message(19, mapping.uint(7, 1).uint(7, 2))
        .message(5, interned_string(1, "main"))
        .message(5, interned_string(2, "f"))
        .message(6, stack_frame(1, 1, 1, 10))
        .message(6, stack_frame(2, 2, 1, 20))
        .message(7, callstack(1, &[1, 2]))
        .message(7, callstack(2, &[1]));
    profile_packet(at, profile).flags(1).payload(INTERNED_DATA, data)
}
