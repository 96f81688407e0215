//! The right of a query to compute, of which there is a limited number.
//!
//! A client that reads slowly keeps its query waiting, and no other: the slot is given back while
//! the result waits to be sent, and a result that is not read for long ends its query.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};

/// A slot for a query that runs.
pub(super) struct Slot {
    slots: Arc<Semaphore>,
    shared: SharedSlot,
    /// `None` while a part of the result waits for the client.
    permit: Option<Arc<OwnedSemaphorePermit>>,
    /// How long a part of a result may wait to be read.
    read_timeout: Duration,
    /// The runtime for timers.
    timers: Handle,
}

/// The slot of a connection. The queries of one connection, which its client reads in turn, share
/// a slot: they cannot wait for each other.
#[derive(Clone, Default)]
pub(crate) struct SharedSlot(Arc<Mutex<Weak<OwnedSemaphorePermit>>>);

impl SharedSlot {
    /// Waits for a slot, unless the connection has one. `None` is never returned in practice, as
    /// the semaphore is never closed.
    async fn take(&self, slots: &Arc<Semaphore>) -> Option<Arc<OwnedSemaphorePermit>> {
        let mut taken = self.0.lock().await;
        if let Some(permit) = taken.upgrade() {
            return Some(permit);
        }
        let permit = Arc::new(Arc::clone(slots).acquire_owned().await.ok()?);
        *taken = Arc::downgrade(&permit);
        Some(permit)
    }
}

/// Why a part of a result was not sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NotSent {
    Disconnected,
    /// The client did not read for as long as it may.
    Stalled(Duration),
}

impl Slot {
    /// Waits for a slot, or for that of the connection.
    pub(super) async fn take(
        slots: &Arc<Semaphore>,
        shared: SharedSlot,
        read_timeout: Duration,
        timers: Handle,
    ) -> Self {
        let permit = shared.take(slots).await;
        Self { slots: Arc::clone(slots), shared, permit, read_timeout, timers }
    }

    /// Sends a part of the result. If it has to wait for the client, another query has the slot
    /// meanwhile.
    pub(super) async fn send<T>(&mut self, sender: &Sender<T>, part: T) -> Result<(), NotSent> {
        match sender.try_send(part) {
            Ok(()) => Ok(()),
            Err(TrySendError::Closed(_)) => Err(NotSent::Disconnected),
            Err(TrySendError::Full(part)) => {
                drop(self.permit.take());
                tokio::select! {
                    biased;
                    sent = sender.send(part) => sent.map_err(|_| NotSent::Disconnected)?,
                    () = self.timer() => return Err(NotSent::Stalled(self.read_timeout)),
                }
                self.permit = self.shared.take(&self.slots).await;
                Ok(())
            }
        }
    }

    fn timer(&self) -> tokio::time::Sleep {
        let _timers = self.timers.enter();
        tokio::time::sleep(self.read_timeout)
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::channel;

    use super::*;

    fn on_runtime(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(test);
    }

    async fn slot(slots: &Arc<Semaphore>, read_timeout: Duration) -> Slot {
        Slot::take(slots, SharedSlot::default(), read_timeout, Handle::current()).await
    }

    #[test]
    fn a_part_that_waits_leaves_the_slot_to_others() {
        on_runtime(async {
            let slots = Arc::new(Semaphore::new(1));
            let mut slow = slot(&slots, Duration::MAX).await;
            let (sender, mut parts) = channel(1);
            assert_eq!(slow.send(&sender, 1).await, Ok(()));
            assert!(slots.try_acquire().is_err(), "it computes");
            let reader = async {
                let other = slots.acquire().await;
                assert_eq!((parts.recv().await, other.is_ok()), (Some(1), true));
            };
            let (sent, ()) = tokio::join!(slow.send(&sender, 2), reader);
            assert_eq!(sent, Ok(()));
            assert!(slots.try_acquire().is_err(), "it computes again");
            drop(slow);
            assert!(slots.try_acquire().is_ok());
        });
    }

    #[test]
    fn a_part_that_nobody_reads_ends_the_query() {
        on_runtime(async {
            let (slots, limit) = (Arc::new(Semaphore::new(1)), Duration::from_millis(10));
            let mut stalled = slot(&slots, limit).await;
            let (sender, parts) = channel(1);
            assert_eq!(stalled.send(&sender, 1).await, Ok(()));
            assert_eq!(stalled.send(&sender, 2).await, Err(NotSent::Stalled(limit)));
            drop(parts);
            assert_eq!(stalled.send(&sender, 2).await, Err(NotSent::Disconnected));
        });
    }
}
