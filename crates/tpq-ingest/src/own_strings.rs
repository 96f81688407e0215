//! The layout of words that refer to strings of their own event, [`Payload::Words`] with
//! `own_strings`: bits 8 to 17 of the first word state which of up to ten strings are present,
//! and the second word is the index of the first of them among the strings of the run.
//!
//! [`Payload::Words`]: crate::Payload::Words

use std::ops::Range;

/// Most strings that one event can have.
pub const MAX_OWN_STRINGS: usize = 10;
/// The word with the index of the event's first string.
pub const FIRST_STRING_WORD: usize = 1;

/// Indices of the strings of an event among the strings of its run.
pub fn own_strings(words: &[u32]) -> Range<usize> {
    let &[head, first, ..] = words else { return 0..0 };
    let present = (head >> 8 & ((1 << MAX_OWN_STRINGS) - 1)).count_ones();
    first as usize..first as usize + present as usize
}

/// Sets the index of an event's first string.
pub(crate) fn set_first_string(words: &mut [u32], first: u32) {
    if let Some(word) = words.get_mut(FIRST_STRING_WORD) {
        *word = first;
    }
}
