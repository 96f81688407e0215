//! Descriptions of tracks by writers.

use rustc_hash::FxHashMap;
use tpq_tables::StringId;

/// Something that counters of a thread count, known by the names of their tracks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Builtin {
    /// The CPU time of the thread, ns.
    ThreadTime,
    /// The instructions it executed.
    ThreadInstructions,
}

impl Builtin {
    const ALL: [Self; 2] = [Self::ThreadTime, Self::ThreadInstructions];

    /// Its name in the trace.
    pub fn name(self) -> &'static str {
        match self {
            Self::ThreadTime => "thread_time",
            Self::ThreadInstructions => "thread_instruction_count",
        }
    }

    /// The unit of tracks of that name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|builtin| builtin.name() == name)
    }
}

/// A counter as described.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DescribedCounter {
    /// The factor of values; ignored unless positive.
    pub multiplier: i64,
    /// Whether values are differences from the one before.
    pub incremental: bool,
    /// The counter that its type defines.
    pub builtin: Option<Builtin>,
    /// The counter of its thread that its name defines.
    pub counts: Option<Builtin>,
    /// Unit of the values; NULL if unknown.
    pub unit: StringId,
    /// Categories, separated by commas; NULL for none.
    pub category: StringId,
    /// Counters of one parent and one such key are drawn on one scale.
    pub share_key: StringId,
}

/// The owner of a described track.
#[derive(Clone, Copy, Debug)]
pub enum DescribedKind {
    /// A thread, by the ids its program knows; `shared` with what the kernel says of it.
    Thread {
        /// The pid as the program knows it.
        pid: i64,
        /// The tid as the program knows it.
        tid: i64,
        /// Whether the tid means something in the process only.
        sandboxed: bool,
        /// Whether slices of the kernel lie on the same track.
        shared: bool,
    },
    /// A process, by the pid it knows itself by.
    Process {
        /// The pid as the program knows it.
        pid: i64,
    },
    /// Values of a counter.
    Counter(DescribedCounter),
    /// States.
    State,
    /// Slices of something that is neither a thread nor a process.
    Custom,
}

/// With which of its siblings a track is shown as one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Merge {
    /// With those of its name.
    ByName,
    /// With those of its key.
    ByKey(StringId),
    /// With none.
    Never,
}

/// A descriptor.
#[derive(Clone, Copy, Debug)]
pub struct Described {
    /// The owner of the track.
    pub kind: DescribedKind,
    /// Uuid of the parent; 0 for none.
    pub parent: u64,
    /// Name of the track; NULL for none.
    pub name: StringId,
    /// Description of the track; NULL for none.
    pub description: StringId,
    /// The siblings that the track merges with.
    pub merge: Merge,
    /// In which order its children are shown.
    pub ordering: Option<&'static str>,
    /// Its rank among its siblings, where their parent orders them so.
    pub rank: Option<i32>,
    /// Row of the machine in `machine`.
    pub machine: u32,
    /// The pid of the writer as the machine knows it, where the recorder says.
    pub writer: Option<i32>,
}

impl Described {
    /// Whether another descriptor may be of the same track. Names and what only says how a track
    /// is shown may differ.
    pub(in crate::track) fn is_of_same_track(&self, other: &Self) -> bool {
        let ids = |kind: DescribedKind| match kind {
            DescribedKind::Thread { pid, tid, .. } => (Some(pid), Some(tid), None),
            DescribedKind::Process { pid } => (Some(pid), None, None),
            DescribedKind::Counter(counter) => {
                let unit = StringId::NULL;
                (None, None, Some(DescribedCounter { unit, counts: None, ..counter }))
            }
            DescribedKind::State | DescribedKind::Custom => (None, None, None),
        };
        self.parent == other.parent
            && self.merge == other.merge
            && ids(self.kind) == ids(other.kind)
    }

    /// Whether it stands for a thread or a process itself.
    pub(in crate::track) fn is_root(&self) -> bool {
        matches!(self.kind, DescribedKind::Thread { .. } | DescribedKind::Process { .. })
    }

    /// Whether it is shown as one with siblings.
    pub(in crate::track) fn is_merged(&self) -> bool {
        matches!(self.kind, DescribedKind::Custom) && self.merge != Merge::Never
    }
}

/// Descriptors by the uuids of their tracks. Programs make a track for each task: what moves as the
/// map grows is the place of each descriptor alone.
#[derive(Default)]
pub(in crate::track) struct DescribedTracks(FxHashMap<u64, Box<Described>>);

impl DescribedTracks {
    /// The descriptor of a track.
    pub(in crate::track) fn get(&self, uuid: u64) -> Option<&Described> {
        let described = self.0.get(&uuid)?;
        Some(described)
    }

    /// The same; the one of `make` where there is none.
    pub(in crate::track) fn get_or(
        &mut self,
        uuid: u64,
        make: impl FnOnce() -> Described,
    ) -> &mut Described {
        self.0.entry(uuid).or_insert_with(|| Box::new(make()))
    }
}
