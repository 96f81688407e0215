//! A column while it is being built: chunks of plain values, with validity bits where it may be
//! NULL. Rows can still be changed, since an end is often seen long after its beginning.

use crate::StringId;
use crate::finished::{CHUNK_ROWS, StoredColumn};

/// A value a builder takes for one cell.
pub trait Cell: Copy {
    /// What is stored.
    type Native: Copy + Default;
    /// Whether the cell may be NULL.
    const NULLABLE: bool;
    /// The stored value and whether it is not NULL.
    fn store(self) -> (Self::Native, bool);
    /// The cell of a stored value.
    fn load(native: Self::Native, valid: bool) -> Self;
    /// Freezes the chunks.
    fn freeze(chunks: Vec<Vec<Self::Native>>, valid: Vec<u64>) -> StoredColumn;
}

macro_rules! cell {
    ($type:ty, $native:ty, $freeze:path, $to:expr, $from:expr) => {
        impl Cell for $type {
            type Native = $native;
            const NULLABLE: bool = false;
            fn store(self) -> ($native, bool) {
                ($to(self), true)
            }
            fn load(native: $native, _: bool) -> Self {
                $from(native)
            }
            fn freeze(chunks: Vec<Vec<$native>>, _: Vec<u64>) -> StoredColumn {
                $freeze(chunks, None)
            }
        }
        impl Cell for Option<$type> {
            type Native = $native;
            const NULLABLE: bool = true;
            fn store(self) -> ($native, bool) {
                (self.map($to).unwrap_or_default(), self.is_some())
            }
            fn load(native: $native, valid: bool) -> Self {
                valid.then(|| $from(native))
            }
            fn freeze(chunks: Vec<Vec<$native>>, valid: Vec<u64>) -> StoredColumn {
                $freeze(chunks, Some(valid))
            }
        }
    };
}

cell!(i64, i64, StoredColumn::from_i64, std::convert::identity, std::convert::identity);
cell!(i32, i32, StoredColumn::from_i32, std::convert::identity, std::convert::identity);
cell!(u32, u32, StoredColumn::from_u32, std::convert::identity, std::convert::identity);
cell!(bool, u32, StoredColumn::from_u32, u32::from, |native| native != 0);
cell!(f64, f64, StoredColumn::from_f64, std::convert::identity, std::convert::identity);

impl Cell for StringId {
    type Native = u32;
    const NULLABLE: bool = true;
    fn store(self) -> (u32, bool) {
        (self.0, true)
    }
    fn load(native: u32, _: bool) -> Self {
        Self(native)
    }
    fn freeze(chunks: Vec<Vec<u32>>, _: Vec<u64>) -> StoredColumn {
        StoredColumn::from_strings(chunks)
    }
}

/// Builds one column.
pub struct ColumnBuilder<C: Cell> {
    chunks: Vec<Vec<C::Native>>,
    /// One bit a row, set when not NULL; empty for columns that are never NULL.
    valid: Vec<u64>,
    rows: usize,
}

impl<C: Cell> Default for ColumnBuilder<C> {
    fn default() -> Self {
        Self { chunks: Vec::new(), valid: Vec::new(), rows: 0 }
    }
}

impl<C: Cell> ColumnBuilder<C> {
    pub(crate) fn push(&mut self, cell: C) {
        let (native, valid) = cell.store();
        if self.rows.is_multiple_of(CHUNK_ROWS) {
            // The first chunk grows as it fills, so that the many small tables stay small.
            let capacity = if self.rows == 0 { 0 } else { CHUNK_ROWS };
            self.chunks.push(Vec::with_capacity(capacity));
        }
        self.chunks[self.rows / CHUNK_ROWS].push(native);
        if C::NULLABLE {
            if self.rows.is_multiple_of(64) {
                self.valid.push(0);
            }
            self.valid[self.rows / 64] |= u64::from(valid) << (self.rows % 64);
        }
        self.rows += 1;
    }

    /// The cell of a row that was pushed.
    pub fn get(&self, row: u32) -> C {
        let row = row as usize;
        let valid =
            !C::NULLABLE || self.valid.get(row / 64).is_none_or(|word| word >> (row % 64) & 1 == 1);
        C::load(self.chunks[row / CHUNK_ROWS][row % CHUNK_ROWS], valid)
    }

    /// Changes a row that was pushed.
    pub fn set(&mut self, row: u32, cell: C) {
        let row = row as usize;
        let (native, valid) = cell.store();
        self.chunks[row / CHUNK_ROWS][row % CHUNK_ROWS] = native;
        if C::NULLABLE
            && let Some(word) = self.valid.get_mut(row / 64)
        {
            *word = *word & !(1 << (row % 64)) | u64::from(valid) << (row % 64);
        }
    }

    pub(crate) fn finish(self) -> StoredColumn {
        C::freeze(self.chunks, self.valid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_survive_chunk_borders_and_changes() {
        let mut column = ColumnBuilder::<Option<i64>>::default();
        let rows = CHUNK_ROWS as u32 + 70;
        for row in 0..rows {
            column.push((row % 3 != 0).then_some(i64::from(row)));
        }
        column.set(3, Some(-5));
        column.set(rows - 1, None);
        assert_eq!(column.get(0), None);
        assert_eq!(column.get(3), Some(-5));
        assert_eq!(column.get(CHUNK_ROWS as u32 + 1), Some(CHUNK_ROWS as i64 + 1));
        assert_eq!(column.get(rows - 1), None);
    }
}
