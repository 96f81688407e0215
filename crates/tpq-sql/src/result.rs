//! The rows of a statement as a stream.

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

/// The rows of a running statement: a stream of batches. Dropping it stops the statement.
pub struct ResultSet {
    schema: SchemaRef,
    stream: SendableRecordBatchStream,
    /// The text of the statement, for the locations of errors.
    text: Text,
    /// The maximum number of rows; `None` if the statement is not limited.
    limit: Option<usize>,
    /// Stops the tasks of the stream when dropped.
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

    /// Records that the result is limited to the first `rows` rows of the statement.
    pub(crate) fn limited_to(mut self, rows: usize) -> Self {
        self.limit = Some(rows);
        self
    }

    /// The maximum number of rows, if the caller asked only for the first rows.
    pub fn limit(&self) -> Option<usize> {
        self.limit
    }

    /// Whether the statement asks that its rows are not shown: its only column is called
    /// `suppress_query_output`.
    pub fn is_suppressed(&self) -> bool {
        const SUPPRESSED: &str = "suppress_query_output";
        let columns = self.schema.fields();
        matches!(&columns[..], [only] if only.name().eq_ignore_ascii_case(SUPPRESSED))
    }

    /// The columns, with their display names. Two columns may have the same name, as in
    /// `SELECT 1, 1`.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Gives the columns of a batch their display names.
    fn rename(&self, batch: &RecordBatch) -> Result<RecordBatch, DataFusionError> {
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let columns = batch.columns().to_vec();
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?)
    }

    /// Reads all rows.
    ///
    /// # Errors
    /// When the statement fails while it runs.
    pub async fn collect(self) -> Result<Vec<RecordBatch>, SqlError> {
        self.try_collect().await
    }

    /// Reads all rows and keeps none: a statement may fail, and have effects, while it runs.
    ///
    /// # Errors
    /// When the statement fails while it runs.
    pub async fn run_to_end(self) -> Result<(), SqlError> {
        self.try_for_each(|_| std::future::ready(Ok(()))).await
    }
}

impl Drop for ResultSet {
    /// Drops the stream on a large stack: plans are as deeply nested as their statements, and
    /// dropping one recurses.
    fn drop(&mut self) {
        let empty = Box::pin(EmptyRecordBatchStream::new(self.stream.schema()));
        let stream = std::mem::replace(&mut self.stream, empty);
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
