//! Reading of inputs that cannot be mapped: standard input, pipes, devices.

use std::io::{self, Read};
use std::path::Path;

use crate::bytes::Bytes;
use crate::digest::ArrivingDigest;
use crate::prefix::Prefix;
use crate::scratch::UNPACK_LIMIT;
use crate::trace_probe::{TraceProbe, Verdict};
use crate::unpacked::{NoRoom, UnpackedFiles};
use crate::{FirstBytes, Format, SourceError};

/// The number of bytes read at once.
const CHUNK: usize = 1 << 18;

/// Reads to the end of `input`, or up to where certainly nothing readable follows. In that case the
/// result has the reason.
///
/// # Errors
/// When it cannot be read, begins in no readable format, never ends, or has no room.
pub(crate) fn read(
    path: &Path,
    mut input: impl Read,
    prefix: &mut Prefix<'_>,
) -> Result<(Bytes, Option<io::Error>), SourceError> {
    let failed = |source| SourceError::Read { path: path.to_owned(), source };
    let mut bytes = UnpackedFiles::default();
    let mut probe = TraceProbe::default();
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = match input.read(&mut chunk) {
            Ok(0) => return Ok((bytes.finish(), None)),
            Ok(read) => &chunk[..read],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(failed(error)),
        };
        if bytes.len() + read.len() as u64 > UNPACK_LIMIT {
            let message = format!("it is longer than the limit of {UNPACK_LIMIT} bytes");
            return Err(failed(io::Error::new(io::ErrorKind::FileTooLarge, message)));
        }
        bytes.push(read).map_err(|NoRoom(why)| SourceError::NoRoom {
            shown: path.display().to_string(),
            why,
        })?;
        prefix.show(&bytes);
        let verdict = probe.push(read);
        match verdict {
            Verdict::Continue => {}
            Verdict::EndOfPackets(_) => return Ok((bytes.finish(), verdict.error())),
            Verdict::Unreadable => {
                let bytes = bytes.finish();
                let (what, start) = (Format::of(&bytes), FirstBytes::of(&bytes));
                return Err(SourceError::NotATrace { path: path.to_owned(), what, start });
            }
        }
    }
}

/// A stream of which the bytes are counted and make a digest. Keeps its error, as decoders of
/// compressed data do not tell errors of their input from damage.
pub(crate) struct Arriving<R, F> {
    input: R,
    on_read: F,
    digest: ArrivingDigest,
    read: u64,
    has_ended: bool,
    error: Option<io::Error>,
}

impl<R: Read, F: FnMut(u64)> Arriving<R, F> {
    /// `on_read` receives the number of bytes so far.
    pub(crate) fn new(input: R, on_read: F) -> Self {
        let digest = ArrivingDigest::default();
        Self { input, on_read, digest, read: 0, has_ended: false, error: None }
    }

    /// The first bytes: `len` of them, if there are as many.
    ///
    /// # Errors
    /// When the stream fails.
    pub(crate) fn head(&mut self, len: u64) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        self.by_ref().take(len).read_to_end(&mut head)?;
        Ok(head)
    }

    /// Reads what is left, and returns the number of all bytes.
    ///
    /// # Errors
    /// When the stream fails or failed before.
    pub(crate) fn drain(&mut self) -> io::Result<u64> {
        match self.error.take() {
            Some(error) => Err(error),
            None => io::copy(self, &mut io::sink()).map(|_| self.read),
        }
    }

    /// The number of bytes so far.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.read
    }

    /// The digest of the stream, if it was read to its end.
    pub(crate) fn digest(self) -> Option<u128> {
        self.has_ended.then(|| self.digest.finish())
    }
}

impl<R: Read, F: FnMut(u64)> Read for Arriving<R, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let read = loop {
            match self.input.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(_) if self.read > UNPACK_LIMIT => {
                    let message = format!("it is longer than the limit of {UNPACK_LIMIT} bytes");
                    break Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
                }
                outcome => break outcome,
            }
        };
        match read {
            Ok(read) => {
                self.has_ended = read == 0;
                self.read += read as u64;
                self.digest.push(buffer.get(..read).unwrap_or_default());
                (self.on_read)(self.read);
                Ok(read)
            }
            Err(error) => {
                let shown = io::Error::new(error.kind(), error.to_string());
                self.error = Some(error);
                Err(shown)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: &[u8] = &[0x0a, 4, 0x40, 1, 0x50, 1];

    /// Reads from an endless input. Reading too far is an error.
    fn read_endless(start: &[u8], then: u8) -> Result<(Bytes, Option<io::Error>), String> {
        let most = io::repeat(then).take(64 << 20);
        let mut endless = start.chain(most).chain(Unending);
        read(Path::new("-"), &mut endless, &mut Prefix::new(&mut |_| ()))
            .map_err(|error| error.to_string())
    }

    struct Unending;

    impl Read for Unending {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("was read on"))
        }
    }

    #[test]
    fn an_endless_stream_without_a_trace_is_refused() {
        for (byte, what) in [(0, "unknown data"), (b'y', "text"), (b'\n', "text")] {
            let error = read_endless(b"", byte).expect_err("is no trace");
            assert!(error.starts_with(&format!("-: {what}, not a trace")), "{error}");
        }
    }

    #[test]
    fn endless_data_after_packets_is_not_read() {
        let packets = PACKET.repeat(1 << 19);
        let (bytes, error) = read_endless(&packets, 0).expect("is a trace");
        assert!(bytes.starts_with(&packets) && bytes.len() < packets.len() + (2 << 20));
        let error = error.expect("was not read to its end").to_string();
        assert!(error.starts_with(&format!("from byte {} on", packets.len())), "{error}");
    }

    #[test]
    fn a_stream_is_read_to_its_end() {
        let packets = PACKET.repeat(8 << 20);
        let mut shown = Vec::new();
        let mut on_prefix = |bytes: &[u8]| {
            assert!(packets.starts_with(bytes));
            shown.push(bytes.len());
        };
        let (bytes, error) =
            read(Path::new("-"), &packets[..], &mut Prefix::new(&mut on_prefix)).expect("is read");
        assert!(*bytes == *packets && error.is_none());
        assert_eq!(shown, (1..=12).map(|step| step << 22).collect::<Vec<usize>>());
        let mut ignored = |_: &[u8]| ();
        let short = read(Path::new("-"), &b"short"[..], &mut Prefix::new(&mut ignored));
        assert!(short.is_ok(), "others say what it is");
    }
}
