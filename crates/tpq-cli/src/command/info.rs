//! `tpq info`: shows what is in a trace.

use std::io::Write;

use clap::Args;
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use tpq::Trace;

use crate::args::{ImportArgs, table_cache};
use crate::files::{FileStatus, files};
use crate::layout::{Cell, bytes, columns, grouped, heading, rows, section};
use crate::names::Names;
use crate::open;
use crate::terminal::{Emphasis, Style};

const EXAMPLES: &str = "\
Examples:
  tpq info trace.pftrace
  tpq info trace.pftrace.gz --quiet
  tpq info phone.pftrace watch.pftrace                 how each was placed on one timeline";

/// The number of packet kinds that are listed.
const MAX_KINDS: usize = 20;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct InfoArgs {
    #[command(flatten)]
    pub import: ImportArgs,
}

pub async fn run(args: InfoArgs) -> anyhow::Result<()> {
    let cached = cached_tables(&args.import).await?;
    open::with_import(&args.import, async |trace| {
        let text = describe_with(&trace, cached, Style::of_stdout()).await?;
        std::io::stdout().write_all(text.as_bytes())?;
        Ok(())
    })
    .await
}

/// The tables that the cache has of the traces, in words. `None` if it has none.
async fn cached_tables(import: &ImportArgs) -> anyhow::Result<Option<String>> {
    let cache = if import.no_cache { None } else { table_cache(&import.config)? };
    let Some(cache) = cache else { return Ok(None) };
    let (traces, options) = (import.traces.clone(), open::options(&import.flags));
    // Reads all bytes of the traces.
    let find = move || cache.tables_left_out(&traces, &options);
    let left_out = tokio::task::spawn_blocking(find).await?;
    Ok(left_out.map(|names| match names.is_empty() {
        true => "all tables".to_owned(),
        false => format!("without {}", some_of(&names)),
    }))
}

/// The names, or the first and the number of the others where there are many.
fn some_of(names: &[&str]) -> String {
    const SHOWN: usize = 6;
    match names.len().checked_sub(SHOWN).filter(|&more| more > 1) {
        Some(more) => format!("{} and {more} more tables", names[..SHOWN].join(", ")),
        None => names.join(", "),
    }
}

/// Describes a trace as text.
pub async fn describe(trace: &Trace, style: Style) -> anyhow::Result<String> {
    describe_with(trace, None, style).await
}

/// The same, with the tables in the cache.
async fn describe_with(
    trace: &Trace,
    cached: Option<String>,
    style: Style,
) -> anyhow::Result<String> {
    let mut out = String::new();
    overview(trace, cached, style, &mut out).await?;
    let names = Names::of(trace).await?;
    if names.several_files() {
        list_files(trace, &names, style, &mut out).await?;
    }
    let machines = "SELECT 'machine ' || id, concat_ws(' ', name, sysname, release, arch), \
         CASE WHEN num_cpus IS NULL THEN '' ELSE num_cpus || \
         CASE WHEN num_cpus = 1 THEN ' CPU' ELSE ' CPUs' END END FROM machine";
    section(trace, "Machines", machines, style, &mut out).await?;
    let clocks = "SELECT 'clock ' || clock_id, coalesce(clock_name, ''), count(*) || \
         CASE WHEN count(*) = 1 THEN ' snapshot' ELSE ' snapshots' END FROM clock_snapshot \
         WHERE origin IN ('snapshot', 'ftrace', 'remote_clock_sync') \
         GROUP BY clock_id, clock_name ORDER BY clock_id";
    section(trace, "Clocks", clocks, style, &mut out).await?;
    packets(trace, style, &mut out);
    tables(trace, style, &mut out);
    buffers(trace, &names, style, &mut out).await?;
    health(trace, &names, style, &mut out).await?;
    Ok(out)
}

/// Lists each file and how it was placed on the timeline.
async fn list_files(
    trace: &Trace,
    names: &Names,
    style: Style,
    out: &mut String,
) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    for file in files(trace, names).await? {
        let emphasis = match file.status {
            FileStatus::NotPlaced | FileStatus::NotRead(_) => Emphasis::Error,
            FileStatus::Assumed(..) => Emphasis::Warning,
            _ => Emphasis::Plain,
        };
        rows.push(vec![
            Cell::text(&file.name),
            Cell::number(bytes(file.bytes)),
            Cell::text(file.status.describe(names)).emphasis(emphasis),
        ]);
        let more = |what: String, emphasis| {
            vec![Cell::text(""), Cell::text(""), Cell::text(what).emphasis(emphasis)]
        };
        if file.doubtful {
            let doubt = "by wall time it is from another boot or machine".to_owned();
            rows.push(more(doubt, Emphasis::Warning));
        }
        rows.extend(file.missing.into_iter().map(|what| more(what, Emphasis::Error)));
    }
    heading("Files", style, out);
    columns(&rows, style, out);
    Ok(())
}

/// Lists the recorder's buffers: how full they were, and how fast they filled.
async fn buffers(
    trace: &Trace,
    names: &Names,
    style: Style,
    out: &mut String,
) -> anyhow::Result<()> {
    let sql = "SELECT trace_id, buffer, fill_policy, size, fill, write_rate, written, lost, \
         sources FROM trace_buffer ORDER BY id";
    let found = rows(trace, sql).await?;
    if found.is_empty() {
        return Ok(());
    }
    heading("Buffers", style, out);
    let row = |row: &Vec<String>| {
        let number = |column: usize| row[column].parse::<f64>().unwrap_or_default();
        let lost = number(7) as u64;
        let rate = match row[5].is_empty() {
            true => String::new(),
            false => format!("{}/s", bytes(number(5) as u64)),
        };
        let mut cells = vec![
            Cell::text(format!("buffer {}", row[1])),
            Cell::number(bytes(number(3) as u64)),
            Cell::text(&row[2]),
            Cell::number(format!("{:.0} % full", number(4) * 100.0)),
            Cell::number(rate),
            match lost {
                0 => Cell::text("nothing lost").emphasis(Emphasis::Dim),
                lost => Cell::text(format!("{} lost", bytes(lost))).emphasis(Emphasis::Error),
            },
            Cell::text(&row[8]),
        ];
        if names.several_files() {
            let file = row[0].parse().map_or("", |file| names.file(file));
            cells.insert(0, Cell::text(file));
        }
        cells
    };
    columns(&found.iter().map(row).collect::<Vec<_>>(), style, out);
    Ok(())
}

/// Lists losses and errors, by file if there are several files.
async fn health(
    trace: &Trace,
    names: &Names,
    style: Style,
    out: &mut String,
) -> anyhow::Result<()> {
    let sql = "SELECT trace_id, severity, kind, coalesce(CAST(amount AS VARCHAR), ''), what FROM data_loss \
         UNION ALL SELECT trace_id, severity, name, CAST(value AS VARCHAR), description FROM stats \
         WHERE value != 0 AND severity = 'error' ORDER BY 2, 3, 1";
    let losses = rows(trace, sql).await?;
    heading("Health", style, out);
    if losses.is_empty() {
        out.push_str(&format!("  {}\n", style.green("no losses")));
    }
    let cells = |row: Vec<String>| {
        let file = row[0].parse().ok().filter(|_| names.several_files());
        let mut cells: Vec<Cell> = row.into_iter().skip(1).map(Cell::auto).collect();
        if names.several_files() {
            cells.insert(2, Cell::text(file.map_or("", |file| names.file(file))));
        }
        cells
    };
    columns(&losses.into_iter().map(cells).collect::<Vec<_>>(), style, out);
    Ok(())
}

async fn overview(
    trace: &Trace,
    cached: Option<String>,
    style: Style,
    out: &mut String,
) -> anyhow::Result<()> {
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
    let mut lines =
        vec![("Format", summary.format.clone()), ("Size", size), ("Duration", duration)];
    match summary.packet_kinds.is_empty() {
        true => lines.push(("Events", grouped(summary.packets))),
        false => {
            lines.push(("Packets", grouped(summary.packets)));
            lines.push(("Sequences", grouped(summary.sequences)));
        }
    }
    lines.extend(cached.map(|tables| ("Cached", tables)));
    for (label, value) in lines {
        out.push_str(&format!("{} {value}\n", style.bold(&format!("{label:<10}"))));
    }
    Ok(())
}

fn packets(trace: &Trace, style: Style, out: &mut String) {
    let kinds = &trace.summary().packet_kinds;
    if kinds.is_empty() {
        return;
    }
    heading("Packets by kind", style, out);
    let row = |kind: &tpq::PacketKindCount| {
        vec![
            Cell::text(&kind.kind),
            Cell::number(grouped(kind.packets)),
            Cell::number(bytes(kind.bytes)),
        ]
    };
    columns(&kinds.iter().take(MAX_KINDS).map(row).collect::<Vec<_>>(), style, out);
    append_rest(kinds.len(), "kinds", out);
}

fn tables(trace: &Trace, style: Style, out: &mut String) {
    let mut counts: Vec<(usize, &str)> =
        trace.tables().iter().map(|table| (table.num_rows(), table.decl().name)).collect();
    counts.retain(|&(rows, _)| rows > 0);
    counts.sort_by_key(|&(rows, name)| (std::cmp::Reverse(rows), name));
    heading("Tables", style, out);
    let row = |&(rows, name): &(usize, &str)| {
        vec![
            Cell::text(name),
            Cell::number(grouped(rows as u64)),
            Cell::text(if rows == 1 { "row" } else { "rows" }),
        ]
    };
    columns(&counts.iter().map(row).collect::<Vec<_>>(), style, out);
}

fn append_rest(all: usize, what: &str, out: &mut String) {
    if all > MAX_KINDS {
        out.push_str(&format!("  and {} more {what}\n", all - MAX_KINDS));
    }
}
