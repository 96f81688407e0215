//! From the logical node to what runs.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{LogicalPlan, UserDefinedLogicalNode};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_planner::{ExtensionPlanner, PhysicalPlanner};

use super::SpanJoin;
use super::exec::SpanJoinExec;

/// Plans [`SpanJoin`]s.
pub(in crate::operators) struct SpanJoinPlanner;

#[async_trait]
impl ExtensionPlanner for SpanJoinPlanner {
    async fn plan_extension(
        &self,
        _: &dyn PhysicalPlanner,
        node: &dyn UserDefinedLogicalNode,
        _: &[&LogicalPlan],
        inputs: &[Arc<dyn ExecutionPlan>],
        _: &dyn Session,
        _: &PhysicalPlanningContext,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let Some(join) = node.as_any().downcast_ref::<SpanJoin>() else { return Ok(None) };
        let [left, right] = inputs else {
            return internal_err!("a span join of other than two tables");
        };
        let inputs = [Arc::clone(left), Arc::clone(right)];
        let schema = Arc::clone(join.schema.inner());
        let names = join.names.clone();
        let exec = SpanJoinExec::try_new(inputs, join.kind, join.partitions, names, schema)?;
        Ok(Some(Arc::new(exec)))
    }
}
