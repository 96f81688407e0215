//! The texts of a dictionary, each once.

use super::numbering::{Slots, spread};

/// The bytes of the length before a text.
const LENGTH_BYTES: usize = 4;

/// Distinct texts by number, in the form of a dictionary's page: each with its length before it.
pub(super) struct Entries {
    bytes: Vec<u8>,
    /// Where each text ends.
    ends: Vec<usize>,
    hashes: Vec<u64>,
    slots: Slots,
}

impl Entries {
    pub(super) fn new() -> Self {
        Self { bytes: Vec::new(), ends: Vec::new(), hashes: Vec::new(), slots: Slots::new() }
    }

    /// The number of a text, which is the count of those before if it is new.
    pub(super) fn number(&mut self, text: &[u8]) -> u32 {
        let hash = hash(text);
        let is_it = |number: u32| self.hashes[number as usize] == hash && self.text(number) == text;
        let slot = match self.slots.find(hash, is_it) {
            Ok(number) => return number,
            Err(slot) => slot,
        };
        let number = self.ends.len() as u32;
        self.bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
        self.hashes.push(hash);
        let hashes = &self.hashes;
        self.slots.fill(slot, number, |number| hashes[number as usize]);
        number
    }

    /// The text with a number.
    pub(super) fn text(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start + LENGTH_BYTES..self.ends[number]]
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// All texts, with the length before each.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

fn hash(text: &[u8]) -> u64 {
    let (words, rest) = text.as_chunks::<8>();
    let last = rest.iter().fold(text.len() as u64, |word, byte| word << 8 | u64::from(*byte));
    let add = |hash: u64, word: u64| spread(hash ^ word).rotate_left(23);
    let hash = words.iter().fold(0, |hash, word| add(hash, u64::from_le_bytes(*word)));
    spread(add(hash, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_numbered_and_kept_with_their_lengths() {
        let mut entries = Entries::new();
        let numbers = ["a", "", "sched_switch", "a", "", "sched_switcH"];
        let numbers = numbers.map(|text| entries.number(text.as_bytes()));
        assert_eq!(numbers, [0, 1, 2, 0, 1, 3]);
        assert_eq!(entries.len(), 4);
        assert_eq!([entries.text(0), entries.text(1)], [b"a".as_slice(), b""]);
        assert_eq!(entries.text(3), b"sched_switcH");
        assert_eq!(entries.bytes()[..9], [1, 0, 0, 0, b'a', 0, 0, 0, 0]);
    }

    #[test]
    fn numbers_stay_as_there_are_more_texts() {
        let mut entries = Entries::new();
        for _ in 0..2 {
            for number in 0..3_000 {
                assert_eq!(entries.number(format!("text {number}").as_bytes()), number);
            }
        }
    }
}
