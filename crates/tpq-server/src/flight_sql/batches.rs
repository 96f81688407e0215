//! Record batches as clients of Flight SQL expect them.

use std::pin::Pin;
use std::sync::Arc;

use arrow_flight::FlightData;
use arrow_flight::encode::FlightDataEncoderBuilder;
use arrow_flight::error::FlightError;
use datafusion::arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::error::ArrowError;
use futures::{Stream, StreamExt, TryStreamExt};
use tonic::Status;

use super::status;
use crate::engine::RowsError;

/// The messages of a result.
pub(super) type FlightStream = Pin<Box<dyn Stream<Item = Result<FlightData, Status>> + Send>>;

/// The columns as they are sent: views of texts and blobs are newer than many clients.
pub(super) fn sent_schema(schema: &SchemaRef) -> SchemaRef {
    let sent = |field: &Arc<Field>| {
        let kind = match field.data_type() {
            DataType::Utf8View => DataType::Utf8,
            DataType::BinaryView => DataType::Binary,
            DataType::Dictionary(_, value) if **value == DataType::Utf8View => DataType::Utf8,
            DataType::Dictionary(_, value) => value.as_ref().clone(),
            other => other.clone(),
        };
        // Any value may be NULL: clients compare the columns of all batches.
        field.as_ref().clone().with_data_type(kind).with_nullable(true)
    };
    Arc::new(Schema::new(schema.fields().iter().map(sent).collect::<Vec<Field>>()))
}

/// The messages of rows with these columns, which [`sent_schema`] returned.
pub(super) fn messages(
    schema: SchemaRef,
    rows: impl Stream<Item = Result<RecordBatch, RowsError>> + Send + 'static,
) -> FlightStream {
    let columns = Arc::clone(&schema);
    let sent = rows.map(move |batch| {
        let batch = batch.map_err(|error| flight_error(status::of_rows(&error)))?;
        sent_batch(&batch, &columns).map_err(FlightError::from)
    });
    let messages = FlightDataEncoderBuilder::new().with_schema(schema).build(sent);
    messages.map_err(Status::from).boxed()
}

/// The messages of one batch.
pub(super) fn message(batch: RecordBatch) -> FlightStream {
    messages(batch.schema(), futures::stream::iter([Ok(batch)]))
}

fn flight_error(status: Status) -> FlightError {
    FlightError::from(status)
}

fn sent_batch(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let exact = CastOptions { safe: false, ..CastOptions::default() };
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| match column.data_type() == field.data_type() {
        true => Ok(Arc::clone(column)),
        false => cast_with_options(column, field.data_type(), &exact),
    });
    let columns = columns.collect::<Result<Vec<ArrayRef>, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
}
