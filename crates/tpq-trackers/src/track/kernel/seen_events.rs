//! The kinds of kernel events that a file has.

use std::collections::BTreeSet;

use tpq_proto::ftrace::event_kind;

use crate::track::Trackers;

/// Kinds beyond this number are not remembered; recorders number a few hundred.
const MOST_KINDS: u32 = 1 << 16;

/// Remembers kinds by the number of their field.
#[derive(Debug, Default)]
pub struct SeenEvents {
    bits: Vec<u64>,
}

impl SeenEvents {
    /// Notes an event.
    #[inline]
    pub fn add(&mut self, kind: u32) {
        let (word, bit) = (kind as usize / 64, 1 << (kind % 64));
        match self.bits.get_mut(word) {
            Some(bits) => *bits |= bit,
            None => self.grow(kind),
        }
    }

    #[cold]
    fn grow(&mut self, kind: u32) {
        if kind < MOST_KINDS {
            self.bits.resize(kind as usize / 64 + 1, 0);
            self.add(kind);
        }
    }

    fn kinds(&self) -> impl Iterator<Item = u32> {
        let bits = (0..).zip(&self.bits);
        bits.flat_map(|(word, bits)| {
            (0..64).filter(move |bit| bits >> bit & 1 != 0).map(move |bit| word * 64 + bit)
        })
    }
}

impl Trackers {
    /// The names of the kernel events that each file has, by file.
    pub fn kernel_events_by_file(&self) -> Vec<BTreeSet<String>> {
        let mut names: Vec<BTreeSet<String>> = self
            .all_files()
            .map(|file| file.seen_events.kinds().filter_map(event_kind))
            .map(|kinds| kinds.map(|kind| kind.name.to_owned()).collect())
            .collect();
        // A kind that the trace itself describes has a name on its machine only.
        let seen: Vec<&SeenEvents> = self.all_files().map(|file| &file.seen_events).collect();
        for (source, trackers) in self.sources.iter().zip(self.all_sources()) {
            let file = source.file as usize;
            let (Some(names), Some(seen)) = (names.get_mut(file), seen.get(file)) else { continue };
            let described = seen.kinds().filter_map(|kind| trackers.described_kinds.get(&kind));
            names.extend(described.map(|kind| String::from_utf8_lossy(&kind.name).into_owned()));
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_remembered_up_to_a_limit() {
        let mut seen = SeenEvents::default();
        for kind in [3, 64, 3, 127, 5_000, MOST_KINDS, u32::MAX] {
            seen.add(kind);
        }
        assert_eq!(seen.kinds().collect::<Vec<_>>(), [3, 64, 127, 5_000]);
    }
}
