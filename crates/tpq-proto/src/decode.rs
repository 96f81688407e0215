//! Decoding of rare messages with strings that may not be UTF-8.
//!
//! Protobuf strings should be UTF-8, but traces contain names that the kernel cut in the middle of
//! a character and command lines with arbitrary bytes. One such name must not discard a whole
//! process tree, so a message that cannot be decoded is decoded again with repaired strings.

use prost::encoding::{WireType, encode_key, encode_varint};
use prost::{DecodeError, Name};

use crate::descriptor::{Kind, Message};
use crate::wire::{Field, Fields, Value};

/// The largest depth of nested messages that are repaired. prost has the same limit.
const MAX_DEPTH: usize = 100;

/// Decodes a message. Invalid UTF-8 in a string is replaced by U+FFFD.
///
/// # Errors
///
/// When the bytes are not a message of this type.
pub fn decode<M: prost::Message + Name + Default>(bytes: &[u8]) -> Result<M, DecodeError> {
    M::decode(bytes).or_else(|error| {
        let message = Message::of::<M>().ok_or(error)?;
        let mut repaired = Vec::with_capacity(bytes.len());
        repair(message, bytes, MAX_DEPTH, &mut repaired);
        M::decode(repaired.as_slice())
    })
}

/// Copies a message and makes its strings UTF-8. Data that cannot be read is copied unchanged, so
/// that decoding still refuses it.
fn repair(message: Message, bytes: &[u8], depth: usize, out: &mut Vec<u8>) {
    let mut fields = Fields::new(bytes);
    let mut copied = 0;
    while let Some(Field { number, value }) = fields.next() {
        let kind = message.field(number).map(|field| field.kind);
        match (kind, value) {
            (Some(Kind::String), Value::Bytes(text)) => {
                write_bytes(number, String::from_utf8_lossy(text).as_bytes(), out);
            }
            (Some(Kind::Message(nested)), Value::Bytes(inner)) if depth > 0 => {
                let mut repaired = Vec::with_capacity(inner.len());
                repair(nested, inner, depth - 1, &mut repaired);
                write_bytes(number, &repaired, out);
            }
            _ => out.extend_from_slice(&bytes[copied..fields.position()]),
        }
        copied = fields.position();
    }
    out.extend_from_slice(&bytes[copied..]);
}

fn write_bytes(number: u32, bytes: &[u8], out: &mut Vec<u8>) {
    encode_key(number, WireType::LengthDelimited, out);
    encode_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;
    use crate::message::{ProcessTree, TraceUuid, process_tree};

    fn tree(cmdline: &str) -> ProcessTree {
        let process = process_tree::Process {
            pid: Some(7),
            cmdline: vec![cmdline.to_owned(), "-v".to_owned()],
            ..Default::default()
        };
        ProcessTree { processes: vec![process], ..Default::default() }
    }

    #[test]
    fn text_that_is_not_utf8_does_not_discard_the_message() {
        let mut bytes = tree("caf?").encode_to_vec();
        for byte in &mut bytes {
            if *byte == b'?' {
                *byte = 0xc3;
            }
        }
        assert!(ProcessTree::decode(bytes.as_slice()).is_err());
        assert_eq!(decode::<ProcessTree>(&bytes), Ok(tree("caf\u{fffd}")));
    }

    #[test]
    fn a_message_that_is_cut_off_is_refused() {
        let bytes = TraceUuid { msb: Some(1 << 40), lsb: Some(-1) }.encode_to_vec();
        assert_eq!(decode::<TraceUuid>(&bytes), TraceUuid::decode(bytes.as_slice()));
        assert!(decode::<TraceUuid>(&bytes[..bytes.len() - 1]).is_err());
    }
}
