//! `__intrinsic_flamegraph`: the samples of a tree of frames, as the boxes of a flamegraph.
//!
//! ```sql
//! CREATE VIRTUAL TABLE t USING __intrinsic_flamegraph((
//!   SELECT id, parent_id, name, self_count AS value FROM frames));
//! SELECT * FROM t(__intrinsic_flamegraph_config('value', 'value', 'view', 'TOP_DOWN'));
//! ```
//!
//! A call filters the frames of the query, merges those with the same name and callers, and places
//! the boxes. Frames without samples are left out.
//!
//! The sum of all roots is a row as well, the super root. It is returned only to
//! `WHERE __intrinsic_flamegraph_find(_tree_id, 'SUPER_ROOT')`.

mod aggregates;
mod amount;
mod config;
mod draw;
mod filters;
mod frames;
mod layout;
mod merge;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, RecordBatch, RecordBatchOptions, UInt32Array};
use datafusion::arrow::compute::take;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{Result, internal_err, plan_err};
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, Projection};

pub(crate) use config::{CONFIG as FLAMEGRAPH_CONFIG, literal_config};

pub(super) use config::FlamegraphConfig;

use super::index_kind::{Index, IndexKind, named_column, numeric};
use super::reserved::Reserved;
use super::table_function::{CallArgument, CalledRows};
use aggregates::aggregate_type;
use amount::sum_type;
use config::{CONFIG, Config};
use frames::Frames;

const NAME: &str = "__intrinsic_flamegraph";

/// The kind of index of `__intrinsic_flamegraph`.
#[derive(Debug)]
pub(super) struct FlamegraphKind;

impl IndexKind for FlamegraphKind {
    fn name(&self) -> &'static str {
        NAME
    }

    fn arguments(&self) -> &'static [(&'static str, DataType)] {
        &[("config", DataType::Utf8View)]
    }

    fn source(&self, query: LogicalPlan) -> Result<LogicalPlan> {
        let schema = Arc::clone(query.schema());
        let mut exprs = Vec::with_capacity(schema.fields().len());
        for name in ["id", "parent_id"] {
            let column = named_column(NAME, name, &schema)?;
            exprs.push(numeric(NAME, column, name, &DataType::Int64, &schema)?);
        }
        let name = Expr::Column(named_column(NAME, "name", &schema)?);
        exprs.push(name.cast_to(&DataType::Utf8View, &schema)?.alias("name"));
        let others = schema.columns().into_iter();
        let others = others.filter(|column| !["id", "parent_id", "name"].contains(&&*column.name));
        exprs.extend(others.map(|column| {
            let name = column.name.clone();
            Expr::Column(column).alias(name)
        }));
        Ok(LogicalPlan::Projection(Projection::try_new(exprs, Arc::new(query))?))
    }

    fn schema(&self, source: &SchemaRef, args: &[CallArgument]) -> Result<SchemaRef> {
        let Some(arg) = args.first() else {
            return Ok(Arc::new(Schema::new(own_columns(&DataType::Int64))));
        };
        match &arg.text {
            Some(text) => columns(source, &Config::parse(text)?),
            None => plan_err!("a flamegraph takes {CONFIG}() with texts as arguments"),
        }
    }

    fn build(
        &self,
        source: &SchemaRef,
        rows: &[RecordBatch],
        memory: Reserved,
        _: usize,
    ) -> Result<Box<dyn Index>> {
        let frames = Frames::read(NAME, source, rows, &memory)?;
        Ok(Box::new(Flamegraph { frames, memory }))
    }
}

/// The columns that every flamegraph has, for values of a type.
fn own_columns(value: &DataType) -> Vec<Field> {
    let columns = [
        ("_tree_id", &DataType::Int64, false),
        ("_tree_parent_id", &DataType::Int64, true),
        ("depth", &DataType::Int64, false),
        ("name", &DataType::Utf8View, true),
        ("self_value", value, false),
        ("cumulative_value", value, false),
        ("parent_cumulative_value", value, true),
        ("x_start", value, false),
        ("x_end", value, false),
    ];
    columns.map(|(name, kind, nullable)| Field::new(name, kind.clone(), nullable)).to_vec()
}

/// The columns of a flamegraph with this configuration.
fn columns(source: &SchemaRef, config: &Config) -> Result<SchemaRef> {
    let type_of = |name: &str| match source.column_with_name(name) {
        Some((_, field)) => Ok(field.data_type()),
        None => plan_err!("{NAME}: the query has no column called {name}"),
    };
    let Some(value) = sum_type(type_of(&config.value)?) else {
        return plan_err!("{NAME}: {} must be a number", config.value);
    };
    let mut fields = own_columns(&value);
    for name in &config.groupings {
        fields.push(Field::new(name, type_of(name)?.clone(), true));
    }
    for aggregate in &config.aggregates {
        let Some(kind) = aggregate_type(aggregate.kind, type_of(&aggregate.column)?) else {
            return plan_err!("{NAME}: {} must be a number", aggregate.column);
        };
        fields.push(Field::new(&aggregate.name, kind, true));
    }
    let mut names = HashSet::new();
    if let Some(twice) = fields.iter().find(|field| !names.insert(field.name())) {
        return plan_err!("{NAME}: two columns of the result are called {}", twice.name());
    }
    Ok(Arc::new(Schema::new(fields)))
}

/// The frames that flamegraphs are made of.
#[derive(Debug)]
struct Flamegraph {
    frames: Frames,
    memory: Reserved,
}

impl Index for Flamegraph {
    fn call(&self, args: &[ArrayRef], calls: usize, columns: &[usize]) -> Result<CalledRows> {
        let configs = args.first().and_then(|configs| configs.as_string_view_opt());
        let Some(configs) = configs else { return internal_err!("{NAME} without configuration") };
        // The configuration is a literal, so that all calls have the same.
        let Some(config) = configs.iter().flatten().next() else {
            return internal_err!("{NAME} without configuration");
        };
        let memory = self.memory.another();
        let drawn = self.draw(&Config::parse(config)?, &memory)?.project(columns)?;
        let rows = drawn.num_rows();
        if calls == 1 {
            return Ok(CalledRows { calls: vec![0; rows].into(), rows: drawn });
        }
        memory.at_least(calls.saturating_mul(drawn.get_array_memory_size()))?;
        let (mut call_of_row, mut row_numbers) = (Vec::new(), Vec::new());
        for call in (0u32..).take(calls) {
            call_of_row.extend(std::iter::repeat_n(call, rows));
            row_numbers.extend((0u32..).take(rows));
        }
        let row_numbers = UInt32Array::from(row_numbers);
        let taken = drawn.columns().iter().map(|column| take(column, &row_numbers, None));
        let taken = taken.collect::<std::result::Result<Vec<_>, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(call_of_row.len()));
        let rows = RecordBatch::try_new_with_options(drawn.schema(), taken, &options)?;
        Ok(CalledRows { calls: call_of_row.into(), rows })
    }
}
