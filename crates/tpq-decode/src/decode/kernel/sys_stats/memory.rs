//! How the kernel uses memory: /proc/meminfo, /proc/vmstat, /proc/buddyinfo and /proc/slabinfo.

use tpq_proto::fields::sys_stats::{buddy_info, slab_info};
use tpq_proto::message::{MeminfoCounters, VmstatCounters};
use tpq_proto::wire::{Field, Fields, repeated};
use tpq_tables::{Stat, Stats, Tables};

use super::{Packet, numbers, text};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, TrackKind, Trackers, push_counter};

const MEMINFO: TrackKind = TrackKind::counter("meminfo", Some("bytes"));
const VMSTAT: TrackKind = TrackKind::counter("vmstat", None);
const BUDDY_INFO: TrackKind = TrackKind::counter("buddyinfo", None);
const SLAB: TrackKind = TrackKind::counter("slabinfo", Some("bytes"));
const BYTES_PER_KIB: u64 = 1024;

pub(super) fn meminfo(
    packet: &Packet<'_>,
    fields: &[Field<'_>],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    for field in fields {
        let [key, kib] = numbers(field.as_bytes());
        let Ok(key) = MeminfoCounters::try_from(key as i32) else {
            stats.increment(Stat::MeminfoUnknownKeys);
            continue;
        };
        let name = tables.strings.intern(meminfo_name(key));
        let dimensions = Dimensions::machine(packet.machine).text("meminfo_key", name);
        let bytes = kib as f64 * BYTES_PER_KIB as f64;
        trackers.count((packet.ts(), bytes), MEMINFO, dimensions, name, tables);
    }
}

pub(super) fn vmstat(
    packet: &Packet<'_>,
    fields: &[Field<'_>],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    for field in fields {
        let [key, value] = numbers(field.as_bytes());
        let Ok(key) = VmstatCounters::try_from(key as i32) else {
            stats.increment(Stat::VmstatUnknownKeys);
            continue;
        };
        let name = tables.strings.intern(&vmstat_name(key));
        let dimensions = Dimensions::machine(packet.machine).text("vmstat_key", name);
        trackers.count((packet.ts(), value as f64), VMSTAT, dimensions, name, tables);
    }
}

/// How many blocks of free pages there are, by size of the block: each is twice as large as the
/// one before it.
pub(super) fn buddy_info(
    packet: &Packet<'_>,
    fields: &[Field<'_>],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    for field in fields {
        let message = field.as_bytes();
        let [node, zone] = [text(message, buddy_info::NODE), text(message, buddy_info::ZONE)];
        let label = [node, zone].map(String::from_utf8_lossy);
        let [node, zone] = [node, zone].map(|bytes| tables.strings.intern_bytes(bytes));
        let dimensions = Dimensions::machine(packet.machine)
            .text("buddyinfo_node", node)
            .text("buddyinfo_zone", zone);
        let orders = Fields::new(message).filter(|field| field.number == buddy_info::ORDER_PAGES);
        let counts = orders.flat_map(|field| repeated(&field));
        let mut bytes = Some(u64::from(trackers.source.page_size.get()));
        for count in counts {
            let Some(size) = bytes else {
                stats.increment(Stat::MalformedPackets);
                break;
            };
            let kib = size / BYTES_PER_KIB;
            bytes = size.checked_mul(2);
            let name = format!("mem.buddyinfo[{}][{}][{kib} kB]", label[0], label[1]);
            let name = tables.strings.intern(&name);
            let dimensions = dimensions.number("buddyinfo_chunk_size_kb", kib as i64);
            trackers.count((packet.ts(), count as f64), BUDDY_INFO, dimensions, name, tables);
        }
    }
}

/// The memory of the kernel's caches of objects.
pub(super) fn slabs(
    packet: &Packet<'_>,
    fields: &[Field<'_>],
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    for field in fields {
        let message = field.as_bytes();
        let [_, pages_per_slab, slabs] = numbers(message);
        let slab = text(message, slab_info::NAME);
        let name = format!("mem.slab.{}", String::from_utf8_lossy(slab));
        let name = tables.strings.intern(&name);
        let slab = tables.strings.intern_bytes(slab);
        let dimensions = Dimensions::machine(packet.machine).text("slab_name", slab);
        let track =
            trackers.source.tracks.get(SLAB, dimensions, name, &mut trackers.deferred, tables);
        let mut args = ArgSet::default();
        args.add(tables.strings.intern("pages_per_slab"), ArgValue::Uint(pages_per_slab));
        args.add(tables.strings.intern("num_slabs"), ArgValue::Uint(slabs));
        let arg_set_id = trackers.deferred.intern(&args);
        let value =
            pages_per_slab as f64 * slabs as f64 * f64::from(trackers.source.page_size.get());
        let row = push_counter(packet.ts(), track, value, &mut trackers.bounds, tables);
        tables.counter.arg_set_id.set(row, arg_set_id);
    }
}

/// The name /proc/vmstat gives a counter: that of the enum in small letters.
fn vmstat_name(key: VmstatCounters) -> String {
    match key {
        VmstatCounters::VmstatUnspecified => "VmstatUnspecified".to_owned(),
        key => key.as_str_name().trim_start_matches("VMSTAT_").to_ascii_lowercase(),
    }
}

/// The name /proc/meminfo gives a counter.
fn meminfo_name(key: MeminfoCounters) -> &'static str {
    use MeminfoCounters as Key;
    match key {
        Key::MeminfoUnspecified => "MemUnspecified",
        Key::MeminfoMemTotal => "MemTotal",
        Key::MeminfoMemFree => "MemFree",
        Key::MeminfoMemAvailable => "MemAvailable",
        Key::MeminfoBuffers => "Buffers",
        Key::MeminfoCached => "Cached",
        Key::MeminfoSwapCached => "SwapCached",
        Key::MeminfoActive => "Active",
        Key::MeminfoInactive => "Inactive",
        Key::MeminfoActiveAnon => "Active(anon)",
        Key::MeminfoInactiveAnon => "Inactive(anon)",
        Key::MeminfoActiveFile => "Active(file)",
        Key::MeminfoInactiveFile => "Inactive(file)",
        Key::MeminfoUnevictable => "Unevictable",
        Key::MeminfoMlocked => "Mlocked",
        Key::MeminfoSwapTotal => "SwapTotal",
        Key::MeminfoSwapFree => "SwapFree",
        Key::MeminfoDirty => "Dirty",
        Key::MeminfoWriteback => "Writeback",
        Key::MeminfoAnonPages => "AnonPages",
        Key::MeminfoMapped => "Mapped",
        Key::MeminfoShmem => "Shmem",
        Key::MeminfoSlab => "Slab",
        Key::MeminfoSlabReclaimable => "SReclaimable",
        Key::MeminfoSlabUnreclaimable => "SUnreclaim",
        Key::MeminfoKernelStack => "KernelStack",
        Key::MeminfoPageTables => "PageTables",
        Key::MeminfoCommitLimit => "CommitLimit",
        Key::MeminfoCommitedAs => "Committed_AS",
        Key::MeminfoVmallocTotal => "VmallocTotal",
        Key::MeminfoVmallocUsed => "VmallocUsed",
        Key::MeminfoVmallocChunk => "VmallocChunk",
        Key::MeminfoCmaTotal => "CmaTotal",
        Key::MeminfoCmaFree => "CmaFree",
        Key::MeminfoGpu => "Gpu",
        Key::MeminfoZram => "Zram",
        Key::MeminfoMisc => "Misc",
        Key::MeminfoIonHeap => "ION_heap",
        Key::MeminfoIonHeapPool => "ION_heap_pool",
    }
}
