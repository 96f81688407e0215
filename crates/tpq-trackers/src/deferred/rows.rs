//! Rows on their way into a table, a few hundred at a time: a column takes many values at once in a
//! third of the time that each takes by itself.

/// Rows that wait: this many fit into the nearest cache.
const WAITING: usize = 256;

/// Rows that are not in their table yet.
pub(super) struct Rows<R> {
    waiting: Vec<R>,
    /// The rows in the table.
    first: u32,
}

impl<R> Default for Rows<R> {
    fn default() -> Self {
        Self { waiting: Vec::with_capacity(WAITING), first: 0 }
    }
}

impl<R> Rows<R> {
    /// Adds a row and gives its id. `take` is given all that wait, when there are enough of them.
    #[inline]
    pub(super) fn push(&mut self, row: R, take: impl FnOnce(&[R])) -> u32 {
        if self.waiting.len() == WAITING {
            self.flush(take);
        }
        self.waiting.push(row);
        self.first + self.waiting.len() as u32 - 1
    }

    /// A row that waits; `None` for one that is in the table.
    #[inline]
    pub(super) fn get_mut(&mut self, id: u32) -> Option<&mut R> {
        self.waiting.get_mut(id.checked_sub(self.first)? as usize)
    }

    /// Has all taken that wait.
    pub(super) fn flush(&mut self, take: impl FnOnce(&[R])) {
        take(&self.waiting);
        self.first += self.waiting.len() as u32;
        self.waiting.clear();
    }
}
