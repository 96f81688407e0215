//! Grouping by small integers: the string ids of a column of text, or the ids of threads, tracks
//! and CPUs.
//!
//! ```text
//! AggregateExec: FinalPartitioned            AggregateExec: FinalPartitioned
//!   RepartitionExec                            RepartitionExec
//!     AggregateExec: Partial, gby=[name] ──▶     DenseAggregateExec: gby=[name]
//!       DataSourceExec: slice                      DataSourceExec: slice, ids of name
//! ```
//!
//! DataFusion finds the group of a row by a hash of its key, and compares texts. Here a table has
//! the group of each key, and keys become text once, at the end. Only the first step of an
//! aggregation is replaced, which gives the state of each function; the second is DataFusion's.
//! Groups are all held at once, so this is used only if there is no memory limit.

mod exec;
mod groups;

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::config::ConfigOptions;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode};

use super::column_origin::origin;
use super::key_table::{Key, LEAST_ROWS, MOST_KEYS};
use super::string_id_scans::{reads, with_ids_below};
use super::texts_of_ids::TextsOfIdsExec;
use crate::scan::{integer_bounds, table_rows};
use exec::DenseAggregateExec;

/// Functions with a state of fixed size, and a result that the order of rows does not change.
const FUNCTIONS: [&str; 6] = ["count", "sum", "min", "max", "avg", "total"];

/// Puts [`DenseAggregateExec`] where rows are grouped by one column with few possible values.
#[derive(Debug)]
pub(crate) struct DenseAggregates;

impl PhysicalOptimizerRule for DenseAggregates {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let replaced = plan.transform_up(|node| {
            let Some(aggregate) = node.downcast_ref::<AggregateExec>() else {
                return Ok(Transformed::no(node));
            };
            if let Some(dense) = dense(aggregate)? {
                return Ok(Transformed::yes(Arc::new(dense) as Arc<dyn ExecutionPlan>));
            }
            Ok(match by_ids(aggregate)? {
                Some(step) => Transformed::yes(Arc::new(step) as Arc<dyn ExecutionPlan>),
                None => Transformed::no(node),
            })
        });
        replaced.data()
    }

    fn name(&self) -> &str {
        "dense_aggregates"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The step in place of an aggregation, where its keys are small integers.
fn dense(aggregate: &AggregateExec) -> Result<Option<DenseAggregateExec>> {
    let Some(column) = only_group(aggregate) else { return Ok(None) };
    let functions = aggregate.aggr_expr();
    if !functions.iter().all(|function| has_plain_state(function)) {
        return Ok(None);
    }
    let input = aggregate.input();
    if let Some(key) = integer_key(input, column) {
        return Ok(Some(DenseAggregateExec::in_place_of(
            aggregate,
            Arc::clone(input),
            column,
            key,
        )));
    }
    if functions_read(aggregate, column) {
        return Ok(None);
    }
    let found = with_ids_below(input, column)?;
    Ok(found.map(|(input, ids)| {
        DenseAggregateExec::in_place_of(aggregate, input, column, Key::Texts(ids))
    }))
}

/// The step in place of an aggregation by several columns, where some of them have string ids.
/// These are hashed and compared faster than their texts.
fn by_ids(aggregate: &AggregateExec) -> Result<Option<TextsOfIdsExec>> {
    let groups = aggregate.group_expr().expr();
    let columns = groups.iter().map(|(key, _)| Some(key.downcast_ref::<Column>()?.index()));
    let Some(columns) = columns.collect::<Option<Vec<usize>>>() else { return Ok(None) };
    let functions = aggregate.aggr_expr();
    let is_plain = functions.iter().all(|function| has_plain_state(function));
    if !is_first_step(aggregate) || !is_plain || columns.len() < 2 {
        return Ok(None);
    }
    let (mut input, mut texts) = (Arc::clone(aggregate.input()), Vec::new());
    for (position, &column) in columns.iter().enumerate() {
        let is_twice = columns.iter().filter(|&&other| other == column).count() > 1;
        if is_twice || functions_read(aggregate, column) {
            continue;
        }
        if let Some((with_ids, ids)) = with_ids_below(&input, column)? {
            input = with_ids;
            texts.push((position, ids));
        }
    }
    if texts.is_empty() {
        return Ok(None);
    }
    let (mode, groups) = (AggregateMode::Partial, aggregate.group_expr().clone());
    let filters = aggregate.filter_expr().to_vec();
    let schema = aggregate.input_schema();
    let grouped = AggregateExec::try_new(mode, groups, functions.to_vec(), filters, input, schema)?;
    let properties = Arc::clone(aggregate.properties());
    Ok(Some(TextsOfIdsExec::over(Arc::new(grouped), texts, properties)))
}

/// Whether functions or their filters read a column.
fn functions_read(aggregate: &AggregateExec, column: usize) -> bool {
    let functions = aggregate.aggr_expr().iter();
    let arguments = functions.flat_map(|function| function.expressions());
    let filters = aggregate.filter_expr().iter().flatten().cloned();
    arguments.chain(filters).any(|expr| reads(&expr, column))
}

/// Whether an aggregation is the first step of two, of rows in no order of its groups.
fn is_first_step(aggregate: &AggregateExec) -> bool {
    *aggregate.mode() == AggregateMode::Partial
        && *aggregate.input_order_mode() == InputOrderMode::Linear
        && aggregate.group_expr().is_single()
        && aggregate.limit_options().is_none()
}

/// The column by which the first step of an aggregation groups, if there is only one, and if rows
/// are in no order of it.
fn only_group(aggregate: &AggregateExec) -> Option<usize> {
    match aggregate.group_expr().expr() {
        [(key, _)] if is_first_step(aggregate) => key.downcast_ref::<Column>().map(Column::index),
        _ => None,
    }
}

/// Whether a function has a state of fixed size for each group, and no order of rows to heed.
pub(super) fn has_plain_state(function: &AggregateFunctionExpr) -> bool {
    FUNCTIONS.contains(&function.fun().name())
        && !function.is_distinct()
        && function.order_bys().is_empty()
        && function.groups_accumulator_supported()
}

/// The key of a column of integers with no more possible values than its table has rows.
fn integer_key(input: &Arc<dyn ExecutionPlan>, column: usize) -> Option<Key> {
    let (scan, column) = origin(input, column)?;
    let rows = table_rows(scan).filter(|&rows| rows >= LEAST_ROWS)?;
    let (low, high) = integer_bounds(scan, column)?;
    let count = usize::try_from(high.abs_diff(low)).ok()?.checked_add(1)?;
    (count <= MOST_KEYS.min(rows)).then_some(Key::Integers { low, count })
}
