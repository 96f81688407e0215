//! Memory of processes, as the kernel changes it.

use tpq_tables::{Stat, Stats, Tables};

use super::event::{Events, FtraceEvent};
use crate::decode::process_memory::{self, Counter, Owner};
use crate::track::Trackers;

pub(super) const EVENTS: Events = &[(313, rss_stat)];

/// The kernel's counters of resident memory, by number.
const MEMBERS: [Counter; 4] =
    [process_memory::FILE, process_memory::ANON, process_memory::SWAP, process_memory::SHMEM];

fn rss_stat(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let size = event.int(2);
    let Some(&counter) = usize::try_from(event.int(1)).ok().and_then(|member| MEMBERS.get(member))
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
    let owner = tables.thread.upid.get(utid).map_or(Owner::Thread(utid), Owner::Process);
    process_memory::count((event.ts, size as f64), owner, counter, trackers, tables);
}
