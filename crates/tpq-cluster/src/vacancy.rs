//! Whether a scheduler has executors.
//!
//! Ballista lets a query of a cluster that is empty from the start wait for ever. None of its
//! requests tells whether there are executors, but its page for probes does: `/readyz` is ready
//! with one executor that lives, see [`crate::scheduler`].

use std::time::{Duration, Instant};

use tokio::time::timeout;

use crate::probe::status;

/// The time between two checks, and from the start of a query to the first check. Most queries end
/// earlier.
const LOOK: Duration = Duration::from_secs(1);

/// The longest time until the scheduler answers.
const ANSWER: Duration = Duration::from_secs(10);

/// How long a query has been without executors.
pub(crate) struct Vacancy<'a> {
    /// The scheduler, as HOST:PORT.
    address: &'a str,
    limit: Duration,
    looked: Instant,
    /// Since when there is no executor.
    since: Option<Instant>,
}

impl<'a> Vacancy<'a> {
    /// For a query of the scheduler at `address` that begins now and may be without executors for
    /// `limit`.
    pub(crate) fn new(address: &'a str, limit: Duration) -> Self {
        Self { address, limit, looked: Instant::now(), since: None }
    }

    /// Whether there was no executor for the whole limit.
    pub(crate) async fn is_too_long(&mut self) -> bool {
        if self.looked.elapsed() < LOOK {
            return false;
        }
        self.looked = Instant::now();
        let answer = timeout(ANSWER, status(self.address, "/readyz")).await;
        // A scheduler that does not answer fails the requests for the query.
        match answer.ok().and_then(Result::ok).and_then(|status| is_ready(&status)) {
            Some(false) => self.since.get_or_insert_with(Instant::now).elapsed() >= self.limit,
            Some(true) | None => {
                self.since = None;
                false
            }
        }
    }
}

/// Whether a status says that there are executors. `None` when it says neither.
fn is_ready(status: &str) -> Option<bool> {
    match status {
        "200" => Some(true),
        "503" => Some(false),
        _ => None,
    }
}
