//! A chunk that does not change any more.

use std::io;
use std::ops::Range;

use arrow_buffer::{Buffer, ScalarBuffer};
use bytes::Bytes;

use crate::spill::Spilled;

/// The values of a chunk that does not change any more.
pub(crate) struct FrozenValues {
    base: i64,
    values: FrozenStorage,
}

enum FrozenStorage {
    InMemory(FrozenChunk),
    Spilled { spilled: Spilled, width: usize, rows: usize },
}

/// Values without what is the least of them.
#[derive(Clone)]
enum FrozenChunk {
    /// Every row is NULL.
    Null,
    U8(ScalarBuffer<u8>),
    U16(ScalarBuffer<u16>),
    U32(ScalarBuffer<u32>),
    /// Eight bytes each, the bits of reals.
    I64(ScalarBuffer<i64>),
}

/// Values of one width from their bytes; `None` where these are too many or too few. Bytes must be
/// aligned.
fn chunk_of(width: usize, bytes: Buffer, rows: usize) -> Option<FrozenChunk> {
    if Some(bytes.len()) != width.checked_mul(rows) {
        return None;
    }
    Some(match width {
        0 => FrozenChunk::Null,
        1 => FrozenChunk::U8(ScalarBuffer::new(bytes, 0, rows)),
        2 => FrozenChunk::U16(ScalarBuffer::new(bytes, 0, rows)),
        4 => FrozenChunk::U32(ScalarBuffer::new(bytes, 0, rows)),
        8 => FrozenChunk::I64(ScalarBuffer::new(bytes, 0, rows)),
        _ => return None,
    })
}

impl FrozenValues {
    /// Of rows that are all NULL.
    pub(super) fn null() -> Self {
        Self { base: 0, values: FrozenStorage::InMemory(FrozenChunk::Null) }
    }

    /// In bytes that are in memory, as many as it takes.
    pub(super) fn in_memory(base: i64, width: usize, bytes: Bytes, rows: usize) -> Self {
        debug_assert_eq!(bytes.len(), width * rows, "values of a chunk");
        // Arrow would panic at an address that is not aligned, which small memory may have.
        let bytes = match width < 2 || bytes.as_ptr().addr().is_multiple_of(width) {
            true => Buffer::from(bytes),
            false => Buffer::from_slice_ref(&bytes),
        };
        let values = chunk_of(width, bytes, rows).unwrap_or(FrozenChunk::Null);
        Self { base, values: FrozenStorage::InMemory(values) }
    }

    /// In a file.
    pub(super) fn spilled(base: i64, width: usize, spilled: Spilled, rows: usize) -> Self {
        Self { base, values: FrozenStorage::Spilled { spilled, width, rows } }
    }

    /// The base that is added to each value, the width of a value in bytes, and all bytes.
    pub(crate) fn parts(&self) -> io::Result<(i64, usize, Buffer)> {
        let (width, bytes) = match &self.values {
            FrozenStorage::Spilled { spilled, width, rows } => {
                (*width, spilled.read(0, width * rows)?)
            }
            FrozenStorage::InMemory(FrozenChunk::Null) => (0, Buffer::default()),
            FrozenStorage::InMemory(FrozenChunk::U8(values)) => (1, values.inner().clone()),
            FrozenStorage::InMemory(FrozenChunk::U16(values)) => (2, values.inner().clone()),
            FrozenStorage::InMemory(FrozenChunk::U32(values)) => (4, values.inner().clone()),
            FrozenStorage::InMemory(FrozenChunk::I64(values)) => (8, values.inner().clone()),
        };
        Ok((self.base, width, bytes))
    }

    /// Whether [`FrozenValues::wide`] hands out the values where they lie, without a copy.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self.values, FrozenStorage::InMemory(FrozenChunk::I64(_)))
    }

    /// How many bytes all values take, wherever they are.
    pub(crate) fn bytes(&self) -> usize {
        match &self.values {
            FrozenStorage::Spilled { width, rows, .. } => width * rows,
            FrozenStorage::InMemory(FrozenChunk::Null) => 0,
            FrozenStorage::InMemory(FrozenChunk::U8(values)) => values.inner().len(),
            FrozenStorage::InMemory(FrozenChunk::U16(values)) => values.inner().len(),
            FrozenStorage::InMemory(FrozenChunk::U32(values)) => values.inner().len(),
            FrozenStorage::InMemory(FrozenChunk::I64(values)) => values.inner().len(),
        }
    }

    /// The same from its parts; `None` where they do not fit each other. Bytes must be aligned.
    pub(crate) fn of_parts(base: i64, width: usize, bytes: Buffer, rows: usize) -> Option<Self> {
        Some(Self { base, values: FrozenStorage::InMemory(chunk_of(width, bytes, rows)?) })
    }

    /// Some rows, and where they are in what is given.
    fn at(&self, rows: Range<usize>) -> io::Result<(FrozenChunk, Range<usize>)> {
        match &self.values {
            FrozenStorage::InMemory(values) => Ok((values.clone(), rows)),
            FrozenStorage::Spilled { spilled, width, .. } => {
                let bytes = spilled.read(rows.start * width, rows.len() * width)?;
                let values = chunk_of(*width, bytes, rows.len()).unwrap_or(FrozenChunk::Null);
                Ok((values, 0..rows.len()))
            }
        }
    }

    /// Some rows at their full width; `None` where all are NULL.
    pub(crate) fn wide(&self, rows: Range<usize>) -> io::Result<Option<ScalarBuffer<i64>>> {
        // The value of a NULL is ignored, and may lie beyond the integers.
        fn widen<N: Copy + Into<i64>>(values: &[N], base: i64) -> ScalarBuffer<i64> {
            values.iter().map(|&value| base.wrapping_add(value.into())).collect()
        }
        let (values, rows) = self.at(rows)?;
        Ok(Some(match values {
            FrozenChunk::Null => return Ok(None),
            FrozenChunk::U8(values) => widen(&values[rows], self.base),
            FrozenChunk::U16(values) => widen(&values[rows], self.base),
            FrozenChunk::U32(values) => widen(&values[rows], self.base),
            FrozenChunk::I64(values) => values.slice(rows.start, rows.len()),
        }))
    }

    /// Some rows of ids of strings, by a function that takes whichever form they have; `None`
    /// where all are NULL.
    pub(crate) fn ids<T>(
        &self,
        rows: Range<usize>,
        take: impl TakeIds<T>,
    ) -> io::Result<Option<T>> {
        let (values, rows) = self.at(rows)?;
        Ok(Some(match values {
            FrozenChunk::Null => return Ok(None),
            FrozenChunk::U8(ids) => take.take(ids[rows].iter().map(|&id| u32::from(id))),
            FrozenChunk::U16(ids) => take.take(ids[rows].iter().map(|&id| u32::from(id))),
            FrozenChunk::U32(ids) => take.take(ids[rows].iter().copied()),
            FrozenChunk::I64(ids) => take.take(ids[rows].iter().map(|&id| id as u32)),
        }))
    }
}

/// Takes ids from an iterator of any kind.
pub(crate) trait TakeIds<T> {
    fn take(self, ids: impl ExactSizeIterator<Item = u32> + Clone) -> T;
}
