//! The threads that write sequences, as older packets describe them, and what differences in
//! their events count from.

use rustc_hash::FxHashMap;
use tpq_ingest::{Generation, GenerationId};

/// A thread, by ids as its program gives them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SequenceThread {
    /// The pid.
    pub pid: i64,
    /// The tid.
    pub tid: i64,
}

/// Sums of the differences of a thread's counts: CPU time in ns, and instructions.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreadTotals {
    /// CPU time, ns.
    pub time: i64,
    /// Number of instructions.
    pub instructions: i64,
}

impl ThreadTotals {
    fn is_zero(self) -> bool {
        self.time == 0 && self.instructions == 0
    }
}

/// Remembers the threads. They are known ahead of the events: packets are read in file order.
#[derive(Debug, Default)]
pub struct SequenceThreads {
    /// The thread of each sequence, and from which generation on.
    threads: FxHashMap<u32, Vec<(GenerationId, SequenceThread)>>,
    /// By scope of interned state.
    totals: FxHashMap<u32, ThreadTotals>,
}

impl SequenceThreads {
    /// A thread was described as the writer of a sequence; differences count from `reference`.
    pub fn describe(
        &mut self,
        id: GenerationId,
        generation: &Generation,
        thread: SequenceThread,
        reference: ThreadTotals,
    ) {
        let known = self.threads.entry(generation.sequence).or_default();
        match known.last_mut() {
            // Of several in a generation the last one counts for all of it.
            Some((latest, it)) if *latest == id => *it = thread,
            Some((_, it)) if *it == thread => {}
            _ => known.push((id, thread)),
        }
        let totals = self.totals.entry(generation.interned).or_insert(reference);
        if totals.is_zero() {
            *totals = reference;
        }
    }

    /// The thread that wrote what was written in a generation; it stays the same when the
    /// sequence's state is cleared.
    pub fn get(&self, id: GenerationId, generation: &Generation) -> Option<SequenceThread> {
        let known = self.threads.get(&generation.sequence)?;
        let after = known.partition_point(|&(from, _)| from <= id);
        known.get(after.checked_sub(1)?).map(|&(_, thread)| thread)
    }

    /// The sums of the sequence's differences so far; `None` if no thread was described since the
    /// state was cleared.
    pub fn totals(&mut self, generation: &Generation) -> Option<&mut ThreadTotals> {
        self.totals.get_mut(&generation.interned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREAD: SequenceThread = SequenceThread { pid: 10, tid: 11 };
    const OTHER: SequenceThread = SequenceThread { pid: 10, tid: 12 };

    fn generation(interned: u32) -> Generation {
        let (source, sequence, pid, defaults) = (0, 1, None, None);
        Generation { source, sequence, pid, interned, defaults, whole: true }
    }

    #[test]
    fn a_thread_stays_until_another_is_described() {
        let mut threads = SequenceThreads::default();
        let none = ThreadTotals::default();
        threads.describe(3, &generation(1), THREAD, none);
        threads.describe(7, &generation(2), OTHER, none);
        let get = |id| threads.get(id, &generation(0));
        assert_eq!(
            [2, 3, 6, 7, 9].map(get),
            [None, Some(THREAD), Some(THREAD), Some(OTHER), Some(OTHER)]
        );
    }

    #[test]
    fn differences_count_from_what_the_descriptor_gave_while_the_state_lasts() {
        let mut threads = SequenceThreads::default();
        let reference = ThreadTotals { time: 500, instructions: 9 };
        threads.describe(0, &generation(1), THREAD, reference);
        threads.totals(&generation(1)).unwrap().time += 5;
        threads.describe(0, &generation(1), THREAD, reference);
        assert_eq!(threads.totals(&generation(1)).map(|totals| totals.time), Some(505));
        assert!(threads.totals(&generation(2)).is_none());
    }
}
