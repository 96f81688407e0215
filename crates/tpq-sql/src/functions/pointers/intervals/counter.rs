//! `__intrinsic_counter_intervals('leading', trace_end, counters)`: the intervals in which counters
//! have a constant value.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, Float64Array};
use datafusion::arrow::datatypes::Fields;
use datafusion::common::{Result, ScalarValue, exec_err, plan_err};
use rustc_hash::FxHashMap;

use super::checked_time;
use crate::functions::pointers::operator::{Operand, OperandType, TableOperator, wrong_operands};
use crate::functions::pointers::table::{integer, integers, number, number_column, to_column};

const NAME: &str = "__intrinsic_counter_intervals";

/// The operator `__intrinsic_counter_intervals`.
#[derive(Debug)]
pub(super) struct CounterIntervals;

impl TableOperator for CounterIntervals {
    fn name(&self) -> &'static str {
        NAME
    }

    fn columns(&self, operands: &[OperandType]) -> Result<Fields> {
        let [kind, _, counters] = operands else {
            return wrong_operands(NAME, "'leading', the end of the trace, and counters");
        };
        if !counters.is_table() {
            return wrong_operands(NAME, "'leading', the end of the trace, and counters");
        }
        match kind.text {
            Some(kind) if kind.eq_ignore_ascii_case("leading") => {}
            Some(kind) => return plan_err!("{NAME}(): '{kind}' is not implemented"),
            None => return plan_err!("{NAME}(): column list cannot be null"),
        }
        let mut fields: Vec<_> = ["id", "ts", "dur", "track_id"].into_iter().map(integer).collect();
        fields.extend(["value", "next_value", "delta_value"].map(number));
        Ok(fields.into())
    }

    fn run(&self, operands: &[Operand]) -> Result<Option<Vec<ArrayRef>>> {
        let [_, end, counters] = operands else { return Ok(None) };
        let Some(counters) = counters.table() else { return Ok(None) };
        let end = match end {
            Operand::Value(ScalarValue::Int64(end)) => end.unwrap_or_default(),
            _ => return exec_err!("{NAME}(): the end of the trace must be an integer"),
        };
        let (ids, times) = (integers(counters, 0)?, integers(counters, 1)?);
        let (tracks, values) = (integers(counters, 2)?, number_column(counters, 3)?);
        let value = |row: usize| if values.is_null(row) { 0.0 } else { values.value(row) };
        let kept = without_repeats(&times, &tracks, value);
        columns(&kept, &ids, &times, &tracks, value, end).map(Some)
    }
}

/// The rows of a track so far.
#[derive(Default)]
struct Track {
    kept: Vec<usize>,
    /// The last dropped row of a run of equal values.
    pending: Option<usize>,
}

/// The rows of each track by time, without the inner rows of a run of equal values. Of a run that
/// ends with another value, the first two rows and the last one are kept; of a run at the end of
/// the track, the first two.
fn without_repeats(times: &[i64], tracks: &[i64], value: impl Fn(usize) -> f64) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by_key(|&row| times[row]);
    let mut numbers = FxHashMap::default();
    let mut all: Vec<Track> = Vec::new();
    for row in order {
        let number = *numbers.entry(tracks[row]).or_insert_with(|| {
            all.push(Track::default());
            all.len() - 1
        });
        let track = &mut all[number];
        let last = track.kept.iter().rev().take(2);
        if last.len() == 2 && last.clone().all(|&kept| value(kept) == value(row)) {
            track.pending = Some(row);
            continue;
        }
        let pending = track.pending.take().filter(|&pending| times[pending] != 0);
        track.kept.extend(pending);
        track.kept.push(row);
    }
    all.into_iter().map(|track| track.kept).collect()
}

/// The columns of the result; the last interval of each track ends at `end`.
///
/// # Errors
/// When a duration is no integer of 64 bits.
fn columns(
    tracks: &[Vec<usize>],
    ids: &[i64],
    times: &[i64],
    track_ids: &[i64],
    value: impl Fn(usize) -> f64,
    end: i64,
) -> Result<Vec<ArrayRef>> {
    let (mut dur, mut next_value, mut delta) = (Vec::new(), Vec::new(), Vec::new());
    for rows in tracks {
        for (at, &row) in rows.iter().enumerate() {
            let next = rows.get(at + 1).copied();
            let end = next.map_or(end, |next| times[next]);
            dur.push(checked_time(end.checked_sub(times[row]))?);
            next_value.push(next.map(&value));
            let before = at.checked_sub(1).and_then(|before| rows.get(before));
            delta.push(before.map(|&before| value(row) - value(before)));
        }
    }
    let rows = || tracks.iter().flatten().copied();
    let values: Float64Array = rows().map(|row| Some(value(row))).collect();
    Ok(vec![
        to_column(rows().map(|row| ids[row]).collect()),
        to_column(rows().map(|row| times[row]).collect()),
        to_column(dur),
        to_column(rows().map(|row| track_ids[row]).collect()),
        Arc::new(values),
        Arc::new(Float64Array::from(next_value)),
        Arc::new(Float64Array::from(delta)),
    ])
}

#[cfg(test)]
mod tests {
    use super::without_repeats;

    fn kept(values: &[f64]) -> Vec<usize> {
        let times: Vec<i64> = (1i64..).take(values.len()).collect();
        let tracks = vec![0; values.len()];
        without_repeats(&times, &tracks, |row| values[row]).remove(0)
    }

    #[test]
    fn runs_of_equal_values_keep_their_ends() {
        assert_eq!(kept(&[1.0, 1.0, 1.0, 1.0, 2.0]), [0, 1, 3, 4]);
        assert_eq!(kept(&[1.0, 2.0, 2.0, 2.0, 2.0]), [0, 1, 2]);
        assert_eq!(kept(&[1.0, 2.0, 1.0, 1.0]), [0, 1, 2, 3]);
    }

    #[test]
    fn tracks_are_independent() {
        let found = without_repeats(&[4, 3, 2, 1], &[7, 8, 7, 8], |_| 0.0);
        assert_eq!(found, [vec![3, 1], vec![2, 0]]);
    }
}
