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

/// The group of each key. A group is the number of its key in the order in which keys came.
pub(super) struct KeyTable {
    low: i64,
    /// By the distance of a key from `low`, its group counted from 1; 0 where it has none.
    groups: Vec<u32>,
    /// Groups of other keys, which only a damaged file has.
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
        let (others, keys) = (FxHashMap::default(), Vec::new());
        Self { low, groups: vec![0; count], others, null: 0, keys }
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

    #[inline]
    fn group(&mut self, key: i64) -> usize {
        let distance = usize::try_from(key.wrapping_sub(self.low) as u64).unwrap_or(usize::MAX);
        let group = match self.groups.get_mut(distance) {
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
}
