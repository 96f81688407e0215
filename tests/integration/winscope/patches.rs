//! Snapshots of layers that are written as patches of the one before.

use tpq_testkit::{Message, Packet, TraceBuilder};

use super::{field, lines, stat};
use crate::imported::Imported;

const TRACE_PROVENANCE: u32 = 124;
const PROTOVMS: u32 = 125;
/// The sequence of patches, and the producer that writes it.
const SEQUENCE: u32 = 7;
const PRODUCER: u64 = 5;
const SOURCE: u64 = 1;
const DESTINATION: u64 = 2;

const LAYERS: &str = "SELECT ts, layer_id, layer_name FROM surfaceflinger_layer AS layer \
    JOIN surfaceflinger_layers_snapshot AS snapshot ON layer.snapshot_id = snapshot.id \
    ORDER BY ts, layer_id";

fn message() -> Message {
    Message::new()
}

fn part(id: u64) -> Message {
    message().uint(1, id)
}

fn select(cursor: u64, path: &[Message], creates: bool, nested: &[Message]) -> Message {
    let select =
        path.iter().fold(message().uint(1, cursor), |all, part| all.message(2, part.clone()));
    let select = message().message(1, select.bool(3, creates));
    nested.iter().fold(select, |all, instruction| all.message(7, instruction.clone()))
}

/// The layers of a snapshot, or of a patch of one.
fn layers(layers: &[(i64, &str)]) -> Message {
    let layer = |&(id, name): &(i64, &str)| message().int(1, id).bytes(2, name);
    let all = layers.iter().map(layer).fold(message(), |all, layer| all.message(1, layer));
    message().message(3, all)
}

/// The program: the time is that of the patch; its layers are merged with those of their id.
fn program() -> Message {
    let set = message().message(4, message());
    let merge = message().message(3, message());
    let load = message().message(2, message().uint(1, SOURCE).uint(2, 1));
    let time = select(SOURCE, &[part(8)], false, &[select(DESTINATION, &[part(8)], true, &[set])]);
    let snapshot = u64::from(field::LAYERS_SNAPSHOT);
    let by_id = message().uint(3, 1).uint(6, 1);
    let merged = select(
        SOURCE,
        &[part(snapshot), part(3), part(1).bool(5, true)],
        false,
        &[
            select(SOURCE, &[part(1)], false, &[load]),
            select(DESTINATION, &[part(snapshot), part(3), part(1), by_id], true, &[merge]),
        ],
    );
    message().uint(1, 1).message(2, time).message(2, merged)
}

/// What the recorder says of producers and programs.
fn setup(producer: u64) -> [Packet; 2] {
    let state =
        message().uint(8, 1).message(field::LAYERS_SNAPSHOT, layers(&[(1, "root"), (2, "old")]));
    let instance = message().message(1, program()).message(2, state).uint(3, 64).uint(4, producer);
    let sequence = message().uint(1, u64::from(SEQUENCE)).uint(2, PRODUCER);
    let provenance = message().message(2, message().message(1, sequence));
    [
        Packet::new().sequence(1).payload(TRACE_PROVENANCE, provenance),
        Packet::new().sequence(1).payload(PROTOVMS, message().message(1, instance)),
    ]
}

fn patch(ts: u64, changed: &[(i64, &str)]) -> Packet {
    Packet::new().sequence(SEQUENCE).timestamp(ts).payload(field::LAYERS_SNAPSHOT, layers(changed))
}

fn patches() -> [Packet; 2] {
    [patch(10, &[(2, "new"), (3, "added")]), patch(20, &[(1, "base")])]
}

const EXPECTED: [&str; 6] =
    ["10 1 root", "10 2 new", "10 3 added", "20 1 base", "20 2 new", "20 3 added"];

#[test]
fn patches_become_whole_snapshots() {
    let other = Packet::new()
        .sequence(3)
        .timestamp(15)
        .payload(field::LAYERS_SNAPSHOT, layers(&[(9, "own")]));
    let [first, second] = patches();
    let trace = TraceBuilder::new().packets(setup(PRODUCER)).packets([first, other, second]);
    let trace = Imported::trace(trace);
    let mut expected = EXPECTED.to_vec();
    expected.insert(3, "15 9 own");
    assert_eq!(lines(&trace, LAYERS), expected);
    for name in ["protovm_abort", "protovm_registration_error"] {
        assert_eq!(stat(&trace, name), "0");
    }
}

/// The recorder compresses packets, with those about patches among them.
#[test]
fn compressed_packets_hold_patches() {
    let [first, second] = patches();
    let inner = TraceBuilder::new().packets(setup(PRODUCER)).packet(first);
    let trace = TraceBuilder::new()
        .packet(inner.into_compressed_packet())
        .packet(TraceBuilder::new().packet(second).into_zstd_packet());
    assert_eq!(lines(&Imported::trace(trace), LAYERS), EXPECTED);
}

#[test]
fn patches_that_do_not_fit_are_counted() {
    let trace = TraceBuilder::new().packets(setup(99)).packets(patches());
    let trace = Imported::trace(trace);
    assert_eq!(stat(&trace, "protovm_registration_error"), "1");
    // They are taken for snapshots.
    assert_eq!(lines(&trace, LAYERS), ["10 2 new", "10 3 added", "20 1 base"]);
    let text = message().message(3, message().message(1, message().bytes(1, "no number")));
    let text = Packet::new().sequence(SEQUENCE).timestamp(5).payload(field::LAYERS_SNAPSHOT, text);
    let trace = Imported::trace(TraceBuilder::new().packets(setup(PRODUCER)).packet(text));
    assert_eq!(stat(&trace, "protovm_abort"), "1");
}
