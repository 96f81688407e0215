//! Trace summaries: what structured queries and metrics give. The test writes the specification
//! and the rows side by side. Most queries are on rows that the specification itself contains.

mod command;
mod metrics;
mod operations;
mod sources;

use tpq::{SummaryOptions, SummarySpecs, Trace, summarize};
use tpq_proto::message::trace_metric_v2_bundle::row::{Dimension, Value, dimension, value};
use tpq_proto::message::{TraceMetricV2Bundle, TraceSummary};
use tpq_testkit::{Packet, ProcessTree, TraceBuilder, TrackDescriptor, TrackEvent};

use crate::imported::Imported;

/// Nanoseconds of microseconds.
const fn us(microseconds: u64) -> u64 {
    microseconds * 1_000
}

/// Slices of the threads `app` and `worker` of `/bin/app`: `startup` from 5 to 110 µs in the
/// process, `main` from 12 to 78 in the first thread, `outer` from 25 to 95 with `inner` from 35 to
/// 60 in the other.
fn bytes() -> Vec<u8> {
    const PROCESS: u64 = 3;
    const APP: u64 = 1;
    const WORKER: u64 = 2;
    let tree = ProcessTree::new()
        .process(1, 0, &["/sbin/init"], 0)
        .process(100, 1, &["/bin/app"], 1000)
        .thread(101, 100, "worker");
    let tracks = [
        TrackDescriptor::new(PROCESS).process(100, "app"),
        TrackDescriptor::new(APP).parent(PROCESS).thread(100, 100, "app"),
        TrackDescriptor::new(WORKER).parent(PROCESS).thread(100, 101, "worker"),
    ];
    let event = |at, event| Packet::new().sequence(1).timestamp(us(at)).track_event(event);
    let begin = |at, track, name| event(at, TrackEvent::begin(track).name(name).category("cat"));
    let end = |at, track| event(at, TrackEvent::end(track));
    TraceBuilder::new()
        .packets(tracks.map(|track| Packet::new().sequence(1).track_descriptor(track)))
        .packet(Packet::new().sequence(9).timestamp(us(1)).process_tree(tree))
        .packets([
            begin(5, PROCESS, "startup"),
            begin(12, APP, "main"),
            begin(25, WORKER, "outer"),
            begin(35, WORKER, "inner"),
            end(60, WORKER),
            end(78, APP),
            end(95, WORKER),
            end(110, PROCESS),
        ])
        .build()
}

/// The same, imported.
fn slices() -> Imported {
    Imported::file(bytes())
}

/// The summary of a specification in text, or the error.
fn summary(trace: &Imported, spec: &str, options: &SummaryOptions) -> Result<TraceSummary, String> {
    trace.with_trace(async |trace: &Trace| {
        let mut specs = SummarySpecs::default();
        let said = |error: tpq::SummaryError| error.to_string();
        specs.add("spec", spec.as_bytes()).map_err(said)?;
        summarize(trace.session(), &specs, options).await.map_err(said)
    })
}

/// The rows of all bundles: the dimensions in single blanks, a colon, the values.
fn lines(trace: &Imported, spec: &str) -> Vec<String> {
    match summary(trace, spec, &SummaryOptions::default()) {
        Ok(summary) => summary.metric_bundles.iter().flat_map(rows).collect(),
        Err(error) => panic!("{error}"),
    }
}

fn rows(bundle: &TraceMetricV2Bundle) -> Vec<String> {
    let line = |row: &tpq_proto::message::trace_metric_v2_bundle::Row| {
        let dimensions = row.dimension.iter().map(dimension_text).collect::<Vec<_>>();
        let values = row.values.iter().map(value_text).collect::<Vec<_>>();
        format!("{}: {}", dimensions.join(" "), values.join(" "))
    };
    bundle.row.iter().map(line).collect()
}

fn dimension_text(dimension: &Dimension) -> String {
    match &dimension.value_oneof {
        Some(dimension::ValueOneof::StringValue(text)) => text.clone(),
        Some(dimension::ValueOneof::Int64Value(value)) => value.to_string(),
        Some(dimension::ValueOneof::DoubleValue(value)) => format!("{value:?}"),
        Some(dimension::ValueOneof::BoolValue(value)) => value.to_string(),
        Some(dimension::ValueOneof::NullValue(_)) => "NULL".to_owned(),
        None => "unset".to_owned(),
    }
}

fn value_text(value: &Value) -> String {
    match value.value_oneof {
        Some(value::ValueOneof::DoubleValue(value)) => value.to_string(),
        Some(value::ValueOneof::NullValue(_)) => "NULL".to_owned(),
        None => "unset".to_owned(),
    }
}

/// A specification of one metric.
fn metric(dimensions: &str, value: &str, query: &str) -> String {
    let dimensions: Vec<String> =
        dimensions.split_whitespace().map(|name| format!("dimensions: '{name}'")).collect();
    let dimensions = dimensions.join(" ");
    format!("metric_spec {{ id: 'm' {dimensions} value: '{value}' query {{ {query} }} }}")
}

/// The rows of a metric with such a query.
fn rows_of(dimensions: &str, value: &str, query: &str) -> Vec<String> {
    lines(&slices(), &metric(dimensions, value, query))
}

/// The error of a metric with such a query.
fn error_of(dimensions: &str, value: &str, query: &str) -> String {
    let spec = metric(dimensions, value, query);
    match summary(&slices(), &spec, &SummaryOptions::default()) {
        Ok(summary) => panic!("{summary:?}"),
        Err(error) => error,
    }
}

/// A source of rows: `values("a b", "(1, 2), (3, 4)")`.
fn values(columns: &str, rows: &str) -> String {
    let columns: Vec<String> = (1..)
        .zip(columns.split_whitespace())
        .map(|(number, name)| format!("column{number} AS {name}"))
        .collect();
    format!("sql {{ sql: \"SELECT {} FROM (VALUES {rows})\" }}", columns.join(", "))
}

/// An order of rows.
fn by(column: &str) -> String {
    format!("order_by {{ ordering_specs {{ column_name: '{column}' }} }}")
}
