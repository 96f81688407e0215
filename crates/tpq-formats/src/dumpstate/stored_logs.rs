//! Messages of the logs that a device had stored, which the text of a bug report repeats.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};
use tpq_ingest::TraceBytes;

use super::sections::lines;
use crate::Report;
use crate::logcat::LogMessage;

const NS_PER_MS: i64 = 1_000_000;

/// Counts of messages by their ms and the hash of their contents. Stored logs have times in µs, the
/// text of a report in ms.
#[derive(Debug, Default)]
pub(super) struct StoredLogs(FxHashMap<(i64, u64), u32>);

impl StoredLogs {
    /// The messages in the stored logs of a report.
    pub(super) fn of(report: &Report, bytes: &TraceBytes<'_>) -> Self {
        let mut stored = Self::default();
        for &(addr, len) in &report.stored_logs {
            for (_, line) in lines(bytes.range(addr, len)) {
                if let Some(message) = LogMessage::parse(line) {
                    let ts = message.stamp.ts(Some(report.date));
                    *stored.0.entry(key(ts, &message)).or_default() += 1;
                }
            }
        }
        stored
    }

    /// Whether a message is stored; each stored message is found once.
    pub(super) fn take(&mut self, ts: i64, message: &LogMessage<'_>) -> bool {
        match self.0.get_mut(&key(ts, message)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }
}

fn key(ts: i64, message: &LogMessage<'_>) -> (i64, u64) {
    let LogMessage { pid, tid, priority, tag, text, .. } = *message;
    let mut hasher = FxHasher::default();
    (pid, tid, priority, tag, text).hash(&mut hasher);
    (ts.div_euclid(NS_PER_MS), hasher.finish())
}
