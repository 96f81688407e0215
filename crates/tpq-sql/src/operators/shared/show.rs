//! Shared plans in EXPLAIN.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::config::ConfigOptions;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;

use super::exec::SharedReadExec;

/// Shows each shared plan below one of its readers. It is the last rule: those before it must not
/// change the plan of one reader.
#[derive(Debug)]
pub(crate) struct ShowSharedPlans;

impl PhysicalOptimizerRule for ShowSharedPlans {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|step| {
            let shown = step.downcast_ref::<SharedReadExec>().and_then(SharedReadExec::shown);
            Ok(shown.map_or_else(|| Transformed::no(step), Transformed::yes))
        })
        .data()
    }

    fn name(&self) -> &str {
        "show_shared_plans"
    }

    fn schema_check(&self) -> bool {
        true
    }
}
