//! Partitions: rows with equal values in all columns of a key.

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::common::Result;
use rustc_hash::FxHashMap;

/// Numbers the keys of several tables; NULLs are equal.
pub(super) struct Keys {
    converter: Option<RowConverter>,
    /// By the keys in the row format.
    numbers: FxHashMap<Box<[u8]>, u32>,
}

impl Keys {
    /// Makes a numbering of keys with these column types.
    pub(super) fn new(types: impl Iterator<Item = DataType>) -> Result<Self> {
        let fields: Vec<SortField> = types.map(SortField::new).collect();
        let converter = if fields.is_empty() { None } else { Some(RowConverter::new(fields)?) };
        Ok(Self { converter, numbers: FxHashMap::default() })
    }

    /// The number of each row's key. Keys are numbered from 0 in the order of first occurrence.
    pub(super) fn numbers(&mut self, columns: &[ArrayRef], rows: usize) -> Result<Vec<u32>> {
        let Some(converter) = &mut self.converter else { return Ok(vec![0; rows]) };
        let keys = converter.convert_columns(columns)?;
        let mut numbered = Vec::with_capacity(rows);
        // Rows with one key often follow each other.
        let mut last: Option<(&[u8], u32)> = None;
        for key in keys.iter() {
            let key = key.data();
            let number = match last {
                Some((same, number)) if same == key => number,
                _ => self.number(key),
            };
            last = Some((key, number));
            numbered.push(number);
        }
        Ok(numbered)
    }

    /// The number of a key. Only a new one is copied.
    fn number(&mut self, key: &[u8]) -> u32 {
        if let Some(&known) = self.numbers.get(key) {
            return known;
        }
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        self.numbers.insert(key.into(), next);
        next
    }
}

/// The names in a list such as `(utid, cpu)`.
pub(super) fn names_in(list: &str) -> Vec<&str> {
    let list = list.trim().trim_start_matches('(').trim_end_matches(')');
    list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{Int64Array, StringViewArray};

    use super::*;

    #[test]
    fn keys_of_several_tables_have_the_same_numbers() {
        let mut keys = Keys::new([DataType::Int64, DataType::Utf8View].into_iter()).expect("keys");
        let mut numbers = |integers: Vec<Option<i64>>, texts: Vec<Option<&str>>| {
            let rows = integers.len();
            let columns: [ArrayRef; 2] =
                [Arc::new(Int64Array::from(integers)), Arc::new(StringViewArray::from(texts))];
            keys.numbers(&columns, rows).expect("numbers")
        };
        let found = numbers(
            vec![Some(5), Some(5), None, Some(5), None],
            vec![Some("a"), Some("a"), Some("a"), None, Some("a")],
        );
        assert_eq!(found, [0, 0, 1, 2, 1]);
        assert_eq!(numbers(vec![Some(7), Some(5)], vec![None, None]), [3, 2]);
    }
}
