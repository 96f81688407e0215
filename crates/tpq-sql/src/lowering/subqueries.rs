//! Subqueries that depend on the row they are in.

use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// Rewrites the subqueries that DataFusion cannot run.
pub(super) fn lower(plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(plan)
}
