//! Reading of inputs that cannot be mapped: standard input, pipes, devices.

use std::io::{self, Read};
use std::path::Path;

use crate::bytes::Bytes;
use crate::scratch::UNPACK_LIMIT;
use crate::trace_probe::{TraceProbe, Verdict};
use crate::unpacked::{NoRoom, UnpackedFiles};
use crate::{Format, SourceError};

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
        let verdict = probe.push(read);
        match verdict {
            Verdict::Continue => {}
            Verdict::EndOfPackets(_) => return Ok((bytes.finish(), verdict.error())),
            Verdict::Unreadable => {
                let what = Format::of(&bytes.finish());
                return Err(SourceError::NotATrace { path: path.to_owned(), what });
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
        read(Path::new("-"), &mut endless).map_err(|error| error.to_string())
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
        let (bytes, error) = read(Path::new("-"), &packets[..]).expect("is a trace");
        assert!(*bytes == *packets && error.is_none());
        assert!(read(Path::new("-"), &b"short"[..]).is_ok(), "others say what it is");
    }
}
