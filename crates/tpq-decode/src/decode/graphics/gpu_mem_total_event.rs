//! How much memory of GPUs there is in use, of each process and of all.

use tpq_ingest::Route;
use tpq_proto::fields::{gpu_mem_total_event, trace_packet};
use tpq_proto::wire::Fields;
use tpq_tables::{Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::{Dimensions, Tid, TrackKind, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::GPU_MEM_TOTAL_EVENT, route: Route::Sorted, decode };

const OF_ALL: TrackKind = TrackKind::counter("gpu_memory", Some("bytes"));
const OF_PROCESS: TrackKind = TrackKind::counter("process_gpu_memory", Some("bytes"));
/// The process that stands for all.
const ALL: u32 = 0;

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    let (mut gpu, mut pid, mut bytes) = (0, ALL, 0);
    for field in Fields::new(packet.data) {
        match field.number {
            gpu_mem_total_event::GPU_ID => gpu = field.as_u32(),
            gpu_mem_total_event::PID => pid = field.as_u32(),
            gpu_mem_total_event::SIZE => bytes = field.as_u64(),
            _ => {}
        }
    }
    let machine = packet.machine;
    let ugpu = trackers.gpus.get(machine, gpu, tables);
    let (kind, owner) = if pid == ALL {
        (OF_ALL, Dimensions::machine(machine))
    } else {
        let pid = Tid { machine, id: i64::from(pid) };
        trackers.processes.thread_of_process(pid, pid, tables);
        (OF_PROCESS, Dimensions::process(trackers.processes.process(pid, tables)))
    };
    let dimensions = owner.number("ugpu", ugpu.into()).number("gpu", gpu.into());
    let name = tables.strings.intern("GPU Memory");
    trackers.count((packet.ts(), bytes as f64), kind, dimensions, name, tables);
}
