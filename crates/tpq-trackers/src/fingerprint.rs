//! Hashes that stand for contents.
//!
//! XXH3 with a secret that is random in every process, so that no trace can be made with different
//! contents of equal hashes. Two different contents among 2^32 have equal 128-bit hashes with a
//! probability of 2^-64.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use xxhash_rust::xxh3::{xxh3_64_with_secret, xxh3_128_with_secret};

/// Bytes of a secret: the longest that XXH3 uses.
const SECRET_LEN: usize = 192;

static SECRET: LazyLock<[u8; SECRET_LEN]> = LazyLock::new(|| {
    let random = RandomState::new();
    let mut secret = [0; SECRET_LEN];
    for (number, bytes) in secret.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        *bytes = random.hash_one(number).to_le_bytes();
    }
    secret
});

/// A hash that identifies contents.
#[inline]
pub fn hash_128(bytes: &[u8]) -> u128 {
    xxh3_128_with_secret(bytes, &*SECRET)
}

/// A hash that distinguishes contents from those before them in a small cache.
#[inline]
pub fn hash_64(bytes: &[u8]) -> u64 {
    xxh3_64_with_secret(bytes, &*SECRET)
}

/// [`hash_64`] of four words.
#[inline]
pub fn hash_words(words: [u64; 4]) -> u64 {
    let mut bytes = [0; 32];
    for (chunk, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(words) {
        *chunk = word.to_le_bytes();
    }
    hash_64(&bytes)
}

/// [`hash_64`] of two numbers and bytes.
#[inline]
pub fn hash_numbered([one, other]: [u64; 2], bytes: &[u8]) -> u64 {
    hash_words([one, other, hash_64(bytes), bytes.len() as u64])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bit 63 of one word and bit 30 of the next: the two changes cancel out in chains that
    /// multiply and rotate.
    #[test]
    fn changes_of_neighbouring_words_do_not_cancel_out() {
        for count in 2..40 {
            let words: Vec<u64> = (0..count).collect();
            let bytes = |words: &[u64]| words.iter().flat_map(|it| it.to_le_bytes()).collect();
            let original: Vec<u8> = bytes(&words);
            for at in 0..words.len() - 1 {
                for (high, low) in [(63, 30), (63, 63), (30, 63), (0, 31)] {
                    let mut changed = words.clone();
                    changed[at] ^= 1 << high;
                    changed[at + 1] ^= 1 << low;
                    let changed: Vec<u8> = bytes(&changed);
                    let (one, other) = (hash_128(&original), hash_128(&changed));
                    assert_ne!(one as u64, other as u64);
                    assert_ne!(one >> 64, other >> 64);
                    assert_ne!(hash_64(&original), hash_64(&changed));
                }
            }
        }
    }

    /// Bytes of all lengths, with one bit set anywhere or none, have different hashes.
    #[test]
    fn lengths_and_single_bits_count() {
        let mut hashes = Vec::new();
        for len in 0..300 {
            let mut bytes = vec![0; len];
            hashes.push(hash_numbered([1, 2], &bytes));
            for at in 0..len {
                bytes[at] = 1 << (at % 8);
                hashes.push(hash_numbered([1, 2], &bytes));
                bytes[at] = 0;
            }
        }
        for number in 0..1000 {
            hashes.push(hash_numbered([number, 7], b"same"));
            hashes.push(hash_numbered([7, (number + 1) << 40], b"same"));
            hashes.push(hash_words([1, number << 32 | 120, 7, 0]));
        }
        let count = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), count);
    }
}
