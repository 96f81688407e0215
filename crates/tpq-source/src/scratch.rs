//! Bytes that were unpacked, in a temporary file once they are many: there they can be given back
//! to the system and read again, as those of a trace that is not compressed.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::sync::OnceLock;

use memmap2::{Mmap, MmapOptions};

use crate::bytes::{Bytes, release};

/// Bytes up to which a file is not worth it.
const IN_MEMORY: usize = 32 << 20;
/// No import unpacks more.
pub const UNPACK_LIMIT: u64 = 64 << 30;

/// Takes what was unpacked, piece by piece, each at the offset at which the last one ended.
///
/// The file has no name, so that it is gone with the process, however that ends. Where there is no
/// file to be had, or no room in it, bytes stay in memory.
#[derive(Default)]
pub struct Scratch {
    file: OnceLock<Option<Mapped>>,
}

/// A file that is mapped before anything is in it. Beyond its end nothing may be read.
struct Mapped {
    file: File,
    map: Mmap,
}

impl Mapped {
    fn new() -> io::Result<Self> {
        if cfg!(not(unix)) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let file = tempfile::tempfile()?;
        let len = usize::try_from(UNPACK_LIMIT).map_err(io::Error::other)?;
        // SAFETY: nobody else knows the file. What is written to it lies beyond everything that
        // was handed out before. Copies of all that a trace unpacks to would take several times
        // its size in memory.
        let map = unsafe { MmapOptions::new().len(len).map(&file) }?;
        Ok(Self { file, map })
    }
}

impl Scratch {
    /// Keeps bytes that come after `offset` others.
    pub fn keep(&self, offset: u64, bytes: Vec<u8>) -> Cow<'_, [u8]> {
        let end = offset.saturating_add(bytes.len() as u64);
        if end <= IN_MEMORY as u64 || end > UNPACK_LIMIT {
            return bytes.into();
        }
        let mapped = self.file.get_or_init(|| Mapped::new().ok()).as_ref();
        let written = mapped.filter(|mapped| write_at(&mapped.file, &bytes, offset).is_ok());
        match written {
            Some(mapped) => Cow::Borrowed(&mapped.map[offset as usize..end as usize]),
            None => bytes.into(),
        }
    }

    /// Says that some of the bytes are hardly going to be read again. Whoever reads them after all
    /// finds them unchanged.
    pub fn release(&self, range: Range<usize>) {
        if let Some(Some(mapped)) = self.file.get() {
            release(
                &mapped.map,
                range.start.min(mapped.map.len())..range.end.min(mapped.map.len()),
            );
        }
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

/// Takes one file as it is unpacked.
#[derive(Default)]
pub(crate) struct Unpacking {
    /// What is in memory: all of it, or nothing.
    bytes: Vec<u8>,
    /// What has all of it instead.
    file: Option<File>,
    /// Whether a file was of no use.
    failed: bool,
    len: u64,
}

impl Unpacking {
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// # Errors
    /// When what was written to the file cannot be read back.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.file.is_none() && !self.failed && self.bytes.len() + bytes.len() > IN_MEMORY {
            self.file = tempfile::tempfile()
                .and_then(|mut file| {
                    file.write_all(&self.bytes)?;
                    Ok(file)
                })
                .ok();
            self.failed = self.file.is_none();
            if !self.failed {
                self.bytes = Vec::new();
            }
        }
        match &mut self.file {
            Some(file) => {
                if file.write_all(bytes).is_err() {
                    // There is no room: what came so far returns to memory.
                    self.bytes = read_back(file, self.len)?;
                    self.bytes.extend_from_slice(bytes);
                    (self.file, self.failed) = (None, true);
                }
            }
            None => self.bytes.extend_from_slice(bytes),
        }
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// All of it.
    pub(crate) fn finish(self) -> io::Result<Bytes> {
        let Some(mut file) = self.file else { return Ok(self.bytes.into()) };
        // SAFETY: nobody else knows the file, and nobody writes to it any more.
        match unsafe { Mmap::map(&file) } {
            Ok(map) => Ok(map.into()),
            Err(_) => Ok(read_back(&mut file, self.len)?.into()),
        }
    }
}

fn read_back(file: &mut File, len: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(len).read_to_end(&mut bytes)?;
    match bytes.len() as u64 == len {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_found_again_in_memory_and_in_the_file() {
        let scratch = Scratch::default();
        let piece = |byte: u8| vec![byte; 12 << 20];
        let mut offset = 0;
        let mut kept = Vec::new();
        for byte in 1..=5 {
            kept.push(scratch.keep(offset, piece(byte)));
            offset += kept.last().map_or(0, |bytes| bytes.len() as u64);
        }
        let in_memory = kept.iter().filter(|bytes| matches!(bytes, Cow::Owned(_))).count();
        assert_eq!(in_memory, 2);
        scratch.release(0..usize::MAX);
        for (byte, bytes) in (1..=5).zip(&kept) {
            assert!(**bytes == piece(byte), "{byte}");
        }
    }

    /// What was written so far is not lost.
    #[test]
    fn a_file_that_takes_no_more_gives_back_what_it_has() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        std::fs::write(&path, "twelve bytes").expect("can be written");
        let read_only = File::open(&path).expect("is there");
        let mut unpacking = Unpacking { file: Some(read_only), len: 12, ..Unpacking::default() };
        unpacking.push(b", and more").expect("goes on in memory");
        assert_eq!(&*unpacking.finish().expect("is in memory"), b"twelve bytes, and more");
    }

    #[test]
    fn what_is_unpacked_is_the_same_in_memory_and_in_a_file() {
        for len in [0, 1000, IN_MEMORY + 1000] {
            let mut unpacking = Unpacking::default();
            let whole: Vec<u8> = (0..len).map(|at| (at / 7) as u8).collect();
            for part in whole.chunks(100_000) {
                unpacking.push(part).expect("there is room");
            }
            assert_eq!(unpacking.len(), len as u64);
            assert!(*unpacking.finish().expect("can be mapped") == *whole);
        }
    }
}
