//! Reports of tasks that never reached the scheduler.
//!
//! An executor of Ballista reports the end of a task once. Where the request fails although both
//! sides live, as when a connection breaks, it drops the report: for the scheduler the task runs on,
//! and its query never ends. A message in Ballista's log is the only sign. So the log is read here,
//! and [`crate::watchdog`] ends the executor. The scheduler then gives its tasks to others.

use std::sync::atomic::{AtomicBool, Ordering};

use log::{Level, LevelFilter, Log, Metadata, Record};

/// The part of Ballista that reports tasks.
const REPORTER: &str = "ballista_executor::executor_server";

/// The beginnings of its messages about reports that it drops.
const DROPPED: [&str; 2] = ["Fail to update tasks ", "Fail to connect to scheduler "];

static LOST_REPORTS: LostReports = LostReports::new();

/// Whether a report was dropped.
#[derive(Debug)]
pub(crate) struct LostReports(AtomicBool);

impl LostReports {
    const fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Those of this process, from now on. Another logger takes precedence; none is found then.
    pub(crate) fn of_process() -> &'static Self {
        if log::set_logger(&LOST_REPORTS).is_ok() {
            log::set_max_level(LevelFilter::Error);
        }
        &LOST_REPORTS
    }

    /// Whether there was one.
    pub(crate) fn is_any(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl Log for LostReports {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() == Level::Error && metadata.target() == REPORTER
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let message = record.args().to_string();
        if DROPPED.iter().any(|start| message.starts_with(start)) {
            self.0.store(true, Ordering::Release);
        }
    }

    fn flush(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_lost(level: Level, target: &str, message: &str) -> bool {
        let reports = LostReports::new();
        reports.log(
            &Record::builder()
                .level(level)
                .target(target)
                .args(format_args!("{message} [1] due to a cause"))
                .build(),
        );
        reports.is_any()
    }

    #[test]
    fn a_report_that_was_dropped_is_found_in_the_log() {
        assert!(is_lost(Level::Error, REPORTER, "Fail to update tasks"));
        assert!(is_lost(Level::Error, REPORTER, "Fail to connect to scheduler"));
        // Signs of life are sent again.
        assert!(!is_lost(Level::Error, REPORTER, "Fail to update heartbeat"));
        assert!(!is_lost(Level::Warn, REPORTER, "Fail to update tasks"));
        assert!(!is_lost(Level::Error, "ballista_executor", "Fail to update tasks"));
    }
}
