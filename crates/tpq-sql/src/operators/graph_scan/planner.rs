//! From the node to what runs for it.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::{Result, internal_err};
use datafusion::execution::SessionState;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{LogicalPlan, UserDefinedLogicalNode};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_planner::{ExtensionPlanner, PhysicalPlanner};

use super::GraphScan;
use super::exec::GraphScanExec;
use super::step::Step;
use crate::operators::session_state;

/// Plans [`GraphScan`]s.
pub(in crate::operators) struct GraphScanPlanner;

#[async_trait]
impl ExtensionPlanner for GraphScanPlanner {
    async fn plan_extension(
        &self,
        planner: &dyn PhysicalPlanner,
        node: &dyn UserDefinedLogicalNode,
        _: &[&LogicalPlan],
        inputs: &[Arc<dyn ExecutionPlan>],
        session: &dyn Session,
        _: &PhysicalPlanningContext,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let Some(scan) = node.as_any().downcast_ref::<GraphScan>() else { return Ok(None) };
        let [edges, init] = inputs else {
            return internal_err!("GraphScan takes edges and initial rows");
        };
        let state = for_many_runs(session_state(session)?);
        let step = state.optimize(&scan.step)?;
        let step = Step::new(planner.create_physical_plan(&step, &state).await?);
        let inputs = [Arc::clone(edges), Arc::clone(init)];
        let schema = Arc::clone(scan.schema.inner());
        Ok(Some(Arc::new(GraphScanExec::new(scan.kind, inputs, step, schema))))
    }
}

/// The settings for a plan that runs many times.
fn for_many_runs(state: &SessionState) -> SessionState {
    let mut state = state.clone();
    let options = state.config_mut().options_mut();
    // Partitions that run at the same time gain nothing for a few rows.
    options.execution.target_partitions = 1;
    // A filter that a run computed would filter the rows of the next run.
    options.optimizer.enable_dynamic_filter_pushdown = false;
    options.optimizer.enable_topk_dynamic_filter_pushdown = false;
    options.optimizer.enable_join_dynamic_filter_pushdown = false;
    options.optimizer.enable_aggregate_dynamic_filter_pushdown = false;
    state
}
