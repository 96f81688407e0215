//! `__intrinsic_perf_counter_for_sample(sample_id, counter_name)`: the value of a counter that was
//! read with a sample of a profiler; NULL if it was not read.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, exec_err};
use tpq_tables::TraceTables;

use super::of_trace::{Lookup, OfTrace};
use super::stored_rows::StoredRows;
use super::value::Value;

const NAME: &str = "__intrinsic_perf_counter_for_sample";

pub(super) fn function(tables: &TraceTables) -> OfTrace {
    let rows = |table: &str, columns: &[&str]| StoredRows::new(tables, table, columns);
    let lookup = SampleCounters {
        samples: rows("__intrinsic_profiler_sample", &["counter_set_id"]),
        sets: rows("__intrinsic_profiler_counter_set", &["counter_set_id", "counter_id"]),
        counters: rows("counter", &["track_id", "value"]),
        tracks: rows("track", &["name"]),
    };
    OfTrace::new(NAME, 2..=2, DataType::Float64, lookup)
}

/// The tables that lead from a sample to its counters.
struct SampleCounters {
    samples: Option<StoredRows>,
    sets: Option<StoredRows>,
    counters: Option<StoredRows>,
    tracks: Option<StoredRows>,
}

impl Lookup for SampleCounters {
    fn find(&self, values: &[Value]) -> Result<Value<'static>> {
        let [id, name] = values else { return Ok(Value::Null) };
        let (id, name) = match (id, name) {
            (Value::Null, _) => return Ok(Value::Null),
            (Value::Integer(id), Value::Text(name)) => (*id, name),
            _ => return exec_err!("{NAME}() takes the id of a sample and the name of a counter"),
        };
        let Some(sample) = row(&self.samples, id)? else {
            return exec_err!("{NAME}(): there is no sample with id {id}");
        };
        let Some(set) = sample.first().and_then(Value::as_integer) else { return Ok(Value::Null) };
        // The id of a set is that of its first row.
        let mut at = set;
        while let Some(member) = row(&self.sets, at)?
            && member[0].as_integer() == Some(set)
        {
            if let Some(value) = self.value_of(member[1].as_integer(), name)? {
                return Ok(value);
            }
            at += 1;
        }
        Ok(Value::Null)
    }
}

impl SampleCounters {
    /// The value of a row of `counter`, if its counter has that name.
    fn value_of(&self, counter: Option<i64>, name: &str) -> Result<Option<Value<'static>>> {
        let Some(counter) = counter else { return Ok(None) };
        let Some(counter) = row(&self.counters, counter)? else { return Ok(None) };
        let Some(track) = counter[0].as_integer() else { return Ok(None) };
        let Some(track) = row(&self.tracks, track)? else { return Ok(None) };
        let is_named = matches!(&track[0], Value::Text(of_track) if **of_track == *name);
        Ok(counter.into_iter().nth(1).filter(|_| is_named))
    }
}

fn row(rows: &Option<StoredRows>, id: i64) -> Result<Option<Vec<Value<'static>>>> {
    match rows {
        Some(rows) => rows.row(id),
        None => Ok(None),
    }
}
