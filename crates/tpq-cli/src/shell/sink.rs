//! A buffer for a table, before it goes to the pager.

use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A buffer that a writer fills and that can be read afterwards.
#[derive(Clone, Default)]
pub struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

impl SharedBuffer {
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes and returns the written bytes.
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.bytes())
    }
}

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.bytes().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
