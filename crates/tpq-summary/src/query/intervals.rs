//! Sources that intersect intervals.

use super::joins::{Columns, of};
use super::parts::{ExperimentalFilterToIntervals, IntervalIntersect};
use super::select::Relation;
use super::text::{name, quoted};
use crate::error::{QueryError, invalid};

/// The number of tables that the SQL of an intersection can take.
const MAX_TABLES: usize = 10;

/// Intersections of the intervals of all queries: `ts` and `dur` of the intersection, the columns
/// of each query under their own names as far as no query before has them, and all columns with
/// the number of their query: `id_0`, `ts_1`.
pub(super) fn intersect(
    source: &IntervalIntersect,
    inputs: &[&Relation],
) -> Result<String, QueryError> {
    if inputs.len() > MAX_TABLES {
        return invalid(format!("`interval_intersect` takes {MAX_TABLES} queries at most"));
    }
    let partition = partition(&source.partition_columns)?;
    let mut columns = Columns::default();
    columns.add("part.ts", "ts");
    columns.add("part.dur", "dur");
    for (number, input) in inputs.iter().enumerate() {
        check(input, &partition, &format!("query {number} of `interval_intersect`"))?;
        for name in &input.columns {
            columns.add(&of(&format!("s{number}"), name), name);
        }
    }
    for (number, input) in inputs.iter().enumerate() {
        for name in &input.columns {
            columns.add(&of(&format!("s{number}"), name), &format!("{name}_{number}"));
        }
    }
    let tables = inputs.iter().map(|input| ended(input, &partition)).collect::<Vec<_>>();
    let joins = inputs.iter().enumerate().map(|(number, input)| {
        format!("\nJOIN {} AS s{number} ON s{number}.id = part.id_{number}", input.name)
    });
    Ok(format!(
        "SELECT {}\nFROM {} AS part{}",
        columns.list(),
        intersection(&tables, &partition),
        joins.collect::<String>()
    ))
}

/// The rows of `base` that overlap any of the intervals. Clipped, `ts` and `dur` are those of a
/// part of the row, one for each stretch of intervals that touch or overlap; `original_ts` and
/// `original_dur` are those of the row.
pub(super) fn filter(
    source: &ExperimentalFilterToIntervals,
    base: &Relation,
    intervals: &Relation,
) -> Result<String, QueryError> {
    let partition = partition(&source.partition_columns)?;
    check(base, &partition, "`experimental_filter_to_intervals.base`")?;
    let what = "`experimental_filter_to_intervals.intervals`";
    check_columns(intervals, ["ts", "dur"].into_iter().chain(partition.iter().copied()), what)?;
    let is_clipped = source.clip_to_intervals.unwrap_or(true);
    let mut columns = Columns::default();
    if is_clipped {
        columns.add("part.ts", "ts");
        columns.add("part.dur", "dur");
    }
    let selected = match source.select_columns.as_slice() {
        [] => base.columns.as_slice(),
        selected => selected,
    };
    for name in selected {
        columns.add(&of("base", name), name);
    }
    let parts = intersection(&[ended(base, &partition), merged(intervals, &partition)], &partition);
    if is_clipped {
        columns.add("base.ts", "original_ts");
        columns.add("base.dur", "original_dur");
    }
    let rows = match is_clipped {
        true => parts,
        false => format!("(SELECT DISTINCT part.id_0 FROM {parts} AS part)"),
    };
    Ok(format!(
        "SELECT {}\nFROM {rows} AS part\nJOIN {} AS base ON base.id = part.id_0",
        columns.list(),
        base.name
    ))
}

/// The partition columns, which macros take as names.
fn partition(columns: &[String]) -> Result<Vec<&str>, QueryError> {
    columns.iter().map(|column| name(column, "partition_columns")).collect()
}

/// Checks that a query has the columns of intervals.
fn check(relation: &Relation, partition: &[&str], what: &str) -> Result<(), QueryError> {
    check_columns(relation, ["id", "ts", "dur"].into_iter().chain(partition.iter().copied()), what)
}

fn check_columns<'a>(
    relation: &Relation,
    mut wanted: impl Iterator<Item = &'a str>,
    what: &str,
) -> Result<(), QueryError> {
    let has = |wanted: &str| relation.columns.iter().any(|it| it.eq_ignore_ascii_case(wanted));
    match wanted.find(|&wanted| !has(wanted)) {
        Some(missing) => invalid(format!(
            "{what} has no column `{missing}`; it has {}",
            relation.columns.join(", ")
        )),
        None => Ok(()),
    }
}

/// A list of columns after others.
fn and_columns(partition: &[&str]) -> String {
    partition.iter().map(|column| format!(", {}", quoted(column))).collect()
}

/// The intervals of a query. Those without an end last until the end of the trace.
fn ended(relation: &Relation, partition: &[&str]) -> String {
    let keys = and_columns(partition);
    let name = &relation.name;
    format!("(SELECT id, ts, {ENDED} AS dur{keys} FROM {name} WHERE {KNOWN} AND id IS NOT NULL)")
}

/// The duration of an interval up to its end or that of the trace.
const ENDED: &str =
    "CASE WHEN dur >= 0 THEN dur WHEN trace_end() > ts THEN trace_end() - ts ELSE 0 END";
/// The condition that an interval has a start and a duration.
const KNOWN: &str = "ts IS NOT NULL AND dur IS NOT NULL";

/// The stretches that the intervals of a query cover.
fn merged(relation: &Relation, partition: &[&str]) -> String {
    let keys = and_columns(partition);
    let by = partition.iter().map(|column| quoted(column)).collect::<Vec<_>>().join(", ");
    let partition_by = if by.is_empty() { String::new() } else { format!("PARTITION BY {by} ") };
    let window = format!("{partition_by}ORDER BY ts, ts_end ROWS BETWEEN UNBOUNDED PRECEDING AND");
    let name = &relation.name;
    format!(
        "(SELECT 0 AS id, min(ts) AS ts, max(ts_end) - min(ts) AS dur{keys} FROM (\
         SELECT ts, ts_end{keys}, sum(CASE WHEN ts <= reach THEN 0 ELSE 1 END) \
         OVER ({window} CURRENT ROW) AS stretch FROM (\
         SELECT ts, ts_end{keys}, max(ts_end) OVER ({window} 1 PRECEDING) AS reach FROM (\
         SELECT ts, ts + {ENDED} AS ts_end{keys} FROM {name} WHERE {KNOWN}))) \
         GROUP BY stretch{keys})"
    )
}

/// The intersection of tables of intervals with `id`, `ts`, `dur` and the partition columns.
fn intersection(tables: &[String], partition: &[&str]) -> String {
    format!("_interval_intersect!(({}), ({}))", tables.join(", "), partition.join(", "))
}
