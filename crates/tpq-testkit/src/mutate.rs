//! Damages a trace at random.

use crate::random::Random;

/// The largest number of edits of one mutation.
const MAX_EDITS: usize = 8;

/// Returns a damaged copy of one of `seeds`: bits are flipped, bytes are overwritten, removed,
/// repeated or copied from another seed, or the end is removed.
#[must_use]
pub fn mutate(random: &mut Random, seeds: &[&[u8]]) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].to_vec();
    for _ in 0..=random.below(MAX_EDITS) {
        edit(random, &mut bytes, seeds);
    }
    bytes
}

/// Makes one such edit. Nothing is copied from `seeds` if there are none.
pub fn edit(random: &mut Random, bytes: &mut Vec<u8>, seeds: &[&[u8]]) {
    if bytes.is_empty() {
        bytes.push(random.byte());
        return;
    }
    let at = random.below(bytes.len());
    match random.below(8) {
        0..3 => bytes[at] ^= 1 << random.below(8),
        3 => bytes[at] = random.byte(),
        4 => {
            // The bytes with the greatest effect in a varint or a length.
            bytes[at] = [0x00, 0x01, 0x7f, 0x80, 0xff][random.below(5)];
        }
        5 => bytes.truncate(at),
        6 => {
            let end = (at + 1 + random.below(16)).min(bytes.len());
            bytes.drain(at..end);
        }
        _ => {
            let donor = seeds.get(random.below(seeds.len())).copied().unwrap_or_default();
            let start = random.below(donor.len());
            let end = (start + 1 + random.below(64)).min(donor.len());
            let piece = donor[start.min(end)..end].to_vec();
            bytes.splice(at..at, piece);
        }
    }
}
