//! Threads that were lately looked up: the same few take turns, and to know that one still lives
//! takes a look at its process.

use super::{Tid, Utid};

/// A power of two; what is remembered fits into the nearest cache.
const PLACES: usize = 1024;

#[derive(Clone, Copy)]
struct Source {
    tid: Tid,
    utid: Utid,
    /// Valid while this is the current one.
    epoch: u32,
}

/// The same of threads that were looked up by their process as well.
const MEMBER_PLACES: usize = 256;

/// A thread that was looked up by its process as well.
#[derive(Clone, Copy)]
struct Member {
    tid: Tid,
    pid: Tid,
    utid: Utid,
    /// Valid while this is the current one, which is never 0.
    epoch: u32,
}

/// A slot for each, by the last bits of its id.
pub(super) struct RecentThreads {
    sources: Vec<Source>,
    members: Vec<Member>,
    epoch: u32,
}

impl Default for RecentThreads {
    fn default() -> Self {
        let tid = Tid { machine: 0, id: 0 };
        let nothing = Source { tid, utid: 0, epoch: 0 };
        let no_member = Member { tid, pid: tid, utid: 0, epoch: 0 };
        Self { sources: vec![nothing; PLACES], members: vec![no_member; MEMBER_PLACES], epoch: 1 }
    }
}

impl RecentThreads {
    pub(super) fn get(&self, tid: Tid) -> Option<Utid> {
        let source = &self.sources[tid.id as usize % PLACES];
        (source.tid == tid && source.epoch == self.epoch).then_some(source.utid)
    }

    pub(super) fn remember(&mut self, tid: Tid, utid: Utid) {
        self.sources[tid.id as usize % PLACES] = Source { tid, utid, epoch: self.epoch };
    }

    pub(super) fn get_of_process(&self, tid: Tid, pid: Tid) -> Option<Utid> {
        let member = &self.members[member_place(tid, pid)];
        let is_it = member.tid == tid && member.pid == pid && member.epoch == self.epoch;
        is_it.then_some(member.utid)
    }

    pub(super) fn remember_of_process(&mut self, tid: Tid, pid: Tid, utid: Utid) {
        self.members[member_place(tid, pid)] = Member { tid, pid, utid, epoch: self.epoch };
    }

    /// Forgets threads that were looked up by their process.
    pub(super) fn forget_members(&mut self) {
        self.members.iter_mut().for_each(|member| member.epoch = 0);
    }

    /// Forgets all: which threads live has changed.
    pub(super) fn forget(&mut self) {
        match self.epoch.checked_add(1) {
            Some(epoch) => self.epoch = epoch,
            None => *self = Self::default(),
        }
    }
}

fn member_place(tid: Tid, pid: Tid) -> usize {
    tid.id.wrapping_mul(31).wrapping_add(pid.id) as usize % MEMBER_PLACES
}
