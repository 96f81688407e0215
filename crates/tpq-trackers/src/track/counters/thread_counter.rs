//! Counters of processes that events of threads report.
//!
//! The process of a thread is often learned only later in a trace. So the track of a value of a
//! thread without one is decided at the end.

use rustc_hash::FxHashMap;
use tpq_ingest::SourceId;
use tpq_tables::{ArgSetNumber, StringId, Tables};

use crate::args::{ArgSet, ArgValue};
use crate::track::{Dimensions, TrackKind, Trackers, Utid, push_counter_with};

/// A counter of a process, which is the thread's own where the process never becomes known.
#[derive(Clone, Copy, Debug)]
pub struct ThreadCounter {
    /// The kind of track where the process is known.
    pub process: TrackKind,
    /// The kind of track where it is not.
    pub thread: TrackKind,
    /// The track's name.
    pub name: StringId,
    /// Of the thread, with the other dimensions of its tracks.
    pub of: Dimensions,
}

/// Values of undecided tracks.
#[derive(Debug, Default)]
pub struct Undecided {
    /// The counters they are of, each once: there may be many values of each.
    counters: Vec<(SourceId, Utid, ThreadCounter)>,
    indexes: FxHashMap<(SourceId, &'static str, Dimensions, StringId), u32>,
    /// The row of each value, and which counter it is of.
    values: Vec<(u32, u32)>,
}

/// The sets of args that state which thread reported a value, by thread.
pub type ReportedBy = FxHashMap<Utid, Option<ArgSetNumber>>;

impl Undecided {
    fn add(&mut self, row: u32, source: SourceId, utid: Utid, counter: ThreadCounter) {
        let key = (source, counter.thread.name, counter.of, counter.name);
        let index = *self.indexes.entry(key).or_insert_with(|| {
            self.counters.push((source, utid, counter));
            self.counters.len() as u32 - 1
        });
        self.values.push((row, index));
    }
}

/// The track of values until theirs is decided.
const NO_TRACK: u32 = u32::MAX;

impl Trackers {
    /// A counter of a thread's process took a value; its args state the reporting thread.
    pub fn count_for_process_of(
        &mut self,
        utid: Utid,
        counter: ThreadCounter,
        (ts, value): (i64, f64),
        tables: &mut Tables,
    ) {
        let upid = tables.thread.upid.get(utid);
        let track = upid.map_or(NO_TRACK, |upid| {
            let of = counter.of.for_process(upid);
            self.source.tracks.get(counter.process, of, counter.name, &mut self.deferred, tables)
        });
        let set = *self.reported_by.entry(utid).or_insert_with(|| {
            let by = ArgValue::Uint(u64::from(utid));
            self.deferred.intern(&ArgSet::of([("utid", by)], &mut tables.strings))
        });
        let row = push_counter_with(ts, track, value, set, &mut self.bounds, tables);
        if upid.is_none() {
            self.undecided.add(row, self.source_id(), utid, counter);
        }
    }

    /// Decides the tracks of values that were left open.
    pub fn decide_counters(&mut self, tables: &mut Tables) {
        let Undecided { counters, values, .. } = std::mem::take(&mut self.undecided);
        let mut decide = |(source, utid, counter): (SourceId, Utid, ThreadCounter)| {
            self.enter(source);
            let (kind, of) = match tables.thread.upid.get(utid) {
                Some(upid) => (counter.process, counter.of.for_process(upid)),
                None => (counter.thread, counter.of),
            };
            self.source.tracks.get(kind, of, counter.name, &mut self.deferred, tables)
        };
        let tracks: Vec<u32> = counters.into_iter().map(&mut decide).collect();
        for (row, index) in values {
            tables.counter.track_id.set(row, tracks[index as usize]);
        }
    }
}
