//! The kernels: adding an edge's offset to whole columns of timestamps.

/// Rows looked at together: enough for the add to be vectorised, few enough to stay in cache.
const BLOCK: usize = 1024;

/// What is known of two clocks: when the one read `from[i]`, the other read `from[i] + offset[i]`.
#[derive(Clone, Debug, Default)]
pub struct Edge {
    from: Vec<i64>,
    offset: Vec<i64>,
}

impl Edge {
    /// Adds a pair of readings; refuses one in which `from` went backwards.
    pub(crate) fn push(&mut self, from: i64, to: i64) -> bool {
        if self.from.last().is_some_and(|&last| from < last) {
            return false;
        }
        let offset = to.wrapping_sub(from);
        // A clock may read the same twice; the later snapshot is then the latest.
        if self.from.last() == Some(&from) {
            self.from.pop();
            self.offset.pop();
        }
        self.from.push(from);
        self.offset.push(offset);
        true
    }

    /// The number of snapshots.
    pub fn len(&self) -> usize {
        self.from.len()
    }

    /// Whether there is no snapshot.
    pub fn is_empty(&self) -> bool {
        self.from.is_empty()
    }

    /// The snapshot that holds at `t`: the latest one not after it, else the first.
    fn at(&self, t: i64) -> usize {
        self.from.partition_point(|&from| from <= t).saturating_sub(1)
    }

    /// The snapshot that holds at `t`, which mostly is the one after `index`: columns go forward.
    fn following(&self, index: usize, t: i64) -> usize {
        let next = index + 1;
        let starts = self.from.get(next).is_some_and(|&from| from <= t);
        let ends = self.from.get(next + 1).is_some_and(|&from| from <= t);
        if starts && !ends { next } else { self.at(t) }
    }

    /// The half-open range of readings for which snapshot `index` holds.
    fn span(&self, index: usize) -> (i64, i64) {
        let from = if index == 0 { i64::MIN } else { self.from[index] };
        (from, self.from.get(index + 1).copied().unwrap_or(i64::MAX))
    }

    /// Converts a column in place.
    pub fn convert(&self, column: &mut [i64]) {
        if self.is_empty() {
            return;
        }
        let mut index = 0;
        let (mut lo, mut hi) = self.span(0);
        for block in column.chunks_mut(BLOCK) {
            let (min, max) =
                block.iter().fold((i64::MAX, i64::MIN), |(min, max), &t| (min.min(t), max.max(t)));
            let inside = |lo, hi| lo <= min && (max < hi || hi == i64::MAX);
            if !inside(lo, hi) {
                index = self.at(min);
                (lo, hi) = self.span(index);
            }
            if inside(lo, hi) {
                let offset = self.offset[index];
                for t in block {
                    *t = t.wrapping_add(offset);
                }
                continue;
            }
            for t in block {
                if *t < lo || (*t >= hi && hi != i64::MAX) {
                    index = self.following(index, *t);
                    (lo, hi) = self.span(index);
                }
                *t = t.wrapping_add(self.offset[index]);
            }
        }
    }
}

/// Converts from one clock to another along a path that was found once.
#[derive(Clone, Debug, Default)]
pub struct Converter {
    hops: Vec<Edge>,
}

impl Converter {
    pub(crate) fn new(hops: Vec<Edge>) -> Self {
        Self { hops }
    }

    /// The number of edges on the path; 0 from a clock to itself.
    pub fn hops(&self) -> usize {
        self.hops.len()
    }

    /// Converts a column in place. Values that leave the range of `i64` wrap, which puts them
    /// before the start of any trace.
    pub fn convert(&self, column: &mut [i64]) {
        for edge in &self.hops {
            edge.convert(column);
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The rule itself, one value at a time.
    fn by_the_rule(pairs: &[(i64, i64)], t: i64) -> i64 {
        let (from, to) = pairs.iter().rev().find(|(from, _)| *from <= t).unwrap_or(&pairs[0]);
        t - from + to
    }

    proptest! {
        #[test]
        fn a_column_converts_as_its_values_one_by_one(
            steps in prop::collection::vec((1i64..1000, -500i64..500), 1..50),
            column in prop::collection::vec(-10_000i64..60_000, 0..5000),
        ) {
            let mut pairs = Vec::new();
            let (mut from, mut to) = (0, 7);
            for (step, drift) in steps {
                from += step;
                to += step + drift;
                pairs.push((from, to));
            }
            let mut edge = Edge::default();
            for &(from, to) in &pairs {
                edge.push(from, to);
            }
            let mut converted = column.clone();
            edge.convert(&mut converted);
            let expected: Vec<i64> = column.iter().map(|&t| by_the_rule(&pairs, t)).collect();
            prop_assert_eq!(converted, expected);
        }

        #[test]
        fn conversion_keeps_order_where_the_target_clock_only_goes_forward(
            steps in prop::collection::vec((1i64..1000, 0i64..500), 1..50),
            mut column in prop::collection::vec(-10_000i64..60_000, 0..3000),
        ) {
            let mut edge = Edge::default();
            let (mut from, mut to) = (0, 7);
            for (step, suspended) in steps {
                from += step;
                to += step + suspended;
                edge.push(from, to);
            }
            column.sort_unstable();
            edge.convert(&mut column);
            prop_assert!(column.is_sorted());
        }
    }
}
