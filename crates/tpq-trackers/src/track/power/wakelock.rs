//! How long the kernel's wakelocks were held, from differences.

use rustc_hash::FxHashMap;
use tpq_tables::StringId;

/// A wakelock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct KernelWakelock {
    /// Name of the wakelock.
    pub name: StringId,
    /// `kernel`, `native` or `unknown`.
    pub kind: StringId,
}

/// Values that are repeated for locks that were not held again: this many for each byte that
/// described locks, so that a trace cannot make more of them than it is worth.
const REPEATS_PER_BYTE: u64 = 16;
const FIRST_REPEATS: u64 = 100_000;

/// The wakelocks that sequences described, by the number of what a sequence interned.
pub struct KernelWakelocks {
    sequences: FxHashMap<u32, Sequence>,
    /// How many values may still be repeated.
    repeats: u64,
}

impl Default for KernelWakelocks {
    fn default() -> Self {
        Self { sequences: FxHashMap::default(), repeats: FIRST_REPEATS }
    }
}

#[derive(Default)]
struct Sequence {
    by_id: FxHashMap<u32, KernelWakelock>,
    /// Place of each name in `held`.
    sources: FxHashMap<StringId, usize>,
    /// The held lock, and its total time, ms.
    held: Vec<(KernelWakelock, u64)>,
}

impl KernelWakelocks {
    /// Gives an id a name; false when it has one.
    pub fn name(&mut self, sequence: u32, id: u32, lock: KernelWakelock) -> bool {
        let by_id = &mut self.sequences.entry(sequence).or_default().by_id;
        let known = by_id.len();
        by_id.entry(id).or_insert(lock);
        by_id.len() > known
    }

    /// A lock was held for `ms` more ms; false when its id has no name.
    pub fn hold(&mut self, sequence: u32, id: u32, ms: u64) -> bool {
        let sequence = self.sequences.entry(sequence).or_default();
        let Some(&lock) = sequence.by_id.get(&id) else { return false };
        let held = &mut sequence.held;
        let source = *sequence.sources.entry(lock.name).or_insert_with(|| {
            held.push((lock, 0));
            held.len() - 1
        });
        held[source] = (lock, held[source].1.saturating_add(ms));
        true
    }

    /// Every lock that was ever held, with for how long in all, ms. Nothing once what `bytes` of
    /// packets may repeat is used up: a counter keeps its value.
    pub fn held(&mut self, sequence: u32, bytes: usize) -> Vec<(KernelWakelock, u64)> {
        let Some(sequence) = self.sequences.get(&sequence) else { return Vec::new() };
        let wanted = sequence.held.len() as u64;
        self.repeats = self.repeats.saturating_add(REPEATS_PER_BYTE * bytes as u64);
        if wanted > self.repeats {
            return Vec::new();
        }
        self.repeats -= wanted;
        sequence.held.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeating_ends_when_it_outgrows_its_input() {
        let mut locks = KernelWakelocks::default();
        let lock = KernelWakelock { name: StringId(1), kind: StringId(2) };
        assert!(locks.name(0, 1, lock));
        assert!(!locks.name(0, 1, lock), "it has a name");
        assert!(locks.hold(0, 1, 5));
        for _ in 0..FIRST_REPEATS {
            assert_eq!(locks.held(0, 0), [(lock, 5)]);
        }
        assert_eq!(locks.held(0, 0), []);
        assert_eq!(locks.held(0, 1), [(lock, 5)], "a byte is worth more");
    }
}
