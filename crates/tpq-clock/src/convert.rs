//! The relation between two clocks, and conversion of columns from one to the other.

use std::sync::{Arc, OnceLock};

use crate::kernel::{self, ConstantOffset};
use crate::line::Line;
use crate::rate::{Step, rate};

/// Snapshots that are looked at to tell whether readings keep their order. Readings that are asked
/// about lie a second apart, and a recorder takes a snapshot every few seconds.
const MOST_CHECKED: usize = 64;

/// How readings between two snapshots are converted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Interpolation {
    /// By the offset of the latest snapshot that is not later than the reading; before the first
    /// snapshot, by the offset of the first. The time between two events of one clock stays the
    /// same, unless a snapshot is between them.
    #[default]
    Nearest,
    /// By the straight line between the snapshots before and after. Outside of all snapshots, from
    /// the first or last one at the rate of the clocks. Follows clocks that drift, and spreads a
    /// jump over the whole time between two snapshots.
    Linear,
}

/// The relation between two clocks: when one reads `from[i]`, the other reads `from[i] +
/// offset[i]`.
#[derive(Clone, Debug, Default)]
pub struct Edge {
    /// Readings of the first clock, strictly ascending.
    from: Vec<i64>,
    offset: Vec<i64>,
    ticks: bool,
    /// Cached result of [`Self::lines`]. Methods that change the edge clear it.
    lines: OnceLock<Vec<Line>>,
}

impl Edge {
    /// Adds a pair of readings. Returns `false`, and adds nothing, if `from` went backwards.
    pub fn push(&mut self, from: i64, to: i64) -> bool {
        if self.from.last().is_some_and(|&last| from < last) {
            return false;
        }
        // A clock may read the same value twice. Then the later snapshot replaces the earlier one.
        if self.from.last() == Some(&from) {
            self.from.pop();
            self.offset.pop();
        }
        self.from.push(from);
        self.offset.push(to.wrapping_sub(from));
        self.lines.take();
        true
    }

    /// Marks the edge as one where a clock counts ticks of unknown length instead of ns. Then only
    /// the rate that the snapshots show converts readings, for every interpolation.
    pub fn set_ticks(&mut self) {
        if !self.ticks {
            self.ticks = true;
            self.lines.take();
        }
    }

    /// Whether one of the clocks counts ticks.
    pub fn ticks(&self) -> bool {
        self.ticks
    }

    /// Whether there are enough snapshots to convert: one, or two where ticks need a rate.
    pub fn can_convert(&self) -> bool {
        self.len() > usize::from(self.ticks)
    }

    /// The number of snapshots.
    pub fn len(&self) -> usize {
        self.from.len()
    }

    /// Whether there is no snapshot.
    pub fn is_empty(&self) -> bool {
        self.from.is_empty()
    }

    /// The snapshots as pairs of readings of the first and the second clock, in the order of the
    /// first.
    pub fn pairs(&self) -> impl Iterator<Item = (i64, i64)> {
        self.from.iter().zip(&self.offset).map(|(&from, &offset)| (from, from.wrapping_add(offset)))
    }

    /// How far both clocks advanced from each snapshot to the next.
    pub(crate) fn steps(&self) -> Vec<Step> {
        let wide = |(from, to)| (i128::from(from), i128::from(to));
        let pairs = self.pairs().map(wide);
        let step =
            |((from, to), (next_from, next_to))| Step { from: next_from - from, to: next_to - to };
        pairs.zip(self.pairs().skip(1).map(wide)).map(step).collect()
    }

    /// The line of each segment of time between snapshots, numbered like the segments of the
    /// kernel.
    fn lines(&self) -> Vec<Line> {
        let steps = self.steps();
        let outside = rate(&steps, self.ticks);
        let before = self.pairs().next().map(|first| Line::through(first, outside));
        let after = self.pairs().last().map(|last| Line::through(last, outside));
        let between = self.pairs().zip(&steps).map(|(pair, &step)| Line::between(pair, step));
        before.into_iter().chain(between).chain(after).collect()
    }

    /// Converts a column in place. Where [`Self::can_convert`] returns `false`, ticks are converted
    /// as if they were ns.
    pub fn convert(&self, column: &mut [i64], how: Interpolation) {
        if self.is_empty() {
            return;
        }
        if self.ticks || how == Interpolation::Linear {
            let lines = self.lines.get_or_init(|| self.lines());
            kernel::convert(&self.from, |segment| lines[segment], column);
        } else {
            let offset_of = |segment: usize| ConstantOffset(self.offset[segment.saturating_sub(1)]);
            kernel::convert(&self.from, offset_of, column);
        }
    }
}

impl Edge {
    /// Whether readings from `from` to `to` have the same order once they are converted. They do
    /// not where one of the clocks was set back meanwhile. With more than [`MOST_CHECKED`]
    /// snapshots between the readings it is not looked whether they do.
    fn keeps_order(&self, from: i64, to: i64, how: Interpolation) -> bool {
        let up_to = |reading| self.from.partition_point(|&at| at <= reading);
        let snapshots = self.from.get(up_to(from)..up_to(to)).unwrap_or_default();
        if snapshots.len() > MOST_CHECKED {
            return false;
        }
        // Between two snapshots the conversion is a straight line, so its ends decide.
        let mut ends = vec![from];
        ends.extend(snapshots.iter().flat_map(|&at| [at - 1, at]));
        ends.push(to);
        self.convert(&mut ends, how);
        ends.is_sorted()
    }
}

/// Converts from one clock to another along the edges of a path.
#[derive(Clone, Debug, Default)]
pub struct Converter {
    hops: Vec<Arc<Edge>>,
    how: Interpolation,
}

impl Converter {
    /// Returns a converter along these edges, in this order.
    pub fn new(hops: Vec<Arc<Edge>>, how: Interpolation) -> Self {
        Self { hops, how }
    }

    /// Returns the converter from a clock to itself.
    pub fn identity() -> Self {
        Self::default()
    }

    /// Returns a converter that applies this one and then `other`. Both must have the same
    /// interpolation, unless one is the identity.
    #[must_use]
    pub fn then(mut self, other: &Self) -> Self {
        if self.hops.is_empty() {
            return other.clone();
        }
        debug_assert!(other.hops.is_empty() || self.how == other.how);
        self.hops.extend(other.hops.iter().map(Arc::clone));
        self
    }

    /// The number of edges on the path; 0 from a clock to itself.
    pub fn hops(&self) -> usize {
        self.hops.len()
    }

    /// Converts a column in place. Values that leave the range of `i64` wrap: a value that was not
    /// negative becomes a time before the start of any trace. Do not convert negative readings.
    pub fn convert(&self, column: &mut [i64]) {
        for edge in &self.hops {
            edge.convert(column, self.how);
        }
    }

    /// Whether readings from `from` to `to` are known to have the same order once they are
    /// converted.
    pub fn keeps_order(&self, from: i64, to: i64) -> bool {
        let mut ends = [from, to];
        self.hops.iter().all(|edge| {
            let [from, to] = ends;
            edge.convert(&mut ends, self.how);
            edge.keeps_order(from, to, self.how)
        })
    }

    /// Converts one timestamp.
    pub fn convert_one(&self, t: i64) -> i64 {
        let mut column = [t];
        self.convert(&mut column);
        column[0]
    }
}

#[cfg(test)]
mod tests;
