//! The sources of queries, as what follows FROM.

use super::parts::experimental_time_range::Mode;
use super::parts::{
    ExperimentalCreateSlices, ExperimentalFilterIn, ExperimentalTimeRange, SimpleSlices, Source,
    Sql, Table,
};
use super::select::{Relation, named};
use super::steps::Step;
use super::text::{column, in_parentheses, integer, name, quoted, string, with_relations};
use super::{intervals, joins};
use crate::error::{QueryError, invalid};

/// The source of a step.
pub(super) fn source(step: &Step<'_>, inputs: &[&Relation]) -> Result<String, QueryError> {
    let select = match (step.source, inputs) {
        (Source::Table(it), _) => return table(it),
        (Source::InnerQuery(_) | Source::InnerQueryId(_), [inner]) => {
            return Ok(inner.name.clone());
        }
        (Source::Sql(it), _) => return Ok(statement(it, &step.sql, inputs)),
        (Source::SimpleSlices(it), _) => simple_slices(it),
        (Source::ExperimentalTimeRange(it), _) => time_range(it)?,
        (Source::ExperimentalCreateSlices(it), [starts, ends]) => create_slices(it, starts, ends)?,
        (Source::ExperimentalCounterIntervals(_), [input]) => counter_intervals(input),
        (Source::ExperimentalFilterIn(it), [base, values]) => filter_in(it, base, values)?,
        (Source::IntervalIntersect(it), inputs) => intervals::intersect(it, inputs)?,
        (Source::ExperimentalFilterToIntervals(it), [base, intervals]) => {
            intervals::filter(it, base, intervals)?
        }
        (Source::ExperimentalJoin(it), [left, right]) => joins::join(it, left, right)?,
        (Source::ExperimentalAddColumns(it), [core, input]) => joins::add_columns(it, core, input)?,
        (Source::ExperimentalUnion(it), inputs) => joins::union(it, inputs)?,
        // The steps have as many inputs as their sources.
        _ => return invalid("a source does not have its inputs"),
    };
    Ok(in_parentheses(&select))
}

fn table(table: &Table) -> Result<String, QueryError> {
    match (table.table_name(), table.column_names.as_slice()) {
        ("", _) => invalid("`table.table_name` is not set"),
        (name, []) => Ok(name.to_owned()),
        (name, columns) => {
            Ok(in_parentheses(&format!("SELECT {}\nFROM {name}", all_named(columns))))
        }
    }
}

/// A statement as a table, with the steps it depends on in place of their aliases.
fn statement(source: &Sql, sql: &str, inputs: &[&Relation]) -> String {
    let aliases = source.dependencies.iter().map(|dependency| dependency.alias());
    let relations = aliases.zip(inputs.iter().map(|input| input.name.as_str()));
    let rows = in_parentheses(&with_relations(sql, &relations.collect::<Vec<_>>()));
    match source.column_names.as_slice() {
        [] => rows,
        columns => in_parentheses(&format!("SELECT {}\nFROM {rows}", all_named(columns))),
    }
}

fn all_named(columns: &[String]) -> String {
    let columns = columns.iter().map(|name| named(&column(name), name));
    columns.collect::<Vec<_>>().join(", ")
}

fn simple_slices(source: &SimpleSlices) -> String {
    let patterns = [
        ("name", &source.slice_name_glob),
        ("thread_name", &source.thread_name_glob),
        ("process_name", &source.process_name_glob),
        ("track_name", &source.track_name_glob),
    ];
    let conditions = patterns.into_iter().filter_map(|(column, pattern)| {
        Some(format!("{column} GLOB {}", string(pattern.as_deref()?)))
    });
    let conditions: Vec<String> = conditions.collect();
    let condition = match conditions.is_empty() {
        true => String::new(),
        false => format!("\nWHERE {}", conditions.join(" AND ")),
    };
    format!(
        "SELECT id, ts, dur, name AS slice_name, thread_name, process_name, track_name\n\
         FROM _slice_with_thread_and_process_info{condition}"
    )
}

/// One interval. By default, a dynamic one is the whole trace, or the trace from `ts` on.
fn time_range(source: &ExperimentalTimeRange) -> Result<String, QueryError> {
    let (ts, dur) = match (source.mode(), source.ts, source.dur) {
        (_, Some(ts), Some(dur)) => (integer(ts), integer(dur)),
        (Mode::Static, _, _) => {
            return invalid("`experimental_time_range` is STATIC and needs `ts` and `dur`");
        }
        (Mode::Dynamic, None, None) => ("trace_start()".to_owned(), "trace_dur()".to_owned()),
        (Mode::Dynamic, Some(ts), None) => {
            let ts = integer(ts);
            let dur = format!("trace_end() - {ts}");
            (ts, dur)
        }
        (Mode::Dynamic, None, Some(dur)) => ("trace_start()".to_owned(), integer(dur)),
    };
    Ok(format!("SELECT 0 AS id, {ts} AS ts, {dur} AS dur"))
}

fn create_slices(
    source: &ExperimentalCreateSlices,
    starts: &Relation,
    ends: &Relation,
) -> Result<String, QueryError> {
    let column = |text: &Option<String>, field| match text {
        Some(text) => name(text, field).map(str::to_owned),
        None => Ok("ts".to_owned()),
    };
    let starts_ts = column(&source.starts_ts_column, "starts_ts_column")?;
    let ends_ts = column(&source.ends_ts_column, "ends_ts_column")?;
    Ok(format!(
        "SELECT row_number() OVER (ORDER BY ts, dur) - 1 AS id, ts, dur\n\
         FROM _create_intervals!({}, {}, {starts_ts}, {ends_ts})",
        starts.name, ends.name
    ))
}

fn counter_intervals(input: &Relation) -> String {
    format!(
        "SELECT id, ts, dur, track_id, value, next_value, delta_value\n\
         FROM counter_leading_intervals!({})",
        input.name
    )
}

fn filter_in(
    source: &ExperimentalFilterIn,
    base: &Relation,
    values: &Relation,
) -> Result<String, QueryError> {
    if source.base_column().is_empty() || source.match_column().is_empty() {
        return invalid("`experimental_filter_in` needs `base_column` and `match_column`");
    }
    let matched = column(source.match_column());
    Ok(format!(
        "SELECT *\nFROM {}\n\
         WHERE {} IN (SELECT {matched} AS {} FROM {} WHERE {matched} IS NOT NULL)",
        base.name,
        column(source.base_column()),
        quoted("matched"),
        values.name
    ))
}
