//! Damaged snapshots: they may be refused or counted, but must not panic or hang.

use std::time::{Duration, Instant};

use tpq::{ImportOptions, Trace};
use tpq_testkit::mutate::edit;
use tpq_testkit::random::Random;
use tpq_testkit::{Message, TraceBuilder};

use super::{at, at_with_state, extension, field, float, interned};
use crate::imported::Imported;

const ROUNDS: u32 = 400;

/// A trace with some of everything.
fn sample() -> Vec<u8> {
    let area = (1..5).fold(Message::new(), |area, edge| float(area, edge, 5.0 * edge as f32));
    let color = (1..5).fold(Message::new(), |color, part| float(color, part, 1.0));
    let rect = Message::new().int(3, 9).int(4, 9);
    let region = Message::new().message(2, rect.clone());
    let layer = Message::new()
        .int(1, 3)
        .bytes(2, "layer")
        .message(20, color)
        .int(25, -1)
        .message(27, Message::new().uint(1, 4))
        .message(45, area.clone())
        .message(46, area)
        .message(47, Message::new().message(3, rect.clone()).message(4, region));
    let display = Message::new().uint(1, 1).message(5, rect);
    let layers = Message::new().message(1, layer.clone()).message(1, layer.int(25, 3));
    let layers = Message::new().message(3, layers).message(7, display);
    let state = Message::new().uint(1, 3).uint(2, 3);
    let transaction = Message::new().uint(6, 3).message(7, state.clone()).message(8, state);
    let transition = Message::new().int(1, 4).int(3, 5).message(14, Message::new().int(2, 3));
    let template = Message::new().fixed64(1, 9).bytes(2, "%d %s %g %b").uint(4, 1);
    let log = Message::new().fixed64(1, 9).uint(2, 1).uint(3, 4).double(4, 0.5).uint(5, 1);
    let view = float(Message::new().int(1, 1).int(2, -1).int(5, 1), 14, 1.0);
    let holder = Message::new().message(6, Message::new().int(1, 4).bytes(3, "root"));
    let inner = Message::new().message(2, holder.clone());
    let service = Message::new().message(2, Message::new().message(1, holder.message(5, inner)));
    TraceBuilder::new()
        .packets([
            interned(&[(36, 1, "text"), (41, 1, "View")]),
            at(10).payload(field::LAYERS_SNAPSHOT, layers),
            at(20).payload(field::TRANSACTIONS, Message::new().message(3, transaction)),
            at(30).payload(field::SHELL_TRANSITION, transition),
            at_with_state(40).payload(field::PROTOLOG_MESSAGE, log),
            at(50).payload(field::PROTOLOG_CONFIG, Message::new().message(1, template)),
            at_with_state(60).payload(
                field::EXTENSIONS,
                Message::new().message(4, Message::new().message(3, view)),
            ),
            extension(70, 6, Message::new().message(3, service)),
            extension(80, 5, Message::new().message(1, Message::new().fixed32(1, 4))),
        ])
        .build()
}

#[test]
fn damage_is_counted_or_refused() {
    let sample = sample();
    assert_eq!(Imported::file(&sample).cell("SELECT count(*) FROM surfaceflinger_layer"), "2");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    let mut random = Random::new(0x5eed_1a7e);
    for round in 0..ROUNDS {
        let mut bytes = sample.clone();
        for _ in 0..1 + random.below(4) {
            edit(&mut random, &mut bytes, &[&sample]);
        }
        let began = Instant::now();
        std::fs::write(&path, &bytes).unwrap();
        // Most of them are imported; what matters is that this returns.
        let _ = runtime.block_on(Trace::open(&[&path], ImportOptions::default()));
        assert!(began.elapsed() < Duration::from_secs(10), "round {round} hangs");
    }
}
