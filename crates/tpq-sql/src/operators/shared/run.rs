//! The execution of a shared plan: one for all that read it.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::common::runtime::SpawnedTask;
use datafusion::common::{Result, Statistics, internal_err};
use datafusion::error::DataFusionError;
use datafusion::execution::TaskContext;
use datafusion::execution::memory_pool::MemoryConsumer;
use datafusion::physical_plan::metrics::{Count, ExecutionPlanMetricsSet, SpillMetrics};
use datafusion::physical_plan::{
    ExecutionPlan, ExecutionPlanProperties, SpillManager, StatisticsArgs, StatisticsContext,
};
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};

use super::SharedPlan;
use super::rows::Rows;
use crate::cancel::CancelToken;

/// The rows of a partition, once they are all there, for any number of readers.
type Part = Shared<BoxFuture<'static, std::result::Result<Arc<Rows>, Arc<DataFusionError>>>>;

/// A shared plan as it runs. Steps that run many times keep it: it does not depend on what they run
/// with. It is dropped, with its tasks and rows, when the last reader is done.
pub(super) struct SharedRun {
    shared: Arc<SharedPlan>,
    plan: Arc<dyn ExecutionPlan>,
    statistics: Arc<Statistics>,
    /// The partitions; none before a reader asks for rows.
    parts: Mutex<Vec<Part>>,
}

impl SharedRun {
    pub(super) fn new(shared: Arc<SharedPlan>, plan: Arc<dyn ExecutionPlan>) -> Self {
        let statistics = StatisticsContext::new().compute(plan.as_ref(), &StatisticsArgs::new());
        let unknown = |_| Arc::new(Statistics::new_unknown(&plan.schema()));
        let statistics = statistics.unwrap_or_else(unknown);
        Self { shared, plan, statistics, parts: Mutex::default() }
    }

    pub(super) fn shared(&self) -> &SharedPlan {
        &self.shared
    }

    pub(super) fn plan(&self) -> &Arc<dyn ExecutionPlan> {
        &self.plan
    }

    /// What is known about all rows.
    pub(super) fn statistics(&self) -> &Arc<Statistics> {
        &self.statistics
    }

    /// All rows of a partition. The first call starts the plan, and adds to `started`; `metrics`
    /// count what is written to temporary files then.
    ///
    /// # Errors
    /// When the plan or any step of it fails.
    pub(super) async fn rows(
        &self,
        partition: usize,
        context: &Arc<TaskContext>,
        started: &Count,
        metrics: &ExecutionPlanMetricsSet,
    ) -> Result<Arc<Rows>> {
        let part = self.part(partition, context, started, metrics)?;
        part.await.map_err(|error| DataFusionError::from(&error))
    }

    fn part(
        &self,
        partition: usize,
        context: &Arc<TaskContext>,
        started: &Count,
        metrics: &ExecutionPlanMetricsSet,
    ) -> Result<Part> {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        if parts.is_empty() {
            *parts = self.begin(context, metrics)?;
            started.add(1);
        }
        match parts.get(partition) {
            Some(part) => Ok(part.clone()),
            None => internal_err!("a shared plan without partition {partition}"),
        }
    }

    /// Starts a task for each partition. A reader that is not asked for rows never delays another.
    fn begin(
        &self,
        context: &Arc<TaskContext>,
        metrics: &ExecutionPlanMetricsSet,
    ) -> Result<Vec<Part>> {
        let consumer = MemoryConsumer::new("SharedExec").with_can_spill(true);
        let held = Arc::new(consumer.register(context.memory_pool()));
        let cancel = CancelToken::of(context.session_config().options());
        let partitions = 0..self.plan.output_partitioning().partition_count();
        let begun = partitions.map(|partition| -> Result<Part> {
            let rows = self.plan.execute(partition, Arc::clone(context))?;
            let spill = SpillManager::new(
                context.runtime_env(),
                SpillMetrics::new(metrics, partition),
                self.plan.schema(),
            );
            let rows = Rows::collect(rows, Arc::clone(&held), spill, cancel.clone());
            Ok(shareable(SpawnedTask::spawn(rows)))
        });
        begun.collect()
    }
}

/// The result of a task, for any number of readers.
fn shareable(task: SpawnedTask<Result<Rows>>) -> Part {
    let result = async move {
        match task.join_unwind().await {
            Ok(rows) => rows.map(Arc::new).map_err(Arc::new),
            Err(error) => Err(Arc::new(DataFusionError::ExecutionJoin(Box::new(error)))),
        }
    };
    result.boxed().shared()
}

impl fmt::Debug for SharedRun {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("SharedRun").field("plan", &self.plan).finish_non_exhaustive()
    }
}
