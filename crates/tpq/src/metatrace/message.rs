//! Writes protobuf messages.

/// A message with its fields in the order they were added.
#[derive(Default)]
pub(super) struct Message(Vec<u8>);

/// The protobuf wire type of a field.
#[derive(Clone, Copy)]
enum WireType {
    Varint = 0,
    Length = 2,
}

impl Message {
    /// Adds an integer or a `bool`.
    pub(super) fn uint(mut self, field: u32, value: u64) -> Self {
        self.key(field, WireType::Varint);
        self.varint(value);
        self
    }

    /// Adds a string.
    pub(super) fn string(mut self, field: u32, text: &str) -> Self {
        self.bytes(field, text.as_bytes());
        self
    }

    /// Adds a nested message.
    pub(super) fn message(mut self, field: u32, message: &Self) -> Self {
        self.push(field, message);
        self
    }

    /// Adds a nested message, for callers that cannot chain calls.
    pub(super) fn push(&mut self, field: u32, message: &Self) {
        self.bytes(field, &message.0);
    }

    /// The encoded bytes.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn bytes(&mut self, field: u32, bytes: &[u8]) {
        self.key(field, WireType::Length);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn key(&mut self, field: u32, wire_type: WireType) {
        self.varint(u64::from(field) << 3 | wire_type as u64);
    }

    /// Adds a varint: seven bits per byte, the lowest first; all bytes except the last have the
    /// highest bit set.
    fn varint(&mut self, mut value: u64) {
        while value > 0x7f {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use tpq_proto::wire::{Field, Fields, Value};

    use super::*;

    #[test]
    fn written_messages_can_be_read() {
        let inner = Message::default().uint(2, 127).uint(3, u64::MAX);
        let bytes =
            Message::default().uint(1, 300).string(58, "é").message(60, &inner).into_bytes();
        let fields: Vec<_> = Fields::new(&bytes).map(|field| (field.number, field.value)).collect();
        let nested = [0x10, 127, 0x18, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
        let expected = [
            (1, Value::Varint(300)),
            (58, Value::Bytes("é".as_bytes())),
            (60, Value::Bytes(&nested)),
        ];
        assert_eq!(fields, expected);
        let last = Fields::new(&nested).last();
        assert_eq!(last, Some(Field { number: 3, value: Value::Varint(u64::MAX) }));
    }
}
