//! Damages a trace at random.

use crate::random::Random;

/// Most edits one mutation makes.
const MAX_EDITS: usize = 8;

/// A damaged copy of one of `seeds`: a few bits flipped, bytes overwritten, cut out, repeated or
/// taken from another seed, or the end missing.
#[must_use]
pub fn mutate(random: &mut Random, seeds: &[&[u8]]) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].to_vec();
    for _ in 0..=random.below(MAX_EDITS) {
        edit(random, &mut bytes, seeds);
    }
    bytes
}

/// One such edit. Nothing is taken from `seeds` where they are empty.
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
            // The bytes that are most telling in a varint or a length.
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
