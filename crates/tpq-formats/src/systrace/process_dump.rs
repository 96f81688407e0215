//! The lists of processes and threads that a page holds in addition to the trace.

use tpq_tables::{Stat, Stats, Tables};

use tpq_decode::RunEvent;
use tpq_trackers::track::{NamePriority, Tid, Trackers};

/// Decodes a line of the list of processes: `USER PID PPID VSZ RSS WCHAN PC S NAME CMD`.
pub(crate) fn decode_process(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let words: Vec<&[u8]> = words(event.message()).collect();
    // Other versions of `ps` list less, or in another order.
    let [_user, pid, parent, _, _, _, _, _, name, _, ..] = words[..] else { return };
    let tid = |word| Some(Tid { machine: event.machine, id: id(word)? });
    let (Some(pid), Some(parent)) = (tid(pid), tid(parent)) else {
        stats.increment(Stat::SystraceParseFailure);
        return;
    };
    let parent = trackers.processes.process(parent, tables);
    let upid = trackers.processes.process(pid, tables);
    trackers.processes.set_parent(upid, parent, tables, stats);
    let name = tables.strings.intern_bytes(name);
    trackers.processes.name_unnamed_process(upid, name, tables);
}

/// Decodes a line of the list of threads: `USER PID TID CMD`.
pub(crate) fn decode_thread(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let line = event.message().trim_ascii();
    if line.is_empty() {
        return;
    }
    let mut rest = line;
    let mut word = || {
        let end = rest.iter().position(u8::is_ascii_whitespace)?;
        let (word, after) = rest.split_at_checked(end)?;
        rest = after.trim_ascii_start();
        Some(word)
    };
    let (_user, pid, tid) = (word(), word(), word());
    let tid_of = |word: Option<&[u8]>| Some(Tid { machine: event.machine, id: id(word?)? });
    let (Some(pid), Some(tid)) = (tid_of(pid), tid_of(tid)) else {
        stats.increment(Stat::SystraceParseFailure);
        return;
    };
    // A name may hold spaces.
    let name = tables.strings.intern_bytes(rest);
    let utid = trackers.processes.thread_of_process(tid, pid, tables);
    trackers.processes.name_thread(utid, name, NamePriority::Other, tables);
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

fn id(word: &[u8]) -> Option<i64> {
    std::str::from_utf8(word).ok()?.parse::<u32>().ok().map(i64::from)
}
