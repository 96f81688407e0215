//! Chunks of a column in the narrowest form that holds them: differences from the least value, in
//! one, two, four or eight bytes each, and nothing at all where every row is NULL.
//!
//! A chunk is packed while the rest of the column is still being built, so that an import never
//! holds much more than its finished tables. What little changes after that, as an end that is seen
//! long after its beginning, is written into the packed values where it fits.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use arrow_buffer::{Buffer, ScalarBuffer, ToByteSlice};

use crate::spill::{Spill, Spilled};

/// What a column of integers, or of the ids of strings, is built of.
pub trait Native: Copy + Default + Send + Sync + 'static {
    /// The value as SQL's integer; for a real, its bits.
    fn to_i64(self) -> i64;
    /// The value of that integer.
    fn from_i64(value: i64) -> Self;
}

macro_rules! native {
    ($($type:ty),+) => {$(
        impl Native for $type {
            fn to_i64(self) -> i64 {
                i64::from(self)
            }
            fn from_i64(value: i64) -> Self {
                value as Self
            }
        }
    )+};
}

native!(i32, u32);

impl Native for i64 {
    fn to_i64(self) -> i64 {
        self
    }
    fn from_i64(value: i64) -> Self {
        value
    }
}

impl Native for f64 {
    fn to_i64(self) -> i64 {
        self.to_bits().cast_signed()
    }
    fn from_i64(value: i64) -> Self {
        Self::from_bits(value.cast_unsigned())
    }
}

/// How a column's values may be packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// As differences from the least value.
    Integers,
    /// As they are, in fewer bytes: 0 is NULL.
    Strings,
    /// Not at all.
    Reals,
}

/// Which rows of a chunk are not NULL: a bit each, the first row's the lowest of the first word.
/// Nothing where none can be NULL.
#[derive(Clone, Copy)]
pub(crate) struct Valid<'a>(pub(crate) Option<&'a [u64]>);

impl<'a> Valid<'a> {
    /// Those of a chunk that may have no bits, where none of its rows can be NULL.
    pub(crate) fn of(words: &'a [u64]) -> Self {
        Self((!words.is_empty()).then_some(words))
    }

    fn is_valid(self, row: usize) -> bool {
        self.0.is_none_or(|words| words[row / 64] >> (row % 64) & 1 == 1)
    }

    /// How many of the first `rows` rows are not NULL.
    fn count(self, rows: usize) -> usize {
        let Some(words) = self.0 else { return rows };
        words[..rows.div_ceil(64)].iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// What is known of the values of a chunk that are not NULL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Facts {
    /// The least and the greatest.
    pub(crate) bounds: Option<(i64, i64)>,
    /// How many rows are NULL.
    pub(crate) nulls: usize,
    /// Whether no value is less than the one before, and none is NULL.
    pub(crate) sorted: bool,
}

impl Facts {
    fn of(
        packing: Packing,
        values: impl Iterator<Item = i64> + Clone,
        rows: usize,
        valid: Valid<'_>,
    ) -> Self {
        // The ids of strings say nothing of their order.
        let nothing = |nulls| Self { bounds: None, nulls, sorted: false };
        let nulls = match packing {
            Packing::Strings => return nothing(values.filter(|&id| id == 0).count()),
            Packing::Reals => return nothing(rows - valid.count(rows)),
            Packing::Integers => rows - valid.count(rows),
        };
        if nulls == rows {
            return Self { bounds: None, nulls, sorted: rows == 0 };
        }
        if valid.0.is_none() || nulls == 0 {
            let (lo, hi) = values
                .clone()
                .fold((i64::MAX, i64::MIN), |(lo, hi), value| (lo.min(value), hi.max(value)));
            let next = values.clone().skip(1);
            let falls = values.zip(next).fold(false, |falls, (one, next)| falls | (next < one));
            return Self { bounds: Some((lo, hi)), nulls, sorted: !falls };
        }
        // Which rows are NULL cannot be foreseen, so nothing branches on it.
        let (mut lo, mut hi) = (i64::MAX, i64::MIN);
        for (row, value) in values.enumerate() {
            let is_valid = valid.is_valid(row);
            lo = lo.min(if is_valid { value } else { i64::MAX });
            hi = hi.max(if is_valid { value } else { i64::MIN });
        }
        Self { bounds: Some((lo, hi)), nulls, sorted: false }
    }
}

/// The values of a chunk, without what is the least of them.
#[derive(Clone, Debug)]
pub(crate) enum Values<V8, V16, V32, V64> {
    /// Every row is NULL.
    Null,
    U8(V8),
    U16(V16),
    U32(V32),
    /// Eight bytes each, the bits of reals.
    I64(V64),
}

/// A packed chunk that can still be changed.
pub(crate) struct PackedChunk {
    base: i64,
    values: Values<Vec<u8>, Vec<u16>, Vec<u32>, Vec<i64>>,
    /// Where the values are, if not here, and the bytes of one.
    spilled: Option<(Spilled, usize)>,
    rows: usize,
    packing: Packing,
    facts: Facts,
    /// Whether a value was changed since `facts` were found.
    changed: bool,
}

impl PackedChunk {
    pub(crate) fn pack<N: Native>(values: &[N], valid: Valid<'_>, packing: Packing) -> Self {
        let rows = values.len();
        let facts = Facts::of(packing, values.iter().map(|value| value.to_i64()), rows, valid);
        let (lo, hi) = match packing {
            Packing::Integers => facts.bounds.unwrap_or_default(),
            Packing::Strings => {
                (0, values.iter().map(|value| value.to_i64()).max().unwrap_or_default())
            }
            Packing::Reals => (i64::MIN, i64::MAX),
        };
        // What a NULL holds is of no account, and may lie outside the bounds.
        let narrow = |value: &N| value.to_i64().wrapping_sub(lo).cast_unsigned();
        let (base, values) = match hi.abs_diff(lo) {
            _ if facts.nulls == rows => (0, Values::Null),
            0..=0xff => (lo, Values::U8(values.iter().map(|value| narrow(value) as u8).collect())),
            0x100..=0xffff => {
                (lo, Values::U16(values.iter().map(|value| narrow(value) as u16).collect()))
            }
            0x1_0000..=0xffff_ffff => {
                (lo, Values::U32(values.iter().map(|value| narrow(value) as u32).collect()))
            }
            _ => (0, Values::I64(values.iter().map(|value| value.to_i64()).collect())),
        };
        Self { base, values, spilled: None, rows, packing, facts, changed: false }
    }

    /// Gives the values to a file, where memory has no room for them.
    pub(crate) fn spill(&mut self, spill: &Arc<Spill>) {
        let (width, bytes) = match &self.values {
            Values::Null => return,
            Values::U8(values) => (1, spill.take(values)),
            Values::U16(values) => (2, spill.take(values.to_byte_slice())),
            Values::U32(values) => (4, spill.take(values.to_byte_slice())),
            Values::I64(values) => (8, spill.take(values.to_byte_slice())),
        };
        if let Some(spilled) = bytes {
            self.values = Values::Null;
            self.spilled = Some((spilled, width));
        }
    }

    /// Rows of nothing but NULL.
    pub(crate) fn null(rows: usize) -> Self {
        let facts = Facts { bounds: None, nulls: rows, sorted: false };
        let packing = Packing::Integers;
        let values = Values::Null;
        Self { base: 0, values, spilled: None, rows, packing, facts, changed: false }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// How many bytes its values take in memory.
    pub(crate) fn bytes_here(&self) -> usize {
        match &self.values {
            Values::Null => 0,
            Values::U8(values) => values.len(),
            Values::U16(values) => 2 * values.len(),
            Values::U32(values) => 4 * values.len(),
            Values::I64(values) => 8 * values.len(),
        }
    }

    /// Whether no value takes more than two bytes.
    pub(crate) fn is_narrow(&self) -> bool {
        match &self.spilled {
            Some((_, width)) => *width <= 2,
            None => matches!(self.values, Values::Null | Values::U8(_) | Values::U16(_)),
        }
    }

    pub(crate) fn get(&self, row: usize) -> i64 {
        if let Some((spilled, width)) = &self.spilled {
            return self.get_spilled(spilled, *width, row);
        }
        match &self.values {
            Values::Null => 0,
            Values::U8(values) => self.base.wrapping_add(i64::from(values[row])),
            Values::U16(values) => self.base.wrapping_add(i64::from(values[row])),
            Values::U32(values) => self.base.wrapping_add(i64::from(values[row])),
            Values::I64(values) => values[row],
        }
    }

    #[cold]
    fn get_spilled(&self, spilled: &Spilled, width: usize, row: usize) -> i64 {
        let at = row * width;
        let difference = match width {
            1 => u64::from(spilled.get::<1>(at)[0]),
            2 => u64::from(u16::from_le_bytes(spilled.get(at))),
            4 => u64::from(u32::from_le_bytes(spilled.get(at))),
            _ => u64::from_le_bytes(spilled.get(at)),
        };
        self.base.wrapping_add(difference.cast_signed())
    }

    /// Changes a value in the file; false where the chunk is too narrow for it.
    #[cold]
    fn set_spilled(spilled: &Spilled, width: usize, row: usize, difference: u64) -> bool {
        let at = row * width;
        match width {
            8 => spilled.set(at, &difference.to_le_bytes()),
            width if difference >> (8 * width) != 0 => return false,
            1 => spilled.set(at, &[difference as u8]),
            2 => spilled.set(at, &(difference as u16).to_le_bytes()),
            _ => spilled.set(at, &(difference as u32).to_le_bytes()),
        }
        true
    }

    /// Notes that a row became NULL, which bits beside the chunk say.
    pub(crate) fn forget(&mut self) {
        self.changed = true;
    }

    /// Changes a value; false where the chunk is too narrow for it.
    pub(crate) fn set(&mut self, row: usize, value: i64) -> bool {
        let difference = value.wrapping_sub(self.base).cast_unsigned();
        if let Some((spilled, width)) = &self.spilled {
            let fits = Self::set_spilled(spilled, *width, row, difference);
            self.changed |= fits;
            return fits;
        }
        match &mut self.values {
            Values::Null => return false,
            Values::U8(values) => match u8::try_from(difference) {
                Ok(narrow) => values[row] = narrow,
                Err(_) => return false,
            },
            Values::U16(values) => match u16::try_from(difference) {
                Ok(narrow) => values[row] = narrow,
                Err(_) => return false,
            },
            Values::U32(values) => match u32::try_from(difference) {
                Ok(narrow) => values[row] = narrow,
                Err(_) => return false,
            },
            Values::I64(values) => values[row] = value,
        }
        self.changed = true;
        true
    }

    pub(crate) fn unpack<N: Native>(&self) -> Vec<N> {
        let Some((spilled, width)) = &self.spilled else {
            let base = self.base;
            let wide = |difference: i64| N::from_i64(base.wrapping_add(difference));
            return match &self.values {
                Values::Null => vec![N::from_i64(0); self.rows],
                Values::U8(values) => values.iter().map(|&value| wide(value.into())).collect(),
                Values::U16(values) => values.iter().map(|&value| wide(value.into())).collect(),
                Values::U32(values) => values.iter().map(|&value| wide(value.into())).collect(),
                Values::I64(values) => values.iter().map(|&value| N::from_i64(value)).collect(),
            };
        };
        let bytes = spilled.get_all(self.rows * width);
        let value = |bytes: &[u8]| {
            let mut difference = [0; 8];
            difference[..bytes.len()].copy_from_slice(bytes);
            N::from_i64(self.base.wrapping_add(i64::from_le_bytes(difference)))
        };
        bytes.chunks_exact(*width).map(value).collect()
    }

    pub(crate) fn freeze(self, valid: Valid<'_>) -> (FrozenValues, Facts) {
        let facts = match self.changed {
            true => {
                let values: Vec<i64> = self.unpack();
                Facts::of(self.packing, values.into_iter(), self.rows, valid)
            }
            false => self.facts,
        };
        if facts.nulls == self.rows {
            return (FrozenValues { base: 0, values: FrozenPlace::Here(Values::Null) }, facts);
        }
        let values = match self.values {
            Values::Null => Values::Null,
            Values::U8(values) => Values::U8(values.into()),
            Values::U16(values) => Values::U16(values.into()),
            Values::U32(values) => Values::U32(values.into()),
            Values::I64(values) => Values::I64(values.into()),
        };
        let values = match self.spilled {
            Some((spilled, width)) => FrozenPlace::Spilled { spilled, width, rows: self.rows },
            None => FrozenPlace::Here(values),
        };
        (FrozenValues { base: self.base, values }, facts)
    }
}

type FrozenChunk =
    Values<ScalarBuffer<u8>, ScalarBuffer<u16>, ScalarBuffer<u32>, ScalarBuffer<i64>>;

/// The values of a chunk that does not change any more.
pub(crate) struct FrozenValues {
    base: i64,
    values: FrozenPlace,
}

enum FrozenPlace {
    Here(FrozenChunk),
    Spilled { spilled: Spilled, width: usize, rows: usize },
}

/// Values of one width from their bytes; `None` where these are too many or too few. Bytes must be
/// aligned.
fn chunk_of(width: usize, bytes: Buffer, rows: usize) -> Option<FrozenChunk> {
    if Some(bytes.len()) != width.checked_mul(rows) {
        return None;
    }
    Some(match width {
        0 => Values::Null,
        1 => Values::U8(ScalarBuffer::new(bytes, 0, rows)),
        2 => Values::U16(ScalarBuffer::new(bytes, 0, rows)),
        4 => Values::U32(ScalarBuffer::new(bytes, 0, rows)),
        8 => Values::I64(ScalarBuffer::new(bytes, 0, rows)),
        _ => return None,
    })
}

impl FrozenValues {
    /// What is added to each value, the bytes of one, and all bytes.
    pub(crate) fn parts(&self) -> io::Result<(i64, usize, Buffer)> {
        let (width, bytes) = match &self.values {
            FrozenPlace::Spilled { spilled, width, rows } => {
                (*width, spilled.read(0, width * rows)?)
            }
            FrozenPlace::Here(Values::Null) => (0, Buffer::default()),
            FrozenPlace::Here(Values::U8(values)) => (1, values.inner().clone()),
            FrozenPlace::Here(Values::U16(values)) => (2, values.inner().clone()),
            FrozenPlace::Here(Values::U32(values)) => (4, values.inner().clone()),
            FrozenPlace::Here(Values::I64(values)) => (8, values.inner().clone()),
        };
        Ok((self.base, width, bytes))
    }

    /// How many bytes all values take, wherever they are.
    pub(crate) fn bytes(&self) -> usize {
        match &self.values {
            FrozenPlace::Spilled { width, rows, .. } => width * rows,
            FrozenPlace::Here(Values::Null) => 0,
            FrozenPlace::Here(Values::U8(values)) => values.inner().len(),
            FrozenPlace::Here(Values::U16(values)) => values.inner().len(),
            FrozenPlace::Here(Values::U32(values)) => values.inner().len(),
            FrozenPlace::Here(Values::I64(values)) => values.inner().len(),
        }
    }

    /// The same from its parts; `None` where they do not fit each other. Bytes must be aligned.
    pub(crate) fn of_parts(base: i64, width: usize, bytes: Buffer, rows: usize) -> Option<Self> {
        Some(Self { base, values: FrozenPlace::Here(chunk_of(width, bytes, rows)?) })
    }

    /// Some rows, and where they are in what is given.
    fn at(&self, rows: Range<usize>) -> io::Result<(FrozenChunk, Range<usize>)> {
        match &self.values {
            FrozenPlace::Here(values) => Ok((values.clone(), rows)),
            FrozenPlace::Spilled { spilled, width, .. } => {
                let bytes = spilled.read(rows.start * width, rows.len() * width)?;
                let values = chunk_of(*width, bytes, rows.len()).unwrap_or(Values::Null);
                Ok((values, 0..rows.len()))
            }
        }
    }

    /// Some rows at their full width; `None` where all are NULL.
    pub(crate) fn wide(&self, rows: Range<usize>) -> io::Result<Option<ScalarBuffer<i64>>> {
        // What a NULL holds is of no account, and may lie beyond the integers.
        fn widen<N: Copy + Into<i64>>(values: &[N], base: i64) -> ScalarBuffer<i64> {
            values.iter().map(|&value| base.wrapping_add(value.into())).collect()
        }
        let (values, rows) = self.at(rows)?;
        Ok(Some(match values {
            Values::Null => return Ok(None),
            Values::U8(values) => widen(&values[rows], self.base),
            Values::U16(values) => widen(&values[rows], self.base),
            Values::U32(values) => widen(&values[rows], self.base),
            Values::I64(values) => values.slice(rows.start, rows.len()),
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
            Values::Null => return Ok(None),
            Values::U8(ids) => take.take(ids[rows].iter().map(|&id| u32::from(id))),
            Values::U16(ids) => take.take(ids[rows].iter().map(|&id| u32::from(id))),
            Values::U32(ids) => take.take(ids[rows].iter().copied()),
            Values::I64(ids) => take.take(ids[rows].iter().map(|&id| id as u32)),
        }))
    }
}

/// Takes ids from an iterator of any kind.
pub(crate) trait TakeIds<T> {
    fn take(self, ids: impl ExactSizeIterator<Item = u32> + Clone) -> T;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(values: &[i64]) -> PackedChunk {
        PackedChunk::pack(values, Valid(None), Packing::Integers)
    }

    #[test]
    fn values_are_as_wide_as_their_differences() {
        for (spread, bytes) in [(0, 1), (255, 1), (256, 2), (65_535, 2), (1 << 32, 8)] {
            let least = 1_000_000_000_000_i64;
            let chunk = packed(&[least, least + spread]);
            let wide = match &chunk.values {
                Values::U8(_) => 1,
                Values::U16(_) => 2,
                Values::U32(_) => 4,
                Values::I64(_) => 8,
                Values::Null => 0,
            };
            assert_eq!(wide, bytes, "{spread}");
            assert_eq!([chunk.get(0), chunk.get(1)], [least, least + spread]);
        }
        let extremes = packed(&[i64::MIN, 0, i64::MAX]);
        assert_eq!(extremes.unpack::<i64>(), [i64::MIN, 0, i64::MAX]);
    }

    #[test]
    fn what_fits_is_changed_in_its_place() {
        let mut chunk = packed(&[-1, 200, -1]);
        assert!(chunk.set(0, 254) && !chunk.set(2, 255) && !chunk.set(2, -2));
        let (values, facts) = chunk.freeze(Valid(None));
        let wide = values.wide(0..3).expect("is in memory").map(|wide| wide.to_vec());
        assert_eq!(wide, Some(vec![254, 200, -1]));
        assert_eq!(facts, Facts { bounds: Some((-1, 254)), nulls: 0, sorted: false });
    }

    /// A NULL holds whatever it holds, which does not make the others wider.
    #[test]
    fn nulls_take_no_width() {
        let base = 5_000_000_000_i64;
        let chunk =
            PackedChunk::pack(&[0, base, base + 7], Valid(Some(&[0b110])), Packing::Integers);
        assert!(matches!(chunk.values, Values::U8(_)));
        assert_eq!(chunk.facts, Facts { bounds: Some((base, base + 7)), nulls: 1, sorted: false });
        assert_eq!([chunk.get(1), chunk.get(2)], [base, base + 7]);
        let none = PackedChunk::pack(&[1_i64, 2], Valid(Some(&[0])), Packing::Integers);
        assert!(matches!(none.values, Values::Null));
        assert_eq!(none.facts, Facts { bounds: None, nulls: 2, sorted: false });
    }

    /// Ids are in the order in which strings were first met.
    #[test]
    fn nothing_is_concluded_from_the_ids_of_strings() {
        let chunk = PackedChunk::pack(&[1_u32, 2, 0, 300], Valid(None), Packing::Strings);
        assert_eq!(chunk.facts, Facts { bounds: None, nulls: 1, sorted: false });
        assert_eq!(chunk.unpack::<u32>(), [1, 2, 0, 300]);
    }
}
