//! A temporary file without a name. It is deleted when the process ends, for whatever reason.
//!
//! It is mapped when it is still empty, at the largest size that it may ever have. Data that was
//! written is read from the map, and the system loads and drops its pages like those of a trace
//! that is not compressed.

use std::fs::File;
use std::io;

use memmap2::MmapOptions;

use crate::bytes::Bytes;
use crate::scratch::UNPACK_LIMIT;

pub(crate) struct MappedTemp {
    file: File,
    /// Bytes after the end of the file must not be read.
    map: Bytes,
}

impl MappedTemp {
    /// Creates a file of up to [`UNPACK_LIMIT`] bytes.
    ///
    /// # Errors
    /// When no file can be created in the temporary folder, or when the system does not map ranges
    /// after the end of a file: only Unix systems do, and a limit of the address space may be too
    /// low for it.
    pub(crate) fn new() -> io::Result<Self> {
        Self::with_capacity(UNPACK_LIMIT)
    }

    /// Creates a file of up to `capacity` bytes.
    pub(crate) fn with_capacity(capacity: u64) -> io::Result<Self> {
        if cfg!(not(unix)) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let file = tempfile::tempfile()?;
        let len = usize::try_from(capacity).map_err(io::Error::other)?;
        // SAFETY: no other process has the file. Data is only written after the ranges that were
        // handed out before. Copies of all unpacked data of a trace would take several times its
        // size in memory.
        let map = unsafe { MmapOptions::new().len(len).map(&file) }?;
        Ok(Self { file, map: map.into() })
    }

    /// Writes bytes to a range that was not handed out before.
    ///
    /// # Errors
    /// When there is no room for them.
    pub(crate) fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        if offset.saturating_add(bytes.len() as u64) > self.map.len() as u64 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        write_at(&self.file, bytes, offset)
    }

    /// The map: all bytes written, followed by bytes that must not be read.
    pub(crate) fn bytes(&self) -> &Bytes {
        &self.map
    }
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(not(unix))]
fn write_at(_: &File, _: &[u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn written_bytes_are_read_until_there_is_no_more_room() {
        let temp = MappedTemp::with_capacity(10_000).expect("a file");
        temp.write_at(b"one", 0).expect("has room");
        temp.write_at(b"two", 3).expect("has room");
        assert_eq!(&temp.bytes()[..6], b"onetwo");
        temp.write_at(&[1; 10_000], 0).expect("has room");
        for (len, at) in [(10_001, 0), (1, 10_000), (1, u64::MAX)] {
            temp.write_at(&vec![2; len], at).expect_err("has no room");
        }
        assert!(temp.bytes().iter().all(|&byte| byte == 1));
    }
}
