//! What tells contents apart without keeping them.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

/// A 128-bit hash: two multiply-and-rotate chains with different constants. What has one
/// fingerprint is taken to be the same. Where the chains begin is another place in every process, so
/// that no trace can be made whose sets all fall on one.
#[derive(Clone, Copy, Debug)]
pub struct Fingerprint(u64, u64);

impl Default for Fingerprint {
    fn default() -> Self {
        static BEGIN: LazyLock<(u64, u64)> = LazyLock::new(|| {
            let random = RandomState::new();
            (random.hash_one(1), random.hash_one(2))
        });
        Self(BEGIN.0, BEGIN.1)
    }
}

/// A pair of words as one number.
fn pair(bytes: [u8; 16]) -> [u64; 2] {
    let number = u128::from_le_bytes(bytes);
    [number as u64, (number >> 64) as u64]
}

/// What [`Fingerprint::of_bytes`] adds to words before it multiplies them; others in every process,
/// for the same reason as above.
static ADDENDS: LazyLock<[[u64; 2]; 18]> = LazyLock::new(|| {
    let random = RandomState::new();
    std::array::from_fn(|pair| [2 * pair, 2 * pair + 1].map(|number| random.hash_one(number)))
});

impl Fingerprint {
    /// 64 bits that tell bytes from others, with two numbers that are said along with them. Where
    /// [`Self::mix`] waits for each multiplication, these are summed, one for each two words.
    pub fn of_bytes([one, other]: [u64; 2], bytes: &[u8]) -> u64 {
        let product = |[one, other]: [u64; 2], [first, second]: [u64; 2]| {
            u128::from(one.wrapping_add(first)) * u128::from(other.wrapping_add(second))
        };
        let fold = |sum: u128| sum as u64 ^ ((sum >> 64) as u64).rotate_left(32);
        let [of_numbers, of_stretch, addends @ ..] = &*ADDENDS;
        let mut print = fold(product([one, other], *of_numbers));
        let mut rest = bytes;
        loop {
            let (stretch, later) = rest.split_at(rest.len().min(16 * (addends.len() - 1)));
            let (pairs, last) = stretch.as_chunks::<16>();
            let mut sum = product([print, rest.len() as u64], *of_stretch);
            for (bytes, addend) in pairs.iter().zip(addends) {
                sum = sum.wrapping_add(product(pair(*bytes), *addend));
            }
            let mut padded = [0; 16];
            padded[..last.len()].copy_from_slice(last);
            print = fold(sum.wrapping_add(product(pair(padded), addends[pairs.len()])));
            if later.is_empty() {
                return (print ^ print >> 32).wrapping_mul(0x9fb2_1c65_1e98_df25);
            }
            rest = later;
        }
    }

    /// 64 bits that tell a few words from others, in little more time than a multiplication takes:
    /// each word has a factor of its own, and the sum of the products is mixed. Enough to tell an
    /// event from the one before it in a place, not to tell all from each other.
    pub fn short(words: [u64; 4]) -> u64 {
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

    pub fn mix(&mut self, value: u64) {
        let Self(a, b) = self;
        *a = (*a ^ value).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(31);
        *b = (b.rotate_left(27) ^ value).wrapping_mul(0x9fb2_1c65_1e98_df25);
        *b ^= *b >> 29;
    }

    pub fn finish(self) -> u128 {
        let Self(a, b) = self;
        u128::from(a ^ a >> 32) << 64 | u128::from(b ^ b >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of all lengths, with one bit set anywhere or none, are told apart, and spread.
    #[test]
    fn bytes_are_told_apart() {
        let mut prints = Vec::new();
        for len in 0..300 {
            let mut bytes = vec![0; len];
            prints.push(Fingerprint::of_bytes([1, 2], &bytes));
            for at in 0..len {
                bytes[at] = 1 << (at % 8);
                prints.push(Fingerprint::of_bytes([1, 2], &bytes));
                bytes[at] = 0;
            }
        }
        for number in 0..1000 {
            prints.push(Fingerprint::of_bytes([number, 7], b"same"));
            prints.push(Fingerprint::of_bytes([7, number << 40], b"same"));
        }
        let mut places = vec![0; 1 << 12];
        prints.iter().for_each(|print| places[*print as usize % (1 << 12)] += 1);
        assert!(places.iter().all(|&count| count < 40), "{:?}", places.iter().max());
        let count = prints.len();
        prints.sort_unstable();
        prints.dedup();
        // What was said of 7 and 0 was said twice, as was what was said of 7 and 7.
        assert!(prints.len() >= count - 2, "{} of {count}", prints.len());
    }

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
