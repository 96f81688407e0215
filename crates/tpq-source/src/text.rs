//! Parts of lines of text.

/// The text before and after the first occurrence of a byte.
pub(crate) fn split_once(text: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let position = memchr::memchr(at, text)?;
    Some((text.get(..position)?, text.get(position + 1..)?))
}

/// Whether a text consists of decimal digits.
pub(crate) fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}
