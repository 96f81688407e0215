//! How long the kernel's wakelocks were held, from differences.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use tpq_tables::StringId;

use crate::track::SparseCounters;

/// A wakelock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct KernelWakelock {
    /// Name of the wakelock.
    pub name: StringId,
    /// `kernel`, `native` or `unknown`.
    pub kind: StringId,
}

/// The wakelocks that sequences described, by the number of what a sequence interned.
#[derive(Default)]
pub struct KernelWakelocks {
    sequences: FxHashMap<u32, Sequence>,
    counters: SparseCounters,
}

#[derive(Default)]
struct Sequence {
    by_id: FxHashMap<u32, KernelWakelock>,
    /// Place of each name in `held`.
    sources: FxHashMap<StringId, usize>,
    held: Vec<Held>,
    /// Those that the packet names, in `held`.
    named: BTreeSet<usize>,
}

/// A lock that was held.
struct Held {
    lock: KernelWakelock,
    /// For how long in all, ms.
    total: u64,
    /// The counter with its value.
    track: Option<u32>,
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
            held.push(Held { lock, total: 0, track: None });
            held.len() - 1
        });
        sequence.named.insert(source);
        let held = &mut held[source];
        held.lock = lock;
        held.total = held.total.saturating_add(ms);
        true
    }

    /// The locks that the packet names, with for how long they were held in all, ms.
    pub fn named(&mut self, sequence: u32) -> Vec<(KernelWakelock, u64)> {
        let Some(sequence) = self.sequences.get_mut(&sequence) else { return Vec::new() };
        let named = std::mem::take(&mut sequence.named);
        let named = named.into_iter().filter_map(|index| sequence.held.get(index));
        named.map(|held| (held.lock, held.total)).collect()
    }

    /// The values to write of the counter of a lock, ms.
    pub fn offer(
        &mut self,
        sequence: u32,
        name: StringId,
        track: u32,
        sample: (i64, u64),
    ) -> Vec<(i64, u64)> {
        if let Some(state) = self.sequences.get_mut(&sequence)
            && let Some(&source) = state.sources.get(&name)
            && let Some(before) = state.held[source].track.replace(track)
            && before != track
        {
            // The name is that of a lock of another kind now.
            self.counters.release(before);
        }
        self.counters.offer(track, sequence, sample)
    }

    /// A packet ends: locks that it does not name were not held since the one before.
    pub fn end_packet(&mut self, sequence: u32, ts: i64) {
        self.counters.end_packet(sequence, ts);
    }
}
