//! Slices of a thread that overlap others of it, neither inside the other.
//!
//! Programs mean their threads' slices to nest. Where they do not, the later ones go onto tracks
//! of their own next to the thread's.

use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::args::ArgSet;
use crate::track::recorder::import_log::Refusal;
use crate::track::{Dimensions, NewSlice, TrackKind, Trackers, Tracks, Utid};

/// Largest number of additional tracks of a thread. A slice that nests on none of them is dropped
/// and counted.
const MAX_OVERLAP_TRACKS: usize = 1024;

const OVERLAPPING: TrackKind = TrackKind::slices("thread_overlapping_slice");

impl Trackers {
    /// Adds a slice of `dur` ns of a thread; 0 for an instant. Returns the slice and its track,
    /// which replaces that of `slice`; `event` makes details for the import log if it overlaps.
    pub fn complete_on_thread(
        &mut self,
        utid: Utid,
        (slice, dur): (NewSlice, i64),
        args: &ArgSet,
        event: impl FnOnce(&mut Tables) -> ArgSet,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<(u32, u32)> {
        self.bounds.include(slice.ts);
        let track = self.source.tracks.execution(utid, &mut self.deferred, tables);
        let slice = NewSlice { track, ..slice };
        let overlap = match self.source.slices.try_complete(slice, dur, tables, stats) {
            Ok(id) => return self.give_args(id?, track, args, tables),
            Err(overlap) => overlap,
        };
        let stat = Stat::SliceSpillOverlappingCompleteEvent;
        stats.increment(stat);
        let event = event(tables);
        let refusal = Refusal::overlap(stat, overlap, event, tables);
        self.source.slices.refused.push(refusal);
        // The first track next to the thread's on which it nests, else a new one.
        let mut overlap_tracks = self.source.overlap_tracks.remove(&utid).unwrap_or_default();
        let mut next = 0;
        let (id, track) = loop {
            if next == MAX_OVERLAP_TRACKS {
                let stat = Stat::SliceDropOverlappingCompleteEvent;
                stats.increment(stat);
                break (None, track);
            }
            let track = overlap_tracks.get(next).copied().unwrap_or_else(|| {
                overlap_tracks.push(self.make_overlap_track(utid, next, tables));
                overlap_tracks[next]
            });
            match self.source.slices.try_complete(NewSlice { track, ..slice }, dur, tables, stats) {
                Ok(id) => break (id, track),
                Err(_) => next += 1,
            }
        };
        self.source.overlap_tracks.insert(utid, overlap_tracks);
        self.give_args(id?, track, args, tables)
    }

    fn make_overlap_track(&mut self, utid: Utid, index: usize, tables: &mut Tables) -> u32 {
        let dimensions = Dimensions::thread(utid).number("track_compressor_idx", index as i64);
        Tracks::make(OVERLAPPING, dimensions, StringId::NULL, &mut self.deferred, tables)
    }

    fn give_args(
        &mut self,
        slice: u32,
        track: u32,
        args: &ArgSet,
        tables: &mut Tables,
    ) -> Option<(u32, u32)> {
        if !args.is_empty() {
            let set = self.deferred.intern(args);
            tables.slice.arg_set_id.set(slice, set);
        }
        Some((slice, track))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::ArgValue;
    use crate::setup::Setup;
    use crate::track::Tid;

    #[test]
    fn overlapping_slices_go_to_another_track_and_are_logged() {
        let mut tables = Tables::default();
        let mut stats = Stats::default();
        let mut setup = Setup::default();
        setup.sources.add(tpq_clock::Source::default());
        let mut trackers = Trackers::new(&setup, &mut tables);
        trackers.processes.add_machine(0, &mut tables);
        let name = tables.strings.intern("later");
        let event = ArgSet::of([("event_phase", ArgValue::Int(1))], &mut tables.strings);
        let utid = trackers.processes.thread(Tid { machine: 0, id: 5 }, &mut tables);
        let mut complete = |ts, dur| {
            let slice = NewSlice { ts, name, ..NewSlice::default() };
            let args = ArgSet::default();
            let slice = (slice, dur);
            let event = |_: &mut Tables| event.clone();
            trackers.complete_on_thread(utid, slice, &args, event, &mut tables, &mut stats)
        };
        let landed = [(10, 10), (12, 3), (15, 10), (18, 9), (25, 1), (30, 5)]
            .map(|(ts, dur)| complete(ts, dur).map(|(_, track)| track));
        // The third ends after the first, and the fourth after both; the fifth follows the third.
        assert_eq!(landed, [0, 0, 1, 2, 0, 0].map(Some));
        assert_eq!(stats.get(Stat::SliceSpillOverlappingCompleteEvent), 2);
        trackers.log_refusals(&mut tables);
        assert_eq!(tables.trace_import_logs.len(), 2);
        assert_eq!(tables.trace_import_logs.ts.get(1), Some(18));
        assert_eq!(tables.track.utid.get(2), Some(utid));
    }
}
