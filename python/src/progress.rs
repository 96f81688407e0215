//! The progress of an import, for a callback of Python.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use tpq::Progress;

/// The last reported progress. The importing threads only note it here; the thread that waits for
/// the import calls the callback, so that no other thread needs Python's lock.
#[derive(Default)]
pub struct LastProgress {
    done: AtomicU64,
    total: AtomicU64,
    stage: Mutex<&'static str>,
}

impl Progress for LastProgress {
    fn advance(&self, done: u64, total: u64) {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    fn stage(&self, name: &'static str) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = name;
    }
}

impl LastProgress {
    /// Notes that the import is complete.
    pub fn finish(&self) {
        self.done.store(self.total.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Calls `callback(stage, done, total)`; `done` and `total` are bytes of the input.
    ///
    /// # Errors
    /// The exception of the callback.
    pub fn report(&self, callback: &Bound<'_, PyAny>) -> PyResult<()> {
        let stage = *self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        callback.call1((stage, done, total)).map(drop)
    }
}
