//! Tracks that writers describe under ids of their own.
//!
//! A descriptor says what a track is of (a thread, a process, a counter, or whatever its parent
//! is of) before events name it by its uuid. Tracks of one parent and one name are shown as one,
//! unless the descriptor asks for a line of its own: their slices lie on shared tracks.

use rustc_hash::FxHashMap;
use tpq_ingest::GenerationId;
use tpq_tables::table::TrackRow;
use tpq_tables::{StringId, Tables};

use super::track_owner::{Owner, Owners};
use super::tracks::SharedTracks;
use super::{ArgSet, ArgValue, Args, Dimensions, Processes, TrackKind, Tracks, Utid};

/// Descriptors that lead to each other in a circle end here.
const MAX_ANCESTORS: usize = 64;

/// A counter as described.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DescribedCounter {
    pub(crate) multiplier: i64,
    pub(crate) incremental: bool,
    /// Whether it is the CPU time of the thread it belongs to.
    pub(crate) thread_time: bool,
    /// Whether it is the instruction count of the thread it belongs to.
    pub(crate) thread_instructions: bool,
    pub(crate) unit: StringId,
}

/// What a described track is of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DescribedKind {
    /// A thread, by the ids its program knows; `shared` with what the kernel says of it.
    Thread {
        pid: i64,
        tid: i64,
        /// Whether the tid means something in the process only.
        sandboxed: bool,
        shared: bool,
    },
    /// A process, by the pid it knows itself by.
    Process {
        pid: i64,
    },
    Counter(DescribedCounter),
    State,
    Custom,
}

/// A descriptor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Described {
    pub(crate) kind: DescribedKind,
    pub(crate) parent: u64,
    pub(crate) name: StringId,
    pub(crate) description: StringId,
    /// Whether it is shown as one with its siblings of the same key.
    pub(crate) merge: bool,
    /// What its siblings are matched by; the name when NULL.
    pub(crate) merge_key: StringId,
    pub(crate) machine: u32,
    /// The pid of the writer as the machine knows it, where the recorder says.
    pub(crate) writer: Option<i32>,
}

/// What an event wants of its track.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Usage {
    Begin,
    End,
    Instant,
    Counter,
}

/// The defaults a writer sets for its track events.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventDefaults {
    pub(crate) track: Option<u64>,
    pub(crate) counters: Vec<u64>,
    pub(crate) double_counters: Vec<u64>,
}

/// Tracks of one parent and name, shown as one.
#[derive(Default)]
struct SharedGroup {
    tracks: SharedTracks,
    parent: Option<u32>,
}

/// Remembers descriptors and the tracks made of them. Uuids mean something on one machine in one
/// file.
#[derive(Default)]
pub(crate) struct TrackUuids {
    /// The machine's row.
    home: u32,
    described: FxHashMap<u64, Described>,
    owners: Owners,
    /// Tracks that stand for themselves.
    own: FxHashMap<u64, u32>,
    /// The group of each track that is shared with its siblings.
    member_of: FxHashMap<u64, u32>,
    groups: FxHashMap<(Option<u32>, Owner, StringId), u32>,
    shared: Vec<SharedGroup>,
    /// The running totals of incremental counters, by scope of interned state.
    totals: FxHashMap<(u32, u64), i64>,
    pub(crate) defaults: FxHashMap<GenerationId, EventDefaults>,
}

impl TrackUuids {
    pub(crate) fn new(home: u32) -> Self {
        Self { home, ..Self::default() }
    }

    /// Notes a descriptor. A later one for the same track adds what the first left out.
    pub(crate) fn describe(&mut self, uuid: u64, described: Described, tables: &mut Tables) {
        let entry = self.described.entry(uuid).or_insert(described);
        if entry.name.is_null() && !described.name.is_null() {
            entry.name = described.name;
            if let Some(&track) = self.own.get(&uuid) {
                tables.track.name.set(track, described.name);
            }
        }
    }

    /// What is known of a counter.
    pub(crate) fn counter(&self, uuid: u64) -> Option<DescribedCounter> {
        match self.described.get(&uuid)?.kind {
            DescribedKind::Counter(counter) => Some(counter),
            _ => None,
        }
    }

    /// The value of a counter in its unit, from what an event carried.
    pub(crate) fn counter_value(&mut self, scope: u32, uuid: u64, raw: i64) -> i64 {
        let Some(counter) = self.counter(uuid) else { return raw };
        let value = raw.saturating_mul(counter.multiplier);
        if !counter.incremental {
            return value;
        }
        let total = self.totals.entry((scope, uuid)).or_default();
        *total = total.saturating_add(value);
        *total
    }

    fn owner(&self, uuid: u64) -> Owner {
        let mut uuid = uuid;
        let mut machine = self.home;
        for _ in 0..MAX_ANCESTORS {
            let Some(described) = self.described.get(&uuid) else { break };
            machine = described.machine;
            match self.owners.get(uuid) {
                Some(owner) => return owner,
                None => uuid = described.parent,
            }
        }
        Owner::Machine(machine)
    }

    /// The thread a track is of, once that was decided.
    pub(crate) fn thread(&self, uuid: u64) -> Option<Utid> {
        match self.owner(uuid) {
            Owner::Thread(utid) => Some(utid),
            _ => None,
        }
    }

    /// Decides which threads and processes a track and its ancestors are of, those of the
    /// ancestors first. From then on they stay so, whoever has the ids later.
    pub(crate) fn identify(&mut self, uuid: u64, processes: &mut Processes, tables: &mut Tables) {
        let mut ancestors = Vec::new();
        let mut next = uuid;
        while let Some(described) = self.described.get(&next)
            && ancestors.len() < MAX_ANCESTORS
        {
            ancestors.push((next, *described));
            next = described.parent;
        }
        for (uuid, described) in ancestors.iter().rev() {
            self.owners.decide(*uuid, described, processes, tables);
        }
    }

    /// Whether a track and all its ancestors were described. Track 0 needs no descriptor.
    pub(crate) fn is_described(&self, uuid: u64) -> bool {
        let mut uuid = uuid;
        for _ in 0..MAX_ANCESTORS {
            if uuid == 0 {
                return true;
            }
            match self.described.get(&uuid) {
                Some(described) => uuid = described.parent,
                None => return false,
            }
        }
        false
    }

    /// The number of tracks that were described and have an ancestor that was not.
    pub(crate) fn orphans(&self) -> i64 {
        self.described.keys().filter(|&&uuid| !self.is_described(uuid)).count() as i64
    }

    /// A track without a name goes by that of the first event on it.
    pub(crate) fn name_by_event(&mut self, uuid: u64, name: StringId) {
        if let Some(described) = self.described.get_mut(&uuid)
            && described.name.is_null()
            && matches!(described.kind, DescribedKind::Custom)
            && !self.own.contains_key(&uuid)
            && !self.member_of.contains_key(&uuid)
        {
            described.name = name;
        }
    }

    /// The track an event lies on.
    pub(crate) fn track(
        &mut self,
        uuid: u64,
        usage: Usage,
        processes: &mut Processes,
        tracks: &mut Tracks,
        args: &mut Args,
        tables: &mut Tables,
    ) -> u32 {
        if !self.own.contains_key(&uuid) && !self.member_of.contains_key(&uuid) {
            self.identify(uuid, processes, tables);
        }
        self.track_at(uuid, usage, MAX_ANCESTORS, tracks, args, tables)
    }

    fn track_at(
        &mut self,
        uuid: u64,
        usage: Usage,
        depth: usize,
        tracks: &mut Tracks,
        args: &mut Args,
        tables: &mut Tables,
    ) -> u32 {
        if let Some(&track) = self.own.get(&uuid) {
            return track;
        }
        if let Some(&group) = self.member_of.get(&uuid) {
            return self.shared_track(uuid, group, usage, args, tables);
        }
        let described = self
            .described
            .get(&uuid)
            .copied()
            .unwrap_or_else(|| undescribed(uuid, self.home, tables));
        if let DescribedKind::Thread { shared: true, .. } = described.kind
            && let Some(Owner::Thread(utid)) = self.owners.get(uuid)
        {
            let kind = TrackKind::slices("thread_execution");
            let thread = Dimensions::thread(utid);
            let track = tracks.get(kind, thread, StringId::NULL, args, tables);
            self.own.insert(uuid, track);
            return track;
        }
        let parent = match described.parent {
            parent if depth == 0 || parent == uuid || !self.described.contains_key(&parent) => None,
            parent => Some(self.track_at(parent, Usage::Instant, depth - 1, tracks, args, tables)),
        };
        let shares = described.merge
            && matches!(described.kind, DescribedKind::Custom)
            && usage != Usage::Counter;
        if !shares {
            let track = self.make(uuid, &described, parent, None, args, tables);
            self.own.insert(uuid, track);
            return track;
        }
        let key = (parent, self.owner(uuid), described.merge_key.or(described.name));
        let next = self.groups.len() as u32;
        let group = *self.groups.entry(key).or_insert(next);
        if group == next {
            self.shared.push(SharedGroup { tracks: SharedTracks::default(), parent });
        }
        self.member_of.insert(uuid, group);
        self.shared_track(uuid, group, usage, args, tables)
    }

    fn shared_track(
        &mut self,
        uuid: u64,
        group: u32,
        usage: Usage,
        args: &mut Args,
        tables: &mut Tables,
    ) -> u32 {
        let mut shared = std::mem::take(&mut self.shared[group as usize]);
        let described = self.described.get(&uuid).copied();
        let mut make = |_| {
            let described = described.unwrap_or_else(|| undescribed(uuid, self.home, tables));
            self.make(uuid, &described, shared.parent, Some(group), args, tables)
        };
        let track = match usage {
            Usage::Begin => shared.tracks.begin(uuid, &mut make),
            Usage::End => shared.tracks.end(uuid, &mut make),
            Usage::Instant | Usage::Counter => shared.tracks.instant(uuid, &mut make),
        };
        self.shared[group as usize] = shared;
        track
    }

    fn make(
        &self,
        uuid: u64,
        described: &Described,
        parent: Option<u32>,
        group: Option<u32>,
        args: &mut Args,
        tables: &mut Tables,
    ) -> u32 {
        let owner = self.owner(uuid);
        let (unit, is_counter) = match described.kind {
            DescribedKind::Counter(counter) => (counter.unit, true),
            _ => (StringId::NULL, false),
        };
        let kind = kind_name(owner, described.kind, group.is_some());
        let mut row = TrackRow {
            name: described.name,
            track_type: tables.strings.intern(kind),
            parent_id: parent,
            track_group_id: group,
            unit,
            description: described.description,
            is_counter: u32::from(is_counter),
            ..TrackRow::default()
        };
        let mut dimensions = ArgSet::default();
        let mut add = |name: &str, value: ArgValue, tables: &mut Tables| {
            dimensions.add(tables.strings.intern(name), value);
        };
        match owner {
            Owner::Thread(utid) => {
                row.utid = Some(utid);
                row.machine_id = tables.thread.machine_id.get(utid);
                add("utid", ArgValue::Int(i64::from(utid)), tables);
            }
            Owner::Process(upid) => {
                row.upid = Some(upid);
                row.machine_id = tables.process.machine_id.get(upid);
                add("upid", ArgValue::Int(i64::from(upid)), tables);
            }
            Owner::Machine(machine) => row.machine_id = machine,
        }
        if group.is_none() {
            add("track_uuid", ArgValue::Int(uuid as i64), tables);
        }
        row.dimension_arg_set_id = args.intern(&dimensions, tables);
        let mut source = ArgSet::default();
        let descriptor = ArgValue::String(tables.strings.intern("descriptor"));
        source.add(tables.strings.intern("source"), descriptor);
        source.add(tables.strings.intern("trace_id"), ArgValue::Int(uuid as i64));
        row.source_arg_set_id = args.intern(&source, tables);
        tables.track.push(row)
    }
}

/// What stands for a track that no descriptor told of.
fn undescribed(uuid: u64, machine: u32, tables: &mut Tables) -> Described {
    let name = match uuid {
        0 => tables.strings.intern("Default Track"),
        _ => StringId::NULL,
    };
    Described {
        kind: DescribedKind::Custom,
        parent: 0,
        name,
        description: StringId::NULL,
        merge: true,
        merge_key: StringId::NULL,
        machine,
        writer: None,
    }
}

fn kind_name(owner: Owner, kind: DescribedKind, shared: bool) -> &'static str {
    match (kind, shared, owner) {
        (DescribedKind::Counter(_), _, Owner::Thread(_)) => "thread_counter_track_event",
        (DescribedKind::Counter(_), _, Owner::Process(_)) => "process_counter_track_event",
        (DescribedKind::Counter(_), _, Owner::Machine(_)) => "global_counter_track_event",
        (DescribedKind::State, _, Owner::Thread(_)) => "thread_state_track_event",
        (DescribedKind::State, _, Owner::Process(_)) => "process_state_track_event",
        (DescribedKind::State, _, Owner::Machine(_)) => "global_state_track_event",
        (_, true, Owner::Thread(_)) => "thread_merged_track_event",
        (_, true, Owner::Process(_)) => "process_merged_track_event",
        (_, true, Owner::Machine(_)) => "global_merged_track_event",
        (_, false, Owner::Thread(_)) => "thread_track_event",
        (_, false, Owner::Process(_)) => "process_track_event",
        (_, false, Owner::Machine(_)) => "global_track_event",
    }
}
