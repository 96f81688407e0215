//! Archives of several traces, with a manifest or without.

use serde_json::json;
use tpq_testkit::{
    Archive, ClockSnapshot, Packet, TraceBuilder, TrackDescriptor, TrackEvent, gzip,
};

use crate::bases::{Base, Packing};

/// A trace of a machine with its clocks.
fn trace(machine: Option<u32>, clocks: &[(u32, u64)]) -> Vec<u8> {
    let of = |packet: Packet| match machine {
        Some(machine) => packet.machine(machine),
        None => packet,
    };
    let snapshot = clocks.iter().fold(ClockSnapshot::new(), |all, &(id, ns)| all.clock(id, ns));
    let track = TrackDescriptor::new(7).thread(100, 101, "main");
    let event =
        |at, event: TrackEvent| of(Packet::new().sequence(1).timestamp(at).track_event(event));
    TraceBuilder::new()
        .packet(of(Packet::new().sequence(9).clock_snapshot(snapshot)))
        .packet(of(Packet::new().sequence(1).track_descriptor(track)))
        .packet(event(1_000, TrackEvent::begin(7).name("a")))
        .packet(event(2_000, TrackEvent::end(7)))
        .build()
}

pub fn bases() -> Vec<Base> {
    let manifest = Archive::manifest_text(json!({
        "files": [
            {"path": "a.pftrace", "machine": {"name": "phone"}},
            {"path": "b.json", "clocks": {
                "sync_to": {"file": "a.pftrace", "clock": "BOOTTIME"}, "offset_ns": 5 }},
        ],
    }));
    let archive = Archive::new()
        .file("manifest.json", manifest)
        .file("a.pftrace", trace(None, &[(6, 5_000), (1, 1_000_000)]))
        .file("b.json", r#"[{"ph":"X","pid":1,"tid":2,"ts":5,"dur":1,"name":"j"}]"#)
        .file("c.pftrace.gz", gzip(&trace(Some(7), &[(6, 9_000), (1, 1_004_000)])));
    let alone = Archive::new()
        .file("a.pftrace", trace(None, &[(6, 5_000), (1, 1_000_000)]))
        .file("b.pftrace", trace(None, &[(6, 7_000), (1, 1_002_000)]));
    let base = |name: &str, packing, bytes| Base { name: name.to_owned(), bytes, packing };
    vec![
        base("tar", Packing::TarHeaders, archive.tar()),
        base("zip", Packing::Plain, archive.zip()),
        base("tar of two", Packing::TarHeaders, alone.tar()),
        base("first of two", Packing::Tar, trace(Some(3), &[(6, 5_000), (1, 1_000_000)])),
        base("second of two", Packing::Zip, trace(None, &[(3, 5_000), (1, 1_000_000)])),
    ]
}
