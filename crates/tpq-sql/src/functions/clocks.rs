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
use super::stored_rows::{Lazy, StoredRows};
use super::value::Value;

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

/// The readings of one clock of the trace's own machine, read on first use.
struct Readings {
    clock: &'static str,
    rows: Option<StoredRows>,
    /// Pairs of a timestamp and the reading of the clock at that time, both in ns, sorted.
    pairs: Lazy<Vec<(i64, i64)>>,
}

impl Readings {
    fn new(tables: &TraceTables, clock: &'static str) -> Self {
        let columns = ["ts", "clock_name", "clock_value", "machine_id"];
        let rows = StoredRows::new(tables, "clock_snapshot", &columns);
        Self { clock, rows, pairs: Lazy::default() }
    }

    /// # Errors
    /// When the table cannot be read.
    fn pairs(&self) -> Result<&[(i64, i64)]> {
        let pairs = self.pairs.get(|| {
            let mut pairs = Vec::new();
            let Some(rows) = &self.rows else { return Ok(pairs) };
            rows.each(|_, columns, at| {
                let value = |column: usize| columns[column].value(at);
                let is_clock =
                    value(1).as_text().is_some_and(|name| name.eq_ignore_ascii_case(self.clock));
                let own_machine = value(3).as_integer().unwrap_or(0) == 0;
                if let (true, true, Value::Integer(ts), Value::Integer(reading)) =
                    (is_clock, own_machine, value(0), value(2))
                {
                    pairs.push((ts, reading));
                }
                Ok(())
            })?;
            pairs.sort_unstable();
            Ok(pairs)
        })?;
        Ok(pairs)
    }
}

/// The format of a function's results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum TimeFormat {
    Nanoseconds,
    Iso8601,
}

/// A function that converts a timestamp of the trace to another clock.
pub(super) struct ToClock {
    name: &'static str,
    format: TimeFormat,
    readings: Arc<Readings>,
    signature: Signature,
}

impl std::fmt::Debug for ToClock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for ToClock {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.readings, &other.readings)
    }
}

impl Eq for ToClock {}

impl Hash for ToClock {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl ToClock {
    pub(super) fn new(
        tables: &TraceTables,
        name: &'static str,
        clock: &'static str,
        format: TimeFormat,
    ) -> Self {
        let readings = Arc::new(Readings::new(tables, clock));
        let signature = Signature::any(1, Volatility::Immutable);
        Self { name, format, readings, signature }
    }
}

/// Converts a timestamp. The clock is assumed to run at the rate of the trace's clock since its
/// last reading.
fn convert(readings: &[(i64, i64)], ts: i64) -> Option<i64> {
    let after = readings.partition_point(|(read, _)| *read <= ts);
    let (read, value) = readings.get(after.saturating_sub(1))?;
    value.checked_add(ts.checked_sub(*read)?)
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
        let readings = self.readings.pairs()?;
        if self.format == TimeFormat::Nanoseconds {
            let values = timestamps.unary_opt::<_, Int64Type>(|ts| convert(readings, ts));
            return Ok(ColumnarValue::Array(Arc::new(values)));
        }
        let mut texts = StringViewBuilder::with_capacity(args.number_rows);
        for ts in timestamps {
            let text = ts.and_then(|ts| convert(readings, ts)).map(|ns| {
                DateTime::from_timestamp_nanos(ns).format("%Y-%m-%dT%H:%M:%S%.9f").to_string()
            });
            texts.append_option(text);
        }
        Ok(ColumnarValue::Array(Arc::new(texts.finish())))
    }
}
