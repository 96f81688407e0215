//! Invalid traces, each broken in one way.

use crate::random::Random;
use crate::{
    Annotation, NEEDS_STATE, Packet, STATE_CLEARED, TraceBuilder, TrackDescriptor, TrackEvent,
    compression, testdata,
};

/// The depth of the nested inputs.
const DEPTH: usize = 10_000;
/// The number of times that packets are compressed.
const LAYERS: usize = 200;
/// The unpacked size of the bomb in bytes.
const BOMB: usize = 64 << 20;

/// All broken inputs: path inside `testdata/corrupt/` and bytes.
#[must_use]
pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("empty.pftrace", Vec::new()),
        ("text.pftrace", b"This is a letter, not a trace.\n".to_vec()),
        ("truncated.pftrace", truncated()),
        ("random.pftrace", random()),
        ("huge_length.pftrace", huge_length()),
        ("nested_annotations.pftrace", nested_annotations()),
        ("nested_compression.pftrace", nested_compression()),
        ("unknown_iids.pftrace", unknown_iids()),
        ("bomb.pftrace", bomb()),
        ("broken_zlib.pftrace", broken_zlib()),
        ("truncated.pftrace.gz", truncated_gzip()),
    ]
}

/// A valid trace except that its last packet is cut in the middle.
fn truncated() -> Vec<u8> {
    let mut trace = good_trace();
    trace.truncate(trace.len() - 5);
    trace
}

/// Random bytes. The first is the tag of a packet, so that the format is detected as a trace.
fn random() -> Vec<u8> {
    let mut random = Random::new(0x7071);
    let mut bytes = vec![0x0a];
    bytes.extend((0..4_096).map(|_| random.byte()));
    bytes
}

/// A valid packet, then one with a stated length of 2^60 bytes.
fn huge_length() -> Vec<u8> {
    let mut bytes = one_slice().build();
    bytes.push(0x0a);
    crate::wire::push_varint(&mut bytes, 1 << 60);
    bytes.extend(b"and then nothing");
    bytes
}

/// A dictionary in a dictionary in a dictionary…
fn nested_annotations() -> Vec<u8> {
    let core = Annotation::named("leaf").int(1);
    let nest = (0..DEPTH).fold(core, |inner, _| Annotation::named("d").dict([inner]));
    let event = TrackEvent::instant(1).name("deep").annotation(nest);
    one_slice().packet(Packet::new().sequence(1).timestamp(5_000).track_event(event)).build()
}

/// Compressed packets in compressed packets in compressed packets…
fn nested_compression() -> Vec<u8> {
    let slice = |trace: TraceBuilder, from, to| {
        let packet = |at, event| Packet::new().sequence(1).timestamp(at).track_event(event);
        trace
            .packet(packet(from, TrackEvent::begin(1).name("inside")))
            .packet(packet(to, TrackEvent::end(1)))
    };
    let core = slice(TraceBuilder::new(), 2_000, 2_300);
    let nest = (0..LAYERS)
        .fold(core, |inner, _| TraceBuilder::new().packet(inner.into_compressed_packet()));
    one_slice().raw(&nest.build()).build()
}

/// Events that refer to interned strings that were never sent.
fn unknown_iids() -> Vec<u8> {
    let packet =
        |at, flags, event| Packet::new().sequence(1).timestamp(at).flags(flags).track_event(event);
    TraceBuilder::new()
        .packet(Packet::new().sequence(1).track_descriptor(TrackDescriptor::new(1).name("t")))
        .packet(packet(1_000, STATE_CLEARED, TrackEvent::begin(1).name("known")))
        .packet(packet(1_100, NEEDS_STATE, TrackEvent::begin(1).name_iid(99).category_iid(98)))
        .packet(packet(
            1_200,
            NEEDS_STATE,
            TrackEvent::instant(1)
                .name("args")
                .annotation(Annotation::named_iid(97).int(1))
                .annotation(Annotation::named("text").string_iid(96)),
        ))
        .packet(packet(1_300, NEEDS_STATE, TrackEvent::end(1)))
        .packet(packet(1_400, NEEDS_STATE, TrackEvent::end(1)))
        .build()
}

/// A packet of a kilobyte that unpacks, in two steps, to 64 MiB.
fn bomb() -> Vec<u8> {
    let inner = TraceBuilder::new().packet(Packet::new().padding(&vec![0; BOMB]));
    let middle = TraceBuilder::new().packet(inner.into_compressed_packet());
    one_slice().packet(middle.into_compressed_packet()).build()
}

/// Compressed packets with damage in the middle of the compressed bytes.
fn broken_zlib() -> Vec<u8> {
    let mut compressed = compression::zlib(&good_trace());
    let middle = compressed.len() / 2;
    compressed.truncate(middle);
    one_slice().packet(Packet::new().compressed_packets(&compressed)).build()
}

/// A gzip file without its end.
fn truncated_gzip() -> Vec<u8> {
    let mut bytes = compression::gzip(&good_trace());
    bytes.truncate(bytes.len() - 40);
    bytes
}

/// A slice that must be imported whatever follows it: 500 ns from 1000.
fn one_slice() -> TraceBuilder {
    TraceBuilder::new()
        .packet(Packet::new().sequence(1).track_descriptor(TrackDescriptor::new(1).name("t")))
        .packet(
            Packet::new().sequence(1).timestamp(1_000).track_event(TrackEvent::begin(1).name("ok")),
        )
        .packet(Packet::new().sequence(1).timestamp(1_500).track_event(TrackEvent::end(1)))
}

fn good_trace() -> Vec<u8> {
    testdata::files()
        .into_iter()
        .find(|(path, _)| *path == "track_events.pftrace")
        .map(|(_, bytes)| bytes)
        .unwrap_or_default()
}
