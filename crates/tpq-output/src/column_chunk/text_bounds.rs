//! Bounds of texts in statistics, which are short.

/// The most bytes of a bound.
const BOUND_BYTES: usize = 64;

/// A text that is not above `text`, and whether it is the same.
pub(super) fn at_most(text: &[u8]) -> (Vec<u8>, bool) {
    match text.len() {
        0..=BOUND_BYTES => (text.to_vec(), true),
        _ => (start_of(text).as_bytes().to_vec(), false),
    }
}

/// A text that is not below `text`, and whether it is the same.
pub(super) fn at_least(text: &[u8]) -> (Vec<u8>, bool) {
    if text.len() <= BOUND_BYTES {
        return (text.to_vec(), true);
    }
    let mut start = start_of(text).to_owned();
    // The last character that there is a next one for becomes that.
    while let Some(last) = start.pop() {
        if let Some(next) = next_char(last) {
            start.push(next);
            return (start.into_bytes(), false);
        }
    }
    (text.to_vec(), true)
}

/// The first characters of a text.
fn start_of(text: &[u8]) -> &str {
    let text = str::from_utf8(text).unwrap_or_default();
    text.get(..text.floor_char_boundary(BOUND_BYTES)).unwrap_or_default()
}

fn next_char(character: char) -> Option<char> {
    // Between these two are no characters.
    match character {
        '\u{d7ff}' => Some('\u{e000}'),
        _ => char::from_u32(u32::from(character) + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_long_texts_are_short_and_enclose_them() {
        let texts = ["x".repeat(65), "é".repeat(40), format!("{}\u{10ffff}", "x".repeat(63))];
        for text in texts.iter().chain([&format!("a{}", "\u{10ffff}".repeat(20))]) {
            let (least, is_least) = at_most(text.as_bytes());
            let (greatest, is_greatest) = at_least(text.as_bytes());
            assert!(!is_least && !is_greatest, "{text}");
            assert!(least.as_slice() < text.as_bytes() && greatest.as_slice() > text.as_bytes());
            assert!(least.len() <= BOUND_BYTES && greatest.len() <= BOUND_BYTES);
            assert!(str::from_utf8(&least).is_ok() && str::from_utf8(&greatest).is_ok());
        }
        assert_eq!(at_least(&[b'x'; 65]).0, [&[b'x'; 63][..], b"y"].concat());
        assert_eq!(next_char('\u{d7ff}'), Some('\u{e000}'));
    }

    #[test]
    fn what_has_no_short_bound_is_its_own() {
        assert_eq!(at_least(b"short"), (b"short".to_vec(), true));
        assert_eq!(at_most(b""), (Vec::new(), true));
        let text = "\u{10ffff}".repeat(20).into_bytes();
        assert_eq!(at_least(&text), (text, true));
    }
}
