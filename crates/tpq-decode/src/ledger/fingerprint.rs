//! What tells contents apart without keeping them.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

/// A 128-bit hash: two multiply-and-rotate chains with different constants. What has one
/// fingerprint is taken to be the same. Where the chains begin is another place in every process, so
/// that no trace can be made whose sets all fall on one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fingerprint(u64, u64);

impl Default for Fingerprint {
    fn default() -> Self {
        static BEGIN: LazyLock<(u64, u64)> = LazyLock::new(|| {
            let random = RandomState::new();
            (random.hash_one(1), random.hash_one(2))
        });
        Self(BEGIN.0, BEGIN.1)
    }
}

impl Fingerprint {
    /// 64 bits that tell a few words from others, in little more time than a multiplication takes:
    /// each word has a factor of its own, and the sum of the products is mixed. Enough to tell an
    /// event from the one before it in a place, not to tell all from each other.
    pub(crate) fn short(words: [u64; 4]) -> u64 {
        const FACTORS: [u64; 4] = [
            0xff51_afd7_ed55_8ccd,
            0x9fb2_1c65_1e98_df25,
            0x9e37_79b9_7f4a_7c15,
            0xc2b2_ae3d_27d4_eb4f,
        ];
        let products = words.iter().zip(FACTORS);
        let sum = products.fold(0_u128, |sum, (&word, factor)| {
            sum.wrapping_add(u128::from(word) * u128::from(factor))
        });
        let low = sum as u64;
        let mixed = (low ^ low >> 32).wrapping_mul(FACTORS[1]) ^ (sum >> 64) as u64;
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(FACTORS[0]);
        mixed ^ mixed >> 32
    }

    pub(crate) fn mix(&mut self, value: u64) {
        let Self(a, b) = self;
        *a = (*a ^ value).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(31);
        *b = (b.rotate_left(27) ^ value).wrapping_mul(0x9fb2_1c65_1e98_df25);
        *b ^= *b >> 29;
    }

    pub(crate) fn mix_bytes(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.mix(u64::from_le_bytes(last));
        self.mix(bytes.len() as u64);
    }

    /// 64 bits: enough for what [`Self::short`] is.
    pub(crate) fn finish_short(self) -> u64 {
        let print = self.finish();
        (print >> 64) as u64 ^ print as u64
    }

    pub(crate) fn finish(self) -> u128 {
        let Self(a, b) = self;
        u128::from(a ^ a >> 32) << 64 | u128::from(b ^ b >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words that differ a little, as the ids of threads and names do, have nothing in common.
    #[test]
    fn neighbours_are_told_apart() {
        let mut prints = Vec::new();
        for (one, other) in (0..64).flat_map(|one| (0..64).map(move |other| (one, other))) {
            prints.push(Fingerprint::short([1, one << 32 | 120, other, 0]));
            prints.push(Fingerprint::short([1, one, 0, other << 32]));
            prints.push(Fingerprint::short([1 << 32 | one, 7, other, 5]));
        }
        let mut places = vec![0; 1 << 12];
        prints.iter().for_each(|print| places[*print as usize % (1 << 12)] += 1);
        prints.sort_unstable();
        prints.dedup();
        assert_eq!(prints.len(), 3 * 64 * 64);
        assert!(places.iter().all(|&count| count < 20), "{:?}", places.iter().max());
    }
}
