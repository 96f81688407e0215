//! Counters that are offered with every packet and written only where they change.

use rustc_hash::FxHashMap;

/// Leaves out values that repeat the value before them. Where a value changes after repetitions,
/// the old value is written once more, at the last time it was offered, so that a chart shows a
/// step and no ramp.
///
/// Every packet of a scope, such as a generation of a sequence, offers all counters of the scope.
/// Only the counters that a packet names are looked at: the time of the packet stands for the
/// others.
#[derive(Debug, Default)]
pub struct SparseCounters {
    /// By track.
    counters: FxHashMap<u32, Counter>,
    /// Time of the last packet of each scope, ns.
    packets: FxHashMap<u32, i64>,
}

#[derive(Debug)]
struct Counter {
    value: u64,
    /// When the value was written.
    written: i64,
    /// The last time it was offered by a packet that names it, or by its scope before that ended.
    offered: i64,
    /// The scope that goes on to offer it.
    scope: Option<u32>,
}

impl SparseCounters {
    /// A packet of a scope offers a value. Returns the values to write, with their times.
    pub fn offer(&mut self, track: u32, scope: u32, (ts, value): (i64, u64)) -> Vec<(i64, u64)> {
        let new = Counter { value, written: ts, offered: ts, scope: Some(scope) };
        let offered = self.counters.get(&track).map(|counter| self.last_offer(counter));
        let Some(last) = self.counters.insert(track, new) else { return vec![(ts, value)] };
        if last.value == value {
            self.counters.insert(track, Counter { offered: ts, scope: Some(scope), ..last });
            return Vec::new();
        }
        let held = offered.filter(|&offered| offered > last.written);
        held.map(|offered| (offered, last.value)).into_iter().chain([(ts, value)]).collect()
    }

    /// A packet of a scope ends: it offered all counters of the scope.
    pub fn end_packet(&mut self, scope: u32, ts: i64) {
        self.packets.insert(scope, ts);
    }

    /// A scope offers a counter no longer.
    pub fn release(&mut self, track: u32) {
        let Some(mut counter) = self.counters.remove(&track) else { return };
        counter.offered = self.last_offer(&counter);
        counter.scope = None;
        self.counters.insert(track, counter);
    }

    /// When the value of a counter was offered last.
    fn last_offer(&self, counter: &Counter) -> i64 {
        let of_scope = counter.scope.and_then(|scope| self.packets.get(&scope));
        of_scope.map_or(counter.offered, |&packet| packet.max(counter.offered))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_written_again_when_it_changes() {
        let mut counters = SparseCounters::default();
        assert_eq!(counters.offer(0, 0, (10, 5)), [(10, 5)]);
        assert_eq!(counters.offer(0, 0, (20, 5)), []);
        assert_eq!(counters.offer(0, 0, (30, 8)), [(20, 5), (30, 8)]);
        assert_eq!(counters.offer(0, 0, (40, 9)), [(40, 9)], "the value before is at 30");
    }

    #[test]
    fn a_packet_offers_the_counters_that_it_does_not_name() {
        let mut counters = SparseCounters::default();
        assert_eq!(counters.offer(0, 1, (10, 5)), [(10, 5)]);
        for ts in [10, 20, 30] {
            counters.end_packet(1, ts);
        }
        // The scope 1 ended at 30.
        counters.end_packet(2, 40);
        assert_eq!(counters.offer(0, 2, (50, 8)), [(30, 5), (50, 8)]);
    }

    #[test]
    fn a_counter_that_was_released_keeps_its_last_time() {
        let mut counters = SparseCounters::default();
        assert_eq!(counters.offer(0, 1, (10, 5)), [(10, 5)]);
        counters.end_packet(1, 20);
        counters.release(0);
        counters.end_packet(1, 30);
        assert_eq!(counters.offer(0, 1, (40, 8)), [(20, 5), (40, 8)]);
    }
}
