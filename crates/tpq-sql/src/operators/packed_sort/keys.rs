//! Codes of values: numbers that order as the values do.

use std::collections::HashMap;

use datafusion::arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, StringViewArray};
use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::{
    DataType, Float64Type, Int32Type, Int64Type, UInt32Type, UInt64Type,
};
use datafusion::common::Result;
use datafusion::error::DataFusionError;
use rustc_hash::FxHashMap;

/// Codes of all rows, all of which fit in the lowest `bits` bits.
pub(super) struct Codes {
    pub(super) values: Vec<u64>,
    pub(super) bits: u32,
}

impl Codes {
    /// Of codes up to `greatest`, turned round where the greatest come first.
    fn new(mut values: Vec<u64>, greatest: u64, options: SortOptions) -> Self {
        if options.descending {
            // The value of a NULL is ignored.
            values.iter_mut().for_each(|code| *code = greatest.wrapping_sub(*code));
        }
        Self { values, bits: u64::BITS - greatest.leading_zeros() }
    }
}

/// Whether values of this type have codes.
pub(super) fn has_codes(data_type: &DataType) -> bool {
    use DataType::*;
    matches!(data_type, Boolean | Int32 | Int64 | UInt32 | UInt64 | Float64 | Utf8View)
}

/// Adds the codes of a key, the most significant first.
pub(super) fn push_codes(
    values: &ArrayRef,
    options: SortOptions,
    codes: &mut Vec<Codes>,
) -> Result<()> {
    let mut of_values = match values.data_type() {
        DataType::Boolean => {
            let bits = values.as_boolean().values().iter().map(u64::from).collect();
            Codes::new(bits, 1, options)
        }
        DataType::Int32 => integers::<Int32Type>(values, options, i64::from),
        DataType::Int64 => integers::<Int64Type>(values, options, |value| value),
        DataType::UInt32 => integers::<UInt32Type>(values, options, i64::from),
        // The same order, around 0.
        DataType::UInt64 => {
            integers::<UInt64Type>(values, options, |value| (value ^ 1 << 63).cast_signed())
        }
        DataType::Float64 => reals(values, options),
        DataType::Utf8View => strings(values.as_string_view(), options),
        other => {
            return Err(DataFusionError::Internal(format!("no codes for values of type {other}")));
        }
    };
    if let Some(nulls) = values.nulls().filter(|nulls| nulls.null_count() > 0) {
        let rank = |is_valid: bool| u64::from(is_valid == options.nulls_first);
        codes.push(Codes { values: nulls.iter().map(rank).collect(), bits: 1 });
        // They are equal, and stay in the order they came in.
        let present = of_values.values.iter_mut().zip(nulls);
        present.filter(|(_, is_valid)| !is_valid).for_each(|(code, _)| *code = 0);
    }
    codes.push(of_values);
    Ok(())
}

fn integers<T: ArrowPrimitiveType>(
    values: &ArrayRef,
    options: SortOptions,
    number: impl Fn(T::Native) -> i64,
) -> Codes {
    let values = values.as_primitive::<T>();
    let present = values.iter().flatten().map(&number);
    let (lo, hi) =
        present.fold((i64::MAX, i64::MIN), |(lo, hi), value| (lo.min(value), hi.max(value)));
    let (lo, hi) = if lo > hi { (0, 0) } else { (lo, hi) };
    let code = |&value: &T::Native| number(value).wrapping_sub(lo).cast_unsigned();
    Codes::new(values.values().iter().map(code).collect(), hi.abs_diff(lo), options)
}

fn reals(values: &ArrayRef, options: SortOptions) -> Codes {
    let values = values.as_primitive::<Float64Type>().values();
    Codes::new(values.iter().map(|&value| code_of_real(value)).collect(), u64::MAX, options)
}

/// In IEEE 754's total order, as DataFusion sorts: -0 before 0, and NaN after everything.
pub(in super::super) fn code_of_real(value: f64) -> u64 {
    let bits = value.to_bits();
    if value.is_sign_negative() { !bits } else { bits | 1 << 63 }
}

/// The number of texts for which a table of texts has room from the start. To grow, it hashes all
/// of them again.
const EXPECTED_TEXTS: usize = 4096;

/// The number of NULL; its view may point at no text.
const NO_TEXT: u32 = u32::MAX;

/// The place of each string among those there are.
fn strings(values: &StringViewArray, options: SortOptions) -> Codes {
    // Where views are equal so are the strings, which saves looking at most of them.
    let mut numbers: FxHashMap<u128, u32> = FxHashMap::default();
    let mut first_rows = Vec::new();
    let views = values.views().iter().enumerate();
    let number = |(row, &view): (usize, &u128)| {
        if values.is_null(row) {
            return NO_TEXT;
        }
        *numbers.entry(view).or_insert_with(|| {
            first_rows.push(row);
            first_rows.len() as u32 - 1
        })
    };
    let of_row: Vec<u32> = views.map(number).collect();
    let ranks = ranks_of(first_rows.iter().map(|&row| values.value(row)));
    let codes = of_row.into_iter();
    let codes = codes.map(|number| ranks.get(number as usize).copied().unwrap_or_default());
    let codes = codes.collect();
    Codes::new(codes, ranks.iter().copied().max().unwrap_or_default(), options)
}

/// The place of each text among the different ones. Each batch has views of its own of one text, so
/// there may be many times fewer texts than views, and to find that out costs less than to sort
/// all.
fn ranks_of<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<u64> {
    // Texts may have been chosen to fall together.
    let expected = texts.size_hint().0.min(EXPECTED_TEXTS);
    let mut numbers: HashMap<&str, usize> = HashMap::with_capacity(expected);
    let mut different = Vec::new();
    let mut number = |text: &'a str| {
        *numbers.entry(text).or_insert_with(|| {
            different.push(text);
            different.len() - 1
        })
    };
    let of_texts: Vec<usize> = texts.map(&mut number).collect();
    let mut sorted: Vec<usize> = (0..different.len()).collect();
    sorted.sort_unstable_by_key(|&number| different[number]);
    let mut ranks = vec![0; different.len()];
    for (rank, number) in (0..).zip(sorted) {
        ranks[number] = rank;
    }
    of_texts.into_iter().map(|number| ranks[number]).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{
        BooleanArray, Float64Array, Int64Array, RecordBatch, UInt32Array, UInt64Array,
    };
    use datafusion::arrow::compute::{SortColumn, lexsort_to_indices, take_arrays};

    use super::super::radix;
    use super::*;

    const LONG: [&str; 4] = [
        "a text that is too long for a view",
        "a text that is too long for a viex",
        "b text that is too long for a view",
        "short",
    ];

    /// Numbers that look random, the same each time.
    fn numbers(seed: u64) -> impl Iterator<Item = u64> {
        let mut state = seed;
        std::iter::repeat_with(move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        })
    }

    fn columns(rows: usize) -> Vec<ArrayRef> {
        let some = |seed: u64| {
            let numbers = numbers(seed).take(rows);
            numbers.map(|number| (!number.is_multiple_of(5)).then_some(number >> 8))
        };
        let few: Int64Array =
            some(11).map(|value| value.map(|value| (value % 7) as i64 - 3)).collect();
        let wide: Int64Array =
            some(12).map(|value| value.map(|value| (value << 8).cast_signed())).collect();
        let unsigned: UInt64Array = some(13).map(|value| value.map(|value| value << 8)).collect();
        let special = [0.0, -0.0, 1.5, -1.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-300];
        let reals: Float64Array =
            some(14).map(|value| value.map(|value| special[value as usize % 8])).collect();
        let flags: BooleanArray =
            some(15).map(|value| value.map(|value| value.is_multiple_of(2))).collect();
        let strings: StringViewArray =
            some(16).map(|value| value.map(|value| LONG[value as usize % 4])).collect();
        let sorted: Int64Array = (0..rows as i64).map(|row| row / 3).collect();
        let columns: [ArrayRef; 7] = [
            Arc::new(few),
            Arc::new(wide),
            Arc::new(unsigned),
            Arc::new(reals),
            Arc::new(flags),
            Arc::new(strings),
            Arc::new(sorted),
        ];
        columns.into()
    }

    /// Arrow's own sort says what is right; rows that are equal may come in any order.
    #[test]
    fn every_pair_of_keys_sorts_as_arrow_does() {
        for rows in [0, 1, 50, 9000] {
            let columns = columns(rows);
            for (one, other) in (0..49).map(|pair| (pair / 7, pair % 7)) {
                for flags in 0..4 {
                    let options =
                        SortOptions { descending: flags & 1 == 1, nulls_first: flags & 2 == 2 };
                    let keys = [&columns[one], &columns[other]];
                    let mut codes = Vec::new();
                    for key in keys {
                        push_codes(key, options, &mut codes).expect("has codes");
                    }
                    let order: UInt32Array =
                        radix::order(codes, rows as u32).expect("is not cancelled").into();
                    let sorted = keys
                        .map(|key| SortColumn { values: Arc::clone(key), options: Some(options) });
                    let expected = lexsort_to_indices(&sorted, None).expect("can be sorted");
                    let keys = keys.map(Arc::clone);
                    let taken = |order| {
                        let taken = take_arrays(&keys, order, None).expect("is there");
                        let names = ["one", "other"].into_iter();
                        RecordBatch::try_from_iter(names.zip(taken)).expect("fits")
                    };
                    // By their bits, as no NaN equals another.
                    let text = |batch: RecordBatch| format!("{batch:?}");
                    assert_eq!(text(taken(&order)), text(taken(&expected)), "{one} {other}");
                }
            }
        }
    }

    #[test]
    fn rows_that_are_equal_stay_in_their_order() {
        let keys: ArrayRef = Arc::new((0..10_000).map(|row| row % 3).collect::<Int64Array>());
        let mut codes = Vec::new();
        push_codes(&keys, SortOptions::default(), &mut codes).expect("has codes");
        let order = radix::order(codes, 10_000).expect("is not cancelled");
        assert!(order[..3334].windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!((order[0], order[1], order[3334]), (0, 3, 1));
    }
}
