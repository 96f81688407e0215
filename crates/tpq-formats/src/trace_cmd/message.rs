//! Messages that are built field by field.

use prost::encoding::{WireType, encode_key, encode_varint};

/// A message under construction.
#[derive(Clone, Debug, Default)]
pub(super) struct Message(pub(super) Vec<u8>);

impl Message {
    /// Adds a number.
    pub(super) fn uint(&mut self, field: u32, value: u64) {
        encode_key(field, WireType::Varint, &mut self.0);
        encode_varint(value, &mut self.0);
    }

    /// Adds a text or a message.
    pub(super) fn bytes(&mut self, field: u32, value: &[u8]) {
        encode_key(field, WireType::LengthDelimited, &mut self.0);
        encode_varint(value.len() as u64, &mut self.0);
        self.0.extend_from_slice(value);
    }

    /// Adds a message.
    pub(super) fn message(&mut self, field: u32, value: &Self) {
        self.bytes(field, &value.0);
    }
}
