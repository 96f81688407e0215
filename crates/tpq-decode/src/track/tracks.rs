//! Tracks, found again by what they are of.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use tpq_tables::table::TrackRow;
use tpq_tables::{StringId, Tables};

use super::{ArgSet, ArgValue, Args, Upid, Utid};

/// What tells tracks of one kind apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Dimension {
    /// One for each CPU of a machine.
    Cpu(u32, u32),
    Thread(Utid),
    Process(Upid),
    /// One for each number, as a cookie of an async event, on a process.
    ProcessCookie(Upid, i64),
    /// One for each device of a machine, by the kernel's number of it.
    Device(u32, i64),
}

/// A kind of track.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrackKind {
    /// The word in the `type` column.
    pub(crate) name: &'static str,
    /// Whether it holds counter values.
    pub(crate) counter: bool,
    /// What the values count in.
    pub(crate) unit: Option<&'static str>,
}

impl TrackKind {
    pub(crate) const fn slices(name: &'static str) -> Self {
        Self { name, counter: false, unit: None }
    }

    pub(crate) const fn counter(name: &'static str, unit: Option<&'static str>) -> Self {
        Self { name, counter: true, unit }
    }
}

/// Finds and makes tracks.
#[derive(Default)]
pub(crate) struct Tracks {
    tracks: FxHashMap<(&'static str, Dimension, StringId), u32>,
}

/// Tracks for slices of one name that may overlap: each slice lies on the track its cookie holds,
/// and a track whose slices have all ended may go to another cookie.
#[derive(Debug, Default)]
pub(crate) struct SharedTracks {
    lanes: Vec<SharedTrack>,
    by_cookie: FxHashMap<u64, usize>,
    /// Lanes on which nothing is open; the lowest is taken first.
    free: BTreeSet<usize>,
    /// The track of what belongs to no cookie.
    instants: Option<u32>,
}

#[derive(Debug)]
struct SharedTrack {
    track: u32,
    cookie: u64,
    open: u32,
}

impl SharedTracks {
    /// The track a slice of `cookie` begins on, made by `make` when all are taken.
    pub(crate) fn begin(&mut self, cookie: u64, make: impl FnOnce() -> u32) -> u32 {
        let index = self.lane(cookie, make);
        self.free.remove(&index);
        let lane = &mut self.lanes[index];
        lane.open += 1;
        lane.track
    }

    /// The track a slice of `cookie` ends on. One whose beginning was lost takes a track too.
    pub(crate) fn end(&mut self, cookie: u64, make: impl FnOnce() -> u32) -> u32 {
        let index = self.lane(cookie, make);
        let lane = &mut self.lanes[index];
        lane.open = lane.open.saturating_sub(1);
        if lane.open == 0 {
            self.free.insert(index);
        }
        lane.track
    }

    /// The track for an instant of `cookie`.
    pub(crate) fn instant(&mut self, cookie: u64, make: impl FnOnce() -> u32) -> u32 {
        let index = self.lane(cookie, make);
        self.lanes[index].track
    }

    /// The track for instants that belong to no slice.
    pub(crate) fn lone_instant(&mut self, make: impl FnOnce() -> u32) -> u32 {
        *self.instants.get_or_insert_with(make)
    }

    fn lane(&mut self, cookie: u64, make: impl FnOnce() -> u32) -> usize {
        if let Some(&index) = self.by_cookie.get(&cookie) {
            return index;
        }
        let index = match self.free.first() {
            Some(&index) => {
                self.by_cookie.remove(&self.lanes[index].cookie);
                self.lanes[index].cookie = cookie;
                index
            }
            None => {
                let index = self.lanes.len();
                self.lanes.push(SharedTrack { track: make(), cookie, open: 0 });
                self.free.insert(index);
                index
            }
        };
        self.by_cookie.insert(cookie, index);
        index
    }
}

impl Tracks {
    /// The track of a kind, dimension and name, made when there is none.
    pub(crate) fn get(
        &mut self,
        kind: TrackKind,
        dimension: Dimension,
        name: StringId,
        args: &mut Args,
        tables: &mut Tables,
    ) -> u32 {
        let key = (kind.name, dimension, name);
        if let Some(&track) = self.tracks.get(&key) {
            return track;
        }
        let track = Self::make(kind, dimension, name, args, tables);
        self.tracks.insert(key, track);
        track
    }

    /// A new track, which only whoever made it knows.
    pub(crate) fn make(
        kind: TrackKind,
        dimension: Dimension,
        name: StringId,
        args: &mut Args,
        tables: &mut Tables,
    ) -> u32 {
        let mut row = TrackRow {
            name,
            track_type: tables.strings.intern(kind.name),
            unit: kind.unit.map(|unit| tables.strings.intern(unit)).unwrap_or_default(),
            is_counter: u32::from(kind.counter),
            ..TrackRow::default()
        };
        let mut dimensions = ArgSet::default();
        let mut add = |name: &str, value: i64, tables: &mut Tables| {
            dimensions.add(tables.strings.intern(name), ArgValue::Int(value));
        };
        match dimension {
            Dimension::Cpu(machine, cpu) => {
                row.machine_id = machine;
                row.cpu = Some(cpu);
                add("cpu", i64::from(cpu), tables);
            }
            Dimension::Thread(utid) => {
                row.utid = Some(utid);
                row.machine_id = tables.thread.machine_id.get(utid);
                add("utid", i64::from(utid), tables);
            }
            Dimension::Process(upid) => {
                row.upid = Some(upid);
                row.machine_id = tables.process.machine_id.get(upid);
                add("upid", i64::from(upid), tables);
            }
            Dimension::Device(machine, device) => {
                row.machine_id = machine;
                add("block_device", device, tables);
            }
            Dimension::ProcessCookie(upid, cookie) => {
                row.upid = Some(upid);
                row.machine_id = tables.process.machine_id.get(upid);
                add("upid", i64::from(upid), tables);
                add("cookie", cookie, tables);
            }
        }
        row.dimension_arg_set_id = args.intern(&dimensions, tables);
        tables.track.push(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_of_one_name_share_tracks_only_when_they_do_not_overlap() {
        let mut shared = SharedTracks::default();
        let mut made = 0..;
        let mut next = || made.next().unwrap_or_default();
        assert_eq!(shared.begin(10, &mut next), 0);
        assert_eq!(shared.begin(11, &mut next), 1, "the first is taken");
        assert_eq!(shared.begin(10, &mut next), 0, "nested under the same cookie");
        assert_eq!(shared.end(10, &mut next), 0);
        assert_eq!(shared.begin(12, &mut next), 2, "one of two is still open");
        assert_eq!(shared.end(10, &mut next), 0);
        assert_eq!(shared.instant(13, &mut next), 0, "free again");
        assert_eq!(shared.end(14, &mut next), 0, "an end alone takes a track");
    }
}
