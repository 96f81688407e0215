//! Memory of processes, polled from /proc.

use tpq_ingest::Route;
use tpq_proto::wire::{Fields, Value};
use tpq_tables::{Stats, Tables};

use super::process_memory::{self, Counter, Owner};
use super::{Packet, PacketDecoder};
use crate::track::{Dimensions, Tid, TrackKind, Trackers};

pub(crate) const PACKET: PacketDecoder = PacketDecoder { field: 9, route: Route::Sorted, decode };

const OOM_SCORE: TrackKind = TrackKind::counter("oom_score_adj", None);
/// The field of the score by which the kernel chooses what to kill.
const OOM_SCORE_ADJ: u32 = 10;
const KIB: i64 = 1024;

/// The fields given in KiB, with the counters they become.
const MEMORY_COUNTERS: &[(u32, Counter)] = &[
    (2, process_memory::VIRTUAL),
    (3, process_memory::RSS),
    (4, process_memory::ANON),
    (5, process_memory::FILE),
    (6, process_memory::SHMEM),
    (7, process_memory::SWAP),
    (8, process_memory::LOCKED),
    (9, process_memory::WATERMARK),
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
        if known.is_none() && field.number != OOM_SCORE_ADJ {
            continue;
        }
        let upid = trackers.processes.process(pid, tables);
        let Some(&(_, counter)) = known else {
            let name = tables.strings.intern(OOM_SCORE.name);
            let sample = (packet.ts, field.as_i64() as f64);
            trackers.count(sample, OOM_SCORE, Dimensions::process(upid), name, tables);
            continue;
        };
        let sample = (packet.ts, field.as_i64().saturating_mul(KIB) as f64);
        process_memory::count(sample, Owner::Process(upid), counter, trackers, tables);
    }
}
