//! The integers of a column.

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::parquet::basic::Encoding;
use datafusion::parquet::errors::ParquetError;
use datafusion::parquet::file::statistics::{Statistics, ValueStatistics};

use super::differences::append_differences;
use super::words::{Words, each_run};
use super::{Dictionary, PageValues, Values};

/// Integers, which are differences where they have no dictionary.
pub(super) struct Integers {
    words: Words,
    bounds: Option<(i64, i64)>,
}

impl Integers {
    pub(super) fn new(has_dictionary: bool) -> Self {
        Self { words: Words::new(has_dictionary), bounds: None }
    }

    fn extend(&mut self, values: &[i64]) {
        let Some(first) = values.first() else { return };
        let bounds = self.bounds.unwrap_or((*first, *first));
        self.bounds =
            Some(values.iter().fold(bounds, |(least, greatest), value| {
                (least.min(*value), greatest.max(*value))
            }));
        self.words.extend(values.iter().copied());
    }
}

impl Values for Integers {
    type Bound = i64;

    fn add(&mut self, rows: &ArrayRef) -> Result<(), ParquetError> {
        each_run::<Int64Type>(rows, |values| self.extend(values))
    }

    fn end_page(&mut self) -> PageValues<i64> {
        let page = self.words.end_page(Encoding::DELTA_BINARY_PACKED, append_differences);
        let (bytes, encoding) = page;
        PageValues { bytes, encoding, bounds: self.bounds.take() }
    }

    fn dictionary(&self) -> Option<Dictionary> {
        self.words.dictionary()
    }

    fn bytes(&self) -> usize {
        self.words.bytes()
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
