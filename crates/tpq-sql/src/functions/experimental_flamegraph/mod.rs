//! `experimental_flamegraph(profile_type, ts, ts_constraint, upid, upid_group, focus_str)`: the
//! frames of a profile, merged from the outermost inwards.
//!
//! | `profile_type` | frames | values |
//! |---|---|---|
//! | `graph` | objects of a Java heap dump on their shortest paths from a root | number and bytes |
//! | `native` | call stacks of a heap profile up to `ts` | number and bytes |
//! | `perf` | call stacks of samples | number of samples |
//!
//! Frames with the same name and mapping below the same frame are one row.

mod arguments;
mod callstacks;
mod cells;
mod frames;
mod heap_graph;

use std::fmt;
use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{Result, exec_err};
use tpq_tables::TraceTables;

use super::index_kind::called_rows;
use super::table_function::{CallArgument, CalledRows, TableFunction};
use super::value::{Builder, Value};
use arguments::{Arguments, Call, Profile};
use callstacks::Callstacks;
use frames::{Node, focus, merge};
use heap_graph::HeapDumps;

const NAME: &str = "experimental_flamegraph";

/// Columns of a result: names and whether they are texts. The first are arguments.
const COLUMNS: [(&str, bool); 21] = [
    ("profile_type", true),
    ("ts_in", false),
    ("ts_constraint", true),
    ("upid", false),
    ("upid_group", true),
    ("focus_str", true),
    ("ts", false),
    ("depth", false),
    ("name", true),
    ("map_name", true),
    ("count", false),
    ("cumulative_count", false),
    ("size", false),
    ("cumulative_size", false),
    ("alloc_count", false),
    ("cumulative_alloc_count", false),
    ("alloc_size", false),
    ("cumulative_alloc_size", false),
    ("parent_id", false),
    ("source_file", true),
    ("line_number", false),
];

static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let field = |(name, is_text)| {
        let kind = if is_text { DataType::Utf8View } else { DataType::Int64 };
        Field::new(name, kind, true)
    };
    let id = Field::new("id", DataType::Int64, false);
    let fields: Vec<Field> = [id].into_iter().chain(COLUMNS.map(field)).collect();
    Arc::new(Schema::new(fields))
});

/// The table function; none if the trace lacks its tables.
pub(super) fn table(tables: &TraceTables) -> Vec<Arc<dyn TableFunction>> {
    let (Some(callstacks), Some(dumps)) = (Callstacks::new(tables), HeapDumps::new(tables)) else {
        return Vec::new();
    };
    vec![Arc::new(ExperimentalFlamegraph { callstacks, dumps })]
}

struct ExperimentalFlamegraph {
    callstacks: Callstacks,
    dumps: HeapDumps,
}

impl fmt::Debug for ExperimentalFlamegraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAME)
    }
}

impl ExperimentalFlamegraph {
    /// The rows of a call.
    fn nodes(&self, call: &Call) -> Result<Vec<Node>> {
        let frames = match call.profile {
            Profile::Graph { upid, ts } => self.dumps.frames(upid, ts)?,
            Profile::Native { upid, ts } => self.callstacks.of_allocations(upid, ts)?,
            Profile::Perf => self.callstacks.of_samples(call)?,
        };
        let nodes = merge(frames)?;
        if nodes.is_empty() && !matches!(call.profile, Profile::Perf) {
            return match call.profile {
                Profile::Graph { upid, ts } if self.dumps.is_truncated(upid, ts)? => {
                    Ok(vec![heap_graph::incomplete()])
                }
                _ => exec_err!("{NAME}(): there is no such profile"),
            };
        }
        focus(nodes, call.focus.as_deref())
    }
}

impl TableFunction for ExperimentalFlamegraph {
    fn name(&self) -> &str {
        NAME
    }

    fn arguments(&self) -> &[(&'static str, DataType)] {
        &[
            ("profile_type", DataType::Utf8View),
            ("ts", DataType::Int64),
            ("ts_constraint", DataType::Utf8View),
            ("upid", DataType::Int64),
            ("upid_group", DataType::Utf8View),
            ("focus_str", DataType::Utf8View),
        ]
    }

    fn schema(&self, _: &[CallArgument]) -> Result<SchemaRef> {
        Ok(Arc::clone(&SCHEMA))
    }

    fn call(&self, args: &[ArrayRef], calls: usize, columns: &[usize]) -> Result<CalledRows> {
        let arguments = Arguments::new(args)?;
        let mut builders: Vec<Builder> =
            SCHEMA.fields().iter().map(|field| Builder::new(field.data_type(), 0)).collect();
        let mut rows = Vec::new();
        for number in 0..calls {
            let call = arguments.call(number)?;
            for (id, node) in self.nodes(&call)?.iter().enumerate() {
                rows.push(number as u32);
                let values = [Value::Integer(id as i64)].into_iter().chain(row(&call, node));
                builders.iter_mut().zip(values).for_each(|(builder, value)| builder.push(&value));
            }
        }
        let all: Vec<ArrayRef> = builders.into_iter().map(Builder::finish).collect();
        called_rows(rows, &SCHEMA, &all, columns)
    }
}

/// The values of a row, but its id.
fn row<'a>(call: &'a Call, node: &'a Node) -> [Value<'a>; COLUMNS.len()] {
    let text = |text: Option<&'a str>| text.map_or(Value::Null, Value::text);
    let integer = |value: Option<i64>| value.map_or(Value::Null, Value::Integer);
    let frame = &node.frame;
    let own = |place: usize| Value::Integer(frame.values[place]);
    let cumulative = |place: usize| Value::Integer(node.cumulative[place]);
    [
        Value::text(call.profile.name()),
        integer(call.ts),
        text(call.ts_constraint.as_deref()),
        integer(call.upid),
        text(call.upid_group.as_deref()),
        text(call.focus.as_deref()),
        Value::Integer(frame.ts.unwrap_or(call.default_ts())),
        Value::Integer(node.depth as i64),
        Value::text(&*frame.name),
        Value::text(&*frame.map_name),
        own(0),
        cumulative(0),
        own(1),
        cumulative(1),
        own(2),
        cumulative(2),
        own(3),
        cumulative(3),
        integer(node.parent.map(|parent| parent as i64)),
        text(frame.source_file.as_deref()),
        integer(frame.line_number),
    ]
}
