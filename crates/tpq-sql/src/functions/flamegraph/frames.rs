//! The frames that a query gives: a forest of callers and what they call.

use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::{Int64Type, SchemaRef};
use datafusion::common::{Result, exec_err, internal_err};
use rustc_hash::FxHashMap;

use crate::functions::index_kind::count_rows;
use crate::functions::reserved::Reserved;
use crate::functions::steps::Steps;
use crate::memory::bytes_of;

/// The number of a frame that does not exist.
pub(super) const NONE: u32 = u32::MAX;

/// Bytes of a frame, next to its columns, while the forest is built.
const BUILDING: usize = 64;
/// Bytes of a frame in the forest.
const BUILT: usize = 3 * 4;

/// The frames of a query. A frame is a row of it.
#[derive(Debug)]
pub(super) struct Frames {
    /// All columns of the query.
    pub rows: RecordBatch,
    /// The caller of each frame, or `NONE`.
    pub callers: Vec<u32>,
    /// All frames, callers before what they call.
    pub order: Vec<u32>,
    /// The number of the name of each frame.
    pub names: Vec<u32>,
    /// One frame with each name.
    pub named: Vec<u32>,
}

impl Frames {
    /// Reads frames with the columns `id`, `parent_id` and `name`. A frame is a root if no row has
    /// its `parent_id`.
    ///
    /// # Errors
    /// When two frames have the same id, or a frame calls itself through others.
    pub(super) fn read(
        kind: &str,
        schema: &SchemaRef,
        batches: &[RecordBatch],
        memory: &Reserved,
    ) -> Result<Self> {
        let count = count_rows(kind, batches)?;
        let columns: usize = batches.iter().map(bytes_of).sum();
        memory.resize(columns.saturating_add(count.saturating_mul(BUILDING)))?;
        let rows = concat_batches(schema, batches)?;
        let callers = callers(kind, &rows)?;
        let order = callers_first(&callers)?;
        if order.len() < count {
            return exec_err!("{kind}: some frames are their own callers");
        }
        let (names, named) = names(&rows)?;
        memory.resize(columns.saturating_add(count.saturating_mul(BUILT)))?;
        Ok(Self { rows, callers, order, names, named })
    }

    /// The number of frames.
    pub(super) fn len(&self) -> usize {
        self.callers.len()
    }
}

/// The caller of each frame.
fn callers(kind: &str, rows: &RecordBatch) -> Result<Vec<u32>> {
    let column = |name| rows.column_by_name(name)?.as_primitive_opt::<Int64Type>();
    let (Some(ids), Some(parents)) = (column("id"), column("parent_id")) else {
        return internal_err!("frames without id and parent_id");
    };
    let mut frame_of: FxHashMap<i64, u32> = FxHashMap::default();
    for (frame, id) in (0u32..).zip(ids) {
        if let Some(id) = id
            && frame_of.insert(id, frame).is_some()
        {
            return exec_err!("{kind}: two frames have the id {id}");
        }
    }
    let caller = |parent: Option<i64>| parent.and_then(|id| frame_of.get(&id).copied());
    Ok(parents.iter().map(|parent| caller(parent).unwrap_or(NONE)).collect())
}

/// The frames that can be reached from roots, level by level.
fn callers_first(callers: &[u32]) -> Result<Vec<u32>> {
    let mut steps = Steps::default();
    let calls = Groups::new(callers, callers.len());
    let mut order: Vec<u32> = Vec::with_capacity(callers.len());
    order
        .extend((0u32..).zip(callers).filter(|(_, caller)| **caller == NONE).map(|(root, _)| root));
    let mut next = 0;
    while let Some(&frame) = order.get(next) {
        steps.take(1)?;
        order.extend_from_slice(calls.of(frame));
        next += 1;
    }
    Ok(order)
}

/// Numbers the names: the number of the name of each frame, and a frame with each name.
fn names(rows: &RecordBatch) -> Result<(Vec<u32>, Vec<u32>)> {
    let names = rows.column_by_name("name").and_then(|names| names.as_string_view_opt());
    let Some(names) = names else { return internal_err!("frames without names") };
    let mut steps = Steps::default();
    let mut numbers: FxHashMap<Option<&str>, u32> = FxHashMap::default();
    let (mut number_of, mut named) = (Vec::with_capacity(names.len()), Vec::new());
    for (frame, name) in (0u32..).zip(names) {
        steps.take(1)?;
        let next = numbers.len() as u32;
        let number = *numbers.entry(name).or_insert(next);
        if number == next {
            named.push(frame);
        }
        number_of.push(number);
    }
    Ok((number_of, named))
}

/// Members by their groups, in their order.
pub(super) struct Groups {
    /// The index in `members` of the first member of each group, and the end of the last.
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Groups {
    /// Groups the numbers from 0 on by the group of each. Numbers without group have `NONE`.
    pub(super) fn new(group_of: &[u32], groups: usize) -> Self {
        let pairs = || group_of.iter().copied().zip(0u32..).filter(|(group, _)| *group != NONE);
        Self::from_pairs(groups, pairs)
    }

    /// Groups members by pairs of a group and a member.
    pub(super) fn from_pairs<I: Iterator<Item = (u32, u32)>>(
        groups: usize,
        pairs: impl Fn() -> I,
    ) -> Self {
        let mut starts = vec![0u32; groups + 1];
        for (group, _) in pairs() {
            starts[group as usize + 1] += 1;
        }
        for group in 1..starts.len() {
            starts[group] += starts[group - 1];
        }
        let mut next = starts.clone();
        let mut members = vec![0; starts.last().map_or(0, |end| *end as usize)];
        for (group, member) in pairs() {
            let at = &mut next[group as usize];
            members[*at as usize] = member;
            *at += 1;
        }
        Self { starts, members }
    }

    /// The members of a group.
    pub(super) fn of(&self, group: u32) -> &[u32] {
        let group = group as usize;
        &self.members[self.starts[group] as usize..self.starts[group + 1] as usize]
    }

    /// The members of a group, for sorting.
    pub(super) fn of_mut(&mut self, group: u32) -> &mut [u32] {
        let group = group as usize;
        &mut self.members[self.starts[group] as usize..self.starts[group + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_come_before_what_they_call() {
        // 1 and 4 are roots; 1 calls 0 and 3, 0 calls 2.
        let order = callers_first(&[1, NONE, 0, 1, NONE]).expect("is not cancelled");
        assert_eq!(order, [1, 4, 0, 3, 2]);
        // 0 and 1 call each other.
        assert_eq!(callers_first(&[1, 0, NONE]).expect("is not cancelled"), [2]);
    }

    #[test]
    fn groups_keep_the_order_of_members() {
        let groups = Groups::new(&[1, 0, NONE, 1], 3);
        assert_eq!((groups.of(0), groups.of(1)), (&[1][..], &[0, 3][..]));
        assert!(groups.of(2).is_empty());
    }
}
