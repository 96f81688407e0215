//! Small integers as keys of groups, and the group of each.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use datafusion::arrow::datatypes::{DataType, Int64Type, UInt32Type};
use datafusion::common::{Result, internal_err};
use rustc_hash::FxHashMap;

use crate::scan::StringIds;

/// The least rows of a table for which this is worth a table of groups.
pub(super) const LEAST_ROWS: usize = 4096;
/// The most entries in a table of groups: 16 MiB on each thread, of which the system provides those
/// pages that are used.
pub(super) const MOST_KEYS: usize = 1 << 22;

/// What the keys of groups are.
#[derive(Clone, Debug)]
pub(super) enum Key {
    /// Integers from `low` on, and NULL.
    Integers { low: i64, count: usize },
    /// Texts, by their string ids. NULL has one as well.
    Texts(StringIds),
}

/// Rows up to which groups are found by hashes: a statement may ask for a few rows many times, and
/// a table of all keys takes long to make.
const FEW_ROWS: usize = 1024;

/// The group of each key. A group is the number of its key in the order in which keys came.
pub(super) struct KeyTable {
    low: i64,
    /// The number of keys from `low` on.
    count: usize,
    /// The number of rows so far.
    rows: usize,
    /// By the distance of a key from `low`, its group counted from 1; 0 where it has none. Empty as
    /// long as there are few rows.
    groups: Vec<u32>,
    /// Groups of keys that are not in the table: all of few rows, and those out of range, which
    /// only a damaged file has.
    others: FxHashMap<i64, u32>,
    /// The group of NULL, counted from 1.
    null: u32,
    /// The key of each group.
    keys: Vec<Option<i64>>,
}

impl KeyTable {
    pub(super) fn new(key: &Key) -> Self {
        let (low, count) = match key {
            Key::Integers { low, count } => (*low, *count),
            Key::Texts(ids) => (0, ids.count()),
        };
        let (groups, others, keys) = (Vec::new(), FxHashMap::default(), Vec::new());
        Self { low, count, rows: 0, groups, others, null: 0, keys }
    }

    /// The number of groups.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Finds the group of each row of a column.
    ///
    /// # Errors
    /// When the column has another type, which is a bug.
    pub(super) fn assign(&mut self, column: &ArrayRef, of_rows: &mut Vec<usize>) -> Result<()> {
        of_rows.clear();
        self.rows = self.rows.saturating_add(column.len());
        if self.rows > FEW_ROWS && self.groups.is_empty() {
            self.make_table();
        }
        match column.data_type() {
            DataType::UInt32 => {
                let ids = column.as_primitive::<UInt32Type>().values();
                of_rows.extend(ids.iter().map(|&id| self.group(i64::from(id))));
            }
            DataType::Int64 => {
                let integers = column.as_primitive::<Int64Type>();
                match integers.null_count() {
                    0 => of_rows.extend(integers.values().iter().map(|&key| self.group(key))),
                    _ => of_rows.extend(integers.iter().map(|key| match key {
                        Some(key) => self.group(key),
                        None => self.group_of_null(),
                    })),
                }
            }
            other => return internal_err!("groups of {other} are no small integers"),
        }
        Ok(())
    }

    /// Makes the table, with the groups so far.
    fn make_table(&mut self) {
        self.groups = vec![0; self.count];
        let (low, groups) = (self.low, &mut self.groups);
        self.others.retain(|&key, group| match groups.get_mut(distance(low, key)) {
            Some(place) => {
                *place = *group;
                false
            }
            None => true,
        });
    }

    #[inline]
    fn group(&mut self, key: i64) -> usize {
        let group = match self.groups.get_mut(distance(self.low, key)) {
            Some(group) => group,
            None => self.others.entry(key).or_default(),
        };
        if *group == 0 {
            self.keys.push(Some(key));
            *group = self.keys.len() as u32;
        }
        *group as usize - 1
    }

    fn group_of_null(&mut self) -> usize {
        if self.null == 0 {
            self.keys.push(None);
            self.null = self.keys.len() as u32;
        }
        self.null as usize - 1
    }

    /// The keys of all groups, in their order.
    pub(super) fn keys(&self, key: &Key) -> ArrayRef {
        match key {
            Key::Integers { .. } => Arc::new(Int64Array::from_iter(self.keys.iter().copied())),
            Key::Texts(ids) => {
                let id = |key: &Option<i64>| key.and_then(|key| u32::try_from(key).ok());
                let of_groups: Vec<u32> =
                    self.keys.iter().map(|key| id(key).unwrap_or_default()).collect();
                ids.strings(&of_groups)
            }
        }
    }

    /// Bytes of memory.
    pub(super) fn size(&self) -> usize {
        let others = self.others.capacity() * size_of::<(i64, u32)>();
        let keys = self.keys.capacity() * size_of::<Option<i64>>();
        self.groups.capacity() * size_of::<u32>() + others + keys
    }
}

/// How far a key is from the least one; more than any table has keys if it is less than that.
#[inline]
fn distance(low: i64, key: i64) -> usize {
    usize::try_from(key.wrapping_sub(low) as u64).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::UInt32Array;

    use super::*;

    fn groups(table: &mut KeyTable, column: ArrayRef) -> Vec<usize> {
        let mut of_rows = vec![7];
        table.assign(&column, &mut of_rows).expect("integers");
        of_rows
    }

    #[test]
    fn groups_are_numbered_as_their_keys_come() {
        let key = Key::Integers { low: -2, count: 4 };
        let mut table = KeyTable::new(&key);
        let column = Int64Array::from(vec![Some(1), None, Some(-2), Some(1), None]);
        assert_eq!(groups(&mut table, Arc::new(column)), [0, 1, 2, 0, 1]);
        assert_eq!(groups(&mut table, Arc::new(Int64Array::from(vec![-2, 0]))), [2, 3]);
        let keys = Int64Array::from(vec![Some(1), None, Some(-2), Some(0)]);
        assert_eq!(table.keys(&key).as_primitive::<Int64Type>(), &keys);
    }

    #[test]
    fn keys_out_of_range_have_groups_of_their_own() {
        let key = Key::Integers { low: 5, count: 2 };
        let mut table = KeyTable::new(&key);
        let column = Int64Array::from(vec![4, 7, 5, i64::MIN, i64::MAX, 4, 7, 6]);
        assert_eq!(groups(&mut table, Arc::new(column)), [0, 1, 2, 3, 4, 0, 1, 5]);
        assert_eq!(table.len(), 6);
        let ids = UInt32Array::from(vec![6, u32::MAX]);
        assert_eq!(groups(&mut table, Arc::new(ids)), [5, 6]);
    }

    #[test]
    fn groups_of_few_rows_stay_in_the_table_of_many() {
        let key = Key::Integers { low: 10, count: 4 };
        let mut table = KeyTable::new(&key);
        let few = Int64Array::from(vec![Some(12), Some(99), None, Some(10)]);
        assert_eq!(groups(&mut table, Arc::new(few)), [0, 1, 2, 3]);
        assert!(table.groups.is_empty());
        let many = Int64Array::from_iter_values((0..FEW_ROWS as i64).map(|row| 10 + row % 4));
        let found = groups(&mut table, Arc::new(many));
        assert_eq!(found.len(), FEW_ROWS);
        assert_eq!(found[..5], [3, 4, 0, 5, 3]);
        assert_eq!((table.groups.len(), table.others.len()), (4, 1));
        let more = Int64Array::from(vec![Some(99), None, Some(13), Some(9)]);
        assert_eq!(groups(&mut table, Arc::new(more)), [1, 2, 5, 6]);
        let keys = [Some(12), Some(99), None, Some(10), Some(11), Some(13), Some(9)];
        assert_eq!(table.keys(&key).as_primitive::<Int64Type>(), &Int64Array::from(keys.to_vec()));
    }
}
