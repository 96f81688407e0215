//! The encoding of protobuf messages, as far as stacks and profiles have it.

/// The number of a field, before its type.
const NUMBER_SHIFT: u32 = 3;
const VARINT: u64 = 0;
const FIXED_64: u64 = 1;
const LENGTH: u64 = 2;
const FIXED_32: u64 = 5;

/// The value of a field.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Content<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// Appends a number in 7 bits per byte, the lowest first.
pub(super) fn push_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    bytes.push(value.to_le_bytes()[0]);
}

/// Appends a field with a number.
pub(super) fn push_number(bytes: &mut Vec<u8>, field: u64, value: u64) {
    push_varint(bytes, field << NUMBER_SHIFT | VARINT);
    push_varint(bytes, value);
}

/// Appends a field with a text or a message.
pub(super) fn push_bytes(bytes: &mut Vec<u8>, field: u64, content: &[u8]) {
    push_varint(bytes, field << NUMBER_SHIFT | LENGTH);
    push_varint(bytes, content.len() as u64);
    bytes.extend_from_slice(content);
}

/// The fields of a message with their numbers; an item is `None` where the message is damaged, and
/// nothing follows it.
pub(super) fn fields(message: &[u8]) -> impl Iterator<Item = Option<(u64, Content<'_>)>> {
    let mut rest = Some(message);
    std::iter::from_fn(move || {
        let mut bytes = rest.take().filter(|rest| !rest.is_empty())?;
        let field = read_field(&mut bytes);
        rest = field.is_some().then_some(bytes);
        Some(field)
    })
}

fn read_field<'a>(bytes: &mut &'a [u8]) -> Option<(u64, Content<'a>)> {
    let tag = read_varint(bytes)?;
    let content = match tag & 7 {
        VARINT => Content::Number(read_varint(bytes)?),
        FIXED_64 => Content::Bytes(read_bytes(bytes, 8)?),
        FIXED_32 => Content::Bytes(read_bytes(bytes, 4)?),
        LENGTH => {
            let length = usize::try_from(read_varint(bytes)?).ok()?;
            Content::Bytes(read_bytes(bytes, length)?)
        }
        _ => return None,
    };
    Some((tag >> NUMBER_SHIFT, content))
}

fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn read_bytes<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (content, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_back() {
        let mut message = Vec::new();
        push_number(&mut message, 1, 300);
        push_bytes(&mut message, 2, b"ab");
        push_number(&mut message, 16, u64::MAX);
        assert_eq!(message[..7], [0x08, 0xac, 0x02, 0x12, 2, b'a', b'b']);
        let found: Option<Vec<_>> = fields(&message).collect();
        let expected = [
            (1, Content::Number(300)),
            (2, Content::Bytes(b"ab")),
            (16, Content::Number(u64::MAX)),
        ];
        assert_eq!(found.unwrap(), expected);
    }

    #[test]
    fn damage_ends_a_message() {
        for message in [&[0x08][..], &[0x12, 3, b'a'], &[0x0b], &[0x08, 0xff, 0xff]] {
            let found: Vec<_> = fields(message).collect();
            assert_eq!(found, [None], "{message:?}");
        }
        assert_eq!(fields(&[]).count(), 0);
    }
}
