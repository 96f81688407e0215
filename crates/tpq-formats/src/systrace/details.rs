//! Details of an event, as text: mostly `key=value` pairs; the values may contain spaces.

/// The details of an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Details<'a>(pub(super) &'a [u8]);

impl<'a> Details<'a> {
    /// The text of a key: everything until the next key.
    pub(super) fn text(self, key: &str) -> Option<&'a [u8]> {
        self.pairs().find(|&(found, _)| found == key.as_bytes()).map(|(_, value)| value)
    }

    /// The first word under a key.
    pub(super) fn word(self, key: &str) -> Option<&'a [u8]> {
        self.text(key)?.split(u8::is_ascii_whitespace).find(|word| !word.is_empty())
    }

    /// The number under a key, with a sign or without.
    pub(super) fn number(self, key: &str) -> Option<i64> {
        number(self.word(key)?)
    }

    /// The text before the first key.
    pub(super) fn unnamed(self) -> &'a [u8] {
        let end = keys(self.0).next().map_or(self.0.len(), |(start, _)| start);
        self.0.get(..end).unwrap_or_default().trim_ascii()
    }

    /// The text between two texts.
    pub(super) fn between(self, before: &str, after: &str) -> Option<&'a [u8]> {
        let start = find(self.0, before.as_bytes())? + before.len();
        let rest = self.0.get(start..)?;
        rest.get(..find(rest, after.as_bytes())?)
    }

    /// The text before another.
    pub(super) fn before(self, after: &str) -> Option<&'a [u8]> {
        self.0.get(..find(self.0, after.as_bytes())?).map(<[u8]>::trim_ascii)
    }

    /// The text after another.
    pub(super) fn after(self, before: &str) -> Option<&'a [u8]> {
        let start = find(self.0, before.as_bytes())? + before.len();
        self.0.get(start..).map(<[u8]>::trim_ascii)
    }

    /// Keys and values in the order they were written.
    fn pairs(self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        let bytes = self.0;
        let mut keys = keys(bytes).peekable();
        std::iter::from_fn(move || {
            let (start, equals) = keys.next()?;
            let end = keys.peek().map_or(bytes.len(), |&(next, _)| next);
            Some((bytes.get(start..equals)?, bytes.get(equals + 1..end)?.trim_ascii()))
        })
    }
}

/// Where each key begins and where its equals sign is. A key follows a space.
fn keys(bytes: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let mut start = Some(0);
    bytes.iter().enumerate().filter_map(move |(at, &byte)| match byte {
        b'=' => start.take().filter(|&start| start < at).map(|start| (start, at)),
        byte if byte.is_ascii_whitespace() => {
            start = Some(at + 1);
            None
        }
        byte if byte.is_ascii_alphanumeric() || byte == b'_' => None,
        _ => {
            start = None;
            None
        }
    })
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

/// A number as decimal digits, or as hexadecimal ones after `0x`. Those past the signed range are
/// of a field without a sign: they keep their bits.
pub(super) fn number(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    match text.strip_prefix("0x") {
        Some(digits) => hex(digits.as_bytes()).map(u64::cast_signed),
        None => text.parse().or_else(|_| text.parse().map(u64::cast_signed)).ok(),
    }
}

/// A number as hexadecimal digits.
pub(super) fn hex(digits: &[u8]) -> Option<u64> {
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs() {
        let details = Details(b"prev_comm=Binder Thread #1 prev_state=R+ ==> next_comm=a=b n=-3");
        assert_eq!(details.text("prev_comm"), Some(&b"Binder Thread #1"[..]));
        assert_eq!(details.text("prev_state"), Some(&b"R+ ==>"[..]));
        assert_eq!(details.word("prev_state"), Some(&b"R+"[..]));
        assert_eq!(details.text("next_comm"), Some(&b"a=b"[..]));
        assert_eq!(details.number("n"), Some(-3));
        assert_eq!(details.number("next_comm"), None);
        assert_eq!(details.text("comm"), None, "a key is a whole word");
        assert_eq!(details.unnamed(), b"");
    }

    #[test]
    fn keys_are_words() {
        let details = Details(b"cpu clk=9 vec=1 [action=TIMER] = x= =7 ==8");
        assert_eq!(details.unnamed(), b"cpu");
        assert_eq!(details.text("clk"), Some(&b"9"[..]));
        assert_eq!(details.text("vec"), Some(&b"1 [action=TIMER] ="[..]));
        assert_eq!(details.text("x"), Some(&b"=7 ==8"[..]));
        assert_eq!(Details(b"").text("x"), None);
        assert_eq!(Details(b"=").text(""), None);
        assert_eq!(Details(b"only words").unnamed(), b"only words");
    }

    #[test]
    fn numbers() {
        assert_eq!(number(b"12"), Some(12));
        assert_eq!(number(b"0x1F"), Some(31));
        assert_eq!(number(b"18446744073709551615"), Some(-1));
        for text in [&b""[..], b"1.5", b"0x", b"8437760B", b"18446744073709551616", b"\xff"] {
            assert_eq!(number(text), None, "{text:?}");
        }
        assert_eq!(hex(b"3d0f00"), Some(0x003d_0f00));
    }

    #[test]
    fn parts_between_texts() {
        let details = Details(b"work struct 0xff: function try_to_free+0x10");
        assert_eq!(details.after("function "), Some(&b"try_to_free+0x10"[..]));
        assert_eq!(details.between("struct ", ":"), Some(&b"0xff"[..]));
        assert_eq!(details.after("nothing"), None);
        assert_eq!(details.between("struct ", ";"), None);
    }
}
