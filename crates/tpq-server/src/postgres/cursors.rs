//! Cursors of SQL: `DECLARE` starts a query, and each `FETCH` sends the next of its rows.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use tokio::sync::Mutex;

use crate::engine::{Answer, RowsError};

/// A query with rows that are fetched in parts.
pub(super) struct Cursor {
    pub(super) schema: SchemaRef,
    rows: Arc<Mutex<Rows>>,
    /// Whether it outlives its transaction.
    pub(super) is_held: bool,
}

/// The rows that were not fetched yet.
struct Rows {
    batches: BoxStream<'static, Result<RecordBatch, RowsError>>,
    /// The rest of a batch.
    rest: Option<RecordBatch>,
}

impl Cursor {
    pub(super) fn new(answer: Answer, is_held: bool) -> Self {
        let rows = Rows { batches: answer.batches, rest: None };
        Self { schema: answer.schema, rows: Arc::new(Mutex::new(rows)), is_held }
    }

    /// The next rows, `count` at most.
    pub(super) fn fetch(&self, count: usize) -> Answer {
        let state = (Arc::clone(&self.rows), count);
        let batches = futures::stream::try_unfold(state, async |(rows, count)| {
            let next = rows.lock().await.next(count).await?;
            Ok(next.map(|batch| {
                let rest = count.saturating_sub(batch.num_rows());
                (batch, (rows, rest))
            }))
        });
        Answer { schema: Arc::clone(&self.schema), batches: batches.boxed() }
    }
}

impl Rows {
    /// The next rows of one batch, `count` at most; `None` at the end.
    async fn next(&mut self, count: usize) -> Result<Option<RecordBatch>, RowsError> {
        if count == 0 {
            return Ok(None);
        }
        loop {
            let batch = match self.rest.take() {
                Some(rest) => rest,
                None => match self.batches.try_next().await? {
                    Some(batch) => batch,
                    None => return Ok(None),
                },
            };
            let rows = batch.num_rows();
            if rows > count {
                self.rest = Some(batch.slice(count, rows - count));
                return Ok(Some(batch.slice(0, count)));
            }
            if rows > 0 {
                return Ok(Some(batch));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array};
    use datafusion::arrow::datatypes::Int64Type;

    use super::*;

    fn batch(values: std::ops::Range<i64>) -> RecordBatch {
        let column: ArrayRef = Arc::new(Int64Array::from_iter_values(values));
        RecordBatch::try_from_iter([("x", column)]).expect("a batch")
    }

    async fn fetched(cursor: &Cursor, count: usize) -> Vec<i64> {
        let batches: Vec<RecordBatch> =
            cursor.fetch(count).batches.try_collect().await.expect("rows");
        let values = batches.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>());
        values.flatten().collect()
    }

    #[tokio::test]
    async fn rows_are_fetched_across_batches() {
        let batches = [batch(0..3), batch(3..3), batch(3..8)];
        let schema = batches[0].schema();
        let batches = futures::stream::iter(batches.map(Ok)).boxed();
        let cursor = Cursor::new(Answer { schema, batches }, false);
        assert_eq!(fetched(&cursor, 2).await, [0, 1]);
        assert_eq!(fetched(&cursor, 0).await, Vec::<i64>::new());
        assert_eq!(fetched(&cursor, 4).await, [2, 3, 4, 5]);
        assert_eq!(fetched(&cursor, usize::MAX).await, [6, 7]);
        assert_eq!(fetched(&cursor, 1).await, Vec::<i64>::new());
    }
}
