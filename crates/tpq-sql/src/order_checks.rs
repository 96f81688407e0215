//! The check of a finished plan that inputs are in the order that a step wants.
//!
//! DataFusion computes whether an order holds from the ranges of values, and gives up where it knows
//! no range: of `length(name) > 3` or a CASE in a comparison. Then it refuses rows that were just
//! sorted by that expression. Here the order that the input states counts as well.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::config::{ConfigOptions, OptimizerOptions};
use datafusion::physical_expr::LexRequirement;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::sanity_checker::check_plan_sanity;
use datafusion::physical_plan::execution_plan::InvariantLevel;
use datafusion::physical_plan::{ChildSatisfactionOptions, ExecutionPlan, ExecutionPlanProperties};

/// The name of DataFusion's rule.
pub(crate) const NAME: &str = "SanityCheckPlan";

/// Checks a plan as DataFusion does, and leaves it as it is.
#[derive(Debug)]
pub(crate) struct CheckPlan;

impl PhysicalOptimizerRule for CheckPlan {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.apply(|node| {
            check(node, &config.optimizer)?;
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(plan)
    }

    fn name(&self) -> &str {
        NAME
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn check(node: &Arc<dyn ExecutionPlan>, options: &OptimizerOptions) -> Result<()> {
    let Err(error) = check_plan_sanity(node, options) else { return Ok(()) };
    let is_about_order = error.to_string().contains("does not satisfy order requirements");
    if is_about_order && orders_hold(node)? && parts_fit(node)? {
        return node.check_invariants(InvariantLevel::Executable);
    }
    Err(error)
}

/// Whether each input is in the order that is wanted, by what is known or by what it states.
fn orders_hold(node: &Arc<dyn ExecutionPlan>) -> Result<bool> {
    for (child, wanted) in node.children().into_iter().zip(node.required_input_ordering()) {
        let Some(wanted) = wanted.map(|wanted| wanted.into_single()) else { continue };
        let is_known =
            child.equivalence_properties().ordering_satisfy_requirement(wanted.clone())?;
        if !is_known && !is_stated(child, &wanted) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_stated(child: &Arc<dyn ExecutionPlan>, wanted: &LexRequirement) -> bool {
    let Some(order) = child.output_ordering() else { return false };
    let mut stated = order.iter();
    wanted.iter().all(|wanted| {
        stated.next().is_some_and(|stated| {
            stated.expr.eq(&wanted.expr)
                && wanted.options.is_none_or(|options| options == stated.options)
        })
    })
}

/// Whether the rows of each input are split as is wanted.
fn parts_fit(node: &Arc<dyn ExecutionPlan>) -> Result<bool> {
    let wanted = node.input_distribution_requirements();
    for (index, child) in node.children().into_iter().enumerate() {
        let options = ChildSatisfactionOptions::new().with_allow_subset(true);
        if !wanted.child_satisfaction(index, child.as_ref(), options)?.is_satisfied() {
            return Ok(false);
        }
    }
    Ok(true)
}
