//! How much memory events may take that wait to be put in order, and what takes the rest.

use std::cell::{Cell, RefCell};
use std::io;
use std::sync::Arc;

use super::strings::StoredStrings;
use crate::Span;

/// Bytes of events in a block, as part of the memory there is: a sorter reads one block of each of
/// its segments at a time.
const BLOCKS: u64 = 256;
const LEAST_BLOCK: u64 = 8 << 10;
const MOST_BLOCK: u64 = 1 << 20;

/// Takes the bytes of events that exceed the memory, as a temporary file does.
pub trait RunStore: Send {
    /// Writes bytes at an offset, over what was there.
    ///
    /// # Errors
    /// When the store cannot be created or is full.
    fn write(&self, bytes: &[u8], at: u64) -> io::Result<()>;

    /// Reads bytes from an offset at which they were written.
    ///
    /// # Errors
    /// When they cannot be read.
    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()>;
}

/// The memory of events that wait to be sorted.
pub struct SortMemory {
    /// Bytes of events that all sorters together may hold.
    most: u64,
    /// Bytes of events in a block of a segment.
    pub(super) block: u64,
    store: Box<dyn RunStore>,
    /// Where the next segment goes.
    end: Cell<u64>,
    /// Number of segments that are not fully read.
    segments: Cell<u64>,
    /// Bytes that were ever written.
    #[cfg(test)]
    written: Cell<u64>,
    /// Strings that several runs share, and that are in the store.
    strings: RefCell<StoredStrings>,
}

impl SortMemory {
    /// About `memory` bytes; more data goes to `store`.
    pub fn new(memory: u64, store: impl RunStore + 'static) -> Self {
        let block = (memory / BLOCKS).clamp(LEAST_BLOCK, MOST_BLOCK);
        // The rest is for blocks that are read back.
        Self::with_blocks(memory - memory / 4, block, store)
    }

    /// Memory of the sort, in memory only.
    pub fn in_memory() -> Self {
        Self::with_blocks(u64::MAX, MOST_BLOCK, NoStore)
    }

    /// The same with blocks of a size.
    pub(crate) fn with_blocks(most: u64, block: u64, store: impl RunStore + 'static) -> Self {
        Self {
            most,
            block,
            store: Box::new(store),
            end: Cell::new(0),
            segments: Cell::new(0),
            #[cfg(test)]
            written: Cell::new(0),
            strings: RefCell::default(),
        }
    }

    /// Bytes of events that may be held in memory.
    pub(crate) fn most(&self) -> u64 {
        self.most
    }

    /// Bytes of events that were ever written to the store.
    #[cfg(test)]
    pub(crate) fn written(&self) -> u64 {
        self.written.get()
    }

    /// Begins a segment: gives where its first block goes. Only one can be written at a time.
    pub(super) fn begin(&self) -> u64 {
        self.segments.set(self.segments.get() + 1);
        self.end.get()
    }

    pub(super) fn write(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.store.write(bytes, at)?;
        self.end.set(at + bytes.len() as u64);
        #[cfg(test)]
        self.written.set(self.written.get() + bytes.len() as u64);
        Ok(())
    }

    pub(super) fn read(&self, len: u64, at: u64) -> io::Result<Vec<u8>> {
        if at.checked_add(len).is_none_or(|end| end > self.end.get()) {
            return Err(damaged());
        }
        let len = usize::try_from(len).map_err(|_| damaged())?;
        let mut bytes = vec![0; len];
        self.store.read(&mut bytes, at)?;
        Ok(bytes)
    }

    /// Notes that a segment is read to its end. Without any, the store is used from its beginning.
    pub(super) fn release(&self) {
        self.segments.set(self.segments.get().saturating_sub(1));
        if self.segments.get() == 0 {
            self.end.set(0);
            self.strings.take();
        }
    }

    /// The strings at an offset, from wherever they are still in use, or as `read` gives them.
    pub(super) fn strings(
        &self,
        at: u64,
        read: impl FnOnce() -> io::Result<Arc<[Span]>>,
    ) -> io::Result<Arc<[Span]>> {
        let known = self.strings.borrow().at(at);
        if let Some(strings) = known {
            return Ok(strings);
        }
        let strings = read()?;
        self.strings.borrow_mut().note_read(&strings, at, self.block);
        Ok(strings)
    }

    /// Where strings lie in the store, if they were written.
    pub(super) fn offset_of(&self, strings: &Arc<[Span]>) -> Option<u64> {
        self.strings.borrow().offset(strings)
    }

    /// Notes where strings are written. They can be read for as long as there are segments.
    pub(super) fn note_strings(&self, strings: &Arc<[Span]>, at: u64) {
        self.strings.borrow_mut().note(strings, at, self.block);
    }
}

/// The data read is not the data written.
pub(super) fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "what was read is not what was written")
}

/// Takes nothing.
struct NoStore;

impl RunStore for NoStore {
    fn write(&self, _: &[u8], _: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn read(&self, _: &mut [u8], _: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
