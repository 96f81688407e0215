//! `__intrinsic_critical_path_walk(graph, roots)`: what each root span waited for while its thread
//! was idle. A span of a thread starts when the thread is woken and ends when it next waits.
//!
//! The walk goes back in time from the start of the root to the start of the idle time before it.
//! From a span it goes to the span of another thread that woke it. Where there is none, an
//! interrupt woke the thread: it waited for the kernel, and the walk goes to the previous span of
//! the same thread. Each span on the way blocked the root from its start to the start of the span
//! that the walk came from. A wait for the kernel, with the time before it, is attributed to the
//! span that follows it on the thread. `depth` counts the waits for the kernel since the root, and
//! `parent_id` is the span after the last of them, or the root.
//!
//! ```text
//! root                 ░░░░░░░░░░░░░░░░░░░░░████
//! woke the root        ░░░░░░░░░░░░░████████↑
//! woke that one        ░░░░█████████↑
//! blocker              ░░░░├───2───┤├──1───┤root
//! ```

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::{DataType, Fields};
use datafusion::common::Result;
use datafusion::execution::memory_pool::MemoryReservation;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::functions::pointers::operator::{
    Operand, OperandType, Resources, TableOperator, wrong_operands,
};
use crate::functions::pointers::table::{integer, integer_column, integers, to_column};
use crate::functions::steps::Steps;

/// The arguments of `__intrinsic_wakeup_graph_agg`, all integers.
pub(super) const SPAN_COLUMNS: &[(&str, DataType)] = &[
    ("id", DataType::Int64),
    ("utid", DataType::Int64),
    ("ts", DataType::Int64),
    ("dur", DataType::Int64),
    ("idle_dur", DataType::Int64),
    ("waker_id", DataType::Int64),
    ("prev_id", DataType::Int64),
];

/// The columns of the result.
const RESULT: [&str; 7] =
    ["root_id", "depth", "ts", "dur", "blocker_id", "blocker_utid", "parent_id"];

/// Bytes of a result row, before and after it becomes part of the columns.
const ROW_BYTES: usize = size_of::<Frame>() + RESULT.len() * size_of::<i64>();

/// Rows that memory is reserved for at a time.
const RESERVED_ROWS: usize = 1 << 14;

/// The operator `__intrinsic_critical_path_walk`.
#[derive(Debug)]
pub(super) struct CriticalPathWalk;

impl TableOperator for CriticalPathWalk {
    fn name(&self) -> &'static str {
        "__intrinsic_critical_path_walk"
    }

    fn columns(&self, operands: &[OperandType]) -> Result<Fields> {
        let [graph, roots] = operands else { return self.wrong() };
        let has_spans = graph.columns().is_none_or(|columns| {
            SPAN_COLUMNS.iter().all(|(name, _)| columns.find(name).is_some())
        });
        if !has_spans || !graph.is_table() || !roots.is_table() {
            return self.wrong();
        }
        Ok(RESULT.into_iter().map(integer).collect())
    }

    fn run(&self, operands: &[Operand]) -> Result<Option<Vec<ArrayRef>>> {
        self.run_within(operands, Resources::default())
    }

    fn run_within(
        &self,
        operands: &[Operand],
        resources: Resources,
    ) -> Result<Option<Vec<ArrayRef>>> {
        let [graph, roots] = operands else { return Ok(None) };
        let (Some(graph), Some(roots)) = (graph.table(), roots.table()) else { return Ok(None) };
        // Roots that are not integers give no rows.
        if roots.first().is_none_or(|roots| roots.data_type() != &DataType::Int64) {
            return Ok(None);
        }
        let spans = Spans::from_columns(graph)?;
        let frames = spans.walk_all(&integers(roots, 0)?, resources.memory)?;
        let column = |value: &dyn Fn(&Frame) -> i64| to_column(frames.iter().map(value).collect());
        let id = |span: u32| spans.spans[span as usize].id;
        Ok(Some(vec![
            column(&|frame| id(frame.root)),
            column(&|frame| i64::from(frame.depth)),
            column(&|frame| frame.start),
            column(&|frame| frame.end.saturating_sub(frame.start)),
            column(&|frame| id(frame.blocker)),
            column(&|frame| spans.spans[frame.blocker as usize].utid),
            column(&|frame| id(frame.parent)),
        ]))
    }
}

impl CriticalPathWalk {
    fn wrong<T>(&self) -> Result<T> {
        wrong_operands(self.name(), "a wakeup graph and an array of its spans")
    }
}

/// The reason for the start of a span.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cause {
    /// An interrupt ended a wait for the kernel.
    Kernel,
    /// The thread of another span woke this one.
    Span(u32),
    /// The span of the waking thread is not in the graph.
    Unknown,
}

/// A span of a thread.
#[derive(Debug)]
struct Span {
    id: i64,
    utid: i64,
    start: i64,
    /// The end, if the span has one.
    end: Option<i64>,
    /// The start of the idle time before the span.
    idle_start: Option<i64>,
    cause: Cause,
    /// The previous and the next span of the thread.
    previous: Option<u32>,
    next: Option<u32>,
}

/// A time in which a span blocked a root.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Frame {
    root: u32,
    depth: u32,
    start: i64,
    end: i64,
    blocker: u32,
    parent: u32,
}

/// All spans.
struct Spans {
    spans: Vec<Span>,
    /// The index of the span with each id.
    indices: FxHashMap<i64, u32>,
}

impl Spans {
    /// The spans of the collected columns.
    fn from_columns(columns: &[ArrayRef]) -> Result<Self> {
        let ids = integers(columns, 0)?;
        let indices: FxHashMap<i64, u32> = ids.iter().copied().zip(0u32..).collect();
        let index = |id: Option<i64>| indices.get(&id?).copied();
        let (utids, starts) = (integers(columns, 1)?, integers(columns, 2)?);
        let (durs, idle_durs) = (integer_column(columns, 3)?, integer_column(columns, 4)?);
        let (wakers, previous) = (integer_column(columns, 5)?, integer_column(columns, 6)?);
        let rest = durs.iter().zip(idle_durs).zip(wakers).zip(previous);
        let rows = ids.iter().zip(utids).zip(starts).zip(rest);
        let spans = rows.map(|(((&id, utid), start), (((dur, idle_dur), waker), previous))| Span {
            id,
            utid,
            start,
            end: dur.filter(|&dur| dur > 0).map(|dur| start.saturating_add(dur)),
            idle_start: idle_dur.map(|dur| start.saturating_sub(dur)),
            cause: match (waker, index(waker)) {
                (None, _) => Cause::Kernel,
                (_, Some(waker)) => Cause::Span(waker),
                (_, None) => Cause::Unknown,
            },
            previous: index(previous),
            next: None,
        });
        let mut spans: Vec<Span> = spans.collect();
        for at in 0..spans.len() {
            if let Some(previous) = spans[at].previous {
                spans[previous as usize].next = Some(at as u32);
            }
        }
        Ok(Self { spans, indices })
    }

    /// The frames of several roots. A root that occurs twice is walked once.
    fn walk_all(&self, roots: &[i64], memory: Option<&MemoryReservation>) -> Result<Vec<Frame>> {
        let held = memory.map(MemoryReservation::new_empty);
        let mut walked = FxHashSet::default();
        let mut frames: Vec<Frame> = Vec::new();
        let mut steps = Steps::default();
        for root in roots.iter().filter_map(|root| self.indices.get(root)) {
            if !walked.insert(*root) {
                continue;
            }
            let first = frames.len();
            for frame in self.walk(*root) {
                steps.take(1)?;
                let Some(frame) = frame else { continue };
                // The walk goes back in time, so the last frame starts where this one ends.
                let last = frames.last_mut().filter(|last| last.root == frame.root);
                match last.filter(|last| last.blocker == frame.blocker) {
                    Some(last) => last.start = frame.start,
                    None => frames.push(frame),
                }
                if let Some(held) = &held
                    && frames.len() % RESERVED_ROWS == 1
                {
                    held.try_resize((frames.len() + RESERVED_ROWS) * ROW_BYTES)?;
                }
            }
            if let Some(frames) = frames.get_mut(first..) {
                frames.reverse();
            }
        }
        Ok(frames)
    }

    /// The steps of the walk from a root, the last in time first: each gives a frame, or `None` if
    /// it takes no time.
    fn walk(&self, root: u32) -> impl Iterator<Item = Option<Frame>> {
        let span = &self.spans[root as usize];
        let blocker = self.following_wait(root);
        let frame = |end| Frame { root, depth: 0, start: span.start, end, blocker, parent: root };
        let own = span.end.map(frame);
        let idle_start = span.idle_start.unwrap_or(span.start);
        let (mut at, mut end, mut depth, mut parent) = (root, span.start, 0, root);
        let waits = std::iter::from_fn(move || {
            if end <= idle_start {
                return None;
            }
            let span = &self.spans[at as usize];
            let before = match span.cause {
                Cause::Kernel => span.previous?,
                Cause::Span(waker) => waker,
                Cause::Unknown => return None,
            };
            let earlier = &self.spans[before as usize];
            // Ids are in the order of time. Spans that are not could form a circle.
            if earlier.id >= span.id {
                return None;
            }
            let start = earlier.start.max(idle_start);
            let blocker = self.following_wait(before);
            let frame = Frame { root, depth, start, end, blocker, parent };
            if span.cause == Cause::Kernel {
                (depth, parent) = (depth + 1, at);
            }
            at = before;
            let takes_time = start < end;
            end = end.min(start);
            Some(takes_time.then_some(frame))
        });
        std::iter::once(own).chain(waits)
    }

    /// The span that the time of a span is attributed to: the next one of the thread if the thread
    /// waits for the kernel in between, else the span itself.
    fn following_wait(&self, span: u32) -> u32 {
        let next = self.spans[span as usize].next;
        next.filter(|&next| self.spans[next as usize].cause == Cause::Kernel).unwrap_or(span)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::Int64Array;

    use super::*;

    /// A span: id, utid, ts, dur, idle_dur, waker_id, prev_id.
    type Row = (i64, i64, i64, Option<i64>, Option<i64>, Option<i64>, Option<i64>);

    /// The frames of roots: root, depth, start, end, blocker, parent.
    fn walked(rows: &[Row], roots: &[i64]) -> Vec<(i64, u32, i64, i64, i64, i64)> {
        let column = |value: &dyn Fn(&Row) -> Option<i64>| -> ArrayRef {
            Arc::new(rows.iter().map(value).collect::<Int64Array>())
        };
        let columns = [
            column(&|row| Some(row.0)),
            column(&|row| Some(row.1)),
            column(&|row| Some(row.2)),
            column(&|row| row.3),
            column(&|row| row.4),
            column(&|row| row.5),
            column(&|row| row.6),
        ];
        let spans = Spans::from_columns(&columns).unwrap();
        let id = |span: u32| spans.spans[span as usize].id;
        let frames = spans.walk_all(roots, None).unwrap();
        let frames = frames.iter().map(|frame| {
            let (root, blocker, parent) = (id(frame.root), id(frame.blocker), id(frame.parent));
            (root, frame.depth, frame.start, frame.end, blocker, parent)
        });
        frames.collect()
    }

    #[test]
    fn a_root_waits_for_a_chain_of_threads() {
        let rows = [
            (1, 10, 0, Some(50), None, None, None),
            (2, 20, 40, Some(30), Some(40), Some(1), None),
            // Idle from 10 to 60.
            (3, 30, 60, Some(10), Some(50), Some(2), None),
        ];
        let path = [(3, 0, 10, 40, 1, 3), (3, 0, 40, 60, 2, 3), (3, 0, 60, 70, 3, 3)];
        assert_eq!(walked(&rows, &[3, 8, 3]), path);
        // Without idle time there is only the span itself.
        assert_eq!(walked(&rows, &[1]), [(1, 0, 0, 50, 1, 1)]);
    }

    #[test]
    fn waits_for_the_kernel_belong_to_the_span_after_them() {
        let rows = [
            (1, 30, 0, Some(8), None, None, None),
            (2, 10, 5, Some(10), None, Some(1), None),
            // An interrupt ends the wait from 15 to 30.
            (3, 10, 30, Some(25), Some(15), None, Some(2)),
            // Idle from 2 to 50.
            (4, 20, 50, Some(10), Some(48), Some(3), None),
        ];
        let path = [(4, 1, 2, 5, 1, 3), (4, 0, 5, 50, 3, 4), (4, 0, 50, 60, 4, 4)];
        assert_eq!(walked(&rows, &[4]), path);
        // The wait of the root itself, and the time before such a wait.
        assert_eq!(walked(&rows, &[3, 2]), [(3, 0, 15, 55, 3, 3), (2, 0, 5, 15, 3, 2)]);
    }

    #[test]
    fn a_walk_ends_at_unknown_spans_and_in_circles() {
        let rows = [
            (1, 10, 0, Some(5), Some(100), Some(2), None),
            (2, 20, 10, None, Some(100), Some(1), None),
            (3, 30, 20, Some(1), Some(5), Some(9), None),
        ];
        let path = [(2, 0, 0, 10, 1, 2), (1, 0, 0, 5, 1, 1), (3, 0, 20, 21, 3, 3)];
        assert_eq!(walked(&rows, &[2, 1, 3]), path);
    }
}
