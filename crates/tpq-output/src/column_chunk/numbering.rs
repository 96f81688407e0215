//! Numbers of distinct keys, in the order of their first occurrence.

/// A slot without a key.
const EMPTY: u32 = u32::MAX;
/// The slots of an empty table: a power of two, few, as most columns have few values.
const FIRST_SLOTS: usize = 256;
/// An odd number with bits all over, which spreads what it is multiplied with.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// What has a number.
pub(crate) trait Key: Copy + Eq {
    /// A hash, of which the high bits count.
    fn hash(self) -> u64;
}

impl Key for i64 {
    fn hash(self) -> u64 {
        spread(self.cast_unsigned())
    }
}

impl Key for u128 {
    fn hash(self) -> u64 {
        spread((self as u64).wrapping_mul(SPREAD) ^ (self >> 64) as u64)
    }
}

/// A hash of a word.
pub(super) fn spread(word: u64) -> u64 {
    (word ^ (word >> 32)).wrapping_mul(SPREAD)
}

/// Slots by hash, which hold numbers. What has the numbers is kept elsewhere.
pub(super) struct Slots {
    slots: Vec<u32>,
    used: usize,
}

impl Slots {
    pub(super) fn new() -> Self {
        Self { slots: vec![EMPTY; FIRST_SLOTS], used: 0 }
    }

    /// The number with this hash for which `is_it` holds, or the slot for a new one.
    #[inline]
    pub(super) fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = (hash >> (u64::BITS - self.slots.len().ilog2())) as usize;
        loop {
            match self.slots[slot] {
                EMPTY => return Err(slot),
                number if is_it(number) => return Ok(number),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// Fills a slot that was found empty. `hash` is that of each number.
    pub(super) fn fill(&mut self, slot: usize, number: u32, hash: impl Fn(u32) -> u64) {
        self.slots[slot] = number;
        self.used += 1;
        if self.used * 2 > self.slots.len() {
            let grown = vec![EMPTY; self.slots.len() * 4];
            let numbers = std::mem::replace(&mut self.slots, grown);
            for number in numbers.into_iter().filter(|number| *number != EMPTY) {
                if let Err(slot) = self.find(hash(number), |_| false) {
                    self.slots[slot] = number;
                }
            }
        }
    }

    pub(super) fn clear(&mut self) {
        if self.used > 0 {
            self.slots.fill(EMPTY);
            self.used = 0;
        }
    }
}

/// Distinct keys and their numbers.
pub(crate) struct Numbering<K> {
    keys: Vec<K>,
    slots: Slots,
}

impl<K: Key> Numbering<K> {
    pub(crate) fn new() -> Self {
        Self { keys: Vec::new(), slots: Slots::new() }
    }

    /// The number of a key, which is the count of those before if it is new.
    #[inline]
    pub(crate) fn number(&mut self, key: K) -> u32 {
        match self.slots.find(key.hash(), |number| self.keys[number as usize] == key) {
            Ok(number) => number,
            Err(slot) => self.add(key, slot),
        }
    }

    #[cold]
    fn add(&mut self, key: K, slot: usize) -> u32 {
        let number = self.keys.len() as u32;
        self.keys.push(key);
        let keys = &self.keys;
        self.slots.fill(slot, number, |number| keys[number as usize].hash());
        number
    }

    /// The keys in the order of their numbers.
    pub(crate) fn keys(&self) -> &[K] {
        &self.keys
    }

    /// Forgets all keys.
    pub(super) fn clear(&mut self) {
        self.keys.clear();
        self.slots.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_numbered_by_their_first_occurrence() {
        let mut numbering = Numbering::new();
        let keys = [7, i64::MIN, 7, 0, i64::MAX, 0];
        let numbers = keys.map(|key: i64| numbering.number(key));
        assert_eq!(numbers, [0, 1, 0, 2, 3, 2]);
        assert_eq!(numbering.keys(), [7, i64::MIN, 0, i64::MAX]);
        numbering.clear();
        assert_eq!((numbering.number(0), numbering.number(7)), (0, 1));
    }

    #[test]
    fn numbers_stay_as_the_table_grows() {
        let mut numbering = Numbering::new();
        let key = |number: u32| u128::from(number) << 64 | u128::from(number % 3);
        let all = 0..10_000;
        assert!(all.clone().all(|number| numbering.number(key(number)) == number));
        assert!(all.clone().rev().all(|number| numbering.number(key(number)) == number));
        assert_eq!(numbering.keys().len(), all.len());
    }
}
