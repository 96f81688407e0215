//! The order of rows by the codes of their keys: from the least significant digit to the most, rows
//! are dealt out to where their digit belongs, which keeps the order of those that share it.

use datafusion::common::Result;

use super::keys::Codes;
use crate::cancel;

/// Bits of a digit: so few that all places it deals to stay in the processor's cache.
const DIGIT: u32 = 11;
/// Rows that are sorted sooner by comparing them.
const FEW: usize = 4096;

/// A row, and the codes of some of its keys.
type Item = (u64, u32);

/// The numbers of `rows` rows in the order of their codes, the most significant key first; rows
/// that are equal stay in their order.
///
/// # Errors
/// When the statement is cancelled.
pub(super) fn order(mut codes: Vec<Codes>, rows: u32) -> Result<Vec<u32>> {
    let mut order: Vec<u32> = (0..rows).collect();
    let mut items: Vec<Item> = Vec::with_capacity(rows as usize);
    let mut other: Vec<Item> = Vec::new();
    // From the least significant key, as many at once as fit into a word.
    while !codes.is_empty() {
        let word = last_word(&mut codes);
        items.clear();
        items.extend(order.iter().map(|&row| (word.values[row as usize], row)));
        if !items.is_sorted_by_key(|item| item.0) {
            sort(&mut items, &mut other, word.bits)?;
            order.clear();
            order.extend(items.iter().map(|item| item.1));
        }
    }
    Ok(order)
}

/// Takes the last keys that fit into a word together.
fn last_word(codes: &mut Vec<Codes>) -> Codes {
    let mut word = codes.pop().unwrap_or(Codes { values: Vec::new(), bits: 0 });
    while let Some(before) = codes.pop_if(|before| before.bits + word.bits <= u64::BITS) {
        // Keys of one value only have no bits, and say nothing.
        if before.bits > 0 {
            let values = word.values.iter_mut().zip(before.values);
            values.for_each(|(code, before)| *code |= before << word.bits);
            word.bits += before.bits;
        }
    }
    word
}

fn sort(items: &mut Vec<Item>, other: &mut Vec<Item>, bits: u32) -> Result<()> {
    if items.len() <= FEW {
        items.sort_by_key(|item| item.0);
        return Ok(());
    }
    other.resize(items.len(), (0, 0));
    let digits = bits.div_ceil(DIGIT);
    let mut counts = vec![[0_u32; 1 << DIGIT]; digits as usize];
    for &(code, _) in items.iter() {
        for (digit, counts) in (0..).zip(&mut counts) {
            counts[digit_of(code, digit)] += 1;
        }
    }
    for (digit, mut places) in (0..).zip(counts) {
        if places.contains(&(items.len() as u32)) {
            continue;
        }
        cancel::check()?;
        let mut next = 0;
        for place in &mut places {
            next += std::mem::replace(place, next);
        }
        for &item in items.iter() {
            let place = &mut places[digit_of(item.0, digit)];
            other[*place as usize] = item;
            *place += 1;
        }
        std::mem::swap(items, other);
    }
    Ok(())
}

fn digit_of(code: u64, digit: u32) -> usize {
    (code >> (digit * DIGIT)) as usize & ((1 << DIGIT) - 1)
}
