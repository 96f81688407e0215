//! Gives back the memory of trace bytes that were decoded.

use tpq_source::{Entry, Inputs};

/// Bytes at once: giving back is a call of the system.
const STEP: usize = 8 << 20;
/// Bytes behind the latest event that stay: events near each other in time lie near each other.
const STAY: usize = 4 << 20;

/// Files, by the addresses of their bytes.
#[derive(Clone)]
pub(crate) struct Behind<'a> {
    files: Vec<File<'a>>,
}

#[derive(Clone)]
struct File<'a> {
    entry: &'a Entry,
    base: u64,
    /// How much of it was given back.
    released: usize,
}

impl<'a> Behind<'a> {
    /// `bases` has the address of the first byte of each file with events.
    pub(crate) fn new(inputs: &'a Inputs, bases: &[u64]) -> Self {
        let file =
            |((_, entry), &base): ((usize, &'a Entry), &u64)| File { entry, base, released: 0 };
        Self { files: inputs.traces().zip(bases).map(file).collect() }
    }

    /// Notes that an event at an address was decoded. Where others that lie before it are still to
    /// come, their bytes are read again.
    pub(crate) fn passed(&mut self, addr: u64) {
        let after = self.files.partition_point(|file| file.base <= addr);
        let Some(file) = after.checked_sub(1).and_then(|index| self.files.get_mut(index)) else {
            return;
        };
        let passed = ((addr - file.base) as usize).min(file.entry.bytes().len());
        release_behind(file.entry, &mut file.released, passed);
    }
}

impl Behind<'_> {
    /// Notes how much of a file was read, by its number. What waits to be decoded is read again.
    pub(crate) fn read(&mut self, file: usize, done: u64) {
        let file = &mut self.files[file];
        release_behind(file.entry, &mut file.released, done as usize);
    }
}

/// Gives back what lies some way before `passed`, and notes how far that is in `released`.
pub(crate) fn release_behind(entry: &Entry, released: &mut usize, passed: usize) {
    let end = passed.saturating_sub(STAY);
    if end >= *released + STEP {
        entry.release(*released..end);
        *released = end;
    }
}
