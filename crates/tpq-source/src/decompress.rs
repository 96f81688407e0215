//! Whole-file decompression.

use std::io::{self, Read};

use flate2::Crc;
use flate2::read::{DeflateDecoder, MultiGzDecoder};

use crate::bytes::Bytes;
#[cfg(all(test, unix))]
use crate::mapped_temp::MappedTemp;
use crate::prefix::Prefix;
use crate::trace_probe::{TraceProbe, Verdict};
use crate::unpacked::{NoRoom, UnpackedFiles};

/// The compression of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Codec {
    Gzip,
    Zstd,
    /// Deflate without a header, as in ZIP archives.
    Deflate,
}

/// The number of uncompressed bytes that are checked at a time.
const STORED_CHUNK: usize = 1 << 20;

/// The unpacked bytes, and the error that ended unpacking early, if any.
pub(crate) struct Unpacked {
    pub(crate) bytes: Bytes,
    pub(crate) error: Option<io::Error>,
    /// Whether unpacking stopped early because the contents are in no readable format.
    pub(crate) is_unreadable: bool,
}

/// The reason why unpacking ends early.
enum Stop {
    /// The compressed data is damaged or too large.
    Input(io::Error),
    /// There is no room for the unpacked data.
    NoRoom(NoRoom),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Input(error)
    }
}

impl From<NoRoom> for Stop {
    fn from(no_room: NoRoom) -> Self {
        Self::NoRoom(no_room)
    }
}

/// Unpacks files one after the other, within one limit for all of them, so that a small file cannot
/// use up all memory.
pub(crate) struct Unpacker<'a> {
    limit: u64,
    /// The remaining part of the limit, in bytes.
    left: u64,
    /// The number of compressed bytes read of all files.
    read: u64,
    files: UnpackedFiles,
    progress: &'a mut dyn FnMut(u64),
}

impl<'a> Unpacker<'a> {
    pub(crate) fn new(limit: u64, progress: &'a mut dyn FnMut(u64)) -> Self {
        Self { limit, left: limit, read: 0, files: UnpackedFiles::default(), progress }
    }

    /// Uses this temporary file instead of a new one.
    #[cfg(all(test, unix))]
    pub(crate) fn set_temp(&mut self, temp: MappedTemp) {
        self.files = UnpackedFiles::within(temp);
    }

    /// Unpacks a file as far as possible: a file that was cut off gives the data before the cut. A
    /// difference from `checksum` is an error in the result.
    ///
    /// # Errors
    /// When there is no room for the unpacked data. This is not an error of the file.
    pub(crate) fn unpack(
        &mut self,
        packed: &[u8],
        codec: Codec,
        checksum: Option<u32>,
    ) -> Result<Unpacked, NoRoom> {
        self.unpack_stream(packed, codec, checksum, &mut Prefix::ignored(&mut |_| ()))
    }

    /// The same for a file that arrives as a stream. An error of the stream is in the result.
    ///
    /// # Errors
    /// As [`Self::unpack`].
    pub(crate) fn unpack_stream(
        &mut self,
        packed: impl Read,
        codec: Codec,
        checksum: Option<u32>,
        prefix: &mut Prefix<'_>,
    ) -> Result<Unpacked, NoRoom> {
        let mut input = CountingReader { inner: packed, read: 0 };
        let mut crc = checksum.map(|_| Crc::new());
        let result = match self.decode(&mut input, codec, &mut crc, prefix) {
            Ok(verdict) => Ok(verdict),
            Err(Stop::Input(error)) => Err(error),
            Err(Stop::NoRoom(no_room)) => return Err(no_room),
        };
        self.read += input.read;
        self.left -= self.files.len();
        let bytes = self.files.finish();
        let verdict = *result.as_ref().unwrap_or(&Verdict::Continue);
        let error = match verdict {
            // The format of the file, which is not readable, is the only message that it needs.
            Verdict::Unreadable => None,
            verdict => result.err().or(verdict.error()).or(checksum_error(crc.as_ref(), checksum)),
        };
        Ok(Unpacked { bytes, error, is_unreadable: verdict == Verdict::Unreadable })
    }

    fn decode(
        &mut self,
        input: &mut CountingReader<impl Read>,
        codec: Codec,
        crc: &mut Option<Crc>,
        prefix: &mut Prefix<'_>,
    ) -> Result<Verdict, Stop> {
        match codec {
            Codec::Gzip => {
                let mut decoder = MultiGzDecoder::new(input);
                self.pump(&mut decoder, |decoder| decoder.get_ref().read, crc, prefix)
            }
            Codec::Deflate => {
                let mut decoder = DeflateDecoder::new(input);
                self.pump(&mut decoder, |decoder| decoder.get_ref().read, crc, prefix)
            }
            Codec::Zstd => {
                let mut decoder = zstd::Decoder::with_buffer(io::BufReader::new(input))?;
                self.pump(&mut decoder, |decoder| decoder.get_ref().get_ref().read, crc, prefix)
            }
        }
    }

    fn pump<D: Read>(
        &mut self,
        decoder: &mut D,
        read_by: impl Fn(&D) -> u64,
        crc: &mut Option<Crc>,
        prefix: &mut Prefix<'_>,
    ) -> Result<Verdict, Stop> {
        let mut buffer = vec![0; 1 << 18];
        let mut probe = TraceProbe::default();
        loop {
            let read = decoder.read(&mut buffer)?;
            if read == 0 {
                return Ok(Verdict::Continue);
            }
            if self.files.len() + read as u64 > self.left {
                let message = format!("it unpacks to more than the limit of {} bytes", self.limit);
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, message).into());
            }
            self.files.push(&buffer[..read])?;
            if let Some(crc) = crc {
                crc.update(&buffer[..read]);
            }
            prefix.show(&self.files);
            let verdict = probe.push(&buffer[..read]);
            (self.progress)(self.read + read_by(decoder));
            if verdict != Verdict::Continue {
                return Ok(verdict);
            }
        }
    }
}

impl Unpacked {
    /// Returns bytes that are not compressed, after comparing them with `checksum`. The bytes are
    /// not likely to be read again before they are imported, so none stay in memory.
    pub(crate) fn stored(bytes: Bytes, checksum: Option<u32>) -> Self {
        let mut crc = checksum.map(|_| Crc::new());
        if let Some(crc) = &mut crc {
            for (index, chunk) in bytes.chunks(STORED_CHUNK).enumerate() {
                crc.update(chunk);
                let start = index * STORED_CHUNK;
                bytes.release(start..start + chunk.len());
            }
        }
        Self { error: checksum_error(crc.as_ref(), checksum), bytes, is_unreadable: false }
    }
}

/// Returns an error if the bytes read do not have the stated checksum.
fn checksum_error(crc: Option<&Crc>, checksum: Option<u32>) -> Option<io::Error> {
    let differs = crc.map(Crc::sum) != checksum;
    let message = "its checksum does not match, so it is damaged";
    differs.then(|| io::Error::new(io::ErrorKind::InvalidData, message))
}

struct CountingReader<R> {
    inner: R,
    read: u64,
}

impl<R: Read> Read for CountingReader<R> {
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
        let mut reported = Vec::new();
        let mut progress = |read| reported.push(read);
        let mut unpacker = Unpacker::new(u64::MAX, &mut progress);
        assert_eq!(unpacker.unpack(&gzip, Codec::Gzip, None).unwrap().bytes[..], whole[..]);
        assert_eq!(unpacker.unpack(&zstd, Codec::Zstd, None).unwrap().bytes[..], whole[..]);
        assert!(reported.is_sorted());
        assert_eq!(reported.last(), Some(&((gzip.len() + zstd.len()) as u64)));
    }

    #[test]
    fn one_limit_holds_for_all_files() {
        let whole = vec![7; 600_000];
        let gzip = gzip(&whole);
        let mut progress = |_| ();
        let mut unpacker = Unpacker::new(1_000_000, &mut progress);
        assert!(unpacker.unpack(&gzip, Codec::Gzip, None).unwrap().error.is_none());
        let second = unpacker.unpack(&gzip, Codec::Gzip, None).unwrap();
        assert!(second.bytes.len() <= 400_000);
        let error = second.error.unwrap().to_string();
        assert_eq!(error, "it unpacks to more than the limit of 1000000 bytes");
    }
}
