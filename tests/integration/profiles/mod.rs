//! Profilers: call stacks, what they are of, and what names their code.

mod annotated;
mod beside;
mod mutated;
mod perf_samples;
mod slice_stacks;
mod stack_samples;
mod streamed_samples;
mod symbols;
mod v8;

use tpq_testkit::{Message, NEEDS_STATE, Packet, STATE_CLEARED};

use crate::imported::Imported;
use crate::system::packets;

/// The fields of `InternedData`.
mod interned {
    pub const FUNCTION_NAMES: u32 = 5;
    pub const FRAMES: u32 = 6;
    pub const CALLSTACKS: u32 = 7;
    pub const BUILD_IDS: u32 = 16;
    pub const MAPPING_PATHS: u32 = 17;
    pub const SOURCE_PATHS: u32 = 18;
    pub const MAPPINGS: u32 = 19;
}

/// Stacks by callsite, the outermost frame first.
const STACKS: &str = "WITH RECURSIVE stack(id, top, text) AS ( \
        SELECT id, id, CAST(frame_id AS TEXT) FROM stack_profile_callsite WHERE parent_id IS NULL \
        UNION ALL \
        SELECT c.id, c.id, s.text || ' ' || CAST(c.frame_id AS TEXT) FROM stack s \
        JOIN stack_profile_callsite c ON c.parent_id = s.id) \
    SELECT stack.id, depth, text AS frames FROM stack \
    JOIN stack_profile_callsite c ON c.id = stack.id ORDER BY stack.id";
const FRAMES: &str = "SELECT id, name, mapping, rel_pc, symbol_set_id AS symbols, \
    deobfuscated_name AS deobfuscated, type FROM stack_profile_frame ORDER BY id";
const MAPPINGS: &str = "SELECT id, build_id, exact_offset AS exact, start_offset AS \"offset\", \
    start, \"end\", load_bias AS bias, name FROM stack_profile_mapping ORDER BY id";
const SYMBOLS: &str = "SELECT id, symbol_set_id AS symbols, name, source_file AS file, \
    line_number AS line, inlined FROM stack_profile_symbol ORDER BY id";
/// What was lost.
const LOST: &str = "SELECT name, idx, value FROM stats WHERE value != 0 \
    AND (name LIKE 'stackprofile%' OR name LIKE 'perf_%' OR name LIKE 'interned%' \
        OR name LIKE 'streaming%' OR name LIKE 'v8%' OR name LIKE 'jit%' \
        OR name LIKE 'malformed%' OR name LIKE 'deobf%' OR name LIKE 'track_event%') \
    ORDER BY name, idx";

/// An interned string.
fn string(iid: u64, text: impl AsRef<[u8]>) -> Message {
    Message::new().uint(1, iid).bytes(2, text)
}

/// A frame: its name, its mapping and the address in there.
fn frame(iid: u64, name: u64, mapping: u64, rel_pc: u64) -> Message {
    Message::new().uint(1, iid).uint(2, name).uint(3, mapping).uint(4, rel_pc)
}

/// A stack of frames, the outermost first.
fn callstack(iid: u64, frames: impl IntoIterator<Item = u64>) -> Message {
    frames.into_iter().fold(Message::new().uint(1, iid), |stack, frame| stack.uint(2, frame))
}

/// A mapping without a build id.
fn mapping(iid: u64, (start, end): (u64, u64), path: impl IntoIterator<Item = u64>) -> Message {
    let mapping = Message::new().uint(1, iid).uint(4, start).uint(5, end);
    path.into_iter().fold(mapping, |mapping, part| mapping.uint(7, part))
}

/// The interned data of these tests:
///
/// | stack | frames, the outermost first |
/// |---|---|
/// | 1 | `main`, `malloc` |
/// | 2 | `main`, an unknown function |
/// | 3 | `main` |
/// | 4 | `syscall` of the kernel |
///
/// All but the kernel's are of `/system/lib/libc.so`, at 0x1010, 0x1020 and 0x1030.
fn stacks() -> Message {
    let libc = mapping(1, (0x7000, 0x9000), [1, 2, 3]).uint(2, 1).uint(8, 0x1000);
    Message::new()
        .message(interned::MAPPING_PATHS, string(1, "system"))
        .message(interned::MAPPING_PATHS, string(2, "lib"))
        .message(interned::MAPPING_PATHS, string(3, "libc.so"))
        .message(interned::MAPPING_PATHS, string(4, "kernel"))
        .message(interned::BUILD_IDS, string(1, [0xab, 0x01]))
        .message(interned::MAPPINGS, libc)
        .message(interned::MAPPINGS, mapping(2, (0, 0), [4]))
        .message(interned::FUNCTION_NAMES, string(1, "main"))
        .message(interned::FUNCTION_NAMES, string(2, "malloc"))
        .message(interned::FUNCTION_NAMES, string(3, "syscall"))
        .message(interned::FRAMES, frame(1, 1, 1, 0x1010))
        .message(interned::FRAMES, frame(2, 2, 1, 0x1020).uint(7, 1))
        .message(interned::FRAMES, frame(3, 0, 1, 0x1030))
        .message(interned::FRAMES, frame(4, 3, 2, 0x40).uint(7, 2))
        .message(interned::CALLSTACKS, callstack(1, [1, 2]))
        .message(interned::CALLSTACKS, callstack(2, [1, 3]))
        .message(interned::CALLSTACKS, callstack(3, [1]))
        .message(interned::CALLSTACKS, callstack(4, [4]))
}

/// The first packet of a sequence, with its interned data and its defaults.
fn begin(sequence: u32, interned: Message, defaults: Message) -> Packet {
    let packet = Packet::new().sequence(sequence).flags(STATE_CLEARED);
    packet.interned(interned.into()).defaults(defaults.into())
}

/// A packet that needs what its sequence interned.
fn later(at: u64, sequence: u32) -> Packet {
    Packet::new().sequence(sequence).flags(NEEDS_STATE).timestamp(at)
}

/// A sample of perf, of a thread on a CPU with a stack.
fn perf_sample(cpu: u64, (pid, tid): (u64, u64), callstack: u64) -> Message {
    Message::new().uint(1, cpu).uint(2, pid).uint(3, tid).uint(4, callstack)
}

/// The field of a packet that holds a sample of perf.
const PERF_SAMPLE: u32 = 66;

/// A trace of these packets.
fn trace(all: impl IntoIterator<Item = Packet>) -> Imported {
    packets(all)
}
