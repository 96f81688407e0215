//! Tracks, found again by their dimensions.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use rustc_hash::FxHashMap;
use tpq_tables::table::TrackRow;
use tpq_tables::{StringId, Tables};

use crate::args::{ArgSet, ArgValue};
use crate::deferred::DeferredWrites;
use crate::track::tracks::free_lanes::FreeLanes;
use crate::track::{Upid, Utid};

/// The owner of a track.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Owner {
    Machine(u32),
    Cpu(u32, u32),
    Thread(Utid),
    Process(Upid),
}

/// A value that distinguishes tracks of one owner.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DimensionValue {
    /// A number.
    Int(i64),
    /// A text.
    Text(StringId),
}

/// The key of a track within its kind: its owner, and up to three values under a key each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dimensions {
    owner: Owner,
    values: [Option<(&'static str, DimensionValue)>; 3],
}

impl Dimensions {
    const fn of(owner: Owner) -> Self {
        Self { owner, values: [None; 3] }
    }

    /// Of a machine as a whole.
    pub const fn machine(machine: u32) -> Self {
        Self::of(Owner::Machine(machine))
    }

    /// Of a CPU of a machine.
    pub const fn cpu(machine: u32, cpu: u32) -> Self {
        Self::of(Owner::Cpu(machine, cpu))
    }

    /// Of a thread.
    pub const fn thread(utid: Utid) -> Self {
        Self::of(Owner::Thread(utid))
    }

    /// Of a process.
    pub const fn process(upid: Upid) -> Self {
        Self::of(Owner::Process(upid))
    }

    /// The same of a process, as its thread gave it.
    pub const fn for_process(self, upid: Upid) -> Self {
        Self { owner: Owner::Process(upid), ..self }
    }

    /// Adds a number that distinguishes the track.
    pub fn number(self, key: &'static str, value: i64) -> Self {
        self.with(key, DimensionValue::Int(value))
    }

    /// Adds a text that distinguishes the track.
    pub fn text(self, key: &'static str, value: StringId) -> Self {
        self.with(key, DimensionValue::Text(value))
    }

    fn with(mut self, key: &'static str, value: DimensionValue) -> Self {
        if let Some(free) = self.values.iter_mut().find(|value| value.is_none()) {
            *free = Some((key, value));
        }
        self
    }
}

/// A kind of track.
#[derive(Clone, Copy, Debug)]
pub struct TrackKind {
    /// The word in the `type` column.
    pub name: &'static str,
    /// Whether it holds counter values.
    pub counter: bool,
    /// The unit of the values.
    pub unit: Option<&'static str>,
    /// Its purpose.
    pub description: Option<&'static str>,
}

impl TrackKind {
    /// Tracks of slices, with `name` as their type.
    pub const fn slices(name: &'static str) -> Self {
        Self { name, counter: false, unit: None, description: None }
    }

    /// Tracks of counters, with `name` as their type and a unit.
    pub const fn counter(name: &'static str, unit: Option<&'static str>) -> Self {
        Self { name, counter: true, unit, description: None }
    }

    /// The same kind, with words on what a track of it is for.
    pub const fn described(self, description: &'static str) -> Self {
        Self { description: Some(description), ..self }
    }
}

/// The track of what a thread executes.
const THREAD_EXECUTION: TrackKind = TrackKind::slices("thread_execution");

/// Finds and makes tracks.
#[derive(Default)]
pub struct Tracks {
    tracks: FxHashMap<(&'static str, Dimensions, StringId), u32>,
    /// The tracks of what threads execute, by thread: they are asked for with nearly every event.
    execution: FxHashMap<Utid, u32>,
}

/// Tracks for slices of one name that may overlap: each slice lies on the track its cookie holds,
/// and a track of ended slices may go to another cookie. Slices with durations that are
/// known at once lie on tracks of their own. The function that makes a track receives its index.
#[derive(Debug, Default)]
pub struct SharedTracks {
    lanes: Vec<SharedTrack>,
    by_cookie: FxHashMap<u64, usize>,
    /// Lanes of cookies on which nothing is open; the lowest is taken first.
    free: FreeLanes,
    /// Lanes of slices of known durations, by when the last of each ends.
    ending: BinaryHeap<Reverse<(i64, usize)>>,
    /// Such lanes on which all have ended; the lowest is taken first.
    ended: BTreeSet<usize>,
}

#[derive(Debug)]
struct SharedTrack {
    track: u32,
    cookie: u64,
    open: u32,
}

impl SharedTracks {
    /// The track a slice of `cookie` begins on, made by `make` when all are taken.
    pub fn begin(&mut self, cookie: u64, make: impl FnOnce(u32) -> u32) -> u32 {
        let lane = self.take(cookie, make);
        lane.open += 1;
        lane.track
    }

    /// The same where the slices of a cookie do not nest: one end will do for all of them.
    pub fn begin_unnested(&mut self, cookie: u64, make: impl FnOnce(u32) -> u32) -> u32 {
        let lane = self.take(cookie, make);
        lane.open = 1;
        lane.track
    }

    /// The track a slice of `cookie` ends on. A slice with a lost beginning takes a track too.
    pub fn end(&mut self, cookie: u64, make: impl FnOnce(u32) -> u32) -> u32 {
        let index = self.lane(cookie, make);
        let lane = &mut self.lanes[index];
        lane.open = lane.open.saturating_sub(1);
        if lane.open == 0 {
            self.free.insert(index);
        }
        lane.track
    }

    /// The track for an instant of `cookie`.
    pub fn instant(&mut self, cookie: u64, make: impl FnOnce(u32) -> u32) -> u32 {
        let index = self.lane(cookie, make);
        self.lanes[index].track
    }

    /// The first of the tracks.
    pub fn first(&mut self, make: impl FnOnce(u32) -> u32) -> u32 {
        let index = if self.lanes.is_empty() { self.lane(0, make) } else { 0 };
        self.lanes[index].track
    }

    /// All tracks, in the order in which they were made.
    pub fn all(&self) -> impl Iterator<Item = u32> {
        self.lanes.iter().map(|lane| lane.track)
    }

    /// The track for a slice of no cookie and a known duration.
    pub fn complete(&mut self, ts: i64, dur: i64, make: impl FnOnce(u32) -> u32) -> u32 {
        while let Some(&Reverse((end, index))) = self.ending.peek()
            && end <= ts
        {
            self.ending.pop();
            self.ended.insert(index);
        }
        let index = self.ended.pop_first().unwrap_or_else(|| self.add(0, make));
        self.ending.push(Reverse((ts.saturating_add(dur), index)));
        self.lanes[index].track
    }

    fn take(&mut self, cookie: u64, make: impl FnOnce(u32) -> u32) -> &mut SharedTrack {
        let index = self.lane(cookie, make);
        self.free.remove(index);
        &mut self.lanes[index]
    }

    fn lane(&mut self, cookie: u64, make: impl FnOnce(u32) -> u32) -> usize {
        if let Some(&index) = self.by_cookie.get(&cookie) {
            return index;
        }
        let index = match self.free.first() {
            Some(index) => {
                self.by_cookie.remove(&self.lanes[index].cookie);
                self.lanes[index].cookie = cookie;
                index
            }
            None => {
                let index = self.add(cookie, make);
                self.free.insert(index);
                index
            }
        };
        self.by_cookie.insert(cookie, index);
        index
    }

    fn add(&mut self, cookie: u64, make: impl FnOnce(u32) -> u32) -> usize {
        let index = self.lanes.len();
        self.lanes.push(SharedTrack { track: make(index as u32), cookie, open: 0 });
        index
    }
}

impl Tracks {
    /// The track of a kind, dimension and name, made when there is none.
    pub fn get(
        &mut self,
        kind: TrackKind,
        dimensions: Dimensions,
        name: StringId,
        deferred: &mut DeferredWrites,
        tables: &mut Tables,
    ) -> u32 {
        let key = (kind.name, dimensions, name);
        if let Some(&track) = self.tracks.get(&key) {
            return track;
        }
        let track = Self::make(kind, dimensions, name, deferred, tables);
        self.tracks.insert(key, track);
        track
    }

    /// The same of a kind with dimensions that decide the name, which is made only when it is
    /// wanted.
    pub fn get_named(
        &mut self,
        kind: TrackKind,
        dimensions: Dimensions,
        deferred: &mut DeferredWrites,
        tables: &mut Tables,
        name: impl FnOnce() -> String,
    ) -> u32 {
        let key = (kind.name, dimensions, StringId::NULL);
        if let Some(&track) = self.tracks.get(&key) {
            return track;
        }
        let name = tables.strings.intern(&name());
        let track = Self::make(kind, dimensions, name, deferred, tables);
        self.tracks.insert(key, track);
        track
    }

    /// The track of what a thread executes.
    pub fn execution(
        &mut self,
        utid: Utid,
        deferred: &mut DeferredWrites,
        tables: &mut Tables,
    ) -> u32 {
        if let Some(&track) = self.execution.get(&utid) {
            return track;
        }
        let thread = Dimensions::thread(utid);
        let track = self.get(THREAD_EXECUTION, thread, StringId::NULL, deferred, tables);
        self.execution.insert(utid, track);
        track
    }

    /// A new track, which is known only to its caller.
    pub fn make(
        kind: TrackKind,
        dimensions: Dimensions,
        name: StringId,
        deferred: &mut DeferredWrites,
        tables: &mut Tables,
    ) -> u32 {
        Self::make_with(kind, dimensions, &[], name, deferred, tables)
    }

    /// The same with dimensions beyond those that have a place in [`Dimensions`].
    pub fn make_with(
        kind: TrackKind,
        dimensions: Dimensions,
        more: &[(&str, DimensionValue)],
        name: StringId,
        deferred: &mut DeferredWrites,
        tables: &mut Tables,
    ) -> u32 {
        let mut row = TrackRow {
            name,
            track_type: tables.strings.intern(kind.name),
            unit: kind.unit.map(|unit| tables.strings.intern(unit)).unwrap_or_default(),
            is_counter: u32::from(kind.counter),
            ..TrackRow::default()
        };
        if let Some(description) = kind.description {
            row.description = tables.strings.intern(description);
            let mut source = ArgSet::default();
            let key = tables.strings.intern("description");
            source.add(key, ArgValue::String(row.description));
            row.source_arg_set_id = deferred.intern(&source);
        }
        let mut set = ArgSet::default();
        let mut add = |name: &str, value: ArgValue, tables: &mut Tables| {
            set.add(tables.strings.intern(name), value);
        };
        match dimensions.owner {
            Owner::Machine(machine) => row.machine_id = machine,
            Owner::Cpu(machine, cpu) => {
                row.machine_id = machine;
                row.cpu = Some(cpu);
                add("cpu", ArgValue::Int(i64::from(cpu)), tables);
            }
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
        }
        for (key, value) in dimensions.values.iter().flatten().chain(more).copied() {
            match value {
                DimensionValue::Int(value) => add(key, ArgValue::Int(value), tables),
                DimensionValue::Text(value) => add(key, ArgValue::String(value), tables),
            }
        }
        row.dimension_arg_set_id = deferred.intern(&set);
        tables.track.push(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_of_one_name_share_tracks_only_when_they_do_not_overlap() {
        let mut shared = SharedTracks::default();
        let next = |index| index + 100;
        assert_eq!(shared.begin(10, next), 100);
        assert_eq!(shared.begin(11, next), 101, "the first is taken");
        assert_eq!(shared.begin(10, next), 100, "nested under the same cookie");
        assert_eq!(shared.end(10, next), 100);
        assert_eq!(shared.begin(12, next), 102, "one of two is still open");
        assert_eq!(shared.end(10, next), 100);
        assert_eq!(shared.instant(13, next), 100, "free again");
        assert_eq!(shared.end(14, next), 100, "an end alone takes a track");
    }

    #[test]
    fn one_end_frees_a_track_of_slices_that_do_not_nest() {
        let mut shared = SharedTracks::default();
        let next = |index| index + 100;
        assert_eq!(shared.begin_unnested(10, next), 100);
        assert_eq!(shared.begin_unnested(10, next), 100);
        assert_eq!(shared.end(10, next), 100);
        assert_eq!(shared.begin_unnested(11, next), 100);
    }

    #[test]
    fn slices_of_known_durations_share_tracks_of_their_own() {
        let mut shared = SharedTracks::default();
        let next = |index| index + 100;
        assert_eq!(shared.begin(10, next), 100);
        assert_eq!(shared.complete(1, 5, next), 101, "one of a cookie may last any time");
        assert_eq!(shared.complete(2, 5, next), 102, "at the same time as the other");
        assert_eq!(shared.complete(6, 0, next), 101, "the other is over");
        assert_eq!(shared.complete(6, 5, next), 101, "an instant takes no time");
        assert_eq!(shared.begin(11, next), 103);
    }
}
