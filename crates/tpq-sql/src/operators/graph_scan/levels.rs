//! The rows that wait for a run of the query, by level.

use std::collections::VecDeque;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, UInt32Array};
use datafusion::arrow::compute::{take, take_record_batch};
use datafusion::arrow::datatypes::{Int64Type, SchemaRef};
use datafusion::common::{Result, exec_err, internal_err};
use datafusion::execution::memory_pool::MemoryReservation;

use super::ScanKind;
use super::step::StepRows;
use crate::cancel;
use crate::functions::Graph;
use crate::memory::bytes_of;

/// Nodes or rows between two checks for cancellation.
const CHECK_INTERVAL: usize = 1 << 16;

/// Levels of a plain scan beyond the number of nodes. From the number of nodes on, paths go in
/// circles.
const MAX_LEVELS_IN_CIRCLES: usize = 100_000;

/// The level of a node that no initial node reaches.
const UNREACHED: u32 = u32::MAX;

/// The levels of a scan that are not computed yet.
pub(super) struct Levels {
    graph: Graph,
    /// The level of each node; only for an aggregating scan.
    of_nodes: Option<Vec<u32>>,
    /// The level that the first of the waiting rows are of; the initial rows are level 0.
    next: u32,
    waiting: VecDeque<StepRows>,
    /// Memory for the graph.
    held: Option<MemoryReservation>,
    schema: SchemaRef,
}

/// A step along an edge.
#[derive(Clone, Copy, Debug)]
struct Edge {
    /// The position in `waiting` of the rows that the step leads to.
    level: u32,
    /// The row that the step starts from.
    row: u32,
    target: u32,
}

impl Levels {
    /// The levels of a scan that starts from the nodes of `init`. `held` has memory for the graph.
    ///
    /// # Errors
    /// When an aggregating scan reaches a cycle.
    pub(super) fn new(
        kind: ScanKind,
        graph: Graph,
        init: &[RecordBatch],
        held: Option<MemoryReservation>,
        schema: SchemaRef,
    ) -> Result<Self> {
        let of_nodes = match kind {
            ScanKind::Plain => None,
            ScanKind::Aggregating => {
                let mut starts = Vec::new();
                for batch in init {
                    let ids = ids_of(batch)?.iter().flatten();
                    starts.extend(ids.filter_map(|id| graph.node(id)));
                }
                Some(levels_of_nodes(&graph, starts)?)
            }
        };
        Ok(Self { graph, of_nodes, next: 1, waiting: VecDeque::new(), held, schema })
    }

    /// Takes initial rows. Returns those that are part of the result as they are.
    pub(super) fn start(&mut self, init: &RecordBatch) -> Result<RecordBatch> {
        let Some(levels) = &self.of_nodes else {
            self.follow(init)?;
            return Ok(init.clone());
        };
        // A node without edges is in the first level.
        let level = |id: Option<i64>| {
            let level = self.graph.node(id?).and_then(|node| levels.get(node as usize));
            level.copied()
        };
        let levels = ids_of(init)?.iter().map(|id| level(id).unwrap_or_default());
        let mut rows: Vec<(u32, u32)> = levels.zip(0u32..).collect();
        rows.sort_by_key(|&(level, _)| level);
        let mut first = init.slice(0, 0);
        for part in rows.chunk_by(|a, b| a.0 == b.0) {
            let Some(&(level, _)) = part.first() else { continue };
            let part = UInt32Array::from_iter_values(part.iter().map(|&(_, row)| row));
            let part = take_record_batch(init, &part)?;
            match level.checked_sub(self.next) {
                Some(place) => self.wait(place, part)?,
                None => first = part,
            }
        }
        self.follow(&first)?;
        Ok(first)
    }

    /// The rows for the next run of the query; `None` at the end.
    ///
    /// # Errors
    /// When a plain scan goes in circles without end.
    pub(super) fn next_rows(&mut self) -> Result<Option<StepRows>> {
        while let Some(rows) = self.waiting.pop_front() {
            self.next += 1;
            if rows.batches.is_empty() {
                continue;
            }
            let most = self.graph.len().saturating_add(MAX_LEVELS_IN_CIRCLES);
            if self.of_nodes.is_none() && self.next as usize > most {
                return exec_err!("graph scan: the query follows a cycle of the graph without end");
            }
            return Ok(Some(rows));
        }
        // Nothing needs the graph any more.
        self.held = None;
        Ok(None)
    }

    /// Passes rows of the current level on along the edges of their nodes.
    ///
    /// # Errors
    /// When a row is of another level, or there is not enough memory.
    pub(super) fn follow(&mut self, rows: &RecordBatch) -> Result<()> {
        let ids = ids_of(rows)?;
        let mut count = 0usize;
        for id in ids.iter().flatten() {
            let Some(node) = self.graph.node(id) else { continue };
            self.check_level(id, node)?;
            count = count.saturating_add(self.graph.successors(node).len());
        }
        if count == 0 {
            return Ok(());
        }
        let room = self.held.as_ref().map(MemoryReservation::new_empty);
        if let Some(room) = &room {
            let row_bytes = bytes_of(rows).div_ceil(rows.num_rows().max(1));
            room.try_grow(count.saturating_mul(size_of::<Edge>() + row_bytes))?;
        }
        let mut edges = Vec::with_capacity(count);
        for (row, id) in (0u32..).zip(ids) {
            let Some(node) = id.and_then(|id| self.graph.node(id)) else { continue };
            if (row as usize).is_multiple_of(CHECK_INTERVAL) {
                cancel::check()?;
            }
            let targets = self.graph.successors(node).iter();
            edges.extend(targets.map(|&target| Edge { level: self.place_of(target), row, target }));
        }
        if self.of_nodes.is_some() {
            edges.sort_by_key(|edge| edge.level);
        }
        for part in edges.chunk_by(|a, b| a.level == b.level) {
            let Some(&Edge { level, .. }) = part.first() else { continue };
            let batch = self.passed_on(rows, part)?;
            self.wait(level, batch)?;
        }
        Ok(())
    }

    /// Checks that a node of an aggregating scan is in the level that is computed.
    fn check_level(&self, id: i64, node: u32) -> Result<()> {
        let Some(levels) = &self.of_nodes else { return Ok(()) };
        let level = levels.get(node as usize).copied().unwrap_or(UNREACHED);
        if level.checked_add(1) == Some(self.next) {
            return Ok(());
        }
        exec_err!("graph scan: the query gave a row for node {id}, which is not in $table")
    }

    /// The position in `waiting` of a node's rows.
    fn place_of(&self, node: u32) -> u32 {
        let level = self.of_nodes.as_ref().and_then(|levels| levels.get(node as usize));
        level.map_or(0, |level| level.saturating_sub(self.next))
    }

    /// The rows that steps along edges give.
    fn passed_on(&self, rows: &RecordBatch, edges: &[Edge]) -> Result<RecordBatch> {
        let ids = edges.iter().map(|edge| self.graph.id(edge.target));
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(ids));
        let taken = UInt32Array::from_iter_values(edges.iter().map(|edge| edge.row));
        let mut columns = vec![ids];
        for column in rows.columns().iter().skip(1) {
            columns.push(take(column, &taken, None)?);
        }
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }

    /// Adds rows to those of a position in `waiting`.
    fn wait(&mut self, place: u32, batch: RecordBatch) -> Result<()> {
        let place = place as usize;
        if self.waiting.len() <= place {
            self.waiting.resize_with(place + 1, StepRows::default);
        }
        let Some(rows) = self.waiting.get_mut(place) else {
            return internal_err!("a level without rows");
        };
        if let Some(held) = &self.held {
            let held = rows.held.get_or_insert_with(|| held.new_empty());
            held.try_grow(bytes_of(&batch))?;
        }
        rows.batches.push(batch);
        Ok(())
    }
}

/// The node ids of rows.
fn ids_of(rows: &RecordBatch) -> Result<&Int64Array> {
    match rows.columns().first().and_then(|ids| ids.as_primitive_opt::<Int64Type>()) {
        Some(ids) => Ok(ids),
        None => internal_err!("rows of a graph scan without ids"),
    }
}

/// For each node, the greatest number of edges on a path from one of `starts` to it.
fn levels_of_nodes(graph: &Graph, starts: Vec<u32>) -> Result<Vec<u32>> {
    let mut levels = vec![UNREACHED; graph.len()];
    let mut incoming = vec![0u32; graph.len()];
    let mut reached: Vec<u32> = Vec::new();
    for start in starts {
        if std::mem::replace(&mut levels[start as usize], 0) == UNREACHED {
            reached.push(start);
        }
    }
    let mut at = 0;
    while let Some(&node) = reached.get(at) {
        check_sometimes(at)?;
        at += 1;
        for &target in graph.successors(node) {
            incoming[target as usize] += 1;
            if std::mem::replace(&mut levels[target as usize], 0) == UNREACHED {
                reached.push(target);
            }
        }
    }
    let is_free = |&node: &u32| incoming[node as usize] == 0;
    let mut free: Vec<u32> = reached.iter().copied().filter(is_free).collect();
    let mut at = 0;
    while let Some(&node) = free.get(at) {
        check_sometimes(at)?;
        at += 1;
        let below = levels[node as usize].saturating_add(1);
        for &target in graph.successors(node) {
            let target_level = &mut levels[target as usize];
            *target_level = below.max(*target_level);
            incoming[target as usize] -= 1;
            if incoming[target as usize] == 0 {
                free.push(target);
            }
        }
    }
    match reached.iter().find(|&&node| incoming[node as usize] > 0) {
        None => Ok(levels),
        Some(&node) => {
            exec_err!("graph scan: a cycle of the graph leads to node {}", graph.id(node))
        }
    }
}

fn check_sometimes(count: usize) -> Result<()> {
    if count.is_multiple_of(CHECK_INTERVAL) { cancel::check() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(edges: &[(i64, i64)], starts: &[i64]) -> Result<Vec<(i64, u32)>> {
        let (sources, targets): (Vec<i64>, Vec<i64>) = edges.iter().copied().unzip();
        let graph = Graph::from_edges(&sources, &targets);
        let starts = starts.iter().filter_map(|&id| graph.node(id)).collect();
        let levels = levels_of_nodes(&graph, starts)?;
        Ok((0u32..).zip(levels).map(|(node, level)| (graph.id(node), level)).collect())
    }

    #[test]
    fn the_level_of_a_node_is_its_longest_path() {
        // 1 → 2 → 3 → 4, and 1 → 3; nothing leads to 7.
        let edges = [(1, 2), (1, 3), (2, 3), (3, 4), (7, 4)];
        let expected = [(1, 0), (2, 1), (3, 2), (4, 3), (7, UNREACHED)];
        assert_eq!(levels(&edges, &[1]).unwrap(), expected);
        // An edge leads to the second start.
        assert_eq!(levels(&edges, &[1, 3, 9]).unwrap(), expected);
    }

    #[test]
    fn a_cycle_has_no_levels() {
        assert!(levels(&[(1, 2), (2, 2)], &[1]).is_err());
        assert!(levels(&[(1, 2), (3, 3)], &[1]).is_ok());
    }
}
