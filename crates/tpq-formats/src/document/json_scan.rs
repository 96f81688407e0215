//! Walks JSON that was checked before. Of other text it yields something, or nothing.

use std::borrow::Cow;

/// The number of bytes that are looked at together where marks are rare.
const BLOCK: usize = 32;
/// The number of words that are looked at one by one before, as marks mostly follow each other
/// closely.
const NEAR_WORDS: usize = 2;

/// Whether a byte is a bracket of an object or an array, or begins a string.
fn is_mark(byte: u8) -> bool {
    // Brackets of both kinds differ in this bit.
    let bracket = byte | 0x20;
    bracket == b'{' || bracket == b'}' || byte == b'"'
}

/// A word of one byte, repeated.
const fn repeated(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// The highest bit of each byte that is 0. Above the lowest of these there may be others.
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(repeated(1)) & !word & repeated(0x80)
}

/// The index of the first mark in eight bytes.
fn mark_in(bytes: [u8; 8]) -> Option<usize> {
    let word = u64::from_le_bytes(bytes);
    let brackets = word | repeated(0x20);
    let found = zeros(brackets ^ repeated(b'{'))
        | zeros(brackets ^ repeated(b'}'))
        | zeros(word ^ repeated(b'"'));
    (found != 0).then(|| found.trailing_zeros() as usize / 8)
}

/// The index of the first quote or backslash in eight bytes.
fn quote_in(bytes: [u8; 8]) -> Option<usize> {
    let word = u64::from_le_bytes(bytes);
    let found = zeros(word ^ repeated(b'"')) | zeros(word ^ repeated(b'\\'));
    (found != 0).then(|| found.trailing_zeros() as usize / 8)
}

/// The position of the first mark from `at` on; the length if there is none.
fn next_mark(text: &[u8], mut at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    for (index, word) in rest.as_chunks().0.iter().take(NEAR_WORDS).enumerate() {
        if let Some(mark) = mark_in(*word) {
            return at + index * 8 + mark;
        }
    }
    at += rest.len().min(NEAR_WORDS * 8) / 8 * 8;
    while let Some(block) = text.get(at..at + BLOCK) {
        if block.iter().fold(false, |any, &byte| any | is_mark(byte)) {
            break;
        }
        at += BLOCK;
    }
    let rest = text.get(at..).unwrap_or_default();
    let (words, last) = rest.as_chunks();
    for (index, word) in words.iter().enumerate() {
        if let Some(mark) = mark_in(*word) {
            return at + index * 8 + mark;
        }
    }
    let at = text.len() - last.len();
    at + last.iter().position(|&byte| is_mark(byte)).unwrap_or(last.len())
}

/// The position of the first quote or backslash from `at` on.
fn next_quote(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    // Most strings are short.
    for (index, word) in rest.as_chunks().0.iter().take(NEAR_WORDS).enumerate() {
        if let Some(quote) = quote_in(*word) {
            return Some(at + index * 8 + quote);
        }
    }
    let near = rest.len().min(NEAR_WORDS * 8) / 8 * 8;
    Some(at + near + memchr::memchr2(b'"', b'\\', rest.get(near..)?)?)
}

/// The position behind a string, of which the first character is at `at`.
fn end_of_string(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let found = next_quote(text, at)?;
        match text.get(found) {
            Some(b'"') => return Some(found + 1),
            _ => at = found + 2,
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

    /// The next key, and the position of its value. The value is still to be passed.
    fn next_key(&mut self) -> Option<(&'a [u8], usize)> {
        let start = next_item(self.text, self.at).filter(|&at| self.text.get(at) == Some(&b'"'))?;
        let end = end_of_string(self.text, start + 1)?;
        let key = self.text.get(start + 1..end - 1)?;
        let colon = next_item(self.text, end).filter(|&at| self.text.get(at) == Some(&b':'))?;
        Some((key, next_item(self.text, colon + 1)?))
    }

    /// The text from the value of a key on. The end of the value is not searched.
    pub(super) fn enter(mut self, key: &str) -> Option<&'a [u8]> {
        loop {
            let (found, value) = self.next_key()?;
            if is_key(found, key) {
                return self.text.get(value..);
            }
            self.at = end_of_value(self.text, value)?;
        }
    }
}

/// Whether the text of a key between its quotes is that of `wanted`.
fn is_key(key: &[u8], wanted: &str) -> bool {
    key == wanted.as_bytes() || key.contains(&b'\\') && *unescaped(key) == *wanted.as_bytes()
}

/// The text of a key between its quotes.
pub(super) fn unescaped(key: &[u8]) -> Cow<'_, [u8]> {
    if !key.contains(&b'\\') {
        return Cow::Borrowed(key);
    }
    let quoted = [&b"\""[..], key, b"\""].concat();
    match sonic_rs::from_slice::<String>(&quoted) {
        Ok(key) => Cow::Owned(key.into_bytes()),
        Err(_) => Cow::Borrowed(key),
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = self.next_key()?;
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

/// Hands the elements of nested arrays to `visit`: in the object at `at` the first key of a path
/// leads to an array of objects, in which the next key does so, and the last one to the array of
/// the elements. Returns the position behind the object. Each byte is passed once.
pub(super) fn visit_elements<'a>(
    text: &'a [u8],
    at: usize,
    path: &[&str],
    visit: &mut impl FnMut(&'a [u8]),
) -> Option<usize> {
    let at = next_item(text, at)?;
    let path = path.split_first().filter(|_| text.get(at) == Some(&b'{'));
    let Some((wanted, path)) = path else { return end_of_value(text, at) };
    let mut members = Members { text, at: at + 1 };
    let mut is_found = false;
    while let Some((key, value)) = members.next_key() {
        // The first of several members of a key counts.
        let is_wanted = !is_found && is_key(key, wanted);
        is_found |= is_wanted;
        members.at = match is_wanted && text.get(value) == Some(&b'[') {
            true => visit_array(text, value, path, visit)?,
            false => end_of_value(text, value)?,
        };
    }
    Some(next_item(text, members.at)? + 1)
}

fn visit_array<'a>(
    text: &'a [u8],
    at: usize,
    path: &[&str],
    visit: &mut impl FnMut(&'a [u8]),
) -> Option<usize> {
    let mut at = at + 1;
    loop {
        let start = next_item(text, at)?;
        if text.get(start) == Some(&b']') {
            return Some(start + 1);
        }
        at = match path.is_empty() {
            true => end_of_value(text, start)?,
            false => visit_elements(text, start, path, visit)?,
        };
        if at <= start {
            return None;
        }
        if path.is_empty() {
            visit(text.get(start..at)?);
        }
    }
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
    fn marks_and_quotes_are_found_at_any_place() {
        // Bytes that differ from marks in one bit or by one.
        for fill in [b'z', b'|', b'~', b'Z', b'\x02', b'!', b'#', 0xdb, 0xa2, 0] {
            for (len, mark) in (0..90).flat_map(|len| (*b"{}[]\"").map(|mark| (len, mark))) {
                let text = [vec![fill; len], vec![mark], vec![fill; 50]].concat();
                assert_eq!(next_mark(&text, 0), len, "{fill} {mark}");
                assert_eq!(next_mark(&text, len + 1), text.len(), "{fill} {mark}");
            }
            for len in 0..40 {
                let text = [vec![fill; len], b"\\\"".to_vec(), vec![fill; len], b"\",".to_vec()];
                assert_eq!(end_of_string(&text.concat(), 0), Some(2 * len + 3), "{fill}");
                assert_eq!(end_of_string(&text[..3].concat(), 0), None, "{fill}");
            }
        }
    }

    #[test]
    fn elements_of_nested_arrays() {
        let visited = |text: &str| {
            let mut visited = Vec::new();
            visit_elements(text.as_bytes(), 0, &["a", "b"], &mut |it: &[u8]| {
                visited.push(String::from_utf8_lossy(it).into_owned());
            });
            visited.join(" ")
        };
        let text = r#" {"x": [1], "a": [{"b": [1, [2]], "b": [3]}, 4, {"\u0062": [{"b": [5]}]}, {}],
            "a": [{"b": [6]}]}"#;
        assert_eq!(visited(text), r#"1 [2] {"b": [5]}"#);
        assert_eq!(visited(r#"{"a": {"b": [1]}}"#), "");
        assert_eq!(visited(r#"{"a": [{"b": [1, 2"#), "1 2");
        assert_eq!(visited("[]"), "");
        assert_eq!(visited(""), "");
    }

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
