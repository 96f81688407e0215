//! Memory of processes, polled from /proc.

use tpq_ingest::Route;
use tpq_proto::wire::{Fields, Value};
use tpq_tables::{Stats, Tables};

use super::{Packet, PacketDecoder};
use crate::track::{Dimension, Tid, TrackKind, Trackers, push_counter};

pub(crate) const PACKET: PacketDecoder = PacketDecoder { field: 9, route: Route::Sorted, decode };

const MEMORY: TrackKind = TrackKind::counter("process_memory", Some("bytes"));
const OOM_SCORE: TrackKind = TrackKind::counter("oom_score_adj", None);
/// The field of the score by which the kernel chooses what to kill.
const OOM_SCORE_ADJ: u32 = 10;
const KIB: i64 = 1024;

/// The fields given in KiB, with the counters they become.
const MEMORY_COUNTERS: &[(u32, &str)] = &[
    (2, "mem.virt"),
    (3, "mem.rss"),
    (4, "mem.rss.anon"),
    (5, "mem.rss.file"),
    (6, "mem.rss.shmem"),
    (7, "mem.swap"),
    (8, "mem.locked"),
    (9, "mem.rss.watermark"),
];

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    for process in Fields::new(packet.data).filter(|field| field.number == 1) {
        decode_process(packet, process.as_bytes(), trackers, tables);
    }
}

fn decode_process(
    packet: &Packet<'_>,
    process: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let machine = packet.machine;
    let pid = Fields::new(process).find(|field| field.number == 1).map(|field| field.as_i32());
    let pid = Tid { machine, id: i64::from(pid.unwrap_or_default()) };
    for field in Fields::new(process) {
        if let (11, Value::Bytes(thread)) = (field.number, field.value) {
            let tid = Fields::new(thread).find(|field| field.number == 1);
            let id = i64::from(tid.map(|field| field.as_i32()).unwrap_or_default());
            trackers.processes.thread_of_process(Tid { machine, id }, pid, tables);
            continue;
        }
        let known = MEMORY_COUNTERS.iter().find(|(number, _)| *number == field.number);
        let (kind, name, value) = match (known, field.number) {
            (Some((_, name)), _) => (MEMORY, *name, field.as_i64().saturating_mul(KIB)),
            (None, OOM_SCORE_ADJ) => (OOM_SCORE, "oom_score_adj", field.as_i64()),
            _ => continue,
        };
        let upid = trackers.processes.process(pid, tables);
        let name = tables.strings.intern(name);
        let dimension = Dimension::Process(upid);
        let track = trackers.tracks.get(kind, dimension, name, &mut trackers.args, tables);
        push_counter(packet.ts, track, value as f64, &mut trackers.bounds, tables);
    }
}
