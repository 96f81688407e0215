//! A temporary file without a name, which is gone with the process, however that ends.
//!
//! It is mapped before anything is in it, as large as it may ever become: what was written is read
//! from the map, and the system loads and drops its pages as it does with those of a trace that is
//! not compressed.

use std::fs::File;
use std::io;

use memmap2::MmapOptions;

use crate::bytes::Bytes;
use crate::scratch::UNPACK_LIMIT;

pub(crate) struct MappedTemp {
    file: File,
    /// What is behind the end of the file may not be read.
    map: Bytes,
}

impl MappedTemp {
    /// A file of up to [`UNPACK_LIMIT`] bytes.
    ///
    /// # Errors
    /// Where the temporary folder takes no file, or the system maps nothing behind the end of one:
    /// other systems than Unix do not, and a limit of the address space may be too low for it.
    pub(crate) fn new() -> io::Result<Self> {
        Self::with_room(UNPACK_LIMIT)
    }

    /// A file of up to so many bytes.
    pub(crate) fn with_room(most: u64) -> io::Result<Self> {
        if cfg!(not(unix)) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let file = tempfile::tempfile()?;
        let len = usize::try_from(most).map_err(io::Error::other)?;
        // SAFETY: no other process knows the file. What is written to it lies beyond everything
        // that was handed out before. Copies of all that a trace unpacks to would take several
        // times its size in memory.
        let map = unsafe { MmapOptions::new().len(len).map(&file) }?;
        Ok(Self { file, map: map.into() })
    }

    /// Writes bytes where none were handed out before.
    ///
    /// # Errors
    /// When there is no room for them.
    pub(crate) fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        if offset.saturating_add(bytes.len() as u64) > self.map.len() as u64 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        write_at(&self.file, bytes, offset)
    }

    /// All that was written, followed by what may not be read.
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
    fn what_was_written_is_read_until_there_is_no_more_room() {
        let temp = MappedTemp::with_room(10_000).expect("a file");
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
