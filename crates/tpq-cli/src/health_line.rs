//! One line on stderr about a trace with lost data, or with clocks that were placed by a guess.
//!
//! The line is read from the tables directly, without a query, because every open pays for it.
//! Where the import leaves out what no statement names, the line has what was counted without it.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::arrow::util::display::array_value_to_string;
use tpq::{FilePlacement, Rule, Trace};

use crate::clocks::rule;
use crate::layout::{counted, grouped};
use crate::terminal::Style;

/// Reports lost data, errors and clocks placed by a guess on stderr, if there are any.
///
/// # Errors
/// When the tables cannot be read.
pub fn report(trace: &Trace) -> anyhow::Result<()> {
    if let Some(line) = line(trace)? {
        let (subject, rest) = line.split_once(':').unwrap_or((&line, ""));
        let subject = Style::of_stderr().yellow(&format!("{subject}:"));
        // If stderr is closed, the line cannot be reported.
        let _ = writeln!(std::io::stderr(), "{subject}{rest}");
    }
    Ok(())
}

/// The line, without the line break; `None` for a trace without losses and guesses.
fn line(trace: &Trace) -> anyhow::Result<Option<String>> {
    let mut parts = Vec::new();
    let mut commands = Vec::new();
    let lost = lost(trace)?;
    let errors = errors(trace)?;
    if !lost.is_empty() || !errors.is_empty() {
        commands.push("tpq check");
    }
    parts.extend(describe_losses(&lost, trace)?.map(|lost| format!("lost data: {lost}")));
    parts.extend(describe_errors(&errors).map(|errors| format!("not understood: {errors}")));
    if let Some(guesses) = guesses(&trace.summary().placements) {
        parts.push(format!("clocks placed by a guess: {guesses}"));
        commands.push("tpq clocks");
    }
    if parts.is_empty() {
        return Ok(None);
    }
    let line = format!("{}; see {}", parts.join("; "), commands.join(" and "));
    Ok(Some(line.chars().map(printable).collect()))
}

/// Names of files come from archives and must not control the terminal.
fn printable(letter: char) -> char {
    if letter.is_control() { '\u{fffd}' } else { letter }
}

/// Losses of one kind in one file.
struct LossGroup {
    kind: String,
    file: String,
    /// The description of the largest loss.
    what: String,
    buffer: String,
    /// The largest amount.
    largest: i64,
    /// The sum of all amounts.
    amount: i64,
    unit: String,
}

/// The losses by kind and file, in the order of `data_loss`.
fn lost(trace: &Trace) -> anyhow::Result<Vec<LossGroup>> {
    let columns = ["severity", "kind", "trace_id", "what", "buffer", "amount", "unit"];
    let mut all: Vec<LossGroup> = Vec::new();
    let mut known: HashMap<(String, String), usize> = HashMap::new();
    for row in cells(trace, "data_loss", &columns)? {
        let [severity, kind, file, what, buffer, amount, unit] = row;
        if severity == "notice" {
            continue;
        }
        let amount = amount.parse().unwrap_or(0);
        let next = all.len();
        let at = *known.entry((kind.clone(), file.clone())).or_insert(next);
        match all.get_mut(at) {
            Some(lost) => {
                lost.amount = lost.amount.saturating_add(amount);
                if amount > lost.largest {
                    (lost.largest, lost.what, lost.buffer) = (amount, what, buffer);
                }
            }
            None => all.push(LossGroup { kind, file, what, buffer, largest: amount, amount, unit }),
        }
    }
    Ok(all)
}

/// Describes the first loss, and counts the others.
fn describe_losses(lost: &[LossGroup], trace: &Trace) -> anyhow::Result<Option<String>> {
    let Some(first) = lost.first() else { return Ok(None) };
    let mut text = describe(first, trace)?;
    match lost.len() - 1 {
        0 => {}
        more => {
            text.push_str(&format!(", and {}", counted(more as u64, "more loss", "more losses")))
        }
    }
    Ok(Some(text))
}

fn describe(lost: &LossGroup, trace: &Trace) -> anyhow::Result<String> {
    let amount = grouped(lost.amount.unsigned_abs());
    let many = |one: &str, several: &str| counted(lost.amount.unsigned_abs(), one, several);
    Ok(match lost.kind.as_str() {
        "ring_buffer_wrapped" => match buffer_share(lost, trace)? {
            Some(share) => format!("{share} of buffer {} overwritten", lost.buffer),
            None => format!("the oldest data of buffer {} overwritten", lost.buffer),
        },
        "buffer_full" => match buffer_share(lost, trace)? {
            Some(share) => format!("about {share} of buffer {} turned away", lost.buffer),
            None => format!("the newest data of buffer {} turned away", lost.buffer),
        },
        "kernel_buffer_overrun" if lost.amount > 0 => {
            format!("{} overwritten before they were read", many("kernel event", "kernel events"))
        }
        "kernel_events_dropped" => {
            format!("{} not written", many("kernel event", "kernel events"))
        }
        "shared_memory_full" => {
            format!("{} dropped because shared memory was full", many("packet", "packets"))
        }
        "packets_lost" => format!("packets missing in {}", many("place", "places")),
        "incremental_state_lost" => {
            format!("{} refer to names that were lost", many("packet", "packets"))
        }
        "late_packets" => format!("{} too late to be put in order", many("event", "events")),
        // A kind that a stat counts is named after the stat.
        _ if lost.unit.is_empty() && lost.what.contains('×') => {
            format!("{} {amount}", lost.kind)
        }
        _ => lost.what.trim_end_matches('.').to_owned(),
    })
}

/// The lost share of the data written to a central buffer, such as "227.6 of 228.1 MiB".
fn buffer_share(lost: &LossGroup, trace: &Trace) -> anyhow::Result<Option<String>> {
    let columns = ["trace_id", "buffer", "written", "lost"];
    for [file, buffer, written, gone] in cells(trace, "trace_buffer", &columns)? {
        if (&file, &buffer) == (&lost.file, &lost.buffer) {
            let (Ok(written), Ok(gone)) = (written.parse::<i64>(), gone.parse::<i64>()) else {
                return Ok(None);
            };
            // Data that a full buffer rejected was never written.
            let all =
                if lost.kind == "buffer_full" { written.saturating_add(gone) } else { written };
            return Ok(Some(share(gone, all)));
        }
    }
    Ok(None)
}

/// A part of a number of bytes, both in the unit that fits the whole.
fn share(part: i64, whole: i64) -> String {
    const UNITS: [(&str, f64); 3] =
        [("GiB", 1_073_741_824.0), ("MiB", 1_048_576.0), ("KiB", 1024.0)];
    let (part, whole) = (part as f64, whole as f64);
    match UNITS.into_iter().find(|&(_, unit)| whole >= unit) {
        Some((name, unit)) => format!("{:.1} of {:.1} {name}", part / unit, whole / unit),
        None => format!("{part:.0} of {whole:.0} bytes"),
    }
}

/// The stats with severity `error` and their values, without those that are also losses.
fn errors(trace: &Trace) -> anyhow::Result<Vec<(String, i64)>> {
    let mut found: Vec<(String, i64)> = Vec::new();
    let Some(table) = trace.tables().get("stats") else { return Ok(found) };
    let table = table.rows_so_far();
    let decl = table.decl();
    let columns = ["value", "severity", "name"].map(|name| decl.column_index(name));
    let [Some(value), Some(severity), Some(name)] = columns else { return Ok(found) };
    let known: HashSet<String> =
        cells(trace, "data_loss", &["stat"])?.into_iter().map(|[stat]| stat).collect();
    for chunk in 0..table.num_chunks() {
        // Most stats are 0. Only the others need their text.
        let rows = 0..table.chunk_rows(chunk);
        let values = table.read(chunk, rows, &[value])?;
        let values = values.column(0).as_primitive::<Int64Type>();
        for row in 0..values.len() {
            if values.is_null(row) || values.value(row) == 0 {
                continue;
            }
            let text = table.read(chunk, row..row + 1, &[severity, name])?;
            let stat = cell(text.column(1), 0)?;
            if cell(text.column(0), 0)? != "error" || known.contains(&stat) {
                continue;
            }
            match found.iter_mut().find(|(name, _)| *name == stat) {
                Some((_, sum)) => *sum = sum.saturating_add(values.value(row)),
                None => found.push((stat, values.value(row))),
            }
        }
    }
    found.sort_by_key(|(_, value)| std::cmp::Reverse(*value));
    Ok(found)
}

fn describe_errors(errors: &[(String, i64)]) -> Option<String> {
    let (name, count) = errors.first()?;
    let mut text = format!("{name} {}", grouped(count.unsigned_abs()));
    match errors.len() - 1 {
        0 => {}
        more => {
            text.push_str(&format!(", and {}", counted(more as u64, "more kind", "more kinds")))
        }
    }
    Some(text)
}

/// The files that were not placed by recorded snapshots.
fn guesses(placements: &[FilePlacement]) -> Option<String> {
    let mut guessed = placements.iter().filter(|placement| placement.rule != Rule::Snapshots);
    let first = guessed.next()?;
    let mut text = format!("{} ({})", first.file, rule(first.rule));
    match guessed.count() {
        0 => {}
        more => text.push_str(&format!(" and {}", counted(more as u64, "more file", "more files"))),
    }
    Some(text)
}

/// Columns of a stored table as text, row by row; NULL is empty.
fn cells<const N: usize>(
    trace: &Trace,
    table: &str,
    columns: &[&str; N],
) -> anyhow::Result<Vec<[String; N]>> {
    let Some(table) = trace.tables().get(table) else { return Ok(Vec::new()) };
    let table = table.rows_so_far();
    let indices: Vec<usize> =
        columns.iter().filter_map(|name| table.decl().column_index(name)).collect();
    let mut all = Vec::with_capacity(table.num_rows());
    for chunk in 0..table.num_chunks() {
        let batch = table.read(chunk, 0..table.chunk_rows(chunk), &indices)?;
        for row in 0..batch.num_rows() {
            let texts = batch.columns().iter().map(|column| cell(column, row));
            let texts = texts.collect::<anyhow::Result<Vec<String>>>()?;
            all.extend(<[String; N]>::try_from(texts).ok());
        }
    }
    Ok(all)
}

fn cell(column: &ArrayRef, row: usize) -> anyhow::Result<String> {
    let column: &Arc<dyn Array> = column;
    match column.is_null(row) {
        true => Ok(String::new()),
        false => Ok(array_value_to_string(column, row)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(file: &str, rule: Rule) -> FilePlacement {
        FilePlacement { trace_id: 0, file: file.to_owned(), rule, unplaced: 0, negative: 0 }
    }

    #[test]
    fn shares_have_one_unit() {
        assert_eq!(share(238_656_000, 239_180_288), "227.6 of 228.1 MiB");
        assert_eq!(share(512, 1024), "0.5 of 1.0 KiB");
        assert_eq!(share(3, 900), "3 of 900 bytes");
    }

    #[test]
    fn only_assumptions_are_guesses() {
        assert_eq!(guesses(&[placed("a", Rule::Snapshots)]), None);
        let all = [
            placed("a", Rule::Snapshots),
            placed("b", Rule::Realtime),
            placed("c", Rule::SameDomain),
        ];
        let expected = "b (wall time assumed equal) and 1 more file";
        assert_eq!(guesses(&all).as_deref(), Some(expected));
    }
}
