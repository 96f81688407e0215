//! Times in which threads show themselves, where the events between are left out.

use rustc_hash::FxHashMap;
use tpq_ingest::SourceId;

use crate::track::Utid;

/// Presences that have begun: each is of one thread from its first event to its last, and the
/// events between are left out. They add nothing if the thread lives all that time.
#[derive(Debug, Default)]
pub struct Presences {
    /// By source and number.
    begun: FxHashMap<(SourceId, u32), Utid>,
    are_doubtful: bool,
}

impl Presences {
    /// A presence begins. `thread` is the live thread that has its tid.
    pub fn begin(&mut self, id: (SourceId, u32), thread: Option<Utid>) {
        match thread {
            Some(thread) => self.are_doubtful |= self.begun.insert(id, thread).is_some(),
            None => self.are_doubtful = true,
        }
    }

    /// A presence ends.
    pub fn end(&mut self, id: (SourceId, u32), thread: Option<Utid>) {
        let begun = self.begun.remove(&id);
        self.are_doubtful |= begun.is_none() || begun != thread;
    }

    /// Whether an event that was left out may have been the first of its thread.
    pub fn are_doubtful(&self) -> bool {
        self.are_doubtful || !self.begun.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubtful(begin: Option<Option<Utid>>, end: Option<Option<Utid>>) -> bool {
        let mut presences = Presences::default();
        if let Some(thread) = begin {
            presences.begin((0, 1), thread);
        }
        if let Some(thread) = end {
            presences.end((0, 1), thread);
        }
        presences.are_doubtful()
    }

    #[test]
    fn one_thread_from_beginning_to_end_leaves_no_doubt() {
        assert!(!doubtful(Some(Some(5)), Some(Some(5))));
        assert!(!doubtful(None, None));
    }

    #[test]
    fn threads_that_change_and_parts_that_are_missing_are_doubtful() {
        assert!(doubtful(Some(Some(5)), Some(Some(6))));
        assert!(doubtful(Some(Some(5)), Some(None)));
        assert!(doubtful(Some(None), Some(None)));
        assert!(doubtful(Some(Some(5)), None));
        assert!(doubtful(None, Some(Some(5))));
    }
}
