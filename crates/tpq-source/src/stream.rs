//! Reading what cannot be mapped: standard input, pipes, devices.

use std::io::{self, Read};
use std::path::Path;

use crate::bytes::Bytes;
use crate::readable::{Readable, Verdict};
use crate::scratch::UNPACK_LIMIT;
use crate::unpacked::{NoRoom, UnpackedFiles};
use crate::{Format, SourceError};

/// Bytes read at once.
const PIECE: usize = 1 << 18;

/// Reads to the end of `input`, or to where it is certain that nothing readable follows; then it is
/// said why no more was read.
///
/// # Errors
/// When it cannot be read, begins with nothing that is readable, never ends, or has no place.
pub(crate) fn read(
    path: &Path,
    mut input: impl Read,
) -> Result<(Bytes, Option<io::Error>), SourceError> {
    let failed = |source| SourceError::Read { path: path.to_owned(), source };
    let mut bytes = UnpackedFiles::default();
    let mut readable = Readable::default();
    let mut piece = vec![0; PIECE];
    loop {
        let read = match input.read(&mut piece) {
            Ok(0) => return Ok((bytes.finish(), None)),
            Ok(read) => &piece[..read],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(failed(error)),
        };
        if bytes.len() + read.len() as u64 > UNPACK_LIMIT {
            let message = format!("it goes on for more than {UNPACK_LIMIT} bytes");
            return Err(failed(io::Error::new(io::ErrorKind::FileTooLarge, message)));
        }
        bytes.push(read).map_err(|NoRoom(why)| SourceError::NoRoom {
            shown: path.display().to_string(),
            why,
        })?;
        let verdict = readable.push(read);
        match verdict {
            Verdict::GoOn => {}
            Verdict::NoPackets(_) => return Ok((bytes.finish(), verdict.error())),
            Verdict::Nothing => {
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

    /// Reads from something without end; an error that says so if it does not stop.
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
    fn what_never_ends_and_holds_nothing_is_refused() {
        for (byte, what) in [(0, "unknown data"), (b'y', "text"), (b'\n', "text")] {
            let error = read_endless(b"", byte).expect_err("is no trace");
            assert!(error.starts_with(&format!("-: {what}, not a trace")), "{error}");
        }
    }

    #[test]
    fn what_follows_packets_without_end_is_not_read() {
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
