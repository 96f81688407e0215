//! The query of a scan: its table, and its runs.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, Statistics, exec_err, internal_err};
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::coop::cooperative;
use datafusion::physical_plan::execution_plan::{
    Boundedness, EmissionType, SchedulingType, reset_plan_states,
};
use datafusion::physical_plan::memory::MemoryStream;
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties,
};

use crate::in_order::in_order;

/// The estimated number of rows of a level. Joins make a hash table of the smaller side.
const ESTIMATED_ROWS: usize = 1024;

/// The rows of `$table` in one run, with the memory for them.
#[derive(Debug, Default)]
pub(super) struct StepRows {
    pub batches: Vec<RecordBatch>,
    pub held: Option<MemoryReservation>,
}

/// The query of a scan.
#[derive(Debug)]
pub(super) struct Step {
    plan: Arc<dyn ExecutionPlan>,
}

impl Step {
    pub(super) fn new(plan: Arc<dyn ExecutionPlan>) -> Self {
        Self { plan }
    }

    /// The plan that a run starts from.
    pub(super) fn plan(&self) -> &Arc<dyn ExecutionPlan> {
        &self.plan
    }

    /// Starts a run on some rows.
    pub(super) fn run(
        &self,
        rows: &Arc<StepRows>,
        context: &Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let reading = Arc::clone(&self.plan).transform_down(|node| {
            let Some(table) = node.downcast_ref::<StepTableExec>() else {
                return Ok(Transformed::no(node));
            };
            let table = StepTableExec { rows: Some(Arc::clone(rows)), ..table.clone() };
            Ok(Transformed::yes(Arc::new(table) as Arc<dyn ExecutionPlan>))
        });
        all_rows(&reset_plan_states(reading.data()?)?, context)
    }
}

/// The rows of all partitions of a plan, those of the first partition first.
pub(super) fn all_rows(
    plan: &Arc<dyn ExecutionPlan>,
    context: &Arc<TaskContext>,
) -> Result<SendableRecordBatchStream> {
    let parts = 0..plan.output_partitioning().partition_count();
    let parts = parts.map(|part| plan.execute(part, Arc::clone(context)));
    Ok(in_order(plan.schema(), parts.collect::<Result<_>>()?))
}

/// The table that a query of a scan reads: `$table`.
#[derive(Debug)]
pub(crate) struct StepTable(pub SchemaRef);

#[async_trait]
impl TableProvider for StepTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.0)
    }

    fn table_type(&self) -> TableType {
        TableType::Temporary
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let columns = match projection {
            Some(projection) => projection.clone(),
            None => (0..self.0.fields().len()).collect(),
        };
        Ok(Arc::new(StepTableExec::try_new(&self.0, columns)?))
    }
}

/// Reads `$table`.
#[derive(Clone, Debug)]
struct StepTableExec {
    /// The columns of the table that are read.
    columns: Vec<usize>,
    /// The rows, in a run.
    rows: Option<Arc<StepRows>>,
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
}

impl StepTableExec {
    fn try_new(table: &SchemaRef, columns: Vec<usize>) -> Result<Self> {
        let schema = Arc::new(table.project(&columns)?);
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        let properties = Arc::new(properties.with_scheduling_type(SchedulingType::Cooperative));
        Ok(Self { columns, rows: None, schema, properties })
    }
}

impl DisplayAs for StepTableExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        let names = self.schema.fields().iter().map(|field| field.name().as_str());
        write!(f, "StepTableExec: [{}]", names.collect::<Vec<_>>().join(", "))
    }
}

impl ExecutionPlan for StepTableExec {
    fn name(&self) -> &str {
        "StepTableExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match children.is_empty() {
            true => Ok(self),
            false => internal_err!("StepTableExec takes no input"),
        }
    }

    fn execute(&self, _: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        // A subquery that runs for each row keeps its results, which are those of one level.
        let Some(rows) = &self.rows else {
            return exec_err!("$table cannot be read in a subquery that depends on another row");
        };
        let full = context.session_config().batch_size().max(1);
        let mut batches = Vec::new();
        for batch in &rows.batches {
            let batch = batch.project(&self.columns)?;
            let starts = (0..batch.num_rows()).step_by(full);
            batches
                .extend(starts.map(|start| batch.slice(start, full.min(batch.num_rows() - start))));
        }
        let stream = MemoryStream::try_new(batches, Arc::clone(&self.schema), None)?;
        Ok(Box::pin(cooperative(stream)))
    }

    fn statistics_from_inputs(
        &self,
        _: &[Arc<Statistics>],
        _: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        let mut statistics = Statistics::new_unknown(&self.schema);
        statistics.num_rows = Precision::Inexact(ESTIMATED_ROWS);
        let row = self.columns.len() * size_of::<i64>();
        statistics.total_byte_size = Precision::Inexact(ESTIMATED_ROWS * row);
        Ok(Arc::new(statistics))
    }
}
