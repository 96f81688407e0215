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

/// A slot for each, by the last bits of its id.
pub(super) struct RecentThreads {
    sources: Vec<Source>,
    epoch: u32,
}

impl Default for RecentThreads {
    fn default() -> Self {
        let nothing = Source { tid: Tid { machine: 0, id: 0 }, utid: 0, epoch: 0 };
        Self { sources: vec![nothing; PLACES], epoch: 1 }
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

    /// Forgets all: which threads live has changed.
    pub(super) fn forget(&mut self) {
        match self.epoch.checked_add(1) {
            Some(epoch) => self.epoch = epoch,
            None => *self = Self::default(),
        }
    }
}
