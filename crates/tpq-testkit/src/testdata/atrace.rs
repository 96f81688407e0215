//! Markers that programs write as text: slices, asynchronous slices, counters and instants.

use crate::{FtraceBundle, FtraceEvent, Packet, ProcessTree, TraceBuilder};

const PROCESSES: u32 = 2;
const FTRACE: u32 = 3;

const MAIN: i32 = 300;
const HELPER: i32 = 301;

pub fn trace() -> TraceBuilder {
    let marks = [
        (1_000, MAIN, "B|300|draw\n"),
        (1_100, MAIN, "B|300|inner\n"),
        (1_200, MAIN, "C|300|queue|3\n"),
        (1_300, MAIN, "E|300\n"),
        (1_400, HELPER, "C|300|queue|5\n"),
        (1_500, MAIN, "E|300\n"),
        (1_600, HELPER, "S|300|load|7\n"),
        (1_700, HELPER, "I|300|ping\n"),
        (1_800, HELPER, "B|300|open\n"),
        (1_900, MAIN, "F|300|load|7\n"),
        (2_000, MAIN, "plain text, not a marker\n"),
    ];
    let bundle = marks.into_iter().fold(FtraceBundle::new(0), |bundle, (at, tid, text)| {
        bundle.event(FtraceEvent::print(at, tid, text))
    });
    TraceBuilder::new()
        .packet(
            Packet::new().sequence(PROCESSES).timestamp(900).process_tree(
                ProcessTree::new()
                    .process(MAIN, 1, &["com.example.app"], 10_123)
                    .thread(HELPER, MAIN, "helper"),
            ),
        )
        .packet(Packet::new().sequence(FTRACE).ftrace(bundle))
}
