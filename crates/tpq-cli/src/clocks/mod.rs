//! The clocks of a trace: as text in columns, or as a graph for Graphviz.

mod dot;
mod groups;
mod numbers;
mod paths;
mod rules;
mod ties;

use tpq::Trace;

use crate::layout::{Cell, columns, heading, rows};
use crate::names::Names;
use crate::terminal::{Emphasis, Style};

pub use dot::graph;
pub use rules::{reason, rule};
pub use ties::Origins;

/// Describes the clocks as text.
pub async fn describe(trace: &Trace, style: Style) -> anyhow::Result<String> {
    let names = Names::of(trace).await?;
    let clocks = &trace.summary().clocks;
    let mut out = String::new();
    let trace_clock = names.clock_with_source(clocks.trace_clock());
    out.push_str(&format!("{} {trace_clock}\n", style.bold("Trace time")));
    let all = clocks.paths();
    paths::list(&all, clocks, &names, style, &mut out);
    ties::list(clocks.ties(), &names, style, &mut out);
    paths::list_assumptions(&all, &names, style, &mut out);
    let start = rows(trace, "SELECT start_ts FROM trace_bounds").await?;
    let start = start.first().and_then(|row| row[0].parse().ok()).unwrap_or(0);
    paths::list_jumps(&all, start, &names, style, &mut out);
    list_losses(trace, &names, style, &mut out).await?;
    Ok(out)
}

/// The events that are missing because of their clocks.
async fn list_losses(
    trace: &Trace,
    names: &Names,
    style: Style,
    out: &mut String,
) -> anyhow::Result<()> {
    let sql = "SELECT trace_id, severity, name, value, description FROM stats WHERE value != 0 \
         AND severity IN ('error', 'data_loss', 'notice') AND (name LIKE 'clock_sync_%' \
         OR name = 'invalid_clock_snapshots' OR name = 'trace_sorter_negative_timestamp_dropped') \
         ORDER BY trace_id, name";
    let losses = rows(trace, sql).await?;
    if losses.is_empty() {
        return Ok(());
    }
    heading("Health", style, out);
    let cells = |row: Vec<String>| {
        let [file, severity, name, value, description]: [String; 5] =
            row.try_into().unwrap_or_default();
        let emphasis = if severity == "notice" { Emphasis::Warning } else { Emphasis::Error };
        let mut cells = vec![
            Cell::text(severity),
            Cell::text(name).emphasis(emphasis),
            Cell::number(value),
            Cell::text(description),
        ];
        if names.several_files() {
            cells.insert(2, Cell::text(file.parse().map_or("", |file| names.file(file))));
        }
        cells
    };
    columns(&losses.into_iter().map(cells).collect::<Vec<_>>(), style, out);
    Ok(())
}
