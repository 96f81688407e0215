//! Self-intersection of a table of intervals: time is split into segments at each start and end.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, Float64Array, UInt32Array};
use datafusion::arrow::compute::take;
use datafusion::arrow::datatypes::{DataType, Field, Fields};
use datafusion::common::{Result, exec_err, plan_err};
use rustc_hash::FxHashMap;

use super::checked_time;
use super::keys::{Keys, names_in};
use crate::cancel;
use crate::functions::pointers::operator::{Operand, OperandType, TableOperator, wrong_operands};
use crate::functions::pointers::table::{integer, integers, number, number_column, to_column};

/// `__intrinsic_interval_self_intersect(intervals)`: the intervals that contain each segment, and
/// those that end at its start.
#[derive(Debug)]
pub(super) struct SelfIntersect;

impl TableOperator for SelfIntersect {
    fn name(&self) -> &'static str {
        "__intrinsic_interval_self_intersect"
    }

    fn columns(&self, operands: &[OperandType]) -> Result<Fields> {
        match operands {
            [intervals] if intervals.is_table() => {
                let names = ["ts", "dur", "group_id", "id", "interval_ends_at_ts"];
                Ok(names.into_iter().map(integer).collect())
            }
            _ => wrong_operands(self.name(), "a table of intervals"),
        }
    }

    fn run(&self, operands: &[Operand]) -> Result<Option<Vec<ArrayRef>>> {
        let Some(table) = operands.first().and_then(Operand::table) else { return Ok(None) };
        let (ids, starts, durs) = (integers(table, 0)?, integers(table, 1)?, integers(table, 2)?);
        segment_rows(&ids, &starts, &durs).map(Some)
    }
}

/// The start or the end of an interval; starts sort before ends of the same time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    at: i64,
    is_end: bool,
    row: u32,
}

/// The sorted starts and ends of the intervals in `rows`.
///
/// # Errors
/// When an interval ends after the greatest integer.
fn events(starts: &[i64], durs: &[i64], rows: impl Iterator<Item = u32>) -> Result<Vec<Event>> {
    let mut events = Vec::new();
    for row in rows {
        let (start, dur) = (starts[row as usize], durs[row as usize]);
        events.push(Event { at: start, is_end: false, row });
        events.push(Event { at: checked_time(start.checked_add(dur))?, is_end: true, row });
    }
    events.sort_unstable();
    Ok(events)
}

/// Computes the result: a row for each interval in each segment.
///
/// # Errors
/// When the statement is cancelled, and when a time is no integer of 64 bits.
fn segment_rows(ids: &[i64], starts: &[i64], durs: &[i64]) -> Result<Vec<ArrayRef>> {
    let events = events(starts, durs, (0u32..).take(ids.len()))?;
    let mut columns: [Vec<i64>; 5] = Default::default();
    // The ids of the active intervals by the order of their starts, and the key of each id.
    let mut active = BTreeMap::new();
    let mut number = FxHashMap::default();
    let (mut at, mut group, mut started) = (0, 0i64, 0u64);
    while let Some(first) = events.get(at).copied() {
        cancel::check()?;
        let count = events[at..].iter().take_while(|event| event.at == first.at).count();
        let ends: Vec<i64> = events[at..at + count]
            .iter()
            .filter(|event| event.is_end)
            .map(|event| ids[event.row as usize])
            .collect();
        for event in &events[at..at + count] {
            let id = ids[event.row as usize];
            if event.is_end {
                if let Some(started) = number.remove(&id) {
                    active.remove(&started);
                }
            } else if let Entry::Vacant(entry) = number.entry(id) {
                entry.insert(started);
                active.insert(started, id);
                started += 1;
            }
        }
        at += count;
        group += 1;
        let dur = time_to(events.get(at), first)?;
        let active_ids = active.values().map(|&id| (id, 0));
        for (id, ended) in active_ids.chain(ends.into_iter().map(|id| (id, 1))) {
            for (column, value) in columns.iter_mut().zip([first.at, dur, group, id, ended]) {
                column.push(value);
            }
        }
    }
    Ok(columns.map(to_column).to_vec())
}

/// `__intrinsic_interval_self_intersect_agg(intervals, '(key, …)')`: the number of intervals that
/// contain each segment, and the sum, minimum and maximum of their values.
#[derive(Debug)]
pub(super) struct SelfIntersectAggregate;

/// The time from an event to the next; 0 from the last event on.
///
/// # Errors
/// When it is no integer of 64 bits.
fn time_to(next: Option<&Event>, event: Event) -> Result<i64> {
    next.map_or(Ok(0), |next| checked_time(next.at.checked_sub(event.at)))
}

/// The number of columns of a collected table before those of its key: ts, dur, value.
const COLUMNS_BEFORE_KEY: usize = 3;

impl TableOperator for SelfIntersectAggregate {
    fn name(&self) -> &'static str {
        "__intrinsic_interval_self_intersect_agg"
    }

    fn columns(&self, operands: &[OperandType]) -> Result<Fields> {
        let [intervals, keys] = operands else {
            return wrong_operands(self.name(), "a table of intervals and the list of its keys");
        };
        let (Some(keys), true) = (keys.text.map(names_in), intervals.is_table()) else {
            return wrong_operands(self.name(), "a table of intervals and the list of its keys");
        };
        let mut fields: Vec<_> =
            ["ts", "dur", "group_id", "cnt"].into_iter().map(integer).collect();
        fields.extend(["sum_value", "min_value", "max_value"].map(number));
        let collected = intervals.columns();
        if collected.is_some_and(|columns| columns.len() != COLUMNS_BEFORE_KEY + keys.len()) {
            return plan_err!("{}(): the list and the collected keys differ", self.name());
        }
        for (at, name) in keys.iter().enumerate() {
            let kind = collected.and_then(|columns| columns.get(COLUMNS_BEFORE_KEY + at));
            let kind = kind.map_or(DataType::Int64, |field| field.data_type().clone());
            fields.push(Arc::new(Field::new(*name, kind, true)));
        }
        Ok(fields.into())
    }

    fn run(&self, operands: &[Operand]) -> Result<Option<Vec<ArrayRef>>> {
        let Some(table) = operands.first().and_then(Operand::table) else { return Ok(None) };
        let (starts, durs) = (integers(table, 0)?, integers(table, 1)?);
        if durs.iter().any(|&dur| dur < 0) {
            return exec_err!("interval self intersect: negative durations are not supported");
        }
        let values = number_column(table, 2)?;
        let keys = table.get(COLUMNS_BEFORE_KEY..).unwrap_or_default();
        let numbers = Keys::new(keys.iter().map(|key| key.data_type().clone()))?
            .numbers(keys, starts.len())?;
        let mut rows: Vec<u32> = (0u32..).take(starts.len()).collect();
        rows.sort_by_key(|&row| numbers[row as usize]);
        let mut found = Segments::default();
        for rows in rows.chunk_by(|&a, &b| numbers[a as usize] == numbers[b as usize]) {
            found.sweep(events(&starts, &durs, rows.iter().copied())?, values)?;
        }
        found.columns(keys).map(Some)
    }
}

/// The segments of the result, by column.
#[derive(Default)]
struct Segments {
    ts: Vec<i64>,
    dur: Vec<i64>,
    count: Vec<i64>,
    sum: Vec<f64>,
    /// Minimum and maximum; `None` if the segment is in no interval with a value.
    bounds: Vec<Option<(f64, f64)>>,
    /// A row of the partition of each segment.
    row: Vec<u32>,
}

/// Maps a number to an integer that sorts like the number.
fn ordered(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

impl Segments {
    fn sweep(&mut self, events: Vec<Event>, values: &Float64Array) -> Result<()> {
        let first_segment = self.ts.len();
        let (mut count, mut sum) = (0i64, 0.0);
        // The values of the active intervals, and the number of intervals with each value.
        let mut active = BTreeMap::<i64, (f64, usize)>::new();
        let mut at = 0;
        while let Some(first) = events.get(at).copied() {
            while let Some(event) = events.get(at).filter(|event| event.at == first.at) {
                let value =
                    values.is_valid(event.row as usize).then(|| values.value(event.row as usize));
                count += if event.is_end { -1 } else { 1 };
                if let Some(value) = value {
                    sum += if event.is_end { -value } else { value };
                    let entry = active.entry(ordered(value)).or_insert((value, 0));
                    entry.1 = if event.is_end { entry.1.saturating_sub(1) } else { entry.1 + 1 };
                    if entry.1 == 0 {
                        active.remove(&ordered(value));
                    }
                }
                at += 1;
            }
            let least = active.first_key_value().map(|(_, entry)| entry.0);
            let greatest = active.last_key_value().map(|(_, entry)| entry.0);
            let dur = time_to(events.get(at), first)?;
            self.push(first_segment, first, dur, count, sum, least.zip(greatest))?;
        }
        Ok(())
    }

    /// Adds a segment; extends the previous one instead if its values are equal.
    fn push(
        &mut self,
        first_segment: usize,
        event: Event,
        dur: i64,
        count: i64,
        sum: f64,
        bounds: Option<(f64, f64)>,
    ) -> Result<()> {
        if let (Some(last_count), Some(last_sum), Some(last_bounds), Some(last_dur)) =
            (self.count.last(), self.sum.last(), self.bounds.last(), self.dur.last_mut())
            && self.ts.len() > first_segment
            && *last_count == count
            && last_sum.to_bits() == sum.to_bits()
            && *last_bounds == bounds
        {
            *last_dur = checked_time(last_dur.checked_add(dur))?;
            return Ok(());
        }
        self.ts.push(event.at);
        self.dur.push(dur);
        self.count.push(count);
        self.sum.push(sum);
        self.bounds.push(bounds);
        self.row.push(event.row);
        Ok(())
    }

    fn columns(self, keys: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
        let numbers: Vec<i64> = (1i64..).take(self.ts.len()).collect();
        let least: Float64Array = self.bounds.iter().map(|both| both.map(|both| both.0)).collect();
        let greatest: Float64Array =
            self.bounds.iter().map(|both| both.map(|both| both.1)).collect();
        let mut columns = vec![
            to_column(self.ts),
            to_column(self.dur),
            to_column(numbers),
            to_column(self.count),
            Arc::new(Float64Array::from(self.sum)),
            Arc::new(least),
            Arc::new(greatest),
        ];
        let rows = UInt32Array::from(self.row);
        for key in keys {
            columns.push(take(key, &rows, None)?);
        }
        Ok(columns)
    }
}
