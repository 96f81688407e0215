//! The floating-point numbers of a column.

use std::cmp::Ordering;

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::Float64Type;
use datafusion::parquet::basic::Encoding;
use datafusion::parquet::errors::ParquetError;
use datafusion::parquet::file::statistics::{Statistics, ValueStatistics};

use super::words::{Words, append_plain, each_run};
use super::{Dictionary, PageValues, Values};

/// Numbers, of which a dictionary has those of the same bits once.
pub(super) struct Floats {
    words: Words,
    bounds: Option<(Bound, Bound)>,
}

/// A number that is not NaN, which is in no order with others.
#[derive(Clone, Copy)]
pub(super) struct Bound(f64);

impl Ord for Bound {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Bound {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Bound {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Bound {}

impl Floats {
    pub(super) fn new(has_dictionary: bool) -> Self {
        Self { words: Words::new(has_dictionary), bounds: None }
    }

    fn extend(&mut self, values: &[f64]) {
        for value in values.iter().copied().filter(|value| !value.is_nan()).map(Bound) {
            let (least, greatest) = self.bounds.unwrap_or((value, value));
            self.bounds = Some((least.min(value), greatest.max(value)));
        }
        self.words.extend(values.iter().map(|value| value.to_bits().cast_signed()));
    }
}

impl Values for Floats {
    type Bound = Bound;

    fn add(&mut self, rows: &ArrayRef) -> Result<(), ParquetError> {
        each_run::<Float64Type>(rows, |values| self.extend(values))
    }

    fn end_page(&mut self) -> PageValues<Bound> {
        let (bytes, encoding) = self.words.end_page(Encoding::PLAIN, append_plain);
        PageValues { bytes, encoding, bounds: self.bounds.take() }
    }

    fn dictionary(&self) -> Option<Dictionary> {
        self.words.dictionary()
    }

    fn bytes(&self) -> usize {
        self.words.bytes()
    }

    fn index_bounds(bounds: &(Bound, Bound)) -> (Vec<u8>, Vec<u8>) {
        let (least, greatest) = with_both_zeros(*bounds);
        (least.to_le_bytes().to_vec(), greatest.to_le_bytes().to_vec())
    }

    fn statistics(bounds: Option<(Bound, Bound)>, nulls: u64) -> Statistics {
        let (least, greatest) = bounds.map(with_both_zeros).unzip();
        let statistics = ValueStatistics::new(least, greatest, None, Some(nulls), false);
        statistics.with_backwards_compatible_min_max(true).into()
    }
}

/// Bounds that enclose the zero of the other sign as well, as readers expect.
fn with_both_zeros((least, greatest): (Bound, Bound)) -> (f64, f64) {
    let least = if least.0 == 0.0 { -0.0 } else { least.0 };
    let greatest = if greatest.0 == 0.0 { 0.0 } else { greatest.0 };
    (least, greatest)
}
