//! Finished tables for DataFusion's planner.

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
use crate::cancel::{CancelToken, under};

/// A table with the facts that planning needs.
pub(crate) struct StoredTable {
    table: Arc<dyn ChunkedTable>,
    key: Option<Constraints>,
    /// The position of the column `ts` if the rows are sorted by it. Computed on first use, because
    /// the check reads all values.
    time_order: OnceLock<Option<usize>>,
    /// By column, each computed on first use: a column may have to be made for it. There is room for
    /// them once one is asked for: a thousand columns have 300 bytes each, and a query names a few.
    statistics: OnceLock<Vec<OnceLock<ColumnStatistics>>>,
}

impl StoredTable {
    /// Wraps a finished table.
    pub(crate) fn new(table: Arc<dyn ChunkedTable>) -> Self {
        // Allows `SELECT name … GROUP BY id`, because the id determines all other columns.
        let is_key = |key| Constraints::new_unverified(vec![Constraint::PrimaryKey(vec![key])]);
        Self {
            key: table.key().map(is_key),
            statistics: OnceLock::new(),
            table,
            time_order: OnceLock::new(),
        }
    }

    /// The table.
    pub(super) fn table(&self) -> &Arc<dyn ChunkedTable> {
        &self.table
    }

    /// The position of the column `ts` if the rows are sorted by it.
    pub(super) fn time_order(&self) -> Option<usize> {
        *self.time_order.get_or_init(|| {
            let (ts, _) = self.table.schema().column_with_name("ts")?;
            self.table.is_sorted_by(ts).then_some(ts)
        })
    }

    /// Whether a column has the numbers of the rows.
    pub(crate) fn is_key(&self, column: usize) -> bool {
        self.table.key() == Some(column)
    }

    /// The number of rows; `None` if they are to be made when they are first read.
    pub(crate) fn known_rows(&self) -> Option<usize> {
        self.table.known_rows()
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.table.num_rows()
    }

    /// The most combinations of values that some columns can have, as the bounds of their values
    /// show; `None` if these are not known, as for text.
    pub(crate) fn combinations(&self, columns: &[usize]) -> Option<usize> {
        // A column that cannot be made is an error of the scan.
        self.table.ensure_made(columns).ok()?;
        let statistics = self.statistics_of(columns);
        statistics.column_statistics.iter().try_fold(1_usize, |all, column| {
            let values = *column.distinct_count.get_value()?;
            let null = usize::from(column.null_count != Precision::Exact(0));
            Some(all.saturating_mul(values.saturating_add(null)))
        })
    }

    /// Statistics of the columns at the positions in `projection`.
    pub(crate) fn statistics_of(&self, projection: &[usize]) -> Statistics {
        let of_columns = self
            .statistics
            .get_or_init(|| self.table.schema().fields().iter().map(|_| OnceLock::new()).collect());
        let statistics =
            |&column: &usize| of_columns[column].get_or_init(|| self.column_statistics(column));
        let columns: Vec<_> = projection.iter().map(statistics).cloned().collect();
        let bytes =
            projection.iter().map(|&column| match self.table.schema().field(column).data_type() {
                DataType::Utf8View => 16,
                _ => 8,
            });
        let rows = self.table.num_rows();
        Statistics {
            num_rows: Precision::Exact(rows),
            // The size of the columns that are read, not of the table: DataFusion compares these
            // sizes to choose the side of a join that becomes the hash table.
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
            // At most the number of integers between the bounds. This is a good estimate for ids
            // of other tables.
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

/// A table in an `Arc`, because the sources that scans make keep it alive.
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
        // Statistics that are kept must be those of the rows.
        self.0.table.ensure_made(&all).ok()?;
        Some(self.0.statistics_of(&all))
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let columns = match projection {
            Some(projection) => projection.clone(),
            None => (0..self.0.table.schema().fields().len()).collect(),
        };
        // Statistics of columns that cannot be made are no answer.
        let token = CancelToken::of(state.config_options());
        under(token, || self.0.table.ensure_made(&columns))?;
        let source = ChunkSource::try_new(Arc::clone(&self.0), columns, limit)?;
        Ok(DataSourceExec::from_data_source(source))
    }
}
