//! The pairs of intervals that a sweep finds, and columns with a value for each.

use datafusion::common::{Result, resources_datafusion_err};
use datafusion::error::DataFusionError;
use datafusion::execution::memory_pool::MemoryReservation;

use super::side::Side;
use super::sweep::{Cut, cuts, sweep};
use crate::cancel;
use crate::functions::pointers::operator::Resources;
use crate::threads::on_threads;

/// The number of runs for which memory is reserved at a time.
const STEP: usize = 1 << 12;
/// The number of runs after which filling a column looks for cancellation.
const RUNS_AT_ONCE: usize = 1 << 12;
/// The least number of intervals for which a thread is worth its start.
const INTERVALS_OF_A_THREAD: usize = 1 << 15;

/// The side of which the intervals of a run follow each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Along {
    Left,
    Right,
}

/// Pairs of neighbouring intervals of one side with one interval of the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    left: u32,
    right: u32,
    count: u32,
    along: Along,
}

impl Run {
    /// A run; a side has no more intervals than fit the numbers of a run.
    pub(super) fn new(left: usize, right: usize, count: usize, along: Along) -> Self {
        Self { left: left as u32, right: right as u32, count: count as u32, along }
    }

    /// Whether the run goes along a side; a single pair goes along both.
    fn is_along(&self, along: Along) -> bool {
        self.along == along || self.count == 1
    }

    /// The run with the pairs of a later one after its own, if that is a run.
    fn joined(&self, later: &Self) -> Option<Self> {
        let both = |along| self.is_along(along) && later.is_along(along);
        let left = self.left.wrapping_add(self.count);
        let right = self.right.wrapping_add(self.count);
        let along = if both(Along::Left) && self.right == later.right && left == later.left {
            Along::Left
        } else if both(Along::Right) && self.left == later.left && right == later.right {
            Along::Right
        } else {
            return None;
        };
        Some(Self { count: self.count + later.count, along, ..*self })
    }
}

/// Runs of pairs, while a sweep finds them.
pub(super) struct Runs<'a> {
    runs: Vec<Run>,
    /// The number of pairs.
    pairs: usize,
    /// The memory that the runs take, if it is limited.
    memory: Option<&'a MemoryReservation>,
    failure: Option<DataFusionError>,
}

impl<'a> Runs<'a> {
    fn new(memory: Option<&'a MemoryReservation>) -> Self {
        Self { runs: Vec::new(), pairs: 0, memory, failure: None }
    }

    /// Adds pairs. They are left out after a failure, which [`check`](Self::check) returns.
    pub(super) fn push(&mut self, run: Run) {
        if run.count == 0 {
            return;
        }
        if let Some(last) = self.runs.last_mut()
            && let Some(joined) = last.joined(&run)
        {
            *last = joined;
        } else {
            if self.runs.len().is_multiple_of(STEP) {
                self.reserve_step();
            }
            if self.failure.is_some() {
                return;
            }
            self.runs.push(run);
        }
        self.pairs += run.count as usize;
    }

    fn reserve_step(&mut self) {
        let Some(memory) = self.memory else { return };
        if let Err(error) = memory.try_grow(STEP * size_of::<Run>()) {
            self.failure = Some(error);
        }
    }

    /// # Errors
    /// When there was not enough memory.
    pub(super) fn check(&mut self) -> Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }
}

/// The pairs of overlapping intervals of two sides, in the order of the later start.
pub(super) struct Pairs {
    /// The runs of each part of the sweep, and the number of pairs in them.
    parts: Vec<(Vec<Run>, usize)>,
    threads: usize,
}

impl Pairs {
    /// Finds the pairs of large sides in as many parts as there are threads.
    ///
    /// # Errors
    /// When the statement is cancelled, or there is not enough memory.
    pub(super) fn find(left: Side, right: Side, resources: Resources) -> Result<Self> {
        let intervals = left.len().saturating_add(right.len());
        let parts = resources.threads.min(intervals / INTERVALS_OF_A_THREAD).max(1);
        Self::of(left, right, parts, resources.memory)
    }

    /// Finds the pairs in a number of parts, each on its thread.
    ///
    /// # Errors
    /// As [`Pairs::find`].
    pub(super) fn of(
        left: Side,
        right: Side,
        parts: usize,
        memory: Option<&MemoryReservation>,
    ) -> Result<Self> {
        let cuts = cuts(left, right, parts);
        let ranges = cuts.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let part = |(from, to): (Cut, Cut)| -> Result<(Vec<Run>, usize)> {
            let mut found = Runs::new(memory);
            sweep(left, right, from, to, &mut found)?;
            Ok((found.runs, found.pairs))
        };
        let parts = on_threads(parts, ranges, part);
        let parts = parts.into_iter().collect::<Result<Vec<_>>>()?;
        Ok(Self { threads: parts.len(), parts })
    }

    pub(super) fn len(&self) -> usize {
        self.parts.iter().map(|(_, pairs)| pairs).sum()
    }

    /// Reserves memory for columns with 8 bytes for each pair.
    ///
    /// # Errors
    /// When there is not enough.
    pub(super) fn reserve(&self, columns: usize, resources: Resources) -> Result<()> {
        let Some(memory) = resources.memory else { return Ok(()) };
        let bytes = self.len().checked_mul(columns).and_then(|values| values.checked_mul(8));
        let Some(bytes) = bytes else {
            return Err(resources_datafusion_err!("interval intersect: too many rows"));
        };
        memory.try_grow(bytes)
    }

    /// A column: a value for each pair, of the numbers of its left and right interval.
    ///
    /// # Errors
    /// When the statement is cancelled.
    pub(super) fn fill<T: Copy + Default + Send>(
        &self,
        value: impl Fn(usize, usize) -> T + Sync,
    ) -> Result<Vec<T>> {
        let mut column = vec![T::default(); self.len()];
        let mut rest = &mut column[..];
        let mut parts = Vec::with_capacity(self.parts.len());
        for (runs, pairs) in &self.parts {
            let (values, after) = std::mem::take(&mut rest).split_at_mut(*pairs);
            parts.push((runs, values));
            rest = after;
        }
        let filled = on_threads(self.threads, parts, |(runs, values)| fill(runs, values, &value));
        filled.into_iter().collect::<Result<()>>()?;
        Ok(column)
    }
}

fn fill<T>(runs: &[Run], mut values: &mut [T], value: &impl Fn(usize, usize) -> T) -> Result<()> {
    for runs in runs.chunks(RUNS_AT_ONCE) {
        cancel::check()?;
        for run in runs {
            let (left, right) = (run.left as usize, run.right as usize);
            let count = run.count as usize;
            let (own, after) = std::mem::take(&mut values).split_at_mut(count);
            match run.along {
                Along::Left => {
                    let lefts = left..left + count;
                    own.iter_mut().zip(lefts).for_each(|(own, left)| *own = value(left, right));
                }
                Along::Right => {
                    let rights = right..right + count;
                    own.iter_mut().zip(rights).for_each(|(own, right)| *own = value(left, right));
                }
            }
            values = after;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::execution::memory_pool::{GreedyMemoryPool, MemoryConsumer, MemoryPool};

    use super::*;

    fn numbers(runs: &Runs) -> Vec<(u32, u32, u32, Along)> {
        runs.runs.iter().map(|run| (run.left, run.right, run.count, run.along)).collect()
    }

    #[test]
    fn pairs_that_follow_each_other_are_one_run() {
        let mut runs = Runs::new(None);
        runs.push(Run::new(4, 1, 1, Along::Right));
        runs.push(Run::new(5, 1, 3, Along::Left));
        runs.push(Run::new(8, 1, 0, Along::Left));
        // These two go along the right side, and the last one along none of them.
        runs.push(Run::new(7, 2, 1, Along::Left));
        runs.push(Run::new(7, 3, 1, Along::Left));
        runs.push(Run::new(8, 3, 1, Along::Left));
        assert_eq!(
            numbers(&runs),
            [(4, 1, 4, Along::Left), (7, 2, 2, Along::Right), (8, 3, 1, Along::Left)]
        );
        assert_eq!(runs.pairs, 7);
    }

    #[test]
    fn runs_reserve_memory() {
        let limit = STEP * size_of::<Run>();
        let pool: Arc<dyn MemoryPool> = Arc::new(GreedyMemoryPool::new(limit));
        let memory = MemoryConsumer::new("test").register(&pool);
        let mut runs = Runs::new(Some(&memory));
        // No pair follows the one before.
        (0..STEP).for_each(|at| runs.push(Run::new(at * 2, at, 1, Along::Left)));
        assert!(runs.check().is_ok());
        assert_eq!(memory.size(), limit);
        runs.push(Run::new(1, 0, 1, Along::Left));
        assert!(runs.check().is_err());
        assert_eq!(runs.pairs, STEP);
    }
}
