//! Lanes that are free, the lowest first.

use std::collections::BTreeSet;

/// A set of lanes. The lowest stands apart: most sets have one or none, and a tree of one would be
/// allocated and freed with each slice.
#[derive(Debug, Default)]
pub(super) struct FreeLanes {
    lowest: Option<usize>,
    /// The others, which are greater; none where there is no lowest.
    others: BTreeSet<usize>,
}

impl FreeLanes {
    /// The lowest.
    pub(super) fn first(&self) -> Option<usize> {
        self.lowest
    }

    pub(super) fn insert(&mut self, lane: usize) {
        match self.lowest {
            None => self.lowest = Some(lane),
            Some(lowest) if lane < lowest => {
                self.others.insert(lowest);
                self.lowest = Some(lane);
            }
            Some(lowest) if lane > lowest => {
                self.others.insert(lane);
            }
            Some(_) => {}
        }
    }

    pub(super) fn remove(&mut self, lane: usize) {
        if self.lowest == Some(lane) {
            self.lowest = self.others.pop_first();
        } else {
            self.others.remove(&lane);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_comes_first() {
        let mut free = FreeLanes::default();
        assert_eq!(free.first(), None);
        for lane in [5, 3, 5, 9, 3] {
            free.insert(lane);
        }
        assert_eq!(free.first(), Some(3));
        free.remove(5);
        free.remove(7);
        free.remove(3);
        assert_eq!(free.first(), Some(9));
        free.insert(4);
        free.remove(4);
        free.remove(9);
        assert_eq!(free.first(), None);
    }
}
