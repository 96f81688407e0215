//! Shared plans in EXPLAIN.

use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;

use super::exec::SharedReadExec;
use crate::step_rules::{PhysicalStepRule, replaced};

/// Shows each shared plan below one of its readers. It is the last rule: those before it must not
/// change the plan of one reader.
pub(crate) const SHOW_SHARED_PLANS: PhysicalStepRule = PhysicalStepRule {
    name: "show_shared_plans",
    rewrite: |step| Ok(replaced(shown(&step), step)),
};

fn shown(step: &Arc<dyn ExecutionPlan>) -> Option<Arc<dyn ExecutionPlan>> {
    step.downcast_ref::<SharedReadExec>().and_then(SharedReadExec::shown)
}
