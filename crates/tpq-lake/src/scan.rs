//! Scans of the files of a table: of one trace, or of all traces with their columns of the
//! catalogue in front.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::{Array, BooleanArray, RecordBatch};
use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::{Field, FieldRef, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::{
    ColumnStatistics, Constraint, Constraints, DFSchema, Result, ScalarValue, Statistics,
};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::object_store::ObjectStoreUrl;
use datafusion::datasource::physical_plan::parquet::{ParquetAccessPlan, RowGroupAccess};
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfigBuilder, ParquetSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::logical_expr::expr_rewriter::unnormalize_col;
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion::physical_plan::ExecutionPlan;
use object_store::ObjectMeta;
use object_store::path::Path;
use tpq_tables::{ColumnKind, TableDecl};

use crate::lake::Lake;
use crate::lake_scan::{Extent, LakeScan};
use crate::readers::LakeReaders;
use crate::trace::RowGroups;
use crate::{LakeError, LakeTrace};

/// A scan of a table of a lake.
pub struct TraceFilesScan {
    name: &'static str,
    /// The columns as SQL sees them: those in front, then those of the table.
    schema: SchemaRef,
    store: ObjectStoreUrl,
    readers: Arc<LakeReaders>,
    /// The columns of files.
    file_schema: SchemaRef,
    /// The values of the columns in front, one row for each file.
    front: RecordBatch,
    files: Vec<File>,
    /// All traces of the lake, in a scan over several.
    lake_traces: Option<Arc<[Arc<LakeTrace>]>>,
    key: Option<Constraints>,
}

/// Rows of one trace.
struct File {
    path: Path,
    /// The size of the file in bytes.
    bytes: u64,
    /// The bytes of the trace in it, about.
    own_bytes: u64,
    rows: u64,
    in_time: bool,
    row_groups: Option<RowGroups>,
}

impl Lake {
    /// The scan of a table of one trace: the same columns and rows as those of the trace itself.
    ///
    /// # Errors
    /// When the path of a file is damaged.
    pub fn scan_of(
        &self,
        trace: &LakeTrace,
        table: &'static TableDecl,
    ) -> Result<Arc<TraceFilesScan>, LakeError> {
        let front = front_of(std::iter::empty(), 1)?;
        let is_own_version = trace.version == env!("CARGO_PKG_VERSION");
        let mut scan = self.scan(table, front, std::iter::once(trace), is_own_version)?;
        // Allows `SELECT name … GROUP BY id`, because the id determines all other columns.
        let key = vec![Constraint::PrimaryKey(vec![0])];
        let has_key = table.columns.first().is_some_and(|column| column.kind == ColumnKind::Id);
        scan.key = has_key.then(|| Constraints::new_unverified(key));
        Ok(Arc::new(scan))
    }

    /// The scan of a table of all of `traces`, which are some of those of the lake. `front` has the
    /// columns in front, a row for each trace.
    pub(crate) fn scan_of_all(
        &self,
        (traces, lake_traces): (&[Arc<LakeTrace>], &Arc<[Arc<LakeTrace>]>),
        front: &RecordBatch,
        table: &'static TableDecl,
    ) -> Result<Arc<TraceFilesScan>, LakeError> {
        let has_rows: BooleanArray =
            traces.iter().map(|trace| Some(trace.files.contains_key(table.name))).collect();
        let front = datafusion::arrow::compute::filter_record_batch(front, &has_rows)?;
        let mut scan = self.scan(table, front, traces.iter().map(AsRef::as_ref), false)?;
        scan.lake_traces = Some(Arc::clone(lake_traces));
        Ok(Arc::new(scan))
    }

    fn scan<'a>(
        &self,
        table: &'static TableDecl,
        front: RecordBatch,
        traces: impl Iterator<Item = &'a LakeTrace>,
        is_own_version: bool,
    ) -> Result<TraceFilesScan, LakeError> {
        let mut files = Vec::new();
        for file in traces.filter_map(|trace| trace.files.get(table.name)) {
            files.push(File {
                path: self.store().path(table.name, &file.path)?,
                bytes: file.bytes,
                own_bytes: file.own_bytes(),
                rows: file.rows,
                in_time: file.in_time,
                row_groups: file.row_groups,
            });
        }
        // Files of earlier versions lack the columns of later ones, which are NULL then.
        let own = table.columns.iter().map(|column| {
            let field = column.field();
            let is_nullable = !is_own_version || field.is_nullable();
            Arc::new(field.with_nullable(is_nullable))
        });
        let own: Vec<FieldRef> = own.collect();
        let in_front = front.schema().fields().iter().cloned().collect::<Vec<_>>();
        Ok(TraceFilesScan {
            name: table.name,
            schema: Arc::new(Schema::new([in_front, own.clone()].concat())),
            store: self.store().object_store_url().clone(),
            readers: Arc::new(LakeReaders::new(Arc::clone(self.store().object_store()))),
            file_schema: Arc::new(Schema::new(own)),
            front,
            files,
            lake_traces: None,
            key: None,
        })
    }
}

/// Columns in front, from their fields and values.
pub(crate) fn front_of(
    columns: impl Iterator<Item = (Field, datafusion::arrow::array::ArrayRef)>,
    rows: usize,
) -> Result<RecordBatch, LakeError> {
    use datafusion::arrow::array::RecordBatchOptions;
    let (fields, values): (Vec<_>, Vec<_>) = columns.unzip();
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), values, &options)?)
}

impl TraceFilesScan {
    /// The number of columns in front.
    fn fronts(&self) -> usize {
        self.front.num_columns()
    }

    /// Whether an expression needs the columns in front only.
    fn is_of_front(&self, expr: &Expr) -> bool {
        let columns = expr.column_refs();
        let is_front = |name: &str| self.front.schema().column_with_name(name).is_some();
        !columns.is_empty()
            && columns.iter().all(|column| is_front(&column.name))
            && !expr.is_volatile()
    }

    /// The files that filters over the columns in front leave.
    fn chosen(&self, state: &dyn Session, filters: &[Expr]) -> Result<Vec<usize>> {
        let of_front = filters.iter().filter(|filter| self.is_of_front(filter)).cloned();
        // Without the names of tables before columns.
        let Some(filter) = conjunction(of_front.map(unnormalize_col)) else {
            return Ok((0..self.files.len()).collect());
        };
        let schema = DFSchema::try_from(self.front.schema())?;
        let filter = state.create_physical_expr(filter, &schema)?;
        let chosen = filter.evaluate(&self.front)?.into_array(self.front.num_rows())?;
        let chosen = datafusion::common::cast::as_boolean_array(&chosen)?;
        let is_chosen = |row: &usize| chosen.is_valid(*row) && chosen.value(*row);
        Ok((0..self.files.len()).filter(is_chosen).collect())
    }

    fn partitioned_file(&self, at: usize) -> Result<PartitionedFile> {
        let file = &self.files[at];
        let values = self.front.columns().iter();
        let values = values.map(|column| ScalarValue::try_from_array(column, at));
        let meta = ObjectMeta {
            location: file.path.clone(),
            // No file is ever changed.
            last_modified: Default::default(),
            size: file.bytes,
            e_tag: None,
            version: None,
        };
        let mut found = PartitionedFile::new_from_meta(meta)
            .with_partition_values(values.collect::<Result<_>>()?);
        if let Some(RowGroups { first, count, all }) = file.row_groups {
            let mut plan = ParquetAccessPlan::new_none(all);
            (first..first + count).for_each(|group| plan.set(group, RowGroupAccess::Scan));
            found = found.with_extension(plan);
        }
        Ok(found)
    }

    /// Positions in the columns of files followed by those in front.
    fn positions(&self, projection: Option<&Vec<usize>>) -> Vec<usize> {
        let (fronts, own) = (self.fronts(), self.file_schema.fields().len());
        let all: Vec<usize> = (0..fronts + own).collect();
        let position = |&column: &usize| match column.checked_sub(fronts) {
            Some(own) => own,
            None => own + column,
        };
        projection.unwrap_or(&all).iter().map(position).collect()
    }

    /// Files in groups of about the same number, each read by one thread, in order. Without files,
    /// there is an empty group.
    fn groups(&self, chosen: &[usize], threads: usize) -> Result<Vec<FileGroup>> {
        if chosen.is_empty() {
            return Ok(vec![FileGroup::new(Vec::new())]);
        }
        let per_group = chosen.len().div_ceil(threads.max(1)).max(1);
        let group = |files: &[usize]| {
            let files = files.iter().map(|&at| self.partitioned_file(at));
            Ok(FileGroup::new(files.collect::<Result<Vec<_>>>()?))
        };
        chosen.chunks(per_group).map(group).collect()
    }

    fn statistics_of(&self, chosen: &[usize]) -> Statistics {
        let sum = |of: fn(&File) -> u64| {
            let sum =
                chosen.iter().fold(0, |sum: u64, &at| sum.saturating_add(of(&self.files[at])));
            usize::try_from(sum).unwrap_or(usize::MAX)
        };
        let columns = self.file_schema.fields().len() + self.fronts();
        let mut column_statistics = vec![ColumnStatistics::new_unknown(); columns];
        let rows = sum(|file| file.rows);
        if let (Some(id), true) = (column_statistics.first_mut(), self.key.is_some() && rows > 0) {
            id.null_count = Precision::Exact(0);
            id.distinct_count = Precision::Exact(rows);
            id.min_value = Precision::Exact(ScalarValue::Int64(Some(0)));
            id.max_value = Precision::Exact(ScalarValue::Int64(Some(rows as i64 - 1)));
        }
        Statistics {
            num_rows: Precision::Exact(rows),
            total_byte_size: Precision::Inexact(rows.saturating_mul(columns * 8)),
            column_statistics,
        }
    }

    /// What is read of the lake, and what is not; `None` for a scan of one trace.
    fn extents(&self, chosen: &[usize]) -> Option<(Extent, Extent)> {
        let lake_traces = self.lake_traces.as_ref()?;
        let files = chosen.iter().map(|&at| &self.files[at]);
        let read = Extent::of(files.map(|file| (file.path.as_ref(), file.own_bytes)));
        let all = lake_traces.iter().filter_map(|trace| trace.files.get(self.name));
        let all = Extent::of(all.map(|file| (file.path.as_str(), file.own_bytes())));
        Some((read, all.without(read)))
    }

    /// The orders of the rows of one trace.
    fn orders(&self) -> Vec<LexOrdering> {
        let [file] = &self.files[..] else { return Vec::new() };
        if self.fronts() > 0 {
            return Vec::new();
        }
        let names = [Some("id"), file.in_time.then_some("ts")];
        let order = |name: &str| {
            let (at, _) = self.file_schema.column_with_name(name)?;
            let column = Arc::new(Column::new(name, at));
            let options = SortOptions { descending: false, nulls_first: true };
            LexOrdering::new([PhysicalSortExpr::new(column, options)])
        };
        names.into_iter().flatten().filter_map(order).collect()
    }
}

impl fmt::Debug for TraceFilesScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TraceFilesScan({}, {} traces)", self.name, self.files.len())
    }
}

#[async_trait]
impl TableProvider for TraceFilesScan {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn constraints(&self) -> Option<&Constraints> {
        self.key.as_ref()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let support = |filter: &&Expr| match self.is_of_front(filter) {
            true => TableProviderFilterPushDown::Exact,
            false => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(support).collect())
    }

    fn statistics(&self) -> Option<Statistics> {
        let all: Vec<usize> = (0..self.files.len()).collect();
        let found = self.statistics_of(&all);
        // In the order of the columns as SQL sees them.
        let columns = self.positions(None).into_iter();
        let column_statistics =
            columns.map(|column| found.column_statistics[column].clone()).collect();
        Some(Statistics { column_statistics, ..found })
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let chosen = self.chosen(state, filters)?;
        let front: Vec<FieldRef> = self.front.schema().fields().iter().cloned().collect();
        let columns = TableSchema::builder(Arc::clone(&self.file_schema))
            .with_table_partition_cols(front)
            .build();
        let threads = state.config().target_partitions();
        let readers = Arc::clone(&self.readers);
        let source = ParquetSource::new(columns).with_parquet_file_reader_factory(readers);
        let config = FileScanConfigBuilder::new(self.store.clone(), Arc::new(source))
            .with_file_groups(self.groups(&chosen, threads)?)
            .with_statistics(self.statistics_of(&chosen))
            .with_output_ordering(self.orders())
            .with_preserve_order(true)
            .with_limit(limit)
            .with_projection_indices(Some(self.positions(projection)))?
            .build();
        let scan = LakeScan::new(config, self.name, self.extents(&chosen));
        Ok(DataSourceExec::from_data_source(scan))
    }
}
