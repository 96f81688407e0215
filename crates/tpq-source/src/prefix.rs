//! The bytes of a file that have arrived so far, for work that does not need the others.

use crate::unpacked::UnpackedFiles;

/// Receives the bytes that have arrived so far, and each time more of them.
pub type OnPrefix<'a> = &'a mut dyn FnMut(&[u8]);

/// The number of bytes that arrive between two calls.
const STEP: u64 = 4 << 20;

/// Shows the part of a file that has arrived.
pub(crate) struct Prefix<'a> {
    on_prefix: OnPrefix<'a>,
    /// The number of bytes that were shown.
    shown: u64,
    /// The number of bytes that the next call needs.
    next: u64,
}

impl<'a> Prefix<'a> {
    pub(crate) fn new(on_prefix: OnPrefix<'a>) -> Self {
        Self { on_prefix, shown: 0, next: STEP }
    }

    /// Shows nothing.
    pub(crate) fn ignored(on_prefix: OnPrefix<'a>) -> Self {
        Self { on_prefix, shown: 0, next: u64::MAX }
    }

    /// Shows the current file, if enough of it has arrived since the last call. These bytes are
    /// then dropped from memory where a temporary file has them.
    pub(crate) fn show(&mut self, files: &UnpackedFiles) {
        let len = files.len();
        if len >= self.next {
            (self.on_prefix)(files.current());
            files.release_current(self.shown..len);
            (self.shown, self.next) = (len, len + STEP);
        }
    }
}
