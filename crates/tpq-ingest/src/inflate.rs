//! Inflates the packets that producers compressed inside the trace.

use std::borrow::Cow;
use std::io::{self, Read};

use crate::PrescanMemory;

/// The most that one compressed packet may inflate to. The recorder bundles about half a
/// megabyte; what claims a thousand times that is not a trace.
const MAX_INFLATED: u64 = 512 << 20;
/// Larger data is never in memory as a whole while it is inflated.
const SMALL: u64 = 4 << 20;
/// The largest window of compressed data, as a power of two of bytes: the decompressor keeps a
/// window in memory.
const MAX_WINDOW: u32 = 24;

/// How a packet's payload is compressed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Codec {
    Zlib,
    Zstd,
}

/// The packets in a compressed payload, or `None` when it is damaged or exceeds the budget of
/// `room` or the size that any recorder writes. Large data is stored at once, after `before` bytes
/// of the same file; small data is returned.
pub(crate) fn inflate<'a>(
    codec: Codec,
    compressed: &[u8],
    before: u64,
    room: PrescanMemory<'_, 'a>,
) -> Option<Cow<'a, [u8]>> {
    let bytes = Vec::with_capacity(compressed.len().saturating_mul(4).min(SMALL as usize));
    match codec {
        Codec::Zlib => read(flate2::read::ZlibDecoder::new(compressed), bytes, before, room),
        Codec::Zstd => {
            let mut decoder = zstd::Decoder::new(compressed).ok()?;
            decoder.window_log_max(MAX_WINDOW).ok()?;
            read(decoder, bytes, before, room)
        }
    }
}

/// Unpacks a whole piece of zlib; `None` if it is damaged or has more than `most` bytes.
pub fn unpack_zlib(piece: &[u8], most: usize) -> Option<Vec<u8>> {
    let limit = u64::try_from(most).ok()?.saturating_add(1);
    let mut bytes = Vec::new();
    flate2::read::ZlibDecoder::new(piece).take(limit).read_to_end(&mut bytes).ok()?;
    (bytes.len() <= most).then_some(bytes)
}

/// Data that is one stream of Zstandard in many pieces.
pub struct ZstdStream(zstd::stream::raw::Decoder<'static>);

impl ZstdStream {
    /// The bytes that one step unpacks at most.
    const STEP: usize = 128 << 10;

    /// A stream at its start; `None` if there is no memory for it.
    pub fn new() -> Option<Self> {
        use zstd::zstd_safe::DParameter;
        let mut decoder = zstd::stream::raw::Decoder::new().ok()?;
        decoder.set_parameter(DParameter::WindowLogMax(MAX_WINDOW)).ok()?;
        Some(Self(decoder))
    }

    /// Unpacks the next piece and appends its bytes to `out`, `most` at most. Returns whether all
    /// of it was unpacked.
    pub fn unpack(&mut self, piece: &[u8], out: &mut Vec<u8>, most: usize) -> bool {
        use zstd::stream::raw::Operation;
        let (before, mut at) = (out.len(), 0);
        let mut step = vec![0; Self::STEP];
        loop {
            let input = piece.get(at..).unwrap_or_default();
            let Ok(status) = self.0.run_on_buffers(input, &mut step) else { return false };
            at += status.bytes_read;
            let written = step.get(..status.bytes_written).unwrap_or_default();
            if out.len() - before + written.len() > most {
                return false;
            }
            out.extend_from_slice(written);
            if at >= piece.len() && status.bytes_written < Self::STEP {
                return true;
            }
            if status.bytes_read == 0 && status.bytes_written == 0 {
                return false;
            }
        }
    }
}

fn read<'a>(
    decoder: impl Read,
    mut bytes: Vec<u8>,
    before: u64,
    room: PrescanMemory<'_, 'a>,
) -> Option<Cow<'a, [u8]>> {
    let most = MAX_INFLATED.min(room.budget);
    let mut decoder = Limited { decoder, left: most };
    decoder.by_ref().take(SMALL).read_to_end(&mut bytes).ok()?;
    if (bytes.len() as u64) < SMALL {
        bytes.shrink_to_fit();
        return Some(bytes.into());
    }
    (room.keep_large)(before, bytes, &mut decoder)
}

/// Reads at most a number of bytes; more bytes are an error.
struct Limited<D> {
    decoder: D,
    left: u64,
}

impl<D: Read> Read for Limited<D> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.decoder.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(read)
    }
}
