//! Time on CPUs by user id, from differences.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use tpq_tables::Tables;
use tpq_tables::table::CpuPerUidRow;

use crate::track::{SparseCounters, Trackers};

/// A user id and a cluster of CPUs.
pub type UserOfCluster = (u32, u32);

/// Android gives each of its users a range of ids of this size.
const IDS_OF_A_USER: u32 = 100_000;
/// The ids of a range up to here are of the system rather than of apps.
const FIRST_APP: u32 = 10_000;
/// Isolated processes and those of SDK sandboxes get ids from ranges of this size, within those of
/// a user. Such an id says nothing of an app, so each range has one counter.
const GROUPED: [u32; 2] = [50_000, 90_000];
const GROUP_SIZE: u32 = 10_000;
/// The scope of counters that every packet offers, of whatever sequence.
const ANY_SEQUENCE: u32 = u32::MAX;

/// The rows to write after a packet.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct UidReadings {
    /// Time of each user on each cluster, ms. That of a group of ids counts from the first
    /// reading of each id.
    pub users: Vec<(UserOfCluster, u64)>,
    /// Time of the system and of all apps on each cluster since the recording began, ms.
    pub totals: Vec<(&'static str, u32, u64)>,
}

/// Sums up times.
#[derive(Default)]
pub struct UidTimes {
    sequences: FxHashMap<u32, Sequence>,
    /// The last time of each id, from any sequence.
    last: FxHashMap<UserOfCluster, u64>,
    /// How much the time of each user or group grew since it was first seen, with its track.
    grown: BTreeMap<UserOfCluster, (Option<u32>, u64)>,
    system: BTreeMap<u32, u64>,
    apps: BTreeMap<u32, u64>,
    counters: SparseCounters,
}

#[derive(Default)]
struct Sequence {
    clusters: u32,
    times: FxHashMap<UserOfCluster, u64>,
}

impl UidTimes {
    /// A sequence says how many clusters there are.
    pub fn set_clusters(&mut self, sequence: u32, clusters: u32) {
        self.sequences.entry(sequence).or_default().clusters = clusters;
    }

    /// Takes the differences of a packet: for each user one of each cluster. Users it does not
    /// name took no time.
    pub fn add(&mut self, sequence: u32, uids: &[u32], times: &[u64]) -> UidReadings {
        let clusters = self.sequences.entry(sequence).or_default().clusters.max(1) as usize;
        let mut changed = BTreeMap::new();
        for (&uid, times) in uids.iter().zip(times.chunks(clusters)) {
            for (cluster, &ms) in (0_u32..).zip(times) {
                let state = self.sequences.entry(sequence).or_default();
                let time = state.times.entry((uid, cluster)).or_default();
                *time = time.saturating_add(ms);
                let time = *time;
                let grown = self.grow((uid, cluster), time);
                let value = if is_grouped(uid) { grown } else { time };
                changed.insert((group_of(uid), cluster), value);
            }
        }
        let clusters: BTreeSet<u32> = changed.keys().map(|&(_, cluster)| cluster).collect();
        let mut totals = Vec::new();
        for (of, sums) in [("System", &self.system), ("Apps", &self.apps)] {
            let known = |&cluster: &u32| Some((of, cluster, *sums.get(&cluster)?));
            totals.extend(clusters.iter().filter_map(known));
        }
        UidReadings { users: changed.into_iter().collect(), totals }
    }

    /// The time of an id is known anew. Returns how much that of its group has grown.
    fn grow(&mut self, (uid, cluster): UserOfCluster, time: u64) -> u64 {
        let last = self.last.insert((uid, cluster), time).unwrap_or(time);
        let more = time.saturating_sub(last);
        let (_, grown) = self.grown.entry((group_of(uid), cluster)).or_default();
        *grown = grown.saturating_add(more);
        let of_system = uid % IDS_OF_A_USER < FIRST_APP;
        let totals = if of_system { &mut self.system } else { &mut self.apps };
        let total = totals.entry(cluster).or_default();
        *total = total.saturating_add(more);
        *grown
    }

    /// Notes the track a user's time on a cluster is on.
    pub fn note_track(&mut self, key: UserOfCluster, track: u32) {
        self.grown.entry(key).or_default().0 = Some(track);
    }

    /// The values to write of the counter of a user or group.
    pub fn offer_user(
        &mut self,
        sequence: u32,
        uid: u32,
        track: u32,
        sample: (i64, u64),
    ) -> Vec<(i64, u64)> {
        let scope = if is_grouped(uid) { ANY_SEQUENCE } else { sequence };
        self.counters.offer(track, scope, sample)
    }

    /// The values to write of the counter of the system or of all apps.
    pub fn offer_total(&mut self, track: u32, sample: (i64, u64)) -> Vec<(i64, u64)> {
        self.counters.offer(track, ANY_SEQUENCE, sample)
    }

    /// A packet ends: users that it does not name keep their values.
    pub fn end_packet(&mut self, sequence: u32, ts: i64) {
        self.counters.end_packet(sequence, ts);
        self.counters.end_packet(ANY_SEQUENCE, ts);
    }

    /// The track of each user's time on each cluster and how much it grew, ms.
    pub fn grown(&self) -> impl Iterator<Item = (u32, UserOfCluster, u64)> {
        self.grown.iter().filter_map(|(&key, &(track, ms))| Some((track?, key, ms)))
    }
}

/// The first id of the group that an id is in; the id itself if it is in none.
fn group_of(uid: u32) -> u32 {
    if is_grouped(uid) { uid - uid % GROUP_SIZE } else { uid }
}

/// Whether an id is in a group.
fn is_grouped(uid: u32) -> bool {
    let within = uid % IDS_OF_A_USER;
    GROUPED.iter().any(|&first| (first..first + GROUP_SIZE).contains(&within))
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
        times.add(1, &[1000, 10_050], &[10, 20, 30, 40]);
        let readings = times.add(1, &[10_050], &[5, 6]);
        assert_eq!(readings.users, vec![((10_050, 0), 35), ((10_050, 1), 46)]);
        let totals = vec![("System", 0, 0), ("System", 1, 0), ("Apps", 0, 5), ("Apps", 1, 6)];
        assert_eq!(readings.totals, totals, "what was before the first reading does not count");
    }

    #[test]
    fn ids_of_processes_that_come_and_go_are_in_groups() {
        let ids = [1000, 49_999, 50_000, 59_999, 60_000, 89_999, 99_999, 1_090_123, 4_294_967_295];
        let groups = ids.map(group_of);
        let expected =
            [1000, 49_999, 50_000, 50_000, 60_000, 89_999, 90_000, 1_090_000, 4_294_967_295];
        assert_eq!(groups, expected);
    }
}
