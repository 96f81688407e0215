//! The integers of a column.

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::parquet::basic::Encoding;
use datafusion::parquet::errors::ParquetError;
use datafusion::parquet::file::statistics::{Statistics, ValueStatistics};

use super::bit_packing::append_numbers;
use super::differences::append_differences;
use super::numbering::Numbering;
use super::{DICTIONARY_BYTES, Dictionary, PageValues, Values, entry_bits, of_another_type};

/// Integers that have a dictionary until it is full, and are differences then.
pub(super) struct Integers {
    /// `None` if differences are shorter.
    dictionary: Option<Numbering<i64>>,
    /// Whether the page has numbers of entries of the dictionary.
    is_numbered: bool,
    numbers: Vec<u32>,
    values: Vec<i64>,
    bounds: Option<(i64, i64)>,
}

impl Integers {
    pub(super) fn new(has_dictionary: bool) -> Self {
        Self {
            dictionary: has_dictionary.then(Numbering::new),
            is_numbered: has_dictionary,
            numbers: Vec::new(),
            values: Vec::new(),
            bounds: None,
        }
    }

    fn extend(&mut self, values: &[i64]) {
        let Some(first) = values.first() else { return };
        let bounds = self.bounds.unwrap_or((*first, *first));
        self.bounds =
            Some(values.iter().fold(bounds, |(least, greatest), value| {
                (least.min(*value), greatest.max(*value))
            }));
        match &mut self.dictionary {
            Some(dictionary) if self.is_numbered => {
                self.numbers.extend(values.iter().map(|value| dictionary.number(*value)));
            }
            _ => self.values.extend_from_slice(values),
        }
    }

    fn dictionary_bytes(&self) -> usize {
        self.dictionary.as_ref().map_or(0, |dictionary| size_of_val(dictionary.keys()))
    }
}

impl Values for Integers {
    type Bound = i64;

    fn add(&mut self, rows: &ArrayRef) -> Result<(), ParquetError> {
        let rows = rows.as_primitive_opt::<Int64Type>().ok_or_else(|| of_another_type(rows))?;
        match rows.nulls().filter(|nulls| nulls.null_count() > 0) {
            None => self.extend(rows.values()),
            Some(nulls) => {
                let runs = nulls.valid_slices();
                let runs = runs.filter_map(|(start, end)| rows.values().get(start..end));
                runs.for_each(|run| self.extend(run));
            }
        }
        Ok(())
    }

    fn end_page(&mut self) -> PageValues<i64> {
        let mut bytes = Vec::new();
        let encoding = match &self.dictionary {
            Some(dictionary) if self.is_numbered => {
                let width = entry_bits(dictionary.keys().len());
                bytes.push(width as u8);
                append_numbers(&mut bytes, &self.numbers, width);
                Encoding::RLE_DICTIONARY
            }
            _ => {
                append_differences(&mut bytes, &self.values);
                Encoding::DELTA_BINARY_PACKED
            }
        };
        self.numbers.clear();
        self.values.clear();
        self.is_numbered = self.is_numbered && self.dictionary_bytes() < DICTIONARY_BYTES;
        PageValues { bytes, encoding, bounds: self.bounds.take() }
    }

    fn dictionary(&self) -> Option<Dictionary> {
        let keys = self.dictionary.as_ref()?.keys();
        let bytes = keys.iter().flat_map(|key| key.to_le_bytes()).collect();
        Some(Dictionary { bytes, entries: keys.len() })
    }

    fn bytes(&self) -> usize {
        // Numbers of entries take two bytes or less, about, and differences as well.
        self.dictionary_bytes() + 2 * (self.numbers.len() + self.values.len())
    }

    fn index_bounds((least, greatest): &(i64, i64)) -> (Vec<u8>, Vec<u8>) {
        (least.to_le_bytes().to_vec(), greatest.to_le_bytes().to_vec())
    }

    fn statistics(bounds: Option<(i64, i64)>, nulls: u64) -> Statistics {
        let (least, greatest) = bounds.unzip();
        let statistics = ValueStatistics::new(least, greatest, None, Some(nulls), false);
        statistics.with_backwards_compatible_min_max(true).into()
    }
}
