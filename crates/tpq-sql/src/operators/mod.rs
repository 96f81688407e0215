//! Steps of a plan that DataFusion does not have, one file each: the logical node, and what runs
//! for it; or the rule that puts it into a plan that is made already.

pub(crate) mod apply;
mod cancel_checks;
mod checked_filter;
mod column_origin;
mod dense_aggregate;
mod each_batch;
pub(crate) mod early_aggregates;
mod graph_scan;
mod key_table;
mod memory_guards;
mod outer_constants;
mod packed_sort;
mod partition_top_n;
mod portable;
mod shared;
mod span_join;
mod string_id_scans;
mod subplans;
mod subquery_labels;
mod table_call;
mod texts_of_ids;
mod time_windows;

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::{Result, internal_datafusion_err};
use datafusion::execution::SessionState;
use datafusion::execution::context::QueryPlanner;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_planner::{DefaultPhysicalPlanner, ExtensionPlanner, PhysicalPlanner};

use crate::empty_inputs::without_empty_inputs;

pub(crate) use cancel_checks::CANCEL_CHECKS;
pub use cancel_checks::with_cancel_checks;
pub(crate) use dense_aggregate::DenseAggregates;
pub(crate) use graph_scan::{GraphScan, ScanKind, StepTable};
pub(crate) use memory_guards::MemoryGuards;
pub(crate) use outer_constants::OUTER_CONSTANTS;
pub(crate) use packed_sort::PACKED_SORTS;
pub(crate) use partition_top_n::PartitionTopNRule;
pub use portable::{OWN_STEPS, PortableStep, Travel};
pub(crate) use shared::{FindSharedPlans, SHOW_SHARED_PLANS, SettleSharedPlans};
pub(crate) use span_join::{SpanJoin, SpanJoinKind, SpanTable};
pub(crate) use subquery_labels::SUBQUERY_LABELS;
pub(crate) use table_call::TableCall;
pub(crate) use time_windows::TimeWindows;

/// DataFusion's own planner, which asks this module for the nodes it does not know.
#[derive(Debug)]
pub(crate) struct TraceQueryPlanner;

#[async_trait]
impl QueryPlanner for TraceQueryPlanner {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        state: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let partitions = state.config().target_partitions();
        let extensions: Vec<Arc<dyn ExtensionPlanner + Send + Sync>> = vec![
            Arc::new(apply::ApplyPlanner),
            Arc::new(graph_scan::GraphScanPlanner),
            Arc::new(shared::SharedPlanner::new(partitions)),
            Arc::new(span_join::SpanJoinPlanner),
            Arc::new(table_call::TableCallPlanner),
        ];
        let plan = without_empty_inputs(plan, state).await?;
        DefaultPhysicalPlanner::with_extension_planners(extensions)
            .create_physical_plan(&plan, state)
            .await
    }
}

/// The settings and rules that a planner of nodes plans subplans with.
fn session_state(session: &dyn Session) -> Result<&SessionState> {
    session
        .as_any()
        .downcast_ref::<SessionState>()
        .ok_or_else(|| internal_datafusion_err!("a session without the state to plan with"))
}
