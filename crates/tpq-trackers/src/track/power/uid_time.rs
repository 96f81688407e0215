//! Time on CPUs by user id, from differences.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use tpq_tables::Tables;
use tpq_tables::table::CpuPerUidRow;

use crate::track::Trackers;

/// A user id and a cluster of CPUs.
pub type UserOfCluster = (u32, u32);

/// Android gives each of its users a range of ids of this size.
const IDS_OF_A_USER: u32 = 100_000;
/// The ids of a range up to here are of the system rather than of apps.
const FIRST_APP: u32 = 10_000;

/// The rows to write after a packet.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct UidReadings {
    /// When the packet before was.
    pub before: Option<i64>,
    /// Time of each user on each cluster, ms.
    pub users: Vec<(UserOfCluster, u64)>,
    /// Time of the system and of all apps on each cluster since the recording began, ms.
    pub totals: Vec<(&'static str, u32, u64)>,
}

/// Sums up times.
#[derive(Default)]
pub struct UidTimes {
    sequences: FxHashMap<u32, Sequence>,
    /// The last time of each user, from any sequence.
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
    /// When its last packet was, and the one before: until then the values that it left out are
    /// unchanged.
    packet: Option<i64>,
    before: Option<i64>,
    times: BTreeMap<UserOfCluster, u64>,
}

/// The last value of a counter.
struct Written {
    ts: i64,
    value: u64,
}

impl UidTimes {
    /// A sequence says how many clusters there are.
    pub fn set_clusters(&mut self, sequence: u32, clusters: u32) {
        self.sequences.entry(sequence).or_default().clusters = clusters;
    }

    /// Takes the differences of a packet: for each user one of each cluster. Users it does not
    /// name took no time.
    pub fn add(&mut self, sequence: u32, ts: i64, uids: &[u32], times: &[u64]) -> UidReadings {
        let state = self.sequences.entry(sequence).or_default();
        state.before = state.packet.replace(ts);
        let clusters = state.clusters.max(1) as usize;
        let mut readings = UidReadings { before: state.before, ..UidReadings::default() };
        for (&uid, times) in uids.iter().zip(times.chunks(clusters)) {
            for (cluster, &ms) in (0_u32..).zip(times) {
                let time = state.times.entry((uid, cluster)).or_default();
                *time = time.saturating_add(ms);
                readings.users.push(((uid, cluster), *time));
            }
        }
        let mut touched = BTreeSet::new();
        for &((uid, cluster), time) in &readings.users {
            touched.insert(cluster);
            self.grow((uid, cluster), time);
        }
        for (of, totals) in [("System", &self.system), ("Apps", &self.apps)] {
            let known = |&cluster: &u32| Some((of, cluster, *totals.get(&cluster)?));
            readings.totals.extend(touched.iter().filter_map(known));
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
    pub fn note_track(&mut self, key: UserOfCluster, track: u32) {
        self.grown.entry(key).or_default().0 = Some(track);
    }

    /// The rows for a counter value: none while it does not change; after a change, also the
    /// previous value at the packet `before`.
    pub fn sparse(
        &mut self,
        track: u32,
        (ts, value): (i64, u64),
        before: Option<i64>,
    ) -> Vec<(i64, u64)> {
        let Some(last) = self.written.get_mut(&track) else {
            self.written.insert(track, Written { ts, value });
            return vec![(ts, value)];
        };
        if last.value == value {
            return Vec::new();
        }
        let held = before.filter(|&before| before > last.ts).map(|before| (before, last.value));
        *last = Written { ts, value };
        held.into_iter().chain([(ts, value)]).collect()
    }

    /// The track of each user's time on each cluster and how much it grew, ms.
    pub fn grown(&self) -> impl Iterator<Item = (u32, UserOfCluster, u64)> {
        self.grown.iter().filter_map(|(&key, &(track, ms))| Some((track?, key, ms)))
    }
}

impl Trackers {
    /// Writes how much time on CPUs each user id took.
    pub fn write_uid_times(&mut self, tables: &mut Tables) {
        let mut rows: Vec<_> =
            self.all_sources().flat_map(|source| source.uid_times.grown()).collect();
        rows.sort_unstable();
        for (track_id, (uid, cluster), ms) in rows {
            tables.android_cpu_per_uid.push(CpuPerUidRow {
                track_id,
                uid: i64::from(uid),
                cluster: i64::from(cluster),
                total_cpu_millis: ms as i64,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_add_up_for_users_and_in_all() {
        let mut times = UidTimes::default();
        times.set_clusters(1, 2);
        times.add(1, 10, &[1000, 10_050], &[10, 20, 30, 40]);
        let readings = times.add(1, 20, &[10_050], &[5, 6]);
        assert_eq!(readings.users, vec![((10_050, 0), 35), ((10_050, 1), 46)]);
        let totals = vec![("System", 0, 0), ("System", 1, 0), ("Apps", 0, 5), ("Apps", 1, 6)];
        assert_eq!(readings.totals, totals, "what was before the first reading does not count");
        assert_eq!(readings.before, Some(10));
    }

    #[test]
    fn a_counter_that_stood_still_is_written_again_when_it_moves_on() {
        let mut times = UidTimes::default();
        assert_eq!(times.sparse(0, (10, 5), None), [(10, 5)]);
        assert_eq!(times.sparse(0, (20, 5), Some(10)), []);
        assert_eq!(times.sparse(0, (40, 8), Some(30)), [(30, 5), (40, 8)]);
        assert_eq!(times.sparse(0, (50, 9), Some(40)), [(50, 9)]);
    }
}
