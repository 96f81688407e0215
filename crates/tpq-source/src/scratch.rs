//! Bytes that were unpacked, in a temporary file once they are many: there they can be given back
//! to the system and read again, as those of a trace that is not compressed.

use std::borrow::Cow;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::OnceLock;

use crate::mapped_temp::MappedTemp;

/// Bytes up to which a file is not worth it.
const IN_MEMORY: usize = 32 << 20;
/// Bytes that are read at once.
const PIECE: usize = 1 << 18;
/// No import unpacks more.
pub const UNPACK_LIMIT: u64 = 64 << 30;

/// Takes what was unpacked, piece by piece, each at the offset at which the last one ended.
///
/// Where there is no file to be had, or no room in it, bytes stay in memory.
#[derive(Default)]
pub struct Scratch {
    file: OnceLock<Option<MappedTemp>>,
}

impl Scratch {
    fn file(&self) -> Option<&MappedTemp> {
        self.file.get_or_init(|| MappedTemp::new().ok()).as_ref()
    }

    /// Keeps bytes that come after `offset` others.
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

    /// Keeps bytes that are many and come after `offset` others: the first of them, and what is
    /// left to read, however much that is. `None` where it cannot be read, and for no other reason:
    /// bytes that have no place in the file are whole nevertheless.
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
        let mut piece = first.to_vec();
        while !piece.is_empty() {
            if file.write_at(&piece, end).is_err() {
                let before = file.bytes().get(offset as usize..end as usize).unwrap_or_default();
                return read_to_memory(&[before, &piece], rest).ok().map(Cow::Owned);
            }
            end += piece.len() as u64;
            piece.clear();
            (&mut *rest).take(PIECE as u64).read_to_end(&mut piece).ok()?;
        }
        Some(Cow::Borrowed(&file.bytes()[offset as usize..end as usize]))
    }

    /// Says that some of the bytes are hardly going to be read again. Whoever reads them after all
    /// finds them unchanged.
    pub fn release(&self, range: Range<usize>) {
        if let Some(Some(file)) = self.file.get() {
            file.bytes().release(range);
        }
    }
}

/// These bytes, and what is left to read.
fn read_to_memory(before: &[&[u8]], rest: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut bytes = before.concat();
    rest.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Elsewhere all bytes stay in memory.
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
    fn large_bytes_without_a_place_in_the_file_are_whole_in_memory() {
        let rest = [3; 3 * PIECE];
        let whole = [&[2; 10][..], &rest].concat();
        // No file, none of the bytes in it, and some of them.
        for room in [None, Some(1001), Some(2000), Some(1000 + PIECE as u64 + 100)] {
            let file = room.map(|room| MappedTemp::with_room(room).expect("a file"));
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
}
