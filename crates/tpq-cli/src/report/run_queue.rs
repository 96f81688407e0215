//! How long threads that could run waited for a CPU.

use serde_json::{Value, json};
use tpq::Trace;

use super::section::{NO_SCHEDULING, has_scheduling, missing};
use crate::layout::rows;

/// The percentiles of the report; 100 is the longest wait.
const PERCENTILES: [f64; 8] = [25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 100.0];

/// Waits of one length together: their number is small even where there are millions of waits.
const SQL: &str = "SELECT dur, count(*) FROM thread_state \
    WHERE state IN ('R', 'R+') AND dur >= 0 GROUP BY dur ORDER BY dur";

/// Rows of a percentile and the wait in ns that this share of all waits does not exceed.
pub async fn percentiles(trace: &Trace) -> anyhow::Result<Value> {
    if !has_scheduling(trace).await? {
        return Ok(missing(NO_SCHEDULING));
    }
    let pair = |row: Vec<String>| {
        let [dur, count] = <[String; 2]>::try_from(row).ok()?;
        Some((dur.parse().ok()?, count.parse().ok()?))
    };
    let waits: Vec<(i64, u64)> = rows(trace, SQL).await?.into_iter().filter_map(pair).collect();
    if waits.is_empty() {
        return Ok(missing("No thread was seen to wait for a CPU."));
    }
    let row = |percent: f64| json!([percent, nearest_rank(&waits, percent)]);
    let columns = json!([
        { "name": "percentile", "type": "DOUBLE" }, { "name": "wait", "type": "INTEGER" },
    ]);
    Ok(json!({ "columns": columns, "rows": PERCENTILES.map(row) }))
}

/// The least value that `percent` of all values do not exceed. `values` are ascending, with the
/// number of times that each occurs.
fn nearest_rank(values: &[(i64, u64)], percent: f64) -> i64 {
    let all: u64 = values.iter().map(|(_, count)| count).sum();
    let rank = ((percent / 100.0 * all as f64).ceil() as u64).max(1);
    let mut seen = 0;
    for &(value, count) in values {
        seen += count;
        if seen >= rank {
            return value;
        }
    }
    values.last().map_or(0, |&(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occur() {
        let values = [(10, 2), (20, 1), (30, 1)];
        let at = [0.0, 50.0, 51.0, 75.0, 99.9, 100.0].map(|percent| nearest_rank(&values, percent));
        assert_eq!(at, [10, 10, 20, 20, 30, 30]);
    }
}
