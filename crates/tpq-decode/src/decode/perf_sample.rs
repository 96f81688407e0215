//! Samples of what CPUs ran: the threads they are of, and how many were lost. The stacks are not
//! read yet.

use tpq_ingest::Route;
use tpq_proto::wire::Fields;
use tpq_tables::{Stat, Stats, Tables};

use super::{Packet, PacketDecoder};
use crate::track::{Tid, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: 66, route: Route::Sorted, decode: decode_sample };

/// Numbers of the fields of a sample.
mod field {
    pub(super) const CPU: u32 = 1;
    pub(super) const PID: u32 = 2;
    pub(super) const TID: u32 = 3;
    pub(super) const KERNEL_RECORDS_LOST: u32 = 17;
    pub(super) const SAMPLE_SKIPPED_REASON: u32 = 18;
    pub(super) const PRODUCER_EVENT: u32 = 19;
}

/// The reason of a sample that the profiler could not keep up with.
const UNWIND_ENQUEUE: u32 = 3;

fn decode_sample(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (mut cpu, mut pid, mut tid, mut lost, mut skipped) = (0, None, None, None, None);
    for field in Fields::new(packet.data) {
        match field.number {
            field::CPU => cpu = field.as_u32(),
            field::PID => pid = Some(field.as_u32()),
            field::TID => tid = Some(field.as_u32()),
            field::KERNEL_RECORDS_LOST => lost = Some(field.as_i64()),
            field::SAMPLE_SKIPPED_REASON => skipped = Some(field.as_u32()),
            // What the profiler says of itself is no sample.
            field::PRODUCER_EVENT => return,
            _ => {}
        }
    }
    if let Some(lost) = lost {
        stats.add_indexed(Stat::PerfCpuLostRecords, i64::from(cpu), lost);
        return;
    }
    match skipped {
        Some(UNWIND_ENQUEUE) => return stats.increment(Stat::PerfSamplesSkippedDataloss),
        Some(_) => return stats.increment(Stat::PerfSamplesSkipped),
        None => {}
    }
    trackers.bounds.include(packet.ts);
    if let (Some(tid), Some(pid)) = (tid, pid) {
        let [tid, pid] = [tid, pid].map(|id| Tid { machine: packet.machine, id: i64::from(id) });
        trackers.processes.thread_of_process(tid, pid, tables);
    }
}
