//! The rows of a statement, as they come.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::EmptyRecordBatchStream;
use futures::{Stream, StreamExt, TryStreamExt};

use crate::cancel::CancelOnDrop;
use crate::errors::{Names, SqlError, translate};
use crate::perfetto_sql::Text;
use crate::stack::with_room_to_run;

/// A statement that runs: a stream of batches. Dropping it stops the statement.
pub struct ResultSet {
    schema: SchemaRef,
    stream: SendableRecordBatchStream,
    /// To say where a statement failed while it ran.
    text: Text,
    /// How many rows were asked for; all where not given.
    limit: Option<usize>,
    /// Stops what the stream's tasks are in the middle of.
    stop: CancelOnDrop,
}

impl ResultSet {
    pub(crate) fn new(
        stream: SendableRecordBatchStream,
        names: &[String],
        text: Text,
        stop: CancelOnDrop,
    ) -> Self {
        let inner = stream.schema();
        let fields = inner.fields().iter().zip(names);
        let fields: Vec<_> =
            fields.map(|(field, name)| field.as_ref().clone().with_name(name)).collect();
        Self { schema: Arc::new(Schema::new(fields)), stream, text, limit: None, stop }
    }

    /// The same, known to hold no more than the first `rows` rows of its statement.
    pub(crate) fn of_first(mut self, rows: usize) -> Self {
        self.limit = Some(rows);
        self
    }

    /// To how many rows the statement was limited, where only its first rows were asked for.
    pub fn limit(&self) -> Option<usize> {
        self.limit
    }

    /// The columns, under the names to show. Two may have the same name, as in `SELECT 1, 1`.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// A batch under the names to show.
    fn rename(&self, batch: &RecordBatch) -> Result<RecordBatch, DataFusionError> {
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let columns = batch.columns().to_vec();
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?)
    }

    /// All rows at once.
    ///
    /// # Errors
    /// When the statement fails while it runs.
    pub async fn collect(self) -> Result<Vec<RecordBatch>, SqlError> {
        self.try_collect().await
    }
}

impl Drop for ResultSet {
    /// A plan is as deep as the statement, and so is what is dropped.
    fn drop(&mut self) {
        let nothing = Box::pin(EmptyRecordBatchStream::new(self.stream.schema()));
        let stream = std::mem::replace(&mut self.stream, nothing);
        with_room_to_run(|| drop(stream));
    }
}

impl Stream for ResultSet {
    type Item = Result<RecordBatch, SqlError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = with_room_to_run(|| self.stream.poll_next_unpin(cx));
        let Some(batch) = std::task::ready!(next) else {
            return Poll::Ready(None);
        };
        let batch = self.stop.0.check().and(batch);
        let renamed = batch.and_then(|batch| self.rename(&batch));
        let text = &self.text;
        Poll::Ready(Some(renamed.map_err(|error| translate(error, text, &Names::none()))))
    }
}
