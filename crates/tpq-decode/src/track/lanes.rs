//! Tracks for slices of one kind and owner that may overlap, told apart by a number alone.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use rustc_hash::FxHashMap;
use tpq_tables::{StringId, Tables};

use super::{Args, Dimensions, SharedTracks, TrackKind, Tracks};

/// What the number of a track is called among its dimensions.
const NUMBER: &str = "track_compressor_idx";

/// Slices that share tracks: their kind, whose they are, and the name of each track.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneKey {
    pub(crate) kind: TrackKind,
    pub(crate) owner: Dimensions,
    pub(crate) name: StringId,
}

impl LaneKey {
    fn make(&self, made: &mut i64, args: &mut Args, tables: &mut Tables) -> u32 {
        let owner = self.owner.number(NUMBER, *made);
        *made += 1;
        Tracks::make(self.kind, owner, self.name, args, tables)
    }
}

/// Finds and makes such tracks.
#[derive(Default)]
pub(crate) struct Lanes {
    sets: FxHashMap<(&'static str, Dimensions), LaneSet>,
}

#[derive(Default)]
struct LaneSet {
    /// How many tracks there are.
    made: i64,
    /// Of slices that say by a cookie which belong together.
    shared: SharedTracks,
    /// Of slices whose end is known from the start.
    timed: TimedTracks,
}

impl Lanes {
    fn set(&mut self, key: &LaneKey) -> &mut LaneSet {
        self.sets.entry((key.kind.name, key.owner)).or_default()
    }

    /// The track a slice of `cookie` begins on.
    pub(crate) fn begin(
        &mut self,
        key: LaneKey,
        cookie: i64,
        args: &mut Args,
        tables: &mut Tables,
    ) -> u32 {
        let LaneSet { made, shared, .. } = self.set(&key);
        shared.begin(cookie as u64, || key.make(made, args, tables))
    }

    /// The track a slice of `cookie` ends on.
    pub(crate) fn end(
        &mut self,
        key: LaneKey,
        cookie: i64,
        args: &mut Args,
        tables: &mut Tables,
    ) -> u32 {
        let LaneSet { made, shared, .. } = self.set(&key);
        shared.end(cookie as u64, || key.make(made, args, tables))
    }

    /// The track of a slice that takes `dur` from `ts` on.
    pub(crate) fn complete(
        &mut self,
        key: LaneKey,
        (ts, dur): (i64, i64),
        args: &mut Args,
        tables: &mut Tables,
    ) -> u32 {
        let LaneSet { made, timed, .. } = self.set(&key);
        timed.take(ts, dur, || key.make(made, args, tables))
    }
}

/// Tracks of which each is taken until a moment that is known.
#[derive(Default)]
struct TimedTracks {
    tracks: Vec<u32>,
    /// Tracks that are free; the lowest is taken first.
    free: BTreeSet<usize>,
    /// The others, by when they become free.
    taken: BinaryHeap<Reverse<(i64, usize)>>,
}

impl TimedTracks {
    fn take(&mut self, ts: i64, dur: i64, make: impl FnOnce() -> u32) -> u32 {
        while let Some(&Reverse((until, index))) = self.taken.peek()
            && until <= ts
        {
            self.taken.pop();
            self.free.insert(index);
        }
        let index = self.free.pop_first().unwrap_or_else(|| {
            self.tracks.push(make());
            self.tracks.len() - 1
        });
        self.taken.push(Reverse((ts.saturating_add(dur), index)));
        self.tracks[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_is_taken_until_its_slice_ends() {
        let mut timed = TimedTracks::default();
        let mut made = 0..;
        let mut next = || made.next().unwrap_or_default();
        assert_eq!(timed.take(10, 5, &mut next), 0);
        assert_eq!(timed.take(12, 1, &mut next), 1, "the first is taken until 15");
        assert_eq!(timed.take(14, 9, &mut next), 1, "the second is free since 13");
        assert_eq!(timed.take(15, 0, &mut next), 0);
        assert_eq!(timed.take(15, 0, &mut next), 0, "what takes no time leaves it free");
    }
}
