//! The rows of a flamegraph.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, Int64Array, PrimitiveArray, RecordBatch, UInt32Array, new_null_array,
};
use datafusion::arrow::compute::{cast, take};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::arrow::row::{Row, RowConverter, SortField};
use datafusion::common::{Result, internal_err};
use rustc_hash::FxHashMap;

use super::aggregates::{Members, aggregate};
use super::amount::{Amount, amounts, sum_type};
use super::config::{Config, View};
use super::filters::{Kept, bytes_of_frame};
use super::frames::{Frames, NONE};
use super::layout::{Placed, place};
use super::merge::{Node, merge};
use super::{Flamegraph, columns};
use crate::functions::reserved::Reserved;
use crate::functions::steps::Steps;

impl Flamegraph {
    /// All rows and columns for a configuration. Memory for the work is reserved from `memory`.
    pub(super) fn draw(&self, config: &Config, memory: &Reserved) -> Result<RecordBatch> {
        let schema = columns(&self.frames.rows.schema(), config)?;
        let values = self.column(&config.value)?;
        match sum_type(values.data_type()) {
            Some(DataType::Float64) => self.draw_amounts::<f64>(config, schema, values, memory),
            _ => self.draw_amounts::<i64>(config, schema, values, memory),
        }
    }

    fn draw_amounts<A: Amount>(
        &self,
        config: &Config,
        schema: SchemaRef,
        values: &ArrayRef,
        memory: &Reserved,
    ) -> Result<RecordBatch> {
        let work = memory.another();
        let of_frame = bytes_of_frame::<A>() + size_of::<Option<A>>() + 2 * size_of::<u32>();
        work.resize(self.frames.len().saturating_mul(of_frame))?;
        let kept = Kept::of(&self.frames, config, &amounts::<A>(values)?)?;
        let keys = self.keys(config, &work)?;
        let has_aggregates = !config.aggregates.is_empty();
        let made = merge(&self.frames, &kept, &keys, config.view, has_aggregates, memory)?;
        drop((kept, keys, work));
        if config.super_root {
            return super_root(&made.nodes, config.view, &schema);
        }
        let work = memory.another();
        let of_node = size_of::<Placed<A>>() + 3 * size_of::<u32>();
        work.resize(made.nodes.len().saturating_mul(of_node))?;
        let placed = place(&made.nodes)?;
        let mut all = own_columns(&self.frames, &made.nodes, &placed)?;
        let frames = placed.iter().map(|shown| made.nodes[shown.node as usize].frame);
        let frames: UInt32Array = frames.collect::<Vec<_>>().into();
        for name in &config.groupings {
            all.push(take(self.column(name)?, &frames, None)?);
        }
        if has_aggregates {
            let members = members(&placed, made.members);
            for wanted in &config.aggregates {
                let column = self.column(&wanted.column)?;
                all.push(aggregate(wanted.kind, column, &members, &memory.another())?);
            }
        }
        with_types(all, schema)
    }

    fn column(&self, name: &str) -> Result<&ArrayRef> {
        match self.frames.rows.column_by_name(name) {
            Some(column) => Ok(column),
            None => internal_err!("frames without the column {name}"),
        }
    }

    /// A number for each frame: the same for frames with the same name and the same values of the
    /// groupings.
    fn keys(&self, config: &Config, memory: &Reserved) -> Result<Vec<u32>> {
        if config.groupings.is_empty() {
            return Ok(self.frames.names.clone());
        }
        let columns = config.groupings.iter().map(|name| self.column(name).cloned());
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let fields = columns.iter().map(|column| SortField::new(column.data_type().clone()));
        let rows = RowConverter::new(fields.collect())?.convert_columns(&columns)?;
        let mut steps = Steps::default();
        let mut numbers: FxHashMap<(u32, Row<'_>), u32> = FxHashMap::default();
        let mut keys = Vec::with_capacity(self.frames.len());
        let reserved = memory.another();
        for (name, row) in self.frames.names.iter().zip(&rows) {
            steps.take(1)?;
            let next = numbers.len() as u32;
            keys.push(*numbers.entry((*name, row)).or_insert(next));
            reserved.at_least(rows.size() + numbers.len() * size_of::<((u32, Row<'_>), u32)>())?;
        }
        Ok(keys)
    }
}

/// The frames of each box, by the order of the boxes.
fn members<A>(placed: &[Placed<A>], mut pairs: Vec<(u32, u32)>) -> Members {
    let mut number_of = vec![NONE; placed.len()];
    for (number, shown) in (0u32..).zip(placed) {
        number_of[shown.node as usize] = number;
    }
    for (node, _) in &mut pairs {
        *node = number_of[*node as usize];
    }
    Members::new(number_of.len() as u32, &mut pairs)
}

/// A column of numbers.
fn numbers<A: Amount>(values: impl Iterator<Item = A>) -> ArrayRef {
    Arc::new(PrimitiveArray::<A::Column>::from_iter_values(values))
}

/// A column of numbers and NULLs.
fn optional<A: Amount>(values: impl Iterator<Item = Option<A>>) -> ArrayRef {
    Arc::new(PrimitiveArray::<A::Column>::from_iter(values))
}

/// The columns that every flamegraph has.
fn own_columns<A: Amount>(
    frames: &Frames,
    nodes: &[Node<A>],
    placed: &[Placed<A>],
) -> Result<Vec<ArrayRef>> {
    let Some(names) = frames.rows.column_by_name("name") else {
        return internal_err!("frames without names");
    };
    let shown = || placed.iter().map(|shown| &nodes[shown.node as usize]);
    let frame_of = UInt32Array::from(shown().map(|node| node.frame).collect::<Vec<_>>());
    let parents = placed.iter().map(|shown| shown.parent.map(|parent| i64::from(parent) + 1));
    let count = i64::try_from(placed.len()).unwrap_or(i64::MAX);
    let parent_total = |node: &Node<A>| match node.parent {
        NONE => None,
        parent => Some(nodes[parent as usize].total),
    };
    Ok(vec![
        Arc::new(Int64Array::from_iter_values(1..=count)),
        Arc::new(Int64Array::from_iter(parents)),
        Arc::new(Int64Array::from_iter_values(shown().map(|node| node.depth))),
        take(names, &frame_of, None)?,
        numbers(shown().map(|node| node.own)),
        numbers(shown().map(|node| node.total)),
        optional(shown().map(parent_total)),
        numbers(placed.iter().map(|shown| shown.x_start)),
        numbers(placed.iter().map(|shown| shown.x_end)),
    ])
}

/// The row that all roots lie in. There is one even without samples.
fn super_root<A: Amount>(nodes: &[Node<A>], view: View, schema: &SchemaRef) -> Result<RecordBatch> {
    let direction = if view == View::BottomUp { -1 } else { 1 };
    let roots = nodes.iter().filter(|node| node.depth == direction);
    let total = roots.map(|node| node.total).try_fold(A::default(), Amount::plus)?;
    let own = std::iter::once(A::default());
    let mut all: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from(vec![0])),
        Arc::new(Int64Array::from(vec![None::<i64>])),
        Arc::new(Int64Array::from(vec![0])),
        new_null_array(&DataType::Utf8View, 1),
        numbers(own.clone()),
        numbers(std::iter::once(total)),
        optional(std::iter::once(None::<A>)),
        numbers(own),
        numbers(std::iter::once(total)),
    ];
    let others = schema.fields().iter().skip(all.len());
    all.extend(others.map(|field| new_null_array(field.data_type(), 1)).collect::<Vec<_>>());
    with_types(all, Arc::clone(schema))
}

/// A batch of columns, cast to the types of the schema.
fn with_types(columns: Vec<ArrayRef>, schema: SchemaRef) -> Result<RecordBatch> {
    let columns = columns.iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| cast(column, field.data_type()));
    let columns = columns.collect::<std::result::Result<Vec<_>, _>>()?;
    Ok(RecordBatch::try_new(schema, columns)?)
}
