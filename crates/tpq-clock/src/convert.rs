//! What is known of two clocks, and conversion of columns from one to the other.

use std::sync::{Arc, OnceLock};

use crate::kernel::{self, Shift};
use crate::line::Line;
use crate::rate::{Step, rate};

/// How readings between two snapshots convert.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Interpolation {
    /// By the offset of the latest snapshot that is not later; before the first, by that of the
    /// first. A time between two events of one clock is kept, but where a snapshot comes between
    /// them.
    #[default]
    Nearest,
    /// By the straight line between the snapshots before and after; outside of them, from the
    /// first or last at the rate the clocks had. Follows clocks that drift, and spreads what was
    /// a jump over the whole time between two snapshots.
    Linear,
}

/// What is known of two clocks: when the one read `from[i]`, the other read `from[i] + offset[i]`.
#[derive(Clone, Debug, Default)]
pub struct Edge {
    /// Ascending, each once.
    from: Vec<i64>,
    offset: Vec<i64>,
    ticks: bool,
    /// What [`Self::lines`] gave; emptied by what changes it.
    lines: OnceLock<Vec<Line>>,
}

impl Edge {
    /// Adds a pair of readings; refuses one in which `from` went backwards.
    pub fn push(&mut self, from: i64, to: i64) -> bool {
        if self.from.last().is_some_and(|&last| from < last) {
            return false;
        }
        // A clock may read the same twice; the later snapshot is then the latest.
        if self.from.last() == Some(&from) {
            self.from.pop();
            self.offset.pop();
        }
        self.from.push(from);
        self.offset.push(to.wrapping_sub(from));
        self.lines.take();
        true
    }

    /// Says that one of the clocks counts ticks of unknown length instead of ns. Then only the
    /// rate that snapshots show converts, whatever the interpolation.
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

    /// Whether enough is known to convert: one snapshot, or two where ticks need a rate.
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

    /// The snapshots, in the order of the first clock: what it read, and what the other did.
    pub fn pairs(&self) -> impl Iterator<Item = (i64, i64)> {
        self.from.iter().zip(&self.offset).map(|(&from, &offset)| (from, from.wrapping_add(offset)))
    }

    /// How far the clocks went from each snapshot to the next.
    pub(crate) fn steps(&self) -> Vec<Step> {
        let wide = |(from, to)| (i128::from(from), i128::from(to));
        let pairs = self.pairs().map(wide);
        let step =
            |((from, to), (next_from, next_to))| Step { from: next_from - from, to: next_to - to };
        pairs.zip(self.pairs().skip(1).map(wide)).map(step).collect()
    }

    /// The line of each piece that the snapshots cut time into, as the kernel numbers them.
    fn lines(&self) -> Vec<Line> {
        let steps = self.steps();
        let outside = rate(&steps, self.ticks);
        let before = self.pairs().next().map(|first| Line::through(first, outside));
        let after = self.pairs().last().map(|last| Line::through(last, outside));
        let between = self.pairs().zip(&steps).map(|(pair, &step)| Line::between(pair, step));
        before.into_iter().chain(between).chain(after).collect()
    }

    /// Converts a column in place; where [`Self::can_convert`] says no, as if ticks were ns.
    pub fn convert(&self, column: &mut [i64], how: Interpolation) {
        if self.is_empty() {
            return;
        }
        if self.ticks || how == Interpolation::Linear {
            let lines = self.lines.get_or_init(|| self.lines());
            kernel::convert(&self.from, |piece| lines[piece], column);
        } else {
            let shift = |piece: usize| Shift(self.offset[piece.saturating_sub(1)]);
            kernel::convert(&self.from, shift, column);
        }
    }
}

/// Converts from one clock to another along a path that was found once.
#[derive(Clone, Debug, Default)]
pub struct Converter {
    hops: Vec<Arc<Edge>>,
    how: Interpolation,
}

impl Converter {
    /// A converter along these edges, in this order.
    pub fn new(hops: Vec<Arc<Edge>>, how: Interpolation) -> Self {
        Self { hops, how }
    }

    /// From a clock to itself.
    pub fn identity() -> Self {
        Self::default()
    }

    /// This converter and then another. Both must interpolate alike, unless one is the identity.
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

    /// Converts a column in place. Values that leave the range of `i64` wrap: what was not negative
    /// comes to lie before the start of any trace; negative readings are not for converting.
    pub fn convert(&self, column: &mut [i64]) {
        for edge in &self.hops {
            edge.convert(column, self.how);
        }
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
