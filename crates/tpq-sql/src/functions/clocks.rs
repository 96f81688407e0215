//! Timestamps on other clocks: `to_realtime(ts)`, `to_monotonic(ts)`, `abs_time_str(ts)`; and as
//! readable text: `to_timecode(ts)`.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use chrono::DateTime;
use datafusion::arrow::array::{AsArray, StringViewBuilder};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use tpq_tables::TraceTables;

use super::per_row::{PerRow, text};
use super::value::{Column, Value};

pub(super) fn functions() -> Vec<PerRow> {
    vec![PerRow::new("to_timecode", 1..=1, text, |values| {
        Ok(values[0].as_integer().map_or(Value::Null, |ns| Value::text(timecode(ns))))
    })]
}

/// Formats a time as `hours:minutes:seconds ms us ns`.
fn timecode(ns: i64) -> String {
    let (us, ms, s) = (ns / 1_000, ns / 1_000_000, ns / 1_000_000_000);
    format!(
        "{:02}:{:02}:{:02} {:03} {:03} {:03}",
        s / 3600,
        s / 60 % 60,
        s % 60,
        ms % 1000,
        us % 1000,
        ns % 1000
    )
}

/// Pairs of a timestamp and the reading of a clock at that time, both in ns, sorted.
type Readings = Arc<[(i64, i64)]>;

/// Reads the readings of a clock of the trace's own machine from `clock_snapshot`.
fn readings(tables: &TraceTables, clock: &str) -> Option<Readings> {
    let table = tables.get("clock_snapshot")?;
    let names = ["ts", "clock_name", "clock_value", "machine_id"];
    let columns: Option<Vec<usize>> =
        names.iter().map(|name| table.decl().column_index(name)).collect();
    let columns = columns?;
    let mut readings = Vec::new();
    for chunk in 0..table.num_chunks() {
        let batch = table.read(chunk, 0..table.chunk_rows(chunk), &columns).ok()?;
        let columns: Result<Vec<Column>> = batch.columns().iter().map(Column::from_array).collect();
        let columns = columns.ok()?;
        for row in 0..batch.num_rows() {
            let is_clock = matches!(columns[1].value(row), Value::Text(name) if name.eq_ignore_ascii_case(clock));
            let own_machine = columns[3].value(row).as_integer().unwrap_or(0) == 0;
            if let (true, true, Value::Integer(ts), Value::Integer(value)) =
                (is_clock, own_machine, columns[0].value(row), columns[2].value(row))
            {
                readings.push((ts, value));
            }
        }
    }
    readings.sort_unstable();
    Some(readings.into())
}

/// The format of a function's results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum TimeFormat {
    Nanoseconds,
    Iso8601,
}

/// A function that converts a timestamp of the trace to another clock.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ToClock {
    name: &'static str,
    format: TimeFormat,
    readings: Readings,
    signature: Signature,
}

impl Hash for ToClock {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl ToClock {
    pub(super) fn new(
        tables: &TraceTables,
        name: &'static str,
        clock: &str,
        format: TimeFormat,
    ) -> Self {
        let readings = readings(tables, clock).unwrap_or_default();
        let signature = Signature::any(1, Volatility::Immutable);
        Self { name, format, readings, signature }
    }

    /// Converts a timestamp. The clock is assumed to run at the rate of the trace's clock since its
    /// last reading.
    fn convert(&self, ts: i64) -> Option<i64> {
        let after = self.readings.partition_point(|(read, _)| *read <= ts);
        let (read, value) = self.readings.get(after.saturating_sub(1))?;
        value.checked_add(ts.checked_sub(*read)?)
    }
}

impl ScalarUDFImpl for ToClock {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(match self.format {
            TimeFormat::Nanoseconds => DataType::Int64,
            TimeFormat::Iso8601 => DataType::Utf8View,
        })
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let timestamps = cast(&args.args[0].to_array(args.number_rows)?, &DataType::Int64)?;
        let timestamps = timestamps.as_primitive::<Int64Type>();
        if self.format == TimeFormat::Nanoseconds {
            let values = timestamps.unary_opt::<_, Int64Type>(|ts| self.convert(ts));
            return Ok(ColumnarValue::Array(Arc::new(values)));
        }
        let mut texts = StringViewBuilder::with_capacity(args.number_rows);
        for ts in timestamps {
            let text = ts.and_then(|ts| self.convert(ts)).map(|ns| {
                DateTime::from_timestamp_nanos(ns).format("%Y-%m-%dT%H:%M:%S%.9f").to_string()
            });
            texts.append_option(text);
        }
        Ok(ColumnarValue::Array(Arc::new(texts.finish())))
    }
}
