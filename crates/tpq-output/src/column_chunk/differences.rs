//! Integers as differences of neighbours, Parquet's `DELTA_BINARY_PACKED`.

use super::bit_packing::{append_packed, append_varint, append_zigzag};
use crate::integer_encoding::{BLOCK, MINIBLOCK, bits};

/// Appends the integers: the first one, and then blocks of differences. A block states its least
/// difference, and how many bits each of its miniblocks has for what others have more.
pub(super) fn append_differences(out: &mut Vec<u8>, values: &[i64]) {
    let first = values.first().copied().unwrap_or_default();
    append_varint(out, BLOCK as u64);
    append_varint(out, (BLOCK / MINIBLOCK) as u64);
    append_varint(out, values.len() as u64);
    append_zigzag(out, first);
    let mut differences = [0_i64; BLOCK];
    let blocks = values.get(1..).unwrap_or_default().chunks(BLOCK);
    for (block, before) in blocks.zip(values.chunks(BLOCK)) {
        let differences = differences.split_at_mut(block.len()).0;
        for (difference, (value, before)) in differences.iter_mut().zip(block.iter().zip(before)) {
            *difference = value.wrapping_sub(*before);
        }
        append_block(out, differences);
    }
}

fn append_block(out: &mut Vec<u8>, differences: &[i64]) {
    let least = differences.iter().copied().min().unwrap_or_default();
    append_zigzag(out, least);
    let mut above_least = [0_u64; BLOCK];
    for (above, difference) in above_least.iter_mut().zip(differences) {
        *above = difference.wrapping_sub(least).cast_unsigned();
    }
    // The last miniblock is filled up with zeros, and those behind it are empty.
    let miniblocks = || above_least.chunks(MINIBLOCK);
    let widths: Vec<u32> = miniblocks()
        .map(|miniblock| bits(miniblock.iter().fold(0, |all, value| all | value)))
        .collect();
    out.extend(widths.iter().map(|width| *width as u8));
    for (width, miniblock) in widths.into_iter().zip(miniblocks()) {
        append_packed(out, miniblock, width);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_the_bits_of_what_is_above_the_least() {
        let mut bytes = Vec::new();
        append_differences(&mut bytes, &[7, 5, 3, 1, 2]);
        // Blocks of 256 in four, five values, of which the first is 7; the least difference is -2.
        // Above it are 0, 0, 0 and 3, of two bits in the first miniblock.
        let header = [0x80, 0x02, 4, 5, 14, 3, 2, 0, 0, 0];
        assert_eq!(bytes[..10], header);
        assert_eq!(bytes[10], 0b1100_0000);
        assert_eq!(bytes[11..], [0; 15]);
    }

    #[test]
    fn no_values_are_a_header() {
        let mut bytes = Vec::new();
        append_differences(&mut bytes, &[]);
        assert_eq!(bytes, [0x80, 0x02, 4, 0, 0]);
    }
}
