//! Snapshots of layers, windows, views and input of Android.

use tpq_testkit::TraceBuilder;

use super::{interned, message, packet, string};
use crate::bases::{Base, plain};

const EXTENSIONS: u32 = 112;

pub fn bases() -> Vec<Base> {
    let floats = |count: u32| {
        (1..=count).fold(message(), |all, field| all.fixed32(field, (field as f32).to_bits()))
    };
    let rect = message().int(3, 9).int(4, 9);
    let region = message().message(2, rect.clone());
    let layer = message()
        .int(1, 3)
        .bytes(2, "layer")
        .message(20, floats(4))
        .int(25, -1)
        .message(27, message().uint(1, 4))
        .message(45, floats(4))
        .message(46, floats(4))
        .message(47, message().message(3, rect.clone()).message(4, region));
    let display = message().uint(1, 1).message(5, rect);
    let layers = message().message(1, layer.clone()).message(1, layer.int(25, 3));
    let layers = message().message(3, layers).message(7, display);
    let state = message().uint(1, 3).uint(2, 3);
    let transaction = message().uint(6, 3).message(7, state.clone()).message(8, state);
    let transition = message().int(1, 4).int(3, 5).message(14, message().int(2, 3));
    let template = message().fixed64(1, 9).bytes(2, "%d %s %g %b").uint(4, 1);
    let log = message().fixed64(1, 9).uint(2, 1).uint(3, 4).double(4, 0.5).uint(5, 1);
    let view = message().int(1, 1).int(2, -1).int(5, 1).fixed32(14, 1_f32.to_bits());
    let holder = message().message(6, message().int(1, 4).bytes(3, "root"));
    let inner = message().message(2, holder.clone());
    let service = message().message(2, message().message(1, holder.message(5, inner)));
    let pointer =
        message().uint(1, 9).int(2, 5).message(9, message().uint(1, 1).message(2, floats(2)));
    let extension = |at, field, payload| packet(at, EXTENSIONS, message().message(field, payload));
    let packets = [
        interned(message().message(36, string(1, "text")).message(41, string(1, "View"))),
        packet(10, 93, layers),
        packet(20, 94, message().message(3, transaction)),
        packet(30, 96, transition),
        packet(35, 97, message().message(1, message().int(1, 5).bytes(2, "handler"))),
        packet(40, 104, log),
        packet(50, 105, message().message(1, template)),
        extension(60, 4, message().message(3, view)),
        extension(70, 6, message().message(3, service)),
        extension(80, 5, message().message(1, message().fixed32(1, 4))),
        extension(90, 5, message().message(1, pointer)),
    ];
    vec![plain("winscope", TraceBuilder::new().packets(packets).build())]
}
