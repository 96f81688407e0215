//! The check of a finished plan that inputs are in the order that a step wants.
//!
//! DataFusion derives whether an order holds from the ranges of values, and gives up where it knows
//! no range: of `length(name) > 3`, or of a CASE in a comparison. Then it refuses rows that were
//! sorted by that expression a step before.
//!
//! One more kind of plan passes here: one that DataFusion refuses for an order only, and in which
//! the order that a step wants of an input is the beginning of the order that the input states
//! itself: the same expressions, in the same sequence and directions. That is sound because an input
//! states an order only if its rows have it: it was sorted so, or keeps the order of an input that
//! was. DataFusion trusts the same statement, but looks each expression up by its range first. An
//! order stated of several that hold at once is one after the other: rows that are in order by
//! `a`, and in order by `b`, are in order by `a, b`.
//!
//! Nothing else is let through. Every input of such a step is checked again, by what is known or by
//! what it states, and so is how its rows are split, because DataFusion stops at the first fault.

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

#[cfg(test)]
mod tests {
    use datafusion::arrow::datatypes::{DataType, Field, Schema};
    use datafusion::logical_expr::Operator;
    use datafusion::physical_expr::expressions::{binary, col, is_null, lit};
    use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
    use datafusion::physical_optimizer::output_requirements::OutputRequirementExec;
    use datafusion::physical_plan::Distribution;
    use datafusion::physical_plan::empty::EmptyExec;
    use datafusion::physical_plan::sorts::sort::SortExec;

    use super::*;

    fn schema() -> Arc<Schema> {
        let field = |name| Field::new(name, DataType::Int64, true);
        Arc::new(Schema::new(vec![field("a"), field("b")]))
    }

    fn column(name: &str) -> PhysicalSortExpr {
        PhysicalSortExpr::new_default(col(name, &schema()).unwrap())
    }

    /// `(a IS NULL) > false`: nothing is known of the range of its left side.
    fn unranged() -> PhysicalSortExpr {
        let left = is_null(col("a", &schema()).unwrap()).unwrap();
        let compared = binary(left, Operator::Gt, lit(false), &schema());
        PhysicalSortExpr::new_default(compared.unwrap())
    }

    /// A step that wants one order of an input of two parts that are sorted by another.
    fn plan(
        sorted: Vec<PhysicalSortExpr>,
        wanted: Vec<PhysicalSortExpr>,
        split: Distribution,
    ) -> Arc<dyn ExecutionPlan> {
        let mut input: Arc<dyn ExecutionPlan> =
            Arc::new(EmptyExec::new(schema()).with_partitions(2));
        if let Some(order) = LexOrdering::new(sorted) {
            input = Arc::new(SortExec::new(order, input).with_preserve_partitioning(true));
        }
        let wanted = LexOrdering::new(wanted).map(Into::into);
        Arc::new(OutputRequirementExec::new(input, wanted, split, None))
    }

    fn passes(sorted: Vec<PhysicalSortExpr>, wanted: Vec<PhysicalSortExpr>) -> bool {
        let plan = plan(sorted, wanted, Distribution::UnspecifiedDistribution);
        CheckPlan.optimize(plan, &ConfigOptions::default()).is_ok()
    }

    #[test]
    fn an_order_that_the_input_states_is_taken() {
        let sorted =
            plan(vec![unranged()], vec![unranged()], Distribution::UnspecifiedDistribution);
        let options = ConfigOptions::default();
        // Once DataFusion passes such a plan, this rule has no use.
        assert!(check_plan_sanity(&sorted, &options.optimizer).is_err());
        assert!(passes(vec![unranged()], vec![unranged()]));
        assert!(passes(vec![unranged(), column("b")], vec![unranged()]));
        assert!(passes(vec![column("b"), unranged()], vec![column("b"), unranged()]));
    }

    #[test]
    fn rows_in_another_order_are_refused() {
        assert!(!passes(vec![], vec![unranged()]));
        assert!(!passes(vec![], vec![column("a")]));
        assert!(!passes(vec![column("a")], vec![column("b")]));
        assert!(!passes(vec![column("b")], vec![unranged()]));
        assert!(!passes(vec![unranged().desc()], vec![unranged()]));
        assert!(!passes(vec![unranged().nulls_last()], vec![unranged().nulls_first()]));
        assert!(!passes(vec![unranged()], vec![unranged(), column("b")]));
        assert!(!passes(vec![column("b"), unranged()], vec![unranged()]));
        assert!(!passes(vec![unranged(), column("b")], vec![column("b"), unranged()]));
    }

    #[test]
    fn rows_in_order_that_are_split_otherwise_are_refused() {
        let split = plan(vec![unranged()], vec![unranged()], Distribution::SinglePartition);
        assert!(CheckPlan.optimize(split, &ConfigOptions::default()).is_err());
    }
}
