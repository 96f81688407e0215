//! Whole-file decompression.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;

use crate::Compression;

/// What came out, and why it ended early if it did.
pub(crate) struct Decompressed {
    pub(crate) bytes: Vec<u8>,
    pub(crate) error: Option<io::Error>,
}

/// Decompresses a file as far as it goes: a file that was cut off gives what came before the cut.
/// `limit` bounds what may come out, so that a small file cannot claim all memory.
pub(crate) fn decompress(
    compressed: &[u8],
    compression: Compression,
    limit: u64,
    mut progress: impl FnMut(u64),
) -> Decompressed {
    let mut bytes = Vec::new();
    let mut input = Counting { inner: compressed, read: 0 };
    let result = match compression {
        Compression::None => {
            bytes.extend_from_slice(compressed);
            Ok(())
        }
        Compression::Gzip => {
            let mut decoder = MultiGzDecoder::new(&mut input);
            pump(&mut decoder, &mut bytes, limit, |decoder| progress(decoder.get_ref().read))
        }
        Compression::Zstd => match zstd::Decoder::with_buffer(io::BufReader::new(&mut input)) {
            Ok(mut decoder) => pump(&mut decoder, &mut bytes, limit, |decoder| {
                progress(decoder.get_ref().get_ref().read)
            }),
            Err(error) => Err(error),
        },
    };
    Decompressed { bytes, error: result.err() }
}

fn pump<D: Read>(
    decoder: &mut D,
    bytes: &mut Vec<u8>,
    limit: u64,
    mut progress: impl FnMut(&D),
) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 18];
    loop {
        let read = decoder.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        if bytes.len() as u64 + read as u64 > limit {
            let message = format!("it unpacks to more than the limit of {limit} bytes");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        bytes.extend_from_slice(&buffer[..read]);
        progress(decoder);
    }
}

struct Counting<'a> {
    inner: &'a [u8],
    read: u64,
}

impl Read for Counting<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.read += read as u64;
        Ok(read)
    }
}
