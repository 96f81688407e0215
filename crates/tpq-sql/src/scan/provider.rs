//! A finished table as DataFusion's planner sees it.

use std::fmt;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::{
    ColumnStatistics, Constraint, Constraints, Result, ScalarValue, Statistics,
};
use datafusion::datasource::source::DataSourceExec;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;

use super::chunked::ChunkedTable;
use super::source::ChunkSource;

/// A table of the trace, with what planning needs to know about it.
pub(crate) struct StoredTable {
    table: Arc<dyn ChunkedTable>,
    key: Option<Constraints>,
    /// The position of `ts` where the rows are in its order. Found when first asked for, since
    /// every value is looked at.
    time_order: OnceLock<Option<usize>>,
    statistics: OnceLock<Vec<ColumnStatistics>>,
}

impl StoredTable {
    /// Wraps a finished table.
    pub(crate) fn new(table: Arc<dyn ChunkedTable>) -> Self {
        // Lets `SELECT name … GROUP BY id` through: the id decides every other column.
        let is_key = |key| Constraints::new_unverified(vec![Constraint::PrimaryKey(vec![key])]);
        Self {
            key: table.key().map(is_key),
            table,
            time_order: OnceLock::new(),
            statistics: OnceLock::new(),
        }
    }

    /// The table itself.
    pub(super) fn table(&self) -> &Arc<dyn ChunkedTable> {
        &self.table
    }

    /// The position of `ts` where the rows are in its order.
    pub(super) fn time_order(&self) -> Option<usize> {
        *self.time_order.get_or_init(|| {
            let (ts, _) = self.table.schema().column_with_name("ts")?;
            self.table.is_sorted_by(ts).then_some(ts)
        })
    }

    /// Exact statistics of the columns `projection` names by position.
    pub(crate) fn statistics_of(&self, projection: &[usize]) -> Statistics {
        let all = self.statistics.get_or_init(|| {
            (0..self.table.schema().fields().len())
                .map(|column| self.column_statistics(column))
                .collect()
        });
        let columns: Vec<_> = projection.iter().map(|&column| all[column].clone()).collect();
        let bytes =
            projection.iter().map(|&column| match self.table.schema().field(column).data_type() {
                DataType::Utf8View => 16,
                _ => 8,
            });
        let rows = self.table.num_rows();
        Statistics {
            num_rows: Precision::Exact(rows),
            // Of the columns that are read, not of the table: which side of a join becomes the
            // hash table is decided by comparing these.
            total_byte_size: Precision::Inexact(rows * bytes.sum::<usize>()),
            column_statistics: columns,
        }
    }

    fn column_statistics(&self, column: usize) -> ColumnStatistics {
        let ranges =
            (0..self.table.num_chunks()).map(|chunk| self.table.chunk_range(chunk, column));
        let nulls = ranges.clone().map(|range| range.nulls).sum();
        let bounds = ranges
            .filter_map(|range| range.bounds)
            .reduce(|(low, high), (next_low, next_high)| (low.min(next_low), high.max(next_high)));
        let mut statistics = ColumnStatistics::new_unknown();
        statistics.null_count = Precision::Exact(nulls);
        let Some((low, high)) = bounds else { return statistics };
        statistics.min_value = Precision::Exact(ScalarValue::Int64(Some(low)));
        statistics.max_value = Precision::Exact(ScalarValue::Int64(Some(high)));
        let values = self.table.num_rows() - nulls;
        statistics.distinct_count = if self.table.key() == Some(column) {
            Precision::Exact(values)
        } else {
            // No more than fit between the bounds: close to the truth for ids of other tables.
            let span = usize::try_from(high.abs_diff(low)).unwrap_or(usize::MAX).saturating_add(1);
            Precision::Inexact(span.min(values))
        };
        statistics
    }
}

impl fmt::Debug for StoredTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoredTable({})", self.table.name())
    }
}

/// A table as an `Arc`, since the sources made by a scan keep it alive.
#[derive(Debug)]
pub(crate) struct StoredProvider(pub Arc<StoredTable>);

#[async_trait]
impl TableProvider for StoredProvider {
    fn schema(&self) -> SchemaRef {
        Arc::clone(self.0.table.schema())
    }

    fn constraints(&self) -> Option<&Constraints> {
        self.0.key.as_ref()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn statistics(&self) -> Option<Statistics> {
        let all: Vec<usize> = (0..self.0.table.schema().fields().len()).collect();
        Some(self.0.statistics_of(&all))
    }

    async fn scan(
        &self,
        _state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let columns = match projection {
            Some(projection) => projection.clone(),
            None => (0..self.0.table.schema().fields().len()).collect(),
        };
        let source = ChunkSource::try_new(Arc::clone(&self.0), columns, limit)?;
        Ok(DataSourceExec::from_data_source(source))
    }
}
