//! Slices whose args come from several events: from the first, the last and ones between.

use tpq_tables::{Stats, StringId, Tables};

use super::{NewSlice, SliceEnd, Trackers};
use crate::ledger::{ArgSet, ArgValue};

impl Trackers {
    /// A slice begins with args, to which later events may add. `None` when it was dropped.
    pub(crate) fn begin_slice(
        &mut self,
        slice: NewSlice,
        args: ArgSet,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<u32> {
        let id = self.slices.begin(slice, tables, stats)?;
        self.keep_args(id, args);
        Some(id)
    }

    /// The same on a track whose slices do not nest; `None` as well while another is open.
    pub(crate) fn begin_unnested_slice(
        &mut self,
        slice: NewSlice,
        args: ArgSet,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<u32> {
        let id = self.slices.begin_unnested(slice, tables, stats)?;
        self.keep_args(id, args);
        Some(id)
    }

    /// The innermost open slice ends, which gives it more args.
    pub(crate) fn end_slice(
        &mut self,
        end: SliceEnd,
        args: &ArgSet,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<u32> {
        let SliceEnd { ts, track, category, name } = end;
        let id = self.slices.end(ts, track, category, name, tables, stats)?;
        let mut all = self.open_args.remove(&id).unwrap_or_default();
        all.append(args);
        if let Some(begun) = self.slices.begun(track) {
            let count = ArgValue::Int(i64::from(begun.count));
            let last = ArgValue::Int(begun.last_ts);
            let begun = [
                ("legacy_unnestable_begin_count", count),
                ("legacy_unnestable_last_begin_ts", last),
            ];
            all.append(&ArgSet::of(begun, &mut tables.strings));
        }
        if !all.is_empty() {
            let set = self.ledger.intern(&all);
            tables.slice.arg_set_id.set(id, set);
        }
        Some(id)
    }

    /// Gives args to the innermost open slice of a category and name.
    pub(crate) fn add_slice_args(
        &mut self,
        track: u32,
        category: StringId,
        name: StringId,
        args: &ArgSet,
        tables: &Tables,
    ) {
        if let Some(id) = self.slices.open(track, category, name, tables) {
            self.open_args.entry(id).or_default().append(args);
        }
    }

    /// Something happened at one moment.
    pub(crate) fn instant(
        &mut self,
        slice: NewSlice,
        args: &ArgSet,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<u32> {
        self.complete(slice, 0, args, tables, stats)
    }

    /// Something happened that took `dur` ns; 0 for an instant.
    pub(crate) fn complete(
        &mut self,
        slice: NewSlice,
        dur: i64,
        args: &ArgSet,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<u32> {
        self.bounds.include(slice.ts);
        let arg_set_id = self.ledger.intern(args);
        self.slices.complete(NewSlice { arg_set_id, ..slice }, dur, tables, stats)
    }

    /// Writes the args of slices whose ends were not seen.
    pub(crate) fn close_args(&mut self, tables: &mut Tables) {
        let mut open: Vec<(u32, ArgSet)> = self.open_args.drain().collect();
        open.sort_unstable_by_key(|&(slice, _)| slice);
        for (slice, args) in open {
            let set = self.ledger.intern(&args);
            tables.slice.arg_set_id.set(slice, set);
        }
    }

    fn keep_args(&mut self, slice: u32, args: ArgSet) {
        if !args.is_empty() {
            self.open_args.insert(slice, args);
        }
    }
}
