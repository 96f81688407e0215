//! Trackers: what must be remembered from event to event, in the order of time.
//!
//! Decoders own bytes, trackers own meaning. Each tracker owns one concept and writes the tables
//! of it; none knows of protobuf. What none of them needs again is told to the ledger.

mod async_track;
mod binder;
mod buffer;
mod counter;
mod cpu;
mod described;
mod described_track;
mod disk;
mod drm;
mod flow;
mod frames;
mod ftrace_start;
mod gpu;
mod import_log;
mod interest;
mod kernel_events;
mod kernel_work;
mod metadata;
mod mm;
mod network;
mod open_args;
mod overlap;
mod owner_args;
mod packages;
mod page_size;
mod perf;
mod power;
mod process;
mod recent_text;
mod recording;
mod sched;
mod scoped;
mod sequence_thread;
mod shared;
mod slice;
mod slice_args;
mod state;
mod syscall;
mod task_state;
mod thread_counter;
mod track_owner;
mod track_uuid;
mod tracks;
mod uid_time;
mod wakelock;
mod write_all;
mod writer;

pub use crate::deferred::NextTask;
pub use crate::ids::{IDLE, Tid, Upid, Utid};
pub use async_track::{AsyncId, AsyncPhase};
pub use binder::{Binder, Command, Return, Transaction};
pub use buffer::{Buffers, Phase};
pub use counter::{push_counter, push_counter_with};
pub use cpu::{Cpus, MAX_CPUS};
pub use described::{Builtin, Described, DescribedCounter, DescribedKind, Merge};
pub use disk::Disks;
pub use drm::{Drm, FenceTimeline, Job};
pub use flow::{FlowEnd, FlowId, Flows};
pub use frames::Frames;
pub use ftrace_start::FtraceStart;
pub use gpu::{GpuCounter, GpuCounters, Gpus};
pub use import_log::log_row;
pub use interest::Interest;
pub use kernel_events::{KernelEvents, KernelTrackEvent, TrackContext};
pub use kernel_work::{KernelWork, Suspend, VideoBuffer};
pub use metadata::{Metadata, MetadataValue};
pub use mm::MemoryOwners;
pub use network::Network;
pub use open_args::OpenArgs;
pub use owner_args::OwnerArgs;
pub use packages::Packages;
pub use page_size::PageSize;
pub use perf::{PerfSessions, PerfTracks};
pub use power::{Consumer, EntityState, Power};
pub use process::{NamePriority, NewTask, Processes};
pub use recent_text::RecentTexts;
pub use recording::{CentralBuffer, FillPolicy, KernelBuffer, KernelCounts, Recording, Wanted};
pub use sched::{PreviousTask, Sched};
pub use scoped::Scoped;
pub use sequence_thread::{SequenceThread, SequenceThreads, ThreadTotals};
pub use shared::{SharedByKind, Sharing};
pub use slice::{NewSlice, SliceEnd, Slices};
pub use state::{NewState, States};
pub use syscall::{Call, Care, Syscalls};
pub use task_state::{Change, TaskStates};
pub use thread_counter::{ThreadCounter, ToldBy, Undecided};
pub use track_owner::{Owner, unique_tid};
pub use track_uuid::{EventDefaults, FirstEvent, TrackRows, TrackUuids, Usage};
pub use tracks::{Dimensions, SharedTracks, TrackKind, Tracks};
pub use uid_time::UidTimes;
pub use wakelock::{KernelWakelock, KernelWakelocks};
pub use writer::{Writers, by_writer};

use rustc_hash::{FxHashMap, FxHashSet};
use tpq_ingest::{SourceId, Sources};
use tpq_tables::{Stat, StringId, Tables};

use crate::args::{ArgSet, Mappings, MessagePaths};
use crate::deferred::DeferredWrites;
use crate::setup::Setup;

/// All trackers of an import.
pub struct Trackers {
    pub processes: Processes,
    pub cpus: Cpus,
    /// The names that switches and wakeups refer to.
    pub comms: RecentTexts,
    pub sched: Scoped<Sched>,
    pub tracks: Scoped<Tracks>,
    pub slices: Scoped<Slices>,
    pub flows: Scoped<Flows>,
    pub deferred: DeferredWrites,
    pub metadata: Metadata,
    pub bounds: Bounds,
    pub ftrace: Scoped<FtraceStart>,
    pub kernel_events: KernelEvents,
    pub memory: MemoryOwners,
    pub recording: Scoped<Recording>,
    pub uuids: Scoped<TrackUuids>,
    pub writers: Scoped<Writers>,
    pub frames: Scoped<Frames>,
    pub buffers: Scoped<Buffers>,
    pub power: Scoped<Power>,
    pub packages: Scoped<Packages>,
    pub wakelocks: Scoped<KernelWakelocks>,
    pub uid_times: Scoped<UidTimes>,
    sources: Sources,
    current: SourceId,
    pub syscalls: Scoped<Syscalls>,
    pub open_args: OpenArgs,
    pub gpus: Gpus,
    pub kernel: Scoped<KernelWork>,
    /// Values of counters whose tracks are decided at the end.
    pub undecided: Undecided,
    told_by: ToldBy,
    shared_tracks: Scoped<SharedByKind>,
    /// The tracks beside those of threads, for slices that overlap others.
    beside: Scoped<FxHashMap<Utid, Vec<u32>>>,
    /// The name of the first event of each async id, by process where it means something there
    /// only.
    async_names: Scoped<FxHashMap<(Option<Upid>, i64), StringId>>,
    /// The ids that stand for names of processes and threads in JSON.
    pub json_names: Scoped<FxHashMap<StringId, i64>>,
    pub binder: Scoped<Binder>,
    pub network: Scoped<Network>,
    /// How often each wakeup source is active, by name.
    pub wakeup_sources: Scoped<FxHashMap<StringId, u32>>,
    /// Transfers that threads have begun: the bus, and how many messages were seen of them.
    pub i2c: Scoped<FxHashMap<Utid, (i64, u32)>>,
    pub disks: Scoped<Disks>,
    pub page_size: Scoped<PageSize>,
    pub gpu_counters: Scoped<GpuCounters>,
    pub perf_sessions: PerfSessions,
    pub task_states: Scoped<TaskStates>,
    /// The interrupts whose names are known.
    pub interrupts: Scoped<FxHashSet<u32>>,
    pub sequence_threads: Scoped<SequenceThreads>,
    pub owner_args: OwnerArgs,
    /// How much was entered in the log of the import, by file and stat.
    logged: FxHashMap<(u32, Stat), u32>,
    pub states: Scoped<States>,
    pub interest: Scoped<Interest>,
    pub messages: Scoped<MessagePaths>,
    pub chrome: Scoped<ChromeCounts>,
    pub mappings: Scoped<Mappings>,
    /// Categories with commas between.
    pub joined: FxHashMap<Vec<StringId>, StringId>,
}

/// How many packets there were in which a Chrome told of itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChromeCounts {
    /// Those of typed messages.
    pub typed: u32,
    /// Those of names and values.
    pub untyped: u32,
}

impl Trackers {
    /// For the machines and files of an import.
    pub fn new(setup: &Setup, tables: &mut Tables) -> Self {
        let Setup { sources, files, ftrace_raw, crop, late_args, .. } = setup;
        let files = *files;
        let home = |source: usize| sources.get(source as SourceId).machine;
        Self {
            processes: Processes::new(),
            cpus: Cpus::default(),
            comms: RecentTexts::default(),
            sched: Scoped::new(sources.len(), |_| Sched::new(&mut tables.strings)),
            tracks: Scoped::new(sources.len(), |_| Tracks::default()),
            slices: Scoped::new(sources.len(), |_| Slices::default()),
            flows: Scoped::new(files, |_| Flows::default()),
            deferred: DeferredWrites::new(*late_args, &mut tables.strings),
            metadata: Metadata::default(),
            bounds: Bounds::default(),
            ftrace: Scoped::new(files, |_| FtraceStart::default()),
            kernel_events: KernelEvents::new(
                *ftrace_raw,
                Scoped::new(sources.len(), |_| FxHashMap::default()),
                Scoped::new(sources.len(), |_| FxHashMap::default()),
            ),
            memory: MemoryOwners::default(),
            recording: Scoped::new(files, |_| Recording::default()),
            uuids: Scoped::new(sources.len(), |source| TrackUuids::new(home(source))),
            writers: Scoped::new(files, |_| Writers::default()),
            frames: Scoped::new(sources.len(), |_| Frames::default()),
            power: Scoped::new(sources.len(), |_| Power::default()),
            packages: Scoped::new(sources.len(), |_| Packages::default()),
            wakelocks: Scoped::new(sources.len(), |_| KernelWakelocks::default()),
            uid_times: Scoped::new(sources.len(), |_| UidTimes::default()),
            buffers: Scoped::new(sources.len(), |_| Buffers::default()),
            current: SourceId::MAX,
            syscalls: Scoped::new(sources.len(), |_| Syscalls::default()),
            open_args: OpenArgs::default(),
            gpus: Gpus::default(),
            kernel: Scoped::new(sources.len(), |_| KernelWork::default()),
            undecided: Undecided::default(),
            told_by: ToldBy::default(),
            shared_tracks: Scoped::new(sources.len(), |_| SharedByKind::default()),
            beside: Scoped::new(sources.len(), |_| FxHashMap::default()),
            async_names: Scoped::new(sources.len(), |_| FxHashMap::default()),
            json_names: Scoped::new(files, |_| FxHashMap::default()),
            binder: Scoped::new(sources.len(), |_| Binder::default()),
            network: Scoped::new(sources.len(), |_| Network::default()),
            wakeup_sources: Scoped::new(sources.len(), |_| FxHashMap::default()),
            i2c: Scoped::new(sources.len(), |_| FxHashMap::default()),
            disks: Scoped::new(sources.len(), |_| Disks::default()),
            page_size: Scoped::new(sources.len(), |_| PageSize::default()),
            gpu_counters: Scoped::new(sources.len(), |_| GpuCounters::default()),
            perf_sessions: PerfSessions::default(),
            task_states: Scoped::new(sources.len(), |_| TaskStates::default()),
            interrupts: Scoped::new(sources.len(), |_| FxHashSet::default()),
            sequence_threads: Scoped::new(sources.len(), |_| SequenceThreads::default()),
            owner_args: OwnerArgs::default(),
            logged: FxHashMap::default(),
            states: Scoped::new(sources.len(), |_| States::default()),
            interest: Scoped::new(files, |_| Interest::new(*crop)),
            chrome: Scoped::new(files, |_| ChromeCounts::default()),
            joined: FxHashMap::default(),
            mappings: Scoped::new(sources.len(), |_| Mappings::default()),
            messages: Scoped::new(files, |_| MessagePaths::new(&mut tables.strings)),
            sources: sources.clone(),
        }
    }

    /// Where what is decoded was recorded.
    pub fn source(&self) -> SourceId {
        self.current
    }

    /// Turns to what was recorded in another place.
    pub fn enter(&mut self, id: SourceId) {
        if id == self.current {
            return;
        }
        self.current = id;
        let source = self.sources.get(id);
        self.deferred.enter(id);
        self.uuids.enter(id);
        self.sched.enter(id);
        self.kernel_events.described.enter(id);
        self.kernel_events.track_events.enter(id);
        self.tracks.enter(id);
        self.slices.enter(id);
        self.kernel.enter(id);
        self.syscalls.enter(id);
        self.shared_tracks.enter(id);
        self.beside.enter(id);
        self.async_names.enter(id);
        self.binder.enter(id);
        self.network.enter(id);
        self.wakeup_sources.enter(id);
        self.i2c.enter(id);
        self.disks.enter(id);
        self.page_size.enter(id);
        self.gpu_counters.enter(id);
        self.task_states.enter(id);
        self.interrupts.enter(id);
        self.frames.enter(id);
        self.power.enter(id);
        self.packages.enter(id);
        self.wakelocks.enter(id);
        self.uid_times.enter(id);
        self.buffers.enter(id);
        self.sequence_threads.enter(id);
        self.states.enter(id);
        self.mappings.enter(id);
        self.interest.enter(source.file);
        self.flows.enter(source.file);
        self.json_names.enter(source.file);
        self.ftrace.enter(source.file);
        self.writers.enter(source.file);
        self.recording.enter(source.file);
        self.messages.enter(source.file);
        self.chrome.enter(source.file);
        self.metadata.enter(source);
    }
}

impl Trackers {
    /// A counter took a value: finds its track, making one where it is the first value.
    pub fn count(
        &mut self,
        (ts, value): (i64, f64),
        kind: TrackKind,
        dimensions: Dimensions,
        name: StringId,
        tables: &mut Tables,
    ) {
        let track = self.tracks.get(kind, dimensions, name, &mut self.deferred, tables);
        push_counter(ts, track, value, &mut self.bounds, tables);
    }

    /// The same, with args of the value.
    pub fn count_with(
        &mut self,
        (ts, value): (i64, f64),
        kind: TrackKind,
        dimensions: Dimensions,
        name: StringId,
        args: &ArgSet,
        tables: &mut Tables,
    ) {
        let track = self.tracks.get(kind, dimensions, name, &mut self.deferred, tables);
        let set = self.deferred.intern(args);
        push_counter_with(ts, track, value, set, &mut self.bounds, tables);
    }
}

/// The first and last moment anything was recorded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds(Option<(i64, i64)>);

impl Bounds {
    pub fn include(&mut self, ts: i64) {
        self.0 = Some(self.0.map_or((ts, ts), |(start, end)| (start.min(ts), end.max(ts))));
    }

    pub fn get(self) -> Option<(i64, i64)> {
        self.0
    }
}
