//! A walk over the fields of an event that is written as nearly all are: valid JSON in ASCII, not
//! nested deeply, with none but the usual escapes.
//!
//! A walk takes less time than the reader of all JSON, which reads whatever is unusual: so nothing
//! is wrong here, and unusual is all that a text can be.

use std::ops::Range;

/// Values nested deeper are left to the reader of all JSON.
const MAX_DEPTH: u32 = 64;

/// Whether a byte stands for itself within a string.
static IN_STRINGS: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = b' ';
    while byte < 0x7f {
        plain[byte as usize] = byte != b'"' && byte != b'\\';
        byte += 1;
    }
    plain
};

/// The fields of an object, of which each is the location of a key, without its quotes, and of a
/// value.
pub(super) struct PlainFields<'a> {
    walk: Walk<'a>,
    /// Whether the next field is the first.
    is_first: bool,
}

/// A field, or the end of an object that nothing follows.
pub(super) enum PlainField {
    /// The locations of a key and of its value.
    Field(Range<usize>, Range<usize>),
    /// All fields were read.
    End,
}

impl<'a> PlainFields<'a> {
    /// The fields of the object that a text is.
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { walk: Walk { text, at: 0 }, is_first: true }
    }

    /// The next field; `None` for something unusual.
    #[inline]
    pub(super) fn next_field(&mut self) -> Option<PlainField> {
        let walk = &mut self.walk;
        if std::mem::take(&mut self.is_first) {
            walk.expect(b'{')?;
            if walk.peek()? == b'}' {
                return walk.end();
            }
        } else {
            match walk.peek()? {
                b',' => walk.at += 1,
                b'}' => return walk.end(),
                _ => return None,
            }
        }
        let key = walk.key()?;
        walk.peek()?;
        let begin = walk.at;
        walk.value()?;
        Some(PlainField::Field(key, begin..walk.at))
    }
}

/// A place in a text.
struct Walk<'a> {
    text: &'a [u8],
    at: usize,
}

impl Walk<'_> {
    /// The next byte that is not white space, and goes there.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.text.get(self.at)?;
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    /// Passes over a byte, and white space before it.
    #[inline]
    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// The end of the object, which is the end of the text.
    fn end(&mut self) -> Option<PlainField> {
        self.at += 1;
        (self.at == self.text.len()).then_some(PlainField::End)
    }

    /// Passes over a key and the colon behind it; returns where the key lies, which has no escapes.
    #[inline]
    fn key(&mut self) -> Option<Range<usize>> {
        self.expect(b'"')?;
        let begin = self.at;
        self.at += self.plain_bytes()?;
        let key = begin..self.at;
        // An escape ends it as well.
        (self.text.get(self.at) == Some(&b'"')).then(|| self.at += 1)?;
        self.expect(b':')?;
        Some(key)
    }

    /// The number of bytes up to one that does not stand for itself.
    #[inline]
    fn plain_bytes(&self) -> Option<usize> {
        self.text.get(self.at..)?.iter().position(|&byte| !IN_STRINGS[usize::from(byte)])
    }

    /// Passes over the rest of a string, behind its first quote.
    #[inline]
    fn string(&mut self) -> Option<()> {
        loop {
            self.at += self.plain_bytes()?;
            match self.text.get(self.at..)? {
                [b'"', ..] => {
                    self.at += 1;
                    return Some(());
                }
                [b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => self.at += 2,
                _ => return None,
            }
        }
    }

    /// Passes over a number.
    #[inline]
    fn number(&mut self) -> Option<()> {
        self.at += usize::from(self.text.get(self.at) == Some(&b'-'));
        let leading_zero = self.text.get(self.at) == Some(&b'0');
        if self.digits()? > 1 && leading_zero {
            return None;
        }
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.text.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.text.get(self.at), Some(b'+' | b'-')));
            self.digits()?;
        }
        Some(())
    }

    /// Passes over digits, of which there must be some, and returns how many there are.
    #[inline]
    fn digits(&mut self) -> Option<usize> {
        let rest = self.text.get(self.at..)?;
        let count = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
        self.at += count;
        (count > 0).then_some(count)
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        let is_it = self.text.get(self.at..)?.starts_with(word);
        is_it.then(|| self.at += word.len())
    }

    /// Passes over a value.
    fn value(&mut self) -> Option<()> {
        let mut open = Open::default();
        loop {
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    self.string()?;
                }
                bracket @ (b'{' | b'[') => {
                    self.at += 1;
                    open.push(bracket == b'{')?;
                    match (self.peek()?, open.is_object()) {
                        (b'}', true) | (b']', false) => {
                            self.at += 1;
                            open.pop();
                        }
                        (_, true) => {
                            self.key()?;
                            continue;
                        }
                        (_, false) => continue,
                    }
                }
                b'-' | b'0'..=b'9' => self.number()?,
                b't' => self.word(b"true")?,
                b'f' => self.word(b"false")?,
                b'n' => self.word(b"null")?,
                _ => return None,
            }
            if self.close(&mut open)? {
                return Some(());
            }
        }
    }

    /// Passes over what follows a value up to the next one. Returns whether there is none in what
    /// is open, all of which ends then.
    #[inline]
    fn close(&mut self, open: &mut Open) -> Option<bool> {
        while open.depth > 0 {
            let byte = self.peek()?;
            self.at += 1;
            match (byte, open.is_object()) {
                (b',', true) => return self.key().map(|_| false),
                (b',', false) => return Some(false),
                (b'}', true) | (b']', false) => open.pop(),
                _ => return None,
            }
        }
        Some(true)
    }
}

/// The objects and arrays around a place.
#[derive(Default)]
struct Open {
    depth: u32,
    /// A bit for each, the innermost lowest: whether it is an object.
    objects: u64,
}

impl Open {
    fn push(&mut self, is_object: bool) -> Option<()> {
        if self.depth == MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        self.objects = self.objects << 1 | u64::from(is_object);
        Some(())
    }

    fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.objects >>= 1;
    }

    fn is_object(&self) -> bool {
        self.objects & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fields of a text, each as `key=value`; `None` for an unusual text.
    fn fields(text: &str) -> Option<Vec<String>> {
        let mut fields = PlainFields::new(text.as_bytes());
        let mut read = Vec::new();
        loop {
            match fields.next_field()? {
                PlainField::Field(key, value) => {
                    read.push(format!("{}={}", &text[key], &text[value]));
                }
                PlainField::End => return Some(read),
            }
        }
    }

    #[test]
    fn values_of_every_kind() {
        let text =
            "{ \"a\":\"x\\\"y\" ,\n\"b\" : -0.5e+3, \"\":{\"c\":[1,{},[]],\"d\":null},\"e\":true}";
        let expected = ["a=\"x\\\"y\"", "b=-0.5e+3", "={\"c\":[1,{},[]],\"d\":null}", "e=true"];
        assert_eq!(fields(text).as_deref(), Some(&expected.map(str::to_owned)[..]));
        assert_eq!(fields("{ }"), Some(Vec::new()));
    }

    #[test]
    fn whatever_is_unusual_is_left_to_others() {
        for value in [
            "",
            "01",
            "-",
            "1.",
            ".5",
            "+1",
            "1e",
            "1x",
            "tru",
            "nullx",
            "NaN",
            "\"a",
            "\"\\u0041\"",
            "\"\\q\"",
            "\"\u{e9}\"",
            "\"\u{7f}\"",
            "\"\t\"",
            "[1,]",
            "[1 2]",
            "[1}",
            "{\"a\":1]",
            "{\"a\"}",
            "{a:1}",
            "{\"a\":1,}",
            "{\"\\n\":1}",
            "[",
            "1,2",
        ] {
            assert_eq!(fields(&format!("{{\"k\":{value}}}")), None, "{value}");
        }
        for text in ["", "[]", "{", "{}}", "{} ", "{\"a\":1}x", "{,\"a\":1}", "{\"a\":1,}"] {
            assert_eq!(fields(text), None, "{text}");
        }
        let nested = |depth| format!("{{\"k\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        assert!(fields(&nested(MAX_DEPTH as usize)).is_some());
        assert!(fields(&nested(MAX_DEPTH as usize + 1)).is_none());
    }
}
