//! Counter values.

use tpq_tables::table::CounterRow;
use tpq_tables::{ArgSetNumber, Tables};

use crate::track::Bounds;

/// A counter took a value: writes `counter` and gives the row.
pub fn push_counter(
    ts: i64,
    track: u32,
    value: f64,
    bounds: &mut Bounds,
    tables: &mut Tables,
) -> u32 {
    push_counter_with(ts, track, value, None, bounds, tables)
}

/// A counter took a value, of which more is known.
pub fn push_counter_with(
    ts: i64,
    track: u32,
    value: f64,
    arg_set_id: Option<ArgSetNumber>,
    bounds: &mut Bounds,
    tables: &mut Tables,
) -> u32 {
    bounds.include(ts);
    tables.counter.push(CounterRow { ts, track_id: track, value, arg_set_id })
}
