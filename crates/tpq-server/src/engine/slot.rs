//! The right of a query to compute, of which there is a limited number.
//!
//! A client that reads slowly keeps its query waiting, and no other: the slot is given back while
//! the result waits to be sent, and a result that is not read for long ends its query.

use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Semaphore, SemaphorePermit};

/// A slot for a query that runs.
pub(super) struct Slot<'a> {
    slots: &'a Semaphore,
    permit: Option<SemaphorePermit<'a>>,
    /// How long a part of a result may wait to be read.
    patience: Duration,
    /// The runtime for timers.
    timers: Handle,
}

/// Why a part of a result was not sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NotSent {
    /// The client has gone.
    NoReceiver,
    /// The client did not read for as long as it may.
    Stalled(Duration),
}

impl<'a> Slot<'a> {
    /// Waits for a slot.
    pub(super) async fn take(slots: &'a Semaphore, patience: Duration, timers: Handle) -> Self {
        // The semaphore is never closed.
        let permit = slots.acquire().await.ok();
        Self { slots, permit, patience, timers }
    }

    /// Sends a part of the result. If it has to wait for the client, another query has the slot
    /// meanwhile.
    pub(super) async fn send<T>(&mut self, sender: &Sender<T>, part: T) -> Result<(), NotSent> {
        match sender.try_send(part) {
            Ok(()) => Ok(()),
            Err(TrySendError::Closed(_)) => Err(NotSent::NoReceiver),
            Err(TrySendError::Full(part)) => {
                drop(self.permit.take());
                tokio::select! {
                    biased;
                    sent = sender.send(part) => sent.map_err(|_| NotSent::NoReceiver)?,
                    () = self.timer() => return Err(NotSent::Stalled(self.patience)),
                }
                self.permit = self.slots.acquire().await.ok();
                Ok(())
            }
        }
    }

    fn timer(&self) -> tokio::time::Sleep {
        let _timers = self.timers.enter();
        tokio::time::sleep(self.patience)
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

    async fn slot(slots: &Semaphore, patience: Duration) -> Slot<'_> {
        Slot::take(slots, patience, Handle::current()).await
    }

    #[test]
    fn a_part_that_waits_leaves_the_slot_to_others() {
        on_runtime(async {
            let slots = Semaphore::new(1);
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
            let (slots, patience) = (Semaphore::new(1), Duration::from_millis(10));
            let mut stalled = slot(&slots, patience).await;
            let (sender, parts) = channel(1);
            assert_eq!(stalled.send(&sender, 1).await, Ok(()));
            assert_eq!(stalled.send(&sender, 2).await, Err(NotSent::Stalled(patience)));
            drop(parts);
            assert_eq!(stalled.send(&sender, 2).await, Err(NotSent::NoReceiver));
        });
    }
}
