//! The rows of one partition of a shared plan, in memory as far as there is room.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::common::Result;
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::execution::{SendableRecordBatchStream, SpillFile};
use datafusion::physical_plan::SpillManager;
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};

use crate::cancel::CancelToken;
use crate::memory::bytes_of;

/// All rows of a partition.
pub(super) struct Rows {
    /// The first rows.
    batches: Vec<RecordBatch>,
    /// The others: from the first batch on for which there was no room.
    spilled: Option<Arc<dyn SpillFile>>,
    /// Reads the file.
    spill: SpillManager,
    /// The memory of the batches, and of those of other partitions.
    _held: Arc<MemoryReservation>,
}

impl Rows {
    /// Collects the rows of a stream.
    ///
    /// # Errors
    /// When the stream fails or is cancelled, or a temporary file cannot be written.
    pub(super) async fn collect(
        mut rows: SendableRecordBatchStream,
        held: Arc<MemoryReservation>,
        spill: SpillManager,
        cancel: CancelToken,
    ) -> Result<Self> {
        let mut batches = Vec::new();
        let mut file = None;
        while let Some(batch) = rows.try_next().await? {
            cancel.check()?;
            if batch.num_rows() == 0 {
                continue;
            }
            if file.is_none() && held.try_grow(bytes_of(&batch)).is_ok() {
                batches.push(batch);
                continue;
            }
            // Once there was no room, later batches stay behind this one.
            if file.is_none() {
                file = Some(spill.create_in_progress_file("rows of a shared plan")?);
            }
            if let Some(file) = &mut file {
                file.append_batch(&batch)?;
            }
        }
        let spilled = match file {
            Some(mut file) => file.finish()?,
            None => None,
        };
        Ok(Self { batches, spilled, spill, _held: held })
    }

    /// The rows from the first on.
    ///
    /// # Errors
    /// When the temporary file cannot be read.
    pub(super) fn read(self: Arc<Self>) -> Result<BoxStream<'static, Result<RecordBatch>>> {
        let open = |file: &Arc<dyn SpillFile>| {
            self.spill.read_spill_as_stream_unbuffered(Arc::clone(file), None)
        };
        let spilled = self.spilled.as_ref().map(open).transpose()?;
        let in_memory = stream::unfold((self, 0_usize), |(rows, at)| async move {
            let batch = rows.batches.get(at).cloned()?;
            Some((Ok(batch), (rows, at + 1)))
        });
        Ok(in_memory.chain(stream::iter(spilled).flatten()).boxed())
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array, StringViewArray};
    use datafusion::arrow::datatypes::Int64Type;
    use datafusion::error::DataFusionError;
    use datafusion::execution::memory_pool::{GreedyMemoryPool, MemoryConsumer, MemoryPool};
    use datafusion::execution::runtime_env::RuntimeEnv;
    use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, SpillMetrics};
    use datafusion::physical_plan::stream::RecordBatchStreamAdapter;

    use super::*;

    /// The `number`th batch of a hundred rows.
    fn batch(number: i64) -> RecordBatch {
        let numbers = (number * 100)..(number * 100 + 100);
        let texts: Vec<String> =
            numbers.clone().map(|at| format!("the text of row {at}")).collect();
        let columns: [(&str, ArrayRef); 2] = [
            ("number", Arc::new(Int64Array::from_iter_values(numbers))),
            ("text", Arc::new(StringViewArray::from_iter_values(texts))),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    /// The numbers of all rows after they were kept in so much memory, read twice.
    async fn kept_in(limit: usize) -> (Rows, [Vec<i64>; 2]) {
        let pool: Arc<dyn MemoryPool> = Arc::new(GreedyMemoryPool::new(limit));
        let held = Arc::new(MemoryConsumer::new("test").with_can_spill(true).register(&pool));
        let schema = batch(0).schema();
        let metrics = SpillMetrics::new(&ExecutionPlanMetricsSet::new(), 0);
        let spill = SpillManager::new(Arc::new(RuntimeEnv::default()), metrics, schema.clone());
        let batches = stream::iter((0..10).map(|number| Ok::<_, DataFusionError>(batch(number))));
        let rows = Box::pin(RecordBatchStreamAdapter::new(schema, batches));
        let rows = Rows::collect(rows, held, spill, CancelToken::default()).await.unwrap();
        let rows = Arc::new(rows);
        let mut read = [Vec::new(), Vec::new()];
        for numbers in &mut read {
            let batches: Vec<RecordBatch> =
                Arc::clone(&rows).read().unwrap().try_collect().await.unwrap();
            for batch in &batches {
                let of_batch = batch.column(0).as_primitive::<Int64Type>().values();
                let text = batch.column(1).as_string_view().value(0);
                assert_eq!(text, format!("the text of row {}", of_batch[0]));
                numbers.extend(of_batch.iter());
            }
        }
        (Arc::into_inner(rows).unwrap(), read)
    }

    #[tokio::test]
    async fn rows_are_read_in_order_wherever_they_are() {
        let all: Vec<i64> = (0..1000).collect();
        // A batch has 800 bytes of numbers, 1,600 of views and some 1,900 of texts.
        for (limit, in_memory) in [(1 << 20, 10), (10_000, 2), (100, 0)] {
            let (rows, read) = kept_in(limit).await;
            assert_eq!(rows.batches.len(), in_memory);
            assert_eq!(rows.spilled.is_some(), in_memory < 10);
            assert_eq!(read, [all.clone(), all.clone()]);
        }
    }

    #[tokio::test]
    async fn a_cancelled_statement_keeps_nothing() {
        let pool: Arc<dyn MemoryPool> = Arc::new(GreedyMemoryPool::new(1 << 20));
        let held = Arc::new(MemoryConsumer::new("test").register(&pool));
        let metrics = SpillMetrics::new(&ExecutionPlanMetricsSet::new(), 0);
        let schema = batch(0).schema();
        let spill = SpillManager::new(Arc::new(RuntimeEnv::default()), metrics, schema.clone());
        let batches = stream::iter([Ok::<_, DataFusionError>(batch(0))]);
        let rows = Box::pin(RecordBatchStreamAdapter::new(schema, batches));
        let cancel = CancelToken::default();
        cancel.cancel();
        assert!(Rows::collect(rows, held, spill, cancel).await.is_err());
        assert_eq!(pool.reserved(), 0);
    }
}
