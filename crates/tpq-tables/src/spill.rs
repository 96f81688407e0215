//! A file that takes packed chunks when memory has no room for more of them.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arrow_buffer::{Buffer, MutableBuffer};

use crate::positioned::{read_at, write_at};

/// A temporary file for packed chunks above the memory limit, shared by all columns of an import.
/// Chunks that were packed before the limit was reached stay in memory.
pub struct Spill {
    file: File,
    /// Bytes of packed chunks that are in memory.
    held: AtomicU64,
    /// The limit of `held`.
    most: u64,
    /// Offset of the next chunk.
    end: Mutex<u64>,
    /// The first error of reading the file or of writing to it again.
    failure: OnceLock<io::Error>,
}

impl Spill {
    /// Into a private file, once packed chunks take more than `most` bytes.
    pub fn new(file: File, most: u64) -> Self {
        Self { file, held: AtomicU64::new(0), most, end: Mutex::new(0), failure: OnceLock::new() }
    }

    /// How many bytes were written.
    pub fn written(&self) -> u64 {
        *self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The error of the file, if any. Values that were read or changed after it are wrong.
    pub fn failure(&self) -> Option<&io::Error> {
        self.failure.get()
    }

    /// Takes bytes, unless memory has room for them or the file has not.
    pub(crate) fn take(self: &Arc<Self>, bytes: &[u8]) -> Option<Spilled> {
        let len = bytes.len() as u64;
        if self.held.fetch_add(len, Ordering::Relaxed) + len <= self.most {
            return None;
        }
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        write_at(&self.file, bytes, *end).ok()?;
        self.held.fetch_sub(len, Ordering::Relaxed);
        let offset = *end;
        *end += len;
        Some(Spilled { spill: Arc::clone(self), offset })
    }

    /// Notes that packed bytes are no longer in memory.
    pub(crate) fn give_back(&self, len: usize) {
        self.held.fetch_sub(len as u64, Ordering::Relaxed);
    }

    fn note(&self, result: io::Result<()>) {
        if let Err(error) = result {
            // The first says why.
            let _ = self.failure.set(error);
        }
    }
}

/// The location of spilled bytes.
#[derive(Clone)]
pub(crate) struct Spilled {
    spill: Arc<Spill>,
    offset: u64,
}

impl Spilled {
    /// Reads some of the bytes.
    pub(crate) fn read(&self, begin: usize, len: usize) -> io::Result<Buffer> {
        let mut buffer = MutableBuffer::from_len_zeroed(len);
        read_at(&self.spill.file, &mut buffer, self.offset + begin as u64)?;
        Ok(buffer.into())
    }

    /// Some of the bytes; zeros where the file fails, which is noted.
    pub(crate) fn get(&self, begin: usize, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.spill.note(read_at(&self.spill.file, &mut bytes, self.offset + begin as u64));
        bytes
    }

    /// Changes some of the bytes; where the file fails, that is noted.
    pub(crate) fn set(&self, begin: usize, bytes: &[u8]) {
        self.spill.note(write_at(&self.spill.file, bytes, self.offset + begin as u64));
    }
}
