//! Writes of the cache entry of a trace, each on a thread of its own, one after the other.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;

/// The write of a cache entry that was begun last. Dropping it waits for the end of the write.
#[derive(Default)]
pub(crate) struct EntryWrites(Arc<Mutex<Option<PendingWrite>>>);

/// The same for tables, which are dropped by the thread that writes them: it cannot wait for
/// itself.
#[derive(Clone)]
pub(crate) struct WeakEntryWrites(Weak<Mutex<Option<PendingWrite>>>);

impl EntryWrites {
    /// Begins a write when the one before has ended.
    pub(super) fn begin(&self, work: impl FnOnce() + Send + 'static) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = last.take();
        let work = move || {
            drop(before);
            work();
        };
        let thread = std::thread::Builder::new().name("cache".into()).spawn(work);
        *last = thread.ok().map(|thread| PendingWrite(Some(thread)));
    }

    /// Waits until all writes have ended.
    pub(crate) fn wait(&self) {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(last);
    }

    pub(crate) fn downgrade(&self) -> WeakEntryWrites {
        WeakEntryWrites(Arc::downgrade(&self.0))
    }
}

impl WeakEntryWrites {
    /// `None` once the trace was dropped.
    pub(crate) fn upgrade(&self) -> Option<EntryWrites> {
        self.0.upgrade().map(EntryWrites)
    }
}

/// A cache entry that is being written. Dropping it waits for the end of the write.
struct PendingWrite(Option<JoinHandle<()>>);

impl Drop for PendingWrite {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            // The panic hook has already printed the panic, and results do not depend on the cache.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn writes_are_done_one_after_the_other() {
        let writes = EntryWrites::default();
        let done = Arc::<Mutex<Vec<u64>>>::default();
        for number in 0..3 {
            let done = Arc::clone(&done);
            writes.begin(move || {
                std::thread::sleep(Duration::from_millis(9 - 3 * number));
                done.lock().unwrap().push(number);
            });
        }
        writes.wait();
        assert_eq!(*done.lock().unwrap(), [0, 1, 2]);
        let weak = writes.downgrade();
        assert!(weak.upgrade().is_some());
        drop(writes);
        assert!(weak.upgrade().is_none());
    }
}
