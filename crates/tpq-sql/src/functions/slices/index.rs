//! Index of the nesting of slices.

use std::sync::{Arc, OnceLock};

use datafusion::common::Result;
use tpq_tables::Table;

use super::columns::integers;

/// Finds the ancestors and descendants of slices. The index is built on first use; its time and
/// memory are linear in the slices of the trace. A lookup is linear in its result.
pub(super) struct SliceIndex {
    table: Arc<Table>,
    nesting: OnceLock<Nesting>,
}

impl SliceIndex {
    pub(super) fn new(table: &Arc<Table>) -> Self {
        Self { table: Arc::clone(table), nesting: OnceLock::new() }
    }

    /// Returns the index; builds it on the first call.
    pub(super) fn nesting(&self) -> Result<&Nesting> {
        if let Some(nesting) = self.nesting.get() {
            return Ok(nesting);
        }
        let nesting = Nesting::from_table(&self.table)?;
        Ok(self.nesting.get_or_init(|| nesting))
    }
}

/// The columns of the slices by row, and the rows of each track by time.
pub(super) struct Nesting {
    /// Start in ns.
    ts: Vec<i64>,
    /// Duration in ns; -1 for a slice without end.
    dur: Vec<i64>,
    track: Vec<i64>,
    depth: Vec<i64>,
    /// Id of the parent; -1 for a slice without one.
    parent: Vec<i64>,
    /// All rows, sorted by track and `ts`; rows with the same `ts` keep the table's order.
    by_track: Vec<u32>,
    /// The position of each row in `by_track`.
    position: Vec<u32>,
}

impl Nesting {
    fn from_table(table: &Table) -> Result<Self> {
        let names = ["ts", "dur", "track_id", "depth", "parent_id"];
        let [ts, dur, track, depth, parent] = integers(table, names)?;
        let mut by_track: Vec<u32> = (0u32..).take(ts.len()).collect();
        by_track.sort_by_key(|&row| (track[row as usize], ts[row as usize]));
        let mut position = vec![0; ts.len()];
        for (at, &row) in (0u32..).zip(&by_track) {
            position[row as usize] = at;
        }
        Ok(Self { ts, dur, track, depth, parent, by_track, position })
    }

    /// The row of the slice with this id, if there is one.
    pub(super) fn row(&self, id: i64) -> Option<u32> {
        let row = u32::try_from(id).ok()?;
        ((row as usize) < self.ts.len()).then_some(row)
    }

    /// The number of slices.
    pub(super) fn len(&self) -> usize {
        self.ts.len()
    }

    /// The slices of a track, in the order of time.
    pub(super) fn of_track(&self, track: i64) -> &[u32] {
        let track_of = |row: u32| self.track[row as usize];
        let start = self.by_track.partition_point(|&row| track_of(row) < track);
        let count = self.by_track[start..].partition_point(|&row| track_of(row) == track);
        &self.by_track[start..start + count]
    }

    /// The start and the end of a slice; a slice without end ends at the greatest time.
    pub(super) fn span(&self, row: u32) -> (i64, i64) {
        let (ts, dur) = (self.ts[row as usize], self.dur[row as usize]);
        (ts, if dur < 0 { i64::MAX } else { ts.saturating_add(dur) })
    }

    /// The number of slices that a slice is nested in.
    pub(super) fn depth(&self, row: u32) -> i64 {
        self.depth[row as usize]
    }

    /// The slice that a slice is nested in.
    pub(super) fn parent(&self, row: u32) -> Option<u32> {
        self.parent.get(row as usize).and_then(|&id| self.row(id))
    }

    /// Adds the ancestors of `row`, outermost first.
    pub(super) fn ancestors(&self, row: u32, rows: &mut Vec<u32>) {
        let before = rows.len();
        let mut at = row as usize;
        // Stops at the number of slices, in case the parents form a cycle.
        while let Some(parent) = self.parent.get(at).and_then(|&id| self.row(id)) {
            if rows.len() - before >= self.ts.len() {
                break;
            }
            rows.push(parent);
            at = parent as usize;
        }
        rows[before..].reverse();
    }

    /// Whether `row` is a descendant of `other`: follows the parents of `row`.
    fn is_descendant(&self, row: u32, other: u32) -> bool {
        let depth = self.depth[other as usize];
        let mut at = row;
        while self.depth[at as usize] > depth {
            match self.row(self.parent[at as usize]) {
                // The depth must decrease; else the table is inconsistent.
                Some(parent) if self.depth[parent as usize] < self.depth[at as usize] => {
                    at = parent
                }
                _ => return false,
            }
        }
        at == other
    }

    /// Adds the descendants of `row`, in the order of the table: the deeper slices of its track
    /// that begin no later than it ends. For a slice without end these are all deeper slices that
    /// begin after it. A slice that begins at the start or the end of `row` may be nested in
    /// another slice, so its parents are checked.
    pub(super) fn descendants(&self, row: u32, rows: &mut Vec<u32>) {
        let before = rows.len();
        let at = row as usize;
        let (track, ts, depth) = (self.track[at], self.ts[at], self.depth[at]);
        let end = if self.dur[at] < 0 { i64::MAX } else { ts.saturating_add(self.dur[at]) };
        let within = |other: usize| self.track[other] == track && self.ts[other] <= end;
        // A descendant can have the same start and come earlier in the table.
        let position = self.position[at] as usize;
        let earlier = self.by_track[..position].iter().rev();
        let earlier = earlier.take_while(|&&other| {
            self.track[other as usize] == track && self.ts[other as usize] == ts
        });
        let later = self.by_track[position..].iter().take_while(|&&other| within(other as usize));
        let deeper = |&&other: &&u32| {
            let start = self.ts[other as usize];
            let inside = ts < start && start < end;
            self.depth[other as usize] > depth && (inside || self.is_descendant(other, row))
        };
        rows.extend(earlier.chain(later).filter(deeper));
        if !rows[before..].is_sorted() {
            rows[before..].sort_unstable();
        }
    }
}
