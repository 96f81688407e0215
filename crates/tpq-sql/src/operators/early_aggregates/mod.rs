//! Aggregation before joins: `SELECT thread.name, sum(dur) FROM sched JOIN thread USING (utid)
//! GROUP BY thread.name` joins millions of rows to keep as many as there are names.
//!
//! ```text
//! AggregateExec: Partial, gby=[name]         AggregateExec: PartialReduce, gby=[name]
//!   HashJoinExec: utid                         HashJoinExec: utid
//!     DataSourceExec: thread             ──▶     DataSourceExec: thread
//!     DataSourceExec: sched_slice                AggregateExec: Partial, gby=[utid]
//!                                                  DataSourceExec: sched_slice
//! ```
//!
//! The large table is grouped by the key of the join, and the states of functions are joined in
//! place of its rows. A row that the join repeats has its state merged as often, and a row without
//! a partner has none. So groups are those of the joined rows, whether or not the keys of the small
//! side are distinct. That holds for functions with a state that the order of rows does not change.
//! They must not fail for rows without a partner either: a sum is computed early only if it cannot
//! overflow.

mod functions;

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{JoinType, Result};
use datafusion::config::ConfigOptions;
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode, PhysicalGroupBy};
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::{HashJoinExec, PartitionMode};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode};

use super::column_origin::{Side, origin, side};
use super::key_table::LEAST_ROWS;
use crate::scan::{integer_bounds, table_rows};
use functions::Functions;

/// How many rows of its table a key of the join must have on average.
const ROWS_OF_KEY: usize = 8;

/// Groups large tables before they are joined.
#[derive(Debug)]
struct EarlyAggregates;

/// The rules, with this one before that which tells scans the keys of joins while they run.
pub(crate) fn before(
    mut rules: Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>>,
) -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
    let last = rules.iter().rposition(|rule| rule.name().starts_with("FilterPushdown"));
    rules.insert(last.unwrap_or(rules.len()), Arc::new(EarlyAggregates));
    rules
}

impl PhysicalOptimizerRule for EarlyAggregates {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let replaced = plan.transform_up(|node| {
            let early = node.downcast_ref::<AggregateExec>().map(early).transpose()?.flatten();
            Ok(match early {
                Some(early) => Transformed::yes(early),
                None => Transformed::no(node),
            })
        });
        replaced.data()
    }

    fn name(&self) -> &str {
        "early_aggregates"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The step in place of the first step of an aggregation over joins, where the largest table can be
/// grouped before.
fn early(aggregate: &AggregateExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let groups = aggregate.group_expr();
    let is_first = *aggregate.mode() == AggregateMode::Partial
        && *aggregate.input_order_mode() == InputOrderMode::Linear;
    if !is_first || !groups.is_single() || aggregate.limit_options().is_some() {
        return Ok(None);
    }
    let keys = groups.expr().iter().map(|(key, _)| Some(key.downcast_ref::<Column>()?.index()));
    let Some(keys) = keys.collect::<Option<Vec<usize>>>().filter(|keys| !keys.is_empty()) else {
        return Ok(None);
    };
    let Some(functions) = Functions::of(aggregate) else { return Ok(None) };
    let Some(joined) = joined(aggregate.input(), &keys, functions)? else { return Ok(None) };
    let schema = joined.schema();
    let columns = groups.expr().iter().enumerate().map(|(position, (_, name))| {
        (column(schema.field(position).name(), position), name.clone())
    });
    let merged = AggregateExec::try_new(
        AggregateMode::PartialReduce,
        PhysicalGroupBy::new_single(columns.collect()),
        aggregate.aggr_expr().to_vec(),
        vec![None; aggregate.aggr_expr().len()],
        joined,
        aggregate.input_schema(),
    )?;
    let is_hashed = *merged.input_order_mode() == InputOrderMode::Linear;
    Ok(is_hashed.then(|| Arc::new(merged) as Arc<dyn ExecutionPlan>))
}

fn column(name: &str, position: usize) -> Arc<dyn PhysicalExpr> {
    Arc::new(Column::new(name, position))
}

/// A join of states in place of rows: `wanted` columns of `plan` and then the states. `None` if
/// `plan` is no join, or if its rows cannot be grouped before.
fn joined(
    plan: &Arc<dyn ExecutionPlan>,
    wanted: &[usize],
    functions: Functions<'_>,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        let below = |&position: &usize| {
            let expr = &projection.expr().get(position)?.expr;
            Some(expr.downcast_ref::<Column>()?.index())
        };
        let wanted: Option<Vec<usize>> = wanted.iter().map(below).collect();
        let functions = functions.moved(|position| below(&position));
        let (Some(wanted), Some(functions)) = (wanted, functions) else { return Ok(None) };
        return joined(projection.input(), &wanted, functions);
    }
    let Some(join) = plan.downcast_ref::<HashJoinExec>() else { return Ok(None) };
    let Some(key) = only_key(join) else { return Ok(None) };
    let functions = functions.moved(|position| match side(join, position)? {
        Side::Probe(position) => Some(position),
        Side::Build(_) => None,
    });
    let of_build = join.left().schema().fields().len();
    let wanted = wanted.iter().map(|&position| match side(join, position)? {
        Side::Build(position) => Some(position),
        // The only column of the probe side that is still there, as its first.
        Side::Probe(position) => (position == key).then_some(of_build),
    });
    let (Some(mut columns), Some(functions)) = (wanted.collect::<Option<Vec<_>>>(), functions)
    else {
        return Ok(None);
    };
    let Some(states) = states(join.right(), key, functions)? else { return Ok(None) };
    let schema = states.schema();
    columns.extend(of_build + 1..of_build + schema.fields().len());
    let on =
        join.on().iter().map(|(build, _)| (Arc::clone(build), column(schema.field(0).name(), 0)));
    let join = HashJoinExec::try_new(
        Arc::clone(join.left()),
        Arc::clone(&states),
        on.collect(),
        None,
        &JoinType::Inner,
        Some(columns),
        PartitionMode::CollectLeft,
        join.null_equality(),
        false,
    )?;
    Ok(Some(Arc::new(join)))
}

/// The column of the probe side by which a join finds rows, if it is of the simplest kind.
fn only_key(join: &HashJoinExec) -> Option<usize> {
    let is_plain = *join.join_type() == JoinType::Inner
        && *join.partition_mode() == PartitionMode::CollectLeft
        && join.filter().is_none()
        && join.fetch().is_none();
    match join.on() {
        [(_, probe)] if is_plain => probe.downcast_ref::<Column>().map(Column::index),
        _ => None,
    }
}

/// The values of a column of `plan` with the states of their rows.
fn states(
    plan: &Arc<dyn ExecutionPlan>,
    key: usize,
    functions: Functions<'_>,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if !is_scan(plan) {
        return joined(plan, &[key], functions);
    }
    let Some(rows) = origin(plan, key).and_then(|(scan, column)| {
        let rows = table_rows(scan).filter(|&rows| rows >= LEAST_ROWS)?;
        let (low, high) = integer_bounds(scan, column)?;
        let keys = usize::try_from(high.abs_diff(low)).ok()?.checked_add(1)?;
        (keys <= rows / ROWS_OF_KEY).then_some(rows)
    }) else {
        return Ok(None);
    };
    if !functions.cannot_fail(plan, rows) {
        return Ok(None);
    }
    let schema = plan.schema();
    let Some((functions, filters)) = functions.over(&schema)? else { return Ok(None) };
    let name = schema.field(key).name();
    // Filters find the column by its name.
    if schema.index_of(name).ok() != Some(key) {
        return Ok(None);
    }
    let groups = PhysicalGroupBy::new_single(vec![(column(name, key), name.clone())]);
    let input = Arc::clone(plan);
    let (mode, schema) = (AggregateMode::Partial, Arc::clone(&schema));
    let states = AggregateExec::try_new(mode, groups, functions, filters, input, schema)?;
    Ok(Some(Arc::new(states)))
}

/// Whether a plan gives rows of one table, as many as the table has at most.
fn is_scan(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let passes_on =
        plan.is::<FilterExec>() || plan.is::<ProjectionExec>() || plan.is::<CooperativeExec>();
    let is_below = || plan.children().into_iter().all(is_scan);
    // A limit counts rows: filters that a join hands down must stay above it.
    plan.fetch().is_none() && (plan.is::<DataSourceExec>() || passes_on && is_below())
}
