//! Gives back the memory of trace bytes that were decoded.

use std::ops::Range;

use tpq_source::{Entry, Inputs, Scratch};

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
    /// What was inflated from it, whose addresses follow its own.
    scratch: &'a Scratch,
    base: u64,
    /// How much of each was given back.
    released: usize,
    released_of_scratch: usize,
}

impl<'a> Behind<'a> {
    /// `bases` has the address of the first byte of each file with events.
    pub(crate) fn new(inputs: &'a Inputs, scratches: &'a [Scratch], bases: &[u64]) -> Self {
        let entries = inputs.traces().map(|(_, entry)| entry);
        let file = |((entry, scratch), &base): ((&'a Entry, &'a Scratch), &u64)| File {
            entry,
            scratch,
            base,
            released: 0,
            released_of_scratch: 0,
        };
        Self { files: entries.zip(scratches).zip(bases).map(file).collect() }
    }

    /// Notes that an event at an address was decoded. Where others that lie before it are still to
    /// come, their bytes are read again.
    pub(crate) fn passed(&mut self, addr: u64) {
        let after = self.files.partition_point(|file| file.base <= addr);
        let Some(file) = after.checked_sub(1).and_then(|index| self.files.get_mut(index)) else {
            return;
        };
        let (passed, len) = ((addr - file.base) as usize, file.entry.bytes().len());
        release_behind(&mut file.released, passed.min(len), |range| file.entry.release(range));
        let passed = passed.saturating_sub(len);
        release_behind(&mut file.released_of_scratch, passed, |range| file.scratch.release(range));
    }
}

impl Behind<'_> {
    /// Notes how much of a file was read, by its number. What waits to be decoded is read again.
    pub(crate) fn read(&mut self, file: usize, done: u64) {
        let file = &mut self.files[file];
        let (done, len) = (done as usize, file.entry.bytes().len());
        release_behind(&mut file.released, done.min(len), |range| file.entry.release(range));
        release_behind(&mut file.released_of_scratch, done, |range| file.scratch.release(range));
    }
}

/// Gives back what lies some way before `passed`, and notes how far that is in `released`.
fn release_behind(released: &mut usize, passed: usize, release: impl FnOnce(Range<usize>)) {
    let end = passed.saturating_sub(STAY);
    if end >= *released + STEP {
        release(*released..end);
        *released = end;
    }
}
