//! Slices of a thread that overlap others of it, neither inside the other.
//!
//! Programs mean their threads' slices to nest. Where they do not, the later ones go onto tracks
//! of their own beside the thread's.

use tpq_tables::{Stat, Stats, StringId, Tables};

use super::import_log::Refusal;
use super::{ArgSet, Dimensions, NewSlice, Sharing, TrackKind, Trackers, Utid};

#[allow(dead_code, reason = "for formats whose complete slices of threads may overlap")]
const OVERLAPPING: TrackKind = TrackKind::slices("thread_overlapping_slice");

#[allow(dead_code, reason = "for formats whose complete slices of threads may overlap")]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Setup;
    use crate::track::{ArgValue, Tid};

    #[test]
    fn what_overlaps_goes_beside_and_is_entered() {
        let mut tables = Tables::default();
        let mut stats = Stats::default();
        let mut setup = Setup::default();
        setup.places.add(tpq_clock::Place::default());
        let mut trackers = Trackers::new(&setup, &mut tables);
        trackers.processes.add_machine(0, &mut tables);
        let name = tables.strings.intern("later");
        let event = ArgSet::of([("event_phase", ArgValue::Int(1))], &mut tables.strings);
        let utid = trackers.processes.thread(Tid { machine: 0, id: 5 }, &mut tables);
        let mut complete = |ts, dur| {
            let slice = NewSlice { ts, name, ..NewSlice::default() };
            let args = ArgSet::default();
            let slice = (slice, dur);
            trackers.complete_on_thread(utid, slice, &args, &event, &mut tables, &mut stats)
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
