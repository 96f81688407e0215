//! The step of a plan.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, BooleanArray, RecordBatch};
use datafusion::arrow::compute::filter_record_batch;
use datafusion::arrow::datatypes::{Field, Schema};
use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::aggregates::group_values::{GroupValues, new_group_values};
use datafusion::physical_plan::aggregates::order::GroupOrdering;
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::StreamExt;

use super::Foremost;
use super::places::{Places, codes};

/// Rows after which it is looked at whether enough are dropped.
const TRIAL: usize = 1 << 16;
/// Places of all partitions that may be kept: 32 MiB.
const PLACES: usize = 1 << 22;

/// Drops rows that are surely not among the first few of their partition.
#[derive(Debug)]
pub(super) struct ForemostExec {
    input: Arc<dyn ExecutionPlan>,
    foremost: Foremost,
    metrics: ExecutionPlanMetricsSet,
}

impl ForemostExec {
    pub(super) fn new(input: &Arc<dyn ExecutionPlan>, foremost: Foremost) -> Self {
        Self { input: Arc::clone(input), foremost, metrics: ExecutionPlanMetricsSet::new() }
    }
}

impl DisplayAs for ForemostExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        let Foremost { most, partition, order, .. } = &self.foremost;
        let partition: Vec<String> = partition.iter().map(ToString::to_string).collect();
        write!(f, "ForemostExec: most={most}, of=[{}], by=[{order}]", partition.join(", "))
    }
}

impl ExecutionPlan for ForemostExec {
    fn name(&self) -> &str {
        "ForemostExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        for expr in self.foremost.partition.iter().chain([&self.foremost.order.expr]) {
            if visit(expr)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let input = children.pop().ok_or_else(|| {
            DataFusionError::Internal("ForemostExec without the plan whose rows it drops".into())
        })?;
        Ok(Arc::new(Self::new(&input, self.foremost.clone())))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(partition, context)?;
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let mut sieve = Some(Sieve::new(self.foremost.clone(), &self.input.schema())?);
        let sifted = input.map(move |batch| {
            let batch = batch?;
            let timer = metrics.elapsed_compute().timer();
            let rest = match &mut sieve {
                Some(dropping) => dropping.sift(&batch)?,
                None => batch,
            };
            sieve.take_if(|sieve| !sieve.pays());
            drop(timer);
            metrics.record_output(rest.num_rows());
            Ok(rest)
        });
        let sifted = sifted.filter(|batch| {
            let is_empty = batch.as_ref().is_ok_and(|batch: &RecordBatch| batch.num_rows() == 0);
            std::future::ready(!is_empty)
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), sifted.boxed())))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

/// What was seen of each partition of rows so far.
struct Sieve {
    foremost: Foremost,
    partitions: Box<dyn GroupValues>,
    /// The partition of each row of a batch.
    of_rows: Vec<usize>,
    places: Places,
    rows: usize,
    admitted: usize,
}

impl Sieve {
    fn new(foremost: Foremost, schema: &Schema) -> Result<Self> {
        let field = |key: &Arc<dyn PhysicalExpr>| {
            Ok(Field::new("key", key.data_type(schema)?, key.nullable(schema)?))
        };
        let keys = foremost.partition.iter().map(field).collect::<Result<Vec<_>>>()?;
        let schema = Arc::new(Schema::new(keys));
        let partitions = new_group_values(schema, &GroupOrdering::None)?;
        let places = Places::new(foremost.most, foremost.ties_are_behind);
        Ok(Self { foremost, partitions, of_rows: Vec::new(), places, rows: 0, admitted: 0 })
    }

    /// The rows of a batch that may be among the first of their partition.
    fn sift(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let Self { foremost, partitions, of_rows, places, .. } = self;
        let Foremost { partition, order, .. } = foremost;
        let values = |expr: &Arc<dyn PhysicalExpr>| -> Result<ArrayRef> {
            expr.evaluate(batch)?.into_array(batch.num_rows())
        };
        let keys = partition.iter().map(values).collect::<Result<Vec<_>>>()?;
        partitions.intern(&keys, of_rows)?;
        places.grow(partitions.len());
        let codes = codes(&values(&order.expr)?, order.options)?;
        let rows = of_rows.iter().zip(codes);
        let admitted: BooleanArray =
            rows.map(|(&partition, code)| Some(places.admits(partition, code))).collect();
        self.rows += batch.num_rows();
        self.admitted += admitted.true_count();
        Ok(filter_record_batch(batch, &admitted)?)
    }

    /// Whether so many rows are dropped that it is worth looking for them.
    fn pays(&self) -> bool {
        let too_many = self.rows >= TRIAL && self.admitted > self.rows / 2;
        !too_many && self.places.len() <= PLACES
    }
}
