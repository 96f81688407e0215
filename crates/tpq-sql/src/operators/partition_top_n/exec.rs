//! The step of a plan.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, BooleanArray, BooleanBufferBuilder, RecordBatch};
use datafusion::arrow::compute::filter_record_batch;
use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, internal_err};
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::aggregates::group_values::{GroupValues, new_group_values};
use datafusion::physical_plan::aggregates::order::GroupOrdering;
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::StreamExt;

use super::PartitionTopN;
use super::top_codes::{TopCodes, codes};
use crate::operators::key_table::{Key, KeyTable};
use crate::operators::string_id_scans::{reads, with_ids_below};
use crate::operators::texts_of_ids::with_texts;
use crate::scan::StringIds;

/// Rows that are looked at before it is asked whether that pays.
const SLICE: usize = 8192;
/// Rows after which enough of them must have been dropped.
const TRIAL: usize = 1 << 16;
/// Partitions that may be known by their keys, on each thread…
const PARTITIONS: usize = 1 << 18;
/// …and top_codes in all of them: 8 MiB.
const PLACES: usize = 1 << 20;

/// Drops rows that are surely not among the first few of their partition.
#[derive(Debug)]
pub(super) struct PartitionTopNExec {
    input: Arc<dyn ExecutionPlan>,
    top_n: PartitionTopN,
    /// The texts of the only key, if the input has string ids in place of them.
    texts: Option<Texts>,
    metrics: ExecutionPlanMetricsSet,
}

impl PartitionTopNExec {
    pub(super) fn new(input: &Arc<dyn ExecutionPlan>, top_n: PartitionTopN) -> Self {
        let metrics = ExecutionPlanMetricsSet::new();
        Self { input: Arc::clone(input), top_n, texts: None, metrics }
    }

    /// The same where partitions are those of a text with string ids.
    pub(super) fn of_ids(
        input: &Arc<dyn ExecutionPlan>,
        top_n: &PartitionTopN,
    ) -> Result<Option<Self>> {
        let [key] = top_n.partition.as_slice() else { return Ok(None) };
        let Some(column) = key.downcast_ref::<Column>().map(Column::index) else {
            return Ok(None);
        };
        if reads(&top_n.order.expr, column) {
            return Ok(None);
        }
        let Some((below, ids)) = with_ids_below(input, column)? else { return Ok(None) };
        let properties = Arc::clone(input.properties());
        let texts = Some(Texts { column, ids, properties });
        let metrics = ExecutionPlanMetricsSet::new();
        Ok(Some(Self { input: below, top_n: top_n.clone(), texts, metrics }))
    }
}

/// The texts of a column that has their ids.
#[derive(Clone, Debug)]
struct Texts {
    column: usize,
    ids: StringIds,
    /// The properties of an input with the texts.
    properties: Arc<PlanProperties>,
}

impl Texts {
    /// A batch with the texts in place of their ids.
    fn in_place_of_ids(&self, batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
        with_texts(batch, [(self.column, &self.ids)], schema)
    }
}

impl DisplayAs for PartitionTopNExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        let PartitionTopN { most, partition, order, .. } = &self.top_n;
        let partition: Vec<String> = partition.iter().map(ToString::to_string).collect();
        write!(
            f,
            "PartitionTopNExec: fetch={most}, partition=[{}], order=[{order}]",
            partition.join(", ")
        )
    }
}

impl ExecutionPlan for PartitionTopNExec {
    fn name(&self) -> &str {
        "PartitionTopNExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        match &self.texts {
            Some(texts) => &texts.properties,
            None => self.input.properties(),
        }
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
        for expr in self.top_n.partition.iter().chain([&self.top_n.order.expr]) {
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
            DataFusionError::Internal("PartitionTopNExec without its input plan".into())
        })?;
        let (top_n, texts) = (self.top_n.clone(), self.texts.clone());
        Ok(Arc::new(Self { input, top_n, texts, metrics: ExecutionPlanMetricsSet::new() }))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(partition, context)?;
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let (texts, schema) = (self.texts.clone(), self.schema());
        let ids = texts.as_ref().map(|texts| &texts.ids);
        let mut filter = Some(TopNFilter::new(self.top_n.clone(), &self.input.schema(), ids)?);
        let sifted = input.map(move |batch| {
            let batch = batch?;
            let timer = metrics.elapsed_compute().timer();
            let rest = match &mut filter {
                Some(dropping) => dropping.sift(&batch)?,
                None => batch,
            };
            filter.take_if(|filter| !filter.pays());
            let rest = match &texts {
                Some(texts) => texts.in_place_of_ids(&rest, &schema)?,
                None => rest,
            };
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

/// The state of each partition of rows so far.
struct TopNFilter {
    top_n: PartitionTopN,
    partitions: Partitions,
    /// The partition of each row of a batch.
    of_rows: Vec<usize>,
    top_codes: TopCodes,
    rows: usize,
    admitted: usize,
}

/// The partitions so far, by their keys.
enum Partitions {
    Hashed(Box<dyn GroupValues>),
    OfIds(KeyTable),
}

impl Partitions {
    fn len(&self) -> usize {
        match self {
            Self::Hashed(partitions) => partitions.len(),
            Self::OfIds(partitions) => partitions.len(),
        }
    }

    /// Finds the partition of each row.
    fn assign(&mut self, keys: &[ArrayRef], of_rows: &mut Vec<usize>) -> Result<()> {
        match (self, keys) {
            (Self::Hashed(partitions), keys) => partitions.intern(keys, of_rows),
            (Self::OfIds(partitions), [ids]) => partitions.assign(ids, of_rows),
            (Self::OfIds(_), _) => internal_err!("ids of {} columns", keys.len()),
        }
    }
}

impl TopNFilter {
    fn new(top_n: PartitionTopN, schema: &Schema, ids: Option<&StringIds>) -> Result<Self> {
        let field = |key: &Arc<dyn PhysicalExpr>| {
            Ok(Field::new("key", key.data_type(schema)?, key.nullable(schema)?))
        };
        let keys = top_n.partition.iter().map(field).collect::<Result<Vec<_>>>()?;
        let schema = Arc::new(Schema::new(keys));
        let partitions = match ids {
            Some(ids) => Partitions::OfIds(KeyTable::new(&Key::Texts(ids.clone()))),
            None => Partitions::Hashed(new_group_values(schema, &GroupOrdering::None)?),
        };
        let top_codes = TopCodes::new(top_n.most, top_n.rejects_ties);
        Ok(Self { top_n, partitions, of_rows: Vec::new(), top_codes, rows: 0, admitted: 0 })
    }

    /// The rows of a batch that may be among the first of their partition.
    fn sift(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let values = |expr: &Arc<dyn PhysicalExpr>| -> Result<ArrayRef> {
            expr.evaluate(batch)?.into_array(batch.num_rows())
        };
        let PartitionTopN { partition, order, .. } = &self.top_n;
        let keys = partition.iter().map(values).collect::<Result<Vec<_>>>()?;
        let codes = codes(&values(&order.expr)?, order.options)?;
        let mut admitted = BooleanBufferBuilder::new(batch.num_rows());
        for (codes, begin) in codes.chunks(SLICE).zip((0..).step_by(SLICE)) {
            if self.pays() {
                let slice = |key: &ArrayRef| key.slice(begin, codes.len());
                let keys: Vec<ArrayRef> = keys.iter().map(slice).collect();
                self.sift_slice(&keys, codes, &mut admitted)?;
            } else {
                admitted.append_n(codes.len(), true);
            }
        }
        Ok(filter_record_batch(batch, &BooleanArray::new(admitted.finish(), None))?)
    }

    fn sift_slice(
        &mut self,
        keys: &[ArrayRef],
        codes: &[Option<u64>],
        out: &mut BooleanBufferBuilder,
    ) -> Result<()> {
        let Self { partitions, of_rows, top_codes, .. } = self;
        partitions.assign(keys, of_rows)?;
        top_codes.grow(partitions.len());
        for (&partition, &code) in of_rows.iter().zip(codes) {
            let admitted = top_codes.admits(partition, code);
            self.admitted += usize::from(admitted);
            out.append(admitted);
        }
        self.rows += codes.len();
        Ok(())
    }

    /// Whether enough rows are dropped to be worth the search.
    fn pays(&self) -> bool {
        let too_many = self.rows >= TRIAL && self.admitted > self.rows / 2;
        !too_many && self.partitions.len() <= PARTITIONS && self.top_codes.len() <= PLACES
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::Int64Array;
    use datafusion::arrow::compute::SortOptions;
    use datafusion::physical_expr::PhysicalSortExpr;
    use datafusion::physical_expr::expressions::col;

    use super::*;

    fn batch(rows: i64, partitions: i64) -> RecordBatch {
        let keys: Int64Array = (0..rows).map(|row| row % partitions).collect();
        let order: Int64Array = (0..rows).collect();
        let columns: [(_, ArrayRef); 2] = [("key", Arc::new(keys)), ("order", Arc::new(order))];
        RecordBatch::try_from_iter(columns).expect("fits")
    }

    fn filter(batch: &RecordBatch, most: usize) -> TopNFilter {
        let schema = batch.schema();
        let order =
            PhysicalSortExpr::new(col("order", &schema).expect("is"), SortOptions::default());
        let partition = vec![col("key", &schema).expect("is")];
        let top_n = PartitionTopN { most, partition, order, rejects_ties: true };
        TopNFilter::new(top_n, &schema, None).expect("keys can be compared")
    }

    #[test]
    fn only_the_first_rows_of_each_partition_are_left() {
        let batch = batch(100_000, 10);
        let mut filter = filter(&batch, 3);
        assert_eq!(filter.sift(&batch).expect("can be sifted"), batch.slice(0, 30));
        assert!(filter.pays());
    }

    /// Within a batch as well: one may have all the rows there are.
    #[test]
    fn it_is_given_up_where_hardly_any_row_is_dropped() {
        let batch = batch(200_000, i64::MAX);
        let mut filter = filter(&batch, 1);
        assert_eq!(filter.sift(&batch).expect("can be sifted"), batch);
        assert!(!filter.pays());
        assert_eq!(filter.rows, TRIAL);
    }
}
