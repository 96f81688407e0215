//! Values computed for each row of a cross join, moved to the side that they depend on.
//!
//! A condition with a subquery, `a JOIN b ON b.id = (SELECT … WHERE … = a.x)`, is first a filter
//! over a value that is computed for each pair of rows. When the value reads columns of one side
//! only, that side computes it, and the condition can become a key of the join.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::logical_expr::{Expr, Join, JoinType, LogicalPlan, LogicalPlanBuilder};

use crate::operators::apply::Apply;

/// Moves such values in a plan and in the subplans that it runs for each row.
pub(super) fn lower(plan: LogicalPlan) -> Result<LogicalPlan> {
    plan.transform_down(|node| {
        let Some(apply) = Apply::of(&node) else { return Ok(Transformed::no(node)) };
        let subplan = lower(apply.subplan().clone())?;
        let apply = apply.with_subplan(Arc::new(subplan));
        match on_one_side(&apply)? {
            Some(plan) => Ok(Transformed::yes(plan)),
            None => Ok(Transformed::yes(apply.into_plan())),
        }
    })
    .data()
}

/// The cross join of one side with the value and the other side; `None` where the value needs
/// both, or neither.
fn on_one_side(apply: &Apply) -> Result<Option<LogicalPlan>> {
    let LogicalPlan::Join(join) = apply.input() else { return Ok(None) };
    if !apply.gives_value() || !is_cross(join) {
        return Ok(None);
    }
    let columns: Vec<_> = apply.params().iter().flat_map(Expr::column_refs).collect();
    if columns.is_empty() {
        return Ok(None);
    }
    let (mut left, mut right) = (join.left.as_ref().clone(), join.right.as_ref().clone());
    let all_in = |side: &LogicalPlan| columns.iter().all(|column| side.schema().has_column(column));
    match (all_in(&left), all_in(&right)) {
        (true, false) => left = apply.over(left)?,
        (false, true) => right = apply.over(right)?,
        _ => return Ok(None),
    }
    let columns = apply.columns().into_iter().map(Expr::Column);
    LogicalPlanBuilder::from(left).cross_join(right)?.project(columns)?.build().map(Some)
}

fn is_cross(join: &Join) -> bool {
    join.join_type == JoinType::Inner && join.on.is_empty() && join.filter.is_none()
}
