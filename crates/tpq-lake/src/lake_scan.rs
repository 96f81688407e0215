//! A scan of files of a lake: it shows in EXPLAIN how much the catalogue let it leave out, and its
//! errors say what to do.

use std::any::Any;
use std::collections::HashSet;
use std::fmt;
use std::io;
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, Statistics};
use datafusion::config::ConfigOptions;
use datafusion::datasource::source::{DataSource, DataSourceExec, OpenArgs};
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_expr::{
    EquivalenceProperties, LexOrdering, PhysicalExpr, PhysicalSortExpr,
};
use datafusion::physical_plan::execution_plan::SchedulingType;
use datafusion::physical_plan::filter_pushdown::FilterPushdownPropagation;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayFormatType, ExecutionPlan, Partitioning, SortOrderPushdownResult,
};
use futures::TryStreamExt;

use crate::error::ADVICE;
use crate::storage_error::is_of_storage;

/// How much of a table some traces have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Extent {
    traces: usize,
    files: usize,
    /// The size of the files. Of a file with several traces, the share of their row groups.
    bytes: u64,
}

impl Extent {
    /// The extent of traces, each with the path of its file and the bytes of its part of the file.
    pub(crate) fn of<'a>(parts: impl Iterator<Item = (&'a str, u64)>) -> Self {
        let mut paths = HashSet::new();
        parts.fold(Self::default(), |sum, (path, bytes)| Self {
            traces: sum.traces + 1,
            files: sum.files + usize::from(paths.insert(path)),
            bytes: sum.bytes.saturating_add(bytes),
        })
    }

    /// What is left without `part`.
    pub(crate) fn without(self, part: Self) -> Self {
        Self {
            traces: self.traces.saturating_sub(part.traces),
            files: self.files.saturating_sub(part.files),
            bytes: self.bytes.saturating_sub(part.bytes),
        }
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{traces: {}, files: {}, bytes: {}}}", self.traces, self.files, self.bytes)
    }
}

/// A scan of the files of a table.
#[derive(Clone, Debug)]
pub(crate) struct LakeScan {
    scan: Arc<dyn DataSource>,
    table: &'static str,
    /// What is read, and what is not; `None` in a scan of one trace.
    extents: Option<(Extent, Extent)>,
}

impl LakeScan {
    pub(crate) fn new(
        scan: impl DataSource,
        table: &'static str,
        extents: Option<(Extent, Extent)>,
    ) -> Self {
        Self { scan: Arc::new(scan), table, extents }
    }

    /// The same with a changed scan.
    fn with(&self, scan: Arc<dyn DataSource>) -> Arc<dyn DataSource> {
        Arc::new(Self { scan, ..self.clone() })
    }

    /// Rows of the scan, with errors that say what to do.
    fn advised(&self, rows: SendableRecordBatchStream) -> SendableRecordBatchStream {
        let (schema, table) = (rows.schema(), self.table);
        let rows = rows.map_err(move |error| advised(table, error));
        Box::pin(RecordBatchStreamAdapter::new(schema, rows))
    }
}

/// The error of a file with the table and what to do; other errors as they are. One of storage is an
/// error of I/O, so that a cluster tries again.
fn advised(table: &str, error: DataFusionError) -> DataFusionError {
    let reason = match error.find_root() {
        DataFusionError::ParquetError(error) => error.to_string(),
        DataFusionError::ObjectStore(error) => error.to_string(),
        DataFusionError::ArrowError(error, _) => error.to_string(),
        DataFusionError::IoError(error) => error.to_string(),
        _ => return error,
    };
    // Each layer says that the error is one of Parquet.
    let reason = reason.trim_start_matches("Parquet error: ");
    let text = format!("table {table} of the lake: {reason}; {ADVICE}");
    match is_of_storage(&error) {
        true => DataFusionError::IoError(io::Error::other(text)),
        false => DataFusionError::Execution(text),
    }
}

/// The plan with scans as DataFusion has them, for messages between processes.
///
/// # Errors
/// When a step of the plan cannot be made anew.
pub fn plain_scans(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let plain = |step: Arc<dyn ExecutionPlan>| {
        let source = step.downcast_ref::<DataSourceExec>().map(DataSourceExec::data_source);
        let scan = source.and_then(|source| source.downcast_ref::<LakeScan>());
        let scan = scan.map(|lake| DataSourceExec::new(Arc::clone(&lake.scan)));
        Ok(match scan {
            Some(scan) => Transformed::yes(Arc::new(scan) as Arc<dyn ExecutionPlan>),
            None => Transformed::no(step),
        })
    };
    plan.transform_up(plain).data()
}

impl DataSource for LakeScan {
    fn open(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        Ok(self.advised(self.scan.open(partition, context)?))
    }

    fn open_with_args(&self, args: OpenArgs) -> Result<SendableRecordBatchStream> {
        Ok(self.advised(self.scan.open_with_args(args)?))
    }

    fn fmt_as(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.scan.fmt_as(format, f)?;
        let Some((read, pruned)) = self.extents else { return Ok(()) };
        match format {
            DisplayFormatType::Default | DisplayFormatType::Verbose => {
                write!(f, ", read={read}, pruned={pruned}")
            }
            DisplayFormatType::TreeRender => {
                writeln!(f, "read={} traces", read.traces)?;
                writeln!(f, "pruned={} traces", pruned.traces)
            }
        }
    }

    fn repartitioned(
        &self,
        target_partitions: usize,
        repartition_file_min_size: usize,
        output_ordering: Option<LexOrdering>,
    ) -> Result<Option<Arc<dyn DataSource>>> {
        let (partitions, min_size) = (target_partitions, repartition_file_min_size);
        let scan = self.scan.repartitioned(partitions, min_size, output_ordering)?;
        Ok(scan.map(|scan| self.with(scan)))
    }

    fn output_partitioning(&self) -> Partitioning {
        self.scan.output_partitioning()
    }

    fn eq_properties(&self) -> EquivalenceProperties {
        self.scan.eq_properties()
    }

    fn scheduling_type(&self) -> SchedulingType {
        self.scan.scheduling_type()
    }

    fn partition_statistics(&self, partition: Option<usize>) -> Result<Arc<Statistics>> {
        self.scan.partition_statistics(partition)
    }

    fn with_fetch(&self, limit: Option<usize>) -> Option<Arc<dyn DataSource>> {
        self.scan.with_fetch(limit).map(|scan| self.with(scan))
    }

    fn fetch(&self) -> Option<usize> {
        self.scan.fetch()
    }

    fn metrics(&self) -> ExecutionPlanMetricsSet {
        self.scan.metrics()
    }

    fn try_swapping_with_projection(
        &self,
        projection: &ProjectionExprs,
    ) -> Result<Option<Arc<dyn DataSource>>> {
        let scan = self.scan.try_swapping_with_projection(projection)?;
        Ok(scan.map(|scan| self.with(scan)))
    }

    fn try_pushdown_filters(
        &self,
        filters: Vec<Arc<dyn PhysicalExpr>>,
        config: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn DataSource>>> {
        let pushed = self.scan.try_pushdown_filters(filters, config)?;
        Ok(FilterPushdownPropagation {
            filters: pushed.filters,
            updated_node: pushed.updated_node.map(|scan| self.with(scan)),
        })
    }

    fn try_pushdown_sort(
        &self,
        order: &[PhysicalSortExpr],
    ) -> Result<SortOrderPushdownResult<Arc<dyn DataSource>>> {
        Ok(self.scan.try_pushdown_sort(order)?.map(|scan| self.with(scan)))
    }

    fn with_preserve_order(&self, preserve_order: bool) -> Option<Arc<dyn DataSource>> {
        self.scan.with_preserve_order(preserve_order).map(|scan| self.with(scan))
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.scan.apply_expressions(f)
    }

    fn with_new_state(&self, state: Arc<dyn Any + Send + Sync>) -> Option<Arc<dyn DataSource>> {
        self.scan.with_new_state(state).map(|scan| self.with(scan))
    }

    fn create_sibling_state(&self, config: &ConfigOptions) -> Option<Arc<dyn Any + Send + Sync>> {
        self.scan.create_sibling_state(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_share_a_file() {
        let all = [("a", 10), ("b", 4), ("b", 6)];
        let whole = Extent::of(all.into_iter());
        assert_eq!(whole, Extent { traces: 3, files: 2, bytes: 20 });
        // One trace of `b` is read, so the file is not left out.
        let read = Extent::of(all.into_iter().skip(2));
        assert_eq!(read.to_string(), "{traces: 1, files: 1, bytes: 6}");
        assert_eq!(whole.without(read).to_string(), "{traces: 2, files: 1, bytes: 14}");
    }
}
