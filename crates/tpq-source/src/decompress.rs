//! Whole-file decompression.

use std::io::{self, Read};

use flate2::Crc;
use flate2::read::{DeflateDecoder, MultiGzDecoder};

use crate::bytes::Bytes;
use crate::scratch::Unpacking;

/// How bytes are compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Codec {
    Gzip,
    Zstd,
    /// Without a header, as in ZIP archives.
    Deflate,
}

/// What came out, and why it ended early if it did.
pub(crate) struct Unpacked {
    pub(crate) bytes: Bytes,
    pub(crate) error: Option<io::Error>,
}

/// Unpacks one file after the other, within a limit for all of them, so that a small file cannot
/// claim all memory.
pub(crate) struct Unpacker<'a> {
    limit: u64,
    /// What is left of the limit.
    left: u64,
    /// Compressed bytes read, of all files.
    read: u64,
    progress: &'a mut dyn FnMut(u64),
}

impl<'a> Unpacker<'a> {
    pub(crate) fn new(limit: u64, progress: &'a mut dyn FnMut(u64)) -> Self {
        Self { limit, left: limit, read: 0, progress }
    }

    /// Unpacks a file as far as it goes: one that was cut off gives what came before the cut.
    pub(crate) fn unpack(&mut self, packed: &[u8], codec: Codec) -> Unpacked {
        let mut bytes = Unpacking::default();
        let mut input = Counting { inner: packed, read: 0 };
        let result = match codec {
            Codec::Gzip => {
                let mut decoder = MultiGzDecoder::new(&mut input);
                self.pump(&mut decoder, &mut bytes, |decoder| decoder.get_ref().read)
            }
            Codec::Deflate => {
                let mut decoder = DeflateDecoder::new(&mut input);
                self.pump(&mut decoder, &mut bytes, |decoder| decoder.get_ref().read)
            }
            Codec::Zstd => match zstd::Decoder::with_buffer(io::BufReader::new(&mut input)) {
                Ok(mut decoder) => {
                    self.pump(&mut decoder, &mut bytes, |decoder| decoder.get_ref().get_ref().read)
                }
                Err(error) => Err(error),
            },
        };
        self.read += input.read;
        self.left -= bytes.len();
        match bytes.finish() {
            Ok(bytes) => Unpacked { bytes, error: result.err() },
            Err(error) => Unpacked { bytes: Vec::new().into(), error: Some(error) },
        }
    }

    fn pump<D: Read>(
        &mut self,
        decoder: &mut D,
        bytes: &mut Unpacking,
        read_by: impl Fn(&D) -> u64,
    ) -> io::Result<()> {
        let mut buffer = vec![0; 1 << 18];
        loop {
            let read = decoder.read(&mut buffer)?;
            if read == 0 {
                return Ok(());
            }
            if bytes.len() + read as u64 > self.left {
                let message = format!("it unpacks to more than the limit of {} bytes", self.limit);
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
            }
            bytes.push(&buffer[..read])?;
            (self.progress)(self.read + read_by(decoder));
        }
    }
}

impl Unpacked {
    /// Notes it as an error if the bytes are not those of which `checksum` was written.
    pub(crate) fn verify(mut self, checksum: u32) -> Self {
        let mut crc = Crc::new();
        crc.update(&self.bytes);
        if self.error.is_none() && crc.sum() != checksum {
            let message = "its checksum does not match, so it is damaged";
            self.error = Some(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        self
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn progress_goes_on_from_file_to_file() {
        let whole = vec![7; 600_000];
        let gzip = gzip(&whole);
        let zstd = zstd::encode_all(&whole[..], 1).unwrap();
        let mut told = Vec::new();
        let mut progress = |read| told.push(read);
        let mut unpacker = Unpacker::new(u64::MAX, &mut progress);
        assert_eq!(unpacker.unpack(&gzip, Codec::Gzip).bytes[..], whole[..]);
        assert_eq!(unpacker.unpack(&zstd, Codec::Zstd).bytes[..], whole[..]);
        assert!(told.is_sorted());
        assert_eq!(told.last(), Some(&((gzip.len() + zstd.len()) as u64)));
    }

    #[test]
    fn one_limit_holds_for_all_files() {
        let whole = vec![7; 600_000];
        let gzip = gzip(&whole);
        let mut progress = |_| ();
        let mut unpacker = Unpacker::new(1_000_000, &mut progress);
        assert!(unpacker.unpack(&gzip, Codec::Gzip).error.is_none());
        let second = unpacker.unpack(&gzip, Codec::Gzip);
        assert!(second.bytes.len() <= 400_000);
        let error = second.error.unwrap().to_string();
        assert_eq!(error, "it unpacks to more than the limit of 1000000 bytes");
    }
}
