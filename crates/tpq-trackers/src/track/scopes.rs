//! All trackers, by scope.
//!
//! | scope | group | examples |
//! |---|---|---|
//! | the import | [`Trackers`] | processes, CPUs, the deferred writer |
//! | a file | [`FileTrackers`] | the recording, flows |
//! | a source: a machine in a file | [`SourceTrackers`] | tracks, slices, scheduling |
//!
//! Sequences have state within their source, by generation. [`Trackers::enter`] exchanges whole
//! groups, so a new field of a group is scoped without further code.

use std::any::{Any, TypeId};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tpq_ingest::{SourceId, Sources};
use tpq_proto::ftrace::DescribedKind;
use tpq_tables::{Stat, StringId, StringPool, TableGroup, Tables};

use crate::args::MessagePaths;
use crate::deferred::DeferredWrites;
use crate::setup::Setup;
use crate::stacks::Stacks;
use crate::track::counters::thread_counter::ReportedBy;
use crate::track::{
    Binder, Bounds, Buffers, Cpus, Disks, Flows, Frames, FtraceStart, GpuCounters, Gpus,
    HeapGraphs, HeapProfiles, Interest, KernelTrackEvent, KernelWakelocks, KernelWork,
    MemoryOwners, MemorySnapshots, Metadata, Network, OpenArgs, OwnerArgs, Packages, PageSize,
    PerfCounters, Power, Presences, Processes, ProfilerSamples, RecentTexts, Recording,
    RenderStages, Sched, SeenEvents, SequenceThreads, SharedByKind, Slices, States, SymbolPackets,
    Syscalls, TaskStates, TrackUuids, Tracks, Translations, UidTimes, Undecided, Upid, Utid,
    Writers,
};

/// Trackers of an import.
pub struct Trackers {
    /// Trackers of the machine in the file that is decoded.
    pub source: Box<SourceTrackers>,
    /// Trackers of the file that is decoded.
    pub file: Box<FileTrackers>,
    other_sources: Parked<SourceTrackers>,
    other_files: Parked<FileTrackers>,
    pub(super) sources: Sources,
    pub(super) current: SourceId,
    /// Processes and threads of all machines.
    pub processes: Processes,
    /// CPUs of all machines.
    pub cpus: Cpus,
    /// Names of threads that switches and wakeups refer to.
    pub comms: RecentTexts,
    /// Data for the deferred writer.
    pub deferred: DeferredWrites,
    /// Rows of `metadata`.
    pub metadata: Metadata,
    /// First and last timestamp of the trace.
    pub bounds: Bounds,
    /// Whether every kernel event gets a row of `ftrace_event`.
    pub has_ftrace_event: bool,
    /// Whether slices and what else is on tracks need not be complete.
    pub leaves_out_tracks: bool,
    /// Threads that show themselves while events are left out.
    pub presences: Presences,
    /// Processes by the ids of their memory descriptors.
    pub memory: MemoryOwners,
    /// Arguments of slices that have not ended.
    pub open_args: OpenArgs,
    /// GPUs of all machines.
    pub gpus: Gpus,
    /// Values of counters with tracks that are decided at the end.
    pub undecided: Undecided,
    /// Tracks of the counters of perf.
    pub perf_counters: PerfCounters,
    /// Rows that samples of profilers share.
    pub samples: ProfilerSamples,
    /// Arguments of processes and threads.
    pub owner_args: OwnerArgs,
    /// Dumps of Java heaps.
    pub heap_graphs: HeapGraphs,
    /// Heap profiles.
    pub heap_profiles: HeapProfiles,
    /// State of single decoders for the whole import.
    pub states: DecoderStates,
    pub(super) reported_by: ReportedBy,
    /// Number of entries in the import log, by file and stat.
    pub(super) logged: FxHashMap<(u32, Stat), u32>,
}

/// Trackers of a source: ids of threads, tracks and CPUs are unique within it.
pub struct SourceTrackers {
    /// The running thread of each CPU.
    pub sched: Sched,
    /// Tracks by kind and dimensions.
    pub tracks: Tracks,
    /// Open slices.
    pub slices: Slices,
    /// Tracks by the uuids that track events refer to.
    pub uuids: TrackUuids,
    /// Kinds of kernel events that the trace describes, by field number.
    pub described_kinds: FxHashMap<u32, Arc<DescribedKind>>,
    /// The described kinds that are slices or counters.
    pub kernel_track_events: FxHashMap<u32, KernelTrackEvent>,
    /// Frames of surfaces.
    pub frames: Frames,
    /// Graphics buffers.
    pub buffers: Buffers,
    /// Power rails and states of entities.
    pub power: Power,
    /// Packages of Android.
    pub packages: Packages,
    /// Wakelocks of the kernel.
    pub wakelocks: KernelWakelocks,
    /// CPU time by uid.
    pub uid_times: UidTimes,
    /// Names of system calls, and writes under way.
    pub syscalls: Syscalls,
    /// Work of drivers of the kernel.
    pub kernel: KernelWork,
    pub(super) shared_tracks: SharedByKind,
    /// Additional tracks of threads, for slices that overlap others.
    pub(super) overlap_tracks: FxHashMap<Utid, Vec<u32>>,
    /// Name of the first event of each async id, by process where ids are local to it.
    pub(super) async_names: FxHashMap<(Option<Upid>, i64), StringId>,
    /// Binder transactions.
    pub binder: Binder,
    /// Traffic of network devices.
    pub network: Network,
    /// Counters of disks.
    pub disks: Disks,
    /// Size of a memory page.
    pub page_size: PageSize,
    /// Counters of GPUs.
    pub gpu_counters: GpuCounters,
    /// Queues, stages and contexts of GPUs.
    pub render_stages: RenderStages,
    /// States of tasks as generic kernels report them.
    pub task_states: TaskStates,
    /// Threads that sequences belong to.
    pub sequence_threads: SequenceThreads,
    /// Open states of tracks.
    pub track_states: States,
    /// Call stacks.
    pub stacks: Stacks,
    /// Packets that name code.
    pub symbols: SymbolPackets,
    /// The memory snapshot under way.
    pub memory_snapshots: MemorySnapshots,
    /// State of single decoders.
    pub states: DecoderStates,
}

impl SourceTrackers {
    fn new(machine: u32, strings: &mut StringPool) -> Self {
        Self {
            sched: Sched::new(strings),
            tracks: Tracks::default(),
            slices: Slices::default(),
            uuids: TrackUuids::new(machine),
            described_kinds: FxHashMap::default(),
            kernel_track_events: FxHashMap::default(),
            frames: Frames::default(),
            buffers: Buffers::default(),
            power: Power::default(),
            packages: Packages::default(),
            wakelocks: KernelWakelocks::default(),
            uid_times: UidTimes::default(),
            syscalls: Syscalls::default(),
            kernel: KernelWork::default(),
            shared_tracks: SharedByKind::default(),
            overlap_tracks: FxHashMap::default(),
            async_names: FxHashMap::default(),
            binder: Binder::default(),
            network: Network::default(),
            disks: Disks::default(),
            page_size: PageSize::default(),
            gpu_counters: GpuCounters::default(),
            render_stages: RenderStages::default(),
            task_states: TaskStates::default(),
            sequence_threads: SequenceThreads::default(),
            track_states: States::default(),
            stacks: Stacks::default(),
            symbols: SymbolPackets::default(),
            memory_snapshots: MemorySnapshots::default(),
            states: DecoderStates::default(),
        }
    }
}

/// Trackers of a file.
pub struct FileTrackers {
    /// Flows by id.
    pub flows: Flows,
    /// Start of the kernel's events.
    pub ftrace: FtraceStart,
    /// Configuration and statistics of the recording.
    pub recording: Recording,
    /// Writers of the recording.
    pub writers: Writers,
    /// What hashes and obfuscated names stand for.
    pub translations: Translations,
    /// Kinds of kernel events that occur.
    pub seen_events: SeenEvents,
    /// The range of interest.
    pub interest: Interest,
    /// Keys of message fields.
    pub messages: MessagePaths,
    /// State of single decoders.
    pub states: DecoderStates,
}

impl FileTrackers {
    fn new(crop: bool, strings: &mut StringPool) -> Self {
        Self {
            flows: Flows::default(),
            ftrace: FtraceStart::default(),
            recording: Recording::default(),
            writers: Writers::default(),
            translations: Translations::default(),
            seen_events: SeenEvents::default(),
            interest: Interest::new(crop),
            messages: MessagePaths::new(strings),
            states: DecoderStates::default(),
        }
    }
}

/// State that a single decoder keeps between events, by its type. The type is declared next to the
/// decoder; the group that holds this object gives its scope.
#[derive(Default)]
pub struct DecoderStates(FxHashMap<TypeId, Box<dyn Any + Send>>);

impl DecoderStates {
    /// The state of a type, which is its default at first.
    pub fn get<T: Default + Send + 'static>(&mut self) -> &mut T {
        let state = self.0.entry(TypeId::of::<T>()).or_insert_with(|| Box::new(T::default()));
        match state.downcast_mut() {
            Some(state) => state,
            None => unreachable!("the key is the type"),
        }
    }
}

/// The groups of a scope other than the current one, by number. The slot of the current one holds a
/// spare group.
struct Parked<T> {
    groups: Vec<Box<T>>,
    current: usize,
}

impl<T> Parked<T> {
    /// Makes `count` groups, one at least, and returns the current one with the others.
    fn new(count: usize, mut make: impl FnMut(usize) -> T) -> (Box<T>, Self) {
        let first = Box::new(make(0));
        let others = (1..count.max(1)).map(|number| Box::new(make(number)));
        let others: Vec<_> = others.collect();
        let spare = Box::new(make(0));
        (first, Self { groups: std::iter::once(spare).chain(others).collect(), current: 0 })
    }

    /// Exchanges the current group for that of another number.
    fn enter(&mut self, current: &mut Box<T>, number: usize) {
        debug_assert!(number < self.groups.len());
        let number = number.min(self.groups.len() - 1);
        if number == self.current {
            return;
        }
        std::mem::swap(current, &mut self.groups[self.current]);
        std::mem::swap(current, &mut self.groups[number]);
        self.current = number;
    }

    /// All groups by number, given the current one.
    fn all<'a>(&'a self, current: &'a T) -> impl Iterator<Item = &'a T> {
        self.groups.iter().enumerate().map(move |(number, parked)| match number == self.current {
            true => current,
            false => &**parked,
        })
    }
}

impl Trackers {
    /// Trackers for the machines and files of an import.
    pub fn new(setup: &Setup, tables: &mut Tables) -> Self {
        let Setup { sources, files, ftrace_raw, crop, late_args, left_out, .. } = setup;
        let strings = &mut tables.strings;
        let machine = |source: usize| sources.get(source as SourceId).machine;
        let (source, other_sources) =
            Parked::new(sources.len(), |source| SourceTrackers::new(machine(source), strings));
        let (file, other_files) = Parked::new(*files, |_| FileTrackers::new(*crop, strings));
        Self {
            source,
            file,
            other_sources,
            other_files,
            sources: sources.clone(),
            current: SourceId::MAX,
            processes: Processes::default(),
            cpus: Cpus::default(),
            comms: RecentTexts::default(),
            deferred: DeferredWrites::new(*late_args, *left_out, strings),
            metadata: Metadata::default(),
            bounds: Bounds::default(),
            has_ftrace_event: *ftrace_raw && !left_out.contains(TableGroup::KernelEvents),
            leaves_out_tracks: left_out.contains(TableGroup::Tracks),
            presences: Presences::default(),
            memory: MemoryOwners::default(),
            open_args: OpenArgs::default(),
            gpus: Gpus::default(),
            undecided: Undecided::default(),
            perf_counters: PerfCounters::default(),
            samples: ProfilerSamples::default(),
            owner_args: OwnerArgs::default(),
            heap_graphs: HeapGraphs::default(),
            heap_profiles: HeapProfiles::default(),
            states: DecoderStates::default(),
            reported_by: ReportedBy::default(),
            logged: FxHashMap::default(),
        }
    }

    /// The source of the events being decoded.
    pub fn source_id(&self) -> SourceId {
        self.current
    }

    /// Continues with events of a source.
    #[inline]
    pub fn enter(&mut self, id: SourceId) {
        if id != self.current {
            self.change(id);
        }
    }

    fn change(&mut self, id: SourceId) {
        self.current = id;
        let source = self.sources.get(id);
        self.other_sources.enter(&mut self.source, id as usize);
        self.other_files.enter(&mut self.file, source.file as usize);
        self.deferred.enter(id);
        self.metadata.enter(source);
    }

    /// The trackers of all sources, by source.
    pub(super) fn all_sources(&self) -> impl Iterator<Item = &SourceTrackers> {
        self.other_sources.all(&self.source)
    }

    /// The trackers of all files, by file.
    pub fn all_files(&self) -> impl Iterator<Item = &FileTrackers> {
        self.other_files.all(&self.file)
    }
}

#[cfg(test)]
mod tests {
    use tpq_clock::Source;

    use super::*;

    #[derive(Default)]
    struct Entered(u32);

    /// Two machines, the second of them in two files.
    fn trackers() -> Trackers {
        let mut sources = Sources::default();
        for (file, machine) in [(0, 0), (0, 1), (1, 1)] {
            sources.add(Source { file, machine });
        }
        let setup = Setup { sources, files: 2, ..Setup::default() };
        Trackers::new(&setup, &mut Tables::default())
    }

    /// The numbers that a source and its file were given.
    fn seen(trackers: &mut Trackers, source: SourceId) -> (u32, u32) {
        trackers.enter(source);
        (trackers.source.states.get::<Entered>().0, trackers.file.states.get::<Entered>().0)
    }

    #[test]
    fn each_source_and_each_file_has_its_own_trackers() {
        let mut trackers = trackers();
        for source in [0, 1, 2, 1, 0] {
            trackers.enter(source);
            assert_eq!(trackers.source_id(), source);
            trackers.source.states.get::<Entered>().0 += 10 + source;
            trackers.file.states.get::<Entered>().0 += 1;
        }
        let seen = [2, 0, 1].map(|source| seen(&mut trackers, source));
        assert_eq!(seen, [(12, 1), (20, 4), (22, 4)]);
    }

    #[test]
    fn all_groups_come_in_the_order_of_their_numbers() {
        let mut trackers = trackers();
        let key = |it: &DecoderStates| it.0.len();
        for current in [0, 2, 1] {
            trackers.enter(current);
            let mut sources = vec![0; 3];
            sources[current as usize] = 1;
            trackers.source.states.get::<Entered>();
            let found: Vec<usize> = trackers.all_sources().map(|it| key(&it.states)).collect();
            assert_eq!(found, sources);
            trackers.source.states = DecoderStates::default();
            assert_eq!(trackers.all_files().count(), 2);
        }
    }

    #[test]
    fn metadata_and_deferred_writes_follow_the_source() {
        let (mut trackers, mut tables) = (trackers(), Tables::default());
        for source in [2, 0] {
            trackers.enter(source);
            trackers.metadata.set_text("trace_type", "proto", &mut tables);
        }
        let rows = tables.metadata.trace_id.iter().collect::<Vec<_>>();
        assert_eq!(rows.len(), 2, "one row for each file: {rows:?}");
        trackers.enter(0);
        trackers.enter(1);
        assert_eq!(trackers.deferred.sources(), [2, 0, 1], "one entry for each change");
    }
}
