//! Time on CPUs by user id, from differences.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

/// A user id and a cluster of CPUs.
pub(crate) type UserOfCluster = (u32, u32);

/// Android gives each of its users a range of ids of this size.
const IDS_OF_A_USER: u32 = 100_000;
/// The ids of a range up to here are of the system rather than of apps.
const FIRST_APP: u32 = 10_000;

/// What there is to write after a packet.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct UidReadings {
    /// Time of each user on each cluster, ms.
    pub(crate) users: Vec<(UserOfCluster, u64)>,
    /// Time of the system and of all apps on each cluster since the recording began, ms.
    pub(crate) totals: Vec<(&'static str, u32, u64)>,
}

/// Sums up times.
#[derive(Default)]
pub(crate) struct UidTimes {
    sequences: FxHashMap<u32, Sequence>,
    /// The last time of each user, whichever sequence told of it.
    last: FxHashMap<UserOfCluster, u64>,
    /// How much it grew since it was first seen, with the track it is on.
    grown: BTreeMap<UserOfCluster, (Option<u32>, u64)>,
    system: BTreeMap<u32, u64>,
    apps: BTreeMap<u32, u64>,
    written: FxHashMap<u32, Written>,
}

#[derive(Default)]
struct Sequence {
    clusters: u32,
    times: BTreeMap<UserOfCluster, u64>,
}

/// The last value of a counter.
struct Written {
    ts: i64,
    value: u64,
    /// Whether the table has it with this time.
    stored: bool,
}

impl UidTimes {
    /// A sequence says how many clusters there are.
    pub(crate) fn set_clusters(&mut self, sequence: u32, clusters: u32) {
        self.sequences.entry(sequence).or_default().clusters = clusters;
    }

    /// Takes the differences of a packet: for each user one of each cluster.
    pub(crate) fn add(&mut self, sequence: u32, uids: &[u32], times: &[u64]) -> UidReadings {
        let state = self.sequences.entry(sequence).or_default();
        let clusters = state.clusters.max(1) as usize;
        let mut readings = UidReadings::default();
        let mut told = FxHashSet::default();
        for (&uid, times) in uids.iter().zip(times.chunks(clusters)) {
            told.insert(uid);
            for (cluster, &ms) in (0_u32..).zip(times) {
                let time = state.times.entry((uid, cluster)).or_default();
                *time = time.saturating_add(ms);
                readings.users.push(((uid, cluster), *time));
            }
        }
        let unchanged = state.times.iter().filter(|((uid, _), _)| !told.contains(uid));
        let unchanged: Vec<_> = unchanged.map(|(&key, &time)| (key, time)).collect();
        for &(key, time) in &readings.users {
            self.grow(key, time);
        }
        readings.users.extend(unchanged);
        for (of, totals) in [("System", &self.system), ("Apps", &self.apps)] {
            readings.totals.extend(totals.iter().map(|(&cluster, &ms)| (of, cluster, ms)));
        }
        readings
    }

    fn grow(&mut self, (uid, cluster): UserOfCluster, time: u64) {
        let last = self.last.insert((uid, cluster), time).unwrap_or(time);
        let more = time.saturating_sub(last);
        let grown = self.grown.entry((uid, cluster)).or_default();
        grown.1 = grown.1.saturating_add(more);
        let of_system = uid % IDS_OF_A_USER < FIRST_APP;
        let totals = if of_system { &mut self.system } else { &mut self.apps };
        let total = totals.entry(cluster).or_default();
        *total = total.saturating_add(more);
    }

    /// Notes the track a user's time on a cluster is on.
    pub(crate) fn note_track(&mut self, key: UserOfCluster, track: u32) {
        self.grown.entry(key).or_default().0 = Some(track);
    }

    /// What to write of a counter that reads `value`: nothing while it does not change, and with a
    /// change also until when the value before held.
    pub(crate) fn sparse(&mut self, track: u32, ts: i64, value: u64) -> Vec<(i64, u64)> {
        let now = Written { ts, value, stored: true };
        let Some(last) = self.written.get_mut(&track) else {
            self.written.insert(track, now);
            return vec![(ts, value)];
        };
        if last.value == value {
            (last.ts, last.stored) = (ts, false);
            return Vec::new();
        }
        let before = (!last.stored).then_some((last.ts, last.value));
        *last = now;
        before.into_iter().chain([(ts, value)]).collect()
    }

    /// The track of each user's time on each cluster and how much it grew, ms.
    pub(crate) fn grown(&self) -> impl Iterator<Item = (u32, UserOfCluster, u64)> {
        self.grown.iter().filter_map(|(&key, &(track, ms))| Some((track?, key, ms)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_add_up_for_users_and_in_all() {
        let mut times = UidTimes::default();
        times.set_clusters(1, 2);
        times.add(1, &[1000, 10_050], &[10, 20, 30, 40]);
        let readings = times.add(1, &[10_050], &[5, 6]);
        let users = vec![((10_050, 0), 35), ((10_050, 1), 46), ((1000, 0), 10), ((1000, 1), 20)];
        assert_eq!(readings.users, users);
        let totals = vec![("System", 0, 0), ("System", 1, 0), ("Apps", 0, 5), ("Apps", 1, 6)];
        assert_eq!(readings.totals, totals, "what was before the first reading does not count");
    }

    #[test]
    fn a_counter_that_stands_still_is_written_when_it_moves_on() {
        let mut times = UidTimes::default();
        assert_eq!(times.sparse(0, 10, 5), [(10, 5)]);
        assert_eq!(times.sparse(0, 20, 5), []);
        assert_eq!(times.sparse(0, 30, 5), []);
        assert_eq!(times.sparse(0, 40, 8), [(30, 5), (40, 8)]);
        assert_eq!(times.sparse(0, 50, 9), [(50, 9)]);
    }
}
