//! Scans below a step that give string ids in place of the text of a column.

use std::sync::Arc;

use datafusion::common::{JoinType, Result};
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::filter::{FilterExec, FilterExecBuilder};
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::{ExecutionPlan, Partitioning, replace_children_if_necessary};

use super::column_origin::{Side, column_of_filter, side};
use super::key_table::{LEAST_ROWS, MOST_KEYS};
use crate::scan::{StringIds, table_rows, with_string_ids};

/// The plan with string ids in place of the text of a column; `None` if a step of it needs the
/// text, or if the table is small.
pub(super) fn with_ids_below(
    plan: &Arc<dyn ExecutionPlan>,
    column: usize,
) -> Result<Option<(Arc<dyn ExecutionPlan>, StringIds)>> {
    if let Some(scan) = plan.downcast_ref::<DataSourceExec>() {
        let found = match table_rows(scan) {
            Some(rows) if rows >= LEAST_ROWS => with_string_ids(scan, column),
            _ => None,
        };
        return Ok(found.filter(|(_, ids)| ids.count() <= MOST_KEYS));
    }
    if let Some(filter) = plan.downcast_ref::<FilterExec>() {
        let given_once = gives_once(filter.projection().as_deref(), column);
        let Some(column) = column_of_filter(filter, column) else { return Ok(None) };
        if reads(filter.predicate(), column) || !given_once {
            return Ok(None);
        }
        let Some((input, ids)) = with_ids_below(filter.input(), column)? else { return Ok(None) };
        let filter = FilterExecBuilder::from(filter).with_input(input).build()?;
        let step: Arc<dyn ExecutionPlan> = Arc::new(filter);
        return Ok(Some((step, ids)));
    }
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        let exprs = projection.expr();
        let read = exprs.get(column).and_then(|expr| expr.expr.downcast_ref::<Column>());
        let Some(below) = read.map(Column::index) else { return Ok(None) };
        let mut others = exprs.iter().enumerate().filter(|&(position, _)| position != column);
        if others.any(|(_, expr)| reads(&expr.expr, below)) {
            return Ok(None);
        }
        let Some((input, ids)) = with_ids_below(projection.input(), below)? else {
            return Ok(None);
        };
        let projection = ProjectionExec::try_new(exprs.to_vec(), input)?;
        let step: Arc<dyn ExecutionPlan> = Arc::new(projection);
        return Ok(Some((step, ids)));
    }
    if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
        return with_ids_below_join(plan, join, column);
    }
    let moves = plan.downcast_ref::<RepartitionExec>();
    let passes_on = plan.is::<CooperativeExec>() || moves.is_some_and(|it| !hashes(it, column));
    if passes_on && let [input] = plan.children()[..] {
        let Some((input, ids)) = with_ids_below(input, column)? else { return Ok(None) };
        return Ok(Some((replace_children_if_necessary(Arc::clone(plan), vec![input])?, ids)));
    }
    Ok(None)
}

/// The same for a join, for a side that keeps all its values. The other side of an outer join gets
/// NULLs, which would have no id.
fn with_ids_below_join(
    plan: &Arc<dyn ExecutionPlan>,
    join: &HashJoinExec,
    column: usize,
) -> Result<Option<(Arc<dyn ExecutionPlan>, StringIds)>> {
    use JoinType::{Inner, Left, Right};
    if join.filter().is_some() || !gives_once(join.projection.as_deref(), column) {
        return Ok(None);
    }
    let (input, column) = match (side(join, column), join.join_type()) {
        (Some(Side::Build(column)), Inner | Left) => (0, column),
        (Some(Side::Probe(column)), Inner | Right) => (1, column),
        _ => return Ok(None),
    };
    if join.on().iter().any(|(build, probe)| reads([build, probe][input], column)) {
        return Ok(None);
    }
    let mut inputs = vec![Arc::clone(join.left()), Arc::clone(join.right())];
    let Some((with_ids, ids)) = with_ids_below(&inputs[input], column)? else { return Ok(None) };
    inputs[input] = with_ids;
    Ok(Some((replace_children_if_necessary(Arc::clone(plan), inputs)?, ids)))
}

/// Whether a step that gives these columns of its input gives the one at a position nowhere else.
fn gives_once(projection: Option<&[usize]>, column: usize) -> bool {
    let Some(projection) = projection else { return true };
    let Some(below) = projection.get(column) else { return false };
    projection.iter().filter(|&other| other == below).count() == 1
}

/// Whether rows go to partitions by a hash of a column.
fn hashes(step: &RepartitionExec, column: usize) -> bool {
    match step.partitioning() {
        Partitioning::Hash(keys, _) => keys.iter().any(|key| reads(key, column)),
        Partitioning::Range(_) => true,
        Partitioning::RoundRobinBatch(_) | Partitioning::UnknownPartitioning(_) => false,
    }
}

/// Whether an expression reads a column.
pub(super) fn reads(expr: &Arc<dyn PhysicalExpr>, column: usize) -> bool {
    collect_columns(expr).iter().any(|read| read.index() == column)
}
