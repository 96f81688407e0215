//! Finished columns, chunk by chunk.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, StringViewArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};

use crate::packed::{FrozenValues, PackedChunk, TakeIds, Valid};
use crate::store::Checksums;
use crate::{ColumnKind, StringViews};

/// Rows in a chunk, the unit of pruning. All chunks but the last are full.
pub const CHUNK_ROWS: usize = 16_384;

/// The smallest and largest value of an integer or float column in one chunk, and its NULLs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChunkRange {
    /// Smallest and largest value that is not NULL, if there is one. Integers only.
    pub bounds: Option<(i64, i64)>,
    /// How many rows are NULL.
    pub nulls: usize,
}

/// A chunk of a column that is no longer changed.
pub(crate) struct StoredChunk {
    pub(crate) values: FrozenValues,
    /// A bit for each row, which is 0 where it is NULL; absent where all or none are.
    pub(crate) valid: Option<BooleanBuffer>,
    pub(crate) range: ChunkRange,
    /// Whether no value is less than the one before, and none is NULL.
    pub(crate) sorted: bool,
    /// For bytes of a file, which may be damaged.
    pub(crate) checksums: Option<Checksums>,
}

/// A column that is no longer changed.
pub struct StoredColumn {
    chunks: Vec<StoredChunk>,
}

impl StoredColumn {
    /// The chunks in their order, each with the bits of rows that are not NULL.
    pub(crate) fn new(chunks: impl Iterator<Item = (PackedChunk, Vec<u64>)>) -> Self {
        let freeze = |(packed, valid): (PackedChunk, Vec<u64>)| {
            let rows = packed.rows();
            let (values, facts) = packed.freeze(Valid::of(&valid));
            let some = !valid.is_empty() && facts.nulls > 0 && facts.nulls < rows;
            let valid = some.then(|| BooleanBuffer::new(Buffer::from_vec(valid), 0, rows));
            let range = ChunkRange { bounds: facts.bounds, nulls: facts.nulls };
            StoredChunk { values, valid, range, sorted: facts.sorted, checksums: None }
        };
        Self { chunks: chunks.map(freeze).collect() }
    }

    pub(crate) fn of_chunks(chunks: Vec<StoredChunk>) -> Self {
        Self { chunks }
    }

    pub(crate) fn chunks(&self) -> &[StoredChunk] {
        &self.chunks
    }

    pub(crate) fn range(&self, chunk: usize) -> ChunkRange {
        self.chunks[chunk].range
    }
}

impl StoredChunk {
    pub(super) fn bytes(&self) -> u64 {
        let valid = self.valid.as_ref().map_or(0, |valid| valid.inner().len());
        (self.values.bytes() + valid) as u64
    }

    /// Whether the bytes of a file are those that were written to it.
    pub(super) fn is_intact(&self) -> bool {
        let Some(checksums) = &self.checksums else { return true };
        let valid = self.valid.as_ref().map(BooleanBuffer::inner);
        let values = self.values.parts();
        values.is_ok_and(|(_, _, values)| checksums.match_bytes(&values, valid))
    }

    /// The numbers of strings; `None` where all are NULL.
    pub(super) fn string_ids(&self, rows: Range<usize>) -> io::Result<Option<Vec<u32>>> {
        struct Collect;
        impl TakeIds<Vec<u32>> for Collect {
            fn take(self, ids: impl ExactSizeIterator<Item = u32> + Clone) -> Vec<u32> {
                ids.collect()
            }
        }
        self.values.ids(rows, Collect)
    }

    /// Rows as an array that shares no bytes with a file.
    pub(super) fn read(
        &self,
        rows: Range<usize>,
        kind: ColumnKind,
        strings: &StringViews,
    ) -> io::Result<ArrayRef> {
        let null = || arrow_array::new_null_array(&kind.sql_type(), rows.len());
        if kind == ColumnKind::String {
            let array = self.values.ids(rows.clone(), strings)?;
            return Ok(array.map_or_else(null, |array| array as ArrayRef));
        }
        let Some(mut wide) = self.values.wide(rows.clone())? else { return Ok(null()) };
        let mut valid = self.valid.as_ref().map(|valid| valid.slice(rows.start, rows.len()));
        if self.checksums.is_some() {
            if self.values.is_shared() {
                wide = wide.to_vec().into();
            }
            valid = valid.map(|valid| valid.iter().collect());
        }
        let nulls = valid.map(NullBuffer::new);
        Ok(match kind {
            ColumnKind::Double => Arc::new(Float64Array::new(wide.into_inner().into(), nulls)),
            _ => Arc::new(Int64Array::new(wide, nulls)),
        })
    }
}

/// The values of single rows, and whether they are not NULL.
pub(super) struct SingleRows {
    pub values: Vec<i64>,
    pub valid: Option<Vec<bool>>,
}

impl StoredChunk {
    /// Which of some rows have one of the values `wanted`.
    pub(super) fn matches(&self, rows: Range<usize>, wanted: &[i64]) -> io::Result<BooleanBuffer> {
        let valid = self.valid.as_ref().map(|valid| valid.slice(rows.start, rows.len()));
        Ok(match (self.values.matches(rows.clone(), wanted)?, valid) {
            (None, _) => BooleanBuffer::new_unset(rows.len()),
            (Some(found), None) => found,
            (Some(found), Some(valid)) => &found & &valid,
        })
    }

    /// The values of single rows.
    pub(super) fn pick(&self, rows: &[u32]) -> io::Result<SingleRows> {
        let Some(values) = self.values.wide_at(rows)? else {
            return Ok(SingleRows {
                values: vec![0; rows.len()],
                valid: Some(vec![false; rows.len()]),
            });
        };
        let is_valid = |valid: &BooleanBuffer| {
            rows.iter().map(|&row| valid.value(row as usize)).collect::<Vec<_>>()
        };
        Ok(SingleRows { values, valid: self.valid.as_ref().map(is_valid) })
    }
}

impl TakeIds<Arc<StringViewArray>> for &StringViews {
    fn take(self, ids: impl ExactSizeIterator<Item = u32> + Clone) -> Arc<StringViewArray> {
        self.array(ids)
    }
}
