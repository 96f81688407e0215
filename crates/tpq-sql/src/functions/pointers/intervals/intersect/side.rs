//! One side of an intersection: intervals in the order of partition and start.

use std::borrow::Cow;
use std::ops::Range;

use datafusion::arrow::array::{Array, ArrayRef, new_null_array};
use datafusion::arrow::buffer::BooleanBuffer;
use datafusion::arrow::compute::cast;
use datafusion::arrow::compute::kernels::cmp::not_distinct;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, exec_err};

use super::COLUMNS_BEFORE_KEY;
use crate::functions::pointers::intervals::keys::Keys;
use crate::functions::pointers::table::integer_values;

/// The number of keys that no row of the first table has.
const OTHER_KEY: u32 = u32::MAX;

/// Intervals, sorted by partition and start. Columns that are sorted already are not copied.
pub(super) struct Intervals<'a> {
    starts: Cow<'a, [i64]>,
    durs: Cow<'a, [i64]>,
    /// The partition of each interval; `None` if there is only one.
    keys: Option<Vec<u32>>,
}

impl<'a> Intervals<'a> {
    /// The intervals of a collected table, and the row of each; `None` if that is its number.
    ///
    /// # Errors
    /// When a time is negative, or the key has other columns than that of the first table.
    pub(super) fn of_table(
        columns: &'a [ArrayRef],
        types: &[DataType],
        keys: &mut Keys,
    ) -> Result<(Self, Option<Vec<u32>>)> {
        let (starts, durs) = (integer_values(columns, 1)?, integer_values(columns, 2)?);
        check(&starts, &durs)?;
        let all = Self::new(starts, durs, partitions(columns, types, keys)?)?;
        if all.is_sorted() {
            return Ok((all, None));
        }
        let rows = all.rows_in_order();
        let at = |row: &u32| *row as usize;
        let starts = rows.iter().map(|row| all.starts[at(row)]).collect();
        let durs = rows.iter().map(|row| all.durs[at(row)]).collect();
        let keys = all.keys.map(|keys| rows.iter().map(|row| keys[at(row)]).collect());
        Ok((Self { starts: Cow::Owned(starts), durs: Cow::Owned(durs), keys }, Some(rows)))
    }

    /// Intervals with these columns.
    ///
    /// # Errors
    /// When there are more than can be numbered.
    pub(super) fn new(
        starts: Cow<'a, [i64]>,
        durs: Cow<'a, [i64]>,
        keys: Option<Vec<u32>>,
    ) -> Result<Self> {
        if u32::try_from(starts.len()).is_err() {
            return exec_err!("interval intersect: a table has too many intervals");
        }
        Ok(Self { starts, durs, keys })
    }

    /// The intervals as a side of an intersection.
    pub(super) fn side(&self) -> Side<'_> {
        Side { starts: &self.starts, durs: &self.durs, keys: self.keys.as_deref() }
    }

    fn is_sorted(&self) -> bool {
        match &self.keys {
            None => self.starts.is_sorted(),
            Some(keys) => keys.iter().zip(self.starts.iter()).is_sorted(),
        }
    }

    /// The rows by partition and start; equal ones stay in the order of the table.
    fn rows_in_order(&self) -> Vec<u32> {
        let side = self.side();
        let by_key = self.keys.as_deref().filter(|_| self.starts.is_sorted());
        by_key.and_then(rows_by_key).unwrap_or_else(|| {
            let mut rows: Vec<u32> = (0u32..).take(side.len()).collect();
            rows.sort_by_key(|&row| side.order(row as usize));
            rows
        })
    }
}

/// # Errors
/// When a time is negative. The error is that of the first such row.
fn check(starts: &[i64], durs: &[i64]) -> Result<()> {
    // The sign of any is that of all, and this loop needs no branches.
    let signs = |values: &[i64]| values.iter().fold(0, |all, value| all | value);
    if signs(starts) >= 0 && signs(durs) >= 0 {
        return Ok(());
    }
    match starts.iter().zip(durs).find(|&(&start, &dur)| start < 0 || dur < 0) {
        Some((&start, _)) if start < 0 => {
            exec_err!("Interval intersect only accepts positive `ts` values.")
        }
        _ => exec_err!("Interval intersect only works on intervals with dur >= 0"),
    }
}

/// The number of each row's partition; `None` without a key.
fn partitions(
    columns: &[ArrayRef],
    types: &[DataType],
    keys: &mut Keys,
) -> Result<Option<Vec<u32>>> {
    let key_columns = columns.iter().skip(COLUMNS_BEFORE_KEY);
    if key_columns.len() != types.len() {
        return exec_err!("interval intersect: tables with different keys");
    }
    let Some(rows) = columns.get(COLUMNS_BEFORE_KEY).map(|column| column.len()) else {
        return Ok(None);
    };
    let key_columns = key_columns.zip(types).map(|(column, kind)| KeyColumn::of(column, kind));
    let key_columns = key_columns.collect::<Result<Vec<_>>>()?;
    let values: Vec<ArrayRef> =
        key_columns.iter().map(|column| ArrayRef::clone(&column.values)).collect();
    let mut numbers = keys.numbers(&values, rows)?;
    for known in key_columns.iter().filter_map(|column| column.known.as_ref()) {
        for (key, is_known) in numbers.iter_mut().zip(known) {
            *key = if is_known { *key } else { OTHER_KEY };
        }
    }
    Ok(Some(numbers))
}

/// A column of a key with the type that it has in the first table.
struct KeyColumn {
    values: ArrayRef,
    /// Whether each row has a value that this type can hold; `None` if all have. A number is no
    /// text, and 1.5 no integer, so other rows have no partner in the first table.
    known: Option<BooleanBuffer>,
}

impl KeyColumn {
    fn of(column: &ArrayRef, kind: &DataType) -> Result<Self> {
        let given = column.data_type();
        if given == kind {
            return Ok(Self { values: ArrayRef::clone(column), known: None });
        }
        if !(given.is_numeric() && kind.is_numeric()) {
            let nulls = column.logical_nulls();
            let known =
                nulls.map_or(BooleanBuffer::new_unset(column.len()), |nulls| !nulls.inner());
            return Ok(Self { values: new_null_array(kind, column.len()), known: Some(known) });
        }
        let values = cast(column, kind)?;
        let known = not_distinct(column, &cast(&values, given)?)?;
        Ok(Self { values, known: Some(known.values().clone()) })
    }
}

/// The rows by their keys, and those of a key in the order they have. As keys are numbers from 0 on,
/// the rows before each key are counted. `None` if there are far more keys than rows.
fn rows_by_key(keys: &[u32]) -> Option<Vec<u32>> {
    let greatest = *keys.iter().max()?;
    let count = (greatest as usize).checked_add(1).filter(|&count| count <= keys.len())?;
    let mut next = vec![0_u32; count];
    for &key in keys {
        next[key as usize] += 1;
    }
    let mut before = 0;
    for next in &mut next {
        let count = std::mem::replace(next, before);
        before += count;
    }
    let mut rows = vec![0; keys.len()];
    for (row, &key) in (0..).zip(keys) {
        let place = &mut next[key as usize];
        rows[*place as usize] = row;
        *place += 1;
    }
    Some(rows)
}

/// Sorted intervals by their numbers.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    starts: &'a [i64],
    durs: &'a [i64],
    keys: Option<&'a [u32]>,
}

impl Side<'_> {
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn start(&self, at: usize) -> i64 {
        self.starts[at]
    }

    /// The end; equal to the start if the interval is empty.
    pub(super) fn end(&self, at: usize) -> i64 {
        self.starts[at].saturating_add(self.durs[at])
    }

    pub(super) fn key(&self, at: usize) -> u32 {
        self.keys.map_or(0, |keys| keys[at])
    }

    pub(super) fn has_keys(&self) -> bool {
        self.keys.is_some()
    }

    pub(super) fn order(&self, at: usize) -> (u32, i64) {
        (self.key(at), self.start(at))
    }

    /// Whether an interval overlaps one of the same partition that starts at `later`, which is not
    /// before its own start.
    pub(super) fn reaches(&self, at: usize, later: i64) -> bool {
        later < self.end(at) || later == self.start(at)
    }

    /// The number of the first interval of a partition, if no interval from `before` on is of an
    /// earlier one, and none before it of a later one.
    pub(super) fn first_of(&self, key: u32, before: usize) -> usize {
        match before.checked_sub(1) {
            Some(last) if self.key(last) == key => halved(0..last, |at| self.key(at) < key),
            _ => before,
        }
    }

    /// The first number in a range with an interval of a later partition.
    pub(super) fn end_of(&self, key: u32, range: Range<usize>) -> usize {
        match self.keys {
            None => range.end,
            Some(keys) => search(range, |at| keys[at] <= key),
        }
    }
}

/// The first number of a range that is not `before`, if all that are come first. It is looked for
/// near the start of the range at first.
pub(super) fn search(range: Range<usize>, before: impl Fn(usize) -> bool) -> usize {
    let Range { mut start, end } = range;
    let mut step = 1;
    loop {
        let probe = start.saturating_add(step - 1);
        if probe >= end || !before(probe) {
            return halved(start..probe.min(end), before);
        }
        start = probe + 1;
        step *= 2;
    }
}

/// The same by halving the range.
fn halved(range: Range<usize>, before: impl Fn(usize) -> bool) -> usize {
    let Range { mut start, mut end } = range;
    while start < end {
        let middle = start + (end - start) / 2;
        match before(middle) {
            true => start = middle + 1,
            false => end = middle,
        }
    }
    start
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{Float64Array, Int64Array, StringViewArray};

    use super::*;

    #[test]
    fn keys_of_other_types_are_compared_as_values() {
        let keys = |column: ArrayRef, kind: DataType| {
            let found = KeyColumn::of(&column, &kind).expect("a column");
            (0..column.len())
                .map(|row| {
                    let is_known = found.known.as_ref().is_none_or(|known| known.value(row));
                    is_known.then(|| found.values.is_valid(row))
                })
                .collect::<Vec<_>>()
        };
        let numbers: ArrayRef = Arc::new(Float64Array::from(vec![Some(5.5), Some(7.0), None]));
        // 7.0 is the integer 7, NULL is NULL, and 5.5 is no integer.
        assert_eq!(keys(Arc::clone(&numbers), DataType::Int64), [None, Some(true), Some(false)]);
        assert_eq!(keys(Arc::clone(&numbers), DataType::Utf8View), [None, None, Some(false)]);
        let texts: ArrayRef = Arc::new(StringViewArray::from(vec![Some("7"), None]));
        assert_eq!(keys(texts, DataType::Int64), [None, Some(false)]);
        assert_eq!(keys(numbers, DataType::Float64), [Some(true), Some(true), Some(false)]);
    }

    #[test]
    fn rows_in_order_of_time_are_sorted_by_counting() {
        assert_eq!(rows_by_key(&[2, 0, 2, 1, 0]), Some(vec![1, 4, 3, 0, 2]));
        // Two rows, of which one has the sixth key of all tables.
        assert_eq!(rows_by_key(&[5, 0]), None);
        assert_eq!(rows_by_key(&[]), None);
    }

    #[test]
    fn a_table_is_sorted_by_partition_and_start() {
        let columns = |starts: Vec<i64>, keys: Vec<i64>| -> Vec<ArrayRef> {
            let durs = Int64Array::from(vec![1; starts.len()]);
            let ids = Int64Array::from_iter_values(0..starts.len() as i64);
            let starts = Int64Array::from(starts);
            vec![Arc::new(ids), Arc::new(starts), Arc::new(durs), Arc::new(Int64Array::from(keys))]
        };
        let rows = |starts: Vec<i64>, partitions: Vec<i64>| {
            let columns = columns(starts, partitions);
            let types = [DataType::Int64];
            let mut keys = Keys::new(types.iter().cloned()).expect("keys");
            let (intervals, rows) =
                Intervals::of_table(&columns, &types, &mut keys).expect("intervals");
            let side = intervals.side();
            assert!((0..side.len()).map(|at| side.order(at)).is_sorted());
            rows
        };
        // Partitions are numbered as they come: 7 is the first.
        assert_eq!(rows(vec![1, 2, 2, 5], vec![7, 7, 3, 3]), None);
        assert_eq!(rows(vec![1, 2, 2, 5], vec![7, 3, 7, 3]), Some(vec![0, 2, 1, 3]));
        assert_eq!(rows(vec![5, 4, 4, 1], vec![7, 3, 7, 7]), Some(vec![3, 2, 0, 1]));
    }

    #[test]
    fn the_first_number_is_found() {
        for end in 0..20 {
            for first in 0..=end {
                for start in 0..=first {
                    assert_eq!(search(start..end, |at| at < first), first);
                    assert_eq!(halved(start..end, |at| at < first), first);
                }
            }
        }
    }

    #[test]
    fn the_error_is_that_of_the_first_row() {
        let error = |starts: &[i64], durs: &[i64]| check(starts, durs).unwrap_err().to_string();
        assert!(check(&[0, 1], &[0, 5]).is_ok());
        assert!(error(&[0, -1], &[-1, 0]).contains("dur >= 0"));
        assert!(error(&[-1, 0], &[0, -1]).contains("positive `ts`"));
        assert!(error(&[-1], &[-1]).contains("positive `ts`"));
    }
}
