//! Storage for unpacked bytes: in a temporary file once they are many. There the system can drop
//! their pages and load them again, like those of a trace that is not compressed.

use std::borrow::Cow;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::OnceLock;

use crate::mapped_temp::MappedTemp;

/// The number of bytes up to which no file is used.
const IN_MEMORY: usize = 32 << 20;
/// The number of bytes read at once.
const CHUNK: usize = 1 << 18;
/// The largest number of bytes that an import unpacks.
pub const UNPACK_LIMIT: u64 = 64 << 30;

/// Stores unpacked bytes in parts, each at the offset where the last one ended.
///
/// If no file can be created, or there is no room in it, bytes stay in memory.
#[derive(Default)]
pub struct Scratch {
    file: OnceLock<Option<MappedTemp>>,
}

impl Scratch {
    fn file(&self) -> Option<&MappedTemp> {
        self.file.get_or_init(|| MappedTemp::new().ok()).as_ref()
    }

    /// Stores bytes at `offset`.
    pub fn keep(&self, offset: u64, bytes: Vec<u8>) -> Cow<'_, [u8]> {
        let end = offset.saturating_add(bytes.len() as u64);
        if end <= IN_MEMORY as u64 {
            return bytes.into();
        }
        match self.file().filter(|file| file.write_at(&bytes, offset).is_ok()) {
            Some(file) => Cow::Borrowed(&file.bytes()[offset as usize..end as usize]),
            None => bytes.into(),
        }
    }

    /// Stores many bytes at `offset`: `first`, and all that can be read from `rest`. Returns `None`
    /// only if `rest` cannot be read: bytes without room in the file are returned in memory.
    pub fn keep_large(
        &self,
        offset: u64,
        first: &[u8],
        rest: &mut dyn Read,
    ) -> Option<Cow<'_, [u8]>> {
        let Some(file) = self.file() else {
            return read_to_memory(&[first], rest).ok().map(Cow::Owned);
        };
        let mut end = offset;
        let mut chunk = first.to_vec();
        while !chunk.is_empty() {
            if file.write_at(&chunk, end).is_err() {
                let before = file.bytes().get(offset as usize..end as usize).unwrap_or_default();
                return read_to_memory(&[before, &chunk], rest).ok().map(Cow::Owned);
            }
            end += chunk.len() as u64;
            chunk.clear();
            (&mut *rest).take(CHUNK as u64).read_to_end(&mut chunk).ok()?;
        }
        Some(Cow::Borrowed(&file.bytes()[offset as usize..end as usize]))
    }

    /// Drops a range of the bytes from memory, because it is not likely to be read again. A later
    /// read loads it from the file again.
    pub fn release(&self, range: Range<usize>) {
        if let Some(Some(file)) = self.file.get() {
            file.bytes().release(range);
        }
    }
}

/// Returns these bytes followed by all that can be read from `rest`.
fn read_to_memory(before: &[&[u8]], rest: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut bytes = before.concat();
    rest.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// On other systems all bytes stay in memory.
#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn large_bytes_go_to_the_file_at_once() {
        let scratch = Scratch::default();
        let small = scratch.keep(0, vec![1; 1000]);
        let rest = vec![3; 5 << 20];
        let large = scratch.keep_large(1000, &[2; 1 << 20], &mut &rest[..]).expect("has room");
        assert!(matches!((&small, &large), (Cow::Owned(_), Cow::Borrowed(_))));
        assert!(large[..1 << 20].iter().all(|&byte| byte == 2) && large[1 << 20..] == rest);
    }

    #[test]
    fn large_bytes_without_room_in_the_file_stay_in_memory() {
        let rest = [3; 3 * CHUNK];
        let whole = [&[2; 10][..], &rest].concat();
        // With no file, with none of the bytes in it, and with some of them.
        for room in [None, Some(1001), Some(2000), Some(1000 + CHUNK as u64 + 100)] {
            let file = room.map(|room| MappedTemp::with_capacity(room).expect("a file"));
            let scratch = Scratch { file: OnceLock::from(file) };
            let kept = scratch.keep_large(1000, &[2; 10], &mut &rest[..]).expect("can be read");
            assert!(matches!(&kept, Cow::Owned(bytes) if *bytes == whole), "{room:?}");
            let damaged = scratch.keep_large(1000, &[2; 10], &mut (&rest[..]).chain(Damaged));
            assert!(damaged.is_none(), "{room:?}");
            assert!(matches!(scratch.keep(IN_MEMORY as u64, vec![1]), Cow::Owned(_)), "{room:?}");
            let beyond = scratch.keep_large(UNPACK_LIMIT + 1, &[2; 10], &mut &rest[..]);
            assert!(beyond.is_some_and(|bytes| *bytes == whole), "{room:?}");
        }
    }

    struct Damaged;

    impl Read for Damaged {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::InvalidData.into())
        }
    }

    #[test]
    fn pieces_are_found_again_in_memory_and_in_the_file() {
        let scratch = Scratch::default();
        let chunk = |byte: u8| vec![byte; 12 << 20];
        let mut offset = 0;
        let mut kept = Vec::new();
        for byte in 1..=5 {
            kept.push(scratch.keep(offset, chunk(byte)));
            offset += kept.last().map_or(0, |bytes| bytes.len() as u64);
        }
        let in_memory = kept.iter().filter(|bytes| matches!(bytes, Cow::Owned(_))).count();
        assert_eq!(in_memory, 2);
        scratch.release(0..usize::MAX);
        for (byte, bytes) in (1..=5).zip(&kept) {
            assert!(**bytes == chunk(byte), "{byte}");
        }
    }
}
