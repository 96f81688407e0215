//! Inflates the packets that producers compressed inside the trace.

use std::io::Read;

/// The most that one compressed packet may inflate to. The recorder bundles about half a
/// megabyte; what claims a thousand times that is not a trace.
const MAX_INFLATED: u64 = 512 << 20;

/// How a packet's payload is compressed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Codec {
    Zlib,
    Zstd,
}

/// The packets inside a compressed payload, or `None` when it is damaged or claims
/// more than `budget` or than any recorder bundles.
pub(crate) fn inflate(codec: Codec, compressed: &[u8], budget: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(compressed.len().saturating_mul(4).min(1 << 22));
    let most = MAX_INFLATED.min(budget);
    let limit = most + 1;
    let result = match codec {
        Codec::Zlib => {
            flate2::read::ZlibDecoder::new(compressed).take(limit).read_to_end(&mut bytes)
        }
        Codec::Zstd => zstd::Decoder::new(compressed)
            .and_then(|decoder| decoder.take(limit).read_to_end(&mut bytes)),
    };
    bytes.shrink_to_fit();
    (result.is_ok() && bytes.len() as u64 <= most).then_some(bytes)
}
