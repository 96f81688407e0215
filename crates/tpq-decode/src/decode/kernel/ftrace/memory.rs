//! Memory of processes, and the kernel's actions when there is too little.

use tpq_proto::fields::ftrace::{
    dmabuf_rss_stat, ftrace_event, mark_victim, mm_event_record, oom_score_adj_update, rss_stat,
    rss_stat_throttled,
};
use tpq_tables::{Stat, Stats, Tables};

use super::event::{Events, FtraceEvent};
use crate::decode::process::process_memory::{self, Counter, Owner};
use tpq_trackers::track::{Dimensions, ThreadCounter, TrackKind, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::RSS_STAT, rss_stat),
    (ftrace_event::OOM_SCORE_ADJ_UPDATE, oom_score),
    (ftrace_event::MM_EVENT_RECORD, event_record),
    (ftrace_event::MARK_VICTIM, victim),
    (ftrace_event::RSS_STAT_THROTTLED, rss_stat_throttled),
    (ftrace_event::DMABUF_RSS_STAT, dmabuf),
];

const OOM_SCORE: TrackKind = TrackKind::counter("oom_score_adj", None);
const THREAD_OOM_SCORE: TrackKind = TrackKind::counter("oom_score_adj_thread_fallback", None);
const MM_EVENT: TrackKind = TrackKind::counter("mm_event", None);
const THREAD_MM_EVENT: TrackKind = TrackKind::counter("mm_event_thread_fallback", None);

/// The kernel's counters of resident memory, by number.
const MEMBERS: [Counter; 5] = [
    process_memory::FILE,
    process_memory::ANON,
    process_memory::SWAP,
    process_memory::SHMEM,
    process_memory::UNRECLAIMABLE,
];

/// Counters of the memory management, by number.
const MM_EVENTS: [&str; 7] =
    ["min_flt", "maj_flt", "read_io", "compaction", "reclaim", "swp_flt", "kern_alloc"];

/// A counter of a process's memory changed.
struct Change {
    member: i64,
    bytes: i64,
    /// The owner of the memory: a hash of its address space, and whether that is the running
    /// thread's.
    space: Option<(u32, bool)>,
}

fn rss_stat(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let space = match (event.field(rss_stat::MM_ID), event.field(rss_stat::CURR)) {
        (Some(mm), Some(own)) => Some((mm.as_u32(), own.as_bool())),
        _ => None,
    };
    let change =
        Change { member: event.int(rss_stat::MEMBER), bytes: event.int(rss_stat::SIZE), space };
    count_rss(event, &change, trackers, tables, stats);
}

/// The same, of a kernel that leaves out small changes.
fn rss_stat_throttled(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let space = Some((
        event.int(rss_stat_throttled::MM_ID) as u32,
        event.int(rss_stat_throttled::CURR) != 0,
    ));
    let change = Change {
        member: event.int(rss_stat_throttled::MEMBER),
        bytes: event.int(rss_stat_throttled::SIZE),
        space,
    };
    count_rss(event, &change, trackers, tables, stats);
}

fn count_rss(
    event: &FtraceEvent<'_>,
    change: &Change,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let member = usize::try_from(change.member).unwrap_or(usize::MAX);
    // The number after those with names is that of unknown memory.
    if member > MEMBERS.len() {
        stats.increment(Stat::RssStatUnknownKeys);
    }
    if change.bytes < 0 {
        stats.increment(Stat::RssStatNegativeSize);
        return;
    }
    let utid = match change.space {
        Some((mm, own)) => {
            let tid = event.tid(event.pid);
            trackers.memory.owner(tid, mm, own, &mut trackers.processes, tables)
        }
        None => Some(event.utid(trackers, tables)),
    };
    let Some(utid) = utid else {
        stats.increment(Stat::RssStatUnknownThreadForMmId);
        return;
    };
    let counter = *MEMBERS.get(member).unwrap_or(&process_memory::UNKNOWN);
    let sample = (event.ts, change.bytes as f64);
    process_memory::count(sample, Owner::Thread(utid), counter, trackers, tables);
}

/// Memory of buffers that devices share.
fn dmabuf(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let utid = effects.utid();
    let sample = (event.ts, event.uint(dmabuf_rss_stat::RSS) as f64);
    let owner = Owner::Thread(utid);
    process_memory::count(sample, owner, process_memory::DMABUF, effects.trackers, effects.tables);
}

/// How willing the kernel is to kill a process for its memory. Old recorders wrote negative
/// scores as 32 bits without a sign, of which the lower 16 are right.
fn oom_score(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let tid = event.tid(event.int(oom_score_adj_update::PID) as i32);
    let utid = effects.trackers.processes.thread(tid, effects.tables);
    let counter = ThreadCounter {
        process: OOM_SCORE,
        thread: THREAD_OOM_SCORE,
        name: effects.intern(OOM_SCORE.name),
        of: Dimensions::thread(utid),
    };
    effects.count_for_process_of(
        utid,
        counter,
        f64::from(event.int(oom_score_adj_update::OOM_SCORE_ADJ) as i16),
    );
}

/// The kernel chose a process to kill for its memory.
fn victim(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let tid = event.tid(event.int(mark_victim::PID) as i32);
    let utid = effects.trackers.processes.thread(tid, effects.tables);
    let track = effects.track_of_thread(utid);
    effects.instant(track, "mem.oom_kill", &[]);
}

/// How often something was done for a process's memory, and how long it took.
fn event_record(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let Some(what) = MM_EVENTS.get(event.int(mm_event_record::TYPE) as usize) else {
        effects.stats.increment(Stat::MmUnknownType);
        return;
    };
    let utid = effects.utid();
    for (metric, number) in [
        ("count", mm_event_record::COUNT),
        ("max_lat", mm_event_record::MAX_LAT),
        ("avg_lat", mm_event_record::AVG_LAT),
    ] {
        let of = Dimensions::thread(utid)
            .text("mm_event_type", effects.intern(what))
            .text("mm_event_metric", effects.intern(metric));
        let name = effects.intern(&format!("mem.mm.{what}.{metric}"));
        let counter = ThreadCounter { process: MM_EVENT, thread: THREAD_MM_EVENT, name, of };
        effects.count_for_process_of(utid, counter, event.int(number) as f64);
    }
}
