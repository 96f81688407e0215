//! Shared slices of the bytes of a file.

use std::fmt;
use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;

use crate::guarded_map::{GuardedMap, release};
use crate::prefix::Prefix;
use crate::{SourceError, stream};

/// Files up to this size are read instead of mapped: for very many files, a map costs more than
/// their bytes, and the number of maps is limited.
const MAX_READ_LEN: u64 = 64 << 10;

enum Storage {
    /// A map of an input file.
    Mapped(GuardedMap),
    /// A map of a temporary file without a name.
    Unpacked(Mmap),
    Owned(Vec<u8>),
}

/// A part of a file, mapped or unpacked, that shares the memory of the whole file with other parts.
#[derive(Clone)]
pub(crate) struct Bytes {
    storage: Arc<Storage>,
    range: Range<usize>,
}

impl Bytes {
    /// Returns a part of these bytes; a range beyond the end is cut.
    pub(crate) fn slice(&self, range: Range<usize>) -> Self {
        let end = range.end.min(self.len());
        let start = range.start.min(end);
        let range = self.range.start + start..self.range.start + end;
        Self { storage: Arc::clone(&self.storage), range }
    }

    /// Drops a part of these bytes from memory, because it is not likely to be read again. A later
    /// read loads it from the file again.
    pub(crate) fn release(&self, range: Range<usize>) {
        let end = range.end.min(self.len());
        let range = self.range.start + range.start.min(end)..self.range.start + end;
        match &*self.storage {
            Storage::Mapped(map) => map.release(range),
            Storage::Unpacked(map) => release(map, range),
            Storage::Owned(_) => {}
        }
    }

    /// The change of the file since it was opened, if the bytes that were read may not be its
    /// contents.
    pub(crate) fn change(&self) -> Option<SourceError> {
        let Storage::Mapped(map) = &*self.storage else { return None };
        if !map.is_intact() {
            return Some(SourceError::Shortened(map.path().to_owned()));
        }
        map.is_overwritten().then(|| SourceError::Overwritten(map.path().to_owned()))
    }

    fn new(storage: Storage) -> Self {
        let range = 0..storage.len();
        Self { storage: Arc::new(storage), range }
    }
}

impl Default for Bytes {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self::new(Storage::Owned(bytes))
    }
}

impl From<Mmap> for Bytes {
    fn from(map: Mmap) -> Self {
        Self::new(Storage::Unpacked(map))
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
            Self::Unpacked(map) => map,
            Self::Owned(bytes) => bytes,
        }
    }
}

/// Reads a file, or standard input if `path` is `-`. Also returns the reason why a stream was not
/// read to its end.
pub(crate) fn read(path: &Path) -> Result<(Bytes, Option<io::Error>), SourceError> {
    let failed = |source| SourceError::Read { path: path.to_owned(), source };
    if path == Path::new("-") {
        return stream::read(path, io::stdin().lock(), &mut Prefix::ignored(&mut |_| ()));
    }
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if metadata.is_dir() {
        return Err(SourceError::Directory(path.to_owned()));
    }
    if !metadata.is_file() || metadata.len() <= MAX_READ_LEN {
        return stream::read(path, file, &mut Prefix::ignored(&mut |_| ()));
    }
    let map = GuardedMap::new(&file, path).map_err(failed)?;
    Ok((Bytes::new(Storage::Mapped(map)), None))
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
