//! Index of flows by the slices that they connect.

use std::sync::{Arc, OnceLock};

use datafusion::common::Result;
use tpq_tables::Table;

use super::columns::integers;

/// The flows of a trace, indexed on first use.
pub(super) struct FlowIndex {
    table: Arc<Table>,
    flows: OnceLock<Flows>,
}

impl FlowIndex {
    pub(super) fn new(table: &Arc<Table>) -> Self {
        Self { table: Arc::clone(table), flows: OnceLock::new() }
    }

    /// Returns the flows; builds the index on the first call.
    pub(super) fn flows(&self) -> Result<&Flows> {
        if let Some(flows) = self.flows.get() {
            return Ok(flows);
        }
        let [from, to] = integers(&self.table, ["slice_out", "slice_in"])?;
        let sorted_by = |ends: &[i64]| {
            let mut rows: Vec<u32> = (0u32..).take(ends.len()).collect();
            rows.sort_by_key(|&row| ends[row as usize]);
            rows
        };
        let (by_source, by_target) = (sorted_by(&from), sorted_by(&to));
        Ok(self.flows.get_or_init(|| Flows { from, to, by_source, by_target }))
    }
}

/// The flows of a trace. Rows are rows of the table of flows.
pub(super) struct Flows {
    /// The id of the source slice of each row.
    from: Vec<i64>,
    /// The id of the target slice of each row.
    to: Vec<i64>,
    /// All rows, sorted by source slice; rows with the same source keep the table's order.
    by_source: Vec<u32>,
    /// All rows, sorted by target slice; rows with the same target keep the table's order.
    by_target: Vec<u32>,
}

impl Flows {
    /// The outgoing flows of a slice: the row and the target slice of each.
    pub(super) fn outgoing(&self, slice: u32) -> impl Iterator<Item = (u32, i64)> {
        rows_of(&self.by_source, &self.from, slice).map(|row| (row, self.to[row as usize]))
    }

    /// The incoming flows of a slice: the row and the source slice of each.
    pub(super) fn incoming(&self, slice: u32) -> impl Iterator<Item = (u32, i64)> {
        rows_of(&self.by_target, &self.to, slice).map(|row| (row, self.from[row as usize]))
    }
}

/// The rows in `sorted` with `slice` in `ends`, by which `sorted` is sorted.
fn rows_of<'a>(
    sorted: &'a [u32],
    ends: &'a [i64],
    slice: u32,
) -> impl Iterator<Item = u32> + use<'a> {
    let slice = i64::from(slice);
    let start = sorted.partition_point(|&row| ends[row as usize] < slice);
    sorted[start..].iter().copied().take_while(move |&row| ends[row as usize] == slice)
}
