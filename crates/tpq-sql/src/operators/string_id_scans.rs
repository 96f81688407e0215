//! Scans below a step that give string ids in place of the text of a column.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::filter::{FilterExec, FilterExecBuilder};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::{ExecutionPlan, replace_children_if_necessary};

use super::column_origin::column_of_filter;
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
        let Some(column) = column_of_filter(filter, column) else { return Ok(None) };
        if reads(filter.predicate(), column) {
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
    if plan.downcast_ref::<CooperativeExec>().is_some()
        && let [input] = plan.children()[..]
    {
        let Some((input, ids)) = with_ids_below(input, column)? else { return Ok(None) };
        return Ok(Some((replace_children_if_necessary(Arc::clone(plan), vec![input])?, ids)));
    }
    Ok(None)
}

/// Whether an expression reads a column.
pub(super) fn reads(expr: &Arc<dyn PhysicalExpr>, column: usize) -> bool {
    collect_columns(expr).iter().any(|read| read.index() == column)
}
