//! Stages that stop when their task is cancelled.
//!
//! Ballista drops the future of a cancelled task. The parts of its stage run in tasks of the
//! runtime that are not dropped, so they would go on to their end. Here a stage has a token that is
//! cancelled with the future, and its steps look at the token. Errors of storage leave a stage as
//! those that Ballista tries a task again for.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use async_trait::async_trait;
use ballista_core::JobId;
use ballista_core::serde::protobuf::{
    RuntimeStatsReport, ShuffleWritePartition, TaskColumnStats, WindowStateReport,
};
use ballista_executor::execution_engine::{
    DefaultExecutionEngine, ExecutionEngine, QueryStageExecutor,
};
use datafusion::common::Result;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::prelude::SessionConfig;
use tpq_sql::{CancelOnDrop, CancelToken, with_cancel_checks};

use crate::storage_error::retryable;

/// Ballista's engine, with stages that can be cancelled.
pub(crate) struct CancellableEngine(DefaultExecutionEngine);

impl CancellableEngine {
    pub(crate) fn new() -> Self {
        Self(DefaultExecutionEngine::new())
    }
}

impl ExecutionEngine for CancellableEngine {
    fn create_query_stage_exec(
        &self,
        job_id: JobId,
        stage_id: usize,
        task_id: usize,
        global_output_partition_ids: Vec<usize>,
        plan: Arc<dyn ExecutionPlan>,
        work_dir: &str,
        config: &SessionConfig,
    ) -> Result<Arc<dyn QueryStageExecutor>> {
        let plan = with_cancel_checks(plan)?;
        let stage = self.0.create_query_stage_exec(
            job_id,
            stage_id,
            task_id,
            global_output_partition_ids,
            plan,
            work_dir,
            config,
        )?;
        Ok(Arc::new(CancellableStage(stage)))
    }
}

#[derive(Debug)]
struct CancellableStage(Arc<dyn QueryStageExecutor>);

impl Display for CancellableStage {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[async_trait]
impl QueryStageExecutor for CancellableStage {
    async fn execute_query_stage(
        &self,
        task_id: usize,
        context: Arc<TaskContext>,
    ) -> Result<Vec<ShuffleWritePartition>> {
        let stop = CancelOnDrop(CancelToken::default());
        let config = stop.0.carried_by(context.session_config().clone());
        let context = Arc::new(with_config(&context, config));
        self.0.execute_query_stage(task_id, context).await.map_err(retryable)
    }

    fn collect_plan_metrics(&self) -> Vec<MetricsSet> {
        self.0.collect_plan_metrics()
    }

    fn collect_runtime_stats_reports(&self) -> Vec<RuntimeStatsReport> {
        self.0.collect_runtime_stats_reports()
    }

    fn collect_window_state_reports(&self) -> Result<Vec<WindowStateReport>> {
        self.0.collect_window_state_reports()
    }

    fn collect_column_stats(&self) -> Vec<TaskColumnStats> {
        self.0.collect_column_stats()
    }
}

/// The same context with another configuration.
fn with_config(context: &TaskContext, config: SessionConfig) -> TaskContext {
    TaskContext::new(
        context.task_id(),
        context.session_id(),
        config,
        context.scalar_functions().clone(),
        context.higher_order_functions().clone(),
        context.aggregate_functions().clone(),
        context.window_functions().clone(),
        context.runtime_env(),
    )
}
