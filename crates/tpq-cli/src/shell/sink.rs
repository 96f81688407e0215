//! Where results go, one after the other.

use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tpq_output::Sink;

/// A sink that can be handed to one writer after the other; by default, memory.
#[derive(Clone)]
pub struct Shared(Arc<Mutex<Target>>);

enum Target {
    Memory(Vec<u8>),
    File(Sink),
}

impl Default for Shared {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Target::Memory(Vec::new()))))
    }
}

impl Shared {
    pub fn file(sink: Sink) -> Self {
        Self(Arc::new(Mutex::new(Target::File(sink))))
    }

    fn target(&self) -> MutexGuard<'_, Target> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was written to memory.
    pub fn take(&self) -> Vec<u8> {
        match &mut *self.target() {
            Target::Memory(bytes) => std::mem::take(bytes),
            Target::File(_) => Vec::new(),
        }
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match &mut *self.target() {
            Target::Memory(memory) => memory.write(bytes),
            Target::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match &mut *self.target() {
            Target::Memory(_) => Ok(()),
            Target::File(file) => file.flush(),
        }
    }
}
