//! The wire format of protobuf: tags, varints and lengths.

/// The bytes of one protobuf message. Fields are written in the order of the calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Message {
    bytes: Vec<u8>,
}

/// The encoding of the bytes after a tag.
#[derive(Clone, Copy)]
enum WireType {
    Varint = 0,
    Fixed64 = 1,
    Length = 2,
    Fixed32 = 5,
}

impl Message {
    /// Returns a message without fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a message with these encoded bytes.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    /// Returns the bytes so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Writes an unsigned integer.
    pub fn uint(mut self, field: u32, value: u64) -> Self {
        self.tag(field, WireType::Varint);
        push_varint(&mut self.bytes, value);
        self
    }

    /// Writes a signed integer. A negative one takes ten bytes, as specified by protobuf.
    pub fn int(self, field: u32, value: i64) -> Self {
        self.uint(field, value.cast_unsigned())
    }

    /// Writes a boolean.
    pub fn bool(self, field: u32, value: bool) -> Self {
        self.uint(field, value.into())
    }

    /// Writes an integer of four bytes.
    pub fn fixed32(mut self, field: u32, value: u32) -> Self {
        self.tag(field, WireType::Fixed32);
        self.bytes.extend(value.to_le_bytes());
        self
    }

    /// Writes an integer of eight bytes.
    pub fn fixed64(mut self, field: u32, value: u64) -> Self {
        self.tag(field, WireType::Fixed64);
        self.bytes.extend(value.to_le_bytes());
        self
    }

    /// Writes a float of eight bytes.
    pub fn double(self, field: u32, value: f64) -> Self {
        self.fixed64(field, value.to_bits())
    }

    /// Writes bytes or text with its length.
    pub fn bytes(mut self, field: u32, value: impl AsRef<[u8]>) -> Self {
        let value = value.as_ref();
        self.tag(field, WireType::Length);
        push_varint(&mut self.bytes, value.len() as u64);
        self.bytes.extend(value);
        self
    }

    /// Writes a message inside this one.
    pub fn message(self, field: u32, value: impl Into<Message>) -> Self {
        self.bytes(field, value.into().bytes)
    }

    /// Writes a packed list of integers; nothing when it is empty.
    pub fn packed(self, field: u32, values: impl IntoIterator<Item = i64>) -> Self {
        let mut list = Vec::new();
        for value in values {
            push_varint(&mut list, value.cast_unsigned());
        }
        if list.is_empty() { self } else { self.bytes(field, list) }
    }

    fn tag(&mut self, field: u32, wire_type: WireType) {
        push_varint(&mut self.bytes, u64::from(field) << 3 | wire_type as u64);
    }
}

/// Appends `value` as a varint: seven bits per byte, the lowest first.
pub(crate) fn push_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    bytes.push(value.to_le_bytes()[0]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_varints() {
        assert_eq!(Message::new().uint(1, 0).as_bytes(), [0x08, 0x00]);
        assert_eq!(Message::new().uint(1, 300).as_bytes(), [0x08, 0xac, 0x02]);
        assert_eq!(
            Message::new().int(1, -1).as_bytes(),
            [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]
        );
        assert_eq!(Message::new().bool(58, true).as_bytes(), [0xd0, 0x03, 0x01]);
    }

    #[test]
    fn text_and_messages_carry_their_length() {
        assert_eq!(Message::new().bytes(2, "ab").as_bytes(), [0x12, 2, b'a', b'b']);
        let inner = Message::new().uint(1, 5);
        assert_eq!(Message::new().message(3, inner).as_bytes(), [0x1a, 2, 0x08, 5]);
    }

    #[test]
    fn fixed_and_packed() {
        assert_eq!(Message::new().fixed64(1, 1).as_bytes(), [0x09, 1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(Message::new().packed(1, [1, 300]).as_bytes(), [0x0a, 3, 1, 0xac, 0x02]);
        assert!(Message::new().packed(1, []).as_bytes().is_empty());
    }
}
