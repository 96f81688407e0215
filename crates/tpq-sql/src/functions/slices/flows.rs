//! `preceding_flow(id)`, `following_flow(id)` and `directly_connected_flow(id)`: the flows along
//! which a slice can be reached, or others from it.

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
use super::flow_index::{Arrows, FlowIndex};
use super::index::{Nesting, SliceIndex};
use super::no_slice;
use crate::cancel;
use crate::functions::{CallArgument, CalledRows, TableFunction};

/// Which flows are given.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Direction {
    /// Those that reach it, or a slice around it, and so on from where these start.
    Preceding,
    /// Those that leave it, or a slice in it, and so on from where these end.
    Following,
    /// Those that reach it, and so on backwards; and those that leave it, and so on forwards.
    Direct,
}

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
        let arrows = self.flows.arrows()?;
        let (mut calls, mut rows, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        for (call, id) in (0u32..).zip(ids) {
            cancel::check()?;
            let Some(id) = id else { continue };
            let start = nesting.row(id).ok_or_else(|| no_slice(self.name(), id))?;
            let before = rows.len();
            Walk::from(start, nesting, arrows).all(self.direction, &mut rows);
            calls.resize(rows.len(), call);
            numbers.extend((0i64..).take(rows.len() - before));
        }
        let rows = UInt32Array::from(rows);
        let numbers: ArrayRef = Arc::new(Int64Array::from(numbers));
        let taken = columns.iter().map(|&column| match column {
            // The rows of each call are a table of their own.
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

/// How a slice was come to.
#[derive(Clone, Copy, PartialEq)]
enum Via {
    Start,
    /// Backwards along a flow.
    Arriving,
    /// Forwards along a flow.
    Leaving,
    /// From a slice around it or in it.
    Relative,
}

/// Goes from slice to slice, nearest first, to each once.
struct Walk<'a> {
    nesting: &'a Nesting,
    arrows: &'a Arrows,
    known: FxHashSet<u32>,
    waiting: VecDeque<(u32, Via)>,
    relatives: Vec<u32>,
}

impl<'a> Walk<'a> {
    fn from(start: u32, nesting: &'a Nesting, arrows: &'a Arrows) -> Self {
        let known = FxHashSet::from_iter([start]);
        let waiting = VecDeque::from([(start, Via::Start)]);
        Self { nesting, arrows, known, waiting, relatives: Vec::new() }
    }

    /// Adds the rows of all flows on the way.
    fn all(mut self, direction: Direction, rows: &mut Vec<u32>) {
        while let Some((slice, via)) = self.waiting.pop_front() {
            // What is around a relative, or in it, is the same as around or in the first.
            if via != Via::Relative {
                self.visit_relatives(slice, direction);
            }
            // Whoever came along a flow does not turn round.
            if direction != Direction::Following && via != Via::Leaving {
                let arriving = self.arrows.arriving(slice);
                self.visit(arriving, Via::Arriving, rows);
            }
            if direction != Direction::Preceding && via != Via::Arriving {
                let leaving = self.arrows.leaving(slice);
                self.visit(leaving, Via::Leaving, rows);
            }
        }
    }

    fn visit(&mut self, flows: impl Iterator<Item = (u32, i64)>, via: Via, rows: &mut Vec<u32>) {
        for (row, slice) in flows {
            rows.push(row);
            if let Some(slice) = self.nesting.row(slice)
                && self.known.insert(slice)
            {
                self.waiting.push_back((slice, via));
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
            if self.known.insert(slice) {
                self.waiting.push_back((slice, Via::Relative));
            }
        }
    }
}
