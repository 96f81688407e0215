//! Integers as differences of neighbours, Parquet's `DELTA_BINARY_PACKED`.

use super::bit_packing::{BitWriter, append_varint, append_zigzag};
use crate::integer_encoding::{BLOCK, MINIBLOCK, bits};

/// Appends the integers: the first one, and then blocks of differences. A block states its least
/// difference, and how many bits each of its miniblocks has for what others have more.
pub(super) fn append_differences(out: &mut Vec<u8>, values: &[i64]) {
    let first = values.first().copied().unwrap_or_default();
    append_varint(out, BLOCK as u64);
    append_varint(out, (BLOCK / MINIBLOCK) as u64);
    append_varint(out, values.len() as u64);
    append_zigzag(out, first);
    let mut before = first;
    let mut differences = [0_i64; BLOCK];
    for block in values.get(1..).unwrap_or_default().chunks(BLOCK) {
        for (difference, value) in differences.iter_mut().zip(block) {
            *difference = value.wrapping_sub(before);
            before = *value;
        }
        append_block(out, differences.split_at(block.len()).0);
    }
}

fn append_block(out: &mut Vec<u8>, differences: &[i64]) {
    let least = differences.iter().copied().min().unwrap_or_default();
    append_zigzag(out, least);
    let above_least = |difference: &i64| difference.wrapping_sub(least).cast_unsigned();
    let mut widths = [0_u32; BLOCK / MINIBLOCK];
    for (width, miniblock) in widths.iter_mut().zip(differences.chunks(MINIBLOCK)) {
        *width = bits(miniblock.iter().map(above_least).fold(0, |all, value| all | value));
    }
    out.extend(widths.map(|width| width as u8));
    for (width, miniblock) in widths.into_iter().zip(differences.chunks(MINIBLOCK)) {
        let mut packed = BitWriter::new(out);
        miniblock.iter().for_each(|difference| packed.push(above_least(difference), width));
        // The last miniblock is filled up.
        (miniblock.len()..MINIBLOCK).for_each(|_| packed.push(0, width));
        packed.finish();
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
