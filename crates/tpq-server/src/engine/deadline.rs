//! The time that a query may run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::Notify;
use tpq_sql::{AbortOnDrop, CancelToken};

/// The end of the time of a query.
pub(super) struct Deadline {
    limit: Option<Duration>,
    has_passed: Arc<AtomicBool>,
    passing: Arc<Notify>,
    _timer: Option<AbortOnDrop<()>>,
}

impl Deadline {
    /// Cancels the query when its time is over.
    pub(super) fn start(limit: Option<Duration>, cancel: &CancelToken, timers: &Handle) -> Self {
        let has_passed = Arc::new(AtomicBool::new(false));
        let passing = Arc::new(Notify::new());
        let timer = limit.map(|limit| {
            let (cancel, has_passed) = (cancel.clone(), Arc::clone(&has_passed));
            let passing = Arc::clone(&passing);
            AbortOnDrop(timers.spawn(async move {
                tokio::time::sleep(limit).await;
                has_passed.store(true, Ordering::Release);
                cancel.cancel();
                passing.notify_one();
            }))
        });
        Self { limit, has_passed, passing, _timer: timer }
    }

    /// Waits until the time is over, for ever without a limit. For one waiter.
    pub(super) async fn wait(&self) {
        self.passing.notified().await;
    }

    /// The limit, if its time is over.
    pub(super) fn passed(&self) -> Option<Duration> {
        self.limit.filter(|_| self.has_passed.load(Ordering::Acquire))
    }
}
