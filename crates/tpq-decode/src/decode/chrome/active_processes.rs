//! Processes of Chrome that a trace lacks data of.
//!
//! The browser names its processes from time to time, and each of them describes itself at about
//! that moment. What one records until it describes itself is not reliable.

use std::collections::BTreeMap;

use tpq_tables::Tables;
use tpq_tables::table::MissingChromeProcessRow;
use tpq_trackers::track::{Trackers, Upid};

/// How far a description is at most from the moment that it belongs to.
const NEAR: i64 = 200_000_000;

/// The processes that the browser of a source named.
#[derive(Default)]
struct ActiveProcesses {
    /// When any process was named.
    named: Vec<i64>,
    processes: BTreeMap<Upid, Moments>,
}

/// All in order, as packets are decoded in the order of time.
#[derive(Default)]
struct Moments {
    named: Vec<i64>,
    described: Vec<i64>,
}

fn push(moments: &mut Vec<i64>, ts: i64) {
    if moments.last() != Some(&ts) {
        moments.push(ts);
    }
}

/// The browser says that a process is there.
pub(in crate::decode) fn note_named(ts: i64, upid: Upid, trackers: &mut Trackers) {
    let active = trackers.source.states.get::<ActiveProcesses>();
    push(&mut active.named, ts);
    push(&mut active.processes.entry(upid).or_default().named, ts);
}

/// A process describes itself.
pub(in crate::decode) fn note_described(ts: i64, upid: Upid, trackers: &mut Trackers) {
    let active = trackers.source.states.get::<ActiveProcesses>();
    push(&mut active.processes.entry(upid).or_default().described, ts);
}

/// Writes the processes of the current source that did not always describe themselves.
pub(crate) fn finish_source(trackers: &mut Trackers, tables: &mut Tables) {
    let active = std::mem::take(trackers.source.states.get::<ActiveProcesses>());
    for (upid, moments) in active.processes {
        if let Some(reliable_from) = moments.reliable_from(&active.named) {
            let row = MissingChromeProcessRow { upid, reliable_from };
            tables.missing_chrome_process.push(row);
        }
    }
}

impl Moments {
    /// From when on the data is reliable after it was missing for the last time; `None` if it never
    /// was, `Some(None)` if it is not reliable up to the end.
    fn reliable_from(&self, named: &[i64]) -> Option<Option<i64>> {
        let missing = |&ts: &i64| match first(&self.described, ts.saturating_sub(NEAR)) {
            Some(described) if described <= ts.saturating_add(NEAR) => None,
            Some(described) => Some(Some(described)),
            // It ended before processes were named again.
            None => Some(first(named, ts.saturating_add(1))),
        };
        self.named.iter().rev().find_map(missing)
    }
}

/// The first of some moments that is not before another.
fn first(moments: &[i64], from: i64) -> Option<i64> {
    moments.get(moments.partition_point(|&ts| ts < from)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reliable_from(named: &[i64], described: &[i64]) -> Option<Option<i64>> {
        let moments = Moments { named: named.to_vec(), described: described.to_vec() };
        moments.reliable_from(&[10 * NEAR, 20 * NEAR, 30 * NEAR])
    }

    #[test]
    fn a_description_is_near_enough() {
        assert_eq!(reliable_from(&[10 * NEAR, 20 * NEAR], &[9 * NEAR, 21 * NEAR]), None);
        assert_eq!(reliable_from(&[10 * NEAR], &[11 * NEAR + 1]), Some(Some(11 * NEAR + 1)));
        assert_eq!(reliable_from(&[10 * NEAR], &[9 * NEAR - 1]), Some(Some(20 * NEAR)));
    }

    #[test]
    fn the_last_loss_counts() {
        let described = [15 * NEAR, 30 * NEAR];
        assert_eq!(
            reliable_from(&[10 * NEAR, 20 * NEAR, 30 * NEAR], &described),
            Some(Some(30 * NEAR))
        );
        assert_eq!(reliable_from(&[10 * NEAR, 30 * NEAR], &[15 * NEAR]), Some(None));
        assert_eq!(reliable_from(&[], &described), None);
    }
}
