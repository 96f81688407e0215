//! Trackers: state that is kept from event to event, in the order of time.
//!
//! Decoders own bytes, trackers own meaning. Each tracker owns one concept and writes the tables
//! of it; none knows of protobuf. Rows that no tracker reads go to the deferred writer.

pub(crate) mod android;
pub(crate) mod chrome;
pub(crate) mod counters;
pub(crate) mod graphics;
pub(crate) mod heap;
pub(crate) mod kernel;
pub(crate) mod power;
pub(crate) mod profilers;
pub(crate) mod recorder;
mod scopes;
pub(crate) mod slices;
pub(crate) mod tasks;
pub(crate) mod tracks;
mod write_all;

pub use crate::deferred::NextTask;
pub use crate::ids::{IDLE, Tid, Upid, Utid};
pub use android::packages::Packages;
pub use chrome::instants::{GLOBAL_INSTANTS, PROCESS_INSTANTS};
pub use chrome::memory_dump::{DumpedNode, MemoryValue, ProcessDump};
pub use chrome::memory_snapshots::MemorySnapshots;
pub use counters::counter::{push_counter, push_counter_with};
pub use counters::sparse::SparseCounters;
pub use counters::thread_counter::{ReportedBy, ThreadCounter, Undecided};
pub use graphics::buffer::{Buffers, Phase};
pub use graphics::frames::Frames;
pub use graphics::gpu::{GpuCounter, GpuCounters, Gpus};
pub use graphics::render_stage::{Description, GpuQueue, RenderStages};
pub use heap::ancestors::ancestors_with_fields;
pub use heap::deobfuscation::{ClassMapping, HeapNames};
pub use heap::graph::{HeapGraph, NewClass, NewObject, PRIMITIVE_FIELDS, PrimitiveType};
pub use heap::graphs::{DumpedClass, HeapGraphs};
pub use heap::profiles::{Allocation, HeapProfile, HeapProfiles};
pub use kernel::binder::{Binder, Command, Return, Transaction};
pub use kernel::cpu::{Cpus, MAX_CPUS};
pub use kernel::disk::Disks;
pub use kernel::drm::{Drm, FenceTimeline, Job};
pub use kernel::ftrace_start::FtraceStart;
pub use kernel::kernel_events::{KernelTrackEvent, TrackContext};
pub use kernel::kernel_work::{Adreno, KernelWork, Suspend, TickAnchor, VideoBuffer};
pub use kernel::mm::MemoryOwners;
pub use kernel::network::Network;
pub use kernel::page_size::PageSize;
pub use kernel::sched::{PreviousTask, Sched};
pub use kernel::seen_events::SeenEvents;
pub use kernel::syscall::{Call, SyscallHandling, Syscalls};
pub use kernel::task_state::{Change, TaskStates};
pub use power::power_state::{Consumer, EntityState, Power};
pub use power::uid_time::UidTimes;
pub use power::wakelock::{KernelWakelock, KernelWakelocks};
pub use profilers::perf::{PerfCounters, PerfTracks};
pub use profilers::samples::{Profiler, ProfilerSamples, SampledTask, push_counter_set};
pub use profilers::symbol_packets::{NameMapping, SymbolPackets};
pub use recorder::import_log::log_row;
pub use recorder::interest::Interest;
pub use recorder::metadata::{Metadata, MetadataValue};
pub use recorder::recording::{CentralBuffer, KernelBuffer, KernelCounts, Recording};
pub use recorder::requested::{FillPolicy, RequestedConfig, RequestedFtrace};
pub use recorder::translations::{HashOf, Translations};
pub use recorder::writer::{Writers, by_writer};
pub use scopes::{DecoderStates, FileTrackers, SourceTrackers, Trackers};
pub use slices::async_track::{AsyncId, AsyncPhase};
pub use slices::flow::{FlowEnd, FlowId, Flows};
pub use slices::open_args::OpenArgs;
pub use slices::slice::{NewSlice, SliceEnd, Slices};
pub use slices::state::{NewState, States};
pub use tasks::owner_args::OwnerArgs;
pub use tasks::presences::Presences;
pub use tasks::process::{NamePriority, NewTask, Processes};
pub use tasks::recent_text::RecentTexts;
pub use tasks::sequence_thread::{SequenceThread, SequenceThreads, ThreadTotals};
pub use tracks::described::{Builtin, Described, DescribedCounter, DescribedKind, Merge};
pub use tracks::kinds::{DimensionValue, Dimensions, SharedTracks, TrackKind, Tracks};
pub use tracks::shared::{SharedByKind, Sharing};
pub use tracks::track_owner::{Owner, unique_tid};
pub use tracks::track_uuid::{FirstEvent, TrackRows, TrackUuids, Usage};

use tpq_tables::{StringId, Tables};

use crate::args::ArgSet;

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
        let track = self.source.tracks.get(kind, dimensions, name, &mut self.deferred, tables);
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
        let track = self.source.tracks.get(kind, dimensions, name, &mut self.deferred, tables);
        let set = self.deferred.intern(args);
        push_counter_with(ts, track, value, set, &mut self.bounds, tables);
    }
}

/// The first and last moment anything was recorded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds(Option<(i64, i64)>);

impl Bounds {
    /// Extends the bounds to a timestamp, ns of trace time.
    pub fn include(&mut self, ts: i64) {
        self.0 = Some(self.0.map_or((ts, ts), |(start, end)| (start.min(ts), end.max(ts))));
    }

    /// Returns the first and the last timestamp; `None` before any event.
    pub fn get(self) -> Option<(i64, i64)> {
        self.0
    }
}
