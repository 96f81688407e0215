//! The checksums of a chunk, compared when the chunk is first read.

use std::sync::atomic::{AtomicU8, Ordering};

use arrow_buffer::Buffer;
use xxhash_rust::xxh3::xxh3_64;

const UNKNOWN: u8 = 0;
const INTACT: u8 = 1;
const DAMAGED: u8 = 2;

/// The checksums of a chunk that lies in a file, and what is known of them.
pub(crate) struct Checksums {
    values: u64,
    valid: u64,
    state: AtomicU8,
}

impl Checksums {
    /// Of values, and of the bits for rows that are not NULL; 0 where there are none.
    pub(super) fn new(values: u64, valid: u64) -> Self {
        Self { values, valid, state: AtomicU8::new(UNKNOWN) }
    }

    /// Whether the bytes are those that were written. They are read the first time only.
    pub(crate) fn match_bytes(&self, values: &Buffer, valid: Option<&Buffer>) -> bool {
        match self.state.load(Ordering::Relaxed) {
            UNKNOWN => {
                let valid = valid.map_or(0, |valid| xxh3_64(valid));
                let intact = xxh3_64(values) == self.values && valid == self.valid;
                // Two threads that get here at once find the same.
                self.state.store(if intact { INTACT } else { DAMAGED }, Ordering::Relaxed);
                intact
            }
            state => state == INTACT,
        }
    }
}
