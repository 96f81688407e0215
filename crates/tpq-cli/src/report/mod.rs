//! Reports of traces as one HTML file: health, and charts of a fixed set of queries.
//!
//! ```text
//! Trace ──sections──▶ JSON of a trace ──template──▶ HTML with scripts, styles and data
//! ```
//!
//! `web/src/report/` draws the data; `docs/page.md` describes the sections.

mod counters;
mod facts;
mod flame_graph;
mod run_queue;
mod section;
mod slices;
mod template;
mod threads;

pub use template::html;

use serde_json::{Value, json};
use tpq::Trace;
use tpq_health::Health;

use crate::layout::rows;

/// The data of a trace; `name` is its heading.
pub async fn of_trace(trace: &Trace, name: &str) -> anyhow::Result<Value> {
    let bounds = rows(trace, "SELECT start_ts, end_ts FROM trace_bounds").await?;
    let bound = |column: usize| bounds.first()?.get(column)?.parse::<i64>().ok();
    let (start, end) = (bound(0).unwrap_or_default(), bound(1).unwrap_or_default());
    Ok(json!({
        "name": name,
        "facts": facts::facts(trace, end.saturating_sub(start)).await?,
        // As text, since pages read numbers as doubles.
        "start_ts": start.to_string(),
        "duration": end.saturating_sub(start),
        "health": Health::of(trace.session()).await?.json(),
        "threads": threads::by_cpu_time(trace).await?,
        "run_queue": run_queue::percentiles(trace).await?,
        "longest_slices": slices::longest(trace).await?,
        "flame_graph": flame_graph::of_slices(trace).await?,
        "counters": counters::over_time(trace, start, end).await?,
    }))
}
