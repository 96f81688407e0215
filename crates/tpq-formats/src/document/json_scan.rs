//! Walks JSON that was checked before. Of other text it yields something, or nothing.

/// The number of bytes that are looked at together.
const BLOCK: usize = 32;

/// Whether a byte is a bracket of an object or an array, or begins a string.
fn is_mark(byte: u8) -> bool {
    // Brackets of both kinds differ in this bit.
    let bracket = byte | 0x20;
    bracket == b'{' || bracket == b'}' || byte == b'"'
}

/// The position of the first such byte from `at` on; the length if there is none.
fn next_mark(text: &[u8], mut at: usize) -> usize {
    while let Some(block) = text.get(at..at + BLOCK) {
        if block.iter().fold(false, |any, &byte| any | is_mark(byte)) {
            break;
        }
        at += BLOCK;
    }
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(|&byte| is_mark(byte)).unwrap_or(rest.len())
}

/// The position behind a string, of which the first character is at `at`.
fn end_of_string(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let rest = text.get(at..)?;
        let found = memchr::memchr2(b'"', b'\\', rest)?;
        match rest.get(found) {
            Some(b'"') => return Some(at + found + 1),
            _ => at += found + 2,
        }
    }
}

/// The brackets of a text outside of strings, each with its position and the number of levels that
/// are open behind it.
struct Brackets<'a> {
    text: &'a [u8],
    at: usize,
    levels: usize,
}

impl<'a> Brackets<'a> {
    /// Those from `at` on.
    fn of(text: &'a [u8], at: usize) -> Self {
        Self { text, at, levels: 0 }
    }
}

impl Iterator for Brackets<'_> {
    type Item = (usize, usize);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let at = next_mark(self.text, self.at);
            match self.text.get(at)? {
                b'"' => {
                    self.at = end_of_string(self.text, at + 1)?;
                    continue;
                }
                b'{' | b'[' => self.levels += 1,
                _ => self.levels = self.levels.saturating_sub(1),
            }
            self.at = at + 1;
            return Some((at, self.levels));
        }
    }
}

/// The position behind the value at `at`.
fn end_of_value(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at)? {
        b'"' => end_of_string(text, at + 1),
        b'{' | b'[' => {
            let end = Brackets::of(text, at).find(|&(_, levels)| levels == 0);
            end.map(|(at, _)| at + 1)
        }
        _ => {
            let rest = text.get(at..)?;
            let is_end = |byte: &u8| matches!(byte, b',' | b'}' | b']') || is_space(*byte);
            Some(at + rest.iter().position(is_end).unwrap_or(rest.len()))
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The position of the next byte that is neither white space nor a comma.
fn next_item(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    Some(at + rest.iter().position(|&byte| !is_space(byte) && byte != b',')?)
}

/// What stands within brackets.
fn inside(text: &[u8], open: u8) -> &[u8] {
    match text.trim_ascii_start().split_first() {
        Some((&first, rest)) if first == open => rest,
        _ => &[],
    }
}

/// The members of an object: the text of each key between its quotes, and of its value.
pub(super) struct Members<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Members<'a> {
    pub(super) fn of(object: &'a [u8]) -> Self {
        Self { text: inside(object, b'{'), at: 0 }
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let start = next_item(self.text, self.at).filter(|&at| self.text.get(at) == Some(&b'"'))?;
        let end = end_of_string(self.text, start + 1)?;
        let key = self.text.get(start + 1..end - 1)?;
        let colon = next_item(self.text, end).filter(|&at| self.text.get(at) == Some(&b':'))?;
        let value = next_item(self.text, colon + 1)?;
        self.at = end_of_value(self.text, value)?;
        Some((key, self.text.get(value..self.at)?))
    }
}

/// The text of each element of an array.
pub(super) fn elements(array: &[u8]) -> impl Iterator<Item = &[u8]> {
    let text = inside(array, b'[');
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = next_item(text, at).filter(|&at| text.get(at) != Some(&b']'))?;
        at = end_of_value(text, start).filter(|&end| end > start)?;
        text.get(start..at)
    })
}

/// Where a text nests deeper than `most` levels, if it does.
pub(super) fn too_deep(text: &[u8], most: usize) -> Option<usize> {
    let deeper = Brackets::of(text, 0).find(|&(_, levels)| levels > most);
    deeper.map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_end_where_they_end() {
        let cases: &[(&[u8], &[u8])] = &[
            (b"1, 2", b"1"),
            (b"-1.5e3]", b"-1.5e3"),
            (b"true }", b"true"),
            (br#""a\"]\\" , 1"#, br#""a\"]\\""#),
            (br#"[[1], {"]": "}"}] ]"#, br#"[[1], {"]": "}"}]"#),
            (
                br#"{"a": [100000, 200000, 300000, 400000]} x"#,
                br#"{"a": [100000, 200000, 300000, 400000]}"#,
            ),
        ];
        for &(text, value) in cases {
            assert_eq!(end_of_value(text, 0).and_then(|end| text.get(..end)), Some(value));
        }
        for text in [&b"[1, 2"[..], b"\"a", b"{\"a\": \"", b""] {
            assert_eq!(end_of_value(text, 0), None);
        }
    }

    #[test]
    fn elements_of_damaged_arrays_end() {
        assert_eq!(elements(b"[1, [2], \"3\"]").collect::<Vec<_>>(), [&b"1"[..], b"[2]", b"\"3\""]);
        assert_eq!(elements(b"[]").count(), 0);
        assert_eq!(elements(b"[1, }").count(), 1);
        assert_eq!(elements(b"{}").count(), 0);
        assert_eq!(Members::of(b"{\"a\": 1, b: 2}").count(), 1);
        assert_eq!(Members::of(b"{\"a\"}").count(), 0);
    }

    #[test]
    fn brackets_in_strings_are_no_levels() {
        assert_eq!(too_deep(b"[[\"[[[[\"]]", 2), None);
        assert_eq!(too_deep(b"[[\"[\", [1]]]", 2), Some(7));
    }
}
