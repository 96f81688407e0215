//! The scan that a column of a plan comes from.

use std::sync::Arc;

use datafusion::common::JoinType;
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;

/// The side of a join that a column of it comes from.
pub(super) enum Side {
    Build(usize),
    Probe(usize),
}

/// The scan that the values of a column come from, with the position of the column in it. The
/// column has no other values, but may have NULLs that an outer join added.
pub(super) fn origin(
    plan: &Arc<dyn ExecutionPlan>,
    column: usize,
) -> Option<(&DataSourceExec, usize)> {
    if let Some(scan) = plan.downcast_ref::<DataSourceExec>() {
        return Some((scan, column));
    }
    if let Some(filter) = plan.downcast_ref::<FilterExec>() {
        return origin(filter.input(), column_of_filter(filter, column)?);
    }
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        let expr = &projection.expr().get(column)?.expr;
        return origin(projection.input(), expr.downcast_ref::<Column>()?.index());
    }
    if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
        return match side(join, column)? {
            Side::Build(column) => origin(join.left(), column),
            Side::Probe(column) => origin(join.right(), column),
        };
    }
    let passes_on = plan.downcast_ref::<CooperativeExec>().is_some()
        || plan.downcast_ref::<RepartitionExec>().is_some();
    origin(plan.children().first().copied().filter(|_| passes_on)?, column)
}

/// The column of the input that a column of a filter is.
pub(super) fn column_of_filter(filter: &FilterExec, column: usize) -> Option<usize> {
    match filter.projection() {
        Some(projection) => projection.get(column).copied(),
        None => Some(column),
    }
}

/// The column of the inputs that a column of a join is; `None` for joins that give other columns
/// than those of both inputs.
pub(super) fn side(join: &HashJoinExec, column: usize) -> Option<Side> {
    use JoinType::{Full, Inner, Left, Right};
    if !matches!(join.join_type(), Inner | Left | Right | Full) {
        return None;
    }
    let column = match &join.projection {
        Some(projection) => projection.get(column).copied()?,
        None => column,
    };
    let of_build = join.left().schema().fields().len();
    Some(match column.checked_sub(of_build) {
        Some(column) => Side::Probe(column),
        None => Side::Build(column),
    })
}
