//! The parts of a plan, with what DataFusion does not take for parts: the plans that [`Apply`] and
//! [`GraphScan`] run many times are no inputs of these steps.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::{Extension, LogicalPlan, UserDefinedLogicalNode};

use super::apply::Apply;
use super::graph_scan::GraphScan;

/// The plan that a step runs many times, apart from its inputs.
pub(super) fn subplan_of(plan: &LogicalPlan) -> Option<&LogicalPlan> {
    let LogicalPlan::Extension(extension) = plan else { return None };
    let node = extension.node.as_any();
    match node.downcast_ref::<Apply>() {
        Some(apply) => Some(apply.subplan()),
        None => node.downcast_ref::<GraphScan>().map(GraphScan::step),
    }
}

/// Whether a step is a [`GraphScan`], with a subplan that reads a table of its own.
pub(super) fn is_graph_scan(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Extension(extension) => extension.node.as_any().is::<GraphScan>(),
        _ => false,
    }
}

/// The step with another such plan, of the same columns; `None` where it has none.
pub(super) fn with_subplan(plan: &LogicalPlan, subplan: LogicalPlan) -> Option<LogicalPlan> {
    let LogicalPlan::Extension(extension) = plan else { return None };
    let node = extension.node.as_any();
    let subplan = Arc::new(subplan);
    let node: Arc<dyn UserDefinedLogicalNode> = match node.downcast_ref::<Apply>() {
        Some(apply) => Arc::new(apply.with_subplan(subplan)),
        None => Arc::new(node.downcast_ref::<GraphScan>()?.with_step(subplan)),
    };
    Some(LogicalPlan::Extension(Extension { node }))
}

/// Calls `visit` with the inputs of a step, its subqueries and its subplan, and whether each runs
/// many times when the step, which may do so itself, runs once.
pub(super) fn each_part(
    plan: &LogicalPlan,
    is_repeated: bool,
    visit: &mut dyn FnMut(&LogicalPlan, bool) -> Result<()>,
) -> Result<()> {
    plan.apply_subqueries(|subquery| {
        visit(subquery, is_repeated)?;
        Ok(TreeNodeRecursion::Continue)
    })?;
    if let LogicalPlan::RecursiveQuery(query) = plan {
        visit(&query.static_term, is_repeated)?;
        return visit(&query.recursive_term, true);
    }
    for input in plan.inputs() {
        visit(input, is_repeated)?;
    }
    match subplan_of(plan) {
        Some(subplan) => visit(subplan, true),
        None => Ok(()),
    }
}

/// The step with its parts, as [`each_part`] has them, changed into others of the same columns.
pub(super) fn map_parts(
    plan: LogicalPlan,
    is_repeated: bool,
    change: &mut dyn FnMut(LogicalPlan, bool) -> Result<LogicalPlan>,
) -> Result<LogicalPlan> {
    let plan =
        plan.map_subqueries(|subquery| Ok(Transformed::yes(change(subquery, is_repeated)?)))?.data;
    if let LogicalPlan::RecursiveQuery(mut query) = plan {
        let first = query.static_term.as_ref().clone();
        query.static_term = Arc::new(change(first, is_repeated)?);
        let next = query.recursive_term.as_ref().clone();
        query.recursive_term = Arc::new(change(next, true)?);
        return Ok(LogicalPlan::RecursiveQuery(query));
    }
    let plan = plan.map_children(|input| Ok(Transformed::yes(change(input, is_repeated)?)))?.data;
    let Some(subplan) = subplan_of(&plan).cloned() else { return Ok(plan) };
    let subplan = change(subplan, true)?;
    Ok(with_subplan(&plan, subplan).unwrap_or(plan))
}
