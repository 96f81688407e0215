//! Where a table for the screen is gathered, before it goes to the pager.

use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Memory that can be handed to a writer and read afterwards.
#[derive(Clone, Default)]
pub struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was written.
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.bytes())
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.bytes().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
