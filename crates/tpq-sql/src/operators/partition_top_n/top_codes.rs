//! Which rows can still be among the first of their partition.

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::{
    ArrowPrimitiveType, DataType, Float64Type, Int32Type, Int64Type, UInt32Type, UInt64Type,
};
use datafusion::common::Result;
use datafusion::error::DataFusionError;

use super::super::packed_sort::code_of_real;

/// Whether values of this type have codes.
pub(super) fn has_codes(data_type: &DataType) -> bool {
    use DataType::*;
    matches!(data_type, Int32 | Int64 | UInt32 | UInt64 | Float64)
}

/// Numbers that order as the values do, in whatever batch they are; `None` for NULLs that come
/// before everything.
pub(super) fn codes(values: &ArrayRef, options: SortOptions) -> Result<Vec<Option<u64>>> {
    Ok(match values.data_type() {
        DataType::Int32 => of::<Int32Type>(values, options, |value| signed(value.into())),
        DataType::Int64 => of::<Int64Type>(values, options, signed),
        DataType::UInt32 => of::<UInt32Type>(values, options, u64::from),
        DataType::UInt64 => of::<UInt64Type>(values, options, |value| value),
        DataType::Float64 => of::<Float64Type>(values, options, code_of_real),
        other => {
            return Err(DataFusionError::Internal(format!("no codes for values of type {other}")));
        }
    })
}

fn signed(value: i64) -> u64 {
    value.cast_unsigned() ^ 1 << 63
}

fn of<T: ArrowPrimitiveType>(
    values: &ArrayRef,
    options: SortOptions,
    code: impl Fn(T::Native) -> u64,
) -> Vec<Option<u64>> {
    let values = values.as_primitive::<T>();
    let turned = |value| if options.descending { !code(value) } else { code(value) };
    if values.null_count() == 0 {
        return values.values().iter().map(|&value| Some(turned(value))).collect();
    }
    let null = (!options.nulls_first).then_some(LAST);
    values.iter().map(|value| value.map_or(null, |value| Some(turned(value)))).collect()
}

/// The code that sorts last, and that of an unused entry.
const LAST: u64 = u64::MAX;

/// The least codes of each partition that were seen.
pub(super) struct TopCodes {
    most: usize,
    rejects_ties: bool,
    /// `most` for each partition, in ascending order.
    codes: Vec<u64>,
}

impl TopCodes {
    pub(super) fn new(most: usize, rejects_ties: bool) -> Self {
        Self { most, rejects_ties, codes: Vec::new() }
    }

    /// TopCodes for a number of partitions.
    pub(super) fn grow(&mut self, partitions: usize) {
        self.codes.resize(partitions * self.most, LAST);
    }

    /// The number of codes.
    pub(super) fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether a row may be among the first of its partition, judged by those
    /// before.
    pub(super) fn admits(&mut self, partition: usize, code: Option<u64>) -> bool {
        // Nothing comes before such a NULL but others, which are not counted.
        let Some(code) = code else { return true };
        let begin = partition * self.most;
        let top_codes = &mut self.codes[begin..begin + self.most];
        let last = top_codes[self.most - 1];
        if code >= last {
            return last == LAST || code == last && !self.rejects_ties;
        }
        let position = top_codes.partition_point(|&before| before <= code);
        top_codes.copy_within(position..self.most - 1, position + 1);
        top_codes[position] = code;
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{Float64Array, Int64Array};

    use super::*;

    fn admitted(top_codes: &mut TopCodes, rows: &[(usize, u64)]) -> Vec<bool> {
        rows.iter().map(|&(partition, code)| top_codes.admits(partition, Some(code))).collect()
    }

    #[test]
    fn rows_behind_so_many_others_are_dropped() {
        let mut top_codes = TopCodes::new(2, true);
        top_codes.grow(2);
        let rows = [(0, 5), (0, 7), (0, 8), (1, 9), (0, 7), (0, 6), (0, 6), (0, 1), (0, 5), (1, 3)];
        let expected = [true, true, false, true, false, true, false, true, false, true];
        assert_eq!(admitted(&mut top_codes, &rows), expected);
        assert!(top_codes.admits(0, None), "a NULL that comes first");
    }

    #[test]
    fn equal_rows_share_a_rank() {
        let mut top_codes = TopCodes::new(2, false);
        top_codes.grow(1);
        let rows = [(0, 5), (0, 5), (0, 5), (0, 6), (0, 4), (0, 5), (0, 4), (0, 5)];
        let expected = [true, true, true, false, true, true, true, false];
        assert_eq!(admitted(&mut top_codes, &rows), expected);
    }

    #[test]
    fn the_last_of_all_values_is_dropped_behind_others_only() {
        let mut top_codes = TopCodes::new(1, true);
        top_codes.grow(1);
        let rows = [(0, LAST), (0, LAST), (0, LAST - 1), (0, LAST)];
        assert_eq!(admitted(&mut top_codes, &rows), [true, true, true, false]);
    }

    #[test]
    fn codes_order_as_values_do() {
        let reals = [f64::NEG_INFINITY, -1.5, -0.0, 0.0, 1e-300, 2.0, f64::INFINITY, f64::NAN];
        let integers = [i64::MIN, -1, 0, 1, i64::MAX];
        let columns: [ArrayRef; 2] = [
            Arc::new(Float64Array::from(reals.to_vec())),
            Arc::new(Int64Array::from(integers.to_vec())),
        ];
        for column in columns {
            let up = SortOptions { descending: false, nulls_first: false };
            let up = codes(&column, up).expect("has codes");
            assert!(up.windows(2).all(|pair| pair[0] < pair[1]));
            let down = SortOptions { descending: true, nulls_first: false };
            let down = codes(&column, down).expect("has codes");
            assert!(down.windows(2).all(|pair| pair[0] > pair[1]));
        }
        let some: ArrayRef = Arc::new(Int64Array::from(vec![None, Some(0)]));
        let of = |nulls_first| {
            let options = SortOptions { descending: false, nulls_first };
            codes(&some, options).expect("has codes")[0]
        };
        assert_eq!([of(true), of(false)], [None, Some(LAST)]);
    }
}
