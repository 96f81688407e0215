//! Slices of a thread that overlap others of it, neither inside the other.
//!
//! Programs mean their threads' slices to nest. Where they do not, the later ones go onto tracks
//! of their own beside the thread's.

use tpq_tables::{Stat, Stats, StringId, Tables};

use super::import_log::Refusal;
use super::{ArgSet, Dimensions, NewSlice, Sharing, TrackKind, Trackers, Utid};

const OVERLAPPING: TrackKind = TrackKind::slices("thread_overlapping_slice");

impl Trackers {
    /// Something that a thread did took `dur` ns; 0 for an instant. Gives the slice and the track
    /// it lies on, whatever track `slice` names; `event` tells more of it where the two are not as
    /// they should be.
    pub(crate) fn complete_on_thread(
        &mut self,
        utid: Utid,
        (slice, dur): (NewSlice, i64),
        args: &ArgSet,
        event: &ArgSet,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<(u32, u32)> {
        self.bounds.include(slice.ts);
        let track = self.tracks.execution(utid, &mut self.args, tables);
        let slice = NewSlice { track, ..slice };
        let overlap = match self.slices.try_complete(slice, dur, tables, stats) {
            Ok(id) => return self.give_args(id?, track, args, tables),
            Err(overlap) => overlap,
        };
        let stat = Stat::SliceSpillOverlappingCompleteEvent;
        stats.increment(stat);
        let refusal = Refusal::overlap(stat, overlap, event.clone(), tables);
        self.slices.refused.push(refusal);
        let dimensions = Dimensions::thread(utid);
        let beside = Sharing { kind: OVERLAPPING, dimensions, name: StringId::NULL };
        let track = self.complete_shared(beside, slice.ts, dur, tables);
        let id = self.slices.complete(NewSlice { track, ..slice }, dur, tables, stats)?;
        self.give_args(id, track, args, tables)
    }

    fn give_args(
        &mut self,
        slice: u32,
        track: u32,
        args: &ArgSet,
        tables: &mut Tables,
    ) -> Option<(u32, u32)> {
        if !args.is_empty() {
            let set = self.args.intern(args, tables);
            tables.slice.arg_set_id.set(slice, set);
        }
        Some((slice, track))
    }
}
