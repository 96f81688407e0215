//! Trackers: what must be remembered from event to event, in the order of time.
//!
//! Decoders own bytes, trackers own meaning. Each tracker owns one concept and writes the tables
//! of it; none knows of protobuf.

mod args;
mod counter;
mod cpu;
mod flow;
mod ftrace_start;
mod machine;
mod metadata;
mod mm;
mod process;
mod sched;
mod slice;
mod thread_state;
mod track_uuid;
mod tracks;
mod writer;

pub(crate) use args::{ArgSet, ArgValue, Args};
pub(crate) use counter::push_counter;
pub(crate) use cpu::{Cpus, MAX_CPUS};
pub(crate) use flow::Flows;
pub(crate) use ftrace_start::FtraceStart;
pub(crate) use machine::Machines;
pub(crate) use metadata::{Metadata, MetadataValue};
pub(crate) use mm::MemoryOwners;
pub(crate) use process::{NamePriority, NewTask, Processes, Tid, Upid, Utid};
pub(crate) use sched::{NextTask, PreviousTask, Sched};
pub(crate) use slice::{NewSlice, Slices};
pub(crate) use thread_state::ThreadStates;
pub(crate) use track_uuid::{
    Described, DescribedCounter, DescribedKind, EventDefaults, TrackUuids, Usage,
};
pub(crate) use tracks::{Dimension, SharedTracks, TrackKind, Tracks};
pub(crate) use writer::{WriterLoss, Writers};

use tpq_tables::Tables;

/// All trackers of an import.
pub(crate) struct Trackers {
    pub(crate) processes: Processes,
    pub(crate) cpus: Cpus,
    pub(crate) sched: Sched,
    pub(crate) thread_states: ThreadStates,
    pub(crate) tracks: Tracks,
    pub(crate) slices: Slices,
    pub(crate) flows: Flows,
    pub(crate) args: Args,
    pub(crate) metadata: Metadata,
    pub(crate) bounds: Bounds,
    pub(crate) machines: Machines,
    pub(crate) ftrace: FtraceStart,
    pub(crate) memory: MemoryOwners,
    pub(crate) uuids: TrackUuids,
    pub(crate) writers: Writers,
    /// Threads that were seen to enter a write and not to leave it.
    pub(crate) writing: rustc_hash::FxHashSet<Utid>,
    /// The args that open slices began with, until their ends add more.
    pub(crate) open_args: rustc_hash::FxHashMap<u32, ArgSet>,
    /// Async slices of user space, by kind, process and name.
    pub(crate) async_tracks:
        rustc_hash::FxHashMap<(&'static str, Upid, tpq_tables::StringId), SharedTracks>,
}

impl Trackers {
    pub(crate) fn new(tables: &mut Tables) -> Self {
        Self {
            processes: Processes::new(tables),
            cpus: Cpus::default(),
            sched: Sched::new(&mut tables.strings),
            thread_states: ThreadStates::new(&mut tables.strings),
            tracks: Tracks::default(),
            slices: Slices::default(),
            flows: Flows::default(),
            args: Args::new(&mut tables.strings),
            metadata: Metadata::default(),
            bounds: Bounds::default(),
            machines: Machines::new(tables),
            ftrace: FtraceStart::default(),
            memory: MemoryOwners::default(),
            uuids: TrackUuids::default(),
            writers: Writers::default(),
            writing: rustc_hash::FxHashSet::default(),
            open_args: rustc_hash::FxHashMap::default(),
            async_tracks: rustc_hash::FxHashMap::default(),
        }
    }
}

impl Trackers {
    /// Writes the args of slices whose ends were not seen.
    pub(crate) fn close_args(&mut self, tables: &mut Tables) {
        let mut open: Vec<(u32, ArgSet)> = self.open_args.drain().collect();
        open.sort_unstable_by_key(|&(slice, _)| slice);
        for (slice, args) in open {
            let set = self.args.intern(&args, tables);
            tables.slice.arg_set_id.set(slice, set);
        }
    }
}

/// The first and last moment anything was recorded.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bounds(Option<(i64, i64)>);

impl Bounds {
    pub(crate) fn include(&mut self, ts: i64) {
        self.0 = Some(self.0.map_or((ts, ts), |(start, end)| (start.min(ts), end.max(ts))));
    }

    pub(crate) fn get(self) -> Option<(i64, i64)> {
        self.0
    }
}
