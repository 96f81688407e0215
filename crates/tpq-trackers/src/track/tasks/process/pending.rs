//! Threads of unknown processes with some known facts.
//!
//! A thread may be seen long before its process is named. Two threads known to share a process are
//! remembered, and resolved as soon as either's process is; so are processes with a parent that is
//! known by one of its threads only.

use rustc_hash::FxHashMap;
use tpq_tables::{Stat, Stats, Tables};

use super::{Upid, Utid};

/// Facts that wait for the process of a thread.
#[derive(Default)]
pub(super) struct Pending {
    /// Threads of the same process; each pair is stored at both threads.
    siblings: FxHashMap<Utid, Vec<Utid>>,
    /// The processes a thread created.
    children: FxHashMap<Utid, Vec<Upid>>,
}

impl Pending {
    /// Notes which thread created a process.
    pub(super) fn child_of(&mut self, parent: Utid, child: Upid, tables: &mut Tables) {
        match tables.thread.upid.get(parent) {
            Some(upid) => tables.process.parent_upid.set(child, Some(upid)),
            None => self.children.entry(parent).or_default().push(child),
        }
    }

    /// Notes that two threads share a process.
    pub(super) fn share_process(
        &mut self,
        one: Utid,
        two: Utid,
        tables: &mut Tables,
        stats: &mut Stats,
    ) {
        match (tables.thread.upid.get(one), tables.thread.upid.get(two)) {
            (Some(upid), None) => self.associate(two, upid, tables),
            (None, Some(upid)) => self.associate(one, upid, tables),
            (Some(a), Some(b)) if a != b => stats.increment(Stat::ProcessTrackerErrors),
            (Some(_), Some(_)) => {}
            (None, None) => {
                self.siblings.entry(one).or_default().push(two);
                self.siblings.entry(two).or_default().push(one);
            }
        }
    }

    /// Gives a thread to a process, with what waited for that, and what waited for those.
    pub(super) fn associate(&mut self, utid: Utid, upid: Upid, tables: &mut Tables) {
        let mut resolved = vec![utid];
        while let Some(utid) = resolved.pop() {
            if tables.thread.upid.get(utid).is_some() {
                continue;
            }
            tables.thread.upid.set(utid, Some(upid));
            // The thread with the pid as its tid is the main one.
            let main = tables.thread.tid.get(utid) == tables.process.pid.get(upid);
            tables.thread.is_main_thread.set(utid, Some(u32::from(main)));
            for child in self.children.remove(&utid).into_iter().flatten() {
                tables.process.parent_upid.set(child, Some(upid));
            }
            resolved.extend(self.siblings.remove(&utid).into_iter().flatten());
        }
    }
}
