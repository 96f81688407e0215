//! How long the kernel's wakelocks were held, from differences.

use rustc_hash::FxHashMap;
use tpq_tables::StringId;

/// A wakelock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct KernelWakelock {
    pub(crate) name: StringId,
    /// `kernel`, `native` or `unknown`.
    pub(crate) kind: StringId,
}

/// The wakelocks that sequences told of, by the number of what a sequence interned.
#[derive(Default)]
pub(crate) struct KernelWakelocks {
    sequences: FxHashMap<u32, Sequence>,
}

#[derive(Default)]
struct Sequence {
    by_id: FxHashMap<u32, KernelWakelock>,
    /// Place of each name in `held`.
    places: FxHashMap<StringId, usize>,
    /// What was held, and how long in all, ms.
    held: Vec<(KernelWakelock, u64)>,
}

impl KernelWakelocks {
    /// Gives an id a name; false when it has one.
    pub(crate) fn name(&mut self, sequence: u32, id: u32, lock: KernelWakelock) -> bool {
        let by_id = &mut self.sequences.entry(sequence).or_default().by_id;
        let known = by_id.len();
        by_id.entry(id).or_insert(lock);
        by_id.len() > known
    }

    /// A lock was held for so many ms more; false when its id has no name.
    pub(crate) fn hold(&mut self, sequence: u32, id: u32, ms: u64) -> bool {
        let sequence = self.sequences.entry(sequence).or_default();
        let Some(&lock) = sequence.by_id.get(&id) else { return false };
        let held = &mut sequence.held;
        let place = *sequence.places.entry(lock.name).or_insert_with(|| {
            held.push((lock, 0));
            held.len() - 1
        });
        held[place] = (lock, held[place].1.saturating_add(ms));
        true
    }

    /// Every lock that was ever held, with for how long in all, ms.
    pub(crate) fn held(&self, sequence: u32) -> Vec<(KernelWakelock, u64)> {
        self.sequences.get(&sequence).map(|it| it.held.clone()).unwrap_or_default()
    }
}
