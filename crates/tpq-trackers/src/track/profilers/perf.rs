//! The tracks of counters that the perf profiler reads.

use std::rc::Rc;

use rustc_hash::FxHashMap;

/// The tracks of a session on one CPU.
#[derive(Clone, Debug)]
pub struct PerfTracks {
    /// Of the counter that says when a sample is taken.
    pub timebase: u32,
    /// Of the counters that are read with it.
    pub followers: Rc<[u32]>,
}

/// The tracks of all sessions of perf.
#[derive(Default)]
pub struct PerfCounters {
    tracks: FxHashMap<(u32, u32), PerfTracks>,
    /// The tracks of counters that are read together with others.
    followers: usize,
}

/// The most of these tracks there may be: dozens of counters on each of thousands of CPUs. Each
/// costs more than the sample that makes it.
const MOST_FOLLOWERS: usize = 1 << 17;

impl PerfCounters {
    /// The tracks of a session on a CPU, if it was seen there.
    pub fn tracks(&self, session: u32, cpu: u32) -> Option<PerfTracks> {
        self.tracks.get(&(session, cpu)).cloned()
    }

    /// For how many more counters that are read together with others there can be a track.
    pub fn room(&self) -> usize {
        MOST_FOLLOWERS.saturating_sub(self.followers)
    }

    /// Notes the tracks of a session on a CPU.
    pub fn add_tracks(&mut self, session: u32, cpu: u32, tracks: PerfTracks) {
        self.followers += tracks.followers.len();
        self.tracks.insert((session, cpu), tracks);
    }
}
