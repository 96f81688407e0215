//! Buffers that processes and devices share.

use tpq_proto::fields::ftrace::{
    dma_heap_stat, fastrpc_dma_stat, ftrace_event, ion_heap_grow, ion_heap_shrink, ion_stat,
};
use tpq_tables::{Stats, Tables};

use super::effects::{Arg, Effects};
use super::event::{Events, FtraceEvent};
use tpq_trackers::track::{Dimensions, TrackKind, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::ION_HEAP_SHRINK, ion_shrink),
    (ftrace_event::ION_HEAP_GROW, ion_grow),
    (ftrace_event::ION_STAT, ion_stat),
    (ftrace_event::FASTRPC_DMA_STAT, fastrpc),
    (ftrace_event::DMA_HEAP_STAT, dma_heap),
];

const ION: TrackKind = TrackKind::counter("ion", None);
const ION_CHANGE: TrackKind = TrackKind::counter("ion_change", None);
const ION_BUFFERS: TrackKind = TrackKind::slices("android_ion_allocations");
const DMA_HEAP: TrackKind = TrackKind::counter("android_dma_heap", None);
const DMA_HEAP_CHANGE: TrackKind = TrackKind::counter("android_dma_heap_change", None);
const DMA_BUFFERS: TrackKind = TrackKind::slices("android_dma_allocations");
const FASTRPC: TrackKind = TrackKind::counter("fastrpc", None);
const FASTRPC_CHANGE: TrackKind = TrackKind::counter("fastrpc_change", None);

fn ion_grow(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    ion_heap(&mut event.effects(trackers, tables, stats), event.int(ion_heap_grow::LEN));
}

fn ion_shrink(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    ion_heap(
        &mut event.effects(trackers, tables, stats),
        event.int(ion_heap_shrink::LEN).wrapping_neg(),
    );
}

/// A heap changed; its size is what it was before.
fn ion_heap(effects: &mut Effects<'_, '_>, change: i64) {
    let heap = match effects.event.field(ion_heap_grow::HEAP_NAME) {
        Some(_) => effects.event.string(ion_heap_grow::HEAP_NAME),
        None => "unknown".into(),
    };
    let total = effects.event.int(ion_heap_grow::TOTAL_ALLOCATED).wrapping_add(change);
    ion(effects, &heap, total as f64, change as f64);
}

/// The size of a heap, and what the running thread changed of it.
fn ion(effects: &mut Effects<'_, '_>, heap: &str, total: f64, change: f64) {
    let suffix = if heap.is_empty() { String::new() } else { format!(".{heap}") };
    let of = effects.by_text("heap_name", heap);
    effects.count(ION, of, &format!("mem.ion{suffix}"), total);
    let heap = effects.intern(heap);
    let of = Dimensions::thread(effects.utid()).text("heap_name", heap);
    effects.count(ION_CHANGE, of, &format!("mem.ion_change{suffix}"), change);
}

fn ion_stat(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let change = event.int(ion_stat::LEN);
    ion(&mut effects, "", event.uint(ion_stat::TOTAL_ALLOCATED) as f64, change as f64);
    buffer(&mut effects, (ION_BUFFERS, "mem.ion_buffer"), event.uint(ion_stat::BUFFER_ID), change);
}

fn dma_heap(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let (inode, change) = (event.uint(dma_heap_stat::INODE), event.int(dma_heap_stat::LEN));
    effects.count(
        DMA_HEAP,
        effects.machine(),
        "mem.dma_heap",
        event.uint(dma_heap_stat::TOTAL_ALLOCATED) as f64,
    );
    let of = Dimensions::thread(effects.utid());
    let args = [("inode", Arg::Uint(inode))];
    effects.count_with(DMA_HEAP_CHANGE, of, "mem.dma_heap_change", change as f64, &args);
    buffer(&mut effects, (DMA_BUFFERS, "mem.dma_buffer"), inode, change);
}

/// A buffer is there from when it is allocated until it is freed.
fn buffer(
    effects: &mut Effects<'_, '_>,
    (kind, track): (TrackKind, &str),
    number: u64,
    change: i64,
) {
    let of = effects.machine();
    if change > 0 {
        let name = format!("{} kB", change / 1024);
        effects.begin_shared((kind, of, track), number, name.as_str(), &[]);
    } else {
        effects.end_shared((kind, of, track), number, &[]);
    }
}

/// Memory of a signal processor.
fn fastrpc(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let number = event.int(fastrpc_dma_stat::CID) as u32;
    let processor = match number {
        0 => "ASDP".to_owned(),
        1 => "MDSP".to_owned(),
        2 => "SDSP".to_owned(),
        3 => "CDSP".to_owned(),
        other => other.to_string(),
    };
    let of = effects.machine().number("cid", number.into());
    effects.count(
        FASTRPC,
        of,
        &format!("mem.fastrpc[{processor}]"),
        event.uint(fastrpc_dma_stat::TOTAL_ALLOCATED) as f64,
    );
    let of = Dimensions::thread(effects.utid()).number("cid", number.into());
    let name = format!("mem.fastrpc_change[{processor}]");
    effects.count(FASTRPC_CHANGE, of, &name, event.int(fastrpc_dma_stat::LEN) as f64);
}
