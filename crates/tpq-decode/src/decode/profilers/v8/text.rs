//! Strings of V8, in one of the encodings that it keeps them in.

use tpq_proto::fields::{interned_v8_string, v8_string};
use tpq_proto::wire::LastFields;

/// The text of a `V8String`; `None` if it has none.
pub(super) fn of_string(message: &[u8]) -> Option<String> {
    let [latin1, le, be] = [v8_string::LATIN1, v8_string::UTF16_LE, v8_string::UTF16_BE];
    decode(message, latin1, le, be)
}

/// The text of an `InternedV8String`; `None` if it has none.
pub(super) fn of_interned(message: &[u8]) -> Option<String> {
    let [latin1, le, be] =
        [interned_v8_string::LATIN1, interned_v8_string::UTF16_LE, interned_v8_string::UTF16_BE];
    decode(message, latin1, le, be)
}

fn decode(message: &[u8], latin1: u32, utf16_le: u32, utf16_be: u32) -> Option<String> {
    let fields = LastFields::<5>::new(message);
    if let Some(text) = fields.get(latin1) {
        return Some(text.as_bytes().iter().map(|&byte| char::from(byte)).collect());
    }
    if let Some(text) = fields.get(utf16_le) {
        return Some(utf16(text.as_bytes(), u16::from_le_bytes));
    }
    fields.get(utf16_be).map(|text| utf16(text.as_bytes(), u16::from_be_bytes))
}

/// Text of 16-bit units; those that are no text become U+FFFD.
fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (units, _) = bytes.as_chunks::<2>();
    let units = units.iter().map(|&bytes| unit(bytes));
    char::decode_utf16(units).map(|it| it.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_all_encodings() {
        let text = |bytes: &[u8]| of_string(bytes);
        assert_eq!(text(&[0x0a, 2, b'a', 0xe9]).as_deref(), Some("a\u{e9}"));
        assert_eq!(text(&[0x12, 5, b'a', 0, 0x34, 0xd8, 0xff]).as_deref(), Some("a\u{fffd}"));
        assert_eq!(text(&[0x1a, 4, 0xd8, 0x34, 0xdd, 0x1e]).as_deref(), Some("\u{1d11e}"));
        assert_eq!(text(&[]), None);
        assert_eq!(of_interned(&[0x08, 1, 0x12, 1, b'x']).as_deref(), Some("x"));
    }
}
