//! Tracks that writers describe under ids of their own.
//!
//! A descriptor says what a track is of (a thread, a process, a counter, or whatever its parent
//! is of) before events name it by its uuid. Tracks of one parent and one name are shown as one,
//! unless the descriptor asks for a line of its own: their slices lie on shared tracks.

use rustc_hash::FxHashMap;
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::args::{ArgSet, ArgValue};
use crate::deferred::DeferredWrites;
use crate::track::tracks::described::DescribedTracks;
use crate::track::tracks::described_track::{NewTrack, merge_key};
use crate::track::tracks::kinds::SharedTracks;
use crate::track::tracks::recent::RecentTracks;
use crate::track::tracks::track_owner::{Owner, Owners};
use crate::track::{
    Builtin, Described, DescribedCounter, DescribedKind, Merge, Processes, Trackers, Tracks,
};

/// Tracks nested deeper are not followed.
const MAX_ANCESTORS: usize = 100;

/// The use of a track by an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Usage {
    /// A slice begins.
    Begin,
    /// A slice ends.
    End,
    /// An instant.
    Instant,
}

/// Facts that an event adds to a track on its first use.
#[derive(Clone, Copy, Debug, Default)]
pub struct FirstEvent {
    /// The name of the event, for a track that has none.
    pub name: StringId,
    /// Whether the first packet of its writer was seen.
    pub whole: bool,
}

/// The tables that tracks are written into.
pub struct TrackRows<'a> {
    /// The rows of `track`.
    pub tracks: &'a mut Tracks,
    /// Receives arg sets.
    pub deferred: &'a mut DeferredWrites,
    /// The tables.
    pub tables: &'a mut Tables,
}

/// The track row that the events of a described track belong to.
#[derive(Clone, Copy)]
enum TrackTarget {
    /// On a track of their own.
    Own(u32),
    /// On tracks that they share with those of siblings.
    Group(u32, FirstEvent),
}

/// Facts about a track that events name, in one place: nearly every event asks for all of them, and
/// programs make a track for each task.
#[derive(Clone, Copy, Default)]
struct KnownTrack {
    /// How many tracks lead from it to one without a parent, both included, where all are known.
    depth: Option<u8>,
    /// Its owner, once decided.
    owner: Option<Owner>,
    /// Where its events lie, after the first one.
    target: Option<TrackTarget>,
}

impl KnownTrack {
    /// Whether nothing about it changes any more.
    fn is_complete(&self) -> bool {
        self.depth.is_some() && self.owner.is_some() && self.target.is_some()
    }
}

/// Facts about a counter that turn what events carry into values.
#[derive(Clone, Copy)]
struct KnownCounter {
    /// The scope of interned state that its total is of.
    scope: u32,
    multiplier: i64,
    counts: Option<Builtin>,
    /// Where its running total is, if values are differences.
    total: Option<u32>,
}

/// The key of a group of tracks: their owner, the parent's uuid, and the kind and
/// the value of the key they are matched by.
type GroupKey = (Owner, u64, i64, StringId);

/// Tracks that are shown as one.
#[derive(Default)]
struct SharedGroup {
    tracks: SharedTracks,
    /// The row of their parent.
    parent: Option<u32>,
}

/// Remembers descriptors and the tracks made of them. Uuids mean something on one machine in one
/// file.
#[derive(Default)]
pub struct TrackUuids {
    /// The machine's row.
    home: u32,
    described: DescribedTracks,
    known: FxHashMap<u64, KnownTrack>,
    /// Complete ones among these, which events lately named.
    recent: RecentTracks<KnownTrack>,
    /// Tracks with ancestors that never will be known.
    unsound: FxHashMap<u64, Stat>,
    owners: Owners,
    groups: FxHashMap<GroupKey, u32>,
    shared: Vec<SharedGroup>,
    /// The running totals of incremental counters.
    totals: Vec<f64>,
    /// Where the total of each is, by scope of interned state.
    total_of: FxHashMap<(u32, u64), u32>,
    /// Counters that events lately named.
    recent_counters: RecentTracks<KnownCounter>,
}

impl TrackUuids {
    /// Creates the state of a machine in a file; `home` is the row of the machine.
    pub fn new(home: u32) -> Self {
        Self { home, ..Self::default() }
    }

    /// Notes a descriptor. A later one for the same track may add a name.
    pub fn describe(
        &mut self,
        uuid: u64,
        described: Described,
        tables: &mut Tables,
    ) -> Result<(), Stat> {
        if uuid == 0 && described.parent != 0 {
            return Err(Stat::TrackDescriptorDefaultTrackWithParent);
        }
        let entry = self.described.get_or(uuid, || described);
        if !entry.is_of_same_track(&described) {
            return Err(Stat::TrackDescriptorConflictingReservation);
        }
        let alone = described.merge == Merge::Never;
        if !described.name.is_null() && (entry.name.is_null() || alone) {
            entry.name = described.name;
            let target = self.known.get(&uuid).and_then(|known| known.target);
            if let (true, Some(TrackTarget::Own(track))) = (alone, target) {
                tables.track.name.set(track, described.name);
            }
        }
        self.note_depth(uuid, described.parent);
        Ok(())
    }

    /// Notes the depth of a track as it is described, if that of its parent is known. Otherwise the
    /// first event on the track finds it, at a time when the decoder has no other thread to wait for.
    fn note_depth(&mut self, uuid: u64, parent: u64) {
        if uuid == 0 || self.depth(uuid).is_some() {
            return;
        }
        let above = if parent == 0 { Some(0) } else { self.depth(parent) };
        let depth = above.map(|above| above + 1);
        if let Some(depth) = depth.filter(|&depth| usize::from(depth) < MAX_ANCESTORS) {
            self.known.entry(uuid).or_default().depth = Some(depth);
        }
    }

    /// Facts about a counter.
    fn counter(&self, uuid: u64) -> Option<DescribedCounter> {
        match self.described.get(uuid)?.kind {
            DescribedKind::Counter(counter) => Some(counter),
            _ => None,
        }
    }

    /// The value of a counter in its unit, from what an event carried, and the count of a thread
    /// that it is; `None` for what is no counter.
    pub fn counter_value(
        &mut self,
        scope: u32,
        uuid: u64,
        raw: f64,
    ) -> Option<(f64, Option<Builtin>)> {
        let recent = self.recent_counters.get(uuid).filter(|counter| counter.scope == scope);
        let counter = recent.or_else(|| self.known_counter(scope, uuid))?;
        let value = match counter.multiplier {
            multiplier if multiplier > 0 => raw * multiplier as f64,
            _ => raw,
        };
        let Some(total) = counter.total else { return Some((value, counter.counts)) };
        let total = &mut self.totals[total as usize];
        *total += value;
        Some((*total, counter.counts))
    }

    /// Finds a counter, which has a total from then on if it needs one; `None` for what is none.
    fn known_counter(&mut self, scope: u32, uuid: u64) -> Option<KnownCounter> {
        let DescribedCounter { multiplier, incremental, counts, .. } = self.counter(uuid)?;
        let total = incremental.then(|| {
            let next = self.totals.len() as u32;
            let total = *self.total_of.entry((scope, uuid)).or_insert(next);
            if total == next {
                self.totals.push(0.0);
            }
            total
        });
        let counter = KnownCounter { scope, multiplier, counts, total };
        self.recent_counters.put(uuid, counter);
        Some(counter)
    }

    /// Whether a track can be created: it and its ancestors are known, up to one without a parent.
    /// A track that only events name has no parent.
    pub fn check(&mut self, uuid: u64, tables: &mut Tables) -> Result<(), Stat> {
        if self.depth(uuid).is_some() {
            return Ok(());
        }
        if let Some(&stat) = self.unsound.get(&uuid) {
            return Err(stat);
        }
        let home = self.home;
        let parent = self.described.get_or(uuid, || undescribed(uuid, home, tables)).parent;
        match self.check_ancestors(uuid, parent) {
            Ok(depth) => {
                self.known.entry(uuid).or_default().depth = Some(depth);
                Ok(())
            }
            // The descriptor can follow later.
            Err(Stat::TrackHierarchyMissingUuid) => Err(Stat::TrackHierarchyMissingUuid),
            Err(stat) => {
                self.unsound.insert(uuid, stat);
                Err(stat)
            }
        }
    }

    fn depth(&self, uuid: u64) -> Option<u8> {
        self.known.get(&uuid)?.depth
    }

    /// How many tracks lead from one that was not checked to one without a parent. Parents never
    /// change, so that a track above that was checked before need not be followed.
    fn check_ancestors(&self, uuid: u64, parent: u64) -> Result<u8, Stat> {
        if uuid == 0 {
            return Ok(0);
        }
        let mut next = parent;
        for below in 1..MAX_ANCESTORS {
            if next == 0 {
                return Ok(below as u8);
            }
            if let Some(depth) = self.depth(next) {
                let depth = below + usize::from(depth);
                return match depth < MAX_ANCESTORS {
                    true => Ok(depth as u8),
                    false => Err(Stat::TrackEventTrackHierarchyTooDeep),
                };
            }
            next = self.described.get(next).ok_or(Stat::TrackHierarchyMissingUuid)?.parent;
        }
        Err(self.without_end(uuid))
    }

    /// What is wrong with a track of which the first ancestors have parents.
    #[cold]
    fn without_end(&self, uuid: u64) -> Stat {
        let mut seen = Vec::new();
        let mut next = uuid;
        while seen.len() < MAX_ANCESTORS {
            if seen.contains(&next) {
                return Stat::TrackEventTrackHierarchyLoop;
            }
            seen.push(next);
            let Some(described) = self.described.get(next) else { break };
            next = described.parent;
        }
        Stat::TrackEventTrackHierarchyTooDeep
    }

    /// Decides which threads and processes a track and its ancestors are of, those of the
    /// ancestors first. From then on they stay so, even if the ids are reused.
    pub fn identify(&mut self, uuid: u64, processes: &mut Processes, tables: &mut Tables) -> Owner {
        if let Some(owner) = self.known.get(&uuid).and_then(|known| known.owner) {
            return owner;
        }
        let owner = self.decide(uuid, processes, tables);
        self.known.entry(uuid).or_default().owner = Some(owner);
        owner
    }

    /// What a track that can be created is of, if that was decided.
    #[inline]
    pub fn identified(&mut self, uuid: u64) -> Option<Owner> {
        self.sound(uuid)?.owner
    }

    /// The row of a track that can be created, if events lie on it that take one of their own.
    #[inline]
    pub fn known_row(&mut self, uuid: u64) -> Option<u32> {
        match self.sound(uuid)?.target? {
            TrackTarget::Own(track) => Some(track),
            TrackTarget::Group(..) => None,
        }
    }

    /// Facts about a track that can be created.
    #[inline]
    fn sound(&mut self, uuid: u64) -> Option<KnownTrack> {
        if let Some(known) = self.recent.get(uuid) {
            return Some(known);
        }
        let known = *self.known.get(&uuid).filter(|known| known.depth.is_some())?;
        if known.is_complete() {
            self.recent.put(uuid, known);
        }
        Some(known)
    }

    fn decide(&mut self, uuid: u64, processes: &mut Processes, tables: &mut Tables) -> Owner {
        if let Some(owner) = self.owners.get(uuid) {
            return owner;
        }
        if let Some(owner) = self.owner_of_parent(uuid) {
            self.owners.remember(uuid, owner);
            return owner;
        }
        let mut ancestors = Vec::new();
        let mut next = uuid;
        while next != 0 || ancestors.is_empty() {
            let Some(described) = self.described.get(next) else { break };
            if self.owners.get(next).is_some() || ancestors.len() >= MAX_ANCESTORS {
                break;
            }
            ancestors.push((next, *described));
            next = described.parent;
        }
        for (uuid, described) in ancestors.iter().rev() {
            self.owners.decide(*uuid, described, processes, tables);
        }
        let owner = self.owner(uuid);
        self.owners.remember(uuid, owner);
        owner
    }

    /// What the parent of a track is of that says nothing of that itself, if that was decided.
    fn owner_of_parent(&self, uuid: u64) -> Option<Owner> {
        let described = self.described.get(uuid).filter(|described| !described.is_root())?;
        let parent = Some(described.parent).filter(|&parent| parent != 0)?;
        self.described.get(parent).and_then(|_| self.owners.get(parent))
    }

    fn owner(&self, uuid: u64) -> Owner {
        owner_of(uuid, &self.described, &self.owners, self.home)
    }

    /// The track an event lies on.
    pub fn track(
        &mut self,
        uuid: u64,
        usage: Usage,
        by: FirstEvent,
        processes: &mut Processes,
        rows: &mut TrackRows<'_>,
    ) -> u32 {
        match self.target(uuid, by, processes, rows) {
            TrackTarget::Own(track) => track,
            TrackTarget::Group(group, by) => self.shared_track(uuid, group, by, usage, rows),
        }
    }

    /// The track of events that take a track of their own; `None` where slices share theirs.
    pub fn own_track(
        &mut self,
        uuid: u64,
        by: FirstEvent,
        processes: &mut Processes,
        rows: &mut TrackRows<'_>,
    ) -> Option<u32> {
        match self.target(uuid, by, processes, rows) {
            TrackTarget::Own(track) => Some(track),
            TrackTarget::Group(..) => None,
        }
    }

    fn target(
        &mut self,
        uuid: u64,
        by: FirstEvent,
        processes: &mut Processes,
        rows: &mut TrackRows<'_>,
    ) -> TrackTarget {
        let recent = self.recent.get(uuid).and_then(|known| known.target);
        match recent.or_else(|| self.known.get(&uuid)?.target) {
            Some(target) => target,
            None => {
                self.identify(uuid, processes, rows.tables);
                self.target_at(uuid, by, MAX_ANCESTORS, processes, rows)
            }
        }
    }

    fn target_at(
        &mut self,
        uuid: u64,
        by: FirstEvent,
        depth: usize,
        processes: &mut Processes,
        rows: &mut TrackRows<'_>,
    ) -> TrackTarget {
        if let Some(target) = self.known.get(&uuid).and_then(|known| known.target) {
            return target;
        }
        let described = match self.described.get(uuid) {
            Some(described) => *described,
            None => undescribed(uuid, self.home, rows.tables),
        };
        let owner = self.owner(uuid);
        let parent = self.parent(&described, by, depth, processes, rows);
        let target = match (described.kind, owner) {
            (DescribedKind::Thread { shared: true, .. }, Owner::Thread(utid)) => {
                TrackTarget::Own(rows.tracks.execution(utid, rows.deferred, rows.tables))
            }
            (kind, _) => {
                let name = match kind {
                    DescribedKind::Custom | DescribedKind::State => described.name.or(by.name),
                    _ => described.name,
                };
                let FirstEvent { whole, .. } = by;
                let shared = None;
                self.make(NewTrack { uuid, described, owner, name, parent, whole, shared }, rows)
            }
        };
        self.known.entry(uuid).or_default().target = Some(target);
        target
    }

    /// The row of a track's parent, which there is from then on. A track that hangs from a thread's
    /// or a process's own is one of the thread or the process itself.
    fn parent(
        &mut self,
        described: &Described,
        by: FirstEvent,
        depth: usize,
        processes: &mut Processes,
        rows: &mut TrackRows<'_>,
    ) -> Option<u32> {
        if described.parent == 0 || depth == 0 {
            return None;
        }
        let by = FirstEvent { name: StringId::NULL, ..by };
        let parent = match self.target_at(described.parent, by, depth - 1, processes, rows) {
            TrackTarget::Own(track) => track,
            TrackTarget::Group(group, by) => self.first_track(described.parent, group, by, rows),
        };
        let is_root = self.described.get(described.parent).is_some_and(Described::is_root);
        (!is_root && !described.is_root()).then_some(parent)
    }

    fn make(&mut self, track: NewTrack, rows: &mut TrackRows<'_>) -> TrackTarget {
        if !track.described.is_merged() {
            return TrackTarget::Own(track.write(rows.deferred, rows.tables));
        }
        let (kind, value) = merge_key(track.described.merge, track.name);
        let key = (track.owner, track.described.parent, kind, value);
        let next = self.groups.len() as u32;
        let group = *self.groups.entry(key).or_insert(next);
        if group == next {
            let parent = track.parent;
            self.shared.push(SharedGroup { tracks: SharedTracks::default(), parent });
        }
        TrackTarget::Group(group, FirstEvent { name: track.name, whole: track.whole })
    }

    fn shared_track(
        &mut self,
        uuid: u64,
        group: u32,
        by: FirstEvent,
        usage: Usage,
        rows: &mut TrackRows<'_>,
    ) -> u32 {
        self.with_group(uuid, group, by, rows, |shared, make| match usage {
            Usage::Begin => shared.begin(uuid, make),
            Usage::End => shared.end(uuid, make),
            Usage::Instant => shared.instant(uuid, make),
        })
    }

    /// The first track of a group, which stands for all of them as a parent.
    fn first_track(
        &mut self,
        uuid: u64,
        group: u32,
        by: FirstEvent,
        rows: &mut TrackRows<'_>,
    ) -> u32 {
        self.with_group(uuid, group, by, rows, |shared, make| shared.first(make))
    }

    fn with_group(
        &mut self,
        uuid: u64,
        group: u32,
        by: FirstEvent,
        rows: &mut TrackRows<'_>,
        find: impl FnOnce(&mut SharedTracks, &mut dyn FnMut(u32) -> u32) -> u32,
    ) -> u32 {
        let Some(SharedGroup { tracks, parent }) = self.shared.get_mut(group as usize) else {
            return 0;
        };
        let (known, owners, home, parent) = (&self.described, &self.owners, self.home, *parent);
        let FirstEvent { name, whole } = by;
        // Most events lie on a track that is there.
        find(tracks, &mut |index| {
            let described = known.get(uuid).copied();
            let described = described.unwrap_or_else(|| undescribed(uuid, home, rows.tables));
            let owner = owner_of(uuid, known, owners, home);
            let shared = Some((group, index));
            let new = NewTrack { uuid, described, owner, name, parent, whole, shared };
            new.write(rows.deferred, rows.tables)
        })
    }
}

impl Trackers {
    /// Whether a track can be created; one that cannot is counted and entered.
    pub fn check_track(&mut self, uuid: u64, tables: &mut Tables, stats: &mut Stats) -> bool {
        let Err(stat) = self.source.uuids.check(uuid, tables) else { return true };
        stats.increment(stat);
        let uuid = [("track_uuid", ArgValue::Uint(uuid))];
        let details = ArgSet::of(uuid, &mut tables.strings);
        self.log(stat, None, &details, tables);
        false
    }
}

/// The owner of a track: its own or that of the nearest ancestor with one, else its machine.
fn owner_of(uuid: u64, described: &DescribedTracks, owners: &Owners, home: u32) -> Owner {
    let mut next = uuid;
    let mut machine = home;
    for _ in 0..MAX_ANCESTORS {
        let Some(described) = described.get(next) else { break };
        machine = described.machine;
        match owners.get(next) {
            Some(owner) => return owner,
            None if described.parent == 0 => break,
            None => next = described.parent,
        }
    }
    Owner::Machine(machine)
}

/// The stand-in for a track without a descriptor.
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
        merge: Merge::ByName,
        ordering: None,
        rank: None,
        machine,
        writer: None,
    }
}
