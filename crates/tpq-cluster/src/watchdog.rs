//! The end of an executor, also where a part of it hangs.
//!
//! Ballista ends an executor in steps that wait for each other without a limit. Its wait for tasks
//! never ends where tasks were dropped, as they are once the scheduler is lost, and its requests
//! may wait for a scheduler that hangs. An executor also has to end where the report of a task was
//! lost, see [`crate::lost_reports`]. So a thread that does not depend on the runtime checks these,
//! and says when the process has to end as it is.
//!
//! Ballista's sign of life holds a lock while it waits for a scheduler, and the report of a task waits
//! for this lock with its thread. Where all threads of the runtime wait so, no time limit of the
//! runtime ends them; the thread sees that the runtime does nothing any more.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ballista_executor::executor_server::TERMINATING;
use ballista_executor::health::ExecutorHealth;
use tokio::sync::oneshot;

use crate::cancellation::RunningStages;
use crate::lost_reports::LostReports;
use crate::scheduler::LOST_SECONDS;

/// How long an executor may be without its scheduler, go on after a lost report, or be about to end.
/// After this time without a sign of life, the scheduler has given its tasks to others.
const LIMIT: Duration = Duration::from_secs(LOST_SECONDS);

/// The time between two checks.
const LOOK: Duration = Duration::from_millis(100);

/// The time between two beats of the runtime.
pub(crate) const BEAT: Duration = Duration::from_secs(1);

/// Checks without a beat of the runtime after which it counts as stuck: those of a minute. A process
/// that was stopped for a while has made no checks meanwhile.
const CHECKS_WITHOUT_BEAT: u32 = 600;

/// Looks after an executor until the receiver of its message is dropped.
pub(crate) struct Watchdog(Arc<Watched>);

struct Watched {
    /// The last answer of the scheduler to a sign of life.
    health: ExecutorHealth,
    running: RunningStages,
    lost_reports: &'static LostReports,
    /// Whether the scheduler has ever answered.
    registered: AtomicBool,
    /// Whether a signal asked the process to end.
    asked: AtomicBool,
    /// The number of beats of the runtime.
    beats: AtomicU64,
}

impl Watchdog {
    /// Starts the thread. The receiver gets a message when the process has to end.
    ///
    /// # Errors
    /// When the system cannot start a thread.
    pub(crate) fn start(
        health: ExecutorHealth,
        running: RunningStages,
    ) -> io::Result<(Self, oneshot::Receiver<()>)> {
        let (overdue, receiver) = oneshot::channel();
        let (registered, asked) = (AtomicBool::new(false), AtomicBool::new(false));
        let (lost_reports, beats) = (LostReports::of_process(), AtomicU64::new(0));
        let watched = Watched { health, running, lost_reports, registered, asked, beats };
        let watched = Arc::new(watched);
        let watchdog = Self(Arc::clone(&watched));
        thread::Builder::new().name("watchdog".into()).spawn(move || watched.watch(overdue))?;
        Ok((watchdog, receiver))
    }

    /// Records that the runtime is at work. It is to do so after every [`BEAT`].
    pub(crate) fn beat(&self) {
        self.0.beats.fetch_add(1, Ordering::AcqRel);
    }

    /// Records that a signal asked the process to end. Returns whether Ballista ends it, once all
    /// tasks have ended; before the executor is registered, it takes no notice of signals.
    pub(crate) fn ask_to_end(&self) -> bool {
        self.0.asked.store(true, Ordering::Release);
        self.is_registered()
    }

    /// Whether the scheduler has ever answered a sign of life.
    pub(crate) fn is_registered(&self) -> bool {
        self.0.is_registered()
    }
}

impl Watched {
    fn is_registered(&self) -> bool {
        if self.health.is_ready() {
            self.registered.store(true, Ordering::Release);
        }
        self.registered.load(Ordering::Acquire)
    }

    /// Whether the process is at a point at which it must not stay.
    fn is_ending(&self) -> bool {
        let is_lost = self.is_registered() && !self.health.is_ready();
        let terminating = TERMINATING.load(Ordering::Acquire);
        is_lost
            || self.lost_reports.is_any()
            || is_stuck(self.asked.load(Ordering::Acquire), terminating, self.running.is_any())
    }

    fn watch(&self, overdue: oneshot::Sender<()>) {
        let mut since: Option<Instant> = None;
        let mut silence = Silence::default();
        while !overdue.is_closed() {
            thread::sleep(LOOK);
            let is_silent = silence.is_long(self.beats.load(Ordering::Acquire));
            let is_due = match self.is_ending() {
                true => since.get_or_insert_with(Instant::now).elapsed() >= LIMIT,
                false => {
                    since = None;
                    false
                }
            };
            if is_due || is_silent {
                // Without a receiver, the process ends already.
                let _ = overdue.send(());
                return;
            }
        }
    }
}

/// Checks since the last beat of the runtime.
#[derive(Default)]
struct Silence {
    beats: u64,
    checks: u32,
}

impl Silence {
    /// Whether the runtime counts as stuck at one more check, with as many beats so far.
    fn is_long(&mut self, beats: u64) -> bool {
        self.checks = if beats == self.beats { self.checks.saturating_add(1) } else { 0 };
        self.beats = beats;
        self.checks >= CHECKS_WITHOUT_BEAT
    }
}

/// Whether an end that has begun must be over soon. An executor that a signal asked to end waits
/// for its tasks, however long they take; one that its scheduler gave up does not.
fn is_stuck(asked: bool, terminating: bool, has_tasks: bool) -> bool {
    match (asked, terminating) {
        (false, false) => false,
        (true, true) => !has_tasks,
        // The scheduler ended it or a part of it failed, or Ballista has missed the signal.
        (false, true) | (true, false) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_delay_only_an_end_that_a_signal_asked_for() {
        for has_tasks in [false, true] {
            assert!(!is_stuck(false, false, has_tasks));
            assert!(is_stuck(false, true, has_tasks));
            assert!(is_stuck(true, false, has_tasks));
            assert_eq!(is_stuck(true, true, has_tasks), !has_tasks);
        }
    }

    #[test]
    fn a_runtime_without_beats_for_a_minute_is_stuck() {
        let mut silence = Silence::default();
        for beats in [0, 1] {
            for _ in 1..CHECKS_WITHOUT_BEAT {
                assert!(!silence.is_long(beats));
            }
        }
        // The first check of a beat is none without it.
        assert!(!silence.is_long(1));
        assert!(silence.is_long(1));
        assert!(!silence.is_long(2));
    }

    #[test]
    fn a_scheduler_that_never_answered_is_not_lost() {
        let health = ExecutorHealth::new();
        let (watchdog, _overdue) =
            Watchdog::start(health.clone(), RunningStages::default()).unwrap();
        let watched = &watchdog.0;
        assert!(!watched.is_ending());
        health.mark_heartbeat_ok();
        assert!(!watched.is_ending());
        health.mark_heartbeat_failed();
        assert!(watched.is_ending());
        health.mark_heartbeat_ok();
        assert!(!watched.is_ending());
        assert!(watchdog.ask_to_end());
        assert!(watched.is_ending());
    }
}
