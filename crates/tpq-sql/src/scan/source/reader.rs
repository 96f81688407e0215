//! Reads the rows of one partition of a scan: skips chunks, filters rows, and stops at a limit.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, UInt64Array};
use datafusion::arrow::buffer::BooleanBuffer;
use datafusion::arrow::compute::take_record_batch;
use datafusion::common::Result;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::metrics::{Count, MetricBuilder};
use tpq_tables::PickedRows;

use super::ChunkSource;
use crate::cancel::CancelToken;
use crate::scan::distinct_values::DistinctValues;
use crate::scan::pruning::Pruner;
use crate::scan::value_filter::{WantedValues, Within};

/// The chunks with texts that text filters look at before the first rows are read.
const FIRST_AHEAD: usize = 4;

/// Reads one partition, batch by batch.
pub(super) struct Reader {
    source: ChunkSource,
    pruner: Pruner,
    /// The chunks that are still to be read.
    chunks: Range<usize>,
    /// The values that filters of the scan demand; `None` before the first chunk.
    wanted: Option<Vec<WantedValues>>,
    /// The current chunk and its unread rows.
    rows: Option<(usize, Range<usize>)>,
    /// The chunks with texts that text filters have looked at.
    looked_at: Range<usize>,
    /// How many chunks text filters look at next.
    ahead: usize,
    /// The number of rows that the reader may still return.
    remaining: usize,
    /// The number of rows of a full batch.
    step: usize,
    cancel: CancelToken,
    skipped: Count,
}

impl Reader {
    /// A reader of all rows of a partition.
    pub(super) fn new(source: &ChunkSource, partition: usize, context: &TaskContext) -> Self {
        Self {
            pruner: source.pruner(partition),
            chunks: source.partitions[partition].clone(),
            wanted: None,
            rows: None,
            looked_at: 0..0,
            ahead: FIRST_AHEAD,
            remaining: source.fetch.unwrap_or(usize::MAX),
            step: context.session_config().batch_size(),
            cancel: CancelToken::of(context.session_config().options()),
            skipped: MetricBuilder::new(&source.metrics).counter("chunks_skipped", partition),
            source: source.clone(),
        }
    }

    /// The next rows to read: a chunk and a range in it. Skips chunks that can be pruned.
    fn next_rows(&mut self) -> Option<(usize, Range<usize>)> {
        let table = self.source.table.table();
        loop {
            if let Some((chunk, rows)) = &mut self.rows
                && rows.start < rows.end
            {
                // With filters, the number of rows to read for the remaining result is unknown.
                let limit = if self.source.has_filters() { self.step } else { self.remaining };
                let step = self.step.min(limit).min(rows.len());
                let range = if self.source.reverse {
                    rows.end -= step;
                    rows.end..rows.end + step
                } else {
                    rows.start += step;
                    rows.start - step..rows.start
                };
                return Some((*chunk, range));
            }
            let next =
                if self.source.reverse { self.chunks.next_back() } else { self.chunks.next() };
            let chunk = next?;
            if self.pruner.keeps(table.as_ref(), chunk) {
                self.rows = Some((chunk, 0..table.chunk_rows(chunk)));
            } else {
                self.skipped.add(1);
            }
        }
    }

    /// The values of all chunks, each once; `None` at the end.
    fn read_distinct(&mut self, bounds: (i64, i64)) -> Result<Option<RecordBatch>> {
        let table = Arc::clone(self.source.table.table());
        let mut values = DistinctValues::within(bounds);
        for chunk in std::mem::take(&mut self.chunks) {
            self.cancel.check()?;
            let has_all =
                self.source.columns.iter().all(|&it| values.has_all(table.chunk_range(chunk, it)));
            if has_all || !self.pruner.keeps(table.as_ref(), chunk) {
                self.skipped.add(1);
                continue;
            }
            let rows = table.read(chunk, 0..table.chunk_rows(chunk), &self.source.columns)?;
            rows.columns().iter().try_for_each(|column| values.add(column))?;
        }
        let schema = Arc::clone(&self.source.schema);
        let batch = values.finish().map(|values| RecordBatch::try_new(schema, vec![values]));
        Ok(batch.transpose()?)
    }

    /// The next batch; `None` at the end.
    fn read_batch(&mut self) -> Result<Option<RecordBatch>> {
        if let Some(bounds) = self.source.distinct {
            return self.read_distinct(bounds);
        }
        let mut picked: Vec<PickedRows> = Vec::new();
        let mut count = 0;
        while self.remaining > 0 && count < self.step {
            // If no row passes the filters, one call reads all chunks.
            self.cancel.check()?;
            let Some((chunk, rows)) = self.next_rows() else { break };
            let Some(passing) = self.passing(chunk, rows.clone())? else {
                if count == 0 {
                    return self.read(chunk, rows).map(Some);
                }
                picked.push(self.pick(chunk, rows.start, rows.len(), 0..rows.len()));
                count += picked.last().map_or(0, |picked| picked.rows.len());
                continue;
            };
            if passing.count_set_bits() > 0 {
                picked.push(self.pick(chunk, rows.start, rows.len(), passing.set_indices()));
                count += picked.last().map_or(0, |picked| picked.rows.len());
            }
        }
        match picked.is_empty() {
            true => Ok(None),
            false => self.source.pick(&picked).map(Some),
        }
    }

    /// Takes rows of those that remain.
    fn pick(
        &mut self,
        chunk: usize,
        start: usize,
        len: usize,
        rows: impl Iterator<Item = usize>,
    ) -> PickedRows {
        let mut picked: Vec<u32> = Vec::with_capacity(len);
        picked.extend(rows.map(|row| (start + row) as u32));
        if self.source.reverse {
            picked.reverse();
        }
        picked.truncate(self.remaining);
        self.remaining -= picked.len();
        PickedRows { chunk, rows: picked }
    }

    /// Which rows pass the filters; `None` if all do, as there are no filters.
    fn passing(&mut self, chunk: usize, rows: Range<usize>) -> Result<Option<BooleanBuffer>> {
        let wanted = match &self.wanted {
            Some(wanted) => wanted,
            None => {
                let filters = self.source.value_filters.iter();
                let wanted = filters.map(|filter| filter.wanted()).collect::<Result<_>>()?;
                &*self.wanted.insert(wanted)
            }
        };
        let table = self.source.table.table().as_ref();
        let mut passing: Option<BooleanBuffer> = None;
        // The pruner knows the values of this moment that keys of a join have. A limit on rows
        // counts those that filters above leave out.
        let of_others = self.pruner.wanted().iter().filter(|_| self.source.fetch.is_none());
        for wanted in wanted.iter().chain(of_others) {
            let column = wanted.column;
            let passes = match wanted.within(table.chunk_range(chunk, column)) {
                Within::All => continue,
                Within::None => return Ok(Some(BooleanBuffer::new_unset(rows.len()))),
                Within::Some(values) => table.matches(chunk, rows.clone(), column, values)?,
            };
            let passes = passing.map_or(passes.clone(), |before| &before & &passes);
            if passes.count_set_bits() == 0 {
                return Ok(Some(passes));
            }
            passing = Some(passes);
        }
        // Of the chunks ahead, no more is known than that all rows may be wanted.
        if passing.is_none() {
            self.look_ahead(chunk)?;
        }
        let table = self.source.table.table().as_ref();
        for filter in &self.source.text_filters {
            let passes = filter.passing(table, chunk, rows.clone())?;
            passing = Some(passing.map_or(passes.clone(), |before| &before & &passes));
        }
        Ok(passing)
    }

    /// Lets text filters look at the texts of a chunk and of some that follow, more of them each
    /// time.
    fn look_ahead(&mut self, chunk: usize) -> Result<()> {
        if self.source.text_filters.is_empty() || self.looked_at.contains(&chunk) {
            return Ok(());
        }
        self.looked_at = match self.source.reverse {
            false => chunk..self.chunks.end.min(chunk.saturating_add(self.ahead)).max(chunk + 1),
            true => self.chunks.start.max((chunk + 1).saturating_sub(self.ahead))..chunk + 1,
        };
        self.ahead = self.ahead.saturating_mul(2);
        let table = self.source.table.table().as_ref();
        let kept = |&chunk: &usize| self.pruner.keeps(table, chunk);
        let chunks: Vec<usize> = self.looked_at.clone().filter(kept).collect();
        self.cancel.check()?;
        self.source.text_filters.iter().try_for_each(|filter| filter.look_ahead(table, &chunks))
    }

    /// Reads rows of which all are wanted.
    fn read(&mut self, chunk: usize, rows: Range<usize>) -> Result<RecordBatch> {
        let mut batch = self.source.read(chunk, rows)?;
        if self.source.reverse {
            let reversed = UInt64Array::from_iter_values((0..batch.num_rows() as u64).rev());
            batch = take_record_batch(&batch, &reversed)?;
        }
        let batch = batch.slice(0, self.remaining.min(batch.num_rows()));
        self.remaining -= batch.num_rows();
        Ok(batch)
    }
}

impl Iterator for Reader {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.read_batch();
        if batch.is_err() {
            self.remaining = 0;
        }
        batch.transpose()
    }
}
