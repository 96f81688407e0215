//! Imports packets that say impossible things: numbers at the ends of their ranges, texts that are
//! none, events without a beginning or an end, counts that contradict each other. Whatever
//! they say, the import must not panic; and it must say the same whether or not kernel events are
//! kept as such.
//!
//! Mutations of whole traces (`mutations.rs`) hardly ever reach that deep: most of them break the
//! packet. Here each packet is whole, and nothing it holds is believable.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tpq::ImportOptions;
use tpq_testkit::random::Random;
use tpq_testkit::{FtraceBundle, FtraceEvent, Message, Packet, STATE_CLEARED, TraceBuilder};

use crate::imported::Imported;

const TRACES: u64 = 4_000;
const WORKERS: u64 = 2;
/// Packets of a trace.
const PACKETS_OF_TRACE: usize = 24;
/// Kernel events of a bundle.
const EVENTS_OF_BUNDLE: usize = 12;
/// The number of the last field of an event that is some kind of event.
const LAST_EVENT: usize = 620;

/// The kind of value of a field.
#[derive(Clone, Copy)]
enum Holds {
    Number,
    Real,
    Text,
    Packed,
    Message(&'static [Field]),
}

type Field = (u32, Holds);

use Holds::{Number, Packed, Real, Text};

const CONFIG: &[Field] = &[
    (1, Holds::Message(&[(1, Number), (4, Number)])),
    (2, Holds::Message(&[(1, Holds::Message(DATA_SOURCE))])),
    (6, Holds::Message(&[(2, Number)])),
    (8, Number),
    (9, Number),
    (13, Number),
    (21, Holds::Message(&[(1, Number)])),
];
const DATA_SOURCE: &[Field] =
    &[(1, Text), (2, Number), (100, Holds::Message(&[(10, Number), (11, Number)]))];
const TRACE_STATS: &[Field] = &[
    (1, Holds::Message(BUFFER_STATS)),
    (1, Holds::Message(BUFFER_STATS)),
    (14, Number),
    (15, Number),
    (18, Holds::Message(&[(1, Number), (4, Number)])),
];
const BUFFER_STATS: &[Field] = &[
    (1, Number),
    (2, Number),
    (3, Number),
    (4, Number),
    (6, Number),
    (9, Number),
    (12, Number),
    (13, Number),
    (18, Number),
    (19, Number),
];
const FTRACE_STATS: &[Field] = &[
    (1, Number),
    (2, Holds::Message(FTRACE_CPU_STATS)),
    (2, Holds::Message(FTRACE_CPU_STATS)),
    (5, Text),
    (6, Text),
    (11, Number),
];
const FTRACE_CPU_STATS: &[Field] = &[
    (1, Number),
    (2, Number),
    (3, Number),
    (4, Number),
    (6, Real),
    (7, Real),
    (8, Number),
    (9, Number),
];
const SERVICE_EVENT: &[Field] = &[
    (2, Number),
    (5, Number),
    (8, Holds::Message(&[(1, Holds::Message(&[(1, Text), (2, Text)]))])),
];
const SYS_STATS: &[Field] = &[
    (1, Holds::Message(PAIR)),
    (2, Holds::Message(PAIR)),
    (3, Holds::Message(NUMBERS)),
    (4, Number),
    (5, Number),
    (6, Holds::Message(PAIR)),
    (7, Number),
    (8, Holds::Message(PAIR)),
    (10, Holds::Message(&[(1, Text), (2, Number)])),
    (11, Packed),
    (12, Holds::Message(&[(1, Text), (2, Text), (3, Packed)])),
    (13, Holds::Message(NAMED_NUMBERS)),
    (13, Holds::Message(NAMED_NUMBERS)),
    (14, Holds::Message(PAIR)),
    (15, Holds::Message(&[(1, Text), (2, Number), (3, Text)])),
    (16, Holds::Message(&[(1, Number), (2, Holds::Message(&[(1, Text), (2, Number)]))])),
    (17, Packed),
    (18, Holds::Message(NAMED_NUMBERS)),
];
const PAIR: &[Field] = &[(1, Number), (2, Number)];
const NUMBERS: &[Field] = &[
    (1, Number),
    (2, Number),
    (3, Number),
    (4, Number),
    (5, Number),
    (6, Number),
    (7, Number),
    (8, Number),
    (9, Number),
];
const NAMED_NUMBERS: &[Field] = &[
    (1, Text),
    (2, Number),
    (3, Number),
    (4, Number),
    (5, Number),
    (6, Number),
    (7, Number),
    (8, Number),
    (9, Number),
];
const PROCESS_STATS: &[Field] = &[(1, Holds::Message(PROCESS)), (1, Holds::Message(PROCESS))];
const PROCESS: &[Field] = &[
    (1, Number),
    (2, Number),
    (9, Number),
    (10, Number),
    (11, Holds::Message(&[(1, Number)])),
    (12, Number),
    (13, Number),
    (14, Number),
    (15, Holds::Message(&[(1, Number), (2, Text)])),
    (17, Number),
    (21, Number),
    (24, Number),
];
const CPU_INFO: &[Field] = &[(1, Holds::Message(CPU)), (1, Holds::Message(CPU))];
const CPU: &[Field] = &[
    (1, Text),
    (2, Packed),
    (3, Number),
    (4, Holds::Message(&[(1, Number), (2, Number), (5, Number)])),
    (5, Number),
];
const GPU_INFO: &[Field] = &[(1, Holds::Message(GPU))];
const GPU: &[Field] = &[(1, Text), (5, Text), (6, Holds::Message(&[(1, Text), (2, Text)]))];
const GPU_COUNTERS: &[Field] = &[
    (1, Holds::Message(&[(1, Holds::Message(GPU_COUNTER)), (6, Holds::Message(GPU_GROUP))])),
    (2, Holds::Message(&[(1, Number), (2, Number)])),
    (2, Holds::Message(&[(1, Number), (3, Real)])),
    (3, Number),
];
const GPU_COUNTER: &[Field] =
    &[(1, Number), (2, Text), (7, Packed), (8, Packed), (10, Packed), (11, Number)];
const GPU_GROUP: &[Field] = &[(1, Number), (2, Text), (4, Packed)];
const GPU_MEMORY: &[Field] = &[(1, Number), (2, Number), (3, Number)];
const RENDER_STAGE: &[Field] = &[
    (1, Number),
    (2, Number),
    (3, Number),
    (4, Number),
    (5, Number),
    (6, Holds::Message(&[(1, Text), (2, Text)])),
    (7, Holds::Message(GPU_SPECIFICATIONS)),
    (11, Number),
    (12, Number),
    (13, Number),
    (14, Number),
    (15, Packed),
    (16, Number),
    (17, Text),
    (18, Packed),
    (19, Number),
    (20, Number),
    (21, Holds::Message(GPU_LAUNCH)),
];
const GPU_SPECIFICATIONS: &[Field] = &[
    (1, Holds::Message(PAIR)),
    (2, Holds::Message(&[(1, Text), (2, Text)])),
    (2, Holds::Message(&[(1, Text), (2, Text)])),
    (3, Holds::Message(&[(1, Text), (2, Text)])),
];
const GPU_LAUNCH: &[Field] = &[
    (1, Holds::Message(PAIR)),
    (2, Holds::Message(PAIR)),
    (3, Holds::Message(&[(1, Number), (2, Text), (3, Number), (5, Real)])),
    (3, Holds::Message(&[(2, Text), (6, Text), (7, Number)])),
];
const GPU_LOG: &[Field] = &[(1, Number), (2, Text), (3, Text)];
const VULKAN_API: &[Field] = &[
    (1, Holds::Message(&[(3, Number), (4, Number), (5, Text)])),
    (2, Holds::Message(&[(1, Number), (2, Number), (3, Number), (5, Packed), (6, Number)])),
];
const VULKAN_MEMORY: &[Field] = &[
    (1, Number),
    (2, Number),
    (3, Number),
    (4, Number),
    (6, Number),
    (7, Number),
    (8, Number),
    (9, Holds::Message(&[(1, Number), (2, Number)])),
    (16, Number),
    (18, Number),
];
const INTERNED_GPU: &[Field] = &[
    (2, Holds::Message(&[(1, Number), (2, Text)])),
    (22, Holds::Message(&[(1, Number), (2, Text)])),
    (23, Holds::Message(&[(1, Number), (2, Number), (3, Number)])),
    (24, Holds::Message(&[(1, Number), (2, Text), (3, Text), (4, Number)])),
    (47, Holds::Message(&[(1, Number), (2, Holds::Message(&[(1, Holds::Message(GPU_COUNTER))]))])),
    (
        1000,
        Holds::Message(&[(1, Number), (2, Text), (5, Holds::Message(&[(2, Text), (3, Number)]))]),
    ),
];
const PERF_SAMPLE: &[Field] =
    &[(1, Number), (2, Number), (3, Number), (6, Number), (7, Packed), (17, Number), (18, Number)];
const SMAPS: &[Field] = &[
    (1, Number),
    (2, Holds::Message(&[(1, Text), (2, Number), (6, Number)])),
    (3, Holds::Message(&[(1, Text), (1, Text), (2, Packed), (3, Packed), (4, Packed)])),
];
const SYSTEM_INFO: &[Field] = &[
    (1, Holds::Message(&[(1, Text), (2, Text), (3, Text), (4, Text)])),
    (6, Number),
    (7, Number),
    (8, Number),
];

/// Payloads, by the number of their field.
const PAYLOADS: &[(u32, &[Field])] = &[
    (7, SYS_STATS),
    (9, PROCESS_STATS),
    (33, CONFIG),
    (34, FTRACE_STATS),
    (35, TRACE_STATS),
    (45, SYSTEM_INFO),
    (52, GPU_COUNTERS),
    (53, RENDER_STAGE),
    (62, VULKAN_MEMORY),
    (63, GPU_LOG),
    (65, VULKAN_API),
    (66, PERF_SAMPLE),
    (67, CPU_INFO),
    (69, SERVICE_EVENT),
    (71, GPU_MEMORY),
    (SMAPS_PACKET, SMAPS),
    (128, GPU_INFO),
];
const SMAPS_PACKET: u32 = 68;

fn number(random: &mut Random) -> u64 {
    const TELLING: [u64; 12] = [
        0x7f,
        0xff,
        4096,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        i64::MAX as u64,
        i64::MAX as u64 + 1,
        u64::MAX - 1,
        u64::MAX,
        i32::MIN as i64 as u64,
        1 << 53,
    ];
    match random.below(8) {
        // Begins and ends must match now and then.
        0..5 => random.below(4) as u64,
        5..7 => TELLING[random.below(TELLING.len())],
        _ => random.next_u64() >> random.below(64),
    }
}

fn text(random: &mut Random) -> Vec<u8> {
    const TELLING: [&[u8]; 24] = [
        b"",
        b"a",
        b"b",
        b"control",
        b"unbound",
        b"suspend_enter",
        b"timekeeping_freeze",
        b"5.10.1",
        b"6.6",
        b"\xff\xfe",
        "devfreq_\u{e9}\u{e9}".as_bytes(),
        "\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}".as_bytes(),
        b"C|1|n|9223372036854775808",
        b"B|1|\xff",
        b"B|1|\xc3\xa9",
        b"E|1",
        b"E",
        b"S|1|a|2",
        b"F|1|a|2",
        b"G|1|t|a|3",
        b"H|1|t|3",
        b"N|1|a|",
        b"trace_event_clock_sync: parent_ts=1e400",
        b"1234567890123456789012345678901234567890",
    ];
    TELLING[random.below(TELLING.len())].to_vec()
}

fn write(random: &mut Random, message: Message, (number_of, holds): Field) -> Message {
    match holds {
        Number => message.uint(number_of, number(random)),
        Real => message.double(number_of, f64::from_bits(number(random))),
        Text => message.bytes(number_of, text(random)),
        Packed => {
            let len = random.below(70);
            let values: Vec<i64> = (0..len).map(|_| number(random) as i64).collect();
            message.packed(number_of, values)
        }
        Holds::Message(fields) => {
            let inner = fill(random, fields);
            message.message(number_of, inner)
        }
    }
}

/// A message that has most of its fields.
fn fill(random: &mut Random, fields: &[Field]) -> Message {
    let mut message = Message::new();
    for &field in fields {
        if random.below(5) > 0 {
            message = write(random, message, field);
        }
    }
    message
}

/// An event of some kind, with fields of which most are numbers.
fn event(random: &mut Random, kind: u32, at: u64) -> FtraceEvent {
    let mut payload = Message::new();
    for field in 1..=18 {
        let holds = match random.below(6) {
            0..3 => Number,
            3..5 => Text,
            _ => continue,
        };
        payload = write(random, payload, (field, holds));
    }
    FtraceEvent::other(at, random.below(4) as i32, kind, payload)
}

/// Timestamps; the ends of the range occur now and then.
fn moment(random: &mut Random, near: u64) -> u64 {
    match random.below(60) {
        0 => number(random),
        _ => near + random.below(100) as u64,
    }
}

fn packet(random: &mut Random, kind: u32, near: u64) -> Packet {
    let packet = Packet::new().sequence(1 + random.below(3) as u32);
    if random.below(2) == 0 {
        let mut bundle = FtraceBundle::new(random.below(3) as u32);
        if random.below(6) == 0 {
            bundle = bundle.lost_events();
        }
        if random.below(6) == 0 {
            bundle = bundle.previous_end(moment(random, near));
        }
        for at in 0..random.below(EVENTS_OF_BUNDLE) {
            // Begins and ends often have neighbouring numbers.
            let kind = kind + random.below(4) as u32;
            let at = moment(random, near + 100 * at as u64);
            bundle = bundle.event(event(random, kind, at));
        }
        return packet.ftrace(bundle);
    }
    let (field, fields) = PAYLOADS[random.below(PAYLOADS.len())];
    let payload = fill(random, fields);
    let mut packet = packet.timestamp(moment(random, near)).payload(field, payload);
    if random.below(4) == 0 {
        packet = packet.flags(STATE_CLEARED).payload(12, fill(random, INTERNED_GPU));
    }
    if random.below(8) == 0 {
        packet = packet.previous_packet_dropped();
    }
    if random.below(30) == 0 {
        packet = packet.machine(7);
    }
    packet
}

fn trace(seed: u64) -> Vec<u8> {
    let random = &mut Random::new(seed);
    let kind = 3 + random.below(LAST_EVENT) as u32;
    let packets: Vec<Packet> =
        (0..PACKETS_OF_TRACE).map(|at| packet(random, kind, 1_000 * (1 + at as u64))).collect();
    TraceBuilder::new().packets(packets).build()
}

/// Imports every `WORKERS`th trace; gives those that panicked.
fn work(worker: u64) -> Vec<u64> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    let panics = |seed: &u64| {
        std::fs::write(&path, trace(*seed)).unwrap();
        let options = ImportOptions {
            threads: Some(1),
            full_sort: seed.is_multiple_of(3),
            ftrace_raw: !seed.is_multiple_of(5),
            ..ImportOptions::default()
        };
        let import = || tpq::import(std::slice::from_ref(&path), &options).map(drop);
        catch_unwind(AssertUnwindSafe(import)).is_err()
    };
    (worker..TRACES).step_by(WORKERS as usize).filter(panics).collect()
}

#[test]
fn nothing_a_packet_says_makes_the_import_panic() {
    let panicked: Vec<u64> = std::thread::scope(|scope| {
        let workers: Vec<_> =
            (0..WORKERS).map(|worker| scope.spawn(move || work(worker))).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(panicked.is_empty(), "{} of {TRACES} panicked: {panicked:?}", panicked.len());
}

/// How many traces are imported with and without kernel events as such.
const COMPARED: u64 = 150;

/// Rows that kernel events add to other tables. Args have ids by the order of their making, so they
/// are compared by what they say.
const TOLD: [&str; 7] = [
    "SELECT id, cpu, machine_id, cluster_id FROM cpu ORDER BY id",
    "SELECT name, idx, machine_id, value FROM stats WHERE name NOT LIKE '%duration%' ORDER BY id",
    "SELECT id, name, type, machine_id FROM track ORDER BY id",
    "SELECT s.id, ts, dur, track_id, depth, s.name, category, key, value_type, int_value, \
        string_value FROM slice s LEFT JOIN args USING (arg_set_id) ORDER BY s.id, args.id",
    "SELECT c.id, ts, value, track_id, key, value_type, int_value, string_value FROM counter c \
        LEFT JOIN args USING (arg_set_id) ORDER BY c.id, args.id",
    "SELECT * FROM thread_state ORDER BY id",
    "SELECT * FROM thread ORDER BY id",
];

#[test]
fn kernel_events_as_such_may_be_left_out_and_nothing_else_changes() {
    for seed in 0..COMPARED {
        let bytes = trace(seed);
        let [with, without] = [true, false].map(|ftrace_raw| {
            let options = ImportOptions { ftrace_raw, ..ImportOptions::default() };
            Imported::with(&[("trace", &bytes)], options)
        });
        for sql in TOLD {
            assert_eq!(with.rows(sql), without.rows(sql), "trace {seed}: {sql}");
        }
    }
}
