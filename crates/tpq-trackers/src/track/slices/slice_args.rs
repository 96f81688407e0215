//! Slices with args from several events: from the first, the last and ones between.

use tpq_ingest::Span;
use tpq_tables::{Stats, StringId, Tables};

use crate::args::{ArgSet, ArgValue};
use crate::track::{NewSlice, SliceEnd, Trackers};

impl Trackers {
    /// A slice begins with args, to which later events may add. `None` when it was dropped.
    pub fn begin_slice(
        &mut self,
        slice: NewSlice,
        args: ArgSet,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<u32> {
        let id = self.source.slices.begin(slice, tables, stats)?;
        self.open_args.keep(id, args);
        Some(id)
    }

    /// The same on a track without nesting; `None` as well while another is open.
    pub fn begin_unnested_slice(
        &mut self,
        slice: NewSlice,
        args: ArgSet,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<u32> {
        let id = self.source.slices.begin_unnested(slice, tables, stats)?;
        self.open_args.keep(id, args);
        Some(id)
    }

    /// The slice of a system call begins; its args are in the message of the event.
    pub fn begin_call(
        &mut self,
        slice: NewSlice,
        event: Span,
        tables: &mut Tables,
        stats: &mut Stats,
    ) {
        if let Some(id) = self.source.slices.begin(slice, tables, stats) {
            self.open_args.keep_call(slice.track, id, event);
        }
    }

    /// The innermost open slice ends, which gives it more args.
    pub fn end_slice(
        &mut self,
        end: SliceEnd,
        args: &ArgSet,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<u32> {
        let SliceEnd { ts, track, category, name } = end;
        let id = self.source.slices.end(ts, track, category, name, tables, stats)?;
        self.write_args(id, track, args, tables);
        Some(id)
    }

    /// The slice of a system call ends; `ret` is what it gave back, with its key.
    pub fn end_call(
        &mut self,
        end: SliceEnd,
        ret: Option<(StringId, i64)>,
        tables: &mut Tables,
        stats: &mut Stats,
    ) {
        let SliceEnd { ts, track, category, name } = end;
        let Some(id) = self.source.slices.end(ts, track, category, name, tables, stats) else {
            return;
        };
        if let Some(event) = self.open_args.take_call(track, id) {
            let set = self.deferred.intern_call(event, ret);
            return tables.slice.arg_set_id.set(id, Some(set));
        }
        let mut args = ArgSet::default();
        ret.into_iter().for_each(|(key, ret)| args.add(key, ArgValue::Int(ret)));
        self.write_args(id, track, &args, tables);
    }

    /// Writes the args of a slice of a track that is over: what it had, and `args`.
    fn write_args(&mut self, id: u32, track: u32, args: &ArgSet, tables: &mut Tables) {
        let mut all = self.open_args.take(track, id);
        all.append(args);
        if let Some(open) = self.source.slices.open_unnested(track) {
            let count = ArgValue::Int(i64::from(open.count));
            let last = ArgValue::Int(open.last_ts);
            let begins = [
                ("legacy_unnestable_begin_count", count),
                ("legacy_unnestable_last_begin_ts", last),
            ];
            all.append(&ArgSet::of(begins, &mut tables.strings));
        }
        if !all.is_empty() {
            let set = self.deferred.intern(&all);
            tables.slice.arg_set_id.set(id, set);
        }
    }

    /// Gives args to the innermost open slice of a category and name.
    pub fn add_slice_args(
        &mut self,
        track: u32,
        category: StringId,
        name: StringId,
        args: &ArgSet,
        tables: &Tables,
    ) {
        if let Some(id) = self.source.slices.open(track, category, name, tables) {
            self.open_args.add(track, id, args);
        }
    }

    /// Something happened at one moment.
    pub fn instant(
        &mut self,
        slice: NewSlice,
        args: &ArgSet,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<u32> {
        self.complete(slice, 0, args, tables, stats)
    }

    /// Something happened that took `dur` ns; 0 for an instant.
    pub fn complete(
        &mut self,
        slice: NewSlice,
        dur: i64,
        args: &ArgSet,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<u32> {
        self.bounds.include(slice.ts);
        let arg_set_id = self.deferred.intern(args);
        self.source.slices.complete(NewSlice { arg_set_id, ..slice }, dur, tables, stats)
    }

    /// Takes out the args of slices without a seen end, in the order of slices.
    pub fn open_args(&mut self) -> Vec<(u32, ArgSet)> {
        self.open_args.take_all()
    }

    /// Writes args of slices without a seen end.
    pub fn close_args(&mut self, open: &[(u32, ArgSet)], tables: &mut Tables) {
        for (slice, args) in open {
            let set = self.deferred.intern(args);
            tables.slice.arg_set_id.set(*slice, set);
        }
    }
}
