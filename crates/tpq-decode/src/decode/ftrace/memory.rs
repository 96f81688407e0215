//! Memory of processes, as the kernel changes it.

use tpq_tables::{Stat, Stats, Tables};

use super::event::{Events, FtraceEvent};
use crate::track::{Dimension, TrackKind, Trackers, push_counter};

pub(super) const EVENTS: Events = &[(313, rss_stat)];

const MEMORY: TrackKind = TrackKind::counter("process_memory", Some("bytes"));
/// For threads whose process is not known.
const THREAD_MEMORY: TrackKind =
    TrackKind::counter("process_memory_thread_fallback", Some("bytes"));

/// The kernel's counters of resident memory, by number.
const MEMBERS: [&str; 4] = ["mem.rss.file", "mem.rss.anon", "mem.swap", "mem.rss.shmem"];

fn rss_stat(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let size = event.int(2);
    let Some(name) = usize::try_from(event.int(1)).ok().and_then(|member| MEMBERS.get(member))
    else {
        stats.increment(Stat::RssStatUnknownKeys);
        return;
    };
    if size < 0 {
        stats.increment(Stat::RssStatNegativeSize);
        return;
    }
    let utid = match (event.field(3), event.field(4)) {
        (Some(own), Some(mm)) => {
            let tid = event.tid(event.pid);
            let processes = &mut trackers.processes;
            trackers.memory.owner(tid, mm.as_u32(), own.as_bool(), processes, tables)
        }
        _ => Some(event.utid(trackers, tables)),
    };
    let Some(utid) = utid else {
        stats.increment(Stat::RssStatUnknownThreadForMmId);
        return;
    };
    let (kind, dimension) = match tables.thread.upid.get(utid) {
        Some(upid) => (MEMORY, Dimension::Process(upid)),
        None => (THREAD_MEMORY, Dimension::Thread(utid)),
    };
    let name = tables.strings.intern(name);
    let track = trackers.tracks.get(kind, dimension, name, &mut trackers.args, tables);
    push_counter(event.ts, track, size as f64, &mut trackers.bounds, tables);
}
