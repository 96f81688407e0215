//! Events that were not taken as they were recorded, as `trace_import_logs` lists them.

use tpq_tables::table::ImportLogRow;
use tpq_tables::{Stat, Stats, StringId, StringPool, Tables};

use crate::args::{ArgSet, ArgValue, JsonOrigin};
use crate::track::Trackers;
use crate::track::slices::slice::Overlap;

/// How many entries there are of one stat and file; the rest is only counted.
const MOST_ENTRIES: u32 = 1000;

/// A slice that was not written, or not where it belongs.
#[derive(Clone, Debug)]
pub struct Refusal {
    stat: Stat,
    /// When it was to begin.
    ts: i64,
    details: ArgSet,
}

impl Refusal {
    /// It would have ended before it began.
    pub(in crate::track) fn negative_duration(ts: i64) -> Self {
        Self { stat: Stat::SliceNegativeDuration, ts, details: ArgSet::default() }
    }

    /// It would have lain too deep.
    pub(in crate::track) fn too_deep(
        ts: i64,
        around: StringId,
        name: StringId,
        tables: &mut Tables,
    ) -> Self {
        let names = [
            ("parent_slice_name", ArgValue::String(around)),
            ("current_slice_name", ArgValue::String(name)),
        ];
        let details = ArgSet::of(names, &mut tables.strings);
        Self { stat: Stat::SliceMaxDepthExceeded, ts, details }
    }

    /// It overlaps another; `event` has the details.
    pub(in crate::track) fn overlap(
        stat: Stat,
        overlap: Overlap,
        event: ArgSet,
        tables: &mut Tables,
    ) -> Self {
        let Overlap { shared: (start, end), with } = overlap;
        let slice = &tables.slice;
        let conflict = [
            ("overlap_start", ArgValue::Int(start)),
            ("overlap_end", ArgValue::Int(end)),
            ("conflicting_slice_name", ArgValue::String(slice.name.get(with))),
            ("conflicting_slice_ts", ArgValue::Int(slice.ts.get(with))),
            ("conflicting_slice_dur", ArgValue::Int(slice.dur.get(with))),
        ];
        let mut details = event;
        details.append(&ArgSet::of(conflict, &mut tables.strings));
        Self { stat, ts: start, details }
    }
}

impl Trackers {
    /// Counts and logs a JSON event with arguments that could not be read completely. The deferred
    /// writer finds these, so they follow all other entries.
    pub fn log_malformed_json(
        &mut self,
        event: &JsonOrigin,
        tables: &mut Tables,
        stats: &mut Stats,
    ) {
        let stat = Stat::JsonParserFailure;
        stats.increment(stat);
        let details = event.details(tables);
        self.log(stat, Some(event.ts), &details, tables);
    }

    /// Enters something that was counted, at the moment it is about where it is about one.
    pub fn log(&mut self, stat: Stat, ts: Option<i64>, details: &ArgSet, tables: &mut Tables) {
        let file = self.sources.get(self.current).file;
        let logged = self.logged.entry((file, stat)).or_default();
        if *logged == MOST_ENTRIES {
            return;
        }
        *logged += 1;
        let arg_set_id = self.deferred.intern(details);
        let row = ImportLogRow { ts, arg_set_id, ..log_row(file, stat, &mut tables.strings) };
        tables.trace_import_logs.push(row);
    }

    /// Enters the slices that were refused.
    pub fn log_refusals(&mut self, tables: &mut Tables) {
        let refused = self.sources.iter().zip(self.all_sources());
        let refused = refused.flat_map(|(source, trackers)| {
            trackers.slices.refused.iter().map(move |refusal| (source.file, refusal.clone()))
        });
        for (file, Refusal { stat, ts, details }) in refused.collect::<Vec<_>>() {
            let arg_set_id = self.deferred.intern(&details);
            let row = log_row(file, stat, &mut tables.strings);
            tables.trace_import_logs.push(ImportLogRow { ts: Some(ts), arg_set_id, ..row });
        }
    }
}

/// An entry that only says what was counted, and in which file.
pub fn log_row(file: u32, stat: Stat, strings: &mut StringPool) -> ImportLogRow {
    ImportLogRow {
        trace_id: file,
        ts: None,
        byte_offset: None,
        severity: strings.intern(stat.severity().as_str()),
        name: strings.intern(stat.name()),
        arg_set_id: None,
    }
}
