//! Trackers: what must be remembered from event to event, in the order of time.
//!
//! Decoders own bytes, trackers own meaning. Each tracker owns one concept and writes the tables
//! of it; none knows of protobuf.

mod args;
mod buffer;
mod counter;
mod cpu;
mod flow;
mod frames;
mod ftrace_start;
mod lanes;
mod metadata;
mod mm;
mod packages;
mod power;
mod process;
mod sched;
mod scoped;
mod slice;
mod thread_state;
mod track_uuid;
mod tracks;
mod uid_time;
mod wakelock;
mod writer;

pub(crate) use args::{ArgSet, ArgValue, Args};
pub(crate) use buffer::{Buffers, Phase};
pub(crate) use counter::push_counter;
pub(crate) use cpu::{Cpus, MAX_CPUS};
pub(crate) use flow::Flows;
pub(crate) use frames::Frames;
pub(crate) use ftrace_start::FtraceStart;
pub(crate) use lanes::{LaneKey, Lanes};
pub(crate) use metadata::{Metadata, MetadataValue};
pub(crate) use mm::MemoryOwners;
pub(crate) use packages::Packages;
pub(crate) use power::{Consumer, EntityState, Power};
pub(crate) use process::{NamePriority, NewTask, Processes, Tid, Upid, Utid};
pub(crate) use sched::{NextTask, PreviousTask, Sched};
pub(crate) use scoped::Scoped;
pub(crate) use slice::{NewSlice, Slices};
pub(crate) use thread_state::ThreadStates;
pub(crate) use track_uuid::{
    Described, DescribedCounter, DescribedKind, EventDefaults, TrackUuids, Usage,
};
pub(crate) use tracks::{Dimensions, SharedTracks, TrackKind, Tracks};
pub(crate) use uid_time::UidTimes;
pub(crate) use wakelock::{KernelWakelock, KernelWakelocks};
pub(crate) use writer::Writers;

use rustc_hash::{FxHashMap, FxHashSet};
use tpq_ingest::{PlaceId, Places};
use tpq_tables::table::CpuPerUidRow;
use tpq_tables::{Stats, StringId, Tables};

/// Tracks of async slices, by kind, process and name.
pub(crate) type AsyncTracks = FxHashMap<(&'static str, Upid, StringId), SharedTracks>;

/// All trackers of an import.
pub(crate) struct Trackers {
    pub(crate) processes: Processes,
    pub(crate) cpus: Cpus,
    pub(crate) sched: Scoped<Sched>,
    pub(crate) thread_states: Scoped<ThreadStates>,
    pub(crate) tracks: Scoped<Tracks>,
    pub(crate) slices: Scoped<Slices>,
    pub(crate) flows: Scoped<Flows>,
    pub(crate) args: Args,
    pub(crate) metadata: Metadata,
    pub(crate) bounds: Bounds,
    pub(crate) ftrace: Scoped<FtraceStart>,
    pub(crate) memory: MemoryOwners,
    pub(crate) uuids: Scoped<TrackUuids>,
    pub(crate) writers: Scoped<Writers>,
    pub(crate) frames: Scoped<Frames>,
    pub(crate) buffers: Scoped<Buffers>,
    pub(crate) power: Scoped<Power>,
    pub(crate) packages: Scoped<Packages>,
    pub(crate) wakelocks: Scoped<KernelWakelocks>,
    pub(crate) uid_times: Scoped<UidTimes>,
    /// Tracks of slices that may overlap.
    pub(crate) lanes: Scoped<Lanes>,
    places: Places,
    current: PlaceId,
    /// Threads that were seen to enter a write and not to leave it.
    pub(crate) writing: Scoped<FxHashSet<Utid>>,
    /// The args that open slices began with, until their ends add more.
    pub(crate) open_args: FxHashMap<u32, ArgSet>,
    /// Async slices of user space, by kind, process and name.
    pub(crate) async_tracks: Scoped<AsyncTracks>,
}

impl Trackers {
    /// For the machines and files of `places`, file numbers being below `files`.
    pub(crate) fn new(places: Places, files: usize, tables: &mut Tables) -> Self {
        let home = |place: usize| places.get(place as PlaceId).machine;
        Self {
            processes: Processes::new(),
            cpus: Cpus::default(),
            sched: Scoped::new(places.len(), |_| Sched::new(&mut tables.strings)),
            thread_states: Scoped::new(places.len(), |_| ThreadStates::new(&mut tables.strings)),
            tracks: Scoped::new(places.len(), |_| Tracks::default()),
            slices: Scoped::new(places.len(), |_| Slices::default()),
            flows: Scoped::new(files, |_| Flows::default()),
            args: Args::new(&mut tables.strings),
            metadata: Metadata::default(),
            bounds: Bounds::default(),
            ftrace: Scoped::new(files, |_| FtraceStart::default()),
            memory: MemoryOwners::default(),
            uuids: Scoped::new(places.len(), |place| TrackUuids::new(home(place))),
            writers: Scoped::new(files, |_| Writers::default()),
            frames: Scoped::new(places.len(), |_| Frames::default()),
            power: Scoped::new(places.len(), |_| Power::default()),
            packages: Scoped::new(places.len(), |_| Packages::default()),
            wakelocks: Scoped::new(places.len(), |_| KernelWakelocks::default()),
            uid_times: Scoped::new(places.len(), |_| UidTimes::default()),
            buffers: Scoped::new(places.len(), |_| Buffers::default()),
            lanes: Scoped::new(places.len(), |_| Lanes::default()),
            current: PlaceId::MAX,
            writing: Scoped::new(places.len(), |_| FxHashSet::default()),
            open_args: FxHashMap::default(),
            async_tracks: Scoped::new(places.len(), |_| AsyncTracks::default()),
            places,
        }
    }

    /// Turns to what was recorded in another place.
    pub(crate) fn enter(&mut self, id: PlaceId) {
        if id == self.current {
            return;
        }
        self.current = id;
        let place = self.places.get(id);
        self.uuids.enter(id);
        self.sched.enter(id);
        self.tracks.enter(id);
        self.slices.enter(id);
        self.writing.enter(id);
        self.async_tracks.enter(id);
        self.thread_states.enter(id);
        self.frames.enter(id);
        self.power.enter(id);
        self.packages.enter(id);
        self.wakelocks.enter(id);
        self.uid_times.enter(id);
        self.buffers.enter(id);
        self.lanes.enter(id);
        self.flows.enter(place.file);
        self.ftrace.enter(place.file);
        self.writers.enter(place.file);
        self.metadata.enter(place);
    }
}

impl Trackers {
    /// A counter took a value: finds its track, making one where it is the first value.
    pub(crate) fn count(
        &mut self,
        (ts, value): (i64, f64),
        kind: TrackKind,
        dimensions: Dimensions,
        name: StringId,
        tables: &mut Tables,
    ) {
        let track = self.tracks.get(kind, dimensions, name, &mut self.args, tables);
        push_counter(ts, track, value, &mut self.bounds, tables);
    }

    /// Something happened that took `dur`, 0 for an instant: adds a slice with args.
    pub(crate) fn complete(
        &mut self,
        slice: NewSlice,
        dur: i64,
        args: &ArgSet,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<u32> {
        self.bounds.include(slice.ts);
        let arg_set_id = self.args.intern(args, tables);
        self.slices.complete(NewSlice { arg_set_id, ..slice }, dur, tables, stats)
    }

    /// Writes how much time on CPUs each user id took.
    pub(crate) fn write_uid_times(&mut self, tables: &mut Tables) {
        let mut rows: Vec<_> = self.uid_times.iter().flat_map(UidTimes::grown).collect();
        rows.sort_unstable();
        for (track_id, (uid, cluster), ms) in rows {
            tables.android_cpu_per_uid.push(CpuPerUidRow {
                track_id,
                uid: i64::from(uid),
                cluster: i64::from(cluster),
                total_cpu_millis: ms as i64,
            });
        }
    }

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
