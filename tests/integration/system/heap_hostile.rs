//! Heap dumps and heap profiles that are damaged, or whole and unbelievable: the import neither
//! panics nor hangs, and ids in its tables are those of rows.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tpq::ImportOptions;
use tpq_testkit::mutate::mutate;
use tpq_testkit::random::Random;
use tpq_testkit::{Message, Packet, TraceBuilder};

use crate::heap_packets::*;
use crate::imported::Imported;

const RANDOM_TRACES: u64 = 1_500;
const MUTATIONS: u64 = 3_000;

/// Small most of the time, so that ids meet each other.
fn number(random: &mut Random) -> u64 {
    const EXTREMES: [u64; 5] =
        [u64::MAX, i64::MAX as u64, 0xffff_ffff, 0x8000_0000, i32::MIN as i64 as u64];
    match random.below(12) {
        0 => EXTREMES[random.below(EXTREMES.len())],
        1 => random.next_u64() >> random.below(64),
        _ => random.below(7) as u64,
    }
}

fn list(random: &mut Random) -> Vec<i64> {
    (0..random.below(5)).map(|_| number(random) as i64).collect()
}

fn name(random: &mut Random) -> &'static [u8] {
    const NAMES: [&[u8]; 13] = [
        b"",
        b"sun.misc.Cleaner",
        b"java.lang.Class<sun.misc.Cleaner>",
        b"java.lang.Class<a.A[]>",
        b"[]",
        b"a.A",
        b"java.lang.Class java.lang.Class.superClass",
        b"java.lang.Object java.lang.ref.Reference.referent",
        b"x sun.misc.Cleaner.thunk",
        b"x sun.misc.Cleaner.next",
        b"x libcore.util.NativeAllocationRegistry$CleanerThunk.this$0",
        b"/data/app/",
        b"\xff\xfe",
    ];
    NAMES[random.below(NAMES.len())]
}

/// A message in which each number of `numbers`, list of `lists` and text of `texts` is set more
/// often than not.
fn message(random: &mut Random, numbers: &[u32], lists: &[u32], texts: &[u32]) -> Message {
    let mut message = Message::new();
    for &field in numbers {
        if random.below(3) > 0 {
            message = message.uint(field, number(random));
        }
    }
    for &field in lists {
        if random.below(3) > 0 {
            message = message.packed(field, list(random));
        }
    }
    for &field in texts {
        if random.below(4) > 0 {
            message = message.bytes(field, name(random));
        }
    }
    message
}

fn random_dump(random: &mut Random, at: u64) -> Packet {
    let mut dump = Message::new()
        .uint(1, 7 + random.below(2) as u64)
        .uint(6, random.below(3) as u64)
        .bool(5, random.below(3) > 0);
    for _ in 0..random.below(20) {
        let (field, part) = match random.below(8) {
            0..3 => (2, message(random, &[1, 2, 3], &[5], &[])),
            3 => {
                let numbers = [2, 3, 6, 7, 8, 9, 11, 12, 13, 14, 15];
                (2, message(random, &numbers, &[4, 5, 10], &[]))
            }
            4 => (9, message(random, &[1, 2, 4, 5, 7, 8], &[6], &[3])),
            5 => (4, message(random, &[1], &[], &[2])),
            6 => (8, message(random, &[1], &[], &[2])),
            _ => (7, message(random, &[2], &[1], &[])),
        };
        dump = dump.message(field, part);
    }
    Packet::new().sequence(1 + random.below(2) as u32).timestamp(at).payload(HEAP_GRAPH, dump)
}

fn random_profile(random: &mut Random, at: u64) -> Packet {
    let mut profile = Message::new().uint(7, random.below(4) as u64).bool(6, random.below(3) == 0);
    for _ in 0..random.below(12) {
        let (field, part) = match random.below(6) {
            0 => (1, message(random, &[1], &[], &[2])),
            1 => (4, message(random, &[1, 2, 8, 3, 4, 5, 6], &[7], &[])),
            2 => (2, message(random, &[1, 2, 3, 4], &[], &[])),
            3 => (3, message(random, &[1], &[2], &[])),
            _ => {
                let numbers = [1, 3, 4, 6, 7, 8, 9, 10, 12, 13, 14, 15];
                let mut dump = message(random, &numbers, &[], &[11]);
                for _ in 0..random.below(4) {
                    dump = dump.message(2, message(random, &[1, 2, 3, 4, 5, 6, 8, 9], &[], &[]));
                }
                (5, dump.message(5, message(random, &[2, 5, 6], &[], &[])))
            }
        };
        profile = profile.message(field, part);
    }
    Packet::new()
        .sequence(1 + random.below(2) as u32)
        .timestamp(at)
        .payload(PROFILE_PACKET, profile)
}

fn random_trace(seed: u64) -> Vec<u8> {
    let random = &mut Random::new(seed);
    let mut trace = TraceBuilder::new().packet(clocks());
    for at in 0..random.below(8) as u64 {
        // Packets of a dump have the same time.
        let at = 6000 + at / 4;
        trace = trace.packet(match random.below(3) {
            0 => random_profile(random, at),
            1 => Packet::new().sequence(3).timestamp(at).payload(131, {
                let stack = Message::new().message(1, message(random, &[3], &[], &[1, 2]));
                message(random, &[1, 2, 5, 6, 7], &[], &[3, 4, 9]).message(8, stack)
            }),
            _ => random_dump(random, at),
        });
    }
    trace.build()
}

/// Ids that are those of no row.
const DANGLING: &str = "SELECT count(*) FROM (\
    SELECT owner_id AS id, 'o' AS kind FROM heap_graph_reference \
    UNION ALL SELECT owned_id, 'o' FROM heap_graph_reference WHERE owned_id IS NOT NULL \
    UNION ALL SELECT classloader_id, 'o' FROM heap_graph_class WHERE classloader_id IS NOT NULL \
    UNION ALL SELECT superclass_id, 'c' FROM heap_graph_class WHERE superclass_id IS NOT NULL \
    UNION ALL SELECT type_id, 'c' FROM heap_graph_object WHERE self_size >= 0 \
    UNION ALL SELECT reference_set_id, 'r' FROM heap_graph_object \
        WHERE reference_set_id IS NOT NULL \
    UNION ALL SELECT object_data_id, 'd' FROM heap_graph_object WHERE object_data_id IS NOT NULL \
    UNION ALL SELECT callsite_id, 's' FROM heap_profile_allocation) \
    WHERE id < 0 OR id >= CASE kind \
        WHEN 'o' THEN (SELECT count(*) FROM heap_graph_object) \
        WHEN 'c' THEN (SELECT count(*) FROM heap_graph_class) \
        WHEN 'r' THEN (SELECT count(*) FROM heap_graph_reference) \
        WHEN 'd' THEN (SELECT count(*) FROM heap_graph_object_data) \
        ELSE (SELECT count(*) FROM stack_profile_callsite) END";
/// Objects that are reachable without a distance, or the other way round, and roots that are
/// neither.
const UNREACHED: &str = "SELECT count(*) FROM heap_graph_object \
    WHERE reachable != (root_distance >= 0) OR (root_type IS NOT NULL) != (root_distance = 0)";

/// The traces that make the import panic.
fn panicking(count: u64, trace: impl Fn(u64) -> Vec<u8>) -> Vec<u64> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    let panics = |seed: &u64| {
        std::fs::write(&path, trace(*seed)).unwrap();
        let options = ImportOptions { threads: Some(1), ..ImportOptions::default() };
        let import = || tpq::import(std::slice::from_ref(&path), &options).map(drop);
        catch_unwind(AssertUnwindSafe(import)).is_err()
    };
    (0..count).filter(panics).collect()
}

#[test]
fn unbelievable_heaps_do_not_panic() {
    assert_eq!(panicking(RANDOM_TRACES, random_trace), [0; 0]);
}

#[test]
fn damaged_heaps_do_not_panic() {
    let seeds: Vec<Vec<u8>> = (0..20).map(random_trace).collect();
    let seeds: Vec<&[u8]> = seeds.iter().map(Vec::as_slice).collect();
    assert_eq!(panicking(MUTATIONS, |seed| mutate(&mut Random::new(seed), &seeds)), [0; 0]);
}

#[test]
fn ids_of_unbelievable_heaps_are_those_of_rows() {
    for seed in 0..60 {
        let trace = Imported::file(random_trace(seed));
        assert_eq!(trace.cell(DANGLING), "0", "trace {seed}");
        assert_eq!(trace.cell(UNREACHED), "0", "trace {seed}");
    }
}

/// A chain of superclasses without fields, and many objects at its end: the time does not grow with
/// the product of both.
#[test]
fn long_chains_take_no_longer_than_they_are() {
    let count = 30_000;
    let classes = (1..=count).map(|id| (9, class(id, "a.A", NORMAL).uint(5, id + 1)));
    let objects = (1..=count).map(|id| owner(id, 1, 8, &[(id % count) as i64 + 1]));
    let rest = [
        (9, class(count + 1, "a.B", NORMAL).packed(6, [1])),
        field(1, "a.A a.B.next"),
        root(JNI_GLOBAL, &[1]),
    ];
    let parts = objects.chain(classes).chain(rest).collect();
    let trace = Imported::trace(TraceBuilder::new().packet(dump(10, 0, false, parts)));
    let sql = "SELECT count(field_name), max(root_distance), sum(reachable) \
        FROM heap_graph_reference JOIN heap_graph_object o ON o.id = owner_id";
    assert_eq!(trace.cells(sql), [["30000", "29999", "30000"]]);
}
