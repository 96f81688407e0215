//! Which slice lies in which.

use std::sync::{Arc, OnceLock};

use datafusion::common::Result;
use tpq_tables::Table;

use super::columns::integers;

/// Answers what a slice lies in and what lies in it, from tables made when first asked: time and
/// memory are linear in the slices of the trace, and each answer is linear in what it gives.
pub(super) struct SliceIndex {
    table: Arc<Table>,
    nesting: OnceLock<Nesting>,
}

impl SliceIndex {
    pub(super) fn of(table: &Arc<Table>) -> Self {
        Self { table: Arc::clone(table), nesting: OnceLock::new() }
    }

    /// The tables themselves.
    pub(super) fn nesting(&self) -> Result<&Nesting> {
        if let Some(nesting) = self.nesting.get() {
            return Ok(nesting);
        }
        let nesting = Nesting::of(&self.table)?;
        Ok(self.nesting.get_or_init(|| nesting))
    }
}

/// The slices by row, and those of each track by time.
pub(super) struct Nesting {
    /// Nanoseconds.
    ts: Vec<i64>,
    /// Nanoseconds; -1 for a slice without end.
    dur: Vec<i64>,
    track: Vec<i64>,
    depth: Vec<i64>,
    /// -1 for a slice that lies in none.
    parent: Vec<i64>,
    /// All rows by track, those of a track by `ts`, those of a moment as they are in the table.
    by_track: Vec<u32>,
    /// Where in `by_track` each row is.
    place: Vec<u32>,
}

impl Nesting {
    fn of(table: &Table) -> Result<Self> {
        let names = ["ts", "dur", "track_id", "depth", "parent_id"];
        let [ts, dur, track, depth, parent] = integers(table, names)?;
        let mut by_track: Vec<u32> = (0u32..).take(ts.len()).collect();
        by_track.sort_by_key(|&row| (track[row as usize], ts[row as usize]));
        let mut place = vec![0; ts.len()];
        for (at, &row) in (0u32..).zip(&by_track) {
            place[row as usize] = at;
        }
        Ok(Self { ts, dur, track, depth, parent, by_track, place })
    }

    /// The row of the slice with that id, if there is one.
    pub(super) fn row(&self, id: i64) -> Option<u32> {
        let row = u32::try_from(id).ok()?;
        ((row as usize) < self.ts.len()).then_some(row)
    }

    /// Adds the slices that `row` lies in, the outermost first.
    pub(super) fn ancestors(&self, row: u32, rows: &mut Vec<u32>) {
        let before = rows.len();
        let mut at = row as usize;
        // No chain is longer than there are slices, whatever the table says.
        while let Some(parent) = self.parent.get(at).and_then(|&id| self.row(id)) {
            if rows.len() - before >= self.ts.len() {
                break;
            }
            rows.push(parent);
            at = parent as usize;
        }
        rows[before..].reverse();
    }

    /// Whether a slice lies in another, by what its ancestors say.
    fn lies_in(&self, row: u32, other: u32) -> bool {
        let depth = self.depth[other as usize];
        let mut at = row;
        while self.depth[at as usize] > depth {
            match self.row(self.parent[at as usize]) {
                // Depth must fall, or the table is not one of nested slices.
                Some(parent) if self.depth[parent as usize] < self.depth[at as usize] => {
                    at = parent
                }
                _ => return false,
            }
        }
        at == other
    }

    /// Adds the slices that lie in `row`, in the order of the table: those of its track that
    /// begin no later than it ends and are nested deeper. For a slice without end these are all
    /// that begin after it. What begins where the slice begins or ends may lie in another one.
    pub(super) fn descendants(&self, row: u32, rows: &mut Vec<u32>) {
        let before = rows.len();
        let at = row as usize;
        let (track, ts, depth) = (self.track[at], self.ts[at], self.depth[at]);
        let end = if self.dur[at] < 0 { i64::MAX } else { ts.saturating_add(self.dur[at]) };
        let within = |other: usize| self.track[other] == track && self.ts[other] <= end;
        // Others can begin at the same moment and be before it in the table.
        let place = self.place[at] as usize;
        let earlier = self.by_track[..place].iter().rev();
        let earlier = earlier.take_while(|&&other| {
            self.track[other as usize] == track && self.ts[other as usize] == ts
        });
        let later = self.by_track[place..].iter().take_while(|&&other| within(other as usize));
        let deeper = |&&other: &&u32| {
            let begins = self.ts[other as usize];
            let inside = ts < begins && begins < end;
            self.depth[other as usize] > depth && (inside || self.lies_in(other, row))
        };
        rows.extend(earlier.chain(later).filter(deeper));
        if !rows[before..].is_sorted() {
            rows[before..].sort_unstable();
        }
    }
}
