//! Strings of JSON, as they mean.

use tpq_ingest::Span;
use tpq_tables::StringId;

use super::context::Context;

/// The text that stands between the quotes of a string.
pub(super) fn unescaped(raw: &[u8]) -> String {
    let mut quoted = Vec::with_capacity(raw.len() + 2);
    quoted.push(b'"');
    quoted.extend_from_slice(raw);
    quoted.push(b'"');
    // The reader has seen that the string is one; what cannot be read is shown as it stands.
    let mut json = sonic_rs::Deserializer::from_slice(&quoted).utf8_lossy();
    json.deserialize().unwrap_or_else(|_| String::from_utf8_lossy(raw).into_owned())
}

impl Context<'_> {
    /// The bytes of a span.
    pub(super) fn raw(&self, span: Span) -> &[u8] {
        self.bytes.get(span)
    }

    /// The string with its contents at a span; NULL for none, and for one of no characters.
    pub(super) fn string(&mut self, span: Span) -> StringId {
        match span.len {
            0 => StringId::NULL,
            _ => self.name(span),
        }
    }

    /// The same, where a string of no characters is one.
    pub(super) fn name(&mut self, span: Span) -> StringId {
        let raw = self.bytes.get(span);
        match memchr::memchr(b'\\', raw).is_some() {
            true => self.tables.strings.intern(&unescaped(raw)),
            false => self.tables.strings.intern_bytes(raw),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read() {
        assert_eq!(unescaped(br#"a\"b\\c\/d\n\u00e9\ud83d\ude00"#), "a\"b\\c/d\n\u{e9}\u{1f600}");
        assert_eq!(unescaped(br"a\ud83d\n"), "a\u{fffd}\n", "half of a character");
        assert_eq!(unescaped(b"\xff"), "\u{fffd}");
    }
}
