//! Which binary is mapped at an address.

use std::collections::BTreeMap;

/// A mapping of a binary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mapped {
    /// Row of `stack_profile_mapping`.
    pub(super) row: u32,
    /// First address when it was mapped.
    pub(super) start: u64,
    /// Offset in the binary of the first address.
    pub(super) offset: u64,
    /// Number of the binary among those with symbols.
    pub(super) binary: Option<usize>,
}

impl Mapped {
    /// The address in the binary of an address in memory.
    pub(super) fn rel_pc(self, address: u64) -> u64 {
        address.wrapping_sub(self.start).wrapping_add(self.offset)
    }
}

/// Mappings that do not overlap, by their first address; each with the address behind it.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory(BTreeMap<u64, (u64, Mapped)>);

impl Memory {
    /// Adds a mapping from `start` to before `end`. It replaces what was mapped there.
    pub(super) fn map(&mut self, start: u64, end: u64, mapped: Mapped) {
        if start >= end {
            return;
        }
        // What lies around the new mapping is cut in two.
        if let Some((&before, &(before_end, other))) = self.0.range(..start).next_back()
            && before_end > start
        {
            self.0.insert(before, (start, other));
            if before_end > end {
                self.0.insert(end, (before_end, other));
            }
        }
        while let Some((&inside, &(inside_end, other))) = self.0.range(start..end).next() {
            self.0.remove(&inside);
            if inside_end > end {
                self.0.insert(end, (inside_end, other));
            }
        }
        self.0.insert(start, (end, mapped));
    }

    /// The number of mappings.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The mapping at an address.
    pub(super) fn at(&self, address: u64) -> Option<Mapped> {
        let (_, &(end, mapped)) = self.0.range(..=address).next_back()?;
        (address < end).then_some(mapped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(row: u32, start: u64) -> Mapped {
        Mapped { row, start, offset: 0x10, binary: None }
    }

    #[test]
    fn a_new_mapping_replaces_what_it_covers() {
        let mut memory = Memory::default();
        for (row, start, end) in [(0, 10, 50), (1, 60, 70), (2, 20, 30), (3, 40, 65), (4, 5, 5)] {
            memory.map(start, end, mapped(row, start));
        }
        let row = |address| memory.at(address).map(|mapped| mapped.row);
        let rows = [9, 10, 19, 20, 29, 30, 39, 40, 64, 65, 69, 70].map(row);
        let [a, b, c, d] = [0, 1, 2, 3].map(Some);
        assert_eq!(rows, [None, a, a, c, c, a, a, d, d, b, b, None]);
        // The rest of a mapping keeps its place in the binary.
        assert_eq!(memory.at(30).map(|mapped| mapped.rel_pc(30)), Some(0x10 + 20));
    }

    #[test]
    fn mappings_at_the_ends_of_memory() {
        let mut memory = Memory::default();
        memory.map(0, u64::MAX, mapped(0, 0));
        memory.map(u64::MAX - 1, u64::MAX, mapped(1, u64::MAX - 1));
        assert_eq!(memory.at(0).map(|mapped| mapped.row), Some(0));
        assert_eq!(memory.at(u64::MAX - 1).map(|mapped| mapped.row), Some(1));
        assert_eq!(memory.at(u64::MAX), None);
    }
}
