//! `preceding_flow(id)`, `following_flow(id)` and `directly_connected_flow(id)`: the flows on all
//! paths that end at a slice or start from it.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, AsArray, Int64Array, RecordBatch, RecordBatchOptions, UInt32Array,
};
use datafusion::arrow::datatypes::{DataType, Int64Type, SchemaRef};
use datafusion::common::{Result, internal_err};
use rustc_hash::FxHashSet;

use super::columns::StoredColumns;
use super::flow_index::{FlowIndex, Flows};
use super::index::{Nesting, SliceIndex};
use super::unknown_slice;
use crate::cancel;
use crate::functions::{CallArgument, CalledRows, TableFunction};

/// The flows that a function returns.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Direction {
    /// Flows into the slice or its ancestors, followed backwards from each source.
    Preceding,
    /// Flows out of the slice or its descendants, followed forwards from each target.
    Following,
    /// Flows into the slice, followed backwards, and flows out of it, followed forwards.
    Direct,
}

/// One of the three table functions.
pub(super) struct ConnectedFlows {
    direction: Direction,
    slices: Arc<SliceIndex>,
    flows: Arc<FlowIndex>,
    columns: Arc<StoredColumns>,
}

impl ConnectedFlows {
    pub(super) fn new(
        direction: Direction,
        slices: Arc<SliceIndex>,
        flows: Arc<FlowIndex>,
        columns: Arc<StoredColumns>,
    ) -> Self {
        Self { direction, slices, flows, columns }
    }
}

impl fmt::Debug for ConnectedFlows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl TableFunction for ConnectedFlows {
    fn name(&self) -> &str {
        match self.direction {
            Direction::Preceding => "preceding_flow",
            Direction::Following => "following_flow",
            Direction::Direct => "directly_connected_flow",
        }
    }

    fn arguments(&self) -> &[(&'static str, DataType)] {
        &[("id", DataType::Int64)]
    }

    fn schema(&self, _: &[CallArgument]) -> Result<SchemaRef> {
        Ok(Arc::clone(self.columns.schema()))
    }

    fn call(&self, args: &[ArrayRef], _: usize, columns: &[usize]) -> Result<CalledRows> {
        let Some(ids) = args.first().and_then(|ids| ids.as_primitive_opt::<Int64Type>()) else {
            return internal_err!("{}() without an id", self.name());
        };
        let nesting = self.slices.nesting()?;
        let flows = self.flows.flows()?;
        let (mut calls, mut rows, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        for (call, id) in (0u32..).zip(ids) {
            cancel::check()?;
            let Some(id) = id else { continue };
            let start = nesting.row(id).ok_or_else(|| unknown_slice(self.name(), id))?;
            let before = rows.len();
            FlowSearch::new(start, nesting, flows).run(self.direction, &mut rows);
            calls.resize(rows.len(), call);
            numbers.extend((0i64..).take(rows.len() - before));
        }
        let rows = UInt32Array::from(rows);
        let numbers: ArrayRef = Arc::new(Int64Array::from(numbers));
        let taken = columns.iter().map(|&column| match column {
            // Column 0 is the id: it counts the rows of each call from 0.
            0 => Ok(Arc::clone(&numbers)),
            _ => self.columns.take(column, &rows),
        });
        let taken = taken.collect::<Result<Vec<_>>>()?;
        let schema = Arc::new(self.columns.schema().project(columns)?);
        let options = RecordBatchOptions::new().with_row_count(Some(calls.len()));
        let rows = RecordBatch::try_new_with_options(schema, taken, &options)?;
        Ok(CalledRows { calls: calls.into(), rows })
    }
}

/// How the search reached a slice.
#[derive(Clone, Copy, PartialEq)]
enum ReachedBy {
    Start,
    /// Backwards along a flow.
    IncomingFlow,
    /// Forwards along a flow.
    OutgoingFlow,
    /// As an ancestor or a descendant of a slice.
    Nesting,
}

/// A breadth-first search over slices, along flows and nesting.
struct FlowSearch<'a> {
    nesting: &'a Nesting,
    flows: &'a Flows,
    seen: FxHashSet<u32>,
    queue: VecDeque<(u32, ReachedBy)>,
    /// Buffer for ancestors or descendants.
    relatives: Vec<u32>,
}

impl<'a> FlowSearch<'a> {
    fn new(start: u32, nesting: &'a Nesting, flows: &'a Flows) -> Self {
        let seen = FxHashSet::from_iter([start]);
        let queue = VecDeque::from([(start, ReachedBy::Start)]);
        Self { nesting, flows, seen, queue, relatives: Vec::new() }
    }

    /// Adds the rows of all flows that the search finds.
    fn run(mut self, direction: Direction, rows: &mut Vec<u32>) {
        while let Some((slice, reached_by)) = self.queue.pop_front() {
            // A slice that was reached by nesting has no relatives that are not visited already.
            if reached_by != ReachedBy::Nesting {
                self.visit_relatives(slice, direction);
            }
            // The search does not reverse its direction along flows.
            if direction != Direction::Following && reached_by != ReachedBy::OutgoingFlow {
                let incoming = self.flows.incoming(slice);
                self.visit(incoming, ReachedBy::IncomingFlow, rows);
            }
            if direction != Direction::Preceding && reached_by != ReachedBy::IncomingFlow {
                let outgoing = self.flows.outgoing(slice);
                self.visit(outgoing, ReachedBy::OutgoingFlow, rows);
            }
        }
    }

    fn visit(
        &mut self,
        flows: impl Iterator<Item = (u32, i64)>,
        reached_by: ReachedBy,
        rows: &mut Vec<u32>,
    ) {
        for (row, slice) in flows {
            rows.push(row);
            if let Some(slice) = self.nesting.row(slice)
                && self.seen.insert(slice)
            {
                self.queue.push_back((slice, reached_by));
            }
        }
    }

    fn visit_relatives(&mut self, slice: u32, direction: Direction) {
        self.relatives.clear();
        match direction {
            Direction::Preceding => self.nesting.ancestors(slice, &mut self.relatives),
            Direction::Following => self.nesting.descendants(slice, &mut self.relatives),
            Direction::Direct => {}
        }
        for &slice in &self.relatives {
            if self.seen.insert(slice) {
                self.queue.push_back((slice, ReachedBy::Nesting));
            }
        }
    }
}
