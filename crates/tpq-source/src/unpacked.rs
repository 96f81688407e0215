//! Storage for unpacked files: in memory while all of them together are small, else in one
//! temporary file without a name, from which the system loads and drops pages like those of a trace
//! that is not compressed.

use std::io;
use std::ops::Range;

use crate::bytes::Bytes;
use crate::mapped_temp::MappedTemp;

/// The number of bytes of all files that are kept in memory if there is a temporary file.
const IN_MEMORY: usize = 32 << 20;
/// A file with more bytes gets all the room at once that there may be for it.
const LARGE: usize = 1 << 20;
/// The number of bytes of all files that are kept in memory if no temporary file can be mapped.
const MAX_IN_MEMORY: u64 = 4 << 30;

/// Stores files one after the other.
pub(crate) struct UnpackedFiles {
    /// The number of bytes of the complete files in memory.
    in_memory: usize,
    /// The largest number of bytes in memory if there is no temporary file.
    max_in_memory: u64,
    /// The temporary file, or the error of its creation, once memory was not enough.
    temp: Option<io::Result<MappedTemp>>,
    /// The offset of the next file in the temporary file.
    end: u64,
    /// The current file, while it is in memory.
    bytes: Vec<u8>,
    /// The length of the current file in bytes.
    len: u64,
    /// Whether the current file is in the temporary file.
    in_file: bool,
}

/// The reason why there is no room for unpacked data, with advice. The packed data may be intact.
#[derive(Debug)]
pub(crate) struct NoRoom(pub(crate) String);

impl NoRoom {
    /// There is no more room in the temporary folder.
    fn in_file(error: &io::Error) -> Self {
        Self(format!(
            "the temporary folder {} has no room to unpack it ({error}); set TMPDIR to a \
             folder with enough space",
            std::env::temp_dir().display()
        ))
    }

    /// There is no temporary file, and the limit for memory is reached.
    fn in_memory(max_in_memory: u64, error: &io::Error) -> Self {
        Self(format!(
            "no temporary file for the unpacked data can be mapped in {} ({error}), and without \
             one no more than {} MiB are kept; set TMPDIR to another folder, or unpack it first",
            std::env::temp_dir().display(),
            max_in_memory >> 20
        ))
    }
}

impl Default for UnpackedFiles {
    fn default() -> Self {
        Self {
            in_memory: 0,
            max_in_memory: MAX_IN_MEMORY,
            temp: None,
            end: 0,
            bytes: Vec::new(),
            len: 0,
            in_file: false,
        }
    }
}

impl UnpackedFiles {
    /// Returns a store with this temporary file.
    #[cfg(all(test, unix))]
    pub(crate) fn within(temp: MappedTemp) -> Self {
        Self { temp: Some(Ok(temp)), ..Self::default() }
    }

    /// The length of the current file in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// The bytes of the current file so far.
    pub(crate) fn current(&self) -> &[u8] {
        match &self.temp {
            Some(Ok(temp)) if self.in_file => {
                temp.bytes().get(self.end as usize..(self.end + self.len) as usize)
            }
            _ => Some(&self.bytes[..]),
        }
        .unwrap_or_default()
    }

    /// Drops a part of the current file from memory, if a temporary file has it.
    pub(crate) fn release_current(&self, range: Range<u64>) {
        if let (true, Some(Ok(temp))) = (self.in_file, &self.temp) {
            let start = (self.end + range.start) as usize;
            temp.bytes().release(start..(self.end + range.end) as usize);
        }
    }

    /// Appends to the current file.
    ///
    /// # Errors
    /// When there is no room for it.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), NoRoom> {
        let in_memory = self.in_memory + self.bytes.len() + bytes.len();
        if !self.in_file && in_memory > IN_MEMORY {
            self.move_to_file()?;
        }
        match &self.temp {
            Some(Ok(temp)) if self.in_file => write(temp, bytes, self.end + self.len)?,
            Some(Err(error))
                if in_memory as u64 > self.max_in_memory
                    || self.bytes.try_reserve(bytes.len()).is_err() =>
            {
                return Err(NoRoom::in_memory(self.max_in_memory, error));
            }
            _ => self.append(bytes),
        }
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Appends to the current file in memory. A large one would be copied whenever its size has
    /// doubled, to memory that is new each time. Room that it does not need are addresses only.
    fn append(&mut self, bytes: &[u8]) {
        let len = self.bytes.len() + bytes.len();
        let most = IN_MEMORY.saturating_sub(self.in_memory);
        if len > self.bytes.capacity().max(LARGE) && len <= most {
            // Where addresses are few, it grows step by step.
            let _ = self.bytes.try_reserve_exact(most - self.bytes.len());
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Moves the current file to the temporary file, if there is one.
    fn move_to_file(&mut self) -> Result<(), NoRoom> {
        if let Ok(temp) = self.temp.get_or_insert_with(MappedTemp::new) {
            write(temp, &self.bytes, self.end)?;
            self.bytes = Vec::new();
            self.in_file = true;
        }
        Ok(())
    }

    /// Completes the current file. The next call of [`Self::push`] begins another one.
    pub(crate) fn finish(&mut self) -> Bytes {
        let len = std::mem::take(&mut self.len);
        if !std::mem::take(&mut self.in_file) {
            let mut bytes = std::mem::take(&mut self.bytes);
            if bytes.len() <= LARGE || bytes.len() < bytes.capacity() / 4 {
                bytes.shrink_to_fit();
            }
            self.in_memory += bytes.len();
            return bytes.into();
        }
        let Some(Ok(temp)) = &self.temp else { return Bytes::default() };
        let start = self.end;
        self.end += len;
        temp.bytes().slice(start as usize..self.end as usize)
    }
}

fn write(temp: &MappedTemp, bytes: &[u8], offset: u64) -> Result<(), NoRoom> {
    temp.write_at(bytes, offset).map_err(|error| NoRoom::in_file(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first files are in memory, the others in one temporary file. All keep their contents.
    #[cfg(unix)]
    #[test]
    fn many_files_share_memory_and_one_temporary_file() {
        let mut files = UnpackedFiles::default();
        let content = |number: usize| vec![number as u8; 1_000_000 + number];
        let mut kept = Vec::new();
        for number in 0..100 {
            for chunk in content(number).chunks(300_000) {
                files.push(chunk).expect("there is room");
            }
            assert_eq!(files.len(), 1_000_000 + number as u64);
            kept.push(files.finish());
        }
        assert!(files.in_memory <= IN_MEMORY);
        assert!(matches!(files.temp, Some(Ok(_))), "memory was not enough");
        assert_eq!(files.in_memory as u64 + files.end, 100 * 1_000_000 + 99 * 50);
        for (number, bytes) in kept.iter().enumerate() {
            assert!(**bytes == content(number), "{number}");
        }
    }

    #[test]
    fn a_large_file_stays_where_it_is_while_it_grows() {
        let mut files = UnpackedFiles::default();
        files.push(&vec![1; LARGE + 1]).expect("there is room");
        let place = files.current().as_ptr();
        for _ in 0..15 {
            files.push(&vec![2; LARGE]).expect("there is room");
        }
        let whole = files.finish();
        assert_eq!((whole.as_ptr(), whole.len()), (place, 16 * LARGE + 1));
        assert_eq!((whole[LARGE], whole[LARGE + 1]), (1, 2));
        // The room for the next file is what the first one left.
        files.push(&vec![3; LARGE + 1]).expect("there is room");
        assert!(files.bytes.capacity() <= IN_MEMORY - whole.len());
        let next = files.finish();
        assert_eq!((next.len(), files.in_memory), (LARGE + 1, 17 * LARGE + 2));
    }

    #[test]
    fn one_large_file() {
        let whole: Vec<u8> = (0..IN_MEMORY + 1000).map(|at| (at / 7) as u8).collect();
        let mut files = UnpackedFiles::default();
        whole.chunks(100_000).for_each(|chunk| files.push(chunk).expect("there is room"));
        assert!(*files.finish() == *whole);
        files.push(b"small").expect("there is room");
        assert_eq!(&*files.finish(), b"small");
    }

    /// The part of a file that could be written is kept, and no other data replaces it.
    #[cfg(unix)]
    #[test]
    fn a_full_folder_takes_no_more() {
        let temp = MappedTemp::with_capacity(IN_MEMORY as u64 + 10).expect("a file");
        let mut files = UnpackedFiles::within(temp);
        files.push(&vec![1; IN_MEMORY + 1]).expect("there is room");
        let NoRoom(why) = files.push(&[2; 10]).expect_err("cannot be written");
        assert!(why.contains("set TMPDIR"), "{why}");
        assert!(*files.finish() == vec![1; IN_MEMORY + 1]);
        files.push(&vec![3; IN_MEMORY + 1]).expect_err("cannot be written");
        assert!(files.finish().is_empty());
    }

    /// This is the case if the address space is limited.
    #[test]
    fn without_a_temporary_file_memory_is_used_up_to_a_limit() {
        let none = || Some(Err(io::ErrorKind::OutOfMemory.into()));
        let max_in_memory = 3 * IN_MEMORY as u64;
        let mut files = UnpackedFiles { temp: none(), max_in_memory, ..UnpackedFiles::default() };
        let first: Vec<u8> = (0..2 * IN_MEMORY).map(|at| (at / 7) as u8).collect();
        first.chunks(100_000).for_each(|chunk| files.push(chunk).expect("there is room"));
        assert!(*files.finish() == *first);
        files.push(&first[..IN_MEMORY]).expect("there is room");
        let NoRoom(why) = files.push(b"more").expect_err("is beyond the limit");
        assert!(why.contains("no more than 96 MiB are kept; set TMPDIR"), "{why}");
        assert!(*files.finish() == first[..IN_MEMORY]);
    }
}
