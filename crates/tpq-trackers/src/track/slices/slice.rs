//! Slices: the open slices of each track, and their nesting.

use rustc_hash::{FxHashMap, FxHashSet};
use tpq_tables::table::SliceRow;
use tpq_tables::{ArgSetNumber, Stat, Stats, StringId, Tables};

use crate::args::ArgSet;
use crate::track::recorder::import_log::Refusal;

/// The deepest nesting a track may have; deeper slices are dropped and counted.
const MAX_DEPTH: usize = 512;
/// The duration of a slice without a seen end.
const PENDING: i64 = -1;

/// A slice to be.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewSlice {
    /// Start, ns of trace time.
    pub ts: i64,
    /// Row of the track.
    pub track: u32,
    /// Name of the slice.
    pub name: StringId,
    /// Categories, separated by commas; NULL for none.
    pub category: StringId,
    /// Number of the arg set.
    pub arg_set_id: Option<ArgSetNumber>,
}

/// The end of a slice; NULL stands for any category and any name.
#[derive(Clone, Copy, Debug, Default)]
pub struct SliceEnd {
    /// End, ns of trace time.
    pub ts: i64,
    /// Row of the track.
    pub track: u32,
    /// Category of the slice that ends.
    pub category: StringId,
    /// Name of the slice that ends.
    pub name: StringId,
}

/// The open slice of a track without nesting.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenSlice {
    /// How often a slice began, whether or not one was open.
    pub count: u32,
    /// When one last began.
    pub last_ts: i64,
}

/// Two slices of a track share a time in which neither contains the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overlap {
    /// When the shared time begins and ends.
    pub shared: (i64, i64),
    /// The slice that was there first.
    pub with: u32,
}

/// A slice that another may lie in.
#[derive(Clone, Copy, Debug)]
struct Outer {
    /// Its row.
    id: u32,
    /// When it begins and how long it takes, as in the row.
    ts: i64,
    dur: i64,
}

/// The slices of a track that another may lie in.
#[derive(Default)]
struct Stack {
    /// Outermost first.
    slices: Vec<Outer>,
    /// Whether the end of any of them is known.
    has_ended: bool,
}

/// Writes `slice`.
#[derive(Default)]
pub struct Slices {
    /// The open slices of each track.
    stacks: FxHashMap<u32, Stack>,
    /// The tracks without nesting.
    unnested: FxHashMap<u32, OpenSlice>,
    /// A loss, for the import log.
    pub(in crate::track) refused: Vec<Refusal>,
    /// The tracks with flows that wait for the next slice.
    awaited: FxHashSet<u32>,
    /// The slices that began on such tracks.
    pub(in crate::track) arrived: Vec<(u32, u32)>,
    /// The names that stand in place of obfuscated ones.
    names: FxHashMap<StringId, StringId>,
}

impl Slices {
    /// Has a name stand in place of another one from now on.
    pub fn rename(&mut self, raw: StringId, name: StringId) {
        self.names.insert(raw, name);
    }

    /// The name that a slice is shown with.
    #[inline]
    fn shown(&self, name: StringId) -> StringId {
        match self.names.is_empty() {
            true => name,
            false => self.names.get(&name).copied().unwrap_or(name),
        }
    }

    /// A slice begins. `None` when it was dropped.
    pub fn begin(
        &mut self,
        slice: NewSlice,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<u32> {
        self.start(slice, None, tables, stats).ok().flatten()
    }

    /// A slice begins on a track without nesting: while one is open, others that begin
    /// are only counted. `None` for those, and when it was dropped.
    pub fn begin_unnested(
        &mut self,
        slice: NewSlice,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<u32> {
        let open = self.unnested.entry(slice.track).or_default();
        open.count += 1;
        open.last_ts = slice.ts;
        if self.stacks.get(&slice.track).is_some_and(|stack| !stack.slices.is_empty()) {
            return None;
        }
        self.start(slice, None, tables, stats).ok().flatten()
    }

    /// The open slice of a track, if it is one without nesting.
    pub fn open_unnested(&self, track: u32) -> Option<OpenSlice> {
        self.unnested.get(&track).copied()
    }

    /// The innermost open slice of a track with that category and name; NULL matches any.
    pub fn open(
        &self,
        track: u32,
        category: StringId,
        name: StringId,
        tables: &Tables,
    ) -> Option<u32> {
        let slices = &self.stacks.get(&track)?.slices;
        innermost(slices, category, self.shown(name), tables).map(|index| slices[index].id)
    }

    /// The last slice that began on a track, unless it is known to be over: it may have ended
    /// since.
    pub fn topmost(&self, track: u32) -> Option<u32> {
        self.stacks.get(&track)?.slices.last().map(|slice| slice.id)
    }

    /// Has the next slice that begins on a track noted in `arrived`.
    pub(in crate::track) fn await_next(&mut self, track: u32) {
        self.awaited.insert(track);
    }

    /// A slice of known duration; 0 for an instant. One that would overlap
    /// another, neither inside the other, is dropped.
    pub fn complete(
        &mut self,
        slice: NewSlice,
        dur: i64,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<u32> {
        match self.try_complete(slice, dur, tables, stats) {
            Ok(id) => id,
            Err(overlap) => {
                let stat = Stat::SliceDropOverlappingCompleteEvent;
                stats.increment(stat);
                self.refused.push(Refusal::overlap(stat, overlap, ArgSet::default(), tables));
                None
            }
        }
    }

    /// The same, but an overlap is left to the caller.
    pub(in crate::track) fn try_complete(
        &mut self,
        slice: NewSlice,
        dur: i64,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Result<Option<u32>, Overlap> {
        if dur < 0 {
            stats.increment(Stat::SliceNegativeDuration);
            self.refused.push(Refusal::negative_duration(slice.ts));
            return Ok(None);
        }
        self.start(slice, Some(dur), tables, stats)
    }

    fn start(
        &mut self,
        slice: NewSlice,
        dur: Option<i64>,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Result<Option<u32>, Overlap> {
        let slice = NewSlice { name: self.shown(slice.name), ..slice };
        let stack = self.stacks.entry(slice.track).or_default();
        close_finished(slice.ts, dur, stack, tables, stats)?;
        let slices = &mut stack.slices;
        let around = slices.last().map(|outer| outer.id);
        if slices.len() >= MAX_DEPTH {
            stats.increment(Stat::SliceMaxDepthExceeded);
            let around = around.map(|id| tables.slice.name.get(id)).unwrap_or_default();
            self.refused.push(Refusal::too_deep(slice.ts, around, slice.name, tables));
            return Ok(None);
        }
        let (ts, ends) = (slice.ts, dur.is_some());
        let dur = dur.unwrap_or(PENDING);
        let id = tables.slice.push(SliceRow {
            ts,
            dur,
            track_id: slice.track,
            category: slice.category,
            name: slice.name,
            depth: slices.len() as u32,
            parent_id: around,
            arg_set_id: slice.arg_set_id,
            ..SliceRow::default()
        });
        slices.push(Outer { id, ts, dur });
        stack.has_ended |= ends;
        if !self.awaited.is_empty() && self.awaited.remove(&slice.track) {
            self.arrived.push((slice.track, id));
        }
        Ok(Some(id))
    }

    /// The innermost open slice of a track with that category and name ends; NULL matches any.
    pub fn end(
        &mut self,
        ts: i64,
        track: u32,
        category: StringId,
        name: StringId,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<u32> {
        let name = self.shown(name);
        let stack = self.stacks.get_mut(&track)?;
        close_finished(ts, None, stack, tables, stats).ok()?;
        let index = innermost(&stack.slices, category, name, tables)?;
        let slice = &mut stack.slices[index];
        slice.dur = ts.saturating_sub(slice.ts);
        let Outer { id, dur, .. } = *slice;
        tables.slice.dur.set(id, dur);
        if index + 1 == stack.slices.len() {
            stack.slices.pop();
        } else {
            stack.has_ended = true;
        }
        Some(id)
    }
}

/// Where the innermost open slice of a category and name lies in a stack; NULL matches any.
fn innermost(
    stack: &[Outer],
    category: StringId,
    name: StringId,
    tables: &Tables,
) -> Option<usize> {
    let rows = &tables.slice;
    stack.iter().rposition(|&Outer { id, dur, .. }| {
        dur == PENDING
            && (category.is_null() || rows.category.get(id) == category)
            && (name.is_null() || rows.name.get(id).is_null() || rows.name.get(id) == name)
    })
}

/// Takes off the stack what ended by `ts`. A slice that ended while slices inside it are still
/// open ends them too: they cannot outlive it.
///
/// For an instant, which is something new of a duration of 0, an instant at the same moment stays:
/// they nest in the order in which they were recorded. A new slice that ends after its parent is
/// not pushed on the stack.
fn close_finished(
    ts: i64,
    new_dur: Option<i64>,
    stack: &mut Stack,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Result<(), Overlap> {
    // Most are open until their own end, which nothing here changes.
    if !stack.has_ended {
        return Ok(());
    }
    let slices = &mut stack.slices;
    let mut pending_above = false;
    let mut has_ended = false;
    for index in (0..slices.len()).rev() {
        let Outer { id, ts: begin, dur } = slices[index];
        if dur == PENDING {
            pending_above = true;
            continue;
        }
        let end = begin.saturating_add(dur);
        if pending_above {
            if ts > end {
                stats.increment(Stat::MisplacedEndEvent);
                cut_inner(end, &slices[index + 1..], tables);
                slices.truncate(index);
                pending_above = false;
            }
            has_ended = pending_above;
            continue;
        }
        let both_instants = dur == 0 && new_dur == Some(0);
        if end < ts || (end == ts && !both_instants) {
            slices.truncate(index);
            has_ended = false;
        } else if ts < end && new_dur.is_some_and(|dur| ts.saturating_add(dur) > end) {
            return Err(Overlap { shared: (ts, end), with: id });
        } else {
            has_ended = true;
        }
    }
    stack.has_ended = has_ended;
    Ok(())
}

/// Ends slices with the one around them.
fn cut_inner(end: i64, inner: &[Outer], tables: &mut Tables) {
    for &Outer { id, ts, .. } in inner {
        tables.slice.dur.set(id, end.saturating_sub(ts));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixture {
        tables: Tables,
        stats: Stats,
        slices: Slices,
    }

    impl Fixture {
        fn new() -> Self {
            Self { tables: Tables::default(), stats: Stats::default(), slices: Slices::default() }
        }

        fn begin(&mut self, ts: i64, name: &str) -> u32 {
            let name = self.tables.strings.intern(name);
            let slice = NewSlice { ts, name, ..NewSlice::default() };
            self.slices.begin(slice, &mut self.tables, &mut self.stats).unwrap()
        }

        fn complete(&mut self, ts: i64, dur: i64) -> u32 {
            let slice = NewSlice { ts, ..NewSlice::default() };
            self.slices.complete(slice, dur, &mut self.tables, &mut self.stats).unwrap()
        }

        fn end(&mut self, ts: i64, name: &str) -> Option<u32> {
            let name = self.tables.strings.intern(name);
            self.slices.end(ts, 0, StringId::NULL, name, &mut self.tables, &mut self.stats)
        }

        fn shape(&self, id: u32) -> (i64, u32, Option<u32>) {
            let slice = &self.tables.slice;
            (slice.dur.get(id), slice.depth.get(id), slice.parent_id.get(id))
        }
    }

    #[test]
    fn slices_nest_by_time() {
        let mut fixture = Fixture::new();
        let outer = fixture.begin(10, "outer");
        let inner = fixture.begin(20, "inner");
        assert_eq!(fixture.end(30, "inner"), Some(inner));
        assert_eq!(fixture.end(50, "outer"), Some(outer));
        assert_eq!(fixture.shape(outer), (40, 0, None));
        assert_eq!(fixture.shape(inner), (10, 1, Some(outer)));
        let next = fixture.begin(60, "next");
        assert_eq!(fixture.shape(next), (-1, 0, None));
    }

    #[test]
    fn an_end_that_matches_nothing_ends_nothing() {
        let mut fixture = Fixture::new();
        let outer = fixture.begin(10, "outer");
        assert_eq!(fixture.end(20, "other"), None);
        assert_eq!(fixture.shape(outer).0, -1);
    }

    #[test]
    fn an_end_may_skip_inner_slices_that_were_never_ended() {
        let mut fixture = Fixture::new();
        let outer = fixture.begin(10, "outer");
        let inner = fixture.begin(20, "inner");
        assert_eq!(fixture.end(30, "outer"), Some(outer));
        let after = fixture.begin(40, "after");
        assert_eq!(fixture.shape(inner).0, 10, "ended with the slice around it");
        assert_eq!(fixture.shape(after), (-1, 0, None));
        assert_eq!(fixture.stats.get(Stat::MisplacedEndEvent), 1);
    }

    #[test]
    fn where_slices_do_not_nest_only_the_first_of_several_beginnings_counts() {
        let mut fixture = Fixture::new();
        let begin = |fixture: &mut Fixture, ts| {
            let slice = NewSlice { ts, ..NewSlice::default() };
            fixture.slices.begin_unnested(slice, &mut fixture.tables, &mut fixture.stats)
        };
        let first = begin(&mut fixture, 10);
        assert_eq!(begin(&mut fixture, 20), None);
        assert_eq!(fixture.end(30, ""), first);
        assert!(begin(&mut fixture, 40).is_some_and(|second| fixture.shape(second).1 == 0));
        let open = fixture.slices.open_unnested(0).unwrap();
        assert_eq!((open.count, open.last_ts), (3, 40));
        assert!(fixture.slices.open_unnested(1).is_none());
    }

    #[test]
    fn instants_at_one_moment_lie_in_each_other() {
        let mut fixture = Fixture::new();
        let first = fixture.complete(10, 0);
        let second = fixture.complete(10, 0);
        assert_eq!(fixture.shape(second), (0, 1, Some(first)));
        let begun = fixture.begin(10, "begun");
        assert_eq!(fixture.shape(begun), (-1, 0, None));
    }

    /// An end in the middle of a stack closes what is inside it once time goes on.
    #[test]
    fn ends_in_the_middle_are_found_after_others() {
        let mut fixture = Fixture::new();
        let outer = fixture.begin(10, "outer");
        let middle = fixture.begin(20, "middle");
        let inner = fixture.begin(30, "inner");
        assert_eq!(fixture.end(40, "middle"), Some(middle));
        assert_eq!(fixture.end(40, "inner"), Some(inner), "at the same moment");
        let instant = fixture.complete(50, 0);
        assert_eq!(fixture.shape(instant), (0, 1, Some(outer)));
        let next = fixture.begin(60, "next");
        assert_eq!(fixture.shape(next), (-1, 1, Some(outer)));
        assert_eq!(fixture.end(70, "outer"), Some(outer));
        let last = fixture.begin(80, "last");
        assert_eq!((fixture.shape(next).0, fixture.shape(last)), (10, (-1, 0, None)));
        assert_eq!(fixture.stats.get(Stat::MisplacedEndEvent), 1);
    }

    #[test]
    fn complete_slices_leave_the_stack_when_they_are_over() {
        let mut fixture = Fixture::new();
        let first = fixture.complete(10, 5);
        let inside = fixture.complete(12, 1);
        let after = fixture.complete(15, 5);
        assert_eq!(fixture.shape(inside), (1, 1, Some(first)));
        assert_eq!(fixture.shape(after), (5, 0, None));
    }
}
