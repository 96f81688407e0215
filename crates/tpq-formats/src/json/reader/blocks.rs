//! Finding brackets and quotes of JSON 64 bytes at a time.

/// Bytes of a block: one for each bit of a word.
pub(super) const BLOCK: usize = 64;

/// Brackets outside of strings, a word of bits for each block of 64 bytes. A quote behind a
/// backslash is none wherever it stands; outside of strings that is no JSON.
pub(super) struct Brackets<'a> {
    rest: &'a [u8],
    /// All ones while a string goes on from the block before.
    in_string: u64,
    /// Whether the first byte is escaped by the last of the block before.
    is_escaped: bool,
}

/// Where brackets are in a block; its first byte is the lowest bit.
pub(super) struct Block {
    pub(super) opening: u64,
    pub(super) closing: u64,
}

impl<'a> Brackets<'a> {
    /// Those of a text that begins outside of any string.
    pub(super) fn of(text: &'a [u8]) -> Self {
        Self { rest: text, in_string: 0, is_escaped: false }
    }

    /// The bytes that are escaped by a backslash, of which these are the positions.
    fn escaped(&mut self, mut backslashes: u64) -> u64 {
        let mut escaped = u64::from(std::mem::take(&mut self.is_escaped));
        backslashes &= !escaped;
        while backslashes != 0 {
            let at = backslashes.trailing_zeros();
            if at + 1 == u64::BITS {
                self.is_escaped = true;
                break;
            }
            escaped |= 2 << at;
            backslashes &= !(3 << at);
        }
        escaped
    }

    fn block(&mut self, bytes: &[u8; BLOCK]) -> Block {
        let [mut quotes, backslashes, opening, closing] = positions(bytes);
        if backslashes != 0 || self.is_escaped {
            quotes &= !self.escaped(backslashes);
        }
        let inside = to_the_next(quotes) ^ self.in_string;
        // The highest bit says whether a string goes on behind.
        self.in_string = (inside.cast_signed() >> 63).cast_unsigned();
        Block { opening: opening & !inside, closing: closing & !inside }
    }
}

impl Iterator for Brackets<'_> {
    type Item = Block;

    #[inline]
    fn next(&mut self) -> Option<Block> {
        if let Some((block, rest)) = self.rest.split_first_chunk::<BLOCK>() {
            self.rest = rest;
            return Some(self.block(block));
        }
        let last = std::mem::take(&mut self.rest);
        if last.is_empty() {
            return None;
        }
        let mut block = [b' '; BLOCK];
        block[..last.len()].copy_from_slice(last);
        Some(self.block(&block))
    }
}

/// Where there are quotes, backslashes, and brackets and braces that open and that close.
#[inline]
fn positions(bytes: &[u8; BLOCK]) -> [u64; 4] {
    // SAFETY: every x86-64 processor has SSE2. Eight bytes at a time took twice as long, which
    // was a twelfth of the processor time of an import of JSON.
    #[cfg(target_arch = "x86_64")]
    return unsafe { places_by_sse2(bytes) };
    #[cfg(not(target_arch = "x86_64"))]
    positions_in_words(bytes)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
fn places_by_sse2(bytes: &[u8; BLOCK]) -> [u64; 4] {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8,
    };
    let mut found = [0; 4];
    for (index, bytes) in bytes.as_chunks().0.iter().enumerate() {
        let [low, high] = words_of(bytes).map(u64::cast_signed);
        let bytes = _mm_set_epi64x(high, low);
        let braces = _mm_or_si128(bytes, _mm_set1_epi8(CASE.cast_signed()));
        let sought = [(bytes, b'"'), (bytes, b'\\'), (braces, b'{'), (braces, b'}')];
        for (found, (bytes, sought)) in found.iter_mut().zip(sought) {
            let equal = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(sought.cast_signed()));
            *found |= u64::from(_mm_movemask_epi8(equal).cast_unsigned()) << (16 * index);
        }
    }
    found
}

/// The same for any processor, eight bytes at a time.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn positions_in_words(bytes: &[u8; BLOCK]) -> [u64; 4] {
    let mut found = [0; 4];
    for (index, bytes) in bytes.as_chunks().0.iter().enumerate() {
        for (half, word) in words_of(bytes).into_iter().enumerate() {
            let braces = word | repeated(CASE);
            let sought = [(word, b'"'), (word, b'\\'), (braces, b'{'), (braces, b'}')];
            for (found, (word, sought)) in found.iter_mut().zip(sought) {
                *found |= equal(word, sought) << (16 * index + 8 * half);
            }
        }
    }
    found
}

/// The bit in which braces differ from brackets.
const CASE: u8 = 0x20;

#[inline]
fn words_of(bytes: &[u8; 16]) -> [u64; 2] {
    let word = u128::from_le_bytes(*bytes);
    [word as u64, (word >> 64) as u64]
}

/// A byte in each byte of a word.
#[cfg(any(test, not(target_arch = "x86_64")))]
const fn repeated(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// A bit for each byte of a word, set where it is `byte`.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn equal(word: u64, byte: u8) -> u64 {
    const LOW: u64 = repeated(0x7f);
    let other = word ^ repeated(byte);
    // The highest bit of each byte, set where it is 0: no byte carries into the next.
    let zero = !(((other & LOW) + LOW) | other | LOW);
    // One bit of each byte to the highest byte.
    (zero >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Bits from each set bit up to the next, without that, for alternate pairs.
#[inline]
fn to_the_next(bits: u64) -> u64 {
    [1, 2, 4, 8, 16, 32].into_iter().fold(bits, |bits, step| bits ^ bits << step)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Where brackets are outside of strings, looked for byte by byte.
    fn expected(text: &[u8]) -> Vec<(usize, bool)> {
        let (mut found, mut in_string, mut is_escaped) = (Vec::new(), false, false);
        for (at, byte) in text.iter().enumerate() {
            match byte {
                b'"' if !is_escaped => in_string = !in_string,
                b'{' | b'[' if !in_string => found.push((at, true)),
                b'}' | b']' if !in_string => found.push((at, false)),
                _ => {}
            }
            is_escaped = *byte == b'\\' && !is_escaped;
        }
        found
    }

    fn found(text: &[u8]) -> Vec<(usize, bool)> {
        let mut found = Vec::new();
        for (number, block) in Brackets::of(text).enumerate() {
            for bit in 0..BLOCK {
                for (bits, opens) in [(block.opening, true), (block.closing, false)] {
                    if bits >> bit & 1 == 1 {
                        found.push((number * BLOCK + bit, opens));
                    }
                }
            }
        }
        found
    }

    #[test]
    fn every_byte_is_distinguished() {
        let all: Vec<u8> = (0..=255).rev().collect();
        for block in all.as_chunks().0 {
            let among = |sought: &[u8]| {
                let bit = |at: usize| u64::from(sought.contains(&block[at])) << at;
                (0..BLOCK).map(bit).sum::<u64>()
            };
            let expected = [&b"\""[..], b"\\", b"[{", b"]}"].map(among);
            assert_eq!([positions(block), positions_in_words(block)], [expected; 2]);
        }
    }

    #[test]
    fn strings_and_escapes_go_on_in_the_next_block() {
        let text = format!("{{\"{}\\\"{{\":[\"{}\\\\\"]}}", "n".repeat(61), "m".repeat(57));
        assert_eq!(text.as_bytes()[63], b'\\');
        assert_eq!(found(text.as_bytes()), expected(text.as_bytes()));
        assert_eq!(found(text.as_bytes()).len(), 4);
    }

    proptest! {
        #[test]
        fn brackets_are_those_outside_of_strings(text in "[\\[\\]{}\"\\\\ab\u{e9}]{0,300}") {
            let text = text.as_bytes();
            // A backslash outside of a string is no JSON, and escapes a quote here as well.
            prop_assert_eq!(found(text), expected(text));
        }
    }
}
