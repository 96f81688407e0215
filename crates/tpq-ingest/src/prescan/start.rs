//! The part of a prescan that is done while a file arrives.

use std::ops::Range;

use super::Prescan;
use super::header_scan::HeaderScan;

/// The findings in the first packets of a file. Holds none of its bytes, as these may still move.
pub struct PrescanStart {
    found: Prescan<'static>,
    /// Where the next packet begins.
    at: usize,
    /// The length of the file that the next scan needs. A packet that has not arrived completely is
    /// looked at again, and a file can be made of fields that are no packets.
    next: usize,
    /// Whether a compressed packet follows. Inflated bytes are stored with those of the whole file.
    has_ended: bool,
}

impl Default for PrescanStart {
    fn default() -> Self {
        Self { found: Prescan::nothing(&[], 0, 0), at: 0, next: 0, has_ended: false }
    }
}

impl PrescanStart {
    /// Scans the packets that have arrived since the last call. `file` begins with the bytes of all
    /// calls before.
    pub fn advance(&mut self, file: &[u8]) {
        if self.has_ended || file.len() < self.next {
            return;
        }
        let ignored = |_: Range<usize>| ();
        let mut scan = HeaderScan::new(file, 0, self.at, 0, &ignored);
        self.has_ended = scan.go_on(file.len(), None).is_err();
        self.at = scan.at;
        self.found.append(scan.prescan);
        self.next = file.len() + (file.len() - self.at);
    }

    /// Where the next packet begins.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The length of the file that the next scan needs.
    #[cfg(test)]
    pub(super) fn next(&self) -> usize {
        self.next
    }

    pub(super) fn into_found(self) -> Prescan<'static> {
        self.found
    }
}
