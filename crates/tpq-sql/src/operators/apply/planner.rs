//! From the node to what runs for it.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::Result;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{LogicalPlan, UserDefinedLogicalNode};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_planner::{ExtensionPlanner, PhysicalPlanner};

use super::Apply;
use super::exec::{ApplyExec, Subplan};
use super::parameter::ParameterSlot;
use crate::operators::session_state;

/// Plans [`Apply`].
pub(in crate::operators) struct ApplyPlanner;

#[async_trait]
impl ExtensionPlanner for ApplyPlanner {
    async fn plan_extension(
        &self,
        planner: &dyn PhysicalPlanner,
        node: &dyn UserDefinedLogicalNode,
        _: &[&LogicalPlan],
        inputs: &[Arc<dyn ExecutionPlan>],
        session: &dyn Session,
        context: &PhysicalPlanningContext,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let (Some(apply), [input]) = (node.as_any().downcast_ref::<Apply>(), inputs) else {
            return Ok(None);
        };
        let mut state = session_state(session)?.clone();
        // Run many times, a subplan gains nothing from being cut into parts that run at once, and
        // its first row would be that of any of them.
        state.config_mut().options_mut().execution.target_partitions = 1;
        let slot = ParameterSlot::default();
        let subplan = slot.read_by(state.optimize(&apply.subplan)?)?;
        let subplan = Subplan::new(planner.create_physical_plan(&subplan, &state).await?, slot);
        let params = apply
            .params
            .iter()
            .map(|param| {
                planner.create_physical_expr(param, apply.input.schema(), session, context)
            })
            .collect::<Result<Vec<_>>>()?;
        let schema = Arc::clone(apply.schema.inner());
        let exec = ApplyExec::new(
            Arc::clone(input),
            Arc::new(subplan),
            params,
            apply.kind.clone(),
            schema,
        )?;
        Ok(Some(Arc::new(exec)))
    }
}
