//! The known sets, by hashes of their contents.

use tpq_ingest::fetch;

/// The ids of sets, from 1 on. Sets with equal hashes count as equal: with random 128-bit hashes a
/// collision is practically impossible, see `crate::fingerprint`.
pub(super) struct KnownSets {
    /// Half of the hash's lower word, and the id next to it; 0 where there is no set. To find a set
    /// takes one look in here if it is new, and one at its hash if it is not.
    slots: Vec<u64>,
    /// The hash of each set.
    hashes: Vec<u128>,
}

/// Slots there are at first.
const FIRST: usize = 1 << 10;

impl Default for KnownSets {
    fn default() -> Self {
        Self { slots: vec![0; FIRST], hashes: Vec::new() }
    }
}

impl KnownSets {
    /// Has the processor fetch where a set is looked for soon.
    #[inline]
    pub(super) fn fetch(&self, hash: u128) {
        fetch(&self.slots[self.first_slot(hash)..]);
    }

    /// The id of a set, and whether it is a new one.
    pub(super) fn id(&mut self, hash: u128) -> (u32, bool) {
        // A quarter of the slots stays free.
        if (self.hashes.len() + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let mut at = self.first_slot(hash);
        loop {
            let slot = self.slots[at];
            let id = slot as u32;
            if id == 0 {
                self.hashes.push(hash);
                let id = self.hashes.len() as u32;
                self.slots[at] = slot_of(hash, id);
                return (id, true);
            }
            if slot == slot_of(hash, id) && self.hashes[id as usize - 1] == hash {
                return (id, false);
            }
            at = self.after(at);
        }
    }

    /// The first slot of a hash.
    fn first_slot(&self, hash: u128) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    fn after(&self, at: usize) -> usize {
        (at + 1) & (self.slots.len() - 1)
    }

    #[cold]
    fn grow(&mut self) {
        self.slots = vec![0; 2 * self.slots.len()];
        for (id, &hash) in (1..).zip(&self.hashes) {
            let mut at = self.first_slot(hash);
            while self.slots[at] != 0 {
                at = self.after(at);
            }
            self.slots[at] = slot_of(hash, id);
        }
    }
}

fn slot_of(hash: u128, id: u32) -> u64 {
    hash as u64 & !u64::from(u32::MAX) | u64::from(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some of them fall on one slot, or have half of a hash in common.
    #[test]
    fn each_hash_has_an_id_of_its_own() {
        let mut known = KnownSets::default();
        let hashes: Vec<u128> = (0..5000)
            .map(|it: u128| match it % 4 {
                0 => it << 64 | 7,
                1 => it << 32,
                2 => u128::MAX - it,
                _ => it.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835),
            })
            .collect();
        for _ in 0..2 {
            for (id, &hash) in (1..).zip(&hashes) {
                known.fetch(hash);
                let is_new = known.hashes.len() < id as usize;
                assert_eq!(known.id(hash), (id, is_new));
            }
        }
        assert_eq!(known.hashes.len(), hashes.len());
    }
}
