//! The byte pipe: messages in a stream of bytes.
//!
//! The stream is one `TraceProcessorRpcStream` of one repeated field: each message is a key, a
//! length and that many bytes. A chunk of a transport may hold a part of a message or several.

use bytes::{Buf, Bytes, BytesMut};
use prost::Message;
use prost::encoding::{encode_varint, encoded_len_varint};
use tpq_proto::message::TraceProcessorRpc;

/// The key of the field `msg`: number 1, with a length.
pub(super) const KEY: u8 = 0x0a;
/// The most bytes of a varint.
const MAX_VARINT: usize = 10;

/// Bytes that are no stream of messages.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FramingError {
    /// A message does not begin with the key of its field.
    #[error("expected a message of a TraceProcessorRpcStream, found a byte {0:#04x}")]
    Key(u8),
    /// The length is not a varint of 64 bits.
    #[error("the length of a message is not valid")]
    Length,
    /// The message is longer than the server takes.
    #[error("a message of {length} bytes exceeds the limit of {limit} bytes")]
    TooLong {
        /// The length of the message.
        length: u64,
        /// The longest that is taken.
        limit: usize,
    },
    /// The bytes of a message are not a `TraceProcessorRpc`.
    #[error("a message is not a TraceProcessorRpc: {0}")]
    Message(#[from] prost::DecodeError),
}

/// Cuts a stream of bytes into messages.
#[derive(Debug)]
pub struct MessageDecoder {
    buffer: BytesMut,
    /// The longest message.
    limit: usize,
}

impl MessageDecoder {
    /// A decoder of messages of up to `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { buffer: BytesMut::new(), limit }
    }

    /// Adds bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The number of bytes of a message that is not complete.
    pub fn pending(&self) -> usize {
        self.buffer.len()
    }

    /// The bytes of the next complete message, if they have arrived.
    ///
    /// # Errors
    /// When the bytes are no stream of messages. Nothing can be read after that.
    pub fn next_bytes(&mut self) -> Result<Option<Bytes>, FramingError> {
        let Some((&key, rest)) = self.buffer.split_first() else { return Ok(None) };
        if key != KEY {
            return Err(FramingError::Key(key));
        }
        let Some((length, varint)) = length(rest)? else { return Ok(None) };
        if length > self.limit as u64 {
            return Err(FramingError::TooLong { length, limit: self.limit });
        }
        let (start, length) = (1 + varint, length as usize);
        if self.buffer.len() < start + length {
            return Ok(None);
        }
        self.buffer.advance(start);
        Ok(Some(self.buffer.split_to(length).freeze()))
    }
}

/// The length at the start of `bytes`, and the number of its bytes, once all of them are there.
fn length(bytes: &[u8]) -> Result<Option<(u64, usize)>, FramingError> {
    let mut value = 0_u64;
    for (index, &byte) in bytes.iter().take(MAX_VARINT).enumerate() {
        let part = u64::from(byte & 0x7f);
        let shift = 7 * index as u32;
        if part.leading_zeros() < shift {
            return Err(FramingError::Length);
        }
        value |= part << shift;
        if byte & 0x80 == 0 {
            return Ok(Some((value, index + 1)));
        }
    }
    if bytes.len() < MAX_VARINT { Ok(None) } else { Err(FramingError::Length) }
}

/// A message as a part of a stream.
pub fn framed(message: &TraceProcessorRpc) -> Bytes {
    let length = message.encoded_len();
    let mut bytes = BytesMut::with_capacity(1 + encoded_len_varint(length as u64) + length);
    bytes.extend_from_slice(&[KEY]);
    encode_varint(length as u64, &mut bytes);
    // A BytesMut grows as needed.
    let _ = message.encode(&mut bytes);
    bytes.freeze()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbered(seq: i64) -> TraceProcessorRpc {
        TraceProcessorRpc { seq: Some(seq), ..TraceProcessorRpc::default() }
    }

    fn decoded(bytes: Option<Bytes>) -> Result<Option<TraceProcessorRpc>, FramingError> {
        Ok(bytes.map(TraceProcessorRpc::decode).transpose()?)
    }

    /// The messages of a stream, and the error at its end.
    fn all(chunks: &[&[u8]], limit: usize) -> (Vec<TraceProcessorRpc>, Option<FramingError>) {
        let mut decoder = MessageDecoder::new(limit);
        let mut messages = Vec::new();
        for chunk in chunks {
            decoder.push(chunk);
            loop {
                match decoder.next_bytes().and_then(decoded) {
                    Ok(Some(message)) => messages.push(message),
                    Ok(None) => break,
                    Err(error) => return (messages, Some(error)),
                }
            }
        }
        (messages, None)
    }

    #[test]
    fn a_message_has_these_bytes() {
        assert_eq!(framed(&numbered(300)), [0x0a, 3, 0x08, 0xac, 0x02].as_slice());
        let bytes = [0x0a, 3, 0x08, 0xac, 0x02, 0x0a, 0, 0x0a, 2, 0x08];
        let (messages, error) = all(&[&bytes], 100);
        assert_eq!(messages, [numbered(300), TraceProcessorRpc::default()]);
        assert_eq!(error, None);
    }

    #[test]
    fn other_bytes_are_errors() {
        let error = |bytes: &[u8]| all(&[bytes], 100).1;
        assert_eq!(error(&[0x12, 0]), Some(FramingError::Key(0x12)));
        assert_eq!(error(&[0x0a, 101]), Some(FramingError::TooLong { length: 101, limit: 100 }));
        assert_eq!(
            error(&[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]),
            Some(FramingError::Length)
        );
        assert!(matches!(error(&[0x0a, 1, 0xff]), Some(FramingError::Message(_))));
    }

    #[test]
    fn a_length_above_the_limit_is_refused_before_its_bytes_arrive() {
        let mut decoder = MessageDecoder::new(1 << 20);
        decoder.push(&[0x0a, 0xff, 0xff, 0xff, 0x7f]);
        assert!(decoder.next_bytes().is_err());
    }

    proptest! {
        /// Messages are the same however the transport cuts them.
        #[test]
        fn any_chunks_give_the_same_messages(
            seqs in prop::collection::vec(any::<i64>(), 0..20),
            sizes in prop::collection::vec(1_usize..40, 1..20),
        ) {
            let messages: Vec<_> = seqs.into_iter().map(numbered).collect();
            let bytes: Vec<u8> = messages.iter().flat_map(framed).collect();
            let mut chunks = Vec::new();
            let mut rest = bytes.as_slice();
            for size in sizes.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (chunk, after) = rest.split_at((*size).min(rest.len()));
                chunks.push(chunk);
                rest = after;
            }
            prop_assert_eq!(all(&chunks, 100), (messages, None));
        }

        #[test]
        fn no_bytes_cause_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            all(&[&bytes], 1000);
        }
    }
}
