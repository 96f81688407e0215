//! Scans of finished tables in physical plans.

mod reader;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions, UInt32Array};
use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, ScalarValue, Statistics};
use datafusion::config::ConfigOptions;
use datafusion::datasource::source::DataSource;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::projection::{ProjectionExpr, ProjectionExprs};
use datafusion::physical_expr::utils::{collect_columns, conjunction_opt};
use datafusion::physical_expr::{
    AcrossPartitions, ConstExpr, EquivalenceProperties, PhysicalExpr, PhysicalSortExpr,
};
use datafusion::physical_plan::filter_pushdown::{FilterPushdownPropagation, PushedDown};
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayFormatType, Partitioning, SortOrderPushdownResult};

use tpq_tables::PickedRows;

use self::reader::Reader;
use super::StoredTable;
use super::distinct_values::few_values;
use super::pruning::Pruner;
use super::text_filter::TextFilter;
use super::value_filter::ValueFilter;

/// A scan: the chunks and columns to read, the direction, and the filters for skipping rows.
#[derive(Clone, Debug)]
pub(super) struct ChunkSource {
    table: Arc<StoredTable>,
    columns: Vec<usize>,
    schema: SchemaRef,
    /// The position in `columns` of one that is given as string ids and not as text.
    ids: Option<usize>,
    /// One range of chunks for each partition, in the table's order.
    partitions: Vec<Range<usize>>,
    /// Filters for pruning only; each is also applied above the scan.
    filters: Vec<Arc<dyn PhysicalExpr>>,
    /// Filters that only the scan applies.
    text_filters: Vec<Arc<TextFilter>>,
    value_filters: Vec<Arc<ValueFilter>>,
    fetch: Option<usize>,
    /// Whether to read from the last row to the first.
    reverse: bool,
    /// The bounds of the only column, if each of its values is wanted once in each partition.
    distinct: Option<(i64, i64)>,
    metrics: ExecutionPlanMetricsSet,
}

impl ChunkSource {
    pub(super) fn try_new(
        table: Arc<StoredTable>,
        columns: Vec<usize>,
        fetch: Option<usize>,
    ) -> Result<Self> {
        let schema = Arc::new(table.table().schema().project(&columns)?);
        // One partition until the planner asks for more; the planner knows whether order matters.
        #[expect(clippy::single_range_in_vec_init, reason = "one partition is one range of chunks")]
        let partitions = vec![0..table.table().num_chunks()];
        Ok(Self {
            table,
            columns,
            schema,
            ids: None,
            partitions,
            filters: Vec::new(),
            text_filters: Vec::new(),
            value_filters: Vec::new(),
            fetch,
            reverse: false,
            distinct: None,
            metrics: ExecutionPlanMetricsSet::new(),
        })
    }

    /// The table that is read.
    pub(super) fn stored(&self) -> &Arc<StoredTable> {
        &self.table
    }

    /// The position in the table of a column of the scan.
    pub(super) fn table_column(&self, column: usize) -> Option<usize> {
        self.columns.get(column).copied()
    }

    /// The scan with string ids in place of the text of a column; `None` if the column has none, or
    /// if the scan has another such column, or if filters that are applied to batches or prune
    /// chunks read the text.
    pub(super) fn with_string_ids(&self, column: usize) -> Option<Self> {
        let field = self.schema.fields().get(column)?;
        self.table.table().string_count()?;
        let is_text = self.ids.is_none() && field.data_type() == &DataType::Utf8View;
        let reads = |filter: &Arc<dyn PhysicalExpr>| {
            collect_columns(filter).iter().any(|read| read.index() == column)
        };
        if !is_text || self.filters.iter().any(reads) {
            return None;
        }
        let mut fields: Vec<_> = self.schema.fields().iter().map(Arc::clone).collect();
        fields[column] = Arc::new(Field::new(field.name(), DataType::UInt32, false));
        Some(Self { schema: Arc::new(Schema::new(fields)), ids: Some(column), ..self.clone() })
    }

    /// Reads rows of a chunk.
    fn read(&self, chunk: usize, rows: Range<usize>) -> Result<RecordBatch> {
        let table = self.table.table();
        let Some(column) = self.ids else { return table.read(chunk, rows, &self.columns) };
        let ids = table.string_ids(chunk, rows.clone(), self.columns[column])?;
        self.with_ids(column, ids, table.read(chunk, rows, &self.columns_but(column))?)
    }

    /// Reads single rows of some chunks.
    fn pick(&self, picked: &[PickedRows]) -> Result<RecordBatch> {
        let table = self.table.table();
        let Some(column) = self.ids else { return table.pick(picked, &self.columns) };
        let mut ids = Vec::with_capacity(picked.iter().map(|picked| picked.rows.len()).sum());
        for PickedRows { chunk, rows } in picked {
            let (Some(&first), Some(&last)) = (rows.iter().min(), rows.iter().max()) else {
                continue;
            };
            let range = first as usize..last as usize + 1;
            let of_range = table.string_ids(*chunk, range, self.columns[column])?;
            ids.extend(rows.iter().map(|&row| of_range[(row - first) as usize]));
        }
        self.with_ids(column, ids, table.pick(picked, &self.columns_but(column))?)
    }

    /// The columns without one of them.
    fn columns_but(&self, column: usize) -> Vec<usize> {
        let columns = self.columns.iter().enumerate();
        columns.filter(|&(position, _)| position != column).map(|(_, &column)| column).collect()
    }

    /// A batch of the other columns with the string ids of one.
    fn with_ids(&self, column: usize, ids: Vec<u32>, others: RecordBatch) -> Result<RecordBatch> {
        let options = RecordBatchOptions::new().with_row_count(Some(ids.len()));
        let mut columns = others.columns().to_vec();
        columns.insert(column, Arc::new(UInt32Array::from(ids)));
        let schema = Arc::clone(&self.schema);
        Ok(RecordBatch::try_new_with_options(schema, columns, &options)?)
    }

    fn sort_key(&self, column: usize) -> Option<PhysicalSortExpr> {
        let position = self.columns.iter().position(|&read| read == column)?;
        let name = self.schema.field(position).name();
        let options = SortOptions { descending: self.reverse, nulls_first: !self.reverse };
        Some(PhysicalSortExpr::new(Arc::new(Column::new(name, position)), options))
    }

    /// The sort orders of the rows: by `id`, and by `ts` and then `id` if the table is sorted by
    /// time.
    fn orders(&self) -> Vec<Vec<PhysicalSortExpr>> {
        let id = self.table.table().key().and_then(|key| self.sort_key(key));
        let has_time = self.schema.column_with_name("ts").is_some();
        let ts = if has_time { self.table.time_order() } else { None };
        let ts = ts.and_then(|column| self.sort_key(column));
        let by_time = ts.map(|ts| std::iter::once(ts).chain(id.clone()).collect());
        id.map(|id| vec![id]).into_iter().chain(by_time).collect()
    }

    /// The scan with each value of its only column once in each partition; `None` if it has further
    /// columns, filters that only it applies or a limit, or if there may be many values.
    pub(super) fn of_distinct_values(&self) -> Option<Self> {
        let [column] = self.columns[..] else { return None };
        let is_integer = self.schema.field(0).data_type() == &DataType::Int64;
        if !is_integer || self.fetch.is_some() || self.reverse || self.has_filters() {
            return None;
        }
        let table = self.table.table();
        let ranges = (0..table.num_chunks()).map(|chunk| table.chunk_range(chunk, column));
        Some(Self { distinct: Some(few_values(ranges)?), ..self.clone() })
    }

    fn pruner(&self, partition: usize) -> Pruner {
        let values = self.value_filters.iter().map(|filter| filter.filter());
        let predicate = conjunction_opt(self.filters.iter().chain(values).cloned());
        let (schema, columns) = (Arc::clone(&self.schema), self.columns.clone());
        Pruner::new(predicate, schema, columns, self.partitions[partition].clone())
    }

    /// Whether filters that only the scan applies leave out rows.
    fn has_filters(&self) -> bool {
        !self.text_filters.is_empty() || !self.value_filters.is_empty()
    }

    /// The number of rows that the filters on values leave, if each value is equally frequent.
    fn estimated(&self, rows: usize) -> usize {
        let statistics = self.table.statistics_of(&self.columns);
        let share = |rows: usize, filter: &Arc<ValueFilter>| {
            let (column, values) = filter.bound();
            let position = self.columns.iter().position(|&read| read == column);
            let column = position.and_then(|at| statistics.column_statistics.get(at));
            let distinct = column.and_then(|column| column.distinct_count.get_value().copied());
            let distinct = distinct.unwrap_or(1).max(1);
            (rows.saturating_mul(values) / distinct).clamp(rows.min(1), rows)
        };
        self.value_filters.iter().fold(rows, share)
    }
}

impl DataSource for ChunkSource {
    fn open(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let reader = Reader::new(self, partition, &context);
        let stream = futures::stream::iter(reader);
        Ok(Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), stream)))
    }

    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        let table = self.table.table();
        write!(f, "{}, chunks={}", table.name(), table.num_chunks())?;
        if self.reverse {
            write!(f, ", reverse")?;
        }
        if self.distinct.is_some() {
            write!(f, ", distinct")?;
        }
        if let Some(predicate) = conjunction_opt(self.filters.iter().cloned()) {
            write!(f, ", prune by {predicate}")?;
        }
        if let Some(column) = self.ids {
            write!(f, ", ids of {}", self.schema.field(column).name())?;
        }
        self.value_filters.iter().try_for_each(|filter| write!(f, ", where {filter}"))?;
        self.text_filters.iter().try_for_each(|filter| write!(f, ", where {filter}"))?;
        Ok(())
    }

    fn repartitioned(
        &self,
        target: usize,
        _: usize,
        _: Option<datafusion::physical_expr::LexOrdering>,
    ) -> Result<Option<Arc<dyn DataSource>>> {
        let chunks = self.table.table().num_chunks();
        let count = target.min(chunks);
        if self.partitions.len() >= count {
            return Ok(None);
        }
        // Contiguous chunks, so that each partition keeps the order.
        let bound = |index: usize| index * chunks / count;
        let partitions = (0..count).map(|index| bound(index)..bound(index + 1)).collect();
        Ok(Some(Arc::new(Self { partitions, ..self.clone() })))
    }

    fn output_partitioning(&self) -> Partitioning {
        Partitioning::UnknownPartitioning(self.partitions.len())
    }

    fn eq_properties(&self) -> EquivalenceProperties {
        let schema = Arc::clone(&self.schema);
        let mut properties = EquivalenceProperties::new_with_orderings(schema, self.orders());
        let constants = self.value_filters.iter().filter_map(|filter| filter.constant());
        let constants = constants.map(|(column, value)| {
            let value = AcrossPartitions::Uniform(Some(ScalarValue::Int64(Some(value))));
            ConstExpr::new(Arc::new(column), value)
        });
        // Without them, the plan may sort what is sorted.
        let _ = properties.add_constants(constants.collect::<Vec<_>>());
        properties
    }

    fn partition_statistics(&self, partition: Option<usize>) -> Result<Arc<Statistics>> {
        let mut statistics = self.table.statistics_of(&self.columns);
        let rows = match partition {
            None => self.table.table().num_rows(),
            Some(index) => {
                let chunks = self.partitions[index].clone();
                chunks.map(|chunk| self.table.table().chunk_rows(chunk)).sum()
            }
        };
        let rows = self.estimated(rows).min(self.fetch.unwrap_or(usize::MAX));
        if partition.is_some() || self.fetch.is_some() || !self.value_filters.is_empty() {
            let all = self.table.table().num_rows().max(1);
            statistics.total_byte_size = statistics
                .total_byte_size
                .get_value()
                .map_or(Precision::Absent, |bytes| Precision::Inexact(bytes / all * rows));
            statistics = statistics.to_inexact();
            statistics.num_rows = Precision::Exact(rows);
        }
        if !self.filters.is_empty() || self.has_filters() || self.distinct.is_some() {
            statistics = statistics.to_inexact();
        }
        Ok(Arc::new(statistics))
    }

    fn with_fetch(&self, fetch: Option<usize>) -> Option<Arc<dyn DataSource>> {
        Some(Arc::new(Self { fetch, ..self.clone() }))
    }

    fn fetch(&self) -> Option<usize> {
        self.fetch
    }

    fn metrics(&self) -> ExecutionPlanMetricsSet {
        self.metrics.clone()
    }

    /// Columns that text filters alone read are not given.
    fn try_swapping_with_projection(
        &self,
        projection: &ProjectionExprs,
    ) -> Result<Option<Arc<dyn DataSource>>> {
        // Other filters name columns by their positions in the scan.
        let is_bound =
            !self.filters.is_empty() || !self.value_filters.is_empty() || self.ids.is_some();
        if self.text_filters.is_empty() || is_bound {
            return Ok(None);
        }
        let same = |expr: &ProjectionExpr| {
            let column = expr.expr.downcast_ref::<Column>()?;
            let position = Some(column.index()).filter(|_| column.name() == expr.alias)?;
            self.columns.get(position).copied()
        };
        let Some(columns) = projection.iter().map(same).collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        let schema = Arc::new(self.table.table().schema().project(&columns)?);
        Ok(Some(Arc::new(Self { columns, schema, ..self.clone() })))
    }

    fn try_pushdown_filters(
        &self,
        filters: Vec<Arc<dyn PhysicalExpr>>,
        _: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn DataSource>>> {
        // A limit of the scan counts rows before the filters above it. With one, a filter may not
        // even skip chunks: the limit would take the rows of others.
        if self.fetch.is_some() {
            let answer = vec![PushedDown::No; filters.len()];
            return Ok(FilterPushdownPropagation::with_parent_pushdown_result(answer));
        }
        let mut answer = Vec::new();
        let mut source = self.clone();
        for filter in filters {
            let table = self.table.table().as_ref();
            if let Some(values) = ValueFilter::try_new(&filter, table, &self.columns) {
                source.value_filters.push(Arc::new(values));
                answer.push(PushedDown::Yes);
                continue;
            }
            match TextFilter::try_new(&filter, table, &self.columns)? {
                Some(text) => {
                    source.text_filters.push(Arc::new(text));
                    answer.push(PushedDown::Yes);
                }
                None => {
                    source.filters.push(filter);
                    answer.push(PushedDown::No);
                }
            }
        }
        Ok(FilterPushdownPropagation::with_parent_pushdown_result(answer)
            .with_updated_node(Arc::new(source)))
    }

    fn try_pushdown_sort(
        &self,
        wanted: &[PhysicalSortExpr],
    ) -> Result<SortOrderPushdownResult<Arc<dyn DataSource>>> {
        // Backwards, a limit takes the last rows of the table.
        if self.fetch.is_some() {
            return Ok(SortOrderPushdownResult::Unsupported);
        }
        let source = Self { reverse: !self.reverse, ..self.clone() };
        if source.orders().iter().any(|order| order.starts_with(wanted)) {
            return Ok(SortOrderPushdownResult::Exact { inner: Arc::new(source) });
        }
        Ok(SortOrderPushdownResult::Unsupported)
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        for filter in &self.filters {
            if visit(filter)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }
}
