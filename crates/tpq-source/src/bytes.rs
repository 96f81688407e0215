//! Shared slices of what was read.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;

use crate::SourceError;

enum Storage {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

/// A part of a file, mapped or unpacked, that shares the whole with other parts of it.
#[derive(Clone)]
pub(crate) struct Bytes {
    storage: Arc<Storage>,
    range: Range<usize>,
}

impl Bytes {
    /// A part of these bytes, as far as they reach.
    pub(crate) fn slice(&self, range: Range<usize>) -> Self {
        let end = range.end.min(self.len());
        let start = range.start.min(end);
        let range = self.range.start + start..self.range.start + end;
        Self { storage: Arc::clone(&self.storage), range }
    }

    /// Says that a part of these bytes is hardly going to be read again, so that it need not stay
    /// in memory. Whoever reads it after all finds it unchanged, from the file.
    pub(crate) fn release(&self, range: Range<usize>) {
        let end = range.end.min(self.len());
        let range = self.range.start + range.start.min(end)..self.range.start + end;
        if let Storage::Mapped(map) = &*self.storage {
            release(map, range);
        }
    }

    fn new(storage: Storage) -> Self {
        let range = 0..storage.len();
        Self { storage: Arc::new(storage), range }
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self::new(Storage::Owned(bytes))
    }
}

impl From<Mmap> for Bytes {
    fn from(map: Mmap) -> Self {
        Self::new(Storage::Mapped(map))
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.storage[self.range.clone()]
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}

impl Deref for Storage {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(bytes) => bytes,
        }
    }
}

/// Drops pages of a map. On other systems the same advice means other things.
#[cfg(target_os = "linux")]
pub(crate) fn release(map: &Mmap, range: Range<usize>) {
    // SAFETY: nobody writes to what was read of the map, so that pages which are dropped come back
    // from the file with what they held. Without this, all of a trace stays in memory until it is
    // imported: a third of the peak.
    let advised = unsafe {
        map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, range.start, range.len())
    };
    // Pages that stay are only pages that stay.
    let _ = advised;
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn release(_: &Mmap, _: Range<usize>) {}

/// Reads a file, or standard input if `path` is `-`.
pub(crate) fn read(path: &Path) -> Result<Bytes, SourceError> {
    let failed = |source| SourceError::Read { path: path.to_owned(), source };
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map_err(failed)?;
        return Ok(bytes.into());
    }
    let mut file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if metadata.is_dir() {
        return Err(SourceError::Directory(path.to_owned()));
    }
    if !metadata.is_file() || metadata.len() == 0 {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        return Ok(bytes.into());
    }
    // SAFETY: the map is only read. A file that another process shortens while it is mapped
    // raises SIGBUS, as it does for every program that maps its input; reading a multi-gigabyte
    // trace into memory instead doubled the import's peak.
    let map = unsafe { Mmap::map(&file) }.map_err(failed)?;
    Ok(map.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_share_and_end_where_the_bytes_do() {
        let bytes = Bytes::from(b"0123456789".to_vec());
        let middle = bytes.slice(2..8);
        assert_eq!(&*middle, b"234567");
        assert_eq!(&*middle.slice(1..3), b"34");
        assert_eq!(&*middle.slice(4..usize::MAX), b"67");
        assert!(middle.slice(7..9).is_empty());
        assert_eq!(middle.as_ptr(), bytes[2..].as_ptr());
    }
}
