//! The step of a plan.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, RecordBatch, RecordBatchOptions, UInt32Array,
};
use datafusion::arrow::compute::{concat, take_record_batch};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::DataFusionError;
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{LexOrdering, PhysicalExpr};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::{StreamExt, TryStreamExt};

use super::{keys, radix, views};
use crate::cancel::{self, CancelToken};
use crate::memory::{Memory, bytes_of};

/// Bytes that sorting needs for a row in addition to two copies of the row: two row numbers and a
/// code.
const OF_A_ROW: usize = 2 * 4 + 16;

/// Sorts each part of its input, all rows at once.
#[derive(Debug)]
pub(in super::super) struct PackedSortExec {
    input: Arc<dyn ExecutionPlan>,
    order: LexOrdering,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl PackedSortExec {
    /// In place of DataFusion's sort; `None` where that only keeps the first rows, sorts by what
    /// has no codes, or has rows that cannot be held as one batch.
    pub(super) fn of(sort: &SortExec) -> Result<Option<Self>> {
        let schema = sort.input().schema();
        let mut packs = sort.fetch().is_none() && !schema.fields().is_empty();
        packs &= schema.fields().iter().all(|field| can_be_one_array(field.data_type()));
        for key in sort.expr() {
            packs &= keys::has_codes(&key.expr.data_type(&schema)?);
        }
        Ok(packs.then(|| Self {
            input: Arc::clone(sort.input()),
            order: sort.expr().clone(),
            properties: Arc::clone(sort.properties()),
            metrics: ExecutionPlanMetricsSet::new(),
        }))
    }
}

impl DisplayAs for PackedSortExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "PackedSortExec: expr=[{}]", self.order)
    }
}

impl ExecutionPlan for PackedSortExec {
    fn name(&self) -> &str {
        "PackedSortExec"
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
        for key in &self.order {
            if visit(&key.expr)? == TreeNodeRecursion::Stop {
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
            DataFusionError::Internal("PackedSortExec without the plan it sorts".into())
        })?;
        Ok(Arc::new(Self {
            input,
            order: self.order.clone(),
            properties: Arc::clone(&self.properties),
            metrics: ExecutionPlanMetricsSet::new(),
        }))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let step = context.session_config().batch_size();
        let cancel = CancelToken::of(context.session_config().options());
        let memory = Memory::of(context.session_config().options());
        let held = memory.map(|memory| memory.consumer("PackedSortExec"));
        let mut input = self.input.execute(partition, context)?;
        let (schema, order) = (self.schema(), self.order.clone());
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let sorted = async move {
            let mut batches: Vec<RecordBatch> = Vec::new();
            while let Some(batch) = input.next().await.transpose()? {
                if let Some(held) = &held {
                    held.try_grow(2 * bytes_of(&batch) + batch.num_rows() * OF_A_ROW)?;
                }
                batches.push(batch);
            }
            let _timer = metrics.elapsed_compute().timer();
            let rows = concatenated(&schema, &batches)?;
            drop(batches);
            if let Some(held) = &held {
                held.resize(bytes_of(&rows) + rows.num_rows() * OF_A_ROW);
            }
            let order = cancel::under(cancel, || sorted_order(&rows, &order))?;
            metrics.record_output(rows.num_rows());
            Ok::<_, DataFusionError>(futures::stream::iter(Steps {
                rows,
                order,
                at: 0,
                step,
                _held: held,
            }))
        };
        let stream = futures::stream::once(sorted).try_flatten().boxed();
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), stream)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

/// Whether any number of values fits into one array: offsets of 32 bits may be too few.
fn can_be_one_array(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Boolean | DataType::Utf8View) || data_type.is_primitive()
}

/// The numbers of rows in the order of the keys.
fn sorted_order(rows: &RecordBatch, order: &LexOrdering) -> Result<UInt32Array> {
    let mut codes = Vec::new();
    for key in order {
        let values = key.expr.evaluate(rows)?.into_array(rows.num_rows())?;
        keys::push_codes(&values, key.options, &mut codes)?;
        cancel::check()?;
    }
    let count = u32::try_from(rows.num_rows()).map_err(|_| {
        let what = "more than 4 billion rows to sort at once; with --memory-limit they are sorted in parts";
        DataFusionError::ResourcesExhausted(what.into())
    })?;
    Ok(radix::order(codes, count)?.into())
}

/// All rows as one batch.
fn concatenated(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<RecordBatch> {
    let column = |index: usize| -> Result<ArrayRef> {
        let parts: Vec<&dyn Array> =
            batches.iter().map(|batch| batch.column(index).as_ref()).collect();
        Ok(match schema.field(index).data_type() {
            DataType::Utf8View => {
                let parts: Vec<_> = parts.into_iter().map(AsArray::as_string_view).collect();
                Arc::new(views::concat(&parts))
            }
            data_type if parts.is_empty() => datafusion::arrow::array::new_empty_array(data_type),
            _ => concat(&parts)?,
        })
    };
    let columns = (0..schema.fields().len()).map(column).collect::<Result<_>>()?;
    let rows = batches.iter().map(RecordBatch::num_rows).sum();
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)?)
}

/// Sorted rows, a batch at a time.
struct Steps {
    rows: RecordBatch,
    order: UInt32Array,
    at: usize,
    step: usize,
    /// Memory for the rows.
    _held: Option<MemoryReservation>,
}

impl Iterator for Steps {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let len = self.step.min(self.order.len() - self.at);
        if len == 0 {
            return None;
        }
        let taken = self.order.slice(self.at, len);
        self.at += len;
        Some(take_record_batch(&self.rows, &taken).map_err(DataFusionError::from))
    }
}
