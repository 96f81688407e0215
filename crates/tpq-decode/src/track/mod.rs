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
mod mappings;
mod message_paths;
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
mod writer;

pub(crate) use async_track::{AsyncId, AsyncPhase};
pub(crate) use binder::{Binder, Command, Return, Transaction};
pub(crate) use buffer::{Buffers, Phase};
pub(crate) use counter::{push_counter, push_counter_with};
pub(crate) use cpu::{Cpus, MAX_CPUS};
pub(crate) use described::{Builtin, Described, DescribedCounter, DescribedKind, Merge};
pub(crate) use disk::Disks;
pub(crate) use drm::{Drm, FenceTimeline, Job};
pub(crate) use flow::{FlowEnd, FlowId, Flows};
pub(crate) use frames::Frames;
pub(crate) use ftrace_start::FtraceStart;
pub(crate) use gpu::{GpuCounter, GpuCounters, Gpus};
pub(crate) use import_log::log_row;
pub(crate) use interest::Interest;
pub(crate) use kernel_events::{KernelEvents, KernelTrackEvent, TrackContext};
pub(crate) use kernel_work::{KernelWork, Suspend, VideoBuffer};
pub(crate) use mappings::Mappings;
pub(crate) use message_paths::{
    ArgKey, LocationKeys, MessagePath, MessagePaths, NoPath, PathId, Special,
};
pub(crate) use metadata::{Metadata, MetadataValue};
pub(crate) use mm::MemoryOwners;
pub(crate) use network::Network;
pub(crate) use open_args::OpenArgs;
pub(crate) use owner_args::OwnerArgs;
pub(crate) use packages::Packages;
pub(crate) use page_size::PageSize;
pub(crate) use perf::{PerfSessions, PerfTracks};
pub(crate) use power::{Consumer, EntityState, Power};
pub(crate) use process::{IDLE, NamePriority, NewTask, Processes, Tid, Upid, Utid};
pub(crate) use recent_text::RecentTexts;
pub(crate) use recording::{
    CentralBuffer, FillPolicy, KernelBuffer, KernelCounts, Recording, Wanted,
};
pub(crate) use sched::{NextTask, PreviousTask, Sched};
pub(crate) use scoped::Scoped;
pub(crate) use sequence_thread::{SequenceThread, SequenceThreads, ThreadTotals};
pub(crate) use shared::{SharedByKind, Sharing};
pub(crate) use slice::{NewSlice, SliceEnd, Slices};
pub(crate) use state::{NewState, States};
pub(crate) use syscall::{Call, Care, Syscalls};
pub(crate) use task_state::{Change, TaskStates};
pub(crate) use thread_counter::{ThreadCounter, ToldBy, Undecided};
pub(crate) use track_owner::{Owner, unique_tid};
pub(crate) use track_uuid::{EventDefaults, FirstEvent, TrackRows, TrackUuids, Usage};
pub(crate) use tracks::{Dimensions, SharedTracks, TrackKind, Tracks};
pub(crate) use uid_time::UidTimes;
pub(crate) use wakelock::{KernelWakelock, KernelWakelocks};
pub(crate) use writer::{Writers, by_writer};

use rustc_hash::{FxHashMap, FxHashSet};
use tpq_ingest::{SourceId, Sources};
use tpq_tables::{Stat, StringId, Tables};

use crate::Setup;
use crate::deferred::{ArgSet, DeferredWrites};

/// All trackers of an import.
pub(crate) struct Trackers {
    pub(crate) processes: Processes,
    pub(crate) cpus: Cpus,
    /// The names that switches and wakeups refer to.
    pub(crate) comms: RecentTexts,
    pub(crate) sched: Scoped<Sched>,
    pub(crate) tracks: Scoped<Tracks>,
    pub(crate) slices: Scoped<Slices>,
    pub(crate) flows: Scoped<Flows>,
    pub(crate) deferred: DeferredWrites,
    pub(crate) metadata: Metadata,
    pub(crate) bounds: Bounds,
    pub(crate) ftrace: Scoped<FtraceStart>,
    pub(crate) kernel_events: KernelEvents,
    pub(crate) memory: MemoryOwners,
    pub(crate) recording: Scoped<Recording>,
    pub(crate) uuids: Scoped<TrackUuids>,
    pub(crate) writers: Scoped<Writers>,
    pub(crate) frames: Scoped<Frames>,
    pub(crate) buffers: Scoped<Buffers>,
    pub(crate) power: Scoped<Power>,
    pub(crate) packages: Scoped<Packages>,
    pub(crate) wakelocks: Scoped<KernelWakelocks>,
    pub(crate) uid_times: Scoped<UidTimes>,
    sources: Sources,
    current: SourceId,
    pub(crate) syscalls: Scoped<Syscalls>,
    pub(crate) open_args: OpenArgs,
    pub(crate) gpus: Gpus,
    pub(crate) kernel: Scoped<KernelWork>,
    /// Values of counters whose tracks are decided at the end.
    pub(crate) undecided: Undecided,
    told_by: ToldBy,
    shared_tracks: Scoped<SharedByKind>,
    /// The tracks beside those of threads, for slices that overlap others.
    beside: Scoped<FxHashMap<Utid, Vec<u32>>>,
    /// The name of the first event of each async id, by process where it means something there
    /// only.
    async_names: Scoped<FxHashMap<(Option<Upid>, i64), StringId>>,
    /// The ids that stand for names of processes and threads in JSON.
    pub(crate) json_names: Scoped<FxHashMap<StringId, i64>>,
    pub(crate) binder: Scoped<Binder>,
    pub(crate) network: Scoped<Network>,
    /// How often each wakeup source is active, by name.
    pub(crate) wakeup_sources: Scoped<FxHashMap<StringId, u32>>,
    /// Transfers that threads have begun: the bus, and how many messages were seen of them.
    pub(crate) i2c: Scoped<FxHashMap<Utid, (i64, u32)>>,
    pub(crate) disks: Scoped<Disks>,
    pub(crate) page_size: Scoped<PageSize>,
    pub(crate) gpu_counters: Scoped<GpuCounters>,
    pub(crate) perf_sessions: PerfSessions,
    pub(crate) task_states: Scoped<TaskStates>,
    /// The interrupts whose names are known.
    pub(crate) interrupts: Scoped<FxHashSet<u32>>,
    pub(crate) sequence_threads: Scoped<SequenceThreads>,
    pub(crate) owner_args: OwnerArgs,
    /// How much was entered in the log of the import, by file and stat.
    logged: FxHashMap<(u32, Stat), u32>,
    pub(crate) states: Scoped<States>,
    pub(crate) interest: Scoped<Interest>,
    pub(crate) messages: Scoped<MessagePaths>,
    pub(crate) chrome: Scoped<ChromeCounts>,
    pub(crate) mappings: Scoped<Mappings>,
    /// Categories with commas between.
    pub(crate) joined: FxHashMap<Vec<StringId>, StringId>,
}

/// How many packets there were in which a Chrome told of itself.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChromeCounts {
    /// Those of typed messages.
    pub(crate) typed: u32,
    /// Those of names and values.
    pub(crate) untyped: u32,
}

impl Trackers {
    /// For the machines and files of an import.
    pub(crate) fn new(setup: &Setup, tables: &mut Tables) -> Self {
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
    pub(crate) fn source(&self) -> SourceId {
        self.current
    }

    /// Turns to what was recorded in another place.
    pub(crate) fn enter(&mut self, id: SourceId) {
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
    pub(crate) fn count(
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
    pub(crate) fn count_with(
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
pub(crate) struct Bounds(Option<(i64, i64)>);

impl Bounds {
    pub(crate) fn include(&mut self, ts: i64) {
        self.0 = Some(self.0.map_or((ts, ts), |(start, end)| (start.min(ts), end.max(ts))));
    }

    pub(crate) fn get(self) -> Option<(i64, i64)> {
        self.0
    }
}
