//! The first few rows of each partition, where a query asks for no others:
//!
//! ```sql
//! SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY name ORDER BY dur DESC) AS position
//!                FROM slice) WHERE position <= 3;
//! ```
//!
//! ```text
//! FilterExec: position <= 3                  FilterExec: position <= 3
//!   WindowAggExec: row_number()             WindowAggExec: row_number()
//!     sort, repartition            ──▶        sort, repartition
//!       rows                                    PartitionTopNExec: fetch=3
//!                                                 rows
//! ```
//!
//! Partitions by a text are found by its string ids, and the remaining rows get their texts.
//!
//! The inserted step drops incoming rows that are surely behind enough other rows of their
//! partition. It may let others pass: what is above it stays, and says which rows these are.

mod exec;
mod top_codes;

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Result, ScalarValue};
use datafusion::config::ConfigOptions;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{BinaryExpr, CastExpr, Column, Literal};
use datafusion::physical_expr::utils::split_conjunction;
use datafusion::physical_expr::window::{StandardWindowExpr, WindowExpr};
use datafusion::physical_expr::{PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_expr_common::physical_expr::is_volatile;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec, WindowUDFExpr};
use datafusion::physical_plan::{ExecutionPlan, replace_children_if_necessary};

use super::packed_sort::PackedSortExec;
use exec::PartitionTopNExec;

/// With more rows of each partition to look through, sorting all is as good.
const MOST: u64 = 64;

/// Puts a [`PartitionTopNExec`] where only the first rows of each partition are asked for.
#[derive(Debug)]
pub(crate) struct PartitionTopNRule;

impl PhysicalOptimizerRule for PartitionTopNRule {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let replaced = plan.transform_down(|node| {
            Ok(match node.downcast_ref::<FilterExec>().map(narrowed).transpose()?.flatten() {
                Some(input) => Transformed::yes(replace_children_if_necessary(node, vec![input])?),
                None => Transformed::no(node),
            })
        });
        replaced.data()
    }

    fn name(&self) -> &str {
        "partition_top_n"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Of which rows the first are asked for.
#[derive(Clone, Debug)]
struct PartitionTopN {
    /// How many of each partition.
    most: usize,
    partition: Vec<Arc<dyn PhysicalExpr>>,
    /// The first sort key.
    order: PhysicalSortExpr,
    /// Whether of two rows that are equal by `order` the one that comes in later is behind.
    rejects_ties: bool,
}

/// The input of a filter, without rows that it would drop anyway; `None` where none are known.
fn narrowed(filter: &FilterExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let conditions = split_conjunction(filter.predicate()).into_iter();
    let mut limits: Vec<_> =
        conditions.filter_map(limit).filter(|&(_, most)| most <= MOST).collect();
    limits.sort_unstable_by_key(|&(_, most)| most);
    for (column, most) in limits {
        let found = find_top_n(filter.input(), column, most as usize);
        let narrowed = found.map(|(top_n, path)| put_in(filter.input(), top_n, path));
        if let Some(input) = narrowed.transpose()?.flatten() {
            return Ok(Some(input));
        }
    }
    Ok(None)
}

/// How many steps lie between the filter and the window functions.
type Path = usize;

/// Finds the window function of a column that a filter limits to `most`, below `input`.
fn find_top_n(
    input: &Arc<dyn ExecutionPlan>,
    mut column: usize,
    most: usize,
) -> Option<(PartitionTopN, Path)> {
    let (mut node, mut path) = (input, 0);
    while let Some(projection) = node.downcast_ref::<ProjectionExec>() {
        column = underlying_column(&projection.expr().get(column)?.expr)?;
        (node, path) = (projection.input(), path + 1);
    }
    let functions = window_functions(node)?;
    let own = column.checked_sub(node.children().first()?.schema().fields().len())?;
    let function = functions.get(own)?;
    let same = |other: &Arc<dyn WindowExpr>| {
        let (one, other) = (function, other);
        // The values that a row takes from those behind it would change without them.
        ranking(other).is_some()
            && one.partition_by() == other.partition_by()
            && one.order_by() == other.order_by()
    };
    let (order, rest) = function.order_by().split_first()?;
    let schema = node.children().first()?.schema();
    let data_type = order.expr.data_type(&schema).ok()?;
    let partition = function.partition_by();
    let stays = !partition.iter().chain([&order.expr]).any(is_volatile);
    let distinguishes = |key: &Arc<dyn PhysicalExpr>| {
        key.data_type(&schema).is_ok_and(|of| has_distinct_equality(&of))
    };
    let usable = !partition.is_empty() && partition.iter().all(distinguishes) && stays;
    let usable = usable && top_codes::has_codes(&data_type) && functions.iter().all(same);
    usable.then(|| {
        let top_n = PartitionTopN {
            most,
            partition: partition.to_vec(),
            order: order.clone(),
            rejects_ties: rest.is_empty() && ranking(function) == Some("row_number"),
        };
        (top_n, path)
    })
}

/// Whether what DataFusion takes for one group of such values is one partition of window functions:
/// these have -0 and 0 apart.
fn has_distinct_equality(data_type: &DataType) -> bool {
    use DataType::*;
    matches!(data_type, Boolean | Int32 | Int64 | UInt32 | UInt64 | Utf8View)
}

/// The column that an expression gives, as it is or with a sign.
fn underlying_column(expr: &Arc<dyn PhysicalExpr>) -> Option<usize> {
    match expr.downcast_ref::<CastExpr>() {
        Some(cast) => {
            let keeps_value = matches!(cast.cast_type(), DataType::Int64 | DataType::UInt64);
            keeps_value.then(|| underlying_column(cast.expr())).flatten()
        }
        None => expr.downcast_ref::<Column>().map(Column::index),
    }
}

fn window_functions(node: &Arc<dyn ExecutionPlan>) -> Option<&[Arc<dyn WindowExpr>]> {
    let whole = node.downcast_ref::<WindowAggExec>().map(WindowAggExec::window_expr);
    whole.or_else(|| node.downcast_ref::<BoundedWindowAggExec>().map(|window| window.window_expr()))
}

/// The name of a function that counts the rows before.
fn ranking(function: &Arc<dyn WindowExpr>) -> Option<&'static str> {
    let function = function.as_any().downcast_ref::<StandardWindowExpr>()?;
    let function = function.get_standard_func_expr().as_any().downcast_ref::<WindowUDFExpr>()?;
    ["row_number", "rank"].into_iter().find(|&name| name == function.fun().name())
}

/// The column that a condition wants to be so much at most.
fn limit(condition: &Arc<dyn PhysicalExpr>) -> Option<(usize, u64)> {
    let condition = condition.downcast_ref::<BinaryExpr>()?;
    let of = |column: &Arc<dyn PhysicalExpr>, number: &Arc<dyn PhysicalExpr>, op: Operator| {
        let column = underlying_column(column)?;
        let number = number.downcast_ref::<Literal>()?.value();
        let number = number.cast_to(&DataType::UInt64).ok()?;
        let ScalarValue::UInt64(Some(number)) = number else { return None };
        match op {
            Operator::LtEq | Operator::Eq => Some((column, number)),
            Operator::Lt => Some((column, number.checked_sub(1)?)),
            _ => None,
        }
        .filter(|&(_, most)| most > 0)
    };
    let (left, op, right) = (condition.left(), *condition.op(), condition.right());
    of(left, right, op).or_else(|| of(right, left, op.swap()?))
}

/// The plan with rows dropped before they are sorted for the window functions, which are
/// steps below; `None` where nothing sorts them.
fn put_in(
    node: &Arc<dyn ExecutionPlan>,
    top_n: PartitionTopN,
    path: Path,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let Some(&input) = node.children().first() else { return Ok(None) };
    let below = match path {
        0 => before_sorting(input, top_n, false)?,
        _ => put_in(input, top_n, path - 1)?,
    };
    below.map(|below| replace_children_if_necessary(Arc::clone(node), vec![below])).transpose()
}

/// Goes down as long as steps only move rows about.
fn before_sorting(
    node: &Arc<dyn ExecutionPlan>,
    top_n: PartitionTopN,
    sorted: bool,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let sorts = node.downcast_ref::<PackedSortExec>().is_some()
        || node.downcast_ref::<SortExec>().is_some_and(|sort| sort.fetch().is_none());
    if sorts || node.downcast_ref::<RepartitionExec>().is_some() {
        let Some(&input) = node.children().first() else { return Ok(None) };
        let below = before_sorting(input, top_n, sorted || sorts)?;
        let with = |below| replace_children_if_necessary(Arc::clone(node), vec![below]);
        return below.map(with).transpose();
    }
    if !sorted {
        return Ok(None);
    }
    let of_ids = PartitionTopNExec::of_ids(node, &top_n)?;
    Ok(Some(Arc::new(of_ids.unwrap_or_else(|| PartitionTopNExec::new(node, top_n)))))
}
