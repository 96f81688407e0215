//! Reads the rows of a shared plan.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, Statistics};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::coop::make_cooperative;
use datafusion::physical_plan::display::DisplayableExecutionPlan;
use datafusion::physical_plan::execution_plan::{EvaluationType, SchedulingType};
use datafusion::physical_plan::metrics::{
    BaselineMetrics, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet,
};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::{TryStreamExt, stream};

use super::in_line;
use super::run::SharedRun;

/// The physical operator of a [`SharedRead`](super::SharedRead). Its partitions are those of the
/// shared plan, and so is the order of their rows.
#[derive(Clone, Debug)]
pub(super) struct SharedReadExec {
    run: Arc<SharedRun>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
    is_first: bool,
    /// Whether the shared plan is given as an input: only for EXPLAIN, when no rule changes the
    /// plan any more. A rule would change it for one reader alone.
    is_shown: bool,
}

impl SharedReadExec {
    pub(super) fn new(run: Arc<SharedRun>, is_first: bool) -> Self {
        let properties = run.plan().properties().as_ref().clone();
        let properties = properties
            .with_scheduling_type(SchedulingType::Cooperative)
            .with_evaluation_type(EvaluationType::Lazy);
        let metrics = ExecutionPlanMetricsSet::new();
        Self { run, properties: Arc::new(properties), metrics, is_first, is_shown: false }
    }

    /// The same with the shared plan as an input, if that is to be shown here.
    pub(super) fn shown(&self) -> Option<Arc<dyn ExecutionPlan>> {
        let is_shown = self.is_first && !self.run.shared().is_in_line;
        is_shown.then(|| Arc::new(Self { is_shown, ..self.clone() }) as _)
    }
}

impl DisplayAs for SharedReadExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        let shared = self.run.shared();
        write!(f, "SharedReadExec: {shared}")?;
        if !self.is_first || !shared.is_in_line {
            return Ok(());
        }
        let plan = DisplayableExecutionPlan::new(self.run.plan().as_ref());
        write!(f, "{}", in_line(&plan.indent(false).to_string()))
    }
}

impl ExecutionPlan for SharedReadExec {
    fn name(&self) -> &str {
        "SharedReadExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        if self.is_shown { vec![self.run.plan()] } else { Vec::new() }
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    /// Keeps the shared plan, also where its state is to be reset.
    fn with_new_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let started = MetricBuilder::new(&self.metrics).counter("started", partition);
        let output = BaselineMetrics::new(&self.metrics, partition);
        let (run, metrics) = (Arc::clone(&self.run), self.metrics.clone());
        let rows = async move { run.rows(partition, &context, &started, &metrics).await?.read() };
        let batches = stream::once(rows)
            .try_flatten()
            .inspect_ok(move |batch: &RecordBatch| output.record_output(batch.num_rows()));
        let batches = RecordBatchStreamAdapter::new(self.schema(), batches);
        Ok(make_cooperative(Box::pin(batches)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn statistics_from_inputs(
        &self,
        _: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        let is_only = self.properties.partitioning.partition_count() == 1;
        Ok(match args.partition() {
            Some(_) if !is_only => Arc::new(Statistics::new_unknown(&self.schema())),
            _ => Arc::clone(self.run.statistics()),
        })
    }
}
