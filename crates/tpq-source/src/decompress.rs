//! Whole-file decompression.

use std::io::{self, Read};

use flate2::Crc;
use flate2::read::{DeflateDecoder, MultiGzDecoder};

use crate::bytes::Bytes;
#[cfg(all(test, unix))]
use crate::mapped_temp::MappedTemp;
use crate::readable::{Readable, Verdict};
use crate::unpacked::{NoRoom, UnpackedFiles};

/// How bytes are compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Codec {
    Gzip,
    Zstd,
    /// Without a header, as in ZIP archives.
    Deflate,
}

/// Bytes that are not compressed are looked at so many at a time.
const STORED_PIECE: usize = 1 << 20;

/// What came out, and why it ended early if it did.
pub(crate) struct Unpacked {
    pub(crate) bytes: Bytes,
    pub(crate) error: Option<io::Error>,
    /// Whether it was not unpacked to its end because nothing in it is readable.
    pub(crate) is_nothing: bool,
}

/// Why unpacking ends early.
enum Stop {
    /// What is compressed is damaged, or too much.
    Input(io::Error),
    /// What comes out has no place.
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

/// Unpacks one file after the other, within a limit for all of them, so that a small file cannot
/// claim all memory.
pub(crate) struct Unpacker<'a> {
    limit: u64,
    /// What is left of the limit.
    left: u64,
    /// Compressed bytes read, of all files.
    read: u64,
    files: UnpackedFiles,
    progress: &'a mut dyn FnMut(u64),
}

impl<'a> Unpacker<'a> {
    pub(crate) fn new(limit: u64, progress: &'a mut dyn FnMut(u64)) -> Self {
        Self { limit, left: limit, read: 0, files: UnpackedFiles::default(), progress }
    }

    /// Gives it a temporary file instead of the one that it would have.
    #[cfg(all(test, unix))]
    pub(crate) fn set_temp(&mut self, temp: MappedTemp) {
        self.files = UnpackedFiles::within(temp);
    }

    /// Unpacks a file as far as it goes: one that was cut off gives what came before the cut. That
    /// it is not the one of which `checksum` was written is an error of it.
    ///
    /// # Errors
    /// When there is no room for what comes out, which says nothing of the file.
    pub(crate) fn unpack(
        &mut self,
        packed: &[u8],
        codec: Codec,
        checksum: Option<u32>,
    ) -> Result<Unpacked, NoRoom> {
        let mut input = Counting { inner: packed, read: 0 };
        let mut crc = checksum.map(|_| Crc::new());
        let result = match self.decode(&mut input, codec, &mut crc) {
            Ok(verdict) => Ok(verdict),
            Err(Stop::Input(error)) => Err(error),
            Err(Stop::NoRoom(no_room)) => return Err(no_room),
        };
        self.read += input.read;
        self.left -= self.files.len();
        let bytes = self.files.finish();
        let verdict = *result.as_ref().unwrap_or(&Verdict::GoOn);
        let error = match verdict {
            // What it is, which is nothing that is read, says all there is to say.
            Verdict::Nothing => None,
            verdict => result.err().or(verdict.error()).or(difference(crc.as_ref(), checksum)),
        };
        Ok(Unpacked { bytes, error, is_nothing: verdict == Verdict::Nothing })
    }

    fn decode(
        &mut self,
        input: &mut Counting<'_>,
        codec: Codec,
        crc: &mut Option<Crc>,
    ) -> Result<Verdict, Stop> {
        match codec {
            Codec::Gzip => {
                self.pump(&mut MultiGzDecoder::new(input), |decoder| decoder.get_ref().read, crc)
            }
            Codec::Deflate => {
                self.pump(&mut DeflateDecoder::new(input), |decoder| decoder.get_ref().read, crc)
            }
            Codec::Zstd => {
                let mut decoder = zstd::Decoder::with_buffer(io::BufReader::new(input))?;
                self.pump(&mut decoder, |decoder| decoder.get_ref().get_ref().read, crc)
            }
        }
    }

    fn pump<D: Read>(
        &mut self,
        decoder: &mut D,
        read_by: impl Fn(&D) -> u64,
        crc: &mut Option<Crc>,
    ) -> Result<Verdict, Stop> {
        let mut buffer = vec![0; 1 << 18];
        let mut readable = Readable::default();
        loop {
            let read = decoder.read(&mut buffer)?;
            if read == 0 {
                return Ok(Verdict::GoOn);
            }
            if self.files.len() + read as u64 > self.left {
                let message = format!("it unpacks to more than the limit of {} bytes", self.limit);
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, message).into());
            }
            self.files.push(&buffer[..read])?;
            if let Some(crc) = crc {
                crc.update(&buffer[..read]);
            }
            let verdict = readable.push(&buffer[..read]);
            (self.progress)(self.read + read_by(decoder));
            if verdict != Verdict::GoOn {
                return Ok(verdict);
            }
        }
    }
}

impl Unpacked {
    /// What is not compressed, and whether it is that of which `checksum` was written. The bytes
    /// are hardly going to be read again before they are imported, so that none stay in memory.
    pub(crate) fn stored(bytes: Bytes, checksum: Option<u32>) -> Self {
        let mut crc = checksum.map(|_| Crc::new());
        if let Some(crc) = &mut crc {
            for (index, piece) in bytes.chunks(STORED_PIECE).enumerate() {
                crc.update(piece);
                let start = index * STORED_PIECE;
                bytes.release(start..start + piece.len());
            }
        }
        Self { error: difference(crc.as_ref(), checksum), bytes, is_nothing: false }
    }
}

/// That the bytes read are not those of which a checksum was written.
fn difference(crc: Option<&Crc>, checksum: Option<u32>) -> Option<io::Error> {
    let differs = crc.map(Crc::sum) != checksum;
    let message = "its checksum does not match, so it is damaged";
    differs.then(|| io::Error::new(io::ErrorKind::InvalidData, message))
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
        assert_eq!(unpacker.unpack(&gzip, Codec::Gzip, None).unwrap().bytes[..], whole[..]);
        assert_eq!(unpacker.unpack(&zstd, Codec::Zstd, None).unwrap().bytes[..], whole[..]);
        assert!(told.is_sorted());
        assert_eq!(told.last(), Some(&((gzip.len() + zstd.len()) as u64)));
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
