//! Work of GPUs: stages on the queues of the hardware.

mod compute;
mod context;
mod details;
mod specification;

use tpq_ingest::Route;
use tpq_proto::fields::{gpu_render_stage_event as fields, interned_data, trace_packet};
use tpq_proto::wire::{Fields, LastFields, repeated};
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::{Description, GpuQueue, NewSlice, Trackers};

pub(crate) const PACKET: PacketDecoder = PacketDecoder {
    field: trace_packet::GPU_RENDER_STAGE_EVENT,
    route: Route::Sorted,
    decode: decode_event,
};

/// The fields of an event, the last of each.
type Event<'a> = LastFields<'a, 22>;

fn decode_event(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let event = Event::new(packet.data);
    let gpu = event.uint(fields::GPU_ID) as u32;
    let mut pid = None;
    if let Some(specifications) = event.get(fields::SPECIFICATIONS) {
        pid = specification::add(gpu, specifications.as_bytes(), trackers, tables);
    }
    if let Some(id) = event.get(fields::CONTEXT) {
        let context = context::find(packet, id.as_u64(), trackers, tables, stats);
        pid = context.map(|context| context.pid).or(pid);
    }
    if let Some(id) = event.get(fields::EVENT_ID) {
        let slice =
            add_slice(packet, &event, gpu, pid.unwrap_or_default(), trackers, tables, stats);
        if let Some(slice) = slice {
            trackers.add_render_stage(id.as_u64(), slice, tables, stats);
            let waits = Fields::new(packet.data);
            let waits = waits.filter(|field| field.number == fields::EVENT_WAIT_IDS);
            for awaited in waits.flat_map(|field| repeated(&field)) {
                trackers.await_render_stage(awaited, slice, tables, stats);
            }
        }
    }
}

/// Adds the slice of a stage. `None` if its queue is unknown, or if it was dropped.
fn add_slice(
    packet: &Packet<'_>,
    event: &Event<'_>,
    gpu: u32,
    pid: i32,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<u32> {
    let Some((queue, shown)) = queue(packet, event, gpu, trackers, tables, stats) else {
        stats.increment(Stat::GpuRenderStageParserErrors);
        return None;
    };
    let dur = event.int(fields::DURATION);
    let span = (packet.ts(), dur);
    let track = trackers.render_stage_track(packet.machine, queue, shown, span, tables);
    let name = name(packet, event, trackers, tables, stats);
    let of = details::Owner { queue: details::queue_id(event), pid };
    let args = details::args(packet, event, of, trackers, tables, stats);
    let slice = NewSlice { ts: packet.ts(), track, name, ..NewSlice::default() };
    trackers.complete(slice, dur, &args, tables, stats)
}

/// The queue of an event, and how its tracks are shown.
fn queue(
    packet: &Packet<'_>,
    event: &Event<'_>,
    gpu: u32,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<(GpuQueue, Description)> {
    if let Some(iid) = event.get(fields::HW_QUEUE_IID) {
        let iid = iid.as_u64();
        let shown = specification::interned(packet, iid, trackers, tables, stats)?.description;
        let queue = GpuQueue { gpu, interned: true, id: iid as u32, name: shown.name };
        return Some((queue, shown));
    }
    let id = event.uint(fields::HW_QUEUE_ID) as u32;
    let queue = GpuQueue { gpu, interned: false, id, name: StringId::NULL };
    Some(match trackers.source.render_stages.queue(id) {
        Some(shown) => (GpuQueue { name: shown.name, ..queue }, shown),
        None => {
            let name = tables.strings.intern(&format!("Unknown GPU Queue {id}"));
            (queue, Description { name, text: StringId::NULL })
        }
    })
}

/// The name of a slice: its own, or that of its stage.
fn name(
    packet: &Packet<'_>,
    event: &Event<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> StringId {
    if let Some(iid) = event.get(fields::NAME_IID) {
        let (kind, iid) = (interned_data::EVENT_NAMES, iid.as_u64());
        let strings = &mut tables.strings;
        let name = packet.interned.text(packet.generation, kind, iid, strings, stats);
        return name.unwrap_or_default();
    }
    if let Some(name) = event.get(fields::NAME) {
        return tables.strings.intern_bytes(name.as_bytes());
    }
    if let Some(iid) = event.get(fields::STAGE_IID) {
        let stage = specification::interned(packet, iid.as_u64(), trackers, tables, stats);
        return stage.map(|stage| stage.description.name).unwrap_or_default();
    }
    let id = specification::stage_id(event);
    match trackers.source.render_stages.stage(id) {
        Some(stage) => stage.name,
        None => tables.strings.intern(&format!("render stage({id})")),
    }
}
