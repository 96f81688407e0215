//! Stages that stop when their task is cancelled, and tell errors of storage from others.
//!
//! Ballista drops the future of a cancelled task. The parts of its stage run in tasks of the
//! runtime that are not dropped, so they would go on to their end. Here a stage has a token that is
//! cancelled with the future, and its steps look at the token. Errors of storage leave a stage as
//! those that Ballista tries a task again for; scans get readers that know them.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

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
use tpq_lake::{EnvironmentStores, with_lake_readers};
use tpq_sql::{CancelToken, with_cancel_checks};

use crate::task_error::of_stage;

/// Ballista's engine, with stages that can be cancelled.
pub(crate) struct CancellableEngine {
    engine: DefaultExecutionEngine,
    running: RunningStages,
    stores: Arc<EnvironmentStores>,
}

impl CancellableEngine {
    /// An engine that records its stages in `running`, and reads files of `stores`.
    pub(crate) fn new(running: RunningStages, stores: Arc<EnvironmentStores>) -> Self {
        Self { engine: DefaultExecutionEngine::new(), running, stores }
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
        let plan = with_cancel_checks(with_lake_readers(plan, &*self.stores)?)?;
        let stage = self.engine.create_query_stage_exec(
            job_id,
            stage_id,
            task_id,
            global_output_partition_ids,
            plan,
            work_dir,
            config,
        )?;
        Ok(Arc::new(CancellableStage { stage, running: self.running.clone() }))
    }
}

#[derive(Debug)]
struct CancellableStage {
    stage: Arc<dyn QueryStageExecutor>,
    running: RunningStages,
}

impl Display for CancellableStage {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.stage.fmt(f)
    }
}

#[async_trait]
impl QueryStageExecutor for CancellableStage {
    async fn execute_query_stage(
        &self,
        task_id: usize,
        context: Arc<TaskContext>,
    ) -> Result<Vec<ShuffleWritePartition>> {
        let running = self.running.begin();
        let config = running.cancel.carried_by(context.session_config().clone());
        let context = Arc::new(with_config(&context, config));
        self.stage.execute_query_stage(task_id, context).await.map_err(of_stage)
    }

    fn collect_plan_metrics(&self) -> Vec<MetricsSet> {
        self.stage.collect_plan_metrics()
    }

    fn collect_runtime_stats_reports(&self) -> Vec<RuntimeStatsReport> {
        self.stage.collect_runtime_stats_reports()
    }

    fn collect_window_state_reports(&self) -> Result<Vec<WindowStateReport>> {
        self.stage.collect_window_state_reports()
    }

    fn collect_column_stats(&self) -> Vec<TaskColumnStats> {
        self.stage.collect_column_stats()
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

/// The number of stages that an executor runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunningStages(Arc<AtomicUsize>);

impl RunningStages {
    fn begin(&self) -> RunningStage {
        self.0.fetch_add(1, Ordering::AcqRel);
        RunningStage { running: self.clone(), cancel: CancelToken::default() }
    }

    /// Whether any stage runs. One that was dropped does not.
    pub(crate) fn is_any(&self) -> bool {
        self.0.load(Ordering::Acquire) > 0
    }
}

/// A stage that runs. Its token is cancelled when it ends or is dropped.
struct RunningStage {
    running: RunningStages,
    cancel: CancelToken,
}

impl Drop for RunningStage {
    fn drop(&mut self) {
        self.cancel.cancel();
        self.running.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_runs_until_it_is_dropped() {
        let stages = RunningStages::default();
        assert!(!stages.is_any());
        let (one, other) = (stages.begin(), stages.begin());
        let token = one.cancel.clone();
        drop(one);
        assert!(stages.is_any());
        assert!(token.is_cancelled() && !other.cancel.is_cancelled());
        drop(other);
        assert!(!stages.is_any());
    }
}
