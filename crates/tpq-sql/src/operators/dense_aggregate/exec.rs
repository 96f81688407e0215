//! The step of a plan.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, internal_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::{StreamExt, TryStreamExt};

use super::groups::Groups;
use crate::operators::key_table::Key;

/// Groups rows by small integers, and gives the states of functions.
#[derive(Clone, Debug)]
pub(super) struct DenseAggregateExec {
    input: Arc<dyn ExecutionPlan>,
    /// The position of the column of keys in the input.
    column: usize,
    key: Key,
    /// Keys and states, as the replaced step gives them.
    schema: SchemaRef,
    functions: Arc<[Arc<AggregateFunctionExpr>]>,
    /// The filter of each function.
    filters: Arc<[Option<Arc<dyn PhysicalExpr>>]>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl DenseAggregateExec {
    /// The step that gives the same as `aggregate`, over an input with `key` in a column.
    pub(super) fn in_place_of(
        aggregate: &AggregateExec,
        input: Arc<dyn ExecutionPlan>,
        column: usize,
        key: Key,
    ) -> Self {
        Self {
            input,
            column,
            key,
            schema: aggregate.schema(),
            functions: aggregate.aggr_expr().into(),
            filters: aggregate.filter_expr().into(),
            properties: Arc::clone(aggregate.properties()),
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }
}

impl DisplayAs for DenseAggregateExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        let functions: Vec<&str> = self.functions.iter().map(|function| function.name()).collect();
        let name = self.schema.field(0).name();
        write!(f, "DenseAggregateExec: gby=[{name}], aggr=[{}]", functions.join(", "))
    }
}

impl ExecutionPlan for DenseAggregateExec {
    fn name(&self) -> &str {
        "DenseAggregateExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        let name = self.input.schema().field(self.column).name().clone();
        let key: Arc<dyn PhysicalExpr> = Arc::new(Column::new(&name, self.column));
        let arguments = self.functions.iter().flat_map(|function| function.expressions());
        let filters = self.filters.iter().flatten().cloned();
        for expr in [key].into_iter().chain(arguments).chain(filters) {
            if visit(&expr)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(input) = children.pop() else {
            return internal_err!("DenseAggregateExec without its input plan");
        };
        let metrics = ExecutionPlanMetricsSet::new();
        Ok(Arc::new(Self { input, metrics, ..Self::clone(&self) }))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let consumer = MemoryConsumer::new(format!("DenseAggregateExec[{partition}]"));
        let reservation = consumer.register(context.memory_pool());
        let input = self.input.execute(partition, context)?;
        let groups = Groups::new(self.column, self.key.clone(), &self.functions, &self.filters)?;
        let schema = Arc::clone(&self.schema);
        let states = futures::stream::once(states(input, groups, schema, reservation, metrics));
        let states = states.try_filter_map(|states| std::future::ready(Ok(states))).boxed();
        Ok(Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), states)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

/// Groups all rows; `None` if there are none.
async fn states(
    mut input: SendableRecordBatchStream,
    mut groups: Groups,
    schema: SchemaRef,
    reservation: MemoryReservation,
    metrics: BaselineMetrics,
) -> Result<Option<RecordBatch>> {
    while let Some(batch) = input.next().await {
        let batch = batch?;
        let timer = metrics.elapsed_compute().timer();
        groups.add(&batch)?;
        drop(timer);
        reservation.try_resize(groups.size())?;
    }
    let timer = metrics.elapsed_compute().timer();
    let states = groups.finish(schema)?;
    drop(timer);
    metrics.record_output(states.as_ref().map_or(0, RecordBatch::num_rows));
    Ok(states)
}
