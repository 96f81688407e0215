//! Counters over time, each reduced to what a chart can show.

use std::collections::HashMap;

use datafusion::arrow::array::AsArray;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use futures::TryStreamExt;
use serde_json::{Value, json};
use tpq::Trace;

use super::section::missing;
use crate::layout::rows;

/// The number of counters.
const MAX_COUNTERS: usize = 16;
/// The number of intervals of a chart. Each has up to four points.
const INTERVALS: i64 = 240;
/// The number of counters of one name, and of one type: one for each CPU, thread or interrupt would
/// leave no room for others.
const MAX_OF_NAME: usize = 4;
const MAX_OF_TYPE: usize = 6;

const NO_COUNTERS: &str = "The trace has no counter that changes. On Linux and Android, the data \
    sources linux.ftrace and linux.sys_stats record CPU frequencies and memory, and programs record \
    counters as track events.";

/// The counters that change, those with the most values first.
const SQL: &str = "SELECT counter_track.id, coalesce(counter_track.name, counter_track.type), \
    counter_track.unit, coalesce('CPU ' || cpu_counter_track.cpu, thread.name, 'tid ' || thread.tid, \
    process.name, 'pid ' || process.pid), amounts.number, counter_track.type \
    FROM (SELECT track_id, count(*) AS number FROM counter GROUP BY track_id \
    HAVING min(value) < max(value)) AS amounts \
    JOIN counter_track ON counter_track.id = amounts.track_id \
    LEFT JOIN cpu_counter_track ON cpu_counter_track.id = counter_track.id \
    LEFT JOIN thread_counter_track ON thread_counter_track.id = counter_track.id \
    LEFT JOIN thread ON thread.utid = thread_counter_track.utid \
    LEFT JOIN process_counter_track ON process_counter_track.id = counter_track.id \
    LEFT JOIN process ON process.upid = process_counter_track.upid \
    ORDER BY amounts.number DESC, counter_track.id";

/// The name, unit, owner and points of counters.
pub async fn over_time(trace: &Trace, start: i64, end: i64) -> anyhow::Result<Value> {
    let mut series = Vec::new();
    let mut shown: HashMap<String, usize> = HashMap::new();
    for row in rows(trace, SQL).await? {
        let Ok([id, name, unit, owner, number, kind]) = <[String; 6]>::try_from(row) else {
            continue;
        };
        if series.len() == MAX_COUNTERS {
            break;
        }
        let [of_name, of_type] = [format!("name {name}"), format!("type {kind}")];
        let count = |key: &String| shown.get(key).copied().unwrap_or(0);
        if count(&of_name) == MAX_OF_NAME || count(&of_type) == MAX_OF_TYPE {
            continue;
        }
        for key in [of_name, of_type] {
            *shown.entry(key).or_default() += 1;
        }
        let unit = Some(unit).filter(|unit| !unit.is_empty());
        let points = points(trace, &id, start, end).await?;
        let number: u64 = number.parse()?;
        series.push(json!({
            "name": name, "unit": unit, "owner": owner, "values": number, "points": points,
        }));
    }
    match series.is_empty() {
        true => Ok(missing(NO_COUNTERS)),
        false => Ok(json!({ "series": series })),
    }
}

/// The values of a counter, reduced.
async fn points(trace: &Trace, id: &str, start: i64, end: i64) -> anyhow::Result<Vec<Value>> {
    let sql = format!("SELECT ts, value FROM counter WHERE track_id = {id} ORDER BY ts");
    let mut result = trace.session().query(&sql).await?;
    let mut reduced = Reduced::new(start, end);
    while let Some(batch) = result.try_next().await? {
        let times = cast(batch.column(0), &DataType::Int64)?;
        let values = cast(batch.column(1), &DataType::Float64)?;
        let times = times.as_primitive::<Int64Type>().iter();
        let values = values.as_primitive::<Float64Type>().iter();
        for (ts, value) in times.zip(values) {
            if let (Some(ts), Some(value)) = (ts, value) {
                reduced.add(ts, value);
            }
        }
    }
    Ok(reduced.finish().into_iter().map(|(ts, value)| json!([ts - start, value])).collect())
}

type Point = (i64, f64);

/// The first, last, lowest and highest value of each interval: a line through them looks like one
/// through all values.
struct Reduced {
    start: i64,
    /// The length of an interval in ns.
    interval: i64,
    current: i64,
    /// The first, lowest, highest and last point of the current interval.
    extremes: Option<[Point; 4]>,
    points: Vec<Point>,
}

impl Reduced {
    fn new(start: i64, end: i64) -> Self {
        let interval = (end.saturating_sub(start) / INTERVALS).max(1);
        Self { start, interval, current: 0, extremes: None, points: Vec::new() }
    }

    /// Adds a value; times ascend.
    fn add(&mut self, ts: i64, value: f64) {
        let interval = ts.saturating_sub(self.start) / self.interval;
        let point = (ts, value);
        match &mut self.extremes {
            Some([_, low, high, last]) if interval == self.current => {
                if value < low.1 {
                    *low = point;
                }
                if value > high.1 {
                    *high = point;
                }
                *last = point;
            }
            _ => {
                self.flush();
                self.current = interval;
                self.extremes = Some([point; 4]);
            }
        }
    }

    fn flush(&mut self) {
        if let Some(mut extremes) = self.extremes.take() {
            extremes.sort_by_key(|&(ts, _)| ts);
            for point in extremes {
                if self.points.last() != Some(&point) {
                    self.points.push(point);
                }
            }
        }
    }

    fn finish(mut self) -> Vec<Point> {
        self.flush();
        self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_keeps_its_extremes() {
        let mut reduced = Reduced::new(0, INTERVALS * 10);
        let values = [(0, 5.0), (1, 9.0), (2, 7.0), (3, 1.0), (4, 6.0), (5, 6.5), (25, 3.0)];
        values.iter().for_each(|&(ts, value)| reduced.add(ts, value));
        let expected = [(0, 5.0), (1, 9.0), (3, 1.0), (5, 6.5), (25, 3.0)];
        assert_eq!(reduced.finish(), expected);
    }

    #[test]
    fn few_values_are_kept_as_they_are() {
        let mut reduced = Reduced::new(7, 7);
        reduced.add(7, 1.0);
        assert_eq!(reduced.finish(), [(7, 1.0)]);
    }
}
