//! Commands of builds become slices, on as many workers as ran at a time.

use tpq_decode::RunEvent;
use tpq_tables::{Stat, Stats, Tables};
use tpq_trackers::track::{NamePriority, NewSlice, Tid, Trackers};

use super::log_lines::LogLine;
use crate::text::lines;

const NS_PER_MS: i64 = 1_000_000;
/// The process of all workers. It is not the process that ran: a log names none.
const PID: i64 = 1;
const PROCESS: &str = "Build";
const WORKER: &str = "Worker";
/// The number of workers at most: each is a thread, and a command looks at all of them.
const MOST_WORKERS: usize = 4096;

/// The workers of a log.
#[derive(Default)]
struct Workers(Vec<Worker>);

struct Worker {
    /// End of the last command, ns.
    busy_until: i64,
    track: u32,
}

pub(super) fn decode_job(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let jobs: Vec<LogLine<'_>> = lines(event.message()).filter_map(LogLine::parse).collect();
    let Some(first) = jobs.first() else { return };
    let dur = first.end.saturating_sub(first.start).saturating_mul(NS_PER_MS);
    let Some(track) = take_worker(event, dur, trackers, tables) else {
        stats.increment(Stat::NinjaParseErrors);
        return;
    };
    let names: Vec<_> = jobs.iter().map(|job| String::from_utf8_lossy(job.output)).collect();
    let name = tables.strings.intern(&names.join(", "));
    let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
    trackers.bounds.include(event.ts);
    if trackers.source.slices.complete(slice, dur, tables, stats).is_some() {
        trackers.bounds.include(event.ts.saturating_add(dur));
    }
}

/// The track of the worker that runs a command: of those that are idle, the one that was busy
/// last, since the end of its command is the likeliest reason for this one to begin.
fn take_worker(
    event: &RunEvent<'_>,
    dur: i64,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> Option<u32> {
    let Workers(workers) = trackers.source.states.get();
    let idle = workers.iter_mut().rev().filter(|worker| worker.busy_until <= event.ts);
    let end = event.ts.saturating_add(dur.max(0));
    if let Some(worker) = idle.max_by_key(|worker| worker.busy_until) {
        worker.busy_until = end;
        return Some(worker.track);
    }
    let number = workers.len();
    if number >= MOST_WORKERS {
        return None;
    }
    let track = make_worker(event.machine, number as i64 + 1, trackers, tables);
    let Workers(workers) = trackers.source.states.get();
    workers.push(Worker { busy_until: end, track });
    Some(track)
}

fn make_worker(machine: u32, tid: i64, trackers: &mut Trackers, tables: &mut Tables) -> u32 {
    let tid_of = |id| Tid { machine, id };
    let upid = trackers.processes.process(tid_of(PID), tables);
    let name = tables.strings.intern(PROCESS);
    trackers.processes.name_unnamed_process(upid, name, tables);
    let utid = trackers.processes.thread_of_process(tid_of(tid), tid_of(PID), tables);
    let name = tables.strings.intern(WORKER);
    trackers.processes.name_thread(utid, name, NamePriority::Other, tables);
    trackers.source.tracks.execution(utid, &mut trackers.deferred, tables)
}
