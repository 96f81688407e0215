//! From the logical node to what runs.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{LogicalPlan, UserDefinedLogicalNode};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_planner::{ExtensionPlanner, PhysicalPlanner};

use super::TableCall;
use super::exec::TableCallExec;

/// Plans [`TableCall`]s.
pub(in crate::operators) struct TableCallPlanner;

#[async_trait]
impl ExtensionPlanner for TableCallPlanner {
    async fn plan_extension(
        &self,
        planner: &dyn PhysicalPlanner,
        node: &dyn UserDefinedLogicalNode,
        _: &[&LogicalPlan],
        inputs: &[Arc<dyn ExecutionPlan>],
        session: &dyn Session,
        context: &PhysicalPlanningContext,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let Some(call) = node.as_any().downcast_ref::<TableCall>() else { return Ok(None) };
        let [input, ..] = inputs else {
            return internal_err!("a call of a table function without input");
        };
        let physical = |expr, schema| planner.create_physical_expr(expr, schema, session, context);
        let args = call.args.iter().map(|arg| physical(arg, call.input.schema()));
        let args = args.collect::<Result<_>>()?;
        let condition = call.condition.as_ref().map(|on| physical(on, &call.schema)).transpose()?;
        let function = Arc::clone(&call.function);
        function.prepare(session).await?;
        let schema = Arc::clone(call.schema.inner());
        let exec = TableCallExec::try_new(
            Arc::clone(input),
            function,
            args,
            condition,
            call.keep_unmatched,
            schema,
        )?;
        Ok(Some(Arc::new(exec)))
    }
}
