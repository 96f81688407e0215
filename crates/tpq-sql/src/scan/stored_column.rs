//! A column of a chunk in memory, in as few bytes as its values need.
//!
//! Integers are kept as their differences from the least one, and a few short texts as numbers of a
//! list: rows of `sched` take a fourth of their bytes then. Most of the time that it takes to keep
//! rows is that of getting memory for them.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanBufferBuilder, Int64Array, StringViewArray, UInt8Array,
    UInt32Array,
};
use datafusion::arrow::buffer::{BooleanBuffer, NullBuffer};
use datafusion::arrow::compute::{concat, max, min, take};
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::Result;
use tpq_tables::ChunkRange;

/// The most different texts of a list.
const MOST_TEXTS: usize = 16;

/// The values of a column in the rows of a chunk.
pub(super) enum StoredColumn {
    /// Values as they came.
    Plain(ArrayRef),
    /// Integers, as their differences from the least one.
    Integers { least: i64, differences: Differences, nulls: Option<NullBuffer> },
    /// Texts, as their numbers in a list.
    Texts { list: ArrayRef, numbers: Vec<u8>, nulls: Option<NullBuffer> },
}

/// What is known of the values of a column in the rows of a chunk.
pub(super) struct Facts {
    pub range: ChunkRange,
    /// Whether the values are integers that never decrease and are never NULL.
    pub is_sorted: bool,
}

/// Integers of the least width that holds all of them.
pub(super) enum Differences {
    /// All of them are 0.
    None,
    Bytes(Vec<u8>),
    Shorts(Vec<u16>),
    Words(Vec<u32>),
}

impl StoredColumn {
    /// Keeps the values of some arrays of one type, one after the other, of which there is at least
    /// one.
    ///
    /// # Errors
    /// When the types differ, which is a bug.
    pub(super) fn new(parts: &[&ArrayRef]) -> Result<(Self, Facts)> {
        let integers = parts.iter().map(|part| part.as_primitive_opt::<Int64Type>());
        if let Some(integers) = integers.collect::<Option<Vec<_>>>() {
            return of_integers(parts, &integers);
        }
        let texts = parts.iter().map(|part| part.as_string_view_opt());
        let texts = texts.collect::<Option<Vec<_>>>().and_then(|texts| of_texts(parts, &texts));
        let column = match texts {
            Some(texts) => texts,
            None => Self::Plain(whole(parts)?),
        };
        let range = ChunkRange { bounds: None, nulls: null_count(parts) };
        Ok((column, Facts { range, is_sorted: false }))
    }

    /// The values in a range of rows.
    ///
    /// # Errors
    /// Never, unless there is a bug.
    pub(super) fn read(&self, rows: Range<usize>) -> Result<ArrayRef> {
        let of_rows = |nulls: &Option<NullBuffer>| {
            nulls.as_ref().map(|nulls| nulls.slice(rows.start, rows.len()))
        };
        Ok(match self {
            Self::Plain(values) => values.slice(rows.start, rows.len()),
            Self::Integers { least, differences, nulls } => {
                let nulls = of_rows(nulls);
                let values = differences.read(*least, rows);
                Arc::new(Int64Array::new(values.into(), nulls))
            }
            Self::Texts { list, numbers, nulls } => {
                let nulls = of_rows(nulls);
                let numbers = UInt8Array::new(numbers[rows].to_vec().into(), nulls);
                take(list, &numbers, None)?
            }
        })
    }

    /// The values in single rows.
    ///
    /// # Errors
    /// Never, unless there is a bug.
    pub(super) fn pick(&self, rows: &[u32]) -> Result<ArrayRef> {
        let of_rows = |nulls: &Option<NullBuffer>| {
            let nulls = nulls.as_ref()?;
            Some(rows.iter().map(|&row| nulls.is_valid(row as usize)).collect::<NullBuffer>())
        };
        Ok(match self {
            Self::Plain(values) => take(values, &UInt32Array::from(rows.to_vec()), None)?,
            Self::Integers { least, differences, nulls } => {
                let mut values = Vec::with_capacity(rows.len());
                differences.pick(*least, rows, &mut values);
                Arc::new(Int64Array::new(values.into(), of_rows(nulls)))
            }
            Self::Texts { list, numbers, nulls } => {
                let numbers: Vec<u8> = rows.iter().map(|&row| numbers[row as usize]).collect();
                take(list, &UInt8Array::new(numbers.into(), of_rows(nulls)), None)?
            }
        })
    }

    /// Appends the values in single rows to others; `None` if they are not integers without NULL,
    /// or are not kept as differences.
    pub(super) fn pick_integers(&self, rows: &[u32], values: &mut Vec<i64>) -> Option<()> {
        let Self::Integers { least, differences, nulls: None } = self else { return None };
        differences.pick(*least, rows, values);
        Some(())
    }

    /// Which of some rows have one of the integers `wanted`, which are in order; `None` if the column
    /// has no integers, or does not keep them as differences.
    pub(super) fn matches(&self, rows: Range<usize>, wanted: &[i64]) -> Option<BooleanBuffer> {
        let Self::Integers { least, differences, nulls } = self else { return None };
        let nulls = nulls.as_ref().map(|nulls| nulls.slice(rows.start, rows.len()));
        let found = differences.matches(*least, rows, wanted);
        Some(match nulls {
            Some(nulls) => &found & nulls.inner(),
            None => found,
        })
    }
}

impl Differences {
    /// Those of some values; `None` if they need more than 32 bits. That of NULL may be any.
    fn new(parts: &[&Int64Array], least: i64, greatest: i64) -> Option<Self> {
        let difference = |value: i64| value.wrapping_sub(least);
        Some(match u32::try_from(greatest.abs_diff(least)).ok()? {
            0 => Self::None,
            1..=0xff => Self::Bytes(gathered(parts, |value| difference(value) as u8)),
            0x100..=0xffff => Self::Shorts(gathered(parts, |value| difference(value) as u16)),
            _ => Self::Words(gathered(parts, |value| difference(value) as u32)),
        })
    }

    /// The values in a range of rows.
    fn read(&self, least: i64, rows: Range<usize>) -> Vec<i64> {
        match self {
            Self::None => vec![least; rows.len()],
            Self::Bytes(all) => added(all[rows].iter().copied(), least),
            Self::Shorts(all) => added(all[rows].iter().copied(), least),
            Self::Words(all) => added(all[rows].iter().copied(), least),
        }
    }

    /// Appends the values in single rows to others.
    fn pick(&self, least: i64, rows: &[u32], values: &mut Vec<i64>) {
        let rows = rows.iter().map(|&row| row as usize);
        let value = |difference: i64| least.wrapping_add(difference);
        match self {
            Self::None => values.extend(rows.map(|_| least)),
            Self::Bytes(all) => values.extend(rows.map(|row| value(all[row].into()))),
            Self::Shorts(all) => values.extend(rows.map(|row| value(all[row].into()))),
            Self::Words(all) => values.extend(rows.map(|row| value(all[row].into()))),
        }
    }

    /// Which of some rows have one of the values `wanted`, which are in order.
    fn matches(&self, least: i64, rows: Range<usize>, wanted: &[i64]) -> BooleanBuffer {
        // Others are too far away.
        let wanted =
            wanted.iter().filter_map(|value| u32::try_from(value.checked_sub(least)?).ok());
        match self {
            Self::None => matching(&vec![0_u8; rows.len()], wanted),
            Self::Bytes(all) => matching(&all[rows], wanted),
            Self::Shorts(all) => matching(&all[rows], wanted),
            Self::Words(all) => matching(&all[rows], wanted),
        }
    }
}

/// Which differences are among those `wanted`, which are in order.
fn matching<T: Copy + Ord + TryFrom<u32>>(
    all: &[T],
    wanted: impl Iterator<Item = u32>,
) -> BooleanBuffer {
    let wanted: Vec<T> = wanted.filter_map(|wanted| T::try_from(wanted).ok()).collect();
    match wanted[..] {
        [] => BooleanBuffer::new_unset(all.len()),
        [only] => BooleanBuffer::collect_bool(all.len(), |row| all[row] == only),
        _ => BooleanBuffer::collect_bool(all.len(), |row| wanted.binary_search(&all[row]).is_ok()),
    }
}

/// A value for each of some integers, one array after the other.
fn gathered<T>(parts: &[&Int64Array], value: impl Fn(i64) -> T) -> Vec<T> {
    let mut all = Vec::with_capacity(parts.iter().map(|part| part.len()).sum());
    for part in parts {
        all.extend(part.values().iter().map(|&number| value(number)));
    }
    all
}

/// Differences as integers.
fn added<T: Into<i64>>(differences: impl Iterator<Item = T>, least: i64) -> Vec<i64> {
    differences.map(|difference| least.wrapping_add(difference.into())).collect()
}

fn of_integers(parts: &[&ArrayRef], integers: &[&Int64Array]) -> Result<(StoredColumn, Facts)> {
    if let Some(near) = of_near_integers(integers) {
        return Ok(near);
    }
    let least = integers.iter().filter_map(|part| min(*part)).min();
    let greatest = integers.iter().filter_map(|part| max(*part)).max();
    let range = ChunkRange { bounds: least.zip(greatest), nulls: null_count(parts) };
    let is_sorted = range.nulls == 0 && are_sorted(integers);
    let (least, greatest) = range.bounds.unwrap_or_default();
    let column = match Differences::new(integers, least, greatest) {
        Some(differences) => {
            StoredColumn::Integers { least, differences, nulls: joined_nulls(parts) }
        }
        None => StoredColumn::Plain(whole(parts)?),
    };
    Ok((column, Facts { range, is_sorted }))
}

/// Integers without NULL that are near the first of them, as most of a chunk are; `None` if others
/// are among them. Least, greatest and order are those of 32-bit differences, of which the compiler
/// compares several at a time.
fn of_near_integers(integers: &[&Int64Array]) -> Option<(StoredColumn, Facts)> {
    /// How far below the first integer others may be, and as far above.
    const NEAR: i64 = 1 << 31;
    let first = *integers.iter().find_map(|part| part.values().first())?;
    // Where a difference could be that of another integer, beyond 64 bits.
    if first.unsigned_abs() >= 1 << 62 || integers.iter().any(|part| part.null_count() > 0) {
        return None;
    }
    let base = first - NEAR;
    let mut near: Vec<u32> = Vec::with_capacity(integers.iter().map(|part| part.len()).sum());
    for part in integers {
        let mut above = 0;
        near.extend(part.values().iter().map(|value| {
            let difference = value.wrapping_sub(base) as u64;
            above |= difference >> 32;
            difference as u32
        }));
        if above != 0 {
            return None;
        }
    }
    let bounds = near.iter().fold((u32::MAX, 0), |(least, greatest), &difference| {
        (difference.min(least), difference.max(greatest))
    });
    let (least, greatest) = bounds;
    let integer = |difference: u32| base.wrapping_add(difference.into());
    let range = ChunkRange { bounds: Some((integer(least), integer(greatest))), nulls: 0 };
    let facts = Facts { range, is_sorted: near.is_sorted() };
    let differences = match greatest - least {
        0 => Differences::None,
        1..=0xff => Differences::Bytes(near.iter().map(|near| (near - least) as u8).collect()),
        0x100..=0xffff => {
            Differences::Shorts(near.iter().map(|near| (near - least) as u16).collect())
        }
        _ => {
            near.iter_mut().for_each(|near| *near -= least);
            Differences::Words(near)
        }
    };
    Some((StoredColumn::Integers { least: integer(least), differences, nulls: None }, facts))
}

/// Whether values never decrease, one array after the other.
fn are_sorted(parts: &[&Int64Array]) -> bool {
    let mut last = i64::MIN;
    parts.iter().all(|part| {
        let values = part.values();
        let follows = values.first().is_none_or(|first| last <= *first);
        last = values.last().copied().unwrap_or(last);
        follows && values.is_sorted()
    })
}

/// A list of texts; `None` if there are many, or long ones.
fn of_texts(parts: &[&ArrayRef], texts: &[&StringViewArray]) -> Option<StoredColumn> {
    let mut views: Vec<u128> = Vec::with_capacity(MOST_TEXTS);
    let mut list: Vec<&str> = Vec::with_capacity(MOST_TEXTS);
    let mut numbers = Vec::with_capacity(texts.iter().map(|part| part.len()).sum());
    for part in texts {
        for (row, view) in part.views().iter().enumerate() {
            if part.is_null(row) {
                numbers.push(0);
                continue;
            }
            let number = match views.iter().position(|known| known == view) {
                Some(number) => number,
                None if views.len() == MOST_TEXTS || !is_short(*view) => return None,
                None => {
                    views.push(*view);
                    list.push(part.value(row));
                    views.len() - 1
                }
            };
            numbers.push(number as u8);
        }
    }
    if list.is_empty() {
        return None;
    }
    let list = Arc::new(StringViewArray::from(list));
    Some(StoredColumn::Texts { list, numbers, nulls: joined_nulls(parts) })
}

/// Whether a view holds its text, and does not point to it. It begins with the length.
fn is_short(view: u128) -> bool {
    view & u128::from(u32::MAX) <= 12
}

fn null_count(parts: &[&ArrayRef]) -> usize {
    parts.iter().map(|part| part.null_count()).sum()
}

/// The NULLs of some arrays, one after the other; `None` if there are none.
fn joined_nulls(parts: &[&ArrayRef]) -> Option<NullBuffer> {
    if null_count(parts) == 0 {
        return None;
    }
    let mut valid = BooleanBufferBuilder::new(parts.iter().map(|part| part.len()).sum());
    for part in parts {
        match part.nulls() {
            Some(nulls) => valid.append_buffer(nulls.inner()),
            None => valid.append_n(part.len(), true),
        }
    }
    Some(NullBuffer::new(valid.finish()))
}

/// Joins arrays. Copies text out of buffers that it shares with rows that were left out, so that the
/// result keeps no other memory alive.
fn whole(parts: &[&ArrayRef]) -> Result<ArrayRef> {
    let arrays: Vec<&dyn Array> = parts.iter().map(|part| &***part).collect();
    let whole = concat(&arrays)?;
    Ok(match whole.data_type() {
        DataType::Utf8View if !whole.as_string_view().data_buffers().is_empty() => {
            Arc::new(whole.as_string_view().gc())
        }
        _ => whole,
    })
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::Float64Array;

    use super::*;

    /// What is read of arrays after they were kept: all rows, some rows, and single rows.
    fn check(parts: &[ArrayRef]) -> StoredColumn {
        let parts: Vec<&ArrayRef> = parts.iter().collect();
        let arrays: Vec<&dyn Array> = parts.iter().map(|part| &***part).collect();
        let expected = concat(&arrays).expect("one type");
        let (column, facts) = StoredColumn::new(&parts).expect("one type");
        assert_eq!(facts.range.nulls, expected.null_count());
        let integers = expected.as_primitive_opt::<Int64Type>();
        assert_eq!(facts.range.bounds, integers.and_then(|all| min(all).zip(max(all))));
        let is_sorted = |all: &Int64Array| all.null_count() == 0 && all.values().is_sorted();
        assert_eq!(facts.is_sorted, integers.is_some_and(is_sorted));
        let count = expected.len();
        for (start, end) in [(0, count), (1, count), (1, count - 1), (2, 2)] {
            assert_eq!(&column.read(start..end).unwrap(), &expected.slice(start, end - start));
        }
        let rows: Vec<u32> = (0..count as u32).rev().chain([0, 0]).collect();
        let picked = take(&expected, &UInt32Array::from(rows.clone()), None).unwrap();
        assert_eq!(&column.pick(&rows).unwrap(), &picked);
        let mut values = Vec::new();
        if column.pick_integers(&rows, &mut values).is_some() {
            assert_eq!(&(Arc::new(Int64Array::from(values)) as ArrayRef), &picked);
        }
        if let Some(all) = integers {
            check_matches(&column, all);
        }
        column
    }

    /// Looks for one value, for several, and for those that no row has.
    fn check_matches(column: &StoredColumn, all: &Int64Array) {
        let known: Vec<i64> = all.iter().flatten().collect();
        let (least, greatest) = (known.iter().min().copied(), known.iter().max().copied());
        let lists = [
            vec![],
            vec![i64::MIN, i64::MAX],
            Vec::from_iter(least),
            Vec::from_iter(greatest),
            Vec::from_iter([least, greatest, Some(i64::MIN), Some(12_345)].into_iter().flatten()),
        ];
        for mut wanted in lists {
            wanted.sort_unstable();
            wanted.dedup();
            let is_wanted = |row| all.is_valid(row) && wanted.contains(&all.value(row));
            let expected: BooleanBuffer = (1..all.len()).map(is_wanted).collect();
            let found = column.matches(1..all.len(), &wanted);
            assert!(found.is_none_or(|found| found == expected), "{wanted:?}");
        }
    }

    fn integers(values: &[Option<i64>]) -> ArrayRef {
        Arc::new(Int64Array::from(values.to_vec()))
    }

    /// The bytes of a value.
    fn bytes(column: &StoredColumn) -> usize {
        match column {
            StoredColumn::Integers { differences: Differences::None, .. } => 0,
            StoredColumn::Integers { differences: Differences::Bytes(_), .. } => 1,
            StoredColumn::Integers { differences: Differences::Shorts(_), .. } => 2,
            StoredColumn::Integers { differences: Differences::Words(_), .. } => 4,
            _ => 8,
        }
    }

    #[test]
    fn integers_are_as_wide_as_their_differences() {
        let width = |least: i64, greatest: i64| {
            let with_null = [
                integers(&[Some(greatest), None, Some(least)]),
                integers(&[Some(least), Some(greatest)]),
            ];
            let without_null = [
                integers(&[Some(greatest), Some(least)]),
                integers(&[Some(least), Some(greatest)]),
            ];
            let widths = (bytes(&check(&with_null)), bytes(&check(&without_null)));
            assert_eq!(widths.0, widths.1);
            widths.0
        };
        assert_eq!(width(-7, -7), 0);
        assert_eq!((width(-7, 248), width(-7, 249)), (1, 2));
        assert_eq!((width(i64::MIN, i64::MIN + 0xffff), width(0, 0x1_0000)), (2, 4));
        assert_eq!((width(-1, 0xffff_fffe), width(-1, 0xffff_ffff)), (4, 8));
        assert_eq!(width(i64::MIN, i64::MAX), 8);
    }

    #[test]
    fn integers_far_from_the_first_are_kept() {
        let kept = |values: &[i64]| {
            let values: Vec<Option<i64>> = values.iter().copied().map(Some).collect();
            bytes(&check(&[integers(&[]), integers(&values), integers(&values)]))
        };
        // As far below and above as 32 bits reach, and farther: 32 bits hold their differences from
        // the least one, but not from the first.
        assert_eq!(kept(&[0, i64::from(i32::MIN), i64::from(i32::MAX)]), 4);
        assert_eq!(kept(&[0, i64::from(i32::MAX) + 1]), 4);
        assert_eq!(kept(&[0, i64::from(i32::MIN) - 1]), 4);
        // Differences that do not fit 64 bits.
        assert_eq!(kept(&[-2, i64::MAX]), 8);
        assert_eq!(kept(&[i64::MAX, i64::MIN]), 8);
        assert_eq!(kept(&[i64::MIN, i64::MIN + 1]), 1);
        assert_eq!(kept(&[-(1 << 62), i64::MAX]), 8);
    }

    #[test]
    fn order_is_found_across_arrays() {
        let sorted = |parts: &[ArrayRef]| {
            let parts: Vec<&ArrayRef> = parts.iter().collect();
            StoredColumn::new(&parts).expect("one type").1.is_sorted
        };
        assert!(sorted(&[integers(&[Some(1), Some(1)]), integers(&[]), integers(&[Some(1)])]));
        assert!(!sorted(&[integers(&[Some(1), Some(3)]), integers(&[]), integers(&[Some(2)])]));
        assert!(!sorted(&[integers(&[Some(1), None])]));
        check(&[integers(&[Some(1), Some(2)]), integers(&[Some(2), Some(i64::MAX)])]);
    }

    #[test]
    fn columns_may_have_no_values() {
        check(&[integers(&[None, None]), integers(&[None, None])]);
        check(&[integers(&[Some(1), Some(5)]), integers(&[None, Some(i64::MAX)])]);
        check(&[Arc::new(StringViewArray::from(vec![None::<&str>; 3]))]);
    }

    #[test]
    fn few_short_texts_are_a_list() {
        let texts = |values: &[Option<&str>]| -> ArrayRef {
            Arc::new(StringViewArray::from(values.to_vec()))
        };
        let short = texts(&[Some("S"), None, Some("R+"), Some("S"), Some("")]);
        let column = check(&[Arc::clone(&short), texts(&[Some("D"), Some("S")])]);
        assert!(matches!(column, StoredColumn::Texts { list, .. } if list.len() == 4));
        let column = check(&[short, texts(&[Some("longer than twelve bytes"), None])]);
        assert!(matches!(column, StoredColumn::Plain(_)));
        let many: Vec<String> = (0..=MOST_TEXTS).map(|number| number.to_string()).collect();
        let many: Vec<Option<&str>> = many.iter().map(|text| Some(text.as_str())).collect();
        assert!(matches!(check(&[texts(&many)]), StoredColumn::Plain(_)));
        assert!(matches!(check(&[texts(&many[1..])]), StoredColumn::Texts { .. }));
    }

    #[test]
    fn other_values_stay() {
        let reals: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.5), None, Some(2.0)]));
        assert!(matches!(check(&[reals]), StoredColumn::Plain(_)));
    }
}
