//! A chunk that does not change any more.

use std::borrow::Cow;
use std::io;
use std::ops::Range;

use arrow_buffer::{BooleanBuffer, Buffer, ScalarBuffer};
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

    /// Which of some rows have one of the values `wanted`, compared in their packed form; `None`
    /// where all are NULL. The value of a NULL is anything.
    pub(crate) fn matches(
        &self,
        rows: Range<usize>,
        wanted: &[i64],
    ) -> io::Result<Option<BooleanBuffer>> {
        let (values, rows) = self.at(rows)?;
        let packed = || wanted.iter().map(|value| value.wrapping_sub(self.base));
        Ok(Some(match values {
            FrozenChunk::Null => return Ok(None),
            FrozenChunk::U8(values) => among(&values[rows], packed()),
            FrozenChunk::U16(values) => among(&values[rows], packed()),
            FrozenChunk::U32(values) => among(&values[rows], packed()),
            FrozenChunk::I64(values) => among(&values[rows], wanted.iter().copied()),
        }))
    }

    /// Single rows at their full width; `None` where all are NULL.
    pub(crate) fn wide_at(&self, rows: &[u32]) -> io::Result<Option<Vec<i64>>> {
        fn pick<N: Copy + Into<i64>>(values: &[N], rows: &[u32], base: i64) -> Vec<i64> {
            rows.iter().map(|&row| base.wrapping_add(values[row as usize].into())).collect()
        }
        let (values, rows) = self.around(rows)?;
        Ok(Some(match values {
            FrozenChunk::Null => return Ok(None),
            FrozenChunk::U8(values) => pick(&values[..], &rows, self.base),
            FrozenChunk::U16(values) => pick(&values[..], &rows, self.base),
            FrozenChunk::U32(values) => pick(&values[..], &rows, self.base),
            FrozenChunk::I64(values) => pick(&values[..], &rows, 0),
        }))
    }

    /// The ids of strings in single rows; `None` where all are NULL.
    pub(crate) fn ids_at(&self, rows: &[u32]) -> io::Result<Option<Vec<u32>>> {
        let (values, rows) = self.around(rows)?;
        let rows = rows.iter().map(|&row| row as usize);
        Ok(Some(match values {
            FrozenChunk::Null => return Ok(None),
            FrozenChunk::U8(ids) => rows.map(|row| u32::from(ids[row])).collect(),
            FrozenChunk::U16(ids) => rows.map(|row| u32::from(ids[row])).collect(),
            FrozenChunk::U32(ids) => rows.map(|row| ids[row]).collect(),
            FrozenChunk::I64(ids) => rows.map(|row| ids[row] as u32).collect(),
        }))
    }

    /// Values that include single rows, and where these are in them.
    fn around<'r>(&self, rows: &'r [u32]) -> io::Result<(FrozenChunk, Cow<'r, [u32]>)> {
        match &self.values {
            FrozenStorage::InMemory(values) => Ok((values.clone(), Cow::Borrowed(rows))),
            FrozenStorage::Spilled { .. } => {
                let first = rows.iter().copied().min().unwrap_or_default();
                let end = rows.iter().map(|&row| row as usize + 1).max().unwrap_or_default();
                let (values, _) = self.at(first as usize..end)?;
                Ok((values, rows.iter().map(|row| row - first).collect()))
            }
        }
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

/// Which values are among those wanted.
fn among<N: Copy + Into<i64> + TryFrom<i64> + PartialEq>(
    values: &[N],
    wanted: impl Iterator<Item = i64>,
) -> BooleanBuffer {
    /// The range of values up to which a table of them answers.
    const MAX_RANGE: u64 = 1 << 16;
    let collect = |is_wanted: &dyn Fn(i64) -> bool| {
        BooleanBuffer::collect_bool(values.len(), |row| is_wanted(values[row].into()))
    };
    let mut wanted: Vec<i64> = wanted.filter(|&value| N::try_from(value).is_ok()).collect();
    wanted.sort_unstable();
    match wanted[..] {
        [] => BooleanBuffer::new_unset(values.len()),
        [only] => match N::try_from(only) {
            Ok(only) => BooleanBuffer::collect_bool(values.len(), |row| values[row] == only),
            Err(_) => BooleanBuffer::new_unset(values.len()),
        },
        [first, .., last] if last.abs_diff(first) < MAX_RANGE => {
            let mut table = vec![false; last.abs_diff(first) as usize + 1];
            wanted.iter().for_each(|value| table[value.abs_diff(first) as usize] = true);
            BooleanBuffer::collect_bool(values.len(), |row| {
                let offset = values[row].into().wrapping_sub(first) as u64;
                table.get(offset as usize).copied().unwrap_or_default()
            })
        }
        _ => collect(&|value| wanted.binary_search(&value).is_ok()),
    }
}

/// Takes ids from an iterator of any kind.
pub(crate) trait TakeIds<T> {
    fn take(self, ids: impl ExactSizeIterator<Item = u32> + Clone) -> T;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The forms that values can have: their width in bytes and base, and the values.
    fn forms() -> Vec<(usize, i64, Vec<i64>)> {
        let wide = vec![i64::MIN, -1, 0, 7, i64::MAX, 7];
        vec![
            (1, -5, vec![-5, 250, 0, -5, 7, 7]),
            (2, 100, vec![100, 65_635, 300, 355, 356, 7 + 100]),
            (4, -7, vec![-7, i64::from(u32::MAX) - 7, 0, 1, 2, 70_000]),
            (8, 0, wide),
        ]
    }

    fn frozen(width: usize, base: i64, values: &[i64]) -> FrozenValues {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.wrapping_sub(base).to_le_bytes()[..width].to_vec())
            .collect();
        FrozenValues::in_memory(base, width, Bytes::from(bytes), values.len())
    }

    #[test]
    fn matches_are_those_of_the_full_width() {
        for (width, base, values) in forms() {
            let frozen = frozen(width, base, &values);
            let all: Vec<i64> = values.iter().copied().chain([i64::MIN, i64::MAX, 3]).collect();
            for count in [0, 1, 2, all.len()] {
                for start in 0..=all.len() - count {
                    let wanted = &all[start..start + count];
                    let found = frozen.matches(1..6, wanted).unwrap().unwrap();
                    let expected: Vec<bool> =
                        values[1..6].iter().map(|value| wanted.contains(value)).collect();
                    let found: Vec<bool> = found.iter().collect();
                    assert_eq!(found, expected, "{width} bytes: {wanted:?}");
                }
            }
        }
        assert!(FrozenValues::null().matches(0..3, &[0]).unwrap().is_none());
    }

    #[test]
    fn single_rows_are_those_of_ranges() {
        for (width, base, values) in forms() {
            let frozen = frozen(width, base, &values);
            for rows in [vec![], vec![5], vec![4, 1, 1], vec![0, 2, 5]] {
                let expected: Vec<i64> = rows.iter().map(|&row| values[row as usize]).collect();
                assert_eq!(frozen.wide_at(&rows).unwrap(), Some(expected), "{width} bytes");
            }
        }
        let strings = frozen(2, 0, &[3, 500, 0]);
        assert_eq!(strings.ids_at(&[2, 1]).unwrap(), Some(vec![0, 500]));
        assert_eq!(FrozenValues::null().wide_at(&[1]).unwrap(), None);
    }
}
