//! Partitions: rows with equal values in all columns of a key.

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::row::{OwnedRow, RowConverter, SortField};
use datafusion::common::Result;
use rustc_hash::FxHashMap;

/// Numbers the keys of several tables; NULLs are equal.
pub(super) struct Keys {
    converter: Option<RowConverter>,
    numbers: FxHashMap<OwnedRow, u32>,
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
        let numbered = keys.iter().map(|key| {
            let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
            *self.numbers.entry(key.owned()).or_insert(next)
        });
        Ok(numbered.collect())
    }
}

/// The names in a list such as `(utid, cpu)`.
pub(super) fn names_in(list: &str) -> Vec<&str> {
    let list = list.trim().trim_start_matches('(').trim_end_matches(')');
    list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect()
}
