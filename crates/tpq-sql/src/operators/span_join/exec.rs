//! Reads both tables in order and makes batches of the pieces.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, Int64Array, RecordBatch, RecordBatchOptions, new_null_array,
};
use datafusion::arrow::compute::{SortOptions, interleave};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, internal_err};
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{
    EquivalenceProperties, LexOrdering, OrderingRequirements, Partitioning, PhysicalExpr,
    PhysicalSortExpr,
};
use datafusion::physical_plan::execution_plan::{
    Boundedness, EmissionType, ReplaceChildrenOptions,
};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, Distribution, ExecutionPlan, InputDistributionRequirements,
    PlanProperties,
};
use futures::{StreamExt, stream};

use super::side::{RowLocations, Side};
use super::sweep::{JoinedRows, Pause, Sweep};
use super::{Partitions, SpanJoinKind, own_columns};
use crate::cancel::CancelToken;
use crate::memory::{Memory, bytes_of};

/// Runs a span join, on one thread: rows come in the order of partition and time.
#[derive(Clone, Debug)]
pub(in crate::operators) struct SpanJoinExec {
    inputs: [Arc<dyn ExecutionPlan>; 2],
    kind: SpanJoinKind,
    partitions: Partitions,
    names: [String; 2],
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl SpanJoinExec {
    pub(super) fn try_new(
        inputs: [Arc<dyn ExecutionPlan>; 2],
        kind: SpanJoinKind,
        partitions: Partitions,
        names: [String; 2],
        schema: SchemaRef,
    ) -> Result<Self> {
        let mut equivalences = EquivalenceProperties::new(Arc::clone(&schema));
        if let Some(order) = order_of(&schema, partitions.any()) {
            equivalences.add_ordering(order);
        }
        let properties = Arc::new(PlanProperties::new(
            equivalences,
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        ));
        let metrics = ExecutionPlanMetricsSet::new();
        Ok(Self { inputs, kind, partitions, names, schema, properties, metrics })
    }
}

impl SpanJoinExec {
    /// What the step keeps, for other processes.
    pub(in crate::operators) fn texts(&self) -> Vec<String> {
        let [left, right] = self.names.clone();
        vec![self.kind.name().to_owned(), self.partitions.name().to_owned(), left, right]
    }

    /// The step that has these texts; `None` if they are those of no span join.
    pub(in crate::operators) fn from_texts(
        inputs: [Arc<dyn ExecutionPlan>; 2],
        texts: &[String],
        schema: SchemaRef,
    ) -> Option<Result<Self>> {
        let [kind, partitions, left, right] = texts else { return None };
        let (kind, partitions) = (SpanJoinKind::named(kind)?, Partitions::named(partitions)?);
        let own = own_columns(partitions);
        let is_wide =
            |(input, own): (&Arc<dyn ExecutionPlan>, usize)| input.schema().fields().len() >= own;
        if !inputs.iter().zip(own).all(is_wide) {
            return None;
        }
        Some(Self::try_new(inputs, kind, partitions, [left.clone(), right.clone()], schema))
    }
}

/// By partition, the third column, if there are any; then by `ts`, the first.
fn order_of(schema: &SchemaRef, partitioned: bool) -> Option<LexOrdering> {
    let column = |index: usize| {
        let field = schema.fields().get(index)?;
        let column: Arc<dyn PhysicalExpr> = Arc::new(Column::new(field.name(), index));
        Some(PhysicalSortExpr::new(column, SortOptions { descending: false, nulls_first: true }))
    };
    let by_partition = if partitioned { column(2) } else { None };
    LexOrdering::new(by_partition.into_iter().chain(column(0)))
}

impl DisplayAs for SpanJoinExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        let [left, right] = &self.names;
        write!(f, "SpanJoinExec: {}({left}, {right})", self.kind.name())
    }
}

impl ExecutionPlan for SpanJoinExec {
    fn name(&self) -> &'static str {
        "SpanJoinExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        InputDistributionRequirements::new(vec![Distribution::SinglePartition; 2])
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        let inputs = self.inputs.iter().zip(own_columns(self.partitions));
        let order = inputs.map(|(input, own)| order_of(&input.schema(), own == 3));
        order.map(|order| order.map(OrderingRequirements::from)).collect()
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false; 2]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.inputs.iter().collect()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Ok(inputs) = <[Arc<dyn ExecutionPlan>; 2]>::try_from(children) else {
            return internal_err!("a span join of other than two tables");
        };
        let metrics = ExecutionPlanMetricsSet::new();
        Ok(Arc::new(Self { inputs, metrics, ..Self::clone(&self) }))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mode = datafusion::physical_plan::execution_plan::ChildrenPropertiesMode::Recompute;
        self.replace_children(children, ReplaceChildrenOptions::new(mode))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let enough = context.session_config().batch_size();
        let options = context.session_config().options();
        let (cancel, memory) = (CancelToken::of(options), Memory::of(options).cloned());
        let [left, right] = &self.inputs;
        let join = Join {
            left: left.execute(partition, Arc::clone(&context))?,
            right: right.execute(partition, context)?,
            sweep: Sweep::new(self.kind, self.partitions, enough),
            partitions: self.partitions,
            schema: Arc::clone(&self.schema),
            done: false,
            cancel,
            held: memory.map(|memory| memory.consumer("SpanJoinExec")),
        };
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let batches = stream::try_unfold(join, |mut join| async move {
            Ok(join.next_batch().await?.map(|batch| (batch, join)))
        });
        let counted = batches.inspect(move |batch| {
            if let Ok(batch) = batch {
                metrics.record_output(batch.num_rows());
            }
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), counted)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

/// A join while it runs.
struct Join {
    left: SendableRecordBatchStream,
    right: SendableRecordBatchStream,
    sweep: Sweep,
    partitions: Partitions,
    schema: SchemaRef,
    done: bool,
    cancel: CancelToken,
    /// Memory for the batches that are loaded.
    held: Option<MemoryReservation>,
}

impl Join {
    async fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        while !self.done {
            match self.sweep.run()? {
                Pause::Left => {
                    let batch = self.left.next().await.transpose()?;
                    self.reserve(batch.as_ref())?;
                    self.sweep.left.load(batch)?;
                }
                Pause::Right => {
                    let batch = self.right.next().await.transpose()?;
                    self.reserve(batch.as_ref())?;
                    self.sweep.right.load(batch)?;
                }
                Pause::Full => return self.batch().map(Some),
                Pause::Busy => {
                    self.cancel.check()?;
                    if self.sweep.rows.ts.is_empty() {
                        self.forget();
                    }
                }
                Pause::Done => self.done = true,
            }
        }
        if self.sweep.rows.ts.is_empty() { Ok(None) } else { self.batch().map(Some) }
    }

    /// Reserves memory for a batch that is loaded.
    fn reserve(&self, batch: Option<&RecordBatch>) -> Result<()> {
        match (&self.held, batch) {
            (Some(held), Some(batch)) => held.try_grow(bytes_of(batch)),
            _ => Ok(()),
        }
    }

    /// Forgets the batches that no row will be of.
    fn forget(&mut self) {
        // A table that every partition joins with is needed again.
        if self.partitions != Partitions::OfRight {
            self.sweep.left.forget();
        }
        if self.partitions != Partitions::OfLeft {
            self.sweep.right.forget();
        }
        if let Some(held) = &self.held {
            held.resize(self.sweep.left.bytes() + self.sweep.right.bytes());
        }
    }

    /// The rows found so far, which are then forgotten with the batches they came from.
    fn batch(&mut self) -> Result<RecordBatch> {
        let JoinedRows { ts, dur, partition, left, right } = std::mem::take(&mut self.sweep.rows);
        let rows = ts.len();
        let integers = |values: Vec<i64>| -> ArrayRef { Arc::new(Int64Array::from(values)) };
        let mut columns = vec![integers(ts), integers(dur)];
        if self.partitions.any() {
            columns.push(integers(partition));
        }
        let [own_left, own_right] = own_columns(self.partitions);
        let (of_left, of_right) = (self.left.schema(), self.right.schema());
        take_others(&self.sweep.left, &of_left, own_left, &left, &mut columns)?;
        take_others(&self.sweep.right, &of_right, own_right, &right, &mut columns)?;
        self.forget();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?)
    }
}

/// Adds the columns after the first `own` of one table, at the locations of the rows.
fn take_others(
    side: &Side,
    schema: &SchemaRef,
    own: usize,
    locations: &RowLocations,
    columns: &mut Vec<ArrayRef>,
) -> Result<()> {
    // Before the batches stands a row of NULLs, for where there is no row.
    let locations: Vec<(usize, usize)> = locations
        .iter()
        .map(|location| location.map_or((0, 0), |(batch, row)| (batch + 1, row)))
        .collect();
    for (index, field) in schema.fields().iter().enumerate().skip(own) {
        let kind: &DataType = field.data_type();
        let none = new_null_array(kind, 1);
        let batches = side.batches().filter_map(|batch| batch.columns().get(index));
        let arrays: Vec<&dyn Array> =
            [&none].into_iter().chain(batches).map(AsRef::as_ref).collect();
        columns.push(interleave(&arrays, &locations)?);
    }
    Ok(())
}
