//! Where unpacked files are kept: in memory while all of them together are small, else in one
//! temporary file without a name, from where the system loads and drops them as it does with a trace
//! that is not compressed.

use std::io;

use crate::bytes::Bytes;
use crate::mapped_temp::MappedTemp;

/// Bytes of all files that are kept in memory.
const IN_MEMORY: usize = 32 << 20;
/// Bytes of all files that are kept in memory where no temporary file can be mapped.
const MOST_IN_MEMORY: u64 = 4 << 30;

/// Takes files, one after the other.
pub(crate) struct UnpackedFiles {
    /// What the files in memory take, those that are complete.
    in_memory: usize,
    /// The most that they may take where there is no temporary file.
    most: u64,
    /// The temporary file, or why there is none, once memory was not enough.
    temp: Option<io::Result<MappedTemp>>,
    /// Where the next file begins in it.
    end: u64,
    /// The file under way, as long as it is in memory.
    bytes: Vec<u8>,
    /// How long it is.
    len: u64,
    /// Whether it is in the temporary file.
    in_file: bool,
}

/// Says why what was unpacked has no place, and what helps. What it was unpacked from may be whole.
#[derive(Debug)]
pub(crate) struct NoRoom(pub(crate) String);

impl NoRoom {
    /// The temporary folder takes no more.
    fn in_file(error: &io::Error) -> Self {
        Self(format!(
            "the temporary folder {} has no room to unpack it ({error}); set TMPDIR to one that \
             has",
            std::env::temp_dir().display()
        ))
    }

    /// There is no temporary file, and memory takes no more.
    fn in_memory(most: u64, error: &io::Error) -> Self {
        Self(format!(
            "no temporary file to unpack it to can be mapped in {} ({error}), and without one no \
             more than {} MiB are kept; set TMPDIR to another folder, or unpack it before",
            std::env::temp_dir().display(),
            most >> 20
        ))
    }
}

impl Default for UnpackedFiles {
    fn default() -> Self {
        Self {
            in_memory: 0,
            most: MOST_IN_MEMORY,
            temp: None,
            end: 0,
            bytes: Vec::new(),
            len: 0,
            in_file: false,
        }
    }
}

impl UnpackedFiles {
    /// Files that have this temporary file.
    #[cfg(all(test, unix))]
    pub(crate) fn within(temp: MappedTemp) -> Self {
        Self { temp: Some(Ok(temp)), ..Self::default() }
    }

    /// How long the file under way is.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Adds to the file under way.
    ///
    /// # Errors
    /// When there is no room for it.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), NoRoom> {
        let in_memory = self.in_memory + self.bytes.len() + bytes.len();
        if !self.in_file && in_memory > IN_MEMORY {
            self.go_to_file()?;
        }
        match &self.temp {
            Some(Ok(temp)) if self.in_file => write(temp, bytes, self.end + self.len)?,
            Some(Err(error))
                if in_memory as u64 > self.most || self.bytes.try_reserve(bytes.len()).is_err() =>
            {
                return Err(NoRoom::in_memory(self.most, error));
            }
            _ => self.bytes.extend_from_slice(bytes),
        }
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Moves the file under way to the temporary file, where there is one to be had.
    fn go_to_file(&mut self) -> Result<(), NoRoom> {
        if let Ok(temp) = self.temp.get_or_insert_with(MappedTemp::new) {
            write(temp, &self.bytes, self.end)?;
            self.bytes = Vec::new();
            self.in_file = true;
        }
        Ok(())
    }

    /// Completes the file under way; the next begins.
    pub(crate) fn finish(&mut self) -> Bytes {
        let len = std::mem::take(&mut self.len);
        if !std::mem::take(&mut self.in_file) {
            let mut bytes = std::mem::take(&mut self.bytes);
            bytes.shrink_to_fit();
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

    /// The first files are in memory, the others in one file; all are what they were.
    #[cfg(unix)]
    #[test]
    fn many_files_share_memory_and_one_temporary_file() {
        let mut files = UnpackedFiles::default();
        let content = |number: usize| vec![number as u8; 1_000_000 + number];
        let mut kept = Vec::new();
        for number in 0..100 {
            for piece in content(number).chunks(300_000) {
                files.push(piece).expect("there is room");
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
    fn one_large_file() {
        let whole: Vec<u8> = (0..IN_MEMORY + 1000).map(|at| (at / 7) as u8).collect();
        let mut files = UnpackedFiles::default();
        whole.chunks(100_000).for_each(|piece| files.push(piece).expect("there is room"));
        assert!(*files.finish() == *whole);
        files.push(b"small").expect("there is room");
        assert_eq!(&*files.finish(), b"small");
    }

    /// What could be written of a file is kept, and nothing else takes its place.
    #[cfg(unix)]
    #[test]
    fn a_full_folder_takes_no_more() {
        let temp = MappedTemp::with_room(IN_MEMORY as u64 + 10).expect("a file");
        let mut files = UnpackedFiles::within(temp);
        files.push(&vec![1; IN_MEMORY + 1]).expect("there is room");
        let NoRoom(why) = files.push(&[2; 10]).expect_err("cannot be written");
        assert!(why.contains("set TMPDIR"), "{why}");
        assert!(*files.finish() == vec![1; IN_MEMORY + 1]);
        files.push(&vec![3; IN_MEMORY + 1]).expect_err("cannot be written");
        assert!(files.finish().is_empty());
    }

    /// As where the address space is limited.
    #[test]
    fn memory_does_without_a_temporary_file_up_to_a_limit() {
        let none = || Some(Err(io::ErrorKind::OutOfMemory.into()));
        let most = 3 * IN_MEMORY as u64;
        let mut files = UnpackedFiles { temp: none(), most, ..UnpackedFiles::default() };
        let first: Vec<u8> = (0..2 * IN_MEMORY).map(|at| (at / 7) as u8).collect();
        first.chunks(100_000).for_each(|piece| files.push(piece).expect("there is room"));
        assert!(*files.finish() == *first);
        files.push(&first[..IN_MEMORY]).expect("there is room");
        let NoRoom(why) = files.push(b"more").expect_err("is beyond the limit");
        assert!(why.contains("no more than 96 MiB are kept; set TMPDIR"), "{why}");
        assert!(*files.finish() == first[..IN_MEMORY]);
    }
}
