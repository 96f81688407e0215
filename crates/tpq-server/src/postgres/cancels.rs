//! Requests to stop the query of another connection, which arrive on a connection of their own.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::requests::CancelKey;

/// The connections with queries that can be stopped, by their keys.
#[derive(Default)]
pub(super) struct Cancels {
    connections: Mutex<HashMap<CancelKey, Arc<Cancel>>>,
    count: AtomicI32,
    /// Makes secrets: its keys are random, and its results do not reveal them.
    secrets: RandomState,
}

/// A request to stop the running query of a connection.
#[derive(Default)]
pub(super) struct Cancel {
    /// The query that runs.
    running: Mutex<Option<Arc<Notify>>>,
}

/// The key of a connection, for as long as it is open.
pub(super) struct Registered {
    cancels: Arc<Cancels>,
    pub(super) key: CancelKey,
    pub(super) cancel: Arc<Cancel>,
}

impl Cancels {
    /// Gives a connection a key.
    pub(super) fn register(self: &Arc<Self>) -> Registered {
        let process = self.count.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        let secret = self.secrets.hash_one(process) as i32;
        let (key, cancel) = (CancelKey { process, secret }, Arc::new(Cancel::default()));
        self.connections().insert(key, Arc::clone(&cancel));
        Registered { cancels: Arc::clone(self), key, cancel }
    }

    /// Asks the query of a connection to stop. Says nothing about keys that do not exist.
    pub(super) fn cancel(&self, key: CancelKey) {
        if let Some(cancel) = self.connections().get(&key) {
            cancel.cancel();
        }
    }

    fn connections(&self) -> MutexGuard<'_, HashMap<CancelKey, Arc<Cancel>>> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.cancels.connections().remove(&self.key);
    }
}

impl Cancel {
    /// Begins a query: requests from now on are for it, until the result is dropped.
    pub(super) fn begin(self: &Arc<Self>) -> RunningQuery {
        let asked = Arc::new(Notify::new());
        *self.running() = Some(Arc::clone(&asked));
        RunningQuery { cancel: Arc::clone(self), asked }
    }

    fn cancel(&self) {
        if let Some(asked) = &*self.running() {
            asked.notify_one();
        }
    }

    fn running(&self) -> MutexGuard<'_, Option<Arc<Notify>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A query that can be stopped.
pub(super) struct RunningQuery {
    cancel: Arc<Cancel>,
    asked: Arc<Notify>,
}

impl RunningQuery {
    /// Waits until the query is asked to stop.
    pub(super) async fn asked(&self) {
        self.asked.notified().await;
    }
}

impl Drop for RunningQuery {
    fn drop(&mut self) {
        self.cancel.running().take();
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn a_request_stops_the_query_that_runs() {
        let cancels = Arc::new(Cancels::default());
        let (one, other) = (cancels.register(), cancels.register());
        assert_ne!(one.key.secret, other.key.secret);
        cancels.cancel(one.key);
        let query = one.cancel.begin();
        assert_eq!(query.asked().now_or_never(), None, "the request was for no query");
        cancels.cancel(CancelKey { secret: one.key.secret ^ 1, ..one.key });
        cancels.cancel(other.key);
        assert_eq!(query.asked().now_or_never(), None);
        cancels.cancel(one.key);
        assert_eq!(query.asked().now_or_never(), Some(()));
        drop(query);
        let key = one.key;
        drop(one);
        cancels.cancel(key);
        assert_eq!(cancels.connections().len(), 1);
    }
}
