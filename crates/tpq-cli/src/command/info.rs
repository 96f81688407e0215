//! `tpq info`: what is in a trace.

use std::io::Write;

use clap::Args;
use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::arrow::util::display::array_value_to_string;
use tpq::Trace;

use crate::args::ImportArgs;
use crate::open;
use crate::terminal::Style;

const EXAMPLES: &str = "\
Examples:
  tpq info trace.pftrace
  tpq info trace.pftrace.gz --quiet";

/// Packet kinds and tables beyond these are told in one line.
const LISTED: usize = 20;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct InfoArgs {
    #[command(flatten)]
    pub import: ImportArgs,
}

pub async fn run(args: InfoArgs) -> anyhow::Result<()> {
    let trace = open::open(&args.import).await?;
    let text = describe(&trace, Style::of_stdout()).await?;
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

/// Everything known of a trace, as text.
pub async fn describe(trace: &Trace, style: Style) -> anyhow::Result<String> {
    let mut out = String::new();
    overview(trace, style, &mut out).await?;
    let machines = "SELECT 'machine ' || id, concat_ws(' ', name, sysname, release, arch), \
         CASE WHEN num_cpus IS NULL THEN '' ELSE num_cpus || CASE WHEN num_cpus = 1 THEN ' CPU' ELSE ' CPUs' END END FROM machine";
    section(trace, "Machines", machines, style, &mut out).await?;
    let clocks = "SELECT 'clock ' || clock_id, coalesce(clock_name, ''), count(*) || \
         CASE WHEN count(*) = 1 THEN ' snapshot' ELSE ' snapshots' END FROM clock_snapshot GROUP BY clock_id, clock_name ORDER BY clock_id";
    section(trace, "Clocks", clocks, style, &mut out).await?;
    packets(trace, style, &mut out);
    tables(trace, style, &mut out);
    let health = "SELECT severity, name || CASE WHEN idx IS NULL THEN '' ELSE '[' || idx || ']' END, \
         value, description FROM stats WHERE value != 0 AND severity IN ('data_loss', 'error') \
         ORDER BY severity DESC, name, idx";
    if !section(trace, "Health", health, style, &mut out).await? {
        out.push_str(&format!("\n{}\n  {}\n", style.bold("Health"), style.green("no losses")));
    }
    Ok(out)
}

async fn overview(trace: &Trace, style: Style, out: &mut String) -> anyhow::Result<()> {
    let summary = trace.summary();
    let bounds = trace.sql("SELECT start_ts, end_ts FROM trace_bounds LIMIT 1").await?;
    let seconds = bounds.iter().find(|batch| batch.num_rows() > 0).map(|batch| {
        let value = |column: usize| batch.column(column).as_primitive::<Int64Type>().value(0);
        value(1).saturating_sub(value(0)) as f64 / 1e9
    });
    let mut size = bytes(summary.file_bytes);
    if summary.trace_bytes != summary.file_bytes {
        size.push_str(&format!(" ({} unpacked)", bytes(summary.trace_bytes)));
    }
    let duration =
        seconds.map_or_else(|| "unknown".to_owned(), |seconds| format!("{seconds:.3} s"));
    let lines = [
        ("Format", summary.format.clone()),
        ("Size", size),
        ("Duration", duration),
        ("Packets", grouped(summary.packets)),
        ("Sequences", grouped(summary.sequences)),
    ];
    for (label, value) in lines {
        out.push_str(&format!("{} {value}\n", style.bold(&format!("{label:<10}"))));
    }
    Ok(())
}

/// A heading and the rows of a query in columns; says whether there were any.
async fn section(
    trace: &Trace,
    title: &str,
    sql: &str,
    style: Style,
    out: &mut String,
) -> anyhow::Result<bool> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for batch in trace.sql(sql).await? {
        for row in 0..batch.num_rows() {
            let cell = |column: &std::sync::Arc<dyn Array>| {
                if column.is_null(row) {
                    Ok(String::new())
                } else {
                    array_value_to_string(column, row)
                }
            };
            rows.push(batch.columns().iter().map(cell).collect::<Result<_, _>>()?);
        }
    }
    if !rows.is_empty() {
        out.push_str(&format!("\n{}\n", style.bold(title)));
        columns(&rows, out);
    }
    Ok(!rows.is_empty())
}

fn packets(trace: &Trace, style: Style, out: &mut String) {
    let kinds = &trace.summary().packet_kinds;
    if kinds.is_empty() {
        return;
    }
    out.push_str(&format!("\n{}\n", style.bold("Packets by kind")));
    let row = |kind: &tpq::PacketKindCount| {
        vec![kind.kind.clone(), grouped(kind.packets), bytes(kind.bytes)]
    };
    columns(&kinds.iter().take(LISTED).map(row).collect::<Vec<_>>(), out);
    rest(kinds.len(), "kinds", out);
}

fn tables(trace: &Trace, style: Style, out: &mut String) {
    let mut counts: Vec<(usize, &str)> =
        trace.tables().iter().map(|table| (table.num_rows(), table.decl().name)).collect();
    counts.retain(|&(rows, _)| rows > 0);
    counts.sort_by_key(|&(rows, name)| (std::cmp::Reverse(rows), name));
    out.push_str(&format!("\n{}\n", style.bold("Tables")));
    let row = |&(rows, name): &(usize, &str)| {
        vec![
            name.to_owned(),
            grouped(rows as u64),
            if rows == 1 { "row" } else { "rows" }.to_owned(),
        ]
    };
    columns(&counts.iter().map(row).collect::<Vec<_>>(), out);
}

fn rest(all: usize, what: &str, out: &mut String) {
    if all > LISTED {
        out.push_str(&format!("  and {} more {what}\n", all - LISTED));
    }
}

/// Cells in columns: the first to the left, numbers to the right, the last as it is.
fn columns(rows: &[Vec<String>], out: &mut String) {
    let count = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..count).map(|column| width(column).unwrap_or(0)).collect();
    for row in rows {
        let mut line = String::from(" ");
        for (column, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widths[column] - cell.chars().count());
            let is_number = cell.starts_with(|c: char| c.is_ascii_digit());
            let cell = if is_number { format!("{pad}{cell}") } else { format!("{cell}{pad}") };
            line.push_str("  ");
            line.push_str(&cell);
        }
        out.push_str(line.trim_end()[1..].trim_end());
        out.push('\n');
    }
}

/// A number with its digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn bytes(count: u64) -> String {
    indicatif::HumanBytes(count).to_string()
}
