//! Facts about the values of a chunk.

use super::{Native, Packing};

/// Validity of the rows of a chunk, one bit each, from the lowest bit of the first word; `None` if
/// no row can be NULL.
#[derive(Clone, Copy)]
pub(crate) struct Valid<'a>(pub(crate) Option<&'a [u64]>);

impl<'a> Valid<'a> {
    /// Those of a chunk that may have no bits, where none of its rows can be NULL.
    pub(crate) fn of(words: &'a [u64]) -> Self {
        Self((!words.is_empty()).then_some(words))
    }

    /// How many of the first `rows` rows are not NULL.
    fn count(self, rows: usize) -> usize {
        let Some(words) = self.0 else { return rows };
        words[..rows.div_ceil(64)].iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// Facts about the values of a chunk that are not NULL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Facts {
    /// The least and the greatest.
    pub(crate) bounds: Option<(i64, i64)>,
    /// How many rows are NULL.
    pub(crate) nulls: usize,
    /// Whether no value is less than the one before, and none is NULL.
    pub(crate) sorted: bool,
}

impl Facts {
    #[inline(always)]
    pub(super) fn of<N: Native>(packing: Packing, values: &[N], valid: Valid<'_>) -> Self {
        let rows = values.len();
        // The ids of strings say nothing of their order.
        let nothing = |nulls| Self { bounds: None, nulls, sorted: false };
        let nulls = match packing {
            Packing::Strings => return nothing(nulls_of(values)),
            Packing::Reals => return nothing(rows - valid.count(rows)),
            Packing::Integers => rows - valid.count(rows),
        };
        if nulls == rows {
            return Self { bounds: None, nulls, sorted: rows == 0 };
        }
        let (lo, hi) = match valid.0 {
            Some(words) if nulls != 0 => valid_bounds(values, words),
            _ => bounds(values, (N::MAX, N::MIN)),
        };
        let falls = || values.windows(2).fold(false, |falls, pair| falls | (pair[1] < pair[0]));
        let bounds = Some((lo.to_i64(), hi.to_i64()));
        Self { bounds, nulls, sorted: nulls == 0 && !falls() }
    }
}

/// How many strings have id 0, which is NULL.
#[inline(always)]
fn nulls_of<N: Native>(ids: &[N]) -> usize {
    let null = N::from_i64(0);
    ids.iter().map(|&id| u32::from(id == null)).sum::<u32>() as usize
}

/// The least and the greatest of values, and of those before.
#[inline(always)]
pub(super) fn bounds<N: Native>(values: &[N], before: (N, N)) -> (N, N) {
    // Without branches, so that many are compared at a time.
    values.iter().fold(before, |(lo, hi), &value| {
        (if value < lo { value } else { lo }, if value > hi { value } else { hi })
    })
}

/// The least and the greatest of values that are not NULL.
#[inline(always)]
fn valid_bounds<N: Native>(values: &[N], valid: &[u64]) -> (N, N) {
    values.chunks(64).zip(valid).fold((N::MAX, N::MIN), |before, (values, &word)| match word {
        0 => before,
        u64::MAX => bounds(values, before),
        // Which rows are NULL cannot be foreseen, so nothing branches on it.
        _ => (0..).zip(values).fold(before, |(lo, hi), (row, &value)| {
            let is_valid = word >> row & 1 == 1;
            let (low, high) = (is_valid & (value < lo), is_valid & (value > hi));
            (if low { value } else { lo }, if high { value } else { hi })
        }),
    })
}
