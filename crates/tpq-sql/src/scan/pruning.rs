//! Pruning: skips chunks that cannot contain a row of the result.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, BooleanArray, Int64Array, UInt64Array};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::pruning::PruningStatistics;
use datafusion::common::{Column, ScalarValue};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr_common::physical_expr::{
    snapshot_generation, snapshot_physical_expr,
};
use datafusion::physical_optimizer::pruning::PruningPredicateBuilder;
use tpq_tables::ChunkRange;

use super::chunked::ChunkedTable;
use super::value_filter::WantedValues;

use crate::operators::apply::with_known_values;

/// The statistics of a range of chunks, known without reading the chunks.
struct ChunkStatistics<'a> {
    table: &'a dyn ChunkedTable,
    chunks: Range<usize>,
}

impl ChunkStatistics<'_> {
    fn by_chunk<T>(&self, column: &Column, value: impl Fn(ChunkRange) -> T) -> Option<Vec<T>> {
        let (column, _) = self.table.schema().column_with_name(&column.name)?;
        Some(
            self.chunks.clone().map(|chunk| value(self.table.chunk_range(chunk, column))).collect(),
        )
    }
}

impl PruningStatistics for ChunkStatistics<'_> {
    fn min_values(&self, column: &Column) -> Option<ArrayRef> {
        let values = self.by_chunk(column, |range| range.bounds.map(|(low, _)| low))?;
        Some(Arc::new(Int64Array::from(values)))
    }

    fn max_values(&self, column: &Column) -> Option<ArrayRef> {
        let values = self.by_chunk(column, |range| range.bounds.map(|(_, high)| high))?;
        Some(Arc::new(Int64Array::from(values)))
    }

    fn num_containers(&self) -> usize {
        self.chunks.len()
    }

    fn null_counts(&self, column: &Column) -> Option<ArrayRef> {
        Some(Arc::new(UInt64Array::from(self.by_chunk(column, |range| range.nulls as u64)?)))
    }

    fn row_counts(&self) -> Option<ArrayRef> {
        let rows = self.chunks.clone().map(|chunk| self.table.chunk_rows(chunk) as u64);
        Some(Arc::new(UInt64Array::from_iter_values(rows)))
    }

    fn contained(&self, _: &Column, _: &HashSet<ScalarValue>) -> Option<BooleanArray> {
        None
    }
}

/// Decides which chunks of a range to read. Decides again when a dynamic filter changes: other
/// operators update such filters while the query runs (the threshold of a top-k, keys of a join).
pub(super) struct Pruner {
    predicate: Option<Arc<dyn PhysicalExpr>>,
    schema: SchemaRef,
    chunks: Range<usize>,
    /// The generation of the dynamic filters that `keep` was computed from.
    generation: Option<u64>,
    /// Whether to read each chunk; `None` if the predicate cannot be evaluated on statistics.
    keep: Option<Vec<bool>>,
    /// The columns that the scan reads, by their positions in the table.
    columns: Vec<usize>,
    /// The values that the predicate demands.
    wanted: Vec<WantedValues>,
}

impl Pruner {
    pub(super) fn new(
        predicate: Option<Arc<dyn PhysicalExpr>>,
        schema: SchemaRef,
        columns: Vec<usize>,
        chunks: Range<usize>,
    ) -> Self {
        let (generation, keep, wanted) = (None, None, Vec::new());
        Self { predicate, schema, chunks, generation, keep, columns, wanted }
    }

    /// The values that rows of the result have, as known when the last chunk was kept.
    pub(super) fn wanted(&self) -> &[WantedValues] {
        &self.wanted
    }

    /// Whether a chunk may contain a row of the result.
    pub(super) fn keeps(&mut self, table: &dyn ChunkedTable, chunk: usize) -> bool {
        let Some(predicate) = &self.predicate else { return true };
        let generation = snapshot_generation(predicate);
        if self.generation != Some(generation) {
            self.generation = Some(generation);
            // If the predicate cannot be evaluated on statistics, no chunk is skipped. The filter
            // is also applied above the scan.
            let snapshot =
                snapshot_physical_expr(Arc::clone(predicate)).and_then(with_known_values).ok();
            self.wanted = snapshot.as_ref().map_or_else(Vec::new, |predicate| {
                WantedValues::in_predicate(predicate, table, &self.columns)
            });
            self.keep = snapshot.and_then(|snapshot| {
                let pruning = PruningPredicateBuilder::new()
                    .with_file_schema(Arc::clone(&self.schema))
                    .try_build(snapshot)
                    .ok()?;
                pruning.prune(&ChunkStatistics { table, chunks: self.chunks.clone() }).ok()
            });
        }
        self.keep.as_ref().is_none_or(|keep| keep[chunk - self.chunks.start])
    }
}
