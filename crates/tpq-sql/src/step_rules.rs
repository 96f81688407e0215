//! Rules of the optimizer that look at one step of a plan at a time.
//!
//! DataFusion asks for a type with a trait for each rule. These rules differ in a name and a
//! function alone. A rule that needs settings, or what it saw in other steps, has a type of its
//! own.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::config::ConfigOptions;
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;

/// A rule that rewrites the steps of a logical plan, each before its inputs.
#[derive(Debug)]
pub(crate) struct StepRule {
    /// The name for DataFusion, unique among rules.
    pub name: &'static str,
    /// Rewrites a step, or returns it as it is.
    pub rewrite: fn(LogicalPlan) -> Result<Transformed<LogicalPlan>>,
}

/// A step of a physical plan, in which all inputs are rewritten.
type Step = Arc<dyn ExecutionPlan>;

/// A rule that rewrites the steps of a physical plan, each after its inputs.
#[derive(Debug)]
pub(crate) struct PhysicalStepRule {
    pub name: &'static str,
    pub rewrite: fn(Step) -> Result<Transformed<Step>>,
}

/// The replacement of a step; the step as it is if there is none.
pub(crate) fn replaced<T>(replacement: Option<T>, step: T) -> Transformed<T> {
    replacement.map_or_else(|| Transformed::no(step), Transformed::yes)
}

impl OptimizerRule for StepRule {
    fn name(&self) -> &str {
        self.name
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::TopDown)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        (self.rewrite)(plan)
    }
}

impl PhysicalOptimizerRule for PhysicalStepRule {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(self.rewrite).data()
    }

    fn name(&self) -> &str {
        self.name
    }

    fn schema_check(&self) -> bool {
        true
    }
}
