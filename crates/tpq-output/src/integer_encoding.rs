//! Whether integers of a Parquet file are smaller with a dictionary or as differences of neighbours.
//!
//! A dictionary holds each distinct value once, and rows hold the numbers of its entries.
//! Differences take as many bits as the largest of some neighbours needs. Both are packed into bits,
//! of which a compressor saves little, so the first rows tell the size of either.

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::Int64Type;

use crate::column_chunk::Numbering;

/// The number of rows that are looked at.
pub(crate) const SAMPLE_ROWS: usize = 16 * 1024;

/// The bits of an entry of a dictionary, about: a compressor leaves less than half of its 64.
const ENTRY_BITS: f64 = 28.0;
/// Differences that share a least one, and those of them that share a number of bits.
pub(crate) const BLOCK: usize = 256;
pub(crate) const MINIBLOCK: usize = 64;
/// The bits of a block that are not those of differences, about.
const BLOCK_BITS: usize = 56;
/// What differences have to be better by. Numbers of entries are often skewed, and compress then.
const MARGIN: f64 = 1.25;
const MARGIN_BITS: f64 = 1.0;

/// Whether a column of 64-bit integers should have a dictionary. `batches` are the first rows.
pub(crate) fn prefers_dictionary(batches: &[RecordBatch], column: usize) -> bool {
    let columns = batches
        .iter()
        .filter_map(|batch| batch.columns().get(column)?.as_primitive_opt::<Int64Type>());
    let values = columns.flat_map(|column| column.iter().flatten());
    let values: Vec<i64> = values.take(SAMPLE_ROWS).collect();
    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
    let is_whole = rows < SAMPLE_ROWS;
    values.is_empty()
        || difference_bits(&values) * MARGIN + MARGIN_BITS >= dictionary_bits(&values, is_whole)
}

/// The bits of a value with a dictionary. The dictionary of more rows than these grows as it does in
/// their second half.
fn dictionary_bits(values: &[i64], is_whole: bool) -> f64 {
    let (first, second) = values.split_at(values.len() / 2);
    let mut numbering = Numbering::new();
    let mut entries_with = |values: &[i64]| {
        for value in values {
            numbering.number(*value);
        }
        numbering.keys().len()
    };
    let known = entries_with(first);
    let entries = entries_with(second);
    let new = entries - known;
    let entries_per_value = match is_whole {
        true => entries as f64 / values.len() as f64,
        false => new as f64 / second.len() as f64,
    };
    let largest = entries.saturating_sub(1) as u64;
    f64::from(bits(largest)) + ENTRY_BITS * entries_per_value
}

/// The bits of a value as the difference from the one before.
fn difference_bits(values: &[i64]) -> f64 {
    let neighbours = values.iter().zip(values.iter().skip(1));
    let differences: Vec<i64> = neighbours.map(|(one, next)| next.wrapping_sub(*one)).collect();
    let of_block = |block: &[i64]| {
        let least = block.iter().copied().min().unwrap_or_default();
        let of_miniblock = |miniblock: &[i64]| {
            let greatest = miniblock.iter().copied().max().unwrap_or_default();
            bits(greatest.wrapping_sub(least).cast_unsigned()) as usize * MINIBLOCK
        };
        BLOCK_BITS + block.chunks(MINIBLOCK).map(of_miniblock).sum::<usize>()
    };
    let all: usize = differences.chunks(BLOCK).map(of_block).sum();
    all as f64 / values.len() as f64
}

/// The number of bits of an integer.
pub(crate) fn bits(value: u64) -> u32 {
    u64::BITS - value.leading_zeros()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{ArrayRef, Int64Array};

    use super::*;

    fn prefers(values: impl Iterator<Item = Option<i64>>) -> bool {
        let column: ArrayRef = Arc::new(values.collect::<Int64Array>());
        let batch = RecordBatch::try_from_iter_with_nullable([("n", column, true)]).unwrap();
        prefers_dictionary(&[batch], 0)
    }

    /// Numbers without an order, the same in every run.
    fn scattered(count: usize, below: u64) -> impl Iterator<Item = Option<i64>> {
        let next =
            |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
        let states = std::iter::successors(Some(1_u64), next).take(count);
        states.map(move |state| Some(((state >> 33) % below).cast_signed()))
    }

    #[test]
    fn few_values_have_a_dictionary() {
        // Six bits for the entry; differences have seven.
        assert!(prefers(scattered(SAMPLE_ROWS, 40)));
        // Of a million that occur again and again: 3 bits, and 21 as differences.
        assert!(prefers(scattered(SAMPLE_ROWS, 8).map(|value| Some(value? * 150_000))));
        // The same with NULL in most rows.
        let mostly_null = scattered(SAMPLE_ROWS, 40).enumerate();
        assert!(prefers(mostly_null.map(|(row, value)| value.filter(|_| row.is_multiple_of(10)))));
        assert!(prefers(std::iter::repeat_n(None, 100)));
        // 64 differences share a number of bits, however few there are.
        assert!(prefers([i64::MIN, i64::MAX, 0, i64::MIN].into_iter().map(Some)));
    }

    #[test]
    fn many_values_are_differences() {
        // Nearly each value is new: 14 bits for the entry and 28 in the dictionary, or 21.
        assert!(!prefers(scattered(SAMPLE_ROWS, 1 << 20)));
        // Numbers of groups of three rows.
        assert!(!prefers((0..50_000).map(|row| Some(row / 3))));
        assert!(!prefers((0..300).map(|row| Some(1_000_000_000 + row * 17))));
        // One row: a dictionary is a page of its own.
        assert!(!prefers(std::iter::once(Some(7))));
    }

    #[test]
    fn a_dictionary_that_has_all_values_soon_does_not_grow() {
        // 3,000 values: 12 bits for the entry, and 13 as differences.
        assert!(prefers(scattered(SAMPLE_ROWS, 3_000)));
    }

    #[test]
    fn bits_are_counted() {
        assert_eq!([bits(0), bits(1), bits(255), bits(256), bits(u64::MAX)], [0, 1, 8, 9, 64]);
        // A step of 1 each: no bits but those of blocks, one for 256 differences.
        let steps: Vec<i64> = (0..257).collect();
        assert!((difference_bits(&steps) - 56.0 / 257.0).abs() < 1e-9);
        // Two values in turn, of which each half has both: one bit, and nothing new.
        let two: Vec<i64> = (0..SAMPLE_ROWS as i64).map(|row| row % 2).collect();
        assert!((dictionary_bits(&two, false) - 1.0).abs() < 1e-9);
        // As a whole table it has two entries.
        assert!((dictionary_bits(&[5, 9, 5, 9], true) - (1.0 + 28.0 * 0.5)).abs() < 1e-9);
    }
}
