//! Filters that give only the columns that are used above them.
//!
//! A filter may leave out and reorder columns as it goes. DataFusion's last pass over projections
//! moves one below such a filter as if the filter gave its input's columns, and then fails or,
//! where names happen to fit, would read others. So projections over such filters are made part of
//! them first.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::filter::{FilterExec, FilterExecBuilder};
use datafusion::physical_plan::projection::{ProjectionExec, ProjectionExpr};

use crate::step_rules::{PhysicalStepRule, replaced};

/// Makes projections over filters that choose their columns part of the filters.
const NARROW_FILTERS: PhysicalStepRule = PhysicalStepRule {
    name: "narrow_filters",
    rewrite: |step| Ok(replaced(narrowed(&step)?, step)),
};

/// DataFusion's rules, with [`NARROW_FILTERS`] before the last that moves projections.
pub(crate) fn rules() -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
    let mut rules = PhysicalOptimizer::new().rules;
    let last = rules.iter().rposition(|rule| rule.name() == "ProjectionPushdown");
    rules.insert(last.unwrap_or(rules.len()), Arc::new(NARROW_FILTERS));
    rules
}

/// A projection over a filter that chooses its columns, with nothing left for the two to disagree
/// about; `None` where there is none.
fn narrowed(node: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let Some(projection) = node.downcast_ref::<ProjectionExec>() else { return Ok(None) };
    let Some(filter) = projection.input().downcast_ref::<FilterExec>() else { return Ok(None) };
    if filter.projection().is_none() {
        return Ok(None);
    }
    let mut used: Vec<usize> = Vec::new();
    for expr in projection.expr() {
        let mut columns: Vec<usize> =
            collect_columns(&expr.expr).iter().map(Column::index).collect();
        columns.sort_unstable();
        columns.retain(|column| !used.contains(column));
        used.extend(columns);
    }
    let filter = FilterExecBuilder::from(filter).apply_projection(Some(used.clone()))?.build()?;
    let input: Arc<dyn ExecutionPlan> = Arc::new(filter);
    let exprs = projection.expr().iter().map(|expr| {
        let moved = moved(Arc::clone(&expr.expr), &used)?;
        Ok(ProjectionExpr { expr: moved, alias: expr.alias.clone() })
    });
    let exprs = exprs.collect::<Result<Vec<_>>>()?;
    let is_plain = |(index, expr): (usize, &ProjectionExpr)| {
        let column = expr.expr.downcast_ref::<Column>();
        column.is_some_and(|column| column.index() == index && column.name() == expr.alias)
    };
    if exprs.len() == used.len() && exprs.iter().enumerate().all(is_plain) {
        return Ok(Some(input));
    }
    Ok(Some(Arc::new(ProjectionExec::try_new(exprs, input)?)))
}

/// An expression with columns renumbered by their positions in `used`.
pub(crate) fn moved(expr: Arc<dyn PhysicalExpr>, used: &[usize]) -> Result<Arc<dyn PhysicalExpr>> {
    let expr = expr.transform(|expr| {
        let Some(column) = expr.downcast_ref::<Column>() else { return Ok(Transformed::no(expr)) };
        let Some(index) = used.iter().position(|&used| used == column.index()) else {
            return Ok(Transformed::no(expr));
        };
        let column: Arc<dyn PhysicalExpr> = Arc::new(Column::new(column.name(), index));
        Ok(Transformed::yes(column))
    });
    expr.data()
}
