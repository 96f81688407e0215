//! Packets that are patches of a state, with the programs that apply them.

use tpq_testkit::{Message, Packet, TraceBuilder};

use super::message;
use crate::bases::{Base, plain};

/// One component of a path.
fn field(id: u64) -> Message {
    message().uint(1, id)
}

fn select(cursor: u64, path: &[Message], create: bool, nested: &[Message]) -> Message {
    let select = message().uint(1, cursor);
    let select = path.iter().fold(select, |all, part| all.message(2, part.clone()));
    let select = message().message(1, select.bool(3, create));
    nested.iter().fold(select, |all, instruction| all.message(7, instruction.clone()))
}

pub fn bases() -> Vec<Base> {
    let merge = message().message(3, message().uint(1, 1));
    let load = message().message(2, message().uint(1, 1).uint(2, 1));
    let by_key = message().uint(3, 1).uint(6, 1);
    let layers = select(
        1,
        &[field(93), field(3), field(1).bool(5, true)],
        false,
        &[
            select(1, &[field(1)], false, &[load]),
            select(2, &[field(93), field(3), field(1), by_key], true, &[merge.clone()]),
        ],
    );
    let delete = select(
        2,
        &[field(93), field(7), message().uint(2, 0)],
        false,
        &[message().message(5, message())],
    );
    let set = select(3, &[field(8)], true, &[message().message(4, message())]);
    let program = message().uint(1, 1).message(2, set).message(2, layers).message(2, delete);
    let layer = |id: i64, parent: i64| message().int(1, id).bytes(2, "layer").int(25, parent);
    let snapshot = |layers: &[Message]| {
        let all = layers.iter().fold(message(), |all, layer| all.message(1, layer.clone()));
        message().fixed64(1, 9).message(3, all).message(7, message().uint(1, 5))
    };
    let state = message().uint(8, 1).message(93, snapshot(&[layer(1, -1), layer(2, 1)]));
    let instance = message().message(1, program).message(2, state).uint(3, 64).uint(4, 5);
    let provenance = message().message(2, message().message(1, message().uint(1, 1).uint(2, 5)));
    let patch = |at, layers: &[Message]| {
        Packet::new().sequence(1).timestamp(at).payload(93, snapshot(layers))
    };
    let packets = [
        Packet::new().sequence(9).payload(124, provenance),
        Packet::new().sequence(9).payload(125, message().message(1, instance)),
        patch(10, &[layer(2, 2)]),
        patch(20, &[layer(3, 1), layer(1, -1)]),
    ];
    vec![plain("patches", TraceBuilder::new().packets(packets).build())]
}
