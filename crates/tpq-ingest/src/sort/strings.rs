//! Strings that runs share and that are in the store. They are written once, also when several
//! segments refer to them, and are in memory once, while a run refers to them.

use std::sync::{Arc, Weak};

use rustc_hash::FxHashMap;

use crate::Span;

/// Offsets of strings in the store, by their addresses in memory. An address is not reused while
/// its strings are held here, so strings without a run are dropped from time to time.
#[derive(Default)]
pub(super) struct StoredStrings {
    by_offset: FxHashMap<u64, Weak<[Span]>>,
    by_address: FxHashMap<usize, u64>,
    /// The last string read, as the next block of a segment often has it too.
    latest: Option<Arc<[Span]>>,
    /// Bytes of all that is noted.
    bytes: u64,
    /// Bytes of what was in use when the rest was last dropped.
    used: u64,
}

impl StoredStrings {
    /// Where strings lie, if they were written.
    pub(super) fn offset(&self, strings: &Arc<[Span]>) -> Option<u64> {
        self.by_address.get(&Arc::as_ptr(strings).addr()).copied()
    }

    /// The strings at an offset, if a run has them.
    pub(super) fn at(&self, offset: u64) -> Option<Arc<[Span]>> {
        self.by_offset.get(&offset).and_then(Weak::upgrade)
    }

    /// Notes where strings lie. Of those that no run has, about `spare` bytes may stay.
    pub(super) fn note(&mut self, strings: &Arc<[Span]>, offset: u64, spare: u64) {
        let noted = Arc::downgrade(strings);
        self.bytes += bytes(&noted);
        if let Some(before) = self.by_offset.insert(offset, noted) {
            self.bytes = self.bytes.saturating_sub(bytes(&before));
            self.by_address.remove(&address(&before));
        }
        self.by_address.insert(Arc::as_ptr(strings).addr(), offset);
        // The set has more than doubled since, so that the average cost is small.
        if self.bytes > self.used.saturating_mul(2).saturating_add(spare) {
            self.drop_unused();
        }
    }

    /// Notes strings that were read.
    pub(super) fn note_read(&mut self, strings: &Arc<[Span]>, offset: u64, spare: u64) {
        self.latest = Some(Arc::clone(strings));
        self.note(strings, offset, spare);
    }

    fn drop_unused(&mut self) {
        let Self { by_offset, by_address, bytes: all, .. } = self;
        by_offset.retain(|_, strings| {
            let is_used = strings.strong_count() > 0;
            if !is_used {
                *all = all.saturating_sub(bytes(strings));
                by_address.remove(&address(strings));
            }
            is_used
        });
        self.used = self.bytes;
    }
}

fn address(strings: &Weak<[Span]>) -> usize {
    strings.as_ptr().addr()
}

/// Size of the noted strings.
fn bytes(strings: &Weak<[Span]>) -> u64 {
    /// About what they take in the maps, and the counts before them.
    const ENTRY: usize = 64;
    (strings.as_ptr().len() * size_of::<Span>() + ENTRY) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(len: usize) -> Arc<[Span]> {
        vec![Span { addr: 7, len: 1 }; len].into()
    }

    #[test]
    fn unused_strings_are_dropped() {
        const LEN: usize = 1_000;
        let mut stored = StoredStrings::default();
        let kept = strings(LEN);
        stored.note(&kept, 5, 100_000);
        for offset in 100..1_000 {
            stored.note(&strings(LEN), offset, 100_000);
            let most = 5 * LEN * size_of::<Span>() + 100_000;
            assert!(stored.bytes < most as u64, "{} bytes stay", stored.bytes);
        }
        assert!(stored.by_offset.len() < 15 && stored.by_address.len() < 15);
        assert_eq!(stored.offset(&kept), Some(5));
        assert!(stored.at(5).is_some_and(|strings| Arc::ptr_eq(&strings, &kept)));
        assert!(stored.at(100).is_none());
    }

    #[test]
    fn reread_strings_have_their_new_address() {
        let mut stored = StoredStrings::default();
        let (before, after) = (strings(3), strings(3));
        stored.note_read(&before, 5, 0);
        stored.note_read(&after, 5, 0);
        assert_eq!((stored.offset(&before), stored.offset(&after)), (None, Some(5)));
        let one = bytes(&Arc::downgrade(&after));
        assert_eq!(stored.bytes, one);
    }
}
