//! Slices, instants and counters on the tracks of a process, two threads, a custom track and a
//! counter, with interned strings, arguments and a flow.
//!
//! ```text
//!            1000 1050 1100  1200 1350 1400 1500 1600 1700 1800 1900 2000 2100
//! main 300   │ Load page ──────────────────────────────────────────────┤
//!                      │ Parse  ·tick      ┤ │ Post ┤ 77
//! io 301                                          ╰──▶ │ Handle  ┤        │ Unfinished…
//! async           │ fetch ───────────┤
//! ```

use crate::{
    Annotation, CounterUnit, Defaults, InternedData, NEEDS_STATE, Packet, STATE_CLEARED,
    TraceBuilder, TrackDescriptor, TrackEvent,
};

const MAIN_SEQUENCE: u32 = 10;
const IO_SEQUENCE: u32 = 11;

const PROCESS: u64 = 1;
const MAIN: u64 = 2;
const IO: u64 = 3;
const ASYNC: u64 = 4;
const MEMORY: u64 = 5;
const GLOBAL: u64 = 6;
const LOAD: u64 = 7;

const POST_TO_HANDLE: u64 = 77;

pub fn trace() -> TraceBuilder {
    let trace = TraceBuilder::new().packets(descriptors());
    let trace = trace.packets(main_thread());
    trace.packets(io_thread())
}

fn descriptors() -> Vec<Packet> {
    let tracks = [
        TrackDescriptor::new(PROCESS).process(300, "browser"),
        TrackDescriptor::new(MAIN).parent(PROCESS).thread(300, 300, "main"),
        TrackDescriptor::new(IO).parent(PROCESS).thread(300, 301, "io"),
        TrackDescriptor::new(ASYNC).parent(PROCESS).name("async loads"),
        TrackDescriptor::new(MEMORY).parent(PROCESS).name("memory").counter_in(CounterUnit::Bytes),
        TrackDescriptor::new(GLOBAL).name("global"),
        TrackDescriptor::new(LOAD).name("load").counter_named("runs"),
    ];
    let packet =
        |track| Packet::new().sequence(MAIN_SEQUENCE).timestamp(500).track_descriptor(track);
    tracks.into_iter().map(packet).collect()
}

fn main_thread() -> Vec<Packet> {
    let first = Packet::new().sequence(MAIN_SEQUENCE).timestamp(1_000);
    let first = first
        .flags(STATE_CLEARED)
        .defaults(Defaults::new().track(MAIN))
        .interned(
            InternedData::new()
                .category(1, "loading")
                .category(2, "input")
                .event_name(1, "Load page")
                .annotation_name(1, "url")
                .annotation_string(1, "https://example.org/"),
        )
        .track_event(
            TrackEvent::begin_here()
                .name_iid(1)
                .category_iid(1)
                .category_iid(2)
                .annotation(Annotation::named_iid(1).string_iid(1)),
        );
    let next = |at, event| {
        Packet::new().sequence(MAIN_SEQUENCE).timestamp(at).flags(NEEDS_STATE).track_event(event)
    };
    vec![
        first,
        next(1_000, TrackEvent::counter(MEMORY, 100)),
        next(1_000, TrackEvent::double_counter(LOAD, 0.25)),
        next(1_050, TrackEvent::begin(ASYNC).name("fetch").category("loading")),
        next(1_100, parse()),
        next(1_200, TrackEvent::instant_here().name("tick").category_iid(2)),
        next(1_350, TrackEvent::end(ASYNC)),
        next(1_400, TrackEvent::end_here()),
        next(1_500, TrackEvent::begin_here().name("Post").flow(POST_TO_HANDLE)),
        next(1_500, TrackEvent::counter(MEMORY, 250)),
        next(1_600, TrackEvent::end_here()),
        next(1_800, TrackEvent::instant(GLOBAL).name("marker")),
        next(2_000, TrackEvent::end_here()),
        next(2_000, TrackEvent::counter(MEMORY, 50)),
        next(2_000, TrackEvent::double_counter(LOAD, 0.75)),
    ]
}

/// A slice with one argument of each kind.
fn parse() -> TrackEvent {
    TrackEvent::begin_here()
        .name("Parse")
        .category("loading")
        .annotation(
            Annotation::named("doc").dict([
                Annotation::named("size").uint(2048),
                Annotation::named("parts")
                    .array([Annotation::element().int(1), Annotation::element().int(-2)]),
            ]),
        )
        .annotation(Annotation::named("cached").bool(true))
        .annotation(Annotation::named("ratio").double(0.5))
        .annotation(Annotation::named("at").pointer(0xff00))
        .annotation(Annotation::named("title").string("Start"))
}

fn io_thread() -> Vec<Packet> {
    let packet = |at, event| {
        Packet::new().sequence(IO_SEQUENCE).timestamp(at).flags(STATE_CLEARED).track_event(event)
    };
    vec![
        packet(1_700, TrackEvent::begin(IO).name("Handle").ends_flow(POST_TO_HANDLE)),
        packet(1_900, TrackEvent::end(IO)),
        packet(2_100, TrackEvent::begin(IO).name("Unfinished")),
    ]
}
