//! Which flows leave and which reach a slice.

use std::sync::{Arc, OnceLock};

use datafusion::common::Result;
use tpq_tables::Table;

use super::columns::integers;

/// The flows by the slices they connect, put together when first asked for.
pub(super) struct FlowIndex {
    table: Arc<Table>,
    arrows: OnceLock<Arrows>,
}

impl FlowIndex {
    pub(super) fn of(table: &Arc<Table>) -> Self {
        Self { table: Arc::clone(table), arrows: OnceLock::new() }
    }

    /// The flows themselves.
    pub(super) fn arrows(&self) -> Result<&Arrows> {
        if let Some(arrows) = self.arrows.get() {
            return Ok(arrows);
        }
        let [from, to] = integers(&self.table, ["slice_out", "slice_in"])?;
        let sorted_by = |ends: &[i64]| {
            let mut rows: Vec<u32> = (0u32..).take(ends.len()).collect();
            rows.sort_by_key(|&row| ends[row as usize]);
            rows
        };
        let (leaving, arriving) = (sorted_by(&from), sorted_by(&to));
        Ok(self.arrows.get_or_init(|| Arrows { from, to, leaving, arriving }))
    }
}

pub(super) struct Arrows {
    from: Vec<i64>,
    to: Vec<i64>,
    /// All rows by the slice they leave, those of a slice as they are in the table.
    leaving: Vec<u32>,
    /// The same by the slice they reach.
    arriving: Vec<u32>,
}

impl Arrows {
    /// The rows of the flows that leave a slice, and where each leads.
    pub(super) fn leaving(&self, slice: u32) -> impl Iterator<Item = (u32, i64)> {
        rows_of(&self.leaving, &self.from, slice).map(|row| (row, self.to[row as usize]))
    }

    /// The rows of the flows that reach a slice, and where each comes from.
    pub(super) fn arriving(&self, slice: u32) -> impl Iterator<Item = (u32, i64)> {
        rows_of(&self.arriving, &self.to, slice).map(|row| (row, self.from[row as usize]))
    }
}

fn rows_of<'a>(
    sorted: &'a [u32],
    ends: &'a [i64],
    slice: u32,
) -> impl Iterator<Item = u32> + use<'a> {
    let slice = i64::from(slice);
    let start = sorted.partition_point(|&row| ends[row as usize] < slice);
    sorted[start..].iter().copied().take_while(move |&row| ends[row as usize] == slice)
}
