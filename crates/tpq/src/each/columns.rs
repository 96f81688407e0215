//! The columns that tell the rows of one trace from those of others.

use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch, StringViewArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use tpq_lake::LakeTrace;
use tpq_sql::ParameterValue;

use super::EachError;
use crate::Trace;

/// The column with the path of the trace.
pub const TRACE_PATH: &str = "trace_path";
/// The column with the UUID of the trace; NULL if the trace has none.
pub const TRACE_UUID: &str = "trace_uuid";

/// The columns of a trace: texts that are the same in all of its rows.
pub(crate) struct TraceColumns {
    columns: Vec<(String, Option<String>)>,
}

impl TraceColumns {
    /// The path, the UUID, and values of `metadata`. A value that the trace does not have is NULL.
    pub(super) async fn of(
        trace: &Trace,
        path: &Path,
        metadata: &[String],
    ) -> Result<Self, EachError> {
        let mut columns = vec![(TRACE_PATH.to_owned(), Some(path.to_string_lossy().into_owned()))];
        columns.push((TRACE_UUID.to_owned(), metadata_of(trace, TRACE_UUID).await?));
        for name in metadata {
            columns.push((name.clone(), metadata_of(trace, name).await?));
        }
        Ok(Self { columns })
    }

    /// The same of a trace of a lake. `metadata` may name columns of the catalogue too, such as
    /// `day` and `device`.
    pub(crate) async fn in_lake(
        trace: &Trace,
        entry: &LakeTrace,
        metadata: &[String],
    ) -> Result<Self, EachError> {
        let facts = &entry.facts;
        let mut columns = vec![(TRACE_PATH.to_owned(), Some(facts.path.clone()))];
        columns.push((TRACE_UUID.to_owned(), facts.uuid.clone()));
        for name in metadata {
            let value = match entry.value(name) {
                Some(value) => Some(value.to_owned()),
                // The catalogue has short values only.
                None => metadata_of(trace, name).await?,
            };
            columns.push((name.clone(), value));
        }
        Ok(Self { columns })
    }

    /// The columns of the trace, and then those of a result. Text has one type.
    pub(crate) fn schema_with(&self, result: &SchemaRef) -> SchemaRef {
        let own = self.columns.iter().map(|(name, _)| Field::new(name, DataType::Utf8View, true));
        let rest = result.fields().iter().map(|field| {
            let data_type = plain_type(field.data_type());
            field.as_ref().clone().with_data_type(data_type).with_nullable(true)
        });
        Arc::new(Schema::new(own.chain(rest).collect::<Vec<_>>()))
    }

    /// The rows of a batch, with the columns of the trace in front.
    pub(crate) fn in_front_of(&self, batch: &RecordBatch) -> Result<RecordBatch, EachError> {
        let rows = batch.num_rows();
        let own = self.columns.iter().map(|(_, value)| {
            let values = std::iter::repeat_n(value.as_deref(), rows);
            Ok(Arc::new(values.collect::<StringViewArray>()) as ArrayRef)
        });
        let rest = batch.columns().iter().map(plain);
        let columns = own.chain(rest).collect::<Result<Vec<_>, EachError>>()?;
        Ok(RecordBatch::try_new(self.schema_with(&batch.schema()), columns)?)
    }
}

/// The type of a column in the relation of all traces: text has one type, however a trace stores
/// it, and so has a column that is NULL in the whole trace.
fn plain_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Dictionary(_, values) => plain_type(values),
        other => other.clone(),
    }
}

/// A column of its plain type. Text holds the bytes of its own rows only.
fn plain(column: &ArrayRef) -> Result<ArrayRef, EachError> {
    let plain = cast(column, &plain_type(column.data_type()))?;
    Ok(match plain.data_type() {
        DataType::Utf8View => Arc::new(plain.as_string_view().gc()),
        _ => plain,
    })
}

/// A value of `metadata` as text; of several files or machines, that of the first.
async fn metadata_of(trace: &Trace, name: &str) -> Result<Option<String>, EachError> {
    let session = trace.session();
    session.set_parameter("metadata_name", ParameterValue::Text(name.to_owned()));
    let sql = "SELECT coalesce(str_value, CAST(int_value AS TEXT)) AS value FROM metadata \
               WHERE name = $metadata_name ORDER BY id LIMIT 1";
    let batches = trace.sql(sql).await?;
    let Some(batch) = batches.iter().find(|batch| batch.num_rows() > 0) else { return Ok(None) };
    let values = cast(batch.column(0), &DataType::Utf8View)?;
    let values = values.as_string_view();
    Ok((!values.is_null(0)).then(|| values.value(0).to_owned()))
}
